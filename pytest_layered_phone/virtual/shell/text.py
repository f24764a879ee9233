"""Filters: cat, grep, head, tail, wc, base64, sort, uniq, tr, cut, tee, xargs."""

from __future__ import annotations

import base64
import binascii
import re
import shlex
from collections.abc import Iterator

from .context import Call, Handler
from .files import read_file, reason_of, split_options


def _inputs(call: Call, operands: list[str]) -> Iterator[tuple[str, bytes | OSError]]:
    for operand in operands or ["-"]:
        if operand == "-":
            yield operand, call.read_all()
        else:
            try:
                yield operand, read_file(call, operand)
            except OSError as error:
                yield operand, error


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1] if data.endswith(b"\n") else data.split(b"\n") if data else []


def cat(call: Call) -> int:
    code = 0
    operands = [arg for arg in call.args if not (arg.startswith("-") and len(arg) > 1)]
    for operand in operands or ["-"]:
        if operand == "-":
            while piece := call.stdin.read():
                call.stdout.write(piece)
            continue
        try:
            call.stdout.write(read_file(call, operand))
        except OSError as error:
            code = call.fail(f"cat: {operand}: {reason_of(error)}")
    return code


def grep(call: Call) -> int:
    options: set[str] = set()
    patterns: list[str] = []
    operands: list[str] = []
    limit = after = before = 0
    args = iter(call.args)
    for arg in args:
        if arg == "-e":
            patterns.append(next(args, ""))
        elif found := re.fullmatch(r"-([mABC])(\d*)", arg):
            number = int(found[2] or next(args, "0"))
            limit = number if found[1] == "m" else limit
            after = number if found[1] in "AC" else after
            before = number if found[1] in "BC" else before
        elif arg.startswith("-") and len(arg) > 1:
            options.update(arg[1:] if not arg.startswith("--") else [])
            if arg.endswith("e") and not arg.startswith("--"):
                patterns.append(next(args, ""))
        elif not patterns:
            patterns.append(arg)
        else:
            operands.append(arg)
    if not patterns:
        return call.fail("grep: no REGEX", 2)
    try:
        pattern = _regex([part for text in patterns for part in text.split("\n")], options)
    except re.error as error:
        return call.fail(f"grep: bad REGEX '{patterns[0]}': {error}", 2)
    code, named = 1, len(operands) > 1 and "h" not in options
    for name, data in _inputs(call, operands):
        if isinstance(data, OSError):
            call.err(f"grep: {name}: {reason_of(data)}")
            code = 2
            continue
        lines = _lines(data)
        hits = [index for index, line in enumerate(lines) if (pattern.search(line) is not None) != ("v" in options)]
        hits = hits[:limit] if limit else hits
        code = 0 if hits and code == 1 else code
        if "q" in options:
            continue
        head = f"{name}:".encode() if named else b""
        if "c" in options:
            call.stdout.write(head + f"{len(hits)}\n".encode())
        elif "l" in options:
            if hits:
                call.line(name)
        elif "o" in options:
            for index in hits:
                for found_bytes in pattern.finditer(lines[index]):
                    call.stdout.write(head + found_bytes[0] + b"\n")
        else:
            shown = sorted({line for hit in hits for line in range(max(0, hit - before), min(len(lines), hit + after + 1))})
            for position, index in enumerate(shown):
                if (after or before) and position and shown[position - 1] != index - 1:
                    call.line("--")
                prefix = f"{index + 1}:".encode() if "n" in options else b""
                call.stdout.write(head + prefix + lines[index] + b"\n")
    return code


def _regex(patterns: list[str], options: set[str]) -> re.Pattern[bytes]:
    texts: list[str] = []
    for pattern in patterns:
        if "F" in options:
            text = re.escape(pattern)
        elif "E" in options:
            text = pattern
        else:
            # A basic expression: \| \( \) \{ \} \+ \? are the operators, bare they are themselves.
            text = re.sub(r"\\([|(){}+?])|([|(){}+?])", lambda found: found[1] or "\\" + found[2], pattern)
        text = text.replace("[[:space:]]", r"\s").replace("[[:digit:]]", r"\d")
        if "w" in options:
            text = rf"\b(?:{text})\b"
        texts.append(f"^(?:{text})$" if "x" in options else text)
    return re.compile("|".join(texts).encode("utf-8", "surrogateescape"), re.IGNORECASE if "i" in options else 0)


def head_tail(call: Call) -> int:
    count, by_bytes, from_start = 10, False, False
    operands: list[str] = []
    args = iter(call.args)
    for arg in args:
        if arg in ("-n", "-c"):
            value = next(args, "10")
        elif found := re.fullmatch(r"-(n|c)?(\+?-?\d+)", arg):
            value = found[2]
            arg = f"-{found[1] or 'n'}"
        else:
            operands.append(arg)
            continue
        by_bytes = arg == "-c"
        from_start = value.startswith("+")
        try:
            count = int(value)
        except ValueError:
            return call.fail(f"{call.name}: bad number '{value}'")
    code = 0
    for name, data in _inputs(call, operands):
        if isinstance(data, OSError):
            code = call.fail(f"{call.name}: {name}: {reason_of(data)}")
            continue
        pieces: list[bytes] = [bytes([byte]) for byte in data] if by_bytes else data.splitlines(keepends=True)
        if call.name == "head":
            pieces = pieces[:count]
        elif from_start:
            pieces = pieces[max(0, count - 1) :]
        else:
            pieces = pieces[-count:] if count else []
        call.stdout.write(b"".join(pieces))
    return code


