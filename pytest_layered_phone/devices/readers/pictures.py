"""What `screencap` writes: a whole PNG or raw pixels found among other text, or a named error."""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.errors import DeviceError, ScreenshotError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CRLF_SIGNATURES = (b"\x89PNG\r\r\n\x1a\r\n", b"\x89PNG\r\r\r\n\x1a\r\r\n")
_MOST_RAW = 512 * 1024 * 1024
_MULTIPLE = b"Multiple displays were found"
_CUT = "The connection to the phone broke off; try again."
_LINE = re.compile(rb"\s*(?:\[Warning\]|[\x20-\x7e]*(?:display|SurfaceFlinger|screencap))[^\n]*\n")
_FORMATS = {1: ("RGBA_8888", 4), 2: ("RGBX_8888", 4), 3: ("RGB_888", 3), 4: ("RGB_565", 2), 5: ("BGRA_8888", 4)}


@dataclass(frozen=True)
class Picture:
    """A picture as the phone gave it.

    Attributes:
        data: the PNG alone, or the pixels alone.
        offset: where it began in the output.
        pixel: empty for a PNG, else the layout of the pixels.
        warn: `multiple_displays` where the phone says that it chose a display itself.
    """

    data: bytes
    width: int
    height: int
    offset: int = 0
    pixel: str = ""
    warn: str = ""


def read_png(data: bytes) -> Picture:
    """The PNG in the output of `screencap -p`, checked chunk by chunk.

    Raises:
        ScreenshotError: SCREENSHOT_CUT, SCREENSHOT_DAMAGED, SCREEN_SECURE, or SCREENSHOT_FAILED with what the phone said.
        DeviceError: adb's own words stand in the picture's place.
    """
    offset = data.find(SIGNATURE)
    if offset < 0:
        for damaged in _CRLF_SIGNATURES:
            if (offset := data.find(damaged)) >= 0:
                # A terminal between us made \r\n of every \n (Android 6 and older); it can be undone.
                bad = damaged[4:-1].split(b"\x1a")[0][1:]
                restored = read_png(data[offset:].replace(bad, b"\n"))
                return Picture(restored.data, restored.width, restored.height, offset, "", _warning(data[:offset]))
        raise _said_instead(data)
    width, height, end = _check_chunks(data, offset)
    return Picture(data[offset:end], width, height, offset, "", _warning(data[:offset]))


def _check_chunks(data: bytes, offset: int) -> tuple[int, int, int]:
    position = offset + len(SIGNATURE)
    width = height = 0
    view = memoryview(data)
    while True:
        if position + 12 > len(data):
            raise ScreenshotError(
                f"the picture is cut off after {len(data) - offset} bytes", code="SCREENSHOT_CUT", suggestion=_CUT
            )
        length, kind = struct.unpack_from(">I4s", data, position)
        after = position + 12 + length
        if after > len(data):
            raise ScreenshotError(
                f"the picture is cut off after {len(data) - offset} bytes", code="SCREENSHOT_CUT", suggestion=_CUT
            )
        (crc,) = struct.unpack_from(">I", data, after - 4)
        if zlib.crc32(view[position + 4 : after - 4]) != crc:
            raise ScreenshotError(
                f"the picture is damaged: chunk {kind!r} fails its checksum", code="SCREENSHOT_DAMAGED",
                suggestion="Try again; if it stays, look at cable or network.",
            )  # fmt: skip
        if kind == b"IHDR" and length >= 8:
            width, height = struct.unpack_from(">II", data, position + 8)
        elif kind == b"IEND":
            if not width or not height:
                raise ScreenshotError("the picture has no size", code="SCREENSHOT_DAMAGED")
            return width, height, after
        position = after


def read_raw(data: bytes) -> Picture:
    """The pixels in the output of `screencap` without -p: a header of 12 (old) or 16 bytes, told apart by the length.

    Raises:
        ScreenshotError: no header fits the length.
    """
    text = _skip_text(data)
    blank = len(data[text : text + 16]) - len(data[text : text + 16].lstrip())
    # Behind the words a blank line may follow; but a width such as 800 begins with a blank, too.
    for offset in range(text, text + blank + 1):
        if picture := _pixels_at(data, offset):
            return picture
    for offset in range(text, text + blank + 1):
        whole = _size_at(data, offset)
        if whole and len(data) - offset < 16 + whole[3]:
            raise ScreenshotError(
                f"the raw picture is cut off: {len(data) - offset} of {whole[3] + 16} bytes", code="SCREENSHOT_CUT",
                suggestion=_CUT,
            )  # fmt: skip
    raise _said_instead(data)


def _size_at(data: bytes, offset: int) -> tuple[int, int, int, int] | None:
    """Width, height, format and bytes of pixels in the header that stands there; None where none does."""
    if len(data) - offset < 12:
        return None
    width, height, form = struct.unpack_from("<III", data, offset)
    if form not in _FORMATS or not (0 < width <= 32768 and 0 < height <= 32768):
        return None
    return width, height, form, width * height * _FORMATS[form][1]


