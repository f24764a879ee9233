"""The ways to get one picture over one stream, and which of them is the quickest here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_layered_phone.devices.frames import Frame
from pytest_layered_phone.devices.readers.pictures import Picture, read_gzipped_raw, read_jpeg, read_png, read_raw
from pytest_layered_phone.devices.screenshot import Pixels, Screenshot
from pytest_layered_phone.errors import ScreenshotError

_MODES = {"RGBA_8888": "RGBX", "RGBX_8888": "RGBX", "RGB_888": "RGB", "RGB_565": "BGR;16", "BGRA_8888": "BGRX"}
_SLOW_MS = 250.0
_TRIES = 2
_WORTH = 0.8


@dataclass(frozen=True)
class Way:
    """One way: what stands behind `screencap`, and how its output is read."""

    name: str
    options: str
    read: Callable[[bytes], Picture]
    media_type: str = ""

    def command(self, panel: str) -> str:
        """The command for a panel, or for the only one where it is empty."""
        return f"screencap{f' -d {panel}' if panel else ''}{self.options}"

    def shot(self, data: bytes) -> tuple[Screenshot, Picture]:
        """The picture in what the phone wrote, checked."""
        picture = self.read(data)
        if self.media_type:
            return Screenshot(picture.data, self.media_type, picture.width, picture.height), picture
        pixels = Pixels(picture.data, _MODES[picture.pixel])
        return Screenshot.of_pixels(pixels, picture.width, picture.height), picture


WAYS: Mapping[str, Way] = {
    way.name: way
    for way in (
        Way("png", " -p", read_png, "image/png"),
        Way("raw", "", read_raw),
        Way("gzip", " | gzip -1", read_gzipped_raw),
        Way("jpeg", " -j", read_jpeg, "image/jpeg"),
    )
}


def measure(take: Callable[[str], Frame], *, far: bool) -> dict[str, float]:
    """Milliseconds of each way that works, the best of two tries; empty where none does.

    What the harness does with a picture counts too: it is unpacked to be compared, and packed where it came raw. JPEG is not
    among them: it loses detail that evidence, comparisons and reading of text need.

    Args:
        take: takes a frame one way.
        far: whether the link may be slow, as over a network.
    """
    costs: dict[str, float] = {}
    for name in ("png", "raw"):
        _measure(take, name, costs)
    if far or costs.get("raw", _SLOW_MS) >= _SLOW_MS:
        _measure(take, "gzip", costs)
    return costs


def _measure(take: Callable[[str], Frame], name: str, costs: dict[str, float]) -> None:
    for _ in range(_TRIES):
        began = time.perf_counter()
        try:
            frame = take(name)
            frame.cells.load()
            _ = frame.shot.data
        except ScreenshotError:  # this phone cannot, or not now
            costs.pop(name, None)
            return
        spent = (time.perf_counter() - began) * 1000
        costs[name] = min(spent, costs.get(name, spent))


def quickest(costs: Mapping[str, float], among: Sequence[str] = ("png", "raw", "gzip")) -> str:
    """The way with the least cost; PNG where nothing is known, or where the others save next to nothing."""
    known = {name: cost for name, cost in costs.items() if name in among}
    best = min(known, key=lambda name: known[name], default="png")
    return "png" if "png" in known and known[best] > known["png"] * _WORTH else best
