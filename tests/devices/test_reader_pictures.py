"""Pictures out of what `screencap` writes; a damaged one is never taken for a picture."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image

from pytest_layered_phone.devices.readers.pictures import read_framebuffer_header, read_png, read_raw
from pytest_layered_phone.errors import DeviceError, ScreenshotError

WARNING = b"[Warning] Multiple displays were found, but no display id was specified! Taking the first.\nMore text.\n"


def _png(size: tuple[int, int] = (30, 20)) -> bytes:
    held = io.BytesIO()
    image = Image.effect_noise(size, 90).convert("RGB")
    image.save(held, "PNG")
    return held.getvalue()


def test_text_around_the_picture_is_passed_over() -> None:
    png = _png()
    picture = read_png(WARNING + png + b"trailing")
    assert (picture.data, picture.width, picture.height) == (png, 30, 20)
    assert (picture.offset, picture.warn) == (len(WARNING), "multiple_displays")


def test_line_ends_that_a_terminal_changed_are_put_right() -> None:
    png = _png()
    assert read_png(png.replace(b"\n", b"\r\n")).data == png
    assert read_png(png.replace(b"\n", b"\r\r\n")).data == png


def test_a_picture_cut_anywhere_is_refused() -> None:
    png = _png((9, 7))
    for length in range(len(png)):
        with pytest.raises(ScreenshotError) as caught:
            read_png(png[:length])
        assert caught.value.retryable


def test_a_flipped_bit_is_refused() -> None:
    png = bytearray(_png())
    png[len(png) // 2] ^= 4
    with pytest.raises(ScreenshotError) as caught:
        read_png(bytes(png))
    assert caught.value.code in ("SCREENSHOT_DAMAGED", "SCREENSHOT_CUT")


@pytest.mark.parametrize(
    ("said", "code", "retryable"),
    [
        (b"", "SCREENSHOT_CUT", True),
        (b"error: closed\n", "DEVICE_LOST", True),
        (b"error: device offline\n", "DEVICE_OFFLINE", True),
        (b"error: device unauthorized.\n", "DEVICE_UNAUTHORIZED", False),
        (b"Capturing failed.\n", "SCREENSHOT_FAILED", True),
        (b"screenshot of a secure window is forbidden\n", "SCREEN_SECURE", False),
        (bytes(range(256)) * 9, "SCREENSHOT_DAMAGED", True),
    ],
)
def test_words_in_the_place_of_a_picture(said: bytes, code: str, retryable: bool) -> None:
    with pytest.raises(DeviceError) as caught:
        read_png(said)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


@pytest.mark.parametrize("before", [b"", WARNING.split(b"\n")[0] + b"\n"])
@pytest.mark.parametrize(
    ("header", "size", "pixel"),
    [(struct.pack("<4I", 5, 3, 1, 1), 60, "RGBA_8888"), (struct.pack("<3I", 5, 3, 1), 60, "RGBA_8888"),
     (struct.pack("<3I", 5, 3, 4), 30, "RGB_565")],
)  # fmt: skip
def test_raw_pixels(before: bytes, header: bytes, size: int, pixel: str) -> None:
    picture = read_raw(before + header + bytes(size))
    assert (picture.width, picture.height, picture.pixel, len(picture.data)) == (5, 3, pixel, size)
    with pytest.raises(ScreenshotError):
        read_raw(before + header + bytes(size - 1))


def test_framebuffer_headers() -> None:
    old = struct.pack("<5I", 1, 32, 5 * 3 * 4, 5, 3) + bytes(32)
    new = struct.pack("<6I", 2, 32, 0, 5 * 3 * 4, 5, 3) + bytes(32)
    assert read_framebuffer_header(old) == read_framebuffer_header(new) == (5, 3, 32)
    with pytest.raises(ScreenshotError):
        read_framebuffer_header(b"no header at all, by no means")


@pytest.mark.parametrize("between", [b"", b"\n", b"\r\n"], ids=["none", "lf", "crlf"])
@pytest.mark.parametrize("width", [800, 1290, 1293, 0x2020, 40])
def test_a_width_that_reads_like_a_blank_behind_words(width: int, between: bytes) -> None:
    words = b"[Warning] Multiple displays were found.\n" + between + b"A display id can be given with -d.\n" + between
    raw = struct.pack("<4I", width, 3, 1, 1) + b"\x10\x20\x30\xff" * (width * 3)
    picture = read_raw(words + raw)
    assert (picture.width, picture.height, picture.data, picture.warn) == (width, 3, raw[16:], "multiple_displays")
    with pytest.raises(ScreenshotError) as caught:
        read_raw(words + raw[:-40])
    assert caught.value.code == "SCREENSHOT_CUT"
