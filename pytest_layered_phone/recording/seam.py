"""A `Device` whose every call goes through two methods: one for looking, one for acting."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pytest_layered_phone.devices.facts import FactContext, Facts
from pytest_layered_phone.devices.types import (
    Cell,
    Crash,
    Device,
    DeviceInfo,
    ElementTree,
    Foreground,
    Key,
    Observation,
    Screenshot,
    ShellResult,
)

T = TypeVar("T")
Argument = str | int | float | bool | None | list[str]
Arguments = Mapping[str, Argument]

TOUCHES = frozenset({"tap", "double_tap", "long_press"})
"""Primitives that mean an element of the screen."""
FACT = "fact"
"""The argument of a look that says which of the facts that were polled at that place it was for, counted from 1."""
PIXELS = frozenset({"x", "y", "x1", "y1", "x2", "y2"})
"""Arguments that mean a place on the screen: they differ between phones of different sizes."""


class SeamDevice(ABC):
    """Implements `Device` on `_look` and `_act`. `shell` counts as looking: recordings keep its answer."""

    def __init__(self, logical: str) -> None:
        self._logical = logical
        self._fact = ""
        self._fact_polls: Counter[str] = Counter()
        self._facts = Facts(self, FactContext(polling=self._polling))

    @abstractmethod
    def _look(self, primitive: str, arguments: Arguments, call: Callable[[Device], T]) -> T:
        """Asks the phone something. `call` does it on another device."""

    @abstractmethod
    def _act(self, primitive: str, arguments: Arguments, call: Callable[[Device], None]) -> None:
        """Does something to the phone. `call` does it on another device."""

    @property
    @abstractmethod
    def serial(self) -> str:
        """The serial of the phone behind it."""

    @abstractmethod
    def info(self) -> DeviceInfo:
        """What is fixed about the phone."""

    @property
    def facts(self) -> Facts:
        """What this phone can tell without a model; recorded and replayed like every other answer."""
        return self._facts

    @contextmanager
    def _polling(self, statement: str) -> Iterator[None]:
        """Held while one fact is read until it holds. How often depends on the speed of phone and machine, so what is read
        belongs to this poll, counted where the test is, and to no other reading. The wording of the fact does not matter."""
        spot = self._spot()
        self._fact_polls[spot] += 1
        self._fact = str(self._fact_polls[spot])
        try:
            yield
        finally:
            self._fact = ""

    def _in_fact(self, arguments: Arguments) -> Arguments:
        """The arguments as they are recorded: with the fact that is being polled."""
        return {**arguments, FACT: self._fact} if self._fact else arguments

    @abstractmethod
    def _spot(self) -> str:
        """Where the test is, as a key."""

    # -- looking ---------------------------------------------------------------------------------------------------------

    def observe(self, *, settle: bool = True, elements: bool = True) -> Observation:
        return self._look(
            "observe", {"settle": settle, "elements": elements}, lambda d: d.observe(settle=settle, elements=elements)
        )

    def screenshot(self, *, display: str | int | None = None) -> Screenshot:
        if display is None:
            return self._look("screenshot", {}, lambda d: d.screenshot())
        return self._look("screenshot", {"display": str(display)}, lambda d: d.screenshot(display=display))

    def foreground(self) -> Foreground:
        return self._look("foreground", {}, lambda d: d.foreground())

    def elements(self) -> ElementTree:
        return self._look("elements", {}, lambda d: d.elements())

    def app_version(self, package: str) -> str | None:
        return self._look("app_version", {"package": package}, lambda d: d.app_version(package))

    def setting(self, namespace: str, key: str) -> str | None:
        return self._look("setting", {"namespace": namespace, "key": key}, lambda d: d.setting(namespace, key))

    def logcat(self, *, since_s: float | None = None) -> str:
        return self._look("logcat", {"since_s": since_s}, lambda d: d.logcat(since_s=since_s))

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        return self._look("crashes", {"since_s": since_s}, lambda d: d.crashes(since_s=since_s))

    def clock_s(self) -> float:
        return self._look("clock_s", {}, lambda d: d.clock_s())

    def began_s(self) -> float:
        return self._look("began_s", {}, lambda d: d.began_s())

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        return self._look(
            "query_database",
            {"package": package, "database": database, "sql": sql},
            lambda d: d.query_database(package, database, sql),
        )

    def shell(self, arguments: Sequence[str], *, timeout_s: float | None = None) -> ShellResult:
        return self._look("shell", {"arguments": list(arguments)}, lambda d: d.shell(arguments, timeout_s=timeout_s))

    # -- acting ----------------------------------------------------------------------------------------------------------

    def tap(self, x: int, y: int) -> None:
        self._act("tap", {"x": x, "y": y}, lambda d: d.tap(x, y))

    def double_tap(self, x: int, y: int) -> None:
        self._act("double_tap", {"x": x, "y": y}, lambda d: d.double_tap(x, y))

    def long_press(self, x: int, y: int, duration_s: float = 0.8) -> None:
        self._act("long_press", {"x": x, "y": y, "duration_s": duration_s}, lambda d: d.long_press(x, y, duration_s))

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_s: float = 0.3) -> None:
        self._act(
            "swipe",
            {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "duration_s": duration_s},
            lambda d: d.swipe(x1, y1, x2, y2, duration_s),
        )

    def press(self, key: Key) -> None:
        self._act("press", {"key": key}, lambda d: d.press(key))

    def type_text(self, text: str, *, clear: bool = False) -> None:
        self._act("type_text", {"text": text, "clear": clear}, lambda d: d.type_text(text, clear=clear))

    def clear_text(self) -> None:
        self._act("clear_text", {}, lambda d: d.clear_text())

    def start_app(self, app: str) -> None:
        self._act("start_app", {"app": app}, lambda d: d.start_app(app))

    def stop_app(self, package: str) -> None:
        self._act("stop_app", {"package": package}, lambda d: d.stop_app(package))

    def clear_app(self, package: str) -> None:
        self._act("clear_app", {"package": package}, lambda d: d.clear_app(package))

    def open_link(self, url: str, package: str = "") -> None:
        self._act("open_link", {"url": url, "package": package}, lambda d: d.open_link(url, package))

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        names = [Path(path).name for path in paths]  # where the files lie is another place on every machine
        self._act(
            "install",
            {"files": names, "grant": grant, "replace": replace, "downgrade": downgrade},
            lambda d: d.install(*paths, grant=grant, replace=replace, downgrade=downgrade),
        )

    def uninstall(self, package: str) -> None:
        self._act("uninstall", {"package": package}, lambda d: d.uninstall(package))

    def grant(self, package: str, permission: str) -> None:
        self._act("grant", {"package": package, "permission": permission}, lambda d: d.grant(package, permission))

    def revoke(self, package: str, permission: str) -> None:
        self._act("revoke", {"package": package, "permission": permission}, lambda d: d.revoke(package, permission))

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        self._act(
            "put_setting",
            {"namespace": namespace, "key": key, "value": value},
            lambda d: d.put_setting(namespace, key, value),
        )
