"""What a phone says about its own health: `dumpsys battery`, `df`, `ip`. Faults and `dumpsys battery set` make it unwell.

Faults read here and by `getprop`, `date` and `pm`:

| name | parameters | what happens |
|---|---|---|
| `storage_full` | free_mb (12) | `/data` has so much left |
| `booting` | | `sys.boot_completed` is not set and the package manager does not answer |
| `no_package_manager` | | the package manager does not answer |
| `clock` | seconds (-1e9) | the clock is off by so much |
| `battery_health` | code (4) | what Android thinks of the battery: 2 good, 3 too hot, 4 dead |
| `no_wifi` | | `wlan0` has no address |
| `no_tcpip` | | the daemon does not switch to TCP |
"""

from __future__ import annotations

from .context import Call, Handler

_FIRST: dict[str, str] = {
    "AC powered": "true",
    "USB powered": "false",
    "Wireless powered": "false",
    "Dock powered": "false",
    "Max charging current": "900000",
    "Max charging voltage": "5000000",
    "Charge counter": "3600000",
    "status": "2",
    "health": "2",
    "present": "true",
    "level": "87",
    "scale": "100",
    "voltage": "4210",
    "temperature": "264",
    "technology": "Li-ion",
}
_SETTABLE = {
    "ac": "AC powered", "usb": "USB powered", "wireless": "Wireless powered", "dock": "Dock powered", "status": "status",
    "level": "level", "present": "present", "counter": "Charge counter", "temp": "temperature", "invalid": "",
}  # fmt: skip
_POWERED = ("AC powered", "USB powered", "Wireless powered", "Dock powered")
_USAGE = (
    "Battery service (battery) commands:\n  set [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid] <value>"
)
_DATA_BLOCKS = 6082144


def battery(call: Call, args: list[str]) -> int:
    """`dumpsys battery`, and its commands `set`, `unplug`, `reset`."""
    changed = call.host.battery
    words = [arg for arg in args if arg != "-f"]
    if not words:
        call.line("Current Battery Service state:")
        if changed:
            call.line("  (UPDATES STOPPED -- use 'reset' to restart)")
        worn = call.host.faults.get("battery_health")
        told = {} if worn is None else {"health": str(worn.get("code", 4))}
        for name, value in (_FIRST | changed | told).items():
            call.line(f"  {name}: {value}")
        return 0
    if words[0] == "reset":
        changed.clear()
    elif words[0] == "unplug":
        changed.update(dict.fromkeys(_POWERED, "false"))
    elif words[0] == "set" and len(words) == 3 and words[1] in _SETTABLE:
        value = words[2]
        name = _SETTABLE[words[1]]
        if name in (*_POWERED, "present"):
            value = "true" if value not in ("0", "false") else "false"
        elif not value.lstrip("-").isdigit():
            call.line(f"Bad value: {value}")
            return 255
        if name:
            changed[name] = value
    else:
        call.line(_USAGE)
        return 255
    return 0


def df(call: Call) -> int:
    full = call.host.faults.get("storage_full")
    free = 4861448 if full is None else int(float(full.get("free_mb", 12)) * 1024)
    used = _DATA_BLOCKS - free - 16384
    paths = [arg for arg in call.args if not arg.startswith("-")] or ["/data", "/storage/emulated"]
    rows = []
    for path in paths:
        if path == "/data" or path.startswith("/data/"):
            rows.append(("/dev/block/dm-5", "/data"))
        elif call.phone.files.exists(call.shell.path(path)) or path.startswith("/storage"):
            rows.append(("/dev/fuse", "/storage/emulated"))
        else:
            call.err(f"df: {path}: No such file or directory")
    if rows:
        call.line("Filesystem      1K-blocks    Used Available Use% Mounted on")
    for device, mounted in rows:
        call.line(f"{device:<15} {_DATA_BLOCKS:>9} {used:>7} {free:>9} {round(used * 100 / _DATA_BLOCKS):>3}% {mounted}")
    return 0 if len(rows) == len(paths) else 1


def ip(call: Call) -> int:
    """The addresses. A virtual phone is reached over loopback, so that is the address of its Wi-Fi."""
    words = [arg for arg in call.args if arg not in ("-f", "inet", "-4", "-o")]
    if words[:1] in (["route"], ["r"]):
        if call.host.faults.get("no_wifi") is None:
            call.line("127.0.0.0/8 dev wlan0 proto kernel scope link src 127.0.0.1 ")
        return 0
    if words[:1] not in (["addr"], ["address"], ["a"]):
        call.err("usage: ip [ OPTIONS ] OBJECT { COMMAND | help }")
        return 255
    named = [word for word in words[1:] if word not in ("show", "dev")]
    if not named or named == ["lo"]:
        call.line("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000")
        call.line("    inet 127.0.0.1/8 scope host lo")
        call.line("       valid_lft forever preferred_lft forever")
    if named and named != ["lo"] and named != ["wlan0"]:
        return call.fail(f'Device "{named[0]}" does not exist.')
    if not named or named == ["wlan0"]:
        lost = call.host.faults.get("no_wifi") is not None
        state = "<NO-CARRIER,BROADCAST,MULTICAST,UP>" if lost else "<BROADCAST,MULTICAST,UP,LOWER_UP>"
        call.line(f"21: wlan0: {state} mtu 1500 qdisc mq state {'DOWN' if lost else 'UP'} group default qlen 3000")
        if not lost:
            call.line("    inet 127.0.0.1/8 brd 127.255.255.255 scope global wlan0")
            call.line("       valid_lft forever preferred_lft forever")
    return 0


def package_manager_is_down(call: Call) -> bool:
    return any(call.host.faults.get(name) is not None for name in ("booting", "no_package_manager"))


COMMANDS: dict[str, Handler] = {"df": df, "ip": ip}
