"""What an APK file on the host says of itself: a zip with a manifest in Android's binary XML. The file is untrusted input."""

from __future__ import annotations

import os
import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path

from pytest_layered_phone.errors import AppError

_MANIFEST = "AndroidManifest.xml"
_LARGEST = 16_000_000
_XML, _STRINGS, _IDS, _ELEMENT = 0x0003, 0x0001, 0x0180, 0x0102
_STRING, _WHOLE = 0x03, (0x10, 0x11)
_VERSION_CODE = 0x0101021B
"""Packers rename attributes; the number of the resource stays what it is."""


@dataclass(frozen=True)
class ApkFile:
    """An APK. `split` is the name of a split, empty for a base; `version_code` is None where the manifest does not tell it."""

    path: Path
    package: str
    split: str = ""
    version_code: int | None = None


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file that can be an APK.

    Raises:
        AppError: APK_MISSING, or APK_UNREADABLE for a directory, an empty file, or a bundle of several APKs.
    """
    path = Path(path)
    if path.is_dir():
        raise AppError(f"{path} is a directory", code="APK_UNREADABLE", suggestion="Name the .apk file.")
    try:
        with path.open("rb"):
            size = path.stat().st_size
    except OSError as error:
        raise AppError(
            f"{path.absolute()} cannot be read ({error.strerror})",
            code="APK_MISSING",
            suggestion="Build the app, or correct the path.",
        ) from None
    if not size:
        raise AppError(f"{path} is empty", code="APK_UNREADABLE", suggestion="Build the app again.")
    if path.suffix.lower() in (".apks", ".xapk", ".apkm", ".aab"):
        raise AppError(
            f"{path.name} is a bundle, which no phone installs", code="APK_UNREADABLE",
            suggestion="Unpack it, or have bundletool build APKs of it, and name the .apk files.",
        )  # fmt: skip
    return path


def read_apk(path: Path) -> ApkFile | None:
    """What the manifest says; None where it cannot be read: then the phone is asked, and names the reason."""
    try:
        with zipfile.ZipFile(path) as packed:
            entry = packed.getinfo(_MANIFEST)
            if entry.file_size > _LARGEST:
                return None
            attributes = read_manifest(packed.read(entry))
    except Exception:  # whatever is wrong with the file, the phone has the better words for it
        return None
    package = attributes.get("package")
    if not isinstance(package, str) or not package:
        return None
    code = attributes.get("versionCode")
    split = attributes.get("split", "")
    return ApkFile(path, package, split if isinstance(split, str) else "", code if isinstance(code, int) else None)


def read_manifest(data: bytes) -> dict[str, str | int]:
    """The attributes of the first element of a binary manifest: texts and whole numbers, by name.

    Raises:
        ValueError, struct.error: these bytes are none.
    """
    kind, head, size = struct.unpack_from("<HHI", data)
    if kind != _XML:
        raise ValueError("no binary XML")
    strings: list[str] = []
    ids: tuple[int, ...] = ()
    at = head
    while at + 8 <= min(size, len(data)):
        kind, head, size_here = struct.unpack_from("<HHI", data, at)
        if size_here < 8 or at + size_here > len(data):
            raise ValueError("a chunk that ends nowhere")
        if kind == _STRINGS:
            strings = _strings(data[at : at + size_here])
        elif kind == _IDS:
            ids = struct.unpack_from(f"<{(size_here - head) // 4}I", data, at + head)
        elif kind == _ELEMENT:
            return dict(_attributes(data, at + head, strings, ids))
        at += size_here
    raise ValueError("no element")


def _attributes(data: bytes, at: int, strings: list[str], ids: tuple[int, ...]) -> list[tuple[str, str | int]]:
    start, size, count = struct.unpack_from("<HHH", data, at + 8)
    found: list[tuple[str, str | int]] = []
    for number in range(count):
        _, name, raw, _, _, kind, value = struct.unpack_from("<IIIHBBI", data, at + start + number * size)
        known = ids[name] if name < len(ids) else 0
        word = "versionCode" if known == _VERSION_CODE else _at(strings, name)
        if kind in _WHOLE:
            found.append((word, value))
        elif kind == _STRING:
            found.append((word, _at(strings, value)))
        elif raw < len(strings):
            found.append((word, strings[raw]))
    return found


def _at(strings: list[str], number: int) -> str:
    if number >= len(strings):
        raise ValueError("a text that is not there")
    return strings[number]


def _strings(chunk: bytes) -> list[str]:
    count, _, flags, start, _ = struct.unpack_from("<IIIII", chunk, 8)
    if count > len(chunk):
        raise ValueError("more texts than bytes")
    places = struct.unpack_from(f"<{count}I", chunk, 28)
    read = _utf8 if flags & 0x100 else _utf16
    return [read(chunk, start + place) for place in places]


def _utf16(chunk: bytes, at: int) -> str:
    (length,) = struct.unpack_from("<H", chunk, at)
    at += 2
    if length & 0x8000:
        (low,) = struct.unpack_from("<H", chunk, at)
        length, at = (length & 0x7FFF) << 16 | low, at + 2
    return chunk[at : at + 2 * length].decode("utf-16-le", "replace")


def _utf8(chunk: bytes, at: int) -> str:
    _, at = _short(chunk, at)  # in characters
    length, at = _short(chunk, at)  # in bytes
    return chunk[at : at + length].decode("utf-8", "replace")


def _short(chunk: bytes, at: int) -> tuple[int, int]:
    if at + 1 >= len(chunk):
        raise ValueError("a text that ends nowhere")
    if chunk[at] & 0x80:
        return (chunk[at] & 0x7F) << 8 | chunk[at + 1], at + 2
    return chunk[at], at + 1
