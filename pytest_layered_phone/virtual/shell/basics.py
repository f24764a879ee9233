"""Commands of the shell itself: output, tests, time, users, variables."""

from __future__ import annotations

import datetime
import re
import time

from .context import Call, Handler
from .files import reason_of

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_ID = "uid=2000(shell) gid=2000(shell) groups=2000(shell),1003(graphics),1004(input),1007(log),3003(inet) context=u:r:shell:s0"


def _unescape(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] == "x":
            return chr(int(code[1:], 16))
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        return _ESCAPES.get(code, "\\" + code)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", one, text, flags=re.DOTALL)


def echo(call: Call) -> int:
    args, newline, escapes = list(call.args), True, True
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags = args.pop(0)
        newline = newline and "n" not in flags
        escapes = "E" not in flags if "E" in flags else escapes
    text = " ".join(args)
    call.out((_unescape(text) if escapes else text) + ("\n" if newline else ""))
    return 0


def printf(call: Call) -> int:
    if not call.args:
        return call.fail("printf: Needs 1 argument")
    template, values = call.args[0], call.args[1:]
    code = 0

    def once(remaining: list[str]) -> str:
        def one(found: re.Match[str]) -> str:
            nonlocal code
            if found[0] == "%%":
                return "%"
            value = remaining.pop(0) if remaining else ""
            flags, kind = found[1], found[2]
            if kind in "di":
                try:
                    return f"%{flags}d" % int(value or "0", 0)
                except ValueError:
                    code = 1
                    return "0"
            if kind == "x":
                return f"%{flags}x" % int(value or "0", 0)
            return f"%{flags}s" % (_unescape(value) if kind == "b" else value)

        return re.sub(r"%([-0-9.]*)([sdibx])|%%", one, _unescape(template))

    remaining = list(values)
    call.out(once(remaining))
    while remaining and len(remaining) < len(values):
        before = len(remaining)
        call.out(once(remaining))
        if len(remaining) == before:
            break
    return code


def sleep(call: Call) -> int:
    if not call.args:
        return call.fail("sleep: Needs 1 argument")
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smhd]?)", call.args[0])
    if not found:
        return call.fail(f"sleep: bad number '{call.args[0]}'")
    call.sleep(float(found[1]) * units[found[2] or "s"])
    return 0


def date(call: Call) -> int:
    wrong = call.host.faults.get("clock")
    now = time.time() + (float(wrong.get("seconds", -1e9)) if wrong is not None else 0.0)
    for text in call.args:
        if text.startswith("+"):
            shown = text[1:].replace("%N", f"{time.time_ns() % 1_000_000_000:09d}").replace("%s", str(int(now)))
            call.line(datetime.datetime.fromtimestamp(now).astimezone().strftime(shown))
            return 0
    call.line(datetime.datetime.fromtimestamp(now).astimezone().strftime("%a %b %e %H:%M:%S %Z %Y"))
    return 0


def test(call: Call) -> int:
    args = list(call.args)
    if call.name == "[":
        if not args or args[-1] != "]":
            return call.fail("/system/bin/sh: [: missing ]", 2)
        args.pop()
    try:
        return 0 if _either(call, args) else 1
    except ValueError as error:
        return call.fail(f"/system/bin/sh: {call.name}: {error}", 2)


def _either(call: Call, args: list[str]) -> bool:
    for operator in ("-o", "-a"):
        if operator in args[1:-1]:
            at = args.index(operator, 1)
            left, right = _either(call, args[:at]), _either(call, args[at + 1 :])
            return (left or right) if operator == "-o" else (left and right)
    return _condition(call, args)


