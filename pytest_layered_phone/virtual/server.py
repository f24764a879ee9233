"""The sockets of a virtual phone: its daemon port, its console port, and how adb servers learn of it.

An adb server looks at the odd ports from 5555 to 5585 when it starts; one that runs already is told (`host:emulator:PORT`), as
emulators do. The phone tells it again whenever nobody is connected, so that it comes back after a lost transport or a restarted
adb server.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterable

from .adbd.connection import Connection
from .adbd.services import FEATURES, open_service
from .console import ConsoleServer
from .host import PhoneHost
from .shell.system import properties_of
from .system import saved

LOOPBACK = "127.0.0.1"
FIRST_PORT = 5555
_ANNOUNCE_EVERY_S = 0.1
_TRIES = 200


class NoPortError(OSError):
    """No free pair of ports was found."""


def listen(port: int) -> socket.socket:
    """A listening socket on loopback; port 0 takes a free one. Raises OSError."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((LOOPBACK, port))
        sock.listen(16)
    except OSError:
        sock.close()
        raise
    return sock


def listen_pair(port: int) -> tuple[socket.socket, socket.socket]:
    """Console and daemon sockets on `port - 1` and `port`; with 0 on any free pair with an odd daemon port.

    Raises:
        NoPortError: the ports are taken.
    """
    if port:
        try:
            daemon = listen(port)
        except OSError as error:
            raise NoPortError(f"port {port} is taken: {error}") from error
        try:
            return listen(port - 1), daemon
        except OSError as error:
            daemon.close()
            raise NoPortError(f"console port {port - 1} is taken: {error}") from error
    for _ in range(_TRIES):
        first = listen(0)
        chosen = first.getsockname()[1]
        other = chosen - 1 if chosen % 2 else chosen + 1
        try:
            second = listen(other)
        except OSError:
            first.close()
            continue
        return (second, first) if chosen % 2 else (first, second)
    raise NoPortError("no two neighbouring ports are free")


def choose_ports(base: int, count: int) -> list[tuple[socket.socket, socket.socket]]:
    """Binds `count` pairs: from `base` upwards in steps of two, passing over those that are taken; any with `base` 0.

    Raises:
        NoPortError: fewer were free.
    """
    found: list[tuple[socket.socket, socket.socket]] = []
    candidates: Iterable[int] = [0] * count if base == 0 else range(base, min(base + 2 * _TRIES, 65536), 2)
    for port in candidates:
        if len(found) == count:
            break
        with contextlib.suppress(NoPortError):
            found.append(listen_pair(port))
    if len(found) < count:
        for console, daemon in found:
            console.close()
            daemon.close()
        raise NoPortError(f"only {len(found)} of {count} pairs of ports were free from {base} on")
    return found


def announce(adb_server_port: int, port: int, *, timeout_s: float = 1.0) -> bool:
    """Tells an adb server of an emulator whose daemon listens on `port`. Returns whether a server was there."""
    request = f"host:emulator:{port}".encode()
    try:
        with socket.create_connection((LOOPBACK, adb_server_port), timeout=timeout_s) as sock:
            sock.sendall(f"{len(request):04x}".encode() + request)
            sock.settimeout(timeout_s)
            with contextlib.suppress(OSError):
                sock.recv(8)  # It answers nothing, it closes.
    except OSError:
        return False
    return True


