"""One picture of the screen: encoded as the phone gave it, or raw pixels that are packed only where somebody wants a file."""

from __future__ import annotations

import hashlib
import io
import struct
import weakref
import zlib
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

# Decoded pictures have megabytes: only the last ones are held, the others are decoded again when they are asked for.
_held: deque[Image] = deque(maxlen=6)


@dataclass(frozen=True)
class Pixels:
    """Rows of raw pixels without gaps; `mode` is Pillow's name of their layout, for example `RGBX`."""

    data: bytes = field(repr=False)
    mode: str


class Screenshot:
    """One picture of the whole screen; `width` and `height` in pixels, from the picture itself.

    Args:
        data: the encoded bytes; None where `pixels` are given, which are packed as PNG when `data` is first asked for.
        media_type: of `data`.
        width, height: in pixels.
        pixels: the picture unpacked.
    """

    def __init__(self, data: bytes | None, media_type: str, width: int, height: int, *, pixels: Pixels | None = None) -> None:
        if data is None and pixels is None:
            raise ValueError("a picture needs its bytes or its pixels")
        self.media_type = media_type
        self.width = width
        self.height = height
        self._data = data
        self._pixels = None if data is not None else pixels
        self._image: weakref.ref[Image] | None = None

    @classmethod
    def of_pixels(cls, pixels: Pixels, width: int, height: int) -> Screenshot:
        return cls(None, "image/png", width, height, pixels=pixels)

    @property
    def data(self) -> bytes:
        """The encoded bytes."""
        if self._data is None:
            self._data = _png(self.image)
            self._pixels = None  # ten megabytes, which the packed picture makes unnecessary
        return self._data

    @property
    def is_packed(self) -> bool:
        """Whether `data` is at hand."""
        return self._data is not None

    @cached_property
    def digest(self) -> str:
        """sha256 of the encoded bytes, hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def image(self) -> Image:
        """The decoded picture (RGB). It is shared: do not draw on it."""
        image = self._image() if self._image is not None else None
        if image is None:
            image = self._decode()
            self._image = weakref.ref(image)
            _held.append(image)
        return image

    def grey(self) -> Image:
        """The picture in grey; not kept, as most frames are compared and never looked at."""
        from PIL import Image as pil

        if self._pixels is not None:
            return self._decode().convert("L")
        with pil.open(io.BytesIO(self.data)) as opened:
            return opened.convert("L")

    def same_bytes(self, other: Screenshot) -> bool:
        """Whether both came from the phone with the same bytes; nothing is packed for it."""
        mine, theirs = self._pixels, other._pixels
        if mine is not None and theirs is not None:
            return (self.width, self.height) == (other.width, other.height) and mine == theirs
        return self._data is not None and self._data == other._data

    def _decode(self) -> Image:
        from PIL import Image as pil

        pixels = self._pixels
        if pixels is not None:
            return pil.frombytes("RGB", (self.width, self.height), pixels.data, "raw", pixels.mode)
        with pil.open(io.BytesIO(self._data or b"")) as opened:
            return opened.convert("RGB")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Screenshot):
            return NotImplemented
        mine, theirs = (self.media_type, self.width, self.height), (other.media_type, other.width, other.height)
        return mine == theirs and (self.same_bytes(other) or self.data == other.data)

    def __hash__(self) -> int:
        return hash((self.media_type, self.width, self.height))

    def __repr__(self) -> str:
        return f"Screenshot(media_type={self.media_type!r}, width={self.width}, height={self.height})"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_image": None}


def _png(image: Image) -> bytes:
    """Packs a picture as PNG without a search for row filters, which screens do not need: half the time of Pillow's."""
    width, height = image.size
    rows, row = memoryview(image.tobytes()), width * 3
    packed = zlib.compress(b"".join(part for y in range(height) for part in (b"\0", rows[y * row : (y + 1) * row])), 1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
