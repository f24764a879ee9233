"""Who gets a phone when several wait: the order, several phones at once, and those who wait no longer."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_layered_phone.devices.lease import Holder, Lease, LeaseManager
from pytest_layered_phone.devices.leases import local_line, waiting
from pytest_layered_phone.devices.leases.file_lock import FileLock
from pytest_layered_phone.devices.leases.local_line import LocalLine
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError

A, B, C = (PhoneRef(f"serial-{name}", f"phone {name}") for name in "abc")
ME = Holder(test="test_mine")
EARLIER = Holder(test="test_earlier 早")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "leases"


@pytest.fixture
def manager(directory: Path) -> LeaseManager:
    return LeaseManager(directory)


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@contextmanager
def waits(directory: Path, phones: list[PhoneRef], count: int) -> Iterator[None]:
    """Somebody who stands in the line and keeps saying so, but takes nothing."""
    place = LocalLine(directory).enter([phone.identity for phone in phones], count, EARLIER)
    over = threading.Event()

    def stay() -> None:
        while not over.wait(0.05):
            place.ahead()

    thread = threading.Thread(target=stay)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        place.leave()


def take(manager: LeaseManager, phones: list[PhoneRef], count: int = 1) -> list[PhoneRef]:
    leases = manager.acquire_some(phones, count, timeout_s=0, holder=ME)
    for lease in leases:
        lease.release()
    return [lease.phone for lease in leases]


def test_waiters_get_the_phone_in_the_order_in_which_they_came(directory: Path, manager: LeaseManager) -> None:
    line, served = LocalLine(directory), list[int]()
    first = manager.acquire([A], timeout_s=0, holder=ME)

    def wait(number: int) -> None:
        with LeaseManager(directory).acquire([A, B] if number == 3 else [A], timeout_s=30, holder=Holder(test=f"t{number}")):
            served.append(number)

    other = manager.acquire([B], timeout_s=0, holder=ME)
    threads = [threading.Thread(target=wait, args=(number,)) for number in range(6)]
    for number, thread in enumerate(threads):
        thread.start()
        until(lambda number=number: len(line.waiting([A.identity])) == number + 1)  # type: ignore[misc]
    first.release()
    for thread in threads:
        thread.join(30)
    other.release()
    assert served == list(range(6))
    assert line.waiting([A.identity, B.identity]) == []


def test_nobody_overtakes_who_waits_for_one_phone_and_is_told_who_that_is(directory: Path, manager: LeaseManager) -> None:
    with waits(directory, [A], 1):
        with pytest.raises(LeaseError) as caught:
            manager.acquire([A], timeout_s=0, holder=ME)
        assert caught.value.code == "LEASE_TIMEOUT"
        assert f"{EARLIER.test} (pid " in str(caught.value)
        assert "waits in front for one of them" in str(caught.value)
        assert take(manager, [A, B]) == [B]
    assert take(manager, [A, B]) == [A]


def test_who_needs_several_is_overtaken_for_a_while_only(
    directory: Path, manager: LeaseManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waits(directory, [A, B], 2):
        assert take(manager, [A]) == [A]  # a free phone does not stand idle
        with pytest.raises(LeaseError):
            take(manager, [A, B, C], 2)  # but two who need several would take away each other's
        monkeypatch.setattr(waiting, "PATIENCE_S", 0.0)
        with pytest.raises(LeaseError):
            take(manager, [A])
        assert take(manager, [A, C]) == [C]


def test_some_of_several_all_or_none(directory: Path, manager: LeaseManager) -> None:
    with manager.acquire([B], timeout_s=0, holder=ME):
        assert take(manager, [A, B, C], 2) == [A, C]
        with pytest.raises(LeaseError) as caught:
            take(manager, [A, B, C], 3)
        assert caught.value.code == "LEASE_TIMEOUT"
        assert "no 3 phones at once" in str(caught.value)
        assert "serial-b is held by test_mine" in str(caught.value)
        assert take(manager, [A, C], 2) == [A, C]  # nothing was kept
    preferred = manager.acquire_some([A, B, C], 2, timeout_s=0, holder=ME, prefer=[C.identity])
    assert [lease.phone for lease in preferred] == [C, A]
    for lease in preferred:
        lease.release()


@pytest.mark.parametrize(("phones", "count"), [([A], 2), ([], 1), ([A, PhoneRef("10.0.0.7:5555", A.identity)], 2)])
def test_fewer_phones_than_are_needed_is_no_wait(manager: LeaseManager, phones: list[PhoneRef], count: int) -> None:
    with pytest.raises(LeaseError) as caught:
        manager.acquire_some(phones, count, timeout_s=60, holder=ME)
    assert caught.value.code == "NO_DEVICE"


def test_nothing_is_held_while_waiting_for_several(directory: Path, manager: LeaseManager) -> None:
    got: list[Lease] = []
    with manager.acquire([B], timeout_s=0, holder=ME):
        thread = threading.Thread(
            target=lambda: got.extend(LeaseManager(directory).acquire_all([A, B], timeout_s=30, holder=EARLIER))
        )
        thread.start()
        until(lambda: LocalLine(directory).waiting([A.identity]))
        for _ in range(20):
            manager.acquire([A], timeout_s=5, holder=ME).release()
    thread.join(30)
    assert [lease.phone for lease in got] == [A, B]
    for lease in got:
        lease.release()


def test_everybody_is_served_whatever_they_need(directory: Path) -> None:
    """One, two and three of three phones, in all orders: nobody waits for ever, no phone is held twice."""
    wishes = [([A, B, C], 1), ([C, B, A], 2), ([B, C, A], 3), ([B, A], 2), ([C, A], 2), ([A], 1)]
    held: dict[str, int] = {}
    wrong: list[str] = []
    guard = threading.Lock()

    def work(number: int) -> None:
        phones, count = wishes[number]
        manager = LeaseManager(directory)
        for _ in range(12):
            leases = manager.acquire_some(phones, count, timeout_s=60, holder=Holder(test=str(number)))
            with guard:
                wrong.extend(lease.phone.serial for lease in leases if held.get(lease.phone.serial) is not None)
                held.update({lease.phone.serial: number for lease in leases})
            time.sleep(0.001)
            with guard:
                for lease in leases:
                    del held[lease.phone.serial]
            for lease in leases:
                lease.release()
        served.append(number)

    served: list[int] = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(wishes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(served) == list(range(len(wishes)))
    assert wrong == []


_WAITER = """
import sys
from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.phone_ref import PhoneRef
LeaseManager(sys.argv[1]).acquire([PhoneRef("serial-a", "phone a")], timeout_s=60, holder=Holder(test="waiter"))
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_waiter_that_was_killed_or_stopped_is_passed_over(
    directory: Path, manager: LeaseManager, monkeypatch: pytest.MonkeyPatch, sign: signal.Signals
) -> None:
    monkeypatch.setattr(local_line, "STOPPED_S", 0.3)
    line = LocalLine(directory)
    with manager.acquire([A], timeout_s=0, holder=ME):
        waiter = subprocess.Popen([sys.executable, "-c", _WAITER, str(directory)])
        try:
            until(lambda: line.waiting([A.identity]))
            waiter.send_signal(sign)
            until(lambda: not line.waiting([A.identity]))
        finally:
            if sign is signal.SIGKILL:
                waiter.wait(10)
    try:
        assert take(manager, [A]) == [A]
    finally:
        waiter.kill()
        waiter.wait(10)