class PhoneServer:
    """Serves one phone on two sockets until `close`.

    Args:
        host: the phone.
        console: the listening socket of the console (even port).
        daemon: the listening socket of the adb daemon (odd port).
        adb_server_port: the adb server to tell of the phone; None tells none.
        avd_name: what the console calls it; a name of its own if empty.
        console_token: what the console wants to hear first; empty where it asks nothing.
    """

    def __init__(
        self, host: PhoneHost, console: socket.socket, daemon: socket.socket, *, adb_server_port: int | None = None,
        avd_name: str = "", console_token: str = "",
    ) -> None:  # fmt: skip
        self.host = host
        self.port: int = daemon.getsockname()[1]
        self.console_port: int = console.getsockname()[1]
        self.serial = f"emulator-{self.console_port}"
        host.serial = self.serial
        host.reboot = self.reboot
        host.listen_tcp = self.listen_tcp
        self.killed = threading.Event()
        self._console = ConsoleServer(
            console, avd_name or f"Virtual_{host.index}", self.killed.set, console_token, self.snapshot
        )
        self._daemon = daemon
        self._network: socket.socket | None = None
        self._adb_server_port = adb_server_port
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._connections: set[Connection] = set()
        self._over_network: set[Connection] = set()
        self._threads = [
            threading.Thread(target=self._accept, args=(daemon,), daemon=True, name=f"adbd {self.port}"),
            threading.Thread(target=self._watch, daemon=True, name=f"adbd watch {self.port}"),
        ]

    def start(self) -> None:
        self._console.start()
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Ends everything; the adb server sees the phone go."""
        self._closing.set()
        self._console.close()
        with contextlib.suppress(OSError):
            self._daemon.shutdown(socket.SHUT_RDWR)
        self._daemon.close()
        self._leave_network()
        self._drop_all()

    def reboot(self) -> None:
        """Drops every transport and starts the phone anew; its faults go too."""
        self.host.reset()
        self._leave_network()
        self._drop_all()

    def listen_tcp(self, port: int) -> None:
        """Listens on a further port, as a phone in TCP mode does until it restarts; every transport is dropped."""
        self._leave_network()
        with contextlib.suppress(OSError):  # a port that is taken: the phone is simply not there
            self._network = listen(port)
            threading.Thread(target=self._accept, args=(self._network,), daemon=True, name=f"adbd tcp {port}").start()
        self._drop_all()

    def _leave_network(self) -> None:
        sock, self._network = self._network, None
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def snapshot(self, words: list[str]) -> str:
        """What the console does with `avd snapshot …`; a load drops every transport, as the phone is another one then."""
        kept = self.host.snapshots
        verb, name = [*words, "", ""][:2]
        if verb == "list":
            return "".join(f"{one}\n" for one in ("List of snapshots present on all disks:", *kept)) + "OK\n"
        if verb not in ("save", "load", "delete") or not name:
            return f"KO: argument missing, try 'avd snapshot {verb or 'list'} <name>'\n"
        if verb == "save":
            kept[name] = saved.save(self.host.phone)
            return "OK\n"
        if name not in kept:
            missing = f"Device 'userdata' does not have the requested snapshot '{name}'\n"
            return missing + "KO: Snapshot load failure: no such snapshot\n"
        if verb == "delete":
            del kept[name]
            return "OK\n"
        saved.load(kept[name], self.host.phone)
        self._drop_all()
        return "OK\n"

    def online(self) -> bool:
        """Whether an adb server is connected and was answered."""
        with self._lock:
            return any(connection.online for connection in self._connections)

    def banner(self) -> str:
        found = properties_of(self.host)
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        shown = "".join(f"{name}={found[name]};" for name in names)
        return f"device::{shown}features={','.join(FEATURES)}"

    def _accept(self, listener: socket.socket) -> None:
        while not self._closing.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            connection = Connection(
                sock,
                self.banner,
                lambda destination, link: open_service(self.host, destination, link),
                lambda: self.host.faults.get("offline") is not None,
                lambda: self.host.faults.get("unauthorized") is not None,
            )
            with self._lock:
                self._connections.add(connection)
                if listener is not self._daemon:
                    self._over_network.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True, name=f"adb link {self.port}").start()

    def _serve(self, connection: Connection) -> None:
        try:
            connection.serve()
        finally:
            with self._lock:
                self._connections.discard(connection)
                self._over_network.discard(connection)

    def _drop_all(self, *, online: bool | None = None) -> None:
        with self._lock:
            chosen = [one for one in self._connections if online is None or one.online == online]
        for connection in chosen:
            connection.drop()

    def _watch(self) -> None:
        """Keeps the phone known to the adb server, and acts on the fault `offline` (for `seconds`, else until cleared)."""
        was_offline, since = False, 0.0
        while not self._closing.is_set():
            fault = self.host.faults.get("offline")
            since = time.monotonic() if fault is not None and not was_offline else since
            if fault is not None and "seconds" in fault and time.monotonic() - since >= float(fault["seconds"]):
                self.host.faults.clear("offline")
                fault = None
            offline = fault is not None or self.host.faults.get("unauthorized") is not None
            if offline != was_offline:
                # Going offline drops the links; coming back drops those that were never answered.
                self._drop_all(online=offline)
                was_offline = offline
            with self._lock:
                linked = bool(self._connections - self._over_network)
            if not linked and self._adb_server_port is not None:
                announce(self._adb_server_port, self.port)
            self._closing.wait(_ANNOUNCE_EVERY_S)
