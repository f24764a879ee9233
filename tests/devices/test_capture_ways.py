"""The ways to take a picture: all show the same, each failure is named, and the quickest is measured once."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PIL import Image, ImageChops

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.capture import Camera
from pytest_layered_phone.devices.capture_memory import CaptureMemory, default_directory
from pytest_layered_phone.devices.capture_ways import WAYS, measure, quickest
from pytest_layered_phone.devices.displays import Displays
from pytest_layered_phone.devices.frames import Frame, same
from pytest_layered_phone.devices.readers.pictures import read_gzipped_raw, read_jpeg, read_raw
from pytest_layered_phone.devices.screenshot import Pixels, Screenshot
from pytest_layered_phone.errors import DeviceError, ScreenshotError
from tests.devices.conftest import Bed


def coloured(size: tuple[int, int] = (40, 90)) -> Image.Image:
    picture = Image.new("RGB", size, "#203040")
    picture.paste((250, 90, 10), (5, 20, 30, 70))
    return picture


def raw_of(picture: Image.Image) -> bytes:
    return struct.pack("<4I", *picture.size, 1, 1) + picture.convert("RGBA").tobytes()


def encoded(picture: Image.Image, form: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, form)
    return out.getvalue()


# -- pictures ----------------------------------------------------------------------------------------------------------------


def test_raw_pixels_are_packed_without_loss_when_they_are_asked_for() -> None:
    picture = coloured()
    shot = Screenshot.of_pixels(Pixels(picture.convert("RGBA").tobytes(), "RGBX"), *picture.size)
    assert not shot.is_packed
    assert ImageChops.difference(shot.image, picture).getbbox() is None
    assert shot.grey().tobytes() == picture.convert("L").tobytes()
    assert not shot.is_packed  # comparing and looking pack nothing
    with Image.open(io.BytesIO(shot.data)) as opened:
        assert opened.format == "PNG"
        assert opened.size == (shot.width, shot.height)
        assert ImageChops.difference(opened.convert("RGB"), picture).getbbox() is None
    assert shot.is_packed
    assert shot.media_type == "image/png"


@pytest.mark.parametrize(
    ("layout", "pixel"),
    [("RGB", bytes((248, 0, 16))), ("BGRX", bytes((16, 0, 248, 255))), ("BGR;16", struct.pack("<H", 31 << 11 | 2))],
)
def test_other_layouts_of_pixels_keep_their_colours(layout: str, pixel: bytes) -> None:
    found = Screenshot.of_pixels(Pixels(pixel * 48, layout), 8, 6).image.getpixel((3, 3))
    assert isinstance(found, tuple)
    red, green, blue = found
    assert red >= 248
    assert green == 0
    assert blue == 16


def test_equal_pictures_are_equal_packed_or_not() -> None:
    data = coloured().convert("RGBA").tobytes()
    first, second, other = (
        Screenshot.of_pixels(Pixels(pixels, "RGBX"), 40, 90) for pixels in (data, data, data[:-4] + b"\1\2\3\xff")
    )
    assert first == second
    assert not first.is_packed
    assert first != other
    packed = Screenshot(second.data, "image/png", 40, 90)
    assert packed == first
    assert hash(packed) == hash(first)
    assert packed.digest == first.digest
    assert packed != Screenshot(second.data, "image/jpeg", 40, 90)
    assert first != "a picture"
    copy = pickle.loads(pickle.dumps(first))
    assert copy == first


def test_a_picture_that_is_packed_by_several_threads_is_one() -> None:
    picture = coloured((400, 900))
    shot = Screenshot.of_pixels(Pixels(picture.convert("RGBA").tobytes(), "RGBX"), *picture.size)
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append((shot.digest, shot.image.size, shot.grey().size))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [seen[0]] * 8


def test_a_picture_without_bytes_and_pixels_is_none() -> None:
    with pytest.raises(ValueError, match="pixels"):
        Screenshot(None, "image/png", 1, 1)


# -- reading -----------------------------------------------------------------------------------------------------------------


def test_a_packed_raw_picture_is_checked_to_its_last_byte() -> None:
    raw = raw_of(coloured())
    packed = gzip.compress(raw, 1)
    picture = read_gzipped_raw(b"[Warning] Multiple displays were found, but no display id was specified!\n" + packed)
    assert (picture.width, picture.height, picture.data, picture.warn) == (40, 90, raw[16:], "multiple_displays")
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    for data, code in (
        (packed[:-9], "SCREENSHOT_CUT"),
        (bytes(damaged), "SCREENSHOT_DAMAGED"),
        (gzip.compress(raw[:-5]), "SCREENSHOT_CUT"),
        (gzip.compress(b""), "SCREENSHOT_CUT"),
        (b"sh: gzip: inaccessible or not found\n", "SCREENSHOT_FAILED"),
        (b"", "SCREENSHOT_CUT"),
    ):
        with pytest.raises(ScreenshotError) as caught:
            read_gzipped_raw(data)
        assert caught.value.code == code, data[:40]


def test_a_jpeg_has_its_size_from_its_own_header_and_its_end() -> None:
    data = encoded(coloured(), "JPEG")
    picture = read_jpeg(b"some words before\n" + data + b"\n")
    assert (picture.data, picture.width, picture.height) == (data, 40, 90)
    for broken, code in (
        (data[: len(data) // 2], "SCREENSHOT_CUT"),
        (b"usage: screencap [-ahp]\n", "SCREENSHOT_FAILED"),
        (b"\xff\xd8\xff\xd9", "SCREENSHOT_DAMAGED"),
    ):
        with pytest.raises(ScreenshotError) as caught:
            read_jpeg(broken)
        assert caught.value.code == code
    with pytest.raises(ScreenshotError):
        read_raw(data)


# -- choosing ----------------------------------------------------------------------------------------------------------------


def test_png_stays_unless_another_way_saves_something() -> None:
    assert quickest({}) == "png"
    assert quickest({"png": 100.0, "raw": 90.0}) == "png"
    assert quickest({"png": 100.0, "raw": 50.0, "gzip": 70.0}) == "raw"
    assert quickest({"raw": 500.0, "gzip": 70.0}) == "gzip"
    assert quickest({"jpeg": 1.0, "png": 400.0}) == "png"  # it loses detail: never chosen


def test_a_way_that_a_phone_lacks_is_out_and_gzip_is_tried_far_away_only() -> None:
    asked: list[str] = []

    def take(way: str) -> Frame:
        asked.append(way)
        if way == "raw":
            raise ScreenshotError("no")
        return Frame(Screenshot(encoded(coloured(), "PNG"), "image/png", 40, 90), 0.0)

    assert set(measure(take, far=True)) == {"png", "gzip"}
    assert asked == ["png", "png", "raw", "gzip", "gzip"]
    asked.clear()
    working = measure(lambda way: take("png"), far=False)
    assert set(working) == {"png", "raw"}


def test_what_was_measured_is_kept_and_a_damaged_file_costs_nothing(tmp_path: Path) -> None:
    memory = CaptureMemory(tmp_path / "cache")
    memory.note("Phone X, cable", {"png": 450.0, "raw": 90.25})
    memory.note("手机, network", {"png": 10.0})
    again = CaptureMemory(tmp_path / "cache")
    assert again.costs("Phone X, cable") == {"png": 450.0, "raw": 90.25}
    assert again.costs("手机, network") == {"png": 10.0}
    (file,) = (tmp_path / "cache").iterdir()
    for damage in ("", "{", "[]", '{"phones": 3}', '{"phones": {"Phone X, cable": ["png"]}}', '{"phones": {"x": {"png": -1}}}',
                   '{"phones": {"Phone X, cable": {"png": "fast"}}}', "[" * 5000, "\0" * 300_000):  # fmt: skip
        file.write_text(damage)
        assert CaptureMemory(tmp_path / "cache").costs("Phone X, cable") == {}
        CaptureMemory(tmp_path / "cache").note("Phone X, cable", {"raw": 1.0})
        assert CaptureMemory(tmp_path / "cache").costs("Phone X, cable") == {"raw": 1.0}
    file.write_bytes(b"\xff\xfe\xff")
    assert CaptureMemory(tmp_path / "cache").costs("Phone X, cable") == {}
    for number in range(250):
        memory.note(f"phone {number}", {"png": 1.0})
    assert len(json.loads(file.read_text())["phones"]) == 200
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [file.name]


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    memory = CaptureMemory(blocked / "cache")
    memory.note("a phone", {"png": 1.0})
    assert memory.costs("a phone") == {"png": 1.0}
    assert default_directory({"XDG_CACHE_HOME": "/somewhere"}) == Path("/somewhere/layered-phone")


# -- on a phone --------------------------------------------------------------------------------------------------------------


def test_all_ways_show_the_same_screen(bed: Bed) -> None:
    frames = {}
    for way in WAYS:
        device = bed.open(replace(bed.settings, capture=way))
        frames[way] = Frame(device.screenshot(), 0.0)
        assert device.observe().still
    for way, frame in frames.items():
        assert same(frames["png"], frame), way
        assert frame.shot.media_type == ("image/jpeg" if way == "jpeg" else "image/png")
    exact = frames["png"].shot.image
    for way in ("raw", "gzip"):
        assert ImageChops.difference(exact, frames[way].shot.image).getbbox() is None


def test_a_black_picture_is_explained_whatever_the_way(bed: Bed) -> None:
    bed.fault("secure")
    for way in WAYS:
        with pytest.raises(ScreenshotError, match="SCREEN_SECURE"):
            bed.open(replace(bed.settings, capture=way)).screenshot()


def test_a_cut_picture_is_named_whatever_the_way(bed: Bed) -> None:
    bed.fault("screencap_cut", fraction=0.6)
    for way in ("png", "raw", "jpeg"):
        with pytest.raises(ScreenshotError, match="SCREENSHOT_CUT"):
            bed.open(replace(bed.settings, capture=way)).screenshot()


def test_where_the_phone_has_no_jpeg_it_is_png_from_then_on(bed: Bed) -> None:
    bed.fault("screencap_no_jpeg")
    device = bed.open(replace(bed.settings, capture="jpeg"))
    assert [device.screenshot().media_type for _ in range(2)] == ["image/png", "image/png"]


def test_the_quickest_way_is_measured_once_for_a_model(bed: Bed, tmp_path: Path) -> None:
    memory = CaptureMemory(tmp_path)
    first = bed.open(replace(bed.settings, capture="auto"), memory=memory)
    assert first.screenshot().width == 1080
    kept = json.loads((tmp_path / "captures.json").read_text())["phones"]
    (phone,) = kept
    assert phone.startswith("Virtual Phone Android ")
    assert set(kept[phone]) >= {"png", "raw"}
    memory.note(phone, {"png": 900.0, "raw": 1.0})
    second: AdbDevice = bed.open(replace(bed.settings, capture="auto"), memory=CaptureMemory(tmp_path))
    seen = second.observe()
    assert seen.still
    assert seen.screenshot.media_type == "image/png"
    assert json.loads((tmp_path / "captures.json").read_text())["phones"][phone] == {"png": 900.0, "raw": 1.0}


class Unpacked:
    """A phone whose model could pack pictures once, and which has no gzip any more."""

    serial = "a phone"

    def __init__(self) -> None:
        self.commands: list[str] = []

    def looking(self, look: Callable[[], object]) -> object:
        return look()

    def exec_out(self, command: str) -> bytes:
        self.commands.append(command)
        return b"sh: gzip: inaccessible or not found\n" if "gzip" in command else encoded(coloured(), "PNG")

    class server:
        host = "127.0.0.1"


def test_a_remembered_way_that_is_gone_is_tried_once() -> None:
    phone, memory = Unpacked(), CaptureMemory()
    memory.note("X, cable", {"png": 900.0, "gzip": 1.0})
    transport = cast(AdbTransport, phone)
    camera = Camera(transport, Displays(transport), memory=memory, model=lambda: "X")
    assert [camera.take().shot.media_type for _ in range(3)] == ["image/png"] * 3
    assert phone.commands == ["screencap | gzip -1", *["screencap -p"] * 3]


def test_a_way_that_does_not_exist_is_refused(bed: Bed) -> None:
    with pytest.raises(DeviceError, match="bmp"):
        bed.open(replace(bed.settings, capture="bmp"))
