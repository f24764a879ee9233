"""Runs parsed scripts: expansion of words, redirections, pipes, lists and the builtins that change the shell itself."""

from __future__ import annotations

import fnmatch
import glob
import posixpath
from collections.abc import Callable

from ..adbd.shellv2 import Channel
from ..host import PhoneHost
from . import syntax, tree
from .arithmetic import ArithmeticFault, evaluate
from .context import BufferOutput, BytesInput, Call, ChannelInput, ChannelOutput, Handler, Input, NullOutput, Output
from .words import ShellSyntaxError

SHELL = "/system/bin/sh"
_ENVIRONMENT = {
    "HOME": "/",
    "USER": "shell",
    "SHELL": SHELL,
    "HOSTNAME": "vphone",
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin",
    "EXTERNAL_STORAGE": "/sdcard",
    "TMPDIR": "/data/local/tmp",
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "PWD": "/",
    "IFS": " \t\n",
}
_MAX_ROUNDS = 100_000


class ExitShell(Exception):
    """`exit` was called."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class LoopControl(Exception):
    """`break` or `continue`."""


class Shell:
    """One shell: its variables, its directory, the last exit code.

    Args:
        host: the phone that it runs on.
        find: gives the handler of a command, None where there is no such command.
    """

    def __init__(self, host: PhoneHost, find: Callable[[str], Handler | None]) -> None:
        self.host = host
        self.find = find
        self.variables = dict(_ENVIRONMENT)
        self.arguments: list[str] = []
        self.code = 0
        self.name = SHELL
        self.gone: Callable[[], bool] = lambda: False

    # -- entrances ---------------------------------------------------------------------------------------------------------

    def run(self, text: str, channel: Channel) -> int:
        """Runs a script whose input and outputs are the channel's. Returns the exit code; does not send it."""
        stdout, stderr = ChannelOutput(channel, error=False), ChannelOutput(channel, error=True)
        return self.run_with(text, ChannelInput(channel), stdout, stderr)

    def run_with(self, text: str, stdin: Input, stdout: Output, stderr: Output) -> int:
        """Runs a script; `exit` ends it. Returns the exit code."""
        try:
            return self.run_text(text, stdin, stdout, stderr)
        except ExitShell as left:
            self.code = left.code
            return left.code

    def run_text(self, text: str, stdin: Input, stdout: Output, stderr: Output) -> int:
        """As `run_with`, but `exit` is raised on."""
        try:
            script = syntax.parse(text)
        except (ShellSyntaxError, RecursionError) as error:
            words = str(error) if isinstance(error, ShellSyntaxError) else "syntax error: too deep"
            stderr.write(f"{self.name}: {words}\n".encode("utf-8", "surrogateescape"))
            self.code = 1
            return 1
        return self._script(script, stdin, stdout, stderr)

    # -- lists -------------------------------------------------------------------------------------------------------------

    def _script(self, script: tree.Script, stdin: Input, stdout: Output, stderr: Output) -> int:
        for item in script.items:
            self.code = self._pipeline(item.first, stdin, stdout, stderr)
            for operator, pipeline in item.rest:
                if (operator == "&&") == (self.code == 0):
                    self.code = self._pipeline(pipeline, stdin, stdout, stderr)
        return self.code

    def _pipeline(self, pipeline: tree.Pipeline, stdin: Input, stdout: Output, stderr: Output) -> int:
        code = 0
        last = len(pipeline.commands) - 1
        for index, command in enumerate(pipeline.commands):
            if index == last:
                code = self._in_pipe(command, stdin, stdout, stderr, alone=last == 0)
            else:
                held = BufferOutput()
                self._in_pipe(command, stdin, held, stderr, alone=False)
                stdin = BytesInput(held.value())
        return int(not code) if pipeline.negated else code

    def _in_pipe(self, command: tree.Command, stdin: Input, stdout: Output, stderr: Output, *, alone: bool) -> int:
        if alone:
            return self._command(command, stdin, stdout, stderr)
        saved = dict(self.variables)
        try:
            return self._command(command, stdin, stdout, stderr)
        except ExitShell as left:
            return left.code
        finally:
            self.variables = saved

    # -- commands ----------------------------------------------------------------------------------------------------------

    def _command(self, command: tree.Command, stdin: Input, stdout: Output, stderr: Output) -> int:
        files: list[tuple[str, bool, BufferOutput]] = []
        outputs: dict[int, Output] = {1: stdout, 2: stderr}
        for redirect in command.redirects:
            target = "".join(self._expand(redirect.target, stdin, stderr))
            if redirect.operator in ("<", "<&"):
                if redirect.operator == "<":
                    try:
                        stdin = BytesInput(b"" if target == "/dev/null" else self.host.phone.files.read(target))
                    except OSError as error:
                        return self._cannot(stderr, "open", target, error)
            elif redirect.operator == ">&":
                outputs[redirect.fd] = outputs.get(int(target), stdout) if target.isdigit() else NullOutput()
            else:
                output = self._open_output(target, files, append=redirect.operator == ">>", stdout=stdout, stderr=stderr)
                if output is None:
                    return 1
                outputs[redirect.fd] = output
                if redirect.operator == "&>":
                    outputs[2] = output
        try:
            return self._run(command, stdin, outputs[1], outputs[2])
        finally:
            self._write_files(files, stderr)

    def _open_output(
        self, target: str, files: list[tuple[str, bool, BufferOutput]], *, append: bool, stdout: Output, stderr: Output
    ) -> Output | None:
        if target == "/dev/null":
            return NullOutput()
        if target in ("/dev/stdout", "/dev/tty", "/proc/self/fd/1"):
            return stdout
        if target == "/dev/stderr":
            return stderr
        path = self.path(target)
        disk = self.host.phone.files
        try:
            if not (append and disk.exists(path)):
                disk.write(path, b"")
        except OSError as error:
            self._cannot(stderr, "create", target, error)
            return None
        held = BufferOutput()
        files.append((path, append, held))
        return held

    def _write_files(self, files: list[tuple[str, bool, BufferOutput]], stderr: Output) -> None:
        disk = self.host.phone.files
        for path, append, held in files:
            try:
                old = disk.read(path) if append and disk.exists(path) else b""
                disk.write(path, old + held.value())
            except OSError as error:
                self._cannot(stderr, "create", path, error)

    def _cannot(self, stderr: Output, verb: str, target: str, error: OSError) -> int:
        reason = "Is a directory" if isinstance(error, IsADirectoryError) else "No such file or directory"
        if verb == "create" and isinstance(error, FileNotFoundError):
            reason = "Read-only file system" if not target.startswith("/data") else "Permission denied"
        stderr.write(f"{self.name}: can't {verb} {target}: {reason}\n".encode("utf-8", "surrogateescape"))
        return 1

    def _run(self, command: tree.Command, stdin: Input, stdout: Output, stderr: Output) -> int:
        if isinstance(command, tree.Simple):
            return self._simple(command, stdin, stdout, stderr)
        if isinstance(command, tree.Group):
            if not command.subshell:
                return self._script(command.body, stdin, stdout, stderr)
            saved = dict(self.variables)
            try:
                return self._script(command.body, stdin, stdout, stderr)
            except ExitShell as left:
                return left.code
            finally:
                self.variables = saved
        if isinstance(command, tree.If):
            for condition, body in command.branches:
                if self._script(condition, stdin, stdout, stderr) == 0:
                    return self._script(body, stdin, stdout, stderr)
            return self._script(command.otherwise, stdin, stdout, stderr) if command.otherwise is not None else 0
        return self._loop(command, stdin, stdout, stderr)

    def _loop(self, command: tree.While | tree.For, stdin: Input, stdout: Output, stderr: Output) -> int:
        code = 0
        if isinstance(command, tree.For):
            values = [value for word in command.words for value in self._expand(word, stdin, stderr)]
        else:
            values = [""] * _MAX_ROUNDS
        for value in values:
            if isinstance(command, tree.For):
                self.variables[command.name] = value
            elif (self._script(command.condition, stdin, stdout, stderr) == 0) == command.until:
                break
            try:
                code = self._script(command.body, stdin, stdout, stderr)
            except LoopControl as control:
                if control.args[0] == "break":
                    break
        return code

    def _simple(self, command: tree.Simple, stdin: Input, stdout: Output, stderr: Output) -> int:
        try:
            words = [value for word in command.words for value in self._expand(word, stdin, stderr)]
            given = {name: "".join(self._expand(word, stdin, stderr, split=False)) for name, word in command.assignments}
        except ArithmeticFault as fault:
            stderr.write(f"{self.name}: {fault}\n".encode())
            return 1
        if not words:
            self.variables.update(given)
            parts = [part for word in (*command.words, *(word for _, word in command.assignments)) for part in word.parts]
            return self.code if any(isinstance(part, tree.Substitution) for part in parts) else 0
        saved = dict(self.variables)
        self.variables.update(given)
        try:
            return self._call(words, stdin, stdout, stderr)
        finally:
            for name in given:
                if name in saved:
                    self.variables[name] = saved[name]
                else:
                    self.variables.pop(name, None)

    def _call(self, words: list[str], stdin: Input, stdout: Output, stderr: Output) -> int:
        name, args = words[0], words[1:]
        if name == "exit":
            raise ExitShell(int(args[0]) & 0xFF if args and args[0].isdigit() else self.code)
        if name in ("break", "continue"):
            raise LoopControl(name)
        if name in ("exec", "command") and args and not args[0].startswith("-"):
            code = self._call(args, stdin, stdout, stderr)
            if name == "exec":
                raise ExitShell(code)
            return code
        short = posixpath.basename(name) if name.startswith(("/system/bin/", "/system/xbin/", "/vendor/bin/")) else name
        handler = self.find(short)
        if handler is None:
            there = self.host.phone.files.exists(name)
            reason = "can't execute: Permission denied" if there else "inaccessible or not found"
            stderr.write(f"{self.name}: {name}: {reason}\n".encode("utf-8", "surrogateescape"))
            return 126 if there else 127
        return handler(Call(short, args, self.host, self, stdin, stdout, stderr)) & 0xFF

    # -- words -------------------------------------------------------------------------------------------------------------

    def path(self, text: str) -> str:
        """An absolute path for what a command was given."""
        return posixpath.normpath(posixpath.join(self.variables.get("PWD", "/"), text))

    def _expand(self, word: tree.Word, stdin: Input, stderr: Output, *, split: bool = True) -> list[str]:
        """The fields that a word becomes: one, or more where an unquoted value holds spaces, or none where it is empty."""
        fields: list[list[tuple[str, bool]]] = [[]]
        started = False
        for index_of_part, part in enumerate(word.parts):
            text = self._value(part, stdin, stderr)
            if index_of_part == 0 and isinstance(part, tree.Literal) and not part.quoted and text.split("/")[0] == "~":
                text = self.variables.get("HOME", "/") + text[2:]
            if isinstance(part, tree.Literal) or part.quoted or not split:
                fields[-1].append((text, part.quoted))
                started = started or part.quoted or bool(text)
                continue
            pieces = text.split()
            if text[:1].isspace() and fields[-1]:
                fields.append([])
            for index, piece in enumerate(pieces):
                if index:
                    fields.append([])
                fields[-1].append((piece, False))
                started = True
            if pieces and text[-1:].isspace():
                fields.append([])
        if fields and not fields[-1] and (len(fields) > 1 or not started):
            fields.pop()
        found: list[str] = []
        for pieces_of_field in fields if started else []:
            found.extend(self._glob(pieces_of_field) if split else ["".join(text for text, _ in pieces_of_field)])
        return found

    def _value(self, part: tree.Part, stdin: Input, stderr: Output) -> str:
        if isinstance(part, tree.Literal):
            return part.text
        if isinstance(part, tree.Arithmetic):
            return str(evaluate(part.expression, self.variables))
        if isinstance(part, tree.Substitution):
            held = BufferOutput()
            saved = dict(self.variables)
            try:
                self.code = self.run_with(part.script, stdin, held, stderr)
            finally:
                self.variables = saved
            return held.value().decode("utf-8", "surrogateescape").rstrip("\n")
        value = self._variable(part.name)
        if not value and part.default is not None:
            return "".join(self._value(inner, stdin, stderr) for inner in part.default.parts)
        return value

    def _variable(self, name: str) -> str:
        if name == "?":
            return str(self.code)
        if name == "$":
            return "4242"
        if name == "#":
            return str(len(self.arguments))
        if name in ("@", "*"):
            return " ".join(self.arguments)
        if name == "0":
            return self.name
        if name.isdigit():
            index = int(name) - 1
            return self.arguments[index] if index < len(self.arguments) else ""
        if name.startswith("#"):
            return str(len(self.variables.get(name[1:], "")))
        return self.variables.get(name, "")

    def _glob(self, pieces: list[tuple[str, bool]]) -> list[str]:
        plain = "".join(text for text, _ in pieces)
        if not any(not quoted and any(char in text for char in "*?[") for text, quoted in pieces):
            return [plain]
        pattern = "".join(glob.escape(text) if quoted else text for text, quoted in pieces)
        directory, _, last = pattern.rpartition("/")
        if any(char in directory for char in "*?["):
            return [plain]
        try:
            entries = self.host.phone.files.list(self.path(directory or "."))
        except OSError:
            return [plain]
        names = sorted(posixpath.basename(entry.path) for entry in entries)
        matching = [name for name in names if fnmatch.fnmatchcase(name, last) and not name.startswith(".")]
        return [f"{directory}/{name}" if directory else name for name in matching] or [plain]
