"""Cassettes on disk: saved as a whole or not at all, loaded as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

from pytest_layered_phone.devices.types import DeviceInfo
from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording import format as lines
from pytest_layered_phone.recording.codec import Decoder, Encoder
from pytest_layered_phone.recording.files import read_regular, sweep, write_atomically
from pytest_layered_phone.recording.images import ImageStore
from pytest_layered_phone.recording.naming import TestName, images_directory
from pytest_layered_phone.recording.redaction import Redactor
from pytest_layered_phone.recording.tape import Tape, TapeHeader


def save(path: Path, tape: Tape, redactor: Redactor, *, verdict: str = "passed") -> None:
    """Writes a cassette: its pictures first, then the file itself in one move.

    Raises:
        CassetteError: `CASSETTE_WRITE`: it cannot be written; the old file is untouched. `CASSETTE_NAME`: the file belongs to a
            test whose name differs only in case.
    """
    header = tape.header
    _refuse_clash(path, header)
    encoder = Encoder(_pictures(path), redactor)
    body = [encoder.line(entry) for entry in tape]
    text = lines.to_text(_header_line(header, redactor), body, verdict=redactor.text(verdict))
    write_atomically(path, text.encode())
    sweep(path.parent)
    sweep(images_directory(path))


def load(path: Path, test: TestName | None = None) -> Tape:
    """Reads a cassette.

    Args:
        path: the file.
        test: the test that wants it.

    Raises:
        CassetteError: `CASSETTE_MISSING`, `CASSETTE_FORMAT`, `CASSETTE_DAMAGED`, `CASSETTE_PICTURE` or `CASSETTE_NAME`.
    """
    try:
        data = read_regular(path, lines.MOST_BYTES + 1)
    except FileNotFoundError:
        raise CassetteError(
            f"there is no recording of {test.title if test else 'this test'}: {path} does not exist",
            code="CASSETTE_MISSING",
            suggestion="Record it on a phone: pytest --phone-mode=record" + (f' "{test.address}".' if test else "."),
        ) from None
    except OSError as error:
        raise CassetteError(
            f"{path} cannot be read: {error.strerror or error}",
            code="CASSETTE_DAMAGED",
            suggestion="Make the file readable, or record the test again: pytest --phone-mode=record.",
        ) from error
    header, body, _ = lines.from_bytes(data, str(path))
    found = header.test
    if test is not None and _differs_in_case(
        (found.cls, found.function, found.parameters), (test.cls, test.function, test.parameters)
    ):
        raise _clash(path, f"{found.cls}.{found.function}".lstrip("."), test.title)
    decoder = Decoder(_pictures(path), str(path))
    return Tape(_header(header), [decoder.entry(line) for line in body])


def _pictures(path: Path) -> ImageStore:
    directory = images_directory(path)
    if not directory.resolve().is_relative_to(directory.parent.resolve()):
        raise CassetteError(
            f"{directory} leads out of the directory of the cassettes, to {directory.resolve()}",
            code="CASSETTE_PICTURE",
            suggestion="Put a directory in place of the link: pictures are read and written only beside their cassettes.",
        )
    return ImageStore(directory)


def _differs_in_case(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return one != other and [part.casefold() for part in one] == [part.casefold() for part in other]


def _refuse_clash(path: Path, header: TapeHeader) -> None:
    """Only an intact cassette of a test that differs in case is in the way; anything else of ours is replaced."""
    try:
        found = lines.from_bytes(read_regular(path, lines.MOST_BYTES + 1), str(path))[0].test
    except (OSError, CassetteError):
        return
    if _differs_in_case((found.cls, found.function, found.parameters), (header.cls, header.function, header.parameters)):
        raise _clash(path, f"{found.cls}.{found.function}".lstrip("."), f"{header.cls}.{header.function}".lstrip("."))


def _clash(path: Path, theirs: str, ours: str) -> CassetteError:
    return CassetteError(
        f"{path} is the cassette of {theirs}, and {ours} differs from that only in case",
        code="CASSETTE_NAME",
        suggestion="Rename one of the two: some file systems cannot tell them apart.",
    )


def _header_line(header: TapeHeader, redactor: Redactor) -> lines.HeaderLine:
    data = {
        "format": lines.FORMAT,
        "plugin": header.plugin,
        "recorded": header.recorded,
        "mode": header.mode,
        "test": {
            "file": header.file, "cls": header.cls, "function": header.function, "parameters": header.parameters,
        },
        "app": {"package": header.app_package, "version": header.app_version},
        "phones": {
            name: {
                "model": info.model, "release": info.release, "sdk": info.sdk, "width": info.width, "height": info.height,
                "density": info.density, "rotation": header.rotations.get(name, 0), "font_scale": info.font_scale,
                "locale": info.locale,
            }
            for name, info in header.phones.items()
        },
        "models": {
            role: {"name": name, "answered": list(header.answered.get(role, ()))} for role, name in header.models.items()
        },
        "dialect": header.dialect,
        "limits": dict(sorted(header.limits.items())),
        "start": {"activity": header.start_activity, "anchors": header.start_anchors} if header.start_activity else None,
        "columns": lines.COLUMNS,
    }  # fmt: skip
    return lines.HeaderLine.model_validate(redactor.data(data))


def _header(line: lines.HeaderLine) -> TapeHeader:
    return TapeHeader(
        plugin=line.plugin,
        recorded=line.recorded,
        mode=line.mode,
        file=line.test.file,
        cls=line.test.cls,
        function=line.test.function,
        parameters=line.test.parameters,
        models={role: model.name for role, model in line.models.items()},
        answered={role: tuple(model.answered) for role, model in line.models.items()},
        dialect=line.dialect,
        phones={
            name: DeviceInfo(
                f"recorded-{name}", f"recorded-{name}", phone.model, phone.release, phone.sdk, phone.width, phone.height,
                phone.density, phone.font_scale, phone.locale,
            )
            for name, phone in line.phones.items()
        },
        rotations={name: phone.rotation for name, phone in line.phones.items()},
        app_package=line.app.package,
        app_version=line.app.version,
        limits=line.limits,
        start_activity=line.start.activity if line.start else "",
        start_anchors=tuple(line.start.anchors) if line.start else (),
    )  # fmt: skip
