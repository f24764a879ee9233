"""`pm` and `cmd package`."""

from __future__ import annotations

import zlib

from ..types import Package
from . import installing
from .activity import short_component
from .context import Call, Handler, java_exception
from .health import package_manager_is_down

_INSTALLING = ("install", "install-create", "install-write", "install-commit", "install-abandon", "uninstall")
_FRAMES = ("com.android.server.pm.PackageManagerShellCommand.onCommand",)


def user_id(package: str) -> int:
    """The app's uid: fixed by its name."""
    return 10000 + zlib.crc32(package.encode()) % 900 + 50


def operands(args: list[str]) -> list[str]:
    """The arguments without options; `--user` takes its value along."""
    found: list[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in ("--user", "-c", "-a", "-d", "-t", "--query-flags", "-i", "--pkg"):
            skip = True
        elif not arg.startswith("-"):
            found.append(arg)
    return found


def pm(call: Call) -> int:
    if package_manager_is_down(call):
        return call.fail("cmd: Can't find service: package", 20)
    if not call.args:
        call.err("Package manager (package) commands:")
        return 255
    command, args = call.args[0], call.args[1:]
    handlers = {
        "list": _list,
        "path": _path,
        "clear": _clear,
        "grant": installing.permission,
        "revoke": installing.permission,
        "resolve-activity": _resolve,
        "query-activities": _query,
        "enable": _enable,
        "disable-user": _enable,
        **dict.fromkeys(_INSTALLING, installing.run),
        "dump": _dump,
    }
    if command not in handlers:
        call.err(f"Unknown command: {command}")
        return 255
    return handlers[command](call, command, args)


def _find(call: Call, name: str) -> Package | None:
    return next((package for package in call.phone.packages() if package.name == name), None)


def _list(call: Call, command: str, args: list[str]) -> int:
    what = args[0] if args else ""
    if what in ("users",):
        call.line("Users:")
        call.line("\tUserInfo{0:Owner:c13} running")
        return 0
    if what == "features":
        for feature in ("android.hardware.touchscreen", "android.hardware.wifi", "android.software.input_methods"):
            call.line(f"feature:{feature}")
        return 0
    if what not in ("packages", "package"):
        return call.fail(f"Error: unknown list type '{what}'" if what else "Error: didn't specify type of data to list", 255)
    options = {arg for arg in args[1:] if arg.startswith("-")}
    unknown = [option for option in options if option.lstrip("-") not in _LIST_OPTIONS]
    if unknown:
        return call.fail(f"Error: Unknown option: {unknown[0]}", 255)
    wanted = operands(args[1:])
    for package in call.phone.packages():
        if ("-3" in options and package.system) or ("-s" in options and not package.system) or "-d" in options:
            continue
        if wanted and wanted[0] not in package.name:
            continue
        text = f"package:{package.apk}={package.name}" if "-f" in options else f"package:{package.name}"
        text += f" versionCode:{package.version_code}" if "--show-versioncode" in options else ""
        text += "  installer=null" if "-i" in options else ""
        text += f" uid:{user_id(package.name)}" if "-U" in options else ""
        call.line(text)
    return 0


_LIST_OPTIONS = {"f", "3", "s", "d", "e", "i", "u", "l", "U", "a", "show-versioncode", "user"}


def _path(call: Call, command: str, args: list[str]) -> int:
    names = operands(args)
    package = _find(call, names[0]) if names else None
    if package is None:
        return 1
    call.line(f"package:{package.apk}")
    return 0


def _clear(call: Call, command: str, args: list[str]) -> int:
    names = operands(args)
    if not names:
        return call.fail("Error: no package specified", 1)
    if _find(call, names[0]) is not None and call.phone.clear_data(names[0]):
        call.line("Success")
        return 0
    call.line("Failed")
    return 1


def _show(package: Package) -> str:
    return short_component(f"{package.name}/{package.launcher_activity}")


_MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"


def _resolve(call: Call, command: str, args: list[str]) -> int:
    package = _from_intent(call, args)
    if package is None or package.launcher_activity is None:
        call.line("No activity found")
        return 0
    if "--brief" not in args and "--components" not in args:
        call.line(_MATCH)
        call.line("ActivityInfo:")
        call.line(f"  name={package.launcher_activity}")
        call.line(f"  packageName={package.name}")
        return 0
    if "--components" not in args:
        call.line(_MATCH)
    call.line(_show(package))
    return 0


def _from_intent(call: Call, args: list[str]) -> Package | None:
    if "android.intent.category.HOME" in args:
        launchers = [package for package in call.phone.packages() if "launcher" in package.name]
        return launchers[0] if launchers else None
    names = [args[index + 1] for index, arg in enumerate(args[:-1]) if arg == "-p"] or operands(args)
    if names and "/" in names[0]:
        names = [names[0].partition("/")[0]]
    return _find(call, names[0]) if names else None


def _query(call: Call, command: str, args: list[str]) -> int:
    names = operands(args)
    found = [one for one in call.phone.packages() if one.launcher_activity and (not names or one.name in names)]
    if not found:
        call.line("No activities found")
        return 0
    if "--components" in args:
        for package in found:
            call.line(_show(package))
        return 0
    call.line(f"{len(found)} activities found:")
    for index, package in enumerate(found):
        call.line(f"  Activity #{index}:")
        call.line(f"    {_MATCH}")
        call.line(f"    {_show(package)}")
    return 0


def _enable(call: Call, command: str, args: list[str]) -> int:
    names = operands(args)
    if not names or _find(call, names[0].partition("/")[0]) is None:
        shown = names[0] if names else ""
        return java_exception(call, command, f"java.lang.IllegalArgumentException: Unknown package: {shown}", _FRAMES)
    state = "enabled" if command == "enable" else "disabled-user"
    call.line(f"Package {names[0]} new state: {state}")
    return 0


def _dump(call: Call, command: str, args: list[str]) -> int:
    from .dumps import package

    return package(call, args)


COMMANDS: dict[str, Handler] = {"pm": pm}
