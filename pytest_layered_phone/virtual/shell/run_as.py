"""`run-as`: runs a command as a debuggable app, in its data directory and with its files."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, cast

from ..files import VirtualFiles
from .context import Call, Handler

if TYPE_CHECKING:
    from ..host import PhoneHost

_PUBLIC = ("/sdcard", "/storage", "/data/local/tmp", "/mnt/sdcard")


class PrivateFiles(VirtualFiles):
    """An app's data directory as a tree of its own; nothing outside of it can be seen."""

    def __init__(self, home: str, files: dict[str, tuple[bytes, int]]) -> None:
        super().__init__()
        self._home = home
        for name, (data, mtime) in files.items():
            self.write(posixpath.join(home, name), data, 0o660, mtime)
        self.mkdir(posixpath.join(home, "files"))

    def stat(self, path: str) -> Any:
        return super().stat(self._inside(path))

    def write(self, path: str, data: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        super().write(self._inside(path), data, mode, mtime)

    def mkdir(self, path: str) -> None:
        super().mkdir(self._inside(path))

    def _inside(self, path: str) -> str:
        """Where the tree keeps it: the base class knows public places only, so the data directory stands below one of them."""
        if path.startswith("/sdcard/.private"):
            return path
        short = posixpath.normpath(path.replace("/data/data/", "/data/user/0/", 1))
        if short != self._home and not short.startswith(self._home + "/"):
            raise FileNotFoundError(path)
        return "/sdcard/.private" + short[len(self._home) :]


class _Other:
    """An object with some attributes of its own in front of another one."""

    def __init__(self, inner: Any, **own: Any) -> None:
        self.__dict__.update(own)
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def run_as(call: Call) -> int:
    args = list(call.args)
    if args[:1] == ["--user"]:
        del args[:2]
    if not args:
        return call.fail("run-as: usage: run-as <package-name> [--user <uid>] <command> [<args>]")
    package, command = args[0], args[1:]
    with call.phone.lock:
        app = call.phone.apps.get(package)
        known = any(one.name == package for one in call.phone.packages())
        files = app.private_files() if app is not None and app.debuggable else {}
    if not known:
        return call.fail(f"run-as: unknown package: {package}")
    if app is None or not app.debuggable:
        return call.fail(f"run-as: package not debuggable: {package}")
    home = f"/data/user/0/{package}"
    phone = _Other(call.phone, files=PrivateFiles(home, files))
    host = cast("PhoneHost", _Other(call.host, phone=phone))
    from .interpreter import Shell

    shell = Shell(host, call.shell.find)
    shell.variables["PWD"] = home
    if not command or command == ["sh"]:
        return shell.run_with(call.read_all().decode("utf-8", "surrogateescape"), call.stdin, call.stdout, call.stderr)
    if command[:2] == ["sh", "-c"]:
        return shell.run_with(command[2] if len(command) > 2 else "", call.stdin, call.stdout, call.stderr)
    handler = call.shell.find(command[0])
    if handler is None:
        return call.fail(f"run-as: exec failed for {command[0]}: No such file or directory", 1)
    return handler(Call(command[0], command[1:], host, shell, call.stdin, call.stdout, call.stderr))


COMMANDS: dict[str, Handler] = {"run-as": run_as}
