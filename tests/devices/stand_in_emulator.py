"""A stand-in for the Android emulator: its command line, its log, its console and its way to fail; behind it a virtual phone.

Behaves as its environment says: STAND_IN_AVDS (names, comma separated), STAND_IN_FAILS (what it prints before it ends with 1),
STAND_IN_BOOT_S (seconds until it has booted, "never"), STAND_IN_LOCKS (a directory in which it keeps the lock of each AVD),
STAND_IN_PIDS (a directory in which it notes who runs), STAND_IN_DIES_S (ends by itself after so long), STAND_IN_DEAF (ignores
SIGTERM), STAND_IN_FAILS_ONCE (only the first that starts fails).
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_layered_phone.virtual.server import PhoneServer

ENV = os.environ
CHATTER = "INFO    | Storing crashdata in: /tmp/emu-crash.db, detection is enabled for process: 1"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fail(*lines: str) -> int:
    for line in lines:
        say(f"ERROR   | {line}")
    return 1


def is_first() -> bool:
    """Whether none started before, as far as anybody asked."""
    try:
        (Path(ENV["STAND_IN_LOCKS"]) / "first").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def main(argv: list[str]) -> int:
    names = [name for name in ENV.get("STAND_IN_AVDS", "Pixel_8,Small").split(",") if name]
    if argv == ["-list-avds"]:
        say("\n".join([CHATTER, *names]))
        return 0
    avd, port = argv[argv.index("-avd") + 1], int(argv[argv.index("-port") + 1])
    say("INFO    | Android emulator version 99.0.0.0 (a stand-in)")
    say(f"INFO    | {' '.join(argv)}")
    if avd not in names:
        return fail(f"Unknown AVD name [{avd}], use -list-avds to see valid list.")
    if (said := ENV.get("STAND_IN_FAILS")) and (not ENV.get("STAND_IN_FAILS_ONCE") or is_first()):
        return fail(*said.split("|"))
    from pytest_layered_phone.virtual.host import PhoneHost
    from pytest_layered_phone.virtual.phone import VirtualPhone
    from pytest_layered_phone.virtual.server import NoPortError, PhoneServer, listen_pair
    from pytest_layered_phone.virtual.spec import PhoneSpec

    lock = Path(ENV["STAND_IN_LOCKS"]) / f"{avd}.lock"
    with lock.open("a") as stream:
        share = "-read-only" in argv
        try:
            fcntl.flock(stream, (fcntl.LOCK_SH if share else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            if share:
                return fail(
                    "Another emulator instance is running. Please close it or ", "run all emulators with -read-only flag."
                )
            return fail(
                "Running multiple emulators with the same AVD ", "is an experimental feature.", "Please use -read-only flag."
            )
        try:
            console, daemon = listen_pair(port + 1)
        except NoPortError:
            return fail(f"bind() failed for console port {port}: Address already in use")
        host = PhoneHost(0, PhoneSpec(width=540, height=960), VirtualPhone)
        told = int(ENV.get("ANDROID_ADB_SERVER_PORT", "5037"))
        return run(avd, PhoneServer(host, console, daemon, adb_server_port=told, avd_name=avd, console_token="secret-token"))


def run(avd: str, server: PhoneServer) -> int:
    end = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: None if ENV.get("STAND_IN_DEAF") else end.set())
    boot = ENV.get("STAND_IN_BOOT_S", "0.3")
    properties = server.host.extra_properties
    properties.update({"sys.boot_completed": "", "dev.bootcomplete": "", "init.svc.bootanim": "running"})
    server.start()
    helper = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"])  # as real ones start netsimd
    note = Path(ENV["STAND_IN_PIDS"]) / f"{avd}-{server.console_port}"
    note.with_suffix(".part").write_text(f"{os.getpid()} {helper.pid}")
    note.with_suffix(".part").rename(note)
    begun = time.monotonic()
    booted_at = float("inf") if boot == "never" else begun + float(boot)
    dies_at = begun + float(ENV.get("STAND_IN_DIES_S", "inf"))
    while not end.wait(0.02) and not server.killed.is_set():
        now = time.monotonic()
        if now >= booted_at and properties.get("sys.boot_completed") == "":
            properties.update({"sys.boot_completed": "1", "dev.bootcomplete": "1", "init.svc.bootanim": "stopped"})
            say("INFO    | Boot completed")
        if now >= dies_at:
            say("FATAL   | the stand-in was told to die")
            os._exit(3)
    say("INFO    | Wait for emulator to exit")
    server.close()
    helper.kill()
    helper.wait()
    note.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