def test_a_place_that_cannot_be_read_keeps_nobody_waiting(directory: Path, manager: LeaseManager) -> None:
    with waits(directory, [A], 1):
        pass
    (slot,) = directory.glob("*.line")
    for rubbish in (b"", b"\xff\x00", b"00000000 00000002\n{}", b"x" * 5000):
        slot.write_bytes(rubbish)
        lock = FileLock(slot)
        assert lock.take()
        assert take(manager, [A]) == [A]
        lock.release()


class Token:
    fencing = 5

    def lost(self) -> str:
        return ""

    def release(self) -> None: ...


class Server:
    """An engine that is away as often as it is told."""

    queue = None

    def __init__(self, away: int, *, retryable: bool = True, busy: bool = False) -> None:
        self.away, self.retryable, self.busy = away, retryable, busy
        self.asked = 0

    def try_take(self, phone: PhoneRef, holder: Holder) -> Token | None:
        self.asked += 1
        if self.asked <= self.away:
            raise LeaseError("the server is away", code="LEASE_SERVER", retryable=self.retryable)
        return None if self.busy else Token()

    def holder_of(self, phone: PhoneRef) -> Holder | None:
        raise LeaseError("it does not tell", code="LEASE_SERVER", retryable=True)

    def remark(self) -> str:
        return "it is new"

    def close(self) -> None: ...


def test_a_server_that_comes_back_gives_the_phone(directory: Path) -> None:
    server, said = Server(3), list[str]()
    manager = LeaseManager(directory, [server])
    with manager.acquire([A], timeout_s=20, holder=ME, on_wait=said.append) as lease:
        assert lease.fencing == 5
    assert server.asked == 4
    assert said == ["test_mine waits for a phone (0 s): the server is away"]


def test_a_server_that_stays_away_is_waited_for_once_only(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "OUTAGE_S", 0.2)
    server = Server(10_000)
    manager = LeaseManager(directory, [server])
    for tries in (range(2, 1000), range(1, 2)):
        server.asked = 0
        with pytest.raises(LeaseError) as caught:
            manager.acquire([A], timeout_s=60, holder=ME)
        assert caught.value.code == "LEASE_SERVER"
        assert server.asked in tries
    LeaseManager(directory).acquire([A], timeout_s=0, holder=ME).release()  # nothing was kept


def test_a_server_that_refuses_is_not_asked_again(directory: Path) -> None:
    server = Server(10_000, retryable=False)
    with pytest.raises(LeaseError):
        LeaseManager(directory, [server]).acquire([A], timeout_s=60, holder=ME)
    assert server.asked == 1


def test_a_server_that_does_not_tell_who_holds_is_no_reason_to_give_up(directory: Path) -> None:
    said = list[str]()
    with pytest.raises(LeaseError) as caught:
        LeaseManager(directory, [Server(0, busy=True)]).acquire([A], timeout_s=0.1, holder=ME, on_wait=said.append)
    assert caught.value.code == "LEASE_TIMEOUT"
    assert said == ["test_mine waits for a phone (0 s): serial-a: it does not tell; it is new"]


def test_the_files_of_a_phone_that_is_gone_for_good_are_removed(directory: Path, manager: LeaseManager) -> None:
    with manager.acquire([A], timeout_s=0, holder=ME) as lease:
        for ending in ("journal", "prepared", "permissions"):
            (directory / f"{lease.name}.{ending}").touch()
        manager.forget(A)
        lease.check()
        assert len(list(directory.iterdir())) == 5, "nothing, while somebody holds it"
    with manager.acquire([B], timeout_s=0, holder=ME) as other:
        manager.forget(A)
        manager.forget(C)
        assert {path.stem for path in directory.iterdir()} == {other.name}
