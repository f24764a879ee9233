"""Playing recorded replies on a real phone: every screen and every target is checked before anything is touched."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar, cast

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, DeviceInfo, Observation
from pytest_layered_phone.errors import PhoneError, ScreenDivergedError
from pytest_layered_phone.events import DriftFound, EventBus
from pytest_layered_phone.recording.aim import Aim, aim
from pytest_layered_phone.recording.offline import (
    Player,
    clean_arguments,
    missing_call,
    other_action,
    recorded_action,
    same_arguments,
)
from pytest_layered_phone.recording.screen_match import ScreenMatch, compare_screens, missing_texts, shown_on
from pytest_layered_phone.recording.scrolling import Scroll
from pytest_layered_phone.recording.seam import PIXELS, TOUCHES, Arguments, SeamDevice
from pytest_layered_phone.recording.step_check import effect_problem
from pytest_layered_phone.recording.tape import Action, Answer, Spot

T = TypeVar("T")

PAUSE_S = 0.5
"""Seconds between two looks at a screen that is not yet the recorded one."""
_OURS = frozenset({"executor", "verifier"})


@dataclass(frozen=True)
class ReplayedStep:
    """How a replayed step ended. `counts` says whether it is drift in the sense of `phone_drift`."""

    status: str
    reason: str
    run: int
    subtask: str
    step: int
    counts: bool = False


@dataclass(frozen=True)
class _Pending:
    """A step that was carried out and whose effect has not been seen yet."""

    spot: Spot
    status: str
    reason: str
    counts: bool
    recorded: Observation | None
    live: Observation | None
    scroll: Scroll | None = None


class CheckedDevice(SeamDevice):
    """A `Device` on a live phone that stops the test where phone and recording part.

    Args:
        inner: the phone.
        logical: its name in the test.
        player: the tape and what goes with it.
        place: where the test is.
        bus: hears of every replayed step.
        settle_s: seconds that a slow screen gets to become the recorded one.
        sleep: waits; for tests.
    """

    def __init__(
        self,
        inner: Device,
        logical: str,
        player: Player,
        place: Place,
        bus: EventBus,
        *,
        settle_s: float = 5.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(logical)
        self._inner = inner
        self._player = player
        self._place = place
        self._bus = bus
        self._polls = math.ceil(settle_s / PAUSE_S)
        self._sleep = sleep
        self._recorded: Observation | None = None
        self._live: Observation | None = None
        self._pending: _Pending | None = None
        self._started = False
        self._judgements = player.judgements
        self._view: float | None = None
        self._run_began_s: float | None = None
        self.steps: list[ReplayedStep] = []

    @property
    def serial(self) -> str:
        return self._inner.serial

    def _spot(self) -> str:
        return Spot.of(self._place).key

    def info(self) -> DeviceInfo:
        return self._inner.info()

    def flush(self) -> None:
        """Tells of a last step whose effect nobody looked at."""
        if self._pending is not None:
            self._tell(self._pending, self._pending.status, self._pending.reason)
            self._pending = None

    # -- looking ---------------------------------------------------------------------------------------------------------

    def _look(self, primitive: str, arguments: Arguments, call: Callable[[Device], T]) -> T:
        self._player.check(self._place.actor)
        spot = Spot.of(self._place)
        if primitive != "observe" or spot.actor not in _OURS:
            asked = clean_arguments(self._in_fact(arguments), self._player)
            for entry in self._player.tape.answers(self._logical, spot, primitive, asked):
                self._player.tape.use(entry)
            value = call(self._inner)
            if primitive == "clock_s" and spot.actor == "harness":  # a run begins: from here on crashes count
                self._run_began_s = cast(float, value)
            return value
        look = cast(Callable[[Device], Observation], call)
        if spot.actor == "verifier":
            return cast(T, self._look_finally(spot, arguments, look))
        return cast(T, self._look_before_step(spot, arguments, look))

    def _look_before_step(self, spot: Spot, arguments: Arguments, look: Callable[[Device], Observation]) -> Observation:
        self._judgements.interrupt()
        tape = self._player.tape
        n = tape.next_ordinal("answer", self._logical, spot.key, "observe", repr(sorted(arguments.items())))
        found = tape.answers(self._logical, spot, "observe", arguments)
        if not found:
            raise missing_call(self._player, self._logical, spot, "observe", arguments, n, Answer)
        entry = found[min(n, len(found)) - 1]  # a slow phone may be looked at more often: the last look counts
        for earlier in found[:n]:
            tape.use(earlier)
        if not isinstance(entry.value, Observation):
            return look(self._inner)
        if self._pending is not None and self._pending.scroll is not None and self._is_other_size():
            return self._look_after_scroll(self._pending, self._pending.scroll, entry.value, look)
        live, match, effect = self._until_same(entry.value, look, self._polls)
        if not match.same:
            self._stop(spot, entry.value, live, match, effect)
        if effect is not None:
            status, reason = effect
            self._end_pending(status, reason, entry.value, live)
        self._started = True
        self.flush()
        self._recorded, self._live = entry.value, live
        return live

    def _look_after_scroll(
        self, pending: _Pending, scroll: Scroll, recorded: Observation, look: Callable[[Device], Observation]
    ) -> Observation:
        """On a screen of another size the same swipe shows other rows: it is repeated until what comes next is there."""
        live, problem, times = scroll.until_there(
            recorded, pending.live, lambda: look(self._inner), lambda: scroll.again(self._inner), self._player.names.to_live
        )
        if problem:
            self._end_pending("missed", problem, recorded, live)
        if times:
            reason = f"scrolled {times} times more, on a screen of another size"
            self._pending = replace(pending, status="relocated", reason=reason)
        self.flush()
        self._recorded, self._live = recorded, live
        return live

    def _is_other_size(self) -> bool:
        recorded = self._player.tape.header.phones.get(self._logical)
        live = self._inner.info()
        return recorded is not None and (recorded.width, recorded.height, recorded.density) != (
            live.width, live.height, live.density,
        )  # fmt: skip

    def _until_same(
        self, recorded: Observation, look: Callable[[Device], Observation], polls: int
    ) -> tuple[Observation, ScreenMatch, tuple[str, str] | None]:
        while True:
            live = look(self._inner)
            match = compare_screens(recorded, live, view=self._view_of(), mapped=self._player.names.to_live)
            effect = self._effect(recorded, live)
            if (match.same and effect is None) or polls <= 0:
                return live, match, effect
            polls -= 1
            self._sleep(PAUSE_S)

    def _effect(self, recorded: Observation, live: Observation) -> tuple[str, str] | None:
        pending = self._pending
        if pending is None or pending.recorded is None or pending.live is None:
            return None
        problem = effect_problem(
            (pending.recorded, recorded), (pending.live, live), view=self._view_of(), mapped=self._player.names.to_live
        )
        return None if problem is None else (problem.status, problem.reason)

    def _look_finally(self, spot: Spot, arguments: Arguments, look: Callable[[Device], Observation]) -> Observation:
        """A look of a judgement: what stood on the recorded screen when it was judged must stand on this one."""
        entry, span_s = self._judgements.look(spot.run, self._logical)
        if entry is None:
            raise missing_call(self._player, self._logical, spot, "observe", arguments, 1, Answer)
        recorded = entry.value
        if not isinstance(recorded, Observation):
            return look(self._inner)
        polls = self._polls + math.ceil(span_s / PAUSE_S)
        names = self._player.names.to_live
        while True:
            live, match, effect = self._until_same(recorded, look, 0)
            lacking = missing_texts(recorded, live, view=self._view_of(), mapped=names) if match.same else ()
            if match.same and not lacking and effect is None:
                break
            if polls <= 0:
                self._stop(spot, recorded, live, match, effect, lacking)
            polls -= 1
            self._sleep(PAUSE_S)
        self._started = True
        self.flush()
        self._recorded, self._live = recorded, live
        return live

    # -- acting ----------------------------------------------------------------------------------------------------------

    def _act(self, primitive: str, arguments: Arguments, call: Callable[[Device], None]) -> None:
        self._player.check(self._place.actor)
        spot = Spot.of(self._place)
        if spot.actor == "harness":
            call(self._inner)
            return
        entry = recorded_action(self._player, self._logical, spot, primitive, arguments)
        pixels = PIXELS | {"duration_s"} if spot.actor in _OURS else frozenset()
        if not same_arguments(entry.arguments, arguments, self._player, frozenset(pixels)):
            raise other_action(self._player, entry, primitive, arguments)
        self._player.tape.use(entry)
        if spot.actor not in _OURS:
            self._judgements.interrupt()
            self.flush()
            self._recorded = self._live = None
            call(self._inner)
            return
        if spot.actor == "executor":
            self._judgements.interrupt()
        aimed = self._aim(entry, spot, arguments) if primitive in TOUCHES else Aim("hit", f"{primitive} as recorded")
        if aimed.point is None:
            call(self._inner)
        else:
            x, y = aimed.point
            act: Callable[..., None] = getattr(self._inner, primitive)
            act(**{**arguments, "x": x, "y": y})
        if spot.actor == "verifier":  # it may scroll to where the outcome stands; that is no step of its own
            return
        scroll = Scroll(call, self._player.tape.next_target(entry)) if primitive == "swipe" else None
        self._note(spot, aimed, scroll)
        if entry.error is not None:
            self._end_pending(
                "diverged", f"{primitive} worked, but when it was recorded it ended with {entry.error.code}", self._recorded,
                self._live,
            )  # fmt: skip

    def _aim(self, entry: Action, spot: Spot, arguments: Arguments) -> Aim:
        point = int(str(arguments["x"])), int(str(arguments["y"]))
        recorded_point = int(str(entry.arguments["x"])), int(str(entry.arguments["y"]))
        if self._live is None or self._live.elements is None:
            self._live = self._inner.observe(settle=True, elements=True)
        aimed = aim(entry, recorded_point, self._recorded, self._live, point)
        if aimed.status == "diverged":
            self._note(spot, aimed)
            self._end_pending("diverged", aimed.reason, self._recorded, self._live)
        return aimed

    # -- telling ---------------------------------------------------------------------------------------------------------

    def _note(self, spot: Spot, aimed: Aim, scroll: Scroll | None = None) -> None:
        before = self._pending
        if before is not None and before.spot == spot:  # a step of two actions: a tap into a field, then typing
            worse = before if before.status != "hit" else None
            status, reason = (worse.status, worse.reason) if worse else (aimed.status, aimed.reason)
            self._pending = _Pending(
                spot, status, reason, before.counts or aimed.counts, before.recorded, before.live
            )  # fmt: skip
            return
        self.flush()
        self._pending = _Pending(spot, aimed.status, aimed.reason, aimed.counts, self._recorded, self._live, scroll)

    def _tell(
        self, pending: _Pending, status: str, reason: str, recorded: Observation | None = None, live: Observation | None = None
    ) -> None:
        spot = pending.spot
        counts = pending.counts or status in ("diverged", "missed")
        self.steps.append(ReplayedStep(status, reason, spot.run, spot.subtask, spot.step, counts))
        recorded, live = recorded or pending.recorded, live or pending.live
        self._bus.emit(
            DriftFound(
                run=spot.run, status=status, reason=reason, subtask=spot.subtask, step=spot.step,
                recorded=recorded.screenshot if recorded else None, live=live.screenshot if live else None,
            )
        )  # fmt: skip

    def _end_pending(self, status: str, reason: str, recorded: Observation | None, live: Observation | None) -> NoReturn:
        pending = self._pending
        self._pending = None
        if pending is not None:
            self._tell(pending, status, reason, recorded, live)
        where = f"run {pending.spot.run}, subtask {pending.spot.subtask}, step {pending.spot.step}: " if pending else ""
        how = "did not do what it did when it was recorded" if status == "missed" else "diverged"
        self._refuse(
            f"{where}the step {how}: {reason}{self._instead(recorded, live)}",
            code=status.upper(),
            suggestion="Look whether the app is broken; if it was changed on purpose, record again: --phone-mode=record.",
        )

    def _instead(self, recorded: Observation | None, live: Observation | None) -> str:
        """What is there instead, in words: an app that went down, and what the phone shows."""
        said = ""
        if recorded is not None and self._run_began_s is not None:
            with contextlib.suppress(PhoneError):  # the phone itself may be the trouble
                down = [c for c in self._inner.crashes(since_s=self._run_began_s) if c.package == recorded.foreground.package]
                if down:
                    word = "stopped responding" if down[0].kind == "anr" else "crashed"
                    said += f". {down[0].package} {word}: {down[0].summary}"
        return said + (f". The phone shows {shown_on(live)}" if live is not None else "")

    def _refuse(self, message: str, *, code: str = "DIVERGED", suggestion: str) -> NoReturn:
        """Stops here, and at every later call of ours: a test that catches the error cannot go on upon another screen."""
        error = ScreenDivergedError(message, code=code, suggestion=suggestion)
        self._player.refusal = error
        raise error

    def _stop(
        self,
        spot: Spot,
        recorded: Observation,
        live: Observation,
        match: ScreenMatch,
        effect: tuple[str, str] | None,
        lacking: tuple[str, ...] = (),
    ) -> NoReturn:
        if effect is not None and effect[0] == "missed":  # the nearer cause: the step before did not work
            self._end_pending(*effect, recorded, live)
        reason = match.reason
        if lacking:
            shown = ", ".join(f"“{text}”" for text in lacking[:8])
            reason = f"texts of the recorded screen are missing: {shown}{' …' if len(lacking) > 8 else ''}"
        elif match.same and effect is not None:
            reason = effect[1]
        start = not self._started and not match.same
        pending = _Pending(spot, "diverged", reason, True, recorded, live)
        self._pending = None
        self._tell(pending, "diverged", reason)
        if start:
            app = self._player.tape.header.app_package or recorded.foreground.package
            self._refuse(
                f"the phone does not show the screen on which this test was recorded: {reason}{self._instead(recorded, live)}",
                code="START_DIFFERS",
                suggestion=f"Bring the app to its start before the test: device.stop_app({app!r}) and then "
                f"device.start_app({app!r}) (clear_app also removes its data), or set phone_app and phone_reset.",
            )
        what = "the final screen" if spot.actor == "verifier" else f"the screen before step {spot.step}"
        self._refuse(
            f"run {spot.run}{f', subtask {spot.subtask}' if spot.subtask else ''}: {what} is not the recorded one: {reason}"
            f"{self._instead(recorded, live)}",
            suggestion="Look whether the app is broken; if it was changed on purpose, record again: --phone-mode=record.",
        )

    def _view_of(self) -> float:
        """Height of this screen through the recorded one's, in dp."""
        if self._view is None:
            recorded = self._player.tape.header.phones.get(self._logical)
            live = self._inner.info()
            if recorded is None:
                self._view = 1.0
            else:
                self._view = (live.height / live.density) / (recorded.height / recorded.density)
        return self._view
