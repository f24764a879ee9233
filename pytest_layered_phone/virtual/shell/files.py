"""Commands on the phone's files."""

from __future__ import annotations

import hashlib
import posixpath
import stat
import time
from collections.abc import Callable

from ..files import VirtualFile
from .context import Call, Handler

_HIDDEN = frozenset({"/data", "/data/app", "/data/data", "/dev", "/acct", "/mnt", "/proc/1"})
_SYSTEM_TOP = ("acct", "apex", "data", "dev", "mnt", "proc", "product", "sdcard", "storage", "sys", "system", "vendor")
_READABLE: dict[str, Callable[[Call], str]] = {
    "/proc/uptime": lambda call: f"{time.time() - call.host.started_s:.2f} {time.time() - call.host.started_s:.2f}\n",
    "/proc/version": lambda call: "Linux version 6.1.0 (build@localhost) #1 SMP PREEMPT\n",
    "/proc/meminfo": lambda call: "MemTotal:        4012345 kB\nMemFree:         1203456 kB\nMemAvailable:    2203456 kB\n",
}


def reason_of(error: OSError) -> str:
    """The words of the C library for an error of the tree."""
    if isinstance(error, IsADirectoryError):
        return "Is a directory"
    if isinstance(error, NotADirectoryError):
        return "Not a directory"
    return "No such file or directory"


def split_options(args: list[str]) -> tuple[set[str], list[str]]:
    """Short options as single letters, and the operands."""
    options: set[str] = set()
    operands: list[str] = []
    for index, arg in enumerate(args):
        if arg == "--":
            operands.extend(args[index + 1 :])
            break
        if arg.startswith("-") and len(arg) > 1:
            options.update(arg[1:] if not arg.startswith("--") else [arg])
        else:
            operands.append(arg)
    return options, operands


def read_file(call: Call, path: str) -> bytes:
    """The bytes of a file, also of the few that lie outside the tree. Raises OSError."""
    if path in _READABLE:
        return _READABLE[path](call).encode()
    return call.phone.files.read(call.shell.path(path))


def _mode(entry: VirtualFile) -> str:
    return stat.filemode(entry.mode)


def _when(mtime: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(mtime))


def ls(call: Call) -> int:
    options, operands = split_options(call.args)
    tree, code = call.phone.files, 0
    for operand in operands or ["."]:
        path = call.shell.path(operand)
        if path == "/":
            for name in _SYSTEM_TOP:
                call.line(name)
            continue
        if path in _HIDDEN:
            call.err(f"ls: {operand}: Permission denied")
            code = 1
            continue
        try:
            entry = tree.stat(path)
            entries = tree.list(path) if entry.is_dir and "d" not in options else None
        except OSError as error:
            call.err(f"ls: {operand}: {reason_of(error)}")
            code = 1
            continue
        if len(operands) > 1 and entries is not None:
            call.line(f"{operand}:")
        if "l" in options and entries is not None:
            call.line(f"total {sum((one.size + 1023) // 1024 for one in entries)}")
        if "t" in options and entries is not None:
            entries = sorted(entries, key=lambda one: -one.mtime)
        for one in [entry] if entries is None else entries:
            name = operand if entries is None else posixpath.basename(one.path)
            if "l" in options:
                links = 2 if one.is_dir else 1
                name = f"{_mode(one)} {links} shell shell {one.size:>8} {_when(one.mtime)} {name}"
            call.line(name)
    return code


def rm(call: Call) -> int:
    options, operands = split_options(call.args)
    if not operands:
        return 0 if "f" in options else call.fail("rm: Needs 1 argument")
    tree, code = call.phone.files, 0
    for operand in operands:
        path = call.shell.path(operand)
        try:
            if tree.stat(path).is_dir and not options & {"r", "R"}:
                call.err(f"rm: {operand}: is directory")
                code = 1
            else:
                tree.delete(path)
        except OSError as error:
            if "f" not in options:
                call.err(f"rm: {operand}: {reason_of(error)}")
                code = 1
    return code


