"""A phone and a model that answer from a script, for tests of the loops. They replace exactly the two seams."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from pytest_layered_phone.devices.types import (
    Bounds,
    Cell,
    Crash,
    DeviceInfo,
    Element,
    ElementTree,
    Foreground,
    Observation,
    Screenshot,
    ShellResult,
)
from pytest_layered_phone.models.types import ChatReply, ChatRequest, ToolCall

SIZE = (270, 600)


def picture(color: tuple[int, int, int]) -> Screenshot:
    out = io.BytesIO()
    Image.new("RGB", SIZE, color).save(out, "PNG")
    return Screenshot(out.getvalue(), "image/png", *SIZE)


def element(index: int, text: str = "", **fields: Any) -> Element:
    top = 30 + 40 * index
    defaults: dict[str, Any] = {
        "description": "", "resource_id": "", "class_name": "android.widget.TextView", "package": "com.example.app",
        "bounds": Bounds(0, top, SIZE[0], top + 40),
    }  # fmt: skip
    return Element(index, text, **(defaults | fields))


def screen(*elements: Element, color: tuple[int, int, int] = (250, 250, 250), activity: str = ".Main") -> Observation:
    return Observation(picture(color), Foreground("com.example.app", activity), ElementTree(tuple(elements)))


@dataclass
class ScriptedPhone:
    """Shows one of `screens`; `react` says which one is shown after a touch."""

    screens: list[Observation]
    react: Callable[[ScriptedPhone, str, tuple[Any, ...]], None] = lambda phone, name, arguments: None
    serial: str = "phone-1"
    shown: int = 0
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    looks: int = 0

    def _touch(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, arguments))
        self.react(self, name, arguments)

    def info(self) -> DeviceInfo:
        return DeviceInfo(self.serial, self.serial, "Scripted", "14", 34, *SIZE, 160)

    def observe(self, *, settle: bool = True, elements: bool = True) -> Observation:
        self.looks += 1
        return self.screens[self.shown]

    def screenshot(self, *, display: str | int | None = None) -> Screenshot:
        return self.screens[self.shown].screenshot

    def foreground(self) -> Foreground:
        return self.screens[self.shown].foreground

    def elements(self) -> ElementTree:
        tree = self.screens[self.shown].elements
        assert tree is not None
        return tree

    def app_version(self, package: str) -> str | None:
        return "1.0"

    def setting(self, namespace: str, key: str) -> str | None:
        return None

    def logcat(self, *, since_s: float | None = None) -> str:
        return ""

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        return ()

    def clock_s(self) -> float:
        return 1_000.0

    def began_s(self) -> float:
        return 990.0

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        return ()

    def tap(self, x: int, y: int) -> None:
        self._touch("tap", x, y)

    def double_tap(self, x: int, y: int) -> None:
        self._touch("double_tap", x, y)

    def long_press(self, x: int, y: int, duration_s: float = 0.8) -> None:
        self._touch("long_press", x, y)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_s: float = 0.3) -> None:
        self._touch("swipe", x1, y1, x2, y2)

    def press(self, key: str) -> None:
        self._touch("press", key)

    def type_text(self, text: str, *, clear: bool = False) -> None:
        self._touch("type_text", text, clear)

    def clear_text(self) -> None:
        self._touch("clear_text")

    def start_app(self, app: str) -> None:
        self._touch("start_app", app)

    def stop_app(self, package: str) -> None:
        self._touch("stop_app", package)

    def clear_app(self, package: str) -> None:
        self._touch("clear_app", package)

    def open_link(self, url: str, package: str = "") -> None:
        self._touch("open_link", *(url, package))

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        self._touch("install", *map(str, paths))

    def uninstall(self, package: str) -> None:
        self._touch("uninstall", *(package,))

    def grant(self, package: str, permission: str) -> None:
        self._touch("grant", *(package, permission))

    def revoke(self, package: str, permission: str) -> None:
        self._touch("revoke", *(package, permission))

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        self._touch("put_setting", namespace, key, value)

    def shell(self, arguments: Sequence[str], *, timeout_s: float | None = None) -> ShellResult:
        raise AssertionError("no model may reach the shell")


def said(text: str, **fields: Any) -> ChatReply:
    return ChatReply(text, model="scripted", **fields)


def called(name: str, arguments: str) -> ChatReply:
    return ChatReply("", tool_calls=(ToolCall("call-1", name, arguments),), finish_reason="tool_calls", model="scripted")


@dataclass
class ScriptedModel:
    """Answers with `replies` one after the other and keeps the requests."""

    replies: list[ChatReply]
    name: str = "scripted"
    requests: list[ChatRequest] = field(default_factory=list)

    def complete(self, request: ChatRequest, on_text: object = None) -> ChatReply:
        self.requests.append(request)
        assert self.replies, f"the script has no reply left for {request.seat.key}"
        return self.replies.pop(0)

    def assert_complete(self) -> None:
        assert not self.replies, f"{len(self.replies)} replies of the script were never asked for"
