"""`screencap` and `uiautomator`."""

from __future__ import annotations

import contextlib
import io
import struct
import threading

from PIL import Image

from ..adbd.protocol import Buffer
from ..panels import SECOND_TEXT, WARNING, Panel, second_windows, still_picture
from .context import Call, Handler

_RGBA_8888 = 1
_SRGB = 1
_DEFAULT_DUMP = "/sdcard/window_dump.xml"
_JPEG_SDK = 34
_USAGE = "usage: screencap [-ahpj] [-d display-id] [FILENAME]"
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
    form, chosen = "raw", ""
    operands: list[str] = []
    args = iter(call.args)
    for arg in args:
        if arg in ("-d", "--display-id"):
            chosen = next(args, "")
        elif arg in ("-p", "--png"):
            form = "png"
        elif arg == "-j" and call.phone.spec.sdk >= _JPEG_SDK and call.host.faults.get("screencap_no_jpeg") is None:
            form = "jpeg"
        elif arg.startswith("-j"):
            call.err(f"screencap: invalid option -- {arg[1:]}\n{_USAGE}")
            return 1
        elif arg in ("-h", "--help", "-?"):
            call.err(_USAGE)
            return 1
        elif not arg.startswith("-"):
            operands.append(arg)
    broken = call.host.faults.get("screencap_fails")
    if broken is not None:
        return call.fail(str(broken.get("text", "Capturing failed.")), int(broken.get("exit", broken.get("code", 1))))
    if operands and operands[0].endswith(".png"):
        form = "png"
    panels = call.host.panels()
    found = [panel for panel in panels if panel.id == chosen]
    if chosen and not found:
        return call.fail(f"Display Id '{chosen}' is not valid.")
    if len(panels) > 1 and not chosen:
        call.stderr.write(WARNING.encode())
        call.stderr.flush()
    panel = (found or panels)[0]
    head, data = _capture(call, form) if panel.logical == 0 else _elsewhere(panel, form)
    if call.host.faults.get("screencap_wrong") is not None:
        middle = len(data) // 2
        data = b"".join((memoryview(data)[:middle], b"wrong bytes", memoryview(data)[middle + 3 :]))
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


def _elsewhere(panel: Panel, form: str) -> tuple[bytes, Buffer]:
    """The picture of a panel that the apps are not on: a word on a second display, black where it is dark."""
    picture = still_picture(panel.size, "" if panel.logical is None else SECOND_TEXT)
    if form == "raw":
        return struct.pack("<4I", *panel.size, _RGBA_8888, _SRGB), picture.convert("RGBA").tobytes()
    return b"", _encoded(picture, form)


def _encoded(picture: Image.Image, form: str) -> bytes:
    held = io.BytesIO()
    picture.save(held, form.upper(), **({"quality": 90} if form == "jpeg" else {"compress_level": 1}))
    return held.getvalue()


def _capture(call: Call, form: str) -> tuple[bytes, Buffer]:
    """The header of a raw capture (none for the others), and the picture."""
    secure = call.host.secure()
    if form == "jpeg":
        return b"", _encoded(still_picture(call.phone.size(), "") if secure else call.phone.frame(), form)
    if form == "png":
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
    windows = "--windows" in call.args and faults.get("dump_no_windows") is None
    with call.host.lock:
        stale = faults.get("dump_stale") is not None and call.host.last_hierarchy is not None
        text = call.host.last_hierarchy if stale else call.phone.hierarchy()
        call.host.last_hierarchy = text
    if not text:
        call.err("ERROR: null root node returned by UiTestAutomationBridge.")
        return 0
    if windows:
        text = second_windows(text)
    if target in _TERMINALS:
        call.out(text)
    else:
        # Where the file cannot be written Android only logs it, and says all the same that it has dumped.
        with contextlib.suppress(OSError):
            call.phone.files.write(call.shell.path(target), text.encode("utf-8"))
    call.line(f"UI hierchary dumped to: {target}")
    return 0


COMMANDS: dict[str, Handler] = {"screencap": screencap, "uiautomator": uiautomator}