def _pixels_at(data: bytes, offset: int) -> Picture | None:
    """The whole picture that begins there; None where its length does not fit."""
    told = _size_at(data, offset)
    if told is None:
        return None
    width, height, form, pixels = told
    pixel, size = _FORMATS[form]
    # Four bytes short a new header looks like an old one; its colour space would be a pixel that nobody sees.
    space = data[offset + 12 : offset + 16] if size == 4 else b""
    for header in (16, 12) if space not in (b"\1\0\0\0", b"\2\0\0\0") else (16,):
        if len(data) - offset - header == pixels:
            return Picture(data[offset + header :], width, height, offset, pixel, _warning(data[:offset]))
    return None


_JPEG, _JPEG_END, _GZIP = b"\xff\xd8\xff", b"\xff\xd9", b"\x1f\x8b\x08"


def read_jpeg(data: bytes) -> Picture:
    """The JPEG in the output of `screencap -j`; sizes are in its header.

    Raises:
        ScreenshotError: SCREENSHOT_CUT, SCREENSHOT_DAMAGED, or what the phone said instead.
    """
    offset = data.find(_JPEG)
    if offset < 0:
        raise _said_instead(data)
    end = data.rfind(_JPEG_END)
    if end < offset:
        raise ScreenshotError(
            f"the picture is cut off after {len(data) - offset} bytes", code="SCREENSHOT_CUT", suggestion=_CUT
        )
    width, height = _jpeg_size(data, offset)
    return Picture(data[offset : end + 2], width, height, offset, "", _warning(data[:offset]))


def _jpeg_size(data: bytes, offset: int) -> tuple[int, int]:
    position = offset + 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        kind, length = data[position + 1], int.from_bytes(data[position + 2 : position + 4], "big")
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, position + 5)
            if width and height:
                return width, height
            break
        position += 2 + length
    raise ScreenshotError("the picture has no size", code="SCREENSHOT_DAMAGED", suggestion="Try again.")


def read_gzipped_raw(data: bytes) -> Picture:
    """The pixels in the output of `screencap | gzip`. What the phone says besides stands before the packed part.

    Raises:
        ScreenshotError: as `read_raw`; SCREENSHOT_DAMAGED where its checksum fails.
    """
    offset = data.find(_GZIP)
    if offset < 0:
        raise _said_instead(data)
    unpack = zlib.decompressobj(31)
    try:
        pixels = unpack.decompress(data[offset:], _MOST_RAW)
    except zlib.error as error:
        raise ScreenshotError(
            f"the packed picture is damaged: {error}", code="SCREENSHOT_DAMAGED", suggestion="Try again."
        ) from error
    if not unpack.eof:
        raise ScreenshotError(
            f"the packed picture is cut off after {len(data) - offset} bytes", code="SCREENSHOT_CUT", suggestion=_CUT
        )
    picture = read_raw(data[:offset] + pixels)
    return Picture(picture.data, picture.width, picture.height, offset, picture.pixel, _warning(data[:offset]))


def _skip_text(data: bytes) -> int:
    """Raw pixels have no signature: known lines before them are cut."""
    offset = 0
    while found := _LINE.match(data, offset):
        offset = found.end()
    return offset


def read_framebuffer_header(data: bytes) -> tuple[int, int, int]:
    """Width, height and bits per pixel of adb's `framebuffer:` header, with or without its version word."""
    # Version 1: version, bpp, size, width, height; version 2 has a colour space before the size; the oldest no version word.
    for skip, gap in ((4, 0), (4, 4), (0, 0)):
        if len(data) < skip + gap + 16 or (skip and struct.unpack_from("<I", data)[0] not in (1, 2)):
            continue
        (bits,) = struct.unpack_from("<I", data, skip)
        size, width, height = struct.unpack_from("<III", data, skip + 4 + gap)
        if bits in (16, 24, 32) and width and height and size == width * height * bits // 8:
            return width, height, bits
    raise ScreenshotError("the header of the framebuffer cannot be read", code="SCREENSHOT_DAMAGED")


def _warning(before: bytes) -> str:
    return "multiple_displays" if _MULTIPLE in before else ""


def _said_instead(data: bytes) -> DeviceError:
    text = data[:2000].decode("utf-8", "replace").strip()
    if re.search(r"secure (?:window|layer|flag|content)|FLAG_SECURE", text, re.IGNORECASE):
        return secure_screen(text)
    if text and re.search(r"error: |device offline|unauthorized", text):
        refused = adb_error(text, command="screencap")
        if refused.code != "ADB_ERROR":
            return refused
    if not text:
        return ScreenshotError("the phone gave no picture and no word why", code="SCREENSHOT_CUT", suggestion=_CUT)
    readable = all(character.isprintable() or character.isspace() for character in text)
    came = repr(text[:200]) if readable else f"{len(data)} bytes that are none"
    return ScreenshotError(
        f"the phone gave no picture but {came}",
        code="SCREENSHOT_FAILED" if readable else "SCREENSHOT_DAMAGED",
        suggestion="Look whether `adb exec-out screencap -p` works on this phone.",
    )


def secure_screen(said: str) -> ScreenshotError:
    """The error for a window whose app forbids pictures of it."""
    return ScreenshotError(
        f"the app forbids pictures of this screen (secure window): {said[:200]}",
        code="SCREEN_SECURE",
        retryable=False,
        suggestion="Use a build of the app without FLAG_SECURE, or leave this screen out of the test.",
    )
