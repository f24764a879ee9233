"""`screencap` and `uiautomator`."""

from __future__ import annotations

import contextlib
import io
import struct
import threading

from ..adbd.protocol import Buffer
from .context import Call, Handler

_RGBA_8888 = 1
_SRGB = 1
_DEFAULT_DUMP = "/sdcard/window_dump.xml"
_TERMINALS = ("/dev/tty", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1")
_black_lock = threading.Lock()
_black_pngs: dict[tuple[int, int], bytes] = {}


def _black_png(size: tuple[int, int]) -> bytes:
    from PIL import Image

    with _black_lock:
        if size not in _black_pngs:
            held = io.BytesIO()
            Image.new("RGB", size).save(held, "PNG", compress_level=1)
            _black_pngs[size] = held.getvalue()
        return _black_pngs[size]


def screencap(call: Call) -> int:
    png = False
    operands: list[str] = []
    args = iter(call.args)
    for arg in args:
        if arg in ("-d", "--display-id"):
            next(args, None)
        elif arg in ("-p", "--png"):
            png = True
        elif arg in ("-h", "--help", "-?"):
            call.err("usage: screencap [-ahp] [-d display-id] [FILENAME]")
            return 1
        elif not arg.startswith("-"):
            operands.append(arg)
    broken = call.host.faults.get("screencap_fails")
    if broken is not None:
        return call.fail(str(broken.get("text", "Capturing failed.")), int(broken.get("exit", broken.get("code", 1))))
    png = png or bool(operands and operands[0].endswith(".png"))
    head, data = _capture(call, png)
    cut = call.host.faults.get("screencap_cut")
    if cut is not None:
        keep = cut.get("bytes")
        data = memoryview(data)[: int(keep) if keep is not None else int(len(data) * float(cut.get("fraction", 0.5)))]
    if operands:
        try:
            call.phone.files.write(call.shell.path(operands[0]), head + bytes(data))
        except OSError:
            return call.fail(f"Error opening file: {operands[0]} (Permission denied)")
        return 0
    if head:
        call.stdout.write(head)
    call.stdout.write(data)
    return 0


def _capture(call: Call, png: bool) -> tuple[bytes, Buffer]:
    """The header of a raw capture (none for PNG), and the picture."""
    secure = call.host.secure()
    if png:
        return b"", _black_png(call.phone.size()) if secure else call.phone.png()
    size, data = call.host.raw_frame()
    if secure:
        data = b"\0\0\0\xff" * (size[0] * size[1])
    return struct.pack("<4I", *size, _RGBA_8888, _SRGB), data


def uiautomator(call: Call) -> int:
    if call.args[:1] != ["dump"]:
        call.line("Usage: uiautomator <subcommand> [options]")
        return 1
    faults = call.host.faults
    if faults.get("uiautomator_busy") is not None:
        return 137  # Another automation client holds the service: the process is killed, it says nothing.
    moving = faults.get("uiautomator_not_idle")
    if moving is not None:
        call.sleep(float(moving.get("seconds", 0)))
        call.err("ERROR: could not get idle state.")
        return 0
    target = next((arg for arg in call.args[1:] if not arg.startswith("-")), _DEFAULT_DUMP)
    with call.host.lock:
        stale = faults.get("dump_stale") is not None and call.host.last_hierarchy is not None
        text = call.host.last_hierarchy if stale else call.phone.hierarchy()
        call.host.last_hierarchy = text
    if not text:
        call.err("ERROR: null root node returned by UiTestAutomationBridge.")
        return 0
    if target in _TERMINALS:
        call.out(text)
    else:
        # Where the file cannot be written Android only logs it, and says all the same that it has dumped.
        with contextlib.suppress(OSError):
            call.phone.files.write(call.shell.path(target), text.encode("utf-8"))
    call.line(f"UI hierchary dumped to: {target}")
    return 0


COMMANDS: dict[str, Handler] = {"screencap": screencap, "uiautomator": uiautomator}
