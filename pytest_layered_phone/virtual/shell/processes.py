"""`ps`, `pidof`, `pgrep`, `kill`, `reboot`, `top`."""

from __future__ import annotations

from .context import Call, Handler
from .packages import user_id

_SYSTEM = ((1, "init", 0), (312, "adbd", 2000), (612, "system_server", 1000), (745, "com.android.systemui", 10120))


def _processes(call: Call) -> list[tuple[int, str, str]]:
    found = [(pid, name, {0: "root", 1000: "system", 2000: "shell"}.get(uid, "u0_a120")) for pid, name, uid in _SYSTEM]
    known = {name for _, name, _ in found}
    for package in call.phone.packages():
        if package.pid is not None and package.name not in known:
            found.append((package.pid, package.name, f"u0_a{user_id(package.name) - 10000}"))
    return sorted(found)


def ps(call: Call) -> int:
    call.line("USER           PID  PPID        VSZ    RSS WCHAN            ADDR S NAME")
    shown = _processes(call) if {"-A", "-e", "-ef"} & set(call.args) else []
    for pid, name, user in shown:
        call.line(f"{user:<12} {pid:>5} {1 if pid < 700 else 312:>5} {1820400:>10} {90120:>6} {0:<16} {0:>4} S {name}")
    if not shown:
        call.line(f"{'shell':<12} {4242:>5} {312:>5} {1820400:>10} {3120:>6} {0:<16} {0:>4} S sh")
    return 0


def pidof(call: Call) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")]
    found = [str(pid) for pid, name, _ in _processes(call) if name in names]
    if not found:
        return 1
    call.line(" ".join(found))
    return 0


def pgrep(call: Call) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")]
    found = [pid for pid, name, _ in _processes(call) if names and names[0] in name]
    for pid in found:
        call.line(str(pid))
    return 0 if found else 1


def kill(call: Call) -> int:
    for arg in call.args:
        if arg.isdigit():
            call.err(f"/system/bin/sh: kill: {arg}: Operation not permitted")
            return 1
    return 0


def reboot(call: Call) -> int:
    call.host.reboot()
    return 0


COMMANDS: dict[str, Handler] = {"ps": ps, "pidof": pidof, "pgrep": pgrep, "kill": kill, "reboot": reboot}
