"""`pm install` and its kin, `pm uninstall`, `pm grant` and `pm revoke`.

Faults: `install_fails` (code, text), `install_hangs` (seconds), `install_stops` (the stream is closed half-way),
`uninstall_fails` (code), `grant_refused` (as some vendors do), `grant_lost` (nothing is said and nothing done).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ..apk import ApkRefused, read_apk
from ..system import installs
from ..system.permissions import PermissionRefused
from .context import Call, java_exception

_FRAMES = ("com.android.server.pm.PackageManagerShellCommand.onCommand",)
_WITH_VALUE = {"-i", "-S", "--user", "--pkg", "--abi", "--install-location", "--install-reason", "--originating-uri", "-p"}
_PLAIN = {
    "-r",
    "-R",
    "-t",
    "-d",
    "-g",
    "-f",
    "-l",
    "-s",
    "--full",
    "--dont-kill",
    "--bypass-low-target-sdk-block",
    "--no-streaming",
}
_numbers = itertools.count(1_482_930_001)


@dataclass
class InstallSession:
    """What `install-create` began: pieces by name, until it is committed or abandoned."""

    flags: installs.InstallFlags
    pieces: dict[str, bytes] = field(default_factory=dict)


class _BadOption(Exception):
    pass


def _parse(args: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    operands: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg in _WITH_VALUE:
            if not rest:
                raise _BadOption(f'java.lang.IllegalArgumentException: Argument expected after "{arg}"')
            options[arg] = rest.pop(0)
        elif arg in _PLAIN:
            options[arg] = ""
        elif arg.startswith("-") and arg != "-":
            raise _BadOption(f"java.lang.IllegalArgumentException: Unknown option {arg}")
        else:
            operands.append(arg)
    return options, operands


def _flags(options: dict[str, str]) -> installs.InstallFlags:
    return installs.InstallFlags(
        replace="-R" not in options, downgrade="-d" in options, test="-t" in options, grant="-g" in options
    )


def run(call: Call, command: str, args: list[str]) -> int:
    """The commands of this module."""
    handlers = {
        "install": _install,
        "install-create": _create,
        "install-write": _write,
        "install-commit": _commit,
        "install-abandon": _abandon,
        "uninstall": _uninstall,
    }
    try:
        options, operands = _parse(args)
    except _BadOption as error:
        return java_exception(call, command, str(error), _FRAMES)
    return handlers[command](call, options, operands)


def _refused(call: Call, refusal: ApkRefused) -> int:
    call.line(f"Failure [{': '.join(part for part in (refusal.code, str(refusal)) if part)}]")
    return 1


def _bytes(call: Call, options: dict[str, str], path: str) -> bytes | None:
    """A package from a file or, where a size is given and no file, from standard input; None where it does not come."""
    if path and path != "-":
        try:
            return call.phone.files.read(call.shell.path(path))
        except OSError:
            call.err(f"Error: Unable to open file: {path}\nConsider using a file under /data/local/tmp/")
            return None
    size = int(options.get("-S", "0") or 0)
    if not size:
        call.err("Error: must either specify a package size or an APK file")
        return None
    stops = call.host.faults.get("install_stops") is not None
    held = bytearray()
    while len(held) < (size // 2 if stops else size):
        piece = call.stdin.read()
        if not piece:
            call.err("Error: failed to write; java.io.IOException: unexpected end of the stream")
            return None
        held += piece
    if stops:
        call.line("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: not enough space]")
        return None
    return bytes(held[:size])


def _install(call: Call, options: dict[str, str], operands: list[str]) -> int:
    data = _bytes(call, options, operands[0] if operands else "")
    return 1 if data is None else _finish(call, [data], _flags(options))


def _finish(call: Call, pieces: list[bytes], flags: installs.InstallFlags) -> int:
    phone = call.phone
    hangs, fails = call.host.faults.get("install_hangs"), call.host.faults.get("install_fails")
    if hangs is not None:
        call.sleep(float(hangs.get("seconds", 3600)))
        if call.phone is not phone:
            return 1  # the phone was reset meanwhile: the new one knows nothing of it
    try:
        if fails is not None:
            raise ApkRefused(str(fails.get("code", "INSTALL_FAILED_INTERNAL_ERROR")), str(fails.get("text", "")))
        apks = [read_apk(data) for data in pieces]
        with call.host.actions.note("install", package=apks[0].package, pieces=len(apks)), call.phone.lock:
            installs.install(call.phone, apks, flags)
    except ApkRefused as refusal:
        return _refused(call, refusal)
    call.line("Success")
    return 0


def _create(call: Call, options: dict[str, str], operands: list[str]) -> int:
    number = str(next(_numbers))
    call.phone.sessions[number] = InstallSession(_flags(options))
    call.line(f"Success: created install session [{number}]")
    return 0


def _session(call: Call, command: str, operands: list[str]) -> InstallSession | None:
    session = call.phone.sessions.get(operands[0]) if operands else None
    if session is None:
        shown = operands[0] if operands else ""
        java_exception(call, command, f"java.lang.SecurityException: Caller has no access to session {shown}", _FRAMES)
    return session


def _write(call: Call, options: dict[str, str], operands: list[str]) -> int:
    session = _session(call, "install-write", operands)
    if session is None or len(operands) < 2:
        return 255
    data = _bytes(call, options, operands[2] if len(operands) > 2 else "")
    if data is None:
        return 1
    session.pieces[operands[1]] = data
    call.line(f"Success: streamed {len(data)} bytes")
    return 0


def _commit(call: Call, options: dict[str, str], operands: list[str]) -> int:
    session = _session(call, "install-commit", operands)
    if session is None:
        return 255
    del call.phone.sessions[operands[0]]
    if not session.pieces:
        return _refused(call, ApkRefused("INSTALL_FAILED_INVALID_APK", "No packages staged"))
    return _finish(call, list(session.pieces.values()), session.flags)


def _abandon(call: Call, options: dict[str, str], operands: list[str]) -> int:
    if _session(call, "install-abandon", operands) is None:
        return 255
    del call.phone.sessions[operands[0]]
    call.line("Success")
    return 0


def _uninstall(call: Call, options: dict[str, str], operands: list[str]) -> int:
    if not operands:
        return call.fail("Error: package name not specified")
    fails = call.host.faults.get("uninstall_fails")
    try:
        if fails is not None:
            raise ApkRefused(str(fails.get("code", "DELETE_FAILED_INTERNAL_ERROR")), "")
        with call.host.actions.note("uninstall", package=operands[0]), call.phone.lock:
            installs.uninstall(call.phone, operands[0])
    except ApkRefused as refusal:
        return _refused(call, refusal)
    call.line("Success")
    return 0


def permission(call: Call, command: str, args: list[str]) -> int:
    """`pm grant` and `pm revoke`: silent when it worked."""
    try:
        _, names = _parse(args)
    except _BadOption as error:
        return java_exception(call, command, str(error), _FRAMES)
    if len(names) < 2:
        return call.fail("Error: no package specified" if not names else "Error: no permission specified", 1)
    if call.host.faults.get("grant_refused") is not None:
        words = "java.lang.SecurityException: grantRuntimePermission: Neither user 2000 nor current process has "
        return java_exception(call, command, words + "android.permission.GRANT_RUNTIME_PERMISSIONS.", _FRAMES)
    if call.host.faults.get("grant_lost") is not None:
        return 0
    try:
        with call.host.actions.note(command, package=names[0], permission=names[1]):
            (call.phone.grant if command == "grant" else call.phone.revoke)(names[0], names[1])
    except PermissionRefused as error:
        return java_exception(call, command, str(error), _FRAMES)
    return 0