def mkdir(call: Call) -> int:
    options, operands = split_options(call.args)
    if not operands:
        return call.fail("mkdir: Needs 1 argument")
    tree, code = call.phone.files, 0
    for operand in operands:
        path = call.shell.path(operand)
        try:
            if tree.exists(path) and "p" not in options:
                call.err(f"mkdir: '{operand}': File exists")
                code = 1
            elif "p" not in options and not tree.exists(posixpath.dirname(path)):
                call.err(f"mkdir: '{operand}': No such file or directory")
                code = 1
            else:
                tree.mkdir(path)
        except OSError as error:
            reason = "Read-only file system" if isinstance(error, FileNotFoundError) else reason_of(error)
            call.err(f"mkdir: '{operand}': {reason}")
            code = 1
    return code


def stat_(call: Call) -> int:
    args = list(call.args)
    form: str | None = None
    if args[:1] == ["-c"]:
        if len(args) < 2:
            return call.fail("stat: Missing argument to -c")
        form = args[1]
        args = args[2:]
    if not args:
        return call.fail("stat: Needs 1 argument")
    code = 0
    for operand in args:
        try:
            entry = call.phone.files.stat(call.shell.path(operand))
        except OSError as error:
            call.err(f"stat: '{operand}': {reason_of(error)}")
            code = 1
            continue
        kind = "directory" if entry.is_dir else "regular file"
        when = time.strftime("%Y-%m-%d %H:%M:%S.000000000 %z", time.localtime(entry.mtime))
        if form is not None:
            values = {"%s": str(entry.size), "%n": operand, "%Y": str(entry.mtime), "%a": f"{entry.mode & 0o777:o}"}
            values |= {"%A": _mode(entry), "%F": kind, "%y": when, "%U": "shell", "%G": "shell"}
            shown = form
            for key, value in values.items():
                shown = shown.replace(key, value)
            call.line(shown)
            continue
        call.line(f"  File: {operand}")
        call.line(f"  Size: {entry.size}\t Blocks: {(entry.size + 511) // 512}\t IO Blocks: 512\t{kind}")
        call.line(f"Access: (0{entry.mode & 0o777:o}/{_mode(entry)})\tUid: ( 2000/   shell)\tGid: ( 2000/   shell)")
        call.line(f"Modify: {when}")
    return code


def touch(call: Call) -> int:
    tree, code = call.phone.files, 0
    for operand in split_options(call.args)[1]:
        path = call.shell.path(operand)
        try:
            if not (tree.exists(path) and tree.stat(path).is_dir):
                tree.write(path, tree.read(path) if tree.exists(path) else b"")
        except OSError:
            code = call.fail(f"touch: '{operand}': Read-only file system")
    return code


def copy(call: Call) -> int:
    operands = split_options(call.args)[1]
    if len(operands) < 2:
        return call.fail(f"{call.name}: Needs 2 arguments")
    tree, code = call.phone.files, 0
    target = call.shell.path(operands[-1])
    for operand in operands[:-1]:
        source = call.shell.path(operand)
        try:
            into = tree.exists(target) and tree.stat(target).is_dir
            tree.write(posixpath.join(target, posixpath.basename(source)) if into else target, tree.read(source))
            if call.name == "mv":
                tree.delete(source)
        except OSError as error:
            code = call.fail(f"{call.name}: bad '{operand}': {reason_of(error)}")
    return code


def digest(call: Call) -> int:
    kind = call.name.removesuffix("sum")
    code = 0
    for operand in split_options(call.args)[1] or ["-"]:
        try:
            data = call.read_all() if operand == "-" else read_file(call, operand)
        except OSError as error:
            code = call.fail(f"{call.name}: {operand}: {reason_of(error)}")
            continue
        call.line(f"{hashlib.new(kind, data, usedforsecurity=False).hexdigest()}  {operand}")
    return code


COMMANDS: dict[str, Handler] = {
    "ls": ls,
    "rm": rm,
    "rmdir": rm,
    "mkdir": mkdir,
    "stat": stat_,
    "touch": touch,
    "cp": copy,
    "mv": copy,
    "md5sum": digest,
    "sha1sum": digest,
    "sha256sum": digest,
    "chmod": lambda call: 0,
}
