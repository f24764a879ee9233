"""Puts the readers of phone output behind one function, as corpora of such outputs ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pytest_layered_phone.devices.readers import foreground, hierarchy, ime, launching, log, pictures, properties, screen
from pytest_layered_phone.devices.readers.adb_devices import read_devices
from pytest_layered_phone.devices.readers.adb_errors import adb_error, read_connect

Case = dict[str, Any]
Facts = dict[str, Any]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _adb_devices(case: Case, data: bytes) -> Facts:
    text = _text(data)
    names = ("serial", "state", "model", "product", "device", "connection", "transport_id")
    return {"devices": [{name: getattr(row, name) for name in names} for row in read_devices(text)]}


def _am_start(case: Case, data: bytes) -> Facts:
    return {"ok": True, "component": launching.read_am_start(_text(data))}


def _battery(case: Case, data: bytes) -> Facts:
    battery = properties.read_battery(_text(data))
    return {"level": battery.level, "status": battery.status, "temperature_c": battery.temperature_c}


def _dumpsys_window(case: Case, data: bytes) -> Facts:
    focus = foreground.read_foreground(_text(data))
    return {"package": focus.package or None, "activity": focus.activity or None, "locked": focus.locked}


def _getprop(case: Case, data: bytes) -> Facts:
    text = _text(data)
    command = case["command"]
    if command.count("getprop") > 1:
        names = [part.split()[1] for part in command.split("&&")]
        values = properties.read_property_lines(text, names)
    else:
        values = properties.read_properties(text)
    return {
        "model": values.get("ro.product.model"),
        "release": values.get("ro.build.version.release"),
        "sdk": values.get("ro.build.version.sdk"),
    }


def _ime(case: Case, data: bytes) -> Facts:
    text, command = _text(data), case["command"]
    if "default_input_method" in command:
        return {"current": ime.read_chosen_ime(text)}
    if "settings get" in command:
        return {"enabled": ime.read_ime_setting(text)}
    if "broadcast" in command:
        return {"delivered": {True: True, False: False, None: "unknown"}[ime.read_broadcast(text).delivered]}
    if "dumpsys" in command:
        return {"current": ime.bound_ime(text)}
    if "ime set" in command or "ime enable" in command:
        ime.check_ime_set(text, case.get("exit_code"))
        return {}
    return {"enabled": ime.read_ime_list(text)}


def _input(case: Case, data: bytes) -> Facts:
    launching.check_input(_text(data), case.get("exit_code") or 0, case["command"])
    return {}


def _logcat(case: Case, data: bytes) -> Facts:
    troubles = log.read_troubles(_text(data))
    if not troubles:
        return {"kind": "none"}
    return {"kind": troubles[0].kind, "package": troubles[0].package, "pid": troubles[0].pid}


def _monkey(case: Case, data: bytes) -> Facts:
    return {"launched": launching.read_monkey(_text(data)) > 0}


def _pm(case: Case, data: bytes) -> Facts:
    text, command = _text(data), case["command"]
    if "list packages" in command:
        return {"packages": launching.read_packages(text)}
    if "resolve-activity" in command:
        return {"component": launching.read_resolved(text)}
    if "pm path" in command:
        return {"paths": launching.read_paths(text)}
    if "query-activities" in command:
        return {}
    launching.check_pm(text, case.get("exit_code"), succeeds=not re.search(r"\b(grant|revoke|enable|disable)", command))
    return {"ok": True}


def _screencap(case: Case, data: bytes) -> Facts:
    if "framebuffer" in case["command"]:
        width, height, _ = pictures.read_framebuffer_header(data)
        return {"size": [width, height]}
    raw = "no -p" in case["command"]
    picture = pictures.read_raw(data) if raw else pictures.read_png(data)
    return {"size": [picture.width, picture.height], "warn": picture.warn}


def _shell_errors(case: Case, data: bytes) -> Facts:
    if case["command"].startswith("adb connect"):
        return {"address": read_connect(_text(data))}
    raise adb_error(_text(data), command=case["command"])


def _uiautomator(case: Case, data: bytes) -> Facts:
    text = _text(data)
    if "dumped to" in text and "<" not in text:
        return {"path": hierarchy.read_dump_path(text, case.get("exit_code"))}
    tree = hierarchy.read_hierarchy(data, case.get("exit_code"))
    first = tree.elements[0].bounds
    return {
        "nodes": len(tree.elements),
        "packages": sorted({element.package for element in tree.elements}),
        "root_bounds": f"[{first.left},{first.top}][{first.right},{first.bottom}]",
        "rotation": tree.rotation,
    }


def _wm_size(case: Case, data: bytes) -> Facts:
    text, command = _text(data), case["command"]
    if "wm size" in command:
        reading = screen.read_wm_size(text)
        return {"physical": reading.physical, "override": reading.override, "effective": reading.effective}
    if "wm density" in command:
        density = screen.read_wm_density(text).effective
        return {"effective_density": density[0] if density else None}
    if "displays" in command:
        return {"effective": screen.read_displays(text)[0].size}
    if "SurfaceFlinger" in command:
        return {"display_ids": screen.read_display_ids(text)}
    return {"rotation": screen.read_rotation(text)}


_READERS: dict[str, Callable[[Case, bytes], Facts]] = {
    "adb_devices": _adb_devices, "am_start": _am_start, "battery": _battery, "dumpsys_window": _dumpsys_window,
    "getprop": _getprop, "ime": _ime, "input": _input, "logcat": _logcat, "monkey": _monkey, "pm": _pm,
    "screencap": _screencap, "shell_errors": _shell_errors, "uiautomator": _uiautomator, "wm_size": _wm_size,
}  # fmt: skip


def read_output(folder: str, case: Case, data: bytes) -> Facts:
    """What our readers make of one output, under the names that the corpus uses; a refused output raises."""
    reader = _READERS.get(folder)
    if reader is None:
        raise NotImplementedError(folder)
    return reader(case, data)
