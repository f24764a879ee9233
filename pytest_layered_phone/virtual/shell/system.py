"""`wm`, `getprop`, `settings`, `ime`, `svc` and `cmd`."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..host import PhoneHost
from ..panels import COVER_SIZE, is_closed
from .context import Call, Handler, java_exception
from .health import package_manager_is_down

_NAMESPACES = ("system", "secure", "global")


def wm(call: Call) -> int:
    spec = call.phone.spec
    command = call.args[0] if call.args else ""
    if command == "size" and len(call.args) == 1:
        width, height = COVER_SIZE if is_closed(call.host.faults) else (spec.width, spec.height)
        call.line(f"Physical size: {width}x{height}")
        return 0
    if command == "density" and len(call.args) == 1:
        call.line(f"Physical density: {spec.density}")
        return 0
    if command in ("size", "density") and call.args[1] == "reset":
        return 0
    if command in ("size", "density"):
        return call.fail(f"Error: the {command} of a virtual phone is chosen at its start")
    if command == "user-rotation":
        fixed = call.phone.settings.get("system", {}).get("accelerometer_rotation") == "0"
        call.line(f"{'lock' if fixed else 'free'} {call.phone.rotation()}")
        return 0
    if command == "dismiss-keyguard":
        if call.phone.focus().kind == "keyguard":
            call.phone.unlock("wm")
        return 0
    call.line(f"Unknown command: {command}" if command else "Window manager (window) commands:")
    return 255


def properties_of(host: PhoneHost) -> dict[str, str]:
    """All system properties of a phone."""
    spec = host.phone.spec
    flat = spec.model.replace(" ", "_")
    locale = host.phone.settings.get("system", {}).get("system_locales") or spec.locale
    found = {
        "dev.bootcomplete": "1",
        "init.svc.adbd": "running",
        "persist.sys.locale": locale,
        "persist.sys.timezone": time.strftime("%Z") or "UTC",
        "persist.sys.usb.config": "adb",
        "ro.boot.qemu": "1",
        "ro.boot.serialno": spec.serialno,
        "ro.build.characteristics": "emulator",
        "ro.build.display.id": f"{flat.lower()}-userdebug {spec.release} VP1A",
        "ro.build.fingerprint": f"virtual/{flat.lower()}/{flat.lower()}:{spec.release}/VP1A/1:userdebug/dev-keys",
        "ro.build.id": "VP1A",
        "ro.build.type": "userdebug",
        "ro.build.version.release": spec.release,
        "ro.build.version.release_or_codename": spec.release,
        "ro.build.version.sdk": str(spec.sdk),
        "ro.debuggable": "1",
        "ro.hardware": "virtual",
        "ro.kernel.qemu": "1",
        "ro.product.brand": "virtual",
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.cpu.abilist": "arm64-v8a",
        "ro.product.device": flat.lower(),
        "ro.product.locale": spec.locale,
        "ro.product.manufacturer": "Virtual",
        "ro.product.model": spec.model,
        "ro.product.name": flat.lower(),
        "ro.serialno": spec.serialno,
        "ro.sf.lcd_density": str(spec.density),
        "sys.boot_completed": "1",
        "wifi.interface": "wlan0",
    }
    if host.faults.get("booting") is not None:
        found |= {"dev.bootcomplete": "", "sys.boot_completed": ""}
    return found | host.extra_properties


def getprop(call: Call) -> int:
    found = properties_of(call.host)
    names = [arg for arg in call.args if not arg.startswith("-")]
    if names:
        call.line(found.get(names[0]) or (names[1] if len(names) > 1 else ""))
        return 0
    for name in sorted(found):
        call.line(f"[{name}]: [{found[name]}]")
    return 0


def setprop(call: Call) -> int:
    if len(call.args) != 2:
        return call.fail("usage: setprop NAME VALUE")
    name, value = call.args
    if name.startswith("ro.") or not name.startswith(("debug.", "log.", "persist.log.")):
        return call.fail(f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.")
    call.host.extra_properties[name] = value
    return 0


def settings(call: Call) -> int:
    args = list(call.args)
    if "--user" in args:
        at = args.index("--user")
        del args[at : at + 2]
    if not args:
        call.err("Settings provider (settings) commands:")
        return 255
    command, rest = args[0], args[1:]
    needed = {"get": 2, "put": 3, "delete": 2, "list": 1, "reset": 2}
    if command not in needed:
        return call.fail(f"Invalid command: {command}", 255)
    if rest and rest[0] not in _NAMESPACES:
        return call.fail(f"Invalid namespace '{rest[0]}'", 255)
    if len(rest) < needed[command]:
        return call.fail("Bad arguments", 255)
    namespace = rest[0]
    with call.phone.lock:
        table = call.phone.settings.setdefault(namespace, {})
        if command == "list":
            for key in sorted(table):
                call.line(f"{key}={table[key]}")
        elif command == "get":
            call.line(table.get(rest[1], "null"))
        elif command == "put" and _refused(call, rest[1]):
            words = "java.lang.SecurityException: Permission denial: writing to settings requires android.permission.{}"
            return java_exception(call, command, words.format("WRITE_SECURE_SETTINGS"))
        elif command == "put":
            table[rest[1]] = rest[2]
            changed: Callable[[str, str], object] | None = getattr(call.phone, "setting_changed", None)
            if changed is not None:
                changed(namespace, rest[1])
        elif command == "delete":
            call.line(f"Deleted {int(table.pop(rest[1], None) is not None)} rows")
    return 0


def _refused(call: Call, key: str) -> bool:
    """The fault `settings_refused` (`key`: part of a name): some vendors let adb write no settings unless that is allowed."""
    fault = call.host.faults.get("settings_refused")
    return fault is not None and str(fault.get("key", "")) in key


def ime(call: Call) -> int:
    args = [arg for arg in call.args if arg not in ("--user", "0", "all")]
    command, rest = (args[0], args[1:]) if args else ("", [])
    phone = call.phone
    if command == "list":
        for name, state in phone.imes.items():
            if state.installed and (state.enabled or "-a" in rest):
                if "-s" in rest:
                    call.line(name)
                else:
                    call.line(f"{name}:")
                    call.line(f"  mId={name} mSettingsActivityName=null mIsVrOnly=false")
        return 0
    if command in ("enable", "disable", "set"):
        if not rest:
            words = f'java.lang.IllegalArgumentException: Argument expected after "{command}"'
            return java_exception(call, command, words)
        return _change(call, command, rest[0])
    if command == "reset":
        with phone.lock:
            first = next((name for name, state in phone.imes.items() if state.installed and "adbkeyboard" not in name), "")
            for name, state in phone.imes.items():
                state.enabled = name == first
            _store(call, first)
        call.line("Reset current and enabled IMEs for user #0")
        call.line(f"  Newly selected: {first}")
        return 0
    call.err(f"Unknown command: {command}" if command else "ime <command>:")
    return 255


def _change(call: Call, command: str, name: str) -> int:
    phone = call.phone
    verbs = {"enable": "enabled", "disable": "disabled", "set": "selected"}
    with phone.lock:
        state = phone.imes.get(name)
        usable = state is not None and state.installed and (command != "set" or state.enabled)
        if state is None or not usable:
            return call.fail(f"Unknown input method {name} cannot be {verbs[command]} for user #0", 255)
        refused = phone.faults.get("ime_refused")
        if refused is not None and command == refused.get("verb", command):
            if not refused.get("silent"):
                words = "java.lang.SecurityException: Permission denial: requires android.permission.WRITE_SECURE_SETTINGS"
                return java_exception(call, command, words)
            call.line(f"Input method {name}: already enabled" if command == "enable" else f"Input method {name} selected")
            return 0
        current = phone.settings.setdefault("secure", {}).get("default_input_method", "")
        if command == "set":
            phone.ime_chosen_s = phone.now()
            _store(call, name)
            call.line(f"Input method {name} selected for user #0")
            return 0
        word = "now" if state.enabled != (command == "enable") else "already"
        state.enabled = command == "enable"
        if command == "disable" and current == name:
            current = next((other for other, one in phone.imes.items() if one.installed and one.enabled), "")
        _store(call, current)
        call.line(f"Input method {name}: {word} {verbs[command]} for user #0")
        return 0


def _store(call: Call, chosen: str) -> None:
    """Writes the list of enabled keyboards and the chosen one into the settings, as Android keeps them."""
    table = call.phone.settings.setdefault("secure", {})
    table["enabled_input_methods"] = ":".join(name for name, state in call.phone.imes.items() if state.enabled)
    table["default_input_method"] = chosen
    changed: Callable[[str, str], object] | None = getattr(call.phone, "setting_changed", None)
    if changed is not None:
        changed("secure", "default_input_method")


def svc(call: Call) -> int:
    switches = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on"}
    if len(call.args) == 2 and call.args[0] in switches and call.args[1] in ("enable", "disable"):
        value = "1" if call.args[1] == "enable" else "0"
        return settings(call.called("settings", ["put", "global", switches[call.args[0]], value]))
    if call.args[:1] == ["power"]:
        return 0
    call.line("Available commands:")
    return 1


def uimode(call: Call, args: list[str]) -> int:
    table = call.phone.settings.setdefault("secure", {})
    modes = {"0": "auto", "1": "no", "2": "yes"}
    if args[:1] == ["night"]:
        if len(args) > 1 and args[1] in modes.values():
            value = next(key for key, word in modes.items() if word == args[1])
            settings(call.called("settings", ["put", "secure", "ui_night_mode", value]))
        call.line(f"Night mode: {modes.get(table.get('ui_night_mode', '1'), 'no')}")
        return 0
    return call.fail(f"Unknown command: {args[0] if args else ''}", 255)


def cmd(call: Call) -> int:
    """`cmd SERVICE …`: most commands of a phone are short names for this."""
    if not call.args or call.args[0] in ("-l", "-w"):
        call.line("Currently running services:")
        return 0
    aliases = {
        "activity": "am",
        "package": "pm",
        "window": "wm",
        "input": "input",
        "settings": "settings",
        "input_method": "ime",
    }
    service, rest = call.args[0], call.args[1:]
    if service == "package" and package_manager_is_down(call):
        return call.fail("cmd: Can't find service: package", 20)
    if service == "uimode":
        return uimode(call, rest)
    if service in ("statusbar", "notification", "power", "overlay"):
        return 0
    if service == "clipboard":  # there is such a service, and it has no commands
        return call.fail("No shell command implementation.", 0)
    handler = call.shell.find(aliases.get(service, ""))
    if handler is None:
        return call.fail(f"cmd: Can't find service: {service}", 20)
    return handler(call.called(aliases[service], rest))


COMMANDS: dict[str, Handler] = {
    "wm": wm,
    "getprop": getprop,
    "setprop": setprop,
    "settings": settings,
    "ime": ime,
    "svc": svc,
    "cmd": cmd,
}
