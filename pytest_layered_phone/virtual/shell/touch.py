"""`input`: taps, gestures, keys and text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from .context import Call, Handler, java_exception

_SOURCES = {
    "touchscreen", "touchpad", "touchnavigation", "keyboard", "mouse", "dpad", "gamepad", "joystick", "stylus", "trackball",
    "rotaryencoder",
}  # fmt: skip
_COMBINATIONS_SDK = 31
_CTRL, _A = {113, 114}, 29
_SERVER = "com.android.server.input"
_FRAMES = (f"{_SERVER}.InputShellCommand.onCommand", f"{_SERVER}.InputManagerService.onShellCommand")
_KEYS = {
    "UNKNOWN": 0, "SOFT_LEFT": 1, "SOFT_RIGHT": 2, "HOME": 3, "BACK": 4, "CALL": 5, "ENDCALL": 6, "STAR": 17, "POUND": 18,
    "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23, "VOLUME_UP": 24, "VOLUME_DOWN": 25,
    "POWER": 26, "CAMERA": 27, "CLEAR": 28, "COMMA": 55, "PERIOD": 56, "ALT_LEFT": 57, "ALT_RIGHT": 58, "SHIFT_LEFT": 59,
    "SHIFT_RIGHT": 60, "TAB": 61, "SPACE": 62, "ENTER": 66, "DEL": 67, "GRAVE": 68, "MINUS": 69, "EQUALS": 70, "MENU": 82,
    "NOTIFICATION": 83, "SEARCH": 84, "PAGE_UP": 92, "PAGE_DOWN": 93, "ESCAPE": 111, "FORWARD_DEL": 112, "CTRL_LEFT": 113,
    "CTRL_RIGHT": 114, "MOVE_HOME": 122, "MOVE_END": 123, "FORWARD": 125, "VOLUME_MUTE": 164, "APP_SWITCH": 187,
    "SLEEP": 223, "WAKEUP": 224, "CUT": 277, "COPY": 278, "PASTE": 279,
}  # fmt: skip
_KEYS |= {str(digit): 7 + digit for digit in range(10)}
_KEYS |= {chr(ord("A") + index): 29 + index for index in range(26)}
_NAMES = {code: name for name, code in _KEYS.items()}


class _Missing(Exception):
    """An argument is missing; holds the argument before it."""


def key_code(text: str) -> int:
    """The code of a key named by number, `KEYCODE_HOME` or `HOME`; 0 where there is no such key, as Android does."""
    if text.isdigit():
        return int(text)
    return _KEYS.get(text.upper().removeprefix("KEYCODE_"), 0)


def unescape_text(text: str) -> str:
    """What `input text` makes of its argument: each `%s` is a space."""
    out: list[str] = []
    escaped = False
    for char in text:
        if escaped and char == "s":
            out[-1] = " "
            escaped = False
            continue
        escaped = char == "%"
        out.append(char)
    return "".join(out)


def input_(call: Call) -> int:
    args = list(call.args)
    if args and args[0] in _SOURCES:
        args.pop(0)
    display = args[1] if args[:1] == ["-d"] and len(args) > 1 else "0"
    if args[:1] == ["-d"]:
        del args[:2]
    if not args:
        call.err("Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]")
        return 255
    command, rest = args[0], args[1:]
    handlers: dict[str, Callable[[Call, str, list[str]], int]] = {
        "tap": _tap,
        "swipe": _swipe,
        "draganddrop": _swipe,
        "text": _text,
        "keyevent": _keyevent,
        "keycombination": _combination,
        "motionevent": _motion,
        "press": lambda call, command, args: 0,
        "roll": lambda call, command, args: 0,
    }
    if command not in handlers or (command == "keycombination" and not _combines(call)):
        call.line(f"Unknown command: {command}")
        return 255
    if display.isdigit() and int(display) > 0:
        # It reaches none of our apps; a display that does not exist swallows it, as on a phone.
        with call.host.actions.note(f"{command} elsewhere", display=int(display), arguments=rest):
            return 0
    try:
        return handlers[command](call, command, rest)
    except _Missing as missing:
        words = f'java.lang.IllegalArgumentException: Argument expected after "{missing}"'
        return java_exception(call, command, words, _FRAMES)
    except (ValueError, OverflowError) as error:
        wrong = str(error).rpartition(": ")[2].strip("'\"")
        return java_exception(call, command, f'java.lang.NumberFormatException: For input string: "{wrong}"', _FRAMES)


def _combines(call: Call) -> bool:
    return call.phone.spec.sdk >= _COMBINATIONS_SDK and call.phone.faults.get("no_keycombination") is None


def _numbers(command: str, args: list[str], count: int) -> list[int]:
    if len(args) < count:
        raise _Missing(args[-1] if args else command)
    return [int(float(text)) for text in args[:count]]


def _tap(call: Call, command: str, args: list[str]) -> int:
    x, y = _numbers(command, args, 2)
    with call.host.actions.note("tap", x=x, y=y):
        call.phone.tap(x, y)
    return 0


def _swipe(call: Call, command: str, args: list[str]) -> int:
    x1, y1, x2, y2 = _numbers(command, args, 4)
    duration = int(args[4]) if len(args) > 4 else 300
    if duration < 0:
        duration = 300
    with call.host.actions.note("swipe", x1=x1, y1=y1, x2=x2, y2=y2, duration_ms=duration):
        call.sleep(duration / 1000)
        call.phone.swipe(x1, y1, x2, y2, duration)
    return 0


def _text(call: Call, command: str, args: list[str]) -> int:
    if not args:
        raise _Missing(command)
    text = unescape_text(args[0])
    if any(ord(char) > 126 or (ord(char) < 32 and char not in "\n\t") for char in text):
        # The virtual keyboard has no keys for it: getEvents gives null, and Android does not check for that.
        frames = (f"{_SERVER}.InputShellCommand.sendText", f"{_SERVER}.InputShellCommand.runText")
        words = "java.lang.NullPointerException: Attempt to get length of null array"
        return java_exception(call, command, words, (*frames, *_FRAMES))
    with call.host.actions.note("text", text=text) as details:
        # Line breaks and tabs are keys of that keyboard like any other: what they do is up to the field.
        done = True
        for piece in re.split("([\n\t])", text):
            if piece in ("\n", "\t"):
                call.phone.key(66 if piece == "\n" else 61)
            elif piece:
                done = call.phone.type_text(piece) and done
        details["typed"] = done
    return 0


def _keyevent(call: Call, command: str, args: list[str]) -> int:
    keys = [arg for arg in args if not arg.startswith("--")]
    if not keys:
        raise _Missing(args[-1] if args else command)
    for text in keys:
        code = key_code(text)
        with call.host.actions.note("key", code=code, name=_NAMES.get(code, text)):
            call.phone.key(code)
    return 0


def _combination(call: Call, command: str, args: list[str]) -> int:
    keys = [arg for arg in args if not arg.startswith("-")]
    if len(keys) < 2:
        return java_exception(call, command, "java.lang.IllegalArgumentException: keycombination requires 2 keys", _FRAMES)
    codes = [key_code(text) for text in keys]
    for code in codes:
        with call.host.actions.note("key", code=code, name=_NAMES.get(code, str(code))):
            pass
    if codes[0] in _CTRL and codes[1:] == [_A]:
        call.phone.select_all()
    return 0


def _motion(call: Call, command: str, args: list[str]) -> int:
    if not args:
        raise _Missing(command)
    event = args[0].upper()
    if event not in ("DOWN", "MOVE", "UP", "CANCEL"):
        return java_exception(call, command, f"java.lang.IllegalArgumentException: Unknown action: {args[0]}", _FRAMES)
    x, y = _numbers(args[0], args[1:], 2) if event != "CANCEL" or len(args) > 2 else (0, 0)
    host = call.host
    with host.lock:
        began = host.gesture
        if event == "DOWN":
            host.gesture = (time.monotonic(), x, y)
        elif event in ("UP", "CANCEL"):
            host.gesture = None
    if event == "UP" and began is not None:
        started, x1, y1 = began
        duration = int((time.monotonic() - started) * 1000)
        if abs(x - x1) + abs(y - y1) < 16 and duration < 400:
            return _tap(call, command, [str(x1), str(y1)])
        with host.actions.note("swipe", x1=x1, y1=y1, x2=x, y2=y, duration_ms=duration):
            call.phone.swipe(x1, y1, x, y, duration)
    return 0


COMMANDS: dict[str, Handler] = {"input": input_}
