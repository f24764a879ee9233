"""`python -m pytest_layered_phone.virtual`: virtual phones that run until they are told to end.

Prints one line of JSON when the phones are ready.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .control import ControlServer
from .host import PhoneHost
from .private_adb import AdbServerError, PrivateAdbServer, devices
from .server import FIRST_PORT, NoPortError, PhoneServer, choose_ports, listen_pair
from .spec import PhoneSpec

_POLL_S = 0.2
_LISTED_S = 5.0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m pytest_layered_phone.virtual", description="Starts virtual Android phones.")
    made.add_argument("--phones", type=int, default=1, metavar="N", help="how many phones (1)")
    made.add_argument("--width", type=int, default=1080, help="pixels of the short side (1080)")
    made.add_argument("--height", type=int, default=2400, help="pixels of the long side (2400)")
    made.add_argument("--density", type=int, default=420, help="dots per inch (420)")
    made.add_argument("--landscape", action="store_true", help="start turned by 90 degrees")
    made.add_argument("--locale", default="en-US", help="language tag (en-US)")
    ports = made.add_mutually_exclusive_group()
    ports.add_argument("--base-port", type=int, default=FIRST_PORT, help="first daemon port, odd; 0 takes any free ones (5555)")
    ports.add_argument("--ports", help="daemon ports, comma separated; the console is one below each")
    made.add_argument("--control-port", type=int, default=0, help="port of the control channel (any free one)")
    made.add_argument("--adb-server-port", type=int, default=5037, help="the adb server to tell of the phones (5037)")
    made.add_argument("--no-register", action="store_true", help="tell no adb server")
    made.add_argument("--private-adb", type=Path, metavar="ADB", help="start an adb server of its own with this binary")
    made.add_argument("--home", type=Path, help="directory for the private adb server's keys and log; removed at the end")
    made.add_argument("--ready-file", type=Path, help="also write the line of JSON into this file")
    made.add_argument("--ready-fd", type=int, help="also write the line of JSON to this file descriptor")
    made.add_argument("--parent-pid", type=int, help="end when this process is no longer the parent")
    made.add_argument("--with-parent", action="store_true", help="end when standard input ends")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the phones until a signal, the end of the parent, or `kill` on every console. Returns the exit code."""
    options = parser().parse_args(argv)
    if options.phones < 1 or (options.base_port % 2 == 0 and options.base_port):
        print("--phones must be at least 1, --base-port odd or 0", file=sys.stderr)
        return 2
    end = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: end.set())
    private: PrivateAdbServer | None = None
    servers: list[PhoneServer] = []
    control: ControlServer | None = None
    try:
        if options.private_adb is not None:
            if options.home is None:
                print("--private-adb needs --home", file=sys.stderr)
                return 2
            # Before any thread runs: the server is tied to the life of this thread.
            private = PrivateAdbServer(options.private_adb, options.home)
        servers = _phones(options, private)
        control = ControlServer([server.host for server in servers], options.control_port)
        for server in servers:
            server.start()
        control.start()
        serials = [server.serial for server in servers]
        if private is not None:
            private.wait_for(serials)
        elif not options.no_register:
            _wait_until_listed(options.adb_server_port, serials)
        _tell(options, _ready(servers, control, private))
        if options.with_parent:
            threading.Thread(target=_until_input_ends, args=(end,), daemon=True).start()
        _wait(end, servers, options.parent_pid, private)
    except (NoPortError, OSError, RuntimeError) as error:  # among them: no adb server, no font that shows Chinese
        print(f"virtual phones: {error}", file=sys.stderr)
        return 1
    finally:
        for server in servers:
            server.close()
        if control is not None:
            control.close()
        if private is not None:
            private.close()
            shutil.rmtree(options.home, ignore_errors=True)
    return 0


def _phones(options: argparse.Namespace, private: PrivateAdbServer | None) -> list[PhoneServer]:
    from .phone import VirtualPhone

    spec = PhoneSpec(
        width=options.width,
        height=options.height,
        density=options.density,
        landscape=options.landscape,
        locale=options.locale,
    )
    if options.ports:
        sockets = [listen_pair(int(port)) for port in options.ports.split(",")]
    else:
        sockets = choose_ports(options.base_port, options.phones)
    told = private.port if private is not None else None if options.no_register else options.adb_server_port
    hosts = [PhoneHost(index, spec, VirtualPhone) for index in range(len(sockets))]
    return [
        PhoneServer(host, console, daemon, adb_server_port=told) for host, (console, daemon) in zip(hosts, sockets, strict=True)
    ]


def _wait_until_listed(port: int, serials: list[str]) -> None:
    """Gives an adb server that runs already the time to list the phones; where none runs there is nothing to wait for."""
    end = time.monotonic() + _LISTED_S
    while time.monotonic() < end:
        try:
            listed = devices(port)
        except AdbServerError:
            return
        if all(listed.get(serial) == "device" for serial in serials):
            return
        time.sleep(_POLL_S / 10)
    print(f"virtual phones: the adb server on port {port} does not list {', '.join(serials)} yet", file=sys.stderr)


def _ready(servers: list[PhoneServer], control: ControlServer, private: PrivateAdbServer | None) -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "phones": [{"serial": server.serial, "port": server.port, "console_port": server.console_port} for server in servers],
        "control_port": control.port,
        "adb_port": private.port if private is not None else None,
        "adb_pid": private.process.pid if private is not None else None,
    }


def _tell(options: argparse.Namespace, ready: dict[str, Any]) -> None:
    line = json.dumps(ready)
    if options.ready_file is not None:
        part = options.ready_file.with_suffix(".part")
        part.write_text(line + "\n", encoding="utf-8")
        part.replace(options.ready_file)
    if options.ready_fd is not None:
        with os.fdopen(options.ready_fd, "w", encoding="utf-8") as stream:
            stream.write(line + "\n")
    print(line, flush=True)


def _until_input_ends(end: threading.Event) -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    end.set()


def _wait(end: threading.Event, servers: list[PhoneServer], parent: int | None, private: PrivateAdbServer | None) -> None:
    closed: set[int] = set()
    while not end.wait(_POLL_S):
        if parent is not None and os.getppid() != parent:
            return
        for index, server in enumerate(servers):
            if server.killed.is_set() and index not in closed:
                closed.add(index)
                server.close()
        if len(closed) == len(servers):
            return
        if private is not None and private.process.poll() is not None:
            raise AdbServerError(f"the private adb server ended with exit code {private.process.returncode}")


if __name__ == "__main__":
    sys.exit(main())
