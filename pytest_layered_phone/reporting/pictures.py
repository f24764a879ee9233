"""Pictures for reports: the touched point marked, sizes bounded, and the last ones kept for a test that fails."""

from __future__ import annotations

import io
import re
from collections import deque
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_layered_phone.events import DriftFound, Event, StepActed, StepObserved, VerdictGiven

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_layered_phone.devices.types import Screenshot

Point = tuple[int, int]
_MARK = (230, 0, 90)
_LONGEST_SIDE = 1200


@dataclass(frozen=True)
class Shot:
    """A picture with what was touched on it, in pixels of the picture."""

    screenshot: Screenshot
    title: str
    point: Point | None = None
    point_to: Point | None = None

    def image(self) -> Image:
        """The picture with its marks: a ring where it was touched, a line where it was swiped along."""
        from PIL import ImageDraw

        picture = self.screenshot.image.copy()
        if self.point is None:
            return picture
        draw = ImageDraw.Draw(picture)
        radius = max(picture.size) // 48
        width = max(3, radius // 6)
        if self.point_to is not None:
            draw.line([self.point, self.point_to], fill=_MARK, width=width)
            _ring(draw, self.point_to, radius // 2, width)
        _ring(draw, self.point, radius, width)
        return picture

    def jpeg(self) -> bytes:
        """Encoded for a report, the longer side at most 1200 pixels."""
        picture = self.image()
        picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=80)
        return out.getvalue()

    def save_png(self, path: Path) -> None:
        """Writes it in full size; a picture without marks is kept as the phone gave it where that is PNG."""
        if self.point is None and self.screenshot.media_type == "image/png":
            path.write_bytes(self.screenshot.data)
        else:
            self.image().save(path, "PNG", compress_level=1)


def _ring(draw: object, center: Point, radius: int, width: int) -> None:
    x, y = center
    for colour, extra in (((255, 255, 255), width), (_MARK, 0)):
        size = radius + extra
        draw.ellipse((x - size, y - size, x + size, y + size), outline=colour, width=width)  # type: ignore[attr-defined]


class LastPictures:
    """Keeps the last pictures of a test, as a listener of its events; nothing is encoded unless the test fails."""

    def __init__(self, most: int = 8) -> None:
        self._shots: deque[Shot] = deque(maxlen=most)

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepObserved):
            self._add(Shot(event.observation.screenshot, f"run {event.run}, step {event.step}"))
        elif isinstance(event, StepActed):
            title = f"run {event.run}, step {event.step}: {event.action.get('kind', 'action')}"
            self._add(Shot(event.before.screenshot, title, event.point, event.point_to))
        elif isinstance(event, VerdictGiven) and event.observation is not None:
            self._add(Shot(event.observation.screenshot, f"run {event.run}, {event.verdict.get('status', 'judged')}"))
        elif isinstance(event, DriftFound) and event.live is not None:
            self._add(Shot(event.live, f"run {event.run}, {event.status}"))

    def _add(self, shot: Shot) -> None:
        # The same look told again, now with what was done on it: the look after the action may have come in between.
        for index in range(len(self._shots) - 1, max(-1, len(self._shots) - 3), -1):
            kept = self._shots[index]
            if kept.screenshot.digest == shot.screenshot.digest and kept.point is None:
                self._shots[index] = shot
                return
        self._shots.append(shot)

    def add(self, screenshot: Screenshot, title: str) -> None:
        """Adds a picture that no event brought."""
        self._add(Shot(screenshot, title))

    @property
    def shots(self) -> tuple[Shot, ...]:
        return tuple(self._shots)

    def save(self, folder: Path) -> list[Path]:
        """Writes the kept pictures, oldest first, in place of those of an earlier run; returns their paths."""
        if not self._shots:
            return []
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("[0-9][0-9]*.png"):
            old.unlink()
        paths = []
        for number, shot in enumerate(self._shots, 1):
            path = folder / f"{number:02}-{_word(shot.title)}.png"
            shot.save_png(path)
            paths.append(path)
        return paths


def folder_name(test: str) -> str:
    """A folder name for a test: readable, at most 80 characters, different for different tests."""
    name = re.sub(r"[^\w.\-]+", "_", test).strip("_.") or "test"
    if len(name) > 80 or name != test:
        name = f"{name[:70]}-{sha256(test.encode()).hexdigest()[:8]}"
    return name


def _word(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title).strip("-")
