"""App packages for the virtual phone: a zip with a binary manifest, as in every APK, and a JSON that tells the app."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from dataclasses import asdict, dataclass, fields
from typing import Any

_ABOUT = "virtual-app.json"
_MANIFEST = "AndroidManifest.xml"
_ANDROID = "http://schemas.android.com/apk/res/android"
_NONE = 0xFFFFFFFF
_STRING, _INTEGER, _BOOLEAN = 0x03, 0x10, 0x12


class ApkRefused(Exception):
    """The package manager does not take it; `code` is Android's word, the message its reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class VirtualApk:
    """What an app package says of its app.

    Attributes:
        label, label_zh: what the launcher shows; the Chinese one where the phone speaks Chinese.
        permissions: what the manifest asks for.
        abis: of the native libraries; empty where there are none.
        split: name of the split, empty for a base.
        needs_splits: whether the base is useless without a split.
        test_only: whether `android:testOnly` is set.
        signer: who signed it; an update must be signed alike.
        links: beginnings of links that the app opens, for instance `https://shop.example/`.
        asks: whether the app asks for its notifications at its first start.
        crashes: whether the app dies when it starts.
    """

    package: str
    label: str = "App"
    label_zh: str = ""
    version_name: str = "1.0"
    version_code: int = 1
    min_sdk: int = 21
    permissions: tuple[str, ...] = ()
    abis: tuple[str, ...] = ()
    split: str = ""
    needs_splits: bool = False
    test_only: bool = False
    signer: str = "debug"
    links: tuple[str, ...] = ()
    asks: bool = False
    crashes: bool = False


def make_apk(apk: VirtualApk, *, padding: int = 0) -> bytes:
    """The bytes of an app package; `padding` makes it that much larger."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr(_MANIFEST, _manifest(apk))
        packed.writestr(_ABOUT, json.dumps(asdict(apk), ensure_ascii=False))
        for abi in apk.abis:
            packed.writestr(f"lib/{abi}/libapp.so", b"\x7fELF")
        if padding:
            packed.writestr("assets/padding", bytes(padding))
    return held.getvalue()


def read_apk(data: bytes) -> VirtualApk:
    """Raises ApkRefused where these bytes are no package, or none for a virtual phone."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            about: dict[str, Any] = json.loads(packed.read(_ABOUT))
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        raise ApkRefused("INSTALL_PARSE_FAILED_NOT_APK", f"Failed to parse base.apk: {error or 'no package'}") from None
    known = {field.name for field in fields(VirtualApk)}
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in about.items() if key in known
    }
    try:
        return VirtualApk(**values)
    except TypeError as error:
        raise ApkRefused("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", str(error)) from None


def _manifest(apk: VirtualApk) -> bytes:
    """`AndroidManifest.xml` in Android's binary form: strings, then elements with typed attributes."""
    texts: list[str] = []

    def text(value: str) -> int:
        if value not in texts:
            texts.append(value)
        return texts.index(value)

    def attribute(space: str, name: str, kind: int, value: str | int) -> bytes:
        data = text(value) if isinstance(value, str) else value
        raw = data if isinstance(value, str) else _NONE
        return struct.pack("<IIIHBBI", text(space) if space else _NONE, text(name), raw, 8, 0, kind, data)

    def element(name: str, *attributes: bytes) -> bytes:
        body = struct.pack("<IIIIHHHHHH", 1, _NONE, _NONE, text(name), 20, 20, len(attributes), 0, 0, 0) + b"".join(attributes)
        return struct.pack("<HHI", 0x0102, 16, 8 + len(body)) + body

    def end(name: str) -> bytes:
        return struct.pack("<HHIIIII", 0x0103, 16, 24, 1, _NONE, _NONE, text(name))

    top = [
        attribute(_ANDROID, "versionCode", _INTEGER, apk.version_code),
        attribute(_ANDROID, "versionName", _STRING, apk.version_name),
        attribute("", "package", _STRING, apk.package),
    ]
    if apk.split:
        top.append(attribute("", "split", _STRING, apk.split))
    nodes = [element("manifest", *top)]
    nodes += [element("uses-sdk", attribute(_ANDROID, "minSdkVersion", _INTEGER, apk.min_sdk)), end("uses-sdk")]
    for permission in apk.permissions:
        nodes += [element("uses-permission", attribute(_ANDROID, "name", _STRING, permission)), end("uses-permission")]
    nodes += [element("application", attribute(_ANDROID, "testOnly", _BOOLEAN, _NONE * apk.test_only)), end("application")]
    body = b"".join([*nodes, end("manifest")])
    return struct.pack("<HHI", 0x0003, 8, 8 + len(pool := _pool(texts)) + len(body)) + pool + body


def _pool(texts: list[str]) -> bytes:
    packed = [struct.pack("<H", len(raw := text.encode("utf-16-le")) // 2) + raw + b"\0\0" for text in texts]
    starts = [sum(map(len, packed[:number])) for number in range(len(packed))]
    strings = b"".join(packed)
    strings += bytes(-len(strings) % 4)
    start = 28 + 4 * len(texts)
    head = struct.pack("<HHIIIIII", 0x0001, 28, start + len(strings), len(texts), 0, 0, start, 0)
    return head + struct.pack(f"<{len(starts)}I", *starts) + strings