def _condition(call: Call, args: list[str]) -> bool:
    if not args:
        return False
    if args[0] == "!" and len(args) > 1:
        return not _condition(call, args[1:])
    if len(args) == 1:
        return bool(args[0])
    if len(args) == 2:
        operator, operand = args
        if operator in ("-n", "-z"):
            return bool(operand) == (operator == "-n")
        tree, path = call.phone.files, call.shell.path(operand)
        if operator in ("-e", "-f", "-d", "-s", "-r", "-w", "-x"):
            if not tree.exists(path):
                return False
            entry = tree.stat(path)
            return {"-f": not entry.is_dir, "-d": entry.is_dir, "-s": entry.size > 0}.get(operator, True)
        raise ValueError(f"{operator}: unexpected operator/operand")
    left, operator, right = args[0], args[1], args[2]
    if operator in ("=", "==", "!="):
        return (left == right) == (operator != "!=")
    numbers = {"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}
    if operator not in numbers:
        raise ValueError(f"{operator}: unexpected operator/operand")
    try:
        first, second = int(left), int(right)
    except ValueError:
        raise ValueError(f"{left if not left.lstrip('-').isdigit() else right}: bad number") from None
    return {
        "-eq": first == second,
        "-ne": first != second,
        "-lt": first < second,
        "-le": first <= second,
        "-gt": first > second,
        "-ge": first >= second,
    }[operator]


def sh(call: Call) -> int:
    from .interpreter import Shell

    inner = Shell(call.host, call.shell.find)
    inner.variables = dict(call.shell.variables)
    args = [arg for arg in call.args if arg not in ("-i", "-l", "-")]
    if args and args[0] in ("-c", "-ce", "-ec"):
        if len(args) < 2:
            return call.fail("/system/bin/sh: -c requires an argument")
        inner.arguments = args[3:]
        inner.name = args[2] if len(args) > 2 else inner.name
        return inner.run_with(args[1], call.stdin, call.stdout, call.stderr)
    if args:
        try:
            text = call.phone.files.read(call.shell.path(args[0])).decode("utf-8", "surrogateescape")
        except OSError as error:
            return call.fail(f"/system/bin/sh: can't open {args[0]}: {reason_of(error)}", 127)
        inner.arguments = args[1:]
        return inner.run_with(text, call.stdin, call.stdout, call.stderr)
    return inner.run_with(call.read_all().decode("utf-8", "surrogateescape"), call.stdin, call.stdout, call.stderr)


def cd(call: Call) -> int:
    target = call.shell.path(call.args[0] if call.args else "/")
    if target != "/" and not (call.phone.files.exists(target) and call.phone.files.stat(target).is_dir):
        return call.fail(f"/system/bin/sh: cd: {call.args[0]}: No such file or directory", 2)
    call.shell.variables["PWD"] = target
    return 0


def export(call: Call) -> int:
    for arg in call.args:
        name, equals, value = arg.partition("=")
        if equals:
            call.shell.variables[name] = value
    return 0


def environment(call: Call) -> int:
    for name in sorted(call.shell.variables):
        call.line(f"{name}={call.shell.variables[name]}")
    return 0


def evaluate(call: Call) -> int:
    return call.shell.run_text(" ".join(call.args), call.stdin, call.stdout, call.stderr)


def read(call: Call) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")] or ["REPLY"]
    text = call.read_all().decode("utf-8", "surrogateescape")
    fields = text.partition("\n")[0].split(None, len(names) - 1)
    for index, name in enumerate(names):
        call.shell.variables[name] = fields[index].rstrip() if index < len(fields) else ""
    return 0 if text else 1


def which(call: Call) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")]
    code = 0
    for name in names:
        if call.shell.find(name) is None:
            code = 1
        else:
            call.line(f"/system/bin/{name}")
    return code


def _say(text: str) -> Handler:
    def handler(call: Call) -> int:
        call.line(text)
        return 0

    return handler


def _code(code: int) -> Handler:
    return lambda call: code


def pwd(call: Call) -> int:
    call.line(call.shell.variables.get("PWD", "/"))
    return 0


def uptime(call: Call) -> int:
    seconds = int(time.time() - call.host.started_s)
    call.line(f" {time.strftime('%H:%M:%S')} up {seconds // 60} min,  0 users,  load average: 0.10, 0.08, 0.05")
    return 0


COMMANDS: dict[str, Handler] = {
    "echo": echo,
    "printf": printf,
    "sleep": sleep,
    "usleep": lambda call: sleep(call.called("sleep", [str(int(call.args[0]) / 1e6)] if call.args else [])),
    "date": date,
    "test": test,
    "[": test,
    "true": _code(0),
    ":": _code(0),
    "false": _code(1),
    "set": _code(0),
    "trap": _code(0),
    "wait": _code(0),
    "sync": _code(0),
    "umask": _code(0),
    "sh": sh,
    "cd": cd,
    "pwd": pwd,
    "export": export,
    "env": environment,
    "printenv": environment,
    "eval": evaluate,
    "read": read,
    "which": which,
    "type": which,
    "command": which,
    "id": lambda call: _say("2000")(call) if call.args[:1] == ["-u"] else _say(_ID)(call),
    "whoami": _say("shell"),
    "uname": lambda call: _say("Linux localhost 6.1.0 #1 SMP PREEMPT aarch64 Toybox" if call.args else "Linux")(call),
    "uptime": uptime,
    "nproc": _say("4"),
    "hostname": _say("localhost"),
}
