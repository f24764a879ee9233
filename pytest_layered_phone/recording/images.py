"""Pictures of cassettes: WebP files named after their own content, each stored once per directory."""

from __future__ import annotations

import contextlib
import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_layered_phone.devices.types import Bounds, Screenshot
from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording.files import read_regular, write_atomically

if TYPE_CHECKING:
    from PIL.Image import Image

QUALITY = 80
METHOD = 2
"""Effort of the encoder: at 4 it takes twice as long for files that are a few percent smaller."""
CROP_MARGIN = 8
"""Pixels that a crop shows around its element."""
MOST_BYTES = 16 * 1024 * 1024
DIGITS = 32
MEDIA_TYPE = "image/webp"


class ImageStore:
    """The pictures of one directory. Reading checks that each file still is what its name says."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, picture: Screenshot) -> Screenshot:
        """Stores a picture and hands it back as it will be read again. Two processes may store the same picture at once.

        Raises:
            CassetteError: `CASSETTE_WRITE`: it cannot be written.
        """
        data = picture.data if picture.media_type == MEDIA_TYPE else encoded(picture.image)
        path = self._path(name_of(data))
        with contextlib.suppress(OSError):
            if read_regular(path, MOST_BYTES) == data:
                return Screenshot(data, MEDIA_TYPE, picture.width, picture.height)
        write_atomically(path, data, durable=False)  # a file of that name with other bytes is a torn one: it is replaced
        return Screenshot(data, MEDIA_TYPE, picture.width, picture.height)

    def get(self, name: str, width: int, height: int) -> Screenshot:
        """Reads a picture.

        Raises:
            CassetteError: `CASSETTE_PICTURE`: the file is missing, or is not what was recorded.
        """
        path = self._path(name)
        try:
            data = read_regular(path, MOST_BYTES + 1)
        except OSError as error:
            raise _unusable(path, f"cannot be read ({error.strerror or error})") from None
        if data.startswith(b"version https://git-lfs"):
            raise _unusable(path, "is only a Git LFS pointer", "Fetch the pictures: git lfs pull.")
        if name_of(data) != name:
            raise _unusable(path, "is not the picture that was recorded: its content does not fit its name")
        if webp_size(data) != (width, height):
            raise _unusable(path, f"is no WebP picture of {width}x{height} pixels")
        return Screenshot(data, MEDIA_TYPE, width, height)

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.webp"


def name_of(data: bytes) -> str:
    """The name of a picture file without its suffix."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def encoded(image: Image) -> bytes:
    """A picture as lossy WebP of full size."""
    file = io.BytesIO()
    image.save(file, "WEBP", quality=QUALITY, method=METHOD)
    return file.getvalue()


def crop_of(picture: Screenshot, bounds: Bounds) -> Screenshot | None:
    """The part of a picture that shows an element, with a small margin; None where it lies outside."""
    box = (
        max(0, bounds.left - CROP_MARGIN),
        max(0, bounds.top - CROP_MARGIN),
        min(picture.width, bounds.right + CROP_MARGIN),
        min(picture.height, bounds.bottom + CROP_MARGIN),
    )
    if box[0] >= box[2] or box[1] >= box[3]:
        return None
    return Screenshot(encoded(picture.image.crop(box)), MEDIA_TYPE, box[2] - box[0], box[3] - box[1])


def webp_size(data: bytes) -> tuple[int, int] | None:
    """Width and height that a WebP file's own header states, None where it is none; nothing is decoded."""
    if len(data) < 30 or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    if data[12:16] == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if data[12:16] == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


def _unusable(path: Path, why: str, suggestion: str = "") -> CassetteError:
    return CassetteError(
        f"the picture {path.parent.name}/{path.name} of a cassette {why}",
        code="CASSETTE_PICTURE",
        suggestion=suggestion or "Restore it from version control, or record the test again: pytest --phone-mode=record.",
    )
