"""Where the cassette of a test lies: beside its file, named after module, class, function and parameters."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import ClassVar

from pytest_layered_phone.errors import SettingsError

SUFFIX = ".jsonl"
IMAGES = "images"
_MOST_BYTES = 120
"""Longest name before its tail, in UTF-8 bytes: file systems allow 255, Windows paths far less than one would like."""
_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|U[0-9a-f]{8}|x[0-9a-f]{2}|[\\nrt])")
_SHORT_ESCAPES = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_RESERVED = frozenset({"con", "prn", "aux", "nul", IMAGES} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)})


@dataclass(frozen=True)
class TestName:
    """What names a test, from pytest's item (`path`, `cls.__qualname__`, `originalname`, `callspec.id`), never from a node id.

    Attributes:
        file: the test file, absolute.
        function: name of the test function without parameters.
        cls: qualified name of the test class, empty outside one.
        parameters: id of the parameter set, as pytest gives it (non-ASCII characters may be escaped), empty without one.
    """

    __test__: ClassVar[bool] = False  # pytest collects classes of this prefix

    file: Path
    function: str
    cls: str = ""
    parameters: str = ""

    @property
    def title(self) -> str:
        """`Class.test[parameters]`, with the escapes of the parameters decoded."""
        name = f"{self.cls}.{self.function}" if self.cls else self.function
        return f"{name}[{decoded(self.parameters)}]" if self.parameters else name

    @property
    def address(self) -> str:
        """What to give to pytest, where it runs now, to run this test; without the parameters, which a shell may not take."""
        here = Path.cwd()
        file = self.file.relative_to(here) if self.file.is_relative_to(here) else self.file
        return "::".join([file.as_posix(), *(part for part in self.cls.split(".") if part), self.function])


def decoded(parameters: str) -> str:
    """Undoes the escaping that pytest applies to parameter ids that are not ASCII (a setting of pytest turns it off)."""
    return _ESCAPE.sub(_unescaped, parameters) if "\\" in parameters and parameters.isascii() else parameters


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[code]
    number = int(code[1:], 16)
    return chr(number) if number <= 0x10FFFF else found[0]


def cassette_path(test: TestName, directory: str = "cassettes") -> Path:
    """The path of a test's cassette: `<directory of the test file>/<directory>/<module>/<Class.test[parameters]>.jsonl`.

    Different tests have different paths, also on file systems that ignore case. (Only classes of one module whose names differ
    in nothing but case share one; loading and saving refuse that.)

    Args:
        test: the test.
        directory: the setting `phone_cassette_dir`, relative to the test file's directory.

    Raises:
        SettingsError: `directory` is absolute, empty, or climbs up: tests of different directories could share a cassette.
    """
    relative = PurePath(directory)
    if not directory.strip() or relative.is_absolute() or ".." in relative.parts or relative == PurePath("."):
        raise SettingsError(
            f"phone_cassette_dir is {directory!r}, but cassettes lie in a directory beside each test file",
            suggestion="Set phone_cassette_dir to a plain name such as cassettes.",
        )
    return test.file.parent / relative / file_name(test.file.stem) / (_test_file_name(test) + SUFFIX)


def images_directory(cassette: Path) -> Path:
    """The directory of the pictures that the cassette at this path refers to."""
    return cassette.parent.parent / IMAGES


def file_name(raw: str, *, hashed: bool = False, identity: str | None = None) -> str:
    """`raw` as a name that every file system takes, with a hash at its end where it had to be changed, or where `hashed`.

    Args:
        raw: the name.
        hashed: whether it gets its hash in any case.
        identity: what is hashed, `raw` by default.
    """
    clean = re.sub("-{2,}", "-", "".join(c if _allowed(c) else "-" for c in unicodedata.normalize("NFC", raw))).rstrip(".")
    short = clean.encode()[:_MOST_BYTES].decode(errors="ignore").rstrip(".")
    if short == raw and not hashed and raw.partition(".")[0].casefold() not in _RESERVED:
        return raw
    tail = hashlib.sha256((identity if identity is not None else raw).encode(errors="surrogatepass")).hexdigest()[:10]
    return f"{short or 'test'}-{tail}"


def _test_file_name(test: TestName) -> str:
    # Names that differ only in case get different tails; a class' own capitals alone are not worth one.
    below = f"{test.function}[{decoded(test.parameters)}]"
    return file_name(
        test.title, hashed=below != below.casefold(), identity=f"{test.cls}\0{test.function}\0{decoded(test.parameters)}"
    )


def _allowed(character: str) -> bool:
    return character in "-_.[]" or unicodedata.category(character)[0] in "LNM" or unicodedata.category(character) == "So"