def wc(call: Call) -> int:
    options, operands = split_options(call.args)
    code = 0
    for name, data in _inputs(call, operands):
        if isinstance(data, OSError):
            code = call.fail(f"wc: {name}: {reason_of(data)}")
            continue
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data), "m": len(data.decode("utf-8", "replace"))}
        wanted = [letter for letter in "lwmc" if letter in options] or ["l", "w", "c"]
        shown = " ".join(str(counts[letter]) for letter in wanted)
        call.line(shown if name == "-" else f"{shown} {name}")
    return code


def base64_(call: Call) -> int:
    args = list(call.args)
    width = 76
    if "-w" in args:
        at = args.index("-w")
        width = int(args[at + 1]) if at + 1 < len(args) and args[at + 1].isdigit() else 76
        del args[at : at + 2]
    widths = [arg for arg in args if re.fullmatch(r"-w\d+", arg)]
    if widths:
        width = int(widths[0][2:])
    options, operands = split_options([arg for arg in args if arg not in widths])
    for name, data in _inputs(call, operands):
        if isinstance(data, OSError):
            return call.fail(f"base64: {name}: {reason_of(data)}")
        if "d" in options or "--decode" in options:
            try:
                call.stdout.write(base64.b64decode(b"".join(data.split()), validate=True))
            except binascii.Error:
                return call.fail("base64: bad input")
            continue
        text = base64.b64encode(data)
        lines = [text[at : at + width] for at in range(0, len(text), width)] if width else [text]
        call.stdout.write(b"\n".join(lines) + (b"\n" if width else b""))
    return 0


def sort(call: Call) -> int:
    options, operands = split_options(call.args)
    lines = [line for _, data in _inputs(call, operands) if isinstance(data, bytes) for line in _lines(data)]

    def rank(line: bytes) -> tuple[float, bytes]:
        found = re.match(rb"\s*-?\d+(\.\d+)?", line) if "n" in options else None
        return float(found[0]) if found else 0.0, line

    lines.sort(key=rank, reverse="r" in options)
    for line in dict.fromkeys(lines) if "u" in options else lines:
        call.stdout.write(line + b"\n")
    return 0


def uniq(call: Call) -> int:
    options, operands = split_options(call.args)
    runs: list[tuple[bytes, int]] = []
    for _, data in _inputs(call, operands):
        for line in _lines(data) if isinstance(data, bytes) else []:
            if runs and runs[-1][0] == line:
                runs[-1] = (line, runs[-1][1] + 1)
            else:
                runs.append((line, 1))
    for line, count in runs:
        call.stdout.write((f"{count:7d} ".encode() if "c" in options else b"") + line + b"\n")
    return 0


def tr(call: Call) -> int:
    options, operands = split_options(call.args)
    text = call.read_all().decode("utf-8", "surrogateescape")
    sets = [_char_set(operand) for operand in operands]
    if "s" in options and len(sets) == 1:
        call.out(re.sub(f"([{re.escape(sets[0])}])\\1+", r"\1", text) if sets[0] else text)
    elif "d" in options and sets:
        call.out("".join(char for char in text if char not in sets[0]))
    elif len(sets) == 2 and sets[1]:
        table = {ord(char): sets[1][min(index, len(sets[1]) - 1)] for index, char in enumerate(sets[0])}
        call.out(text.translate(table))
    else:
        return call.fail("tr: Needs 2 arguments")
    return 0


def _char_set(text: str) -> str:
    text = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
    return re.sub(r"(.)-(.)", lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), text, flags=re.DOTALL)


def cut(call: Call) -> int:
    delimiter, fields = "\t", ""
    args = iter(call.args)
    for arg in args:
        if arg.startswith("-d"):
            delimiter = arg[2:] or next(args, "\t")
        elif arg.startswith("-f"):
            fields = arg[2:] or next(args, "")
    wanted: set[int] = set()
    for piece in fields.split(","):
        first, dash, last = piece.partition("-")
        wanted.update(range(int(first or 1), (int(last or 99) if dash else int(first or 1)) + 1))
    for line in _lines(call.read_all()):
        pieces = line.decode("utf-8", "surrogateescape").split(delimiter)
        chosen = [piece for index, piece in enumerate(pieces, 1) if index in wanted]
        call.line(delimiter.join(chosen) if len(pieces) > 1 else pieces[0])
    return 0


def tee(call: Call) -> int:
    options, operands = split_options(call.args)
    data = call.read_all()
    call.stdout.write(data)
    tree, code = call.phone.files, 0
    for operand in operands:
        path = call.shell.path(operand)
        try:
            old = tree.read(path) if "a" in options and tree.exists(path) else b""
            tree.write(path, old + data)
        except OSError as error:
            code = call.fail(f"tee: {operand}: {reason_of(error)}")
    return code


def xargs(call: Call) -> int:
    words = call.read_all().decode("utf-8", "surrogateescape").split()
    command = " ".join(shlex.quote(word) for word in (call.args or ["echo"]) + words)
    return call.shell.run_text(command, call.stdin, call.stdout, call.stderr)


COMMANDS: dict[str, Handler] = {
    "cat": cat,
    "grep": grep,
    "egrep": lambda call: grep(call.called("grep", ["-E", *call.args])),
    "fgrep": lambda call: grep(call.called("grep", ["-F", *call.args])),
    "head": head_tail,
    "tail": head_tail,
    "wc": wc,
    "base64": base64_,
    "sort": sort,
    "uniq": uniq,
    "tr": tr,
    "cut": cut,
    "tee": tee,
    "xargs": xargs,
}
