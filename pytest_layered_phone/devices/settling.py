"""Waiting until the screen is still, with the element list of exactly that screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.frames import Frame, same
from pytest_layered_phone.devices.freshness import MOST_DUMPS, foreign, frozen, stale
from pytest_layered_phone.devices.state import ScreenState
from pytest_layered_phone.devices.types import ElementTree
from pytest_layered_phone.errors import DeviceError, HierarchyError

_KEPT_FRAMES = 8
_TRANSIENTS = 4
_LEAST_TRIES = 3


@dataclass(frozen=True)
class Reading:
    """What was read while the screen stood still."""

    state: ScreenState
    elements: ElementTree | None


@dataclass(frozen=True)
class StillScreen:
    """The frame that proved stillness, and what belongs to it."""

    frame: Frame
    reading: Reading
    still: bool


@dataclass
class History:
    """What was seen since the last action: the frame before it, and the frames after."""

    before: Frame | None = None
    acted_s: float | None = None
    seen: list[Frame] = field(default_factory=list)
    held: list[Frame] = field(default_factory=list)

    def act(self) -> None:
        """An action begins: what is known now is what was before."""
        if self.acted_s is None or self.seen:
            self.before = self.seen[-1] if self.seen else self.before
            self.seen, self.held = [], []
        self.acted_s = time.monotonic()

    def add(self, frame: Frame) -> None:
        if self.seen and same(self.seen[-1], frame):
            if not self._held(self.seen[-1]):
                self.held.append(self.seen[-1])
            return
        self.seen.append(frame)
        if len(self.seen) > _KEPT_FRAMES:
            # The frames of a movement go first, what stood for a while (a message) stays.
            fleeting = [old for old in self.seen[:-1] if not self._held(old)]
            self.seen.remove(fleeting[0] if fleeting else self.seen[0])

    def transients(self, now: Frame) -> tuple[Frame, ...]:
        """Frames since the action that show neither what was before nor what is now, oldest first."""
        gone = [
            frame for frame in self.seen if not same(frame, now) and not (self.before is not None and same(frame, self.before))
        ]
        if len(gone) > _TRANSIENTS:
            held = [frame for frame in gone if self._held(frame)]
            rest = [frame for frame in gone if not self._held(frame)]
            kept = (held + rest)[:_TRANSIENTS]
            gone = [frame for frame in gone if any(frame is other for other in kept)]
        return tuple(gone)

    def _held(self, frame: Frame) -> bool:
        return any(frame is held for held in self.held)


class Settler:
    """Looks until two frames agree and everything else was read between them.

    Args:
        take: takes one frame.
        read: reads state and, if True is passed, the element list.
        settings: the times.
        history: where the frames are noted.
        moved: told when picture and phone disagree about the size: what is known about displays may be over.
    """

    def __init__(
        self,
        take: Callable[[], Frame],
        read: Callable[[bool], Reading],
        settings: DeviceSettings,
        history: History,
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        self._take = take
        self._read = read
        self._settings = settings
        self._history = history
        self._moved = moved
        self._cost_s = 0.0
        self._last: StillScreen | None = None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="phone-look")

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def look(self, *, settle: bool, elements: bool) -> StillScreen:
        """One look.

        Raises:
            HierarchyError: the phone gave no element list, none that belongs to a picture before the time was over, or
                (HIERARCHY_STALE) again and again that of an earlier screen.
            DeviceError: SCREEN_DISAGREES where picture, list and phone are not of one size and rotation.
        """
        end = time.monotonic() + self._settings.settle_timeout_s
        anchor = self._frame()
        if settle:
            anchor = self._wait_for_effect(anchor, end)
        reading = self._pool.submit(self._read, elements)
        if not settle and not elements:
            return self._glance(anchor, reading.result())
        tries = old = 0
        while True:
            frame = self._watch(anchor, reading, self._settings.settle_poll_s if settle else 0.0)
            if frame is not None:
                result = self._result(reading, end)
                if result is not None and disagreement(frame, result):
                    self._moved()  # it was turned, or folded, while we looked
                elif result is not None:
                    why = self._stale(frame, result)
                    if not why:
                        return self._keep(StillScreen(frame, result, True))
                    old += 1
                    # A slow app is in front before it draws: while the screen may settle, an old list is no error yet.
                    if old >= MOST_DUMPS and (not settle or time.monotonic() > end):
                        raise stale(why)
            else:
                _drop(reading)
            tries += 1
            if time.monotonic() > end or (not settle and tries >= _LEAST_TRIES):
                return self._restless(elements)
            anchor = self._frame()
            reading = self._pool.submit(self._read, elements)

    def list_unseen(self) -> ElementTree | None:
        """The element list where no picture may be taken: two that agree, of what stands in front.

        Raises:
            HierarchyError: HIERARCHY_NOT_IDLE where it keeps changing, HIERARCHY_STALE where it is of another screen.
        """
        reading = self._read(True)
        for _ in range(_LEAST_TRIES):
            before, reading = reading, self._read(True)
            if reading.elements is not None and reading.elements == before.elements:
                if why := foreign(reading.elements, reading.state.focus.foreground):
                    raise stale(why)
                return reading.elements
        raise self._never_idle()

    def _glance(self, frame: Frame, reading: Reading) -> StillScreen:
        """A frame and what was read right after it, of one size and rotation."""
        for _ in range(_LEAST_TRIES):
            apart = disagreement(frame, reading)
            if not apart:
                return StillScreen(frame, reading, True)
            self._moved()
            frame, reading = self._frame(), self._read(False)
        raise disagrees(apart)

    def _watch(self, anchor: Frame, reading: Future[Reading], poll_s: float) -> Frame | None:
        """Takes frames until one that was asked for after the reading ended; None as soon as one differs from the anchor."""
        last = anchor
        while True:
            # A phone that takes long for a picture is not asked without a pause while it works on its list.
            wait([reading], timeout=self._cost_s)
            pause = last.taken_s + poll_s - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            done = reading.done()
            last = self._frame()
            if not same(anchor, last):
                return None
            if done:
                return last

    def _wait_for_effect(self, frame: Frame, end: float) -> Frame:
        """What an input changes shows a moment later; until then the old screen would pass for a still one."""
        before, acted_s = self._history.before, self._history.acted_s
        if acted_s is None:
            return frame
        # Where nothing was seen before the action, nothing can be compared: half the time has to do.
        until = min(acted_s + self._settings.effect_wait_s * (0.5 if before is None else 1.0), end)
        while frame.taken_s < until and (before is None or same(frame, before)):
            time.sleep(self._settings.settle_poll_s)
            frame = self._frame()
        return frame

    def _result(self, reading: Future[Reading], end: float) -> Reading | None:
        try:
            return reading.result()
        except HierarchyError as error:
            if not error.retryable or time.monotonic() > end:
                raise
            return None

    def _restless(self, elements: bool) -> StillScreen:
        """The picture keeps moving. A list that reads the same twice is the list all the same; else there is none."""
        result = self._read(elements)
        frame = self._frame()
        if elements and self._read(True).elements != result.elements:
            raise self._never_idle()
        if apart := disagreement(frame, result, lasting=True):
            raise disagrees(apart)
        if why := self._stale(frame, result):
            raise stale(why)
        return self._keep(StillScreen(frame, result, False))

    def _never_idle(self) -> HierarchyError:
        return HierarchyError(
            f"the screen kept changing for {self._settings.settle_timeout_s:g} s; no element list belongs to a picture",
            code="HIERARCHY_NOT_IDLE",
            suggestion="Stop what moves (video, animation), raise phone_settle_timeout, or look without the element list.",
        )

    def _stale(self, frame: Frame, reading: Reading) -> str:
        """Why the list is of an earlier screen; empty where nothing says so."""
        if reading.elements is None:
            return ""
        front, last = reading.state.focus.foreground, self._last
        if why := foreign(reading.elements, front):
            return why
        if last is None or last.reading.elements is None or same(last.frame, frame):
            return ""
        return frozen(reading.elements, front, last.reading.elements, last.reading.state.focus.foreground)

    def _keep(self, screen: StillScreen) -> StillScreen:
        if screen.reading.elements is not None:
            self._last = screen
        return screen

    def _frame(self) -> Frame:
        frame = self._take()
        self._cost_s = time.monotonic() - frame.taken_s
        self._history.add(frame)
        return frame


def disagreement(frame: Frame, reading: Reading, *, lasting: bool = False) -> str:
    """How picture, list and phone differ in size or rotation; empty where they agree or do not tell.

    Args:
        lasting: only what proves that they do not belong together. The rotation is told in so many places that it alone, if the
            list fits into the picture, proves nothing for ever.
    """
    state, tree, shot = reading.state, reading.elements, frame.shot
    if state.size is not None and state.size != (shot.width, shot.height):
        return f"the picture has {shot.width}x{shot.height} pixels, the phone lays out {state.size[0]}x{state.size[1]}"
    if tree is None or state.rotation is None or tree.rotation == state.rotation or (lasting and _fits(tree, frame)):
        return ""
    return f"the element list is turned by {tree.rotation * 90} degrees, the screen by {state.rotation * 90}"


def _fits(tree: ElementTree, frame: Frame) -> bool:
    roots = [element.bounds for element in tree.elements if element.parent < 0]
    return all(box.right <= frame.shot.width and box.bottom <= frame.shot.height for box in roots)


def disagrees(how: str) -> DeviceError:
    return DeviceError(
        f"picture and phone do not belong together: {how}; touches would go astray", code="SCREEN_DISAGREES", retryable=True,
        suggestion="Wait until it has been turned or folded; a changed size goes back by `adb shell wm size reset`.",
    )  # fmt: skip


def _drop(reading: Future[Reading]) -> None:
    """Lets a reading end whose screen is gone. What it found or failed with belongs to no picture."""
    if not reading.cancel():
        reading.exception()
