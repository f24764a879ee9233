"""`logcat` and `log`."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from ..logcat import LogLine
from .context import Call, Handler

_ORDER = "VDIWEFS"
_POLL_S = 0.1


@dataclass
class _Options:
    dump: bool = False
    clear: bool = False
    size: bool = False
    format: str = "threadtime"
    tail: int | None = None
    since: float | None = None
    pid: int | None = None
    pattern: re.Pattern[str] | None = None
    filters: dict[str, str] = field(default_factory=dict)


def parse_time(text: str) -> float | None:
    """Epoch seconds of what `-t` and `-T` take: seconds with a fraction, or `MM-DD hh:mm:ss.mmm` with or without a year."""
    if re.fullmatch(r"\d+\.\d+", text):
        return float(text)
    found = re.fullmatch(r"(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)", text)
    if not found:
        return None
    year = int(found[1]) if found[1] else time.localtime().tm_year
    numbers = [int(found[index]) for index in range(2, 7)]
    whole = time.mktime((year, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], 0, 0, -1))
    return whole + float("0." + found[7])


def _parse(args: list[str]) -> _Options | str:
    options = _Options()
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        key, equals, value = arg.partition("=")
        if re.fullmatch(r"-[vbtTem].+", arg):
            key, equals, value = arg[:2], "=", arg[2:]
        takes = {"-v", "--format", "-b", "--buffer", "-t", "-T", "-e", "--regex", "-m", "--pid", "-r", "-n", "-f"}
        if key in takes and not equals:
            if not rest:
                return f"logcat: option requires an argument -- '{key.lstrip('-')}'"
            value = rest.pop(0)
        if key in ("-d", "--dump", "-df"):
            options.dump = True
        elif key in ("-c", "--clear"):
            options.clear = True
        elif key in ("-g", "--buffer-size"):
            options.size = True
        elif key in ("-v", "--format"):
            for word in value.replace(",", " ").split():
                options.format = word if word not in _MODIFIERS or word == "epoch" else options.format
        elif key in ("-t", "-T"):
            options.dump = options.dump or key == "-t"
            if value.isdigit():
                options.tail = int(value)
            else:
                options.since = parse_time(value)
                if options.since is None:
                    return f"logcat: Invalid {key} value: {value}"
        elif key == "--pid":
            options.pid = int(value) if value.isdigit() else -1
        elif key in ("-e", "--regex"):
            options.pattern = re.compile(value)
        elif key == "-s":
            options.filters.setdefault("*", "S")
        elif not arg.startswith("-"):
            tag, _, priority = arg.partition(":")
            options.filters[tag] = (priority or "V").upper()[:1].replace("*", "V")
    return options


_MODIFIERS = {"epoch", "color", "descriptive", "monotonic", "printable", "uid", "usec", "UTC", "year", "zone"}


def render(line: LogLine, form: str) -> str:
    """One line in a format of logcat."""
    milliseconds = f"{line.epoch_s % 1:.3f}"[1:] if line.epoch_s % 1 < 0.9995 else ".999"
    clock = time.strftime("%m-%d %H:%M:%S", time.localtime(line.epoch_s)) + milliseconds
    if form == "epoch":
        return f"{line.epoch_s:19.3f} {line.pid:5d} {line.tid:5d} {line.priority} {line.tag:<8}: {line.text}"
    if form == "brief":
        return f"{line.priority}/{line.tag:<8}({line.pid:5d}): {line.text}"
    if form == "tag":
        return f"{line.priority}/{line.tag:<8}: {line.text}"
    if form == "process":
        return f"{line.priority}({line.pid:5d}) {line.text}  ({line.tag})"
    if form == "raw":
        return line.text
    if form == "time":
        return f"{clock} {line.priority}/{line.tag:<8}({line.pid:5d}): {line.text}"
    if form == "long":
        return f"[ {clock} {line.pid:5d}:{line.tid:5d} {line.priority}/{line.tag:<8} ]\n{line.text}\n"
    return f"{clock} {line.pid:5d} {line.tid:5d} {line.priority} {line.tag:<8}: {line.text}"


def _wanted(line: LogLine, options: _Options) -> bool:
    least = options.filters.get(line.tag, options.filters.get("*", "V"))
    if least == "S" or _ORDER.find(line.priority) < _ORDER.find(least):
        return False
    if options.pid is not None and line.pid != options.pid:
        return False
    return options.pattern is None or options.pattern.search(line.text) is not None


def logcat(call: Call) -> int:
    options = _parse(call.args)
    if isinstance(options, str):
        return call.fail(options)
    buffer = call.phone.logcat
    if options.clear:
        buffer.clear()
        return 0
    if options.size:
        call.line("main: ring buffer is 256 KiB (12 KiB consumed), max entry is 5120 B, max payload is 4068 B")
        return 0
    lines = [line for line in buffer.lines(options.since) if _wanted(line, options)]
    if options.tail is not None:
        lines = lines[-options.tail :] if options.tail else []
    call.line("--------- beginning of main")
    for line in lines:
        call.line(render(line, options.format))
    last = buffer.lines()[-1:] if not options.dump else []
    while not options.dump:
        # Ends when the client has gone: writing then raises.
        call.sleep(_POLL_S)
        found = buffer.lines()
        start = found.index(last[0]) + 1 if last and last[0] in found else 0
        for line in found[start:]:
            if _wanted(line, options):
                call.line(render(line, options.format))
        last = found[-1:]
        if call.shell.gone():
            return 0
    return 0


def log(call: Call) -> int:
    priority, tag, words = "I", "log", []
    args = iter(call.args)
    for arg in args:
        if arg == "-p":
            priority = next(args, "i").upper()[:1]
        elif arg == "-t":
            tag = next(args, "log")
        else:
            words.append(arg)
    call.phone.logcat.write(priority, tag, " ".join(words))
    return 0


COMMANDS: dict[str, Handler] = {"logcat": logcat, "log": log}
