"""Leases across hosts at a real Redis server. Two lease directories stand for two hosts: only the server is between them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import lease_soak
from benchmarks.redis_server import RedisServer
from pytest_layered_phone.devices.lease import Holder, Lease, LeaseManager
from pytest_layered_phone.devices.leases.engine import make_engine
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.external.sessions import ROOT, address, run_pytest, write

ONE = PhoneRef("0a1b2c3d", "phone 0a1b2c3d")
TWO = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
ME = Holder(test="test_mine 我的")
TTL_S = 1.5
SECRET = "geh-eim"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with closing(RedisServer(tmp_path, SECRET)) as server:
        yield server


@pytest.fixture
def hosts(server: RedisServer, tmp_path: Path) -> Iterator[list[LeaseManager]]:
    """Two hosts, and a server that has stood long enough to give out phones."""
    made = [LeaseManager(tmp_path / f"host{number}", [make_engine(server.url, TTL_S)]) for number in range(2)]
    made[0].acquire([PhoneRef("other", "phone other")], timeout_s=20, holder=ME).release()
    yield made
    for manager in made:
        manager.close()


def until(condition: Callable[[], object], limit_s: float = 20) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def refused(manager: LeaseManager, timeout_s: float = 0) -> str:
    with pytest.raises(LeaseError) as caught:
        manager.acquire([ONE], timeout_s=timeout_s, holder=Holder(test="test_other"))
    assert caught.value.code == "LEASE_TIMEOUT"
    return str(caught.value)


def test_a_phone_is_held_once_among_hosts_and_numbers_grow(hosts: list[LeaseManager]) -> None:
    numbers = []
    for turn in range(4):
        mine, other = hosts[turn % 2], hosts[1 - turn % 2]
        with mine.acquire([ONE], timeout_s=5, holder=ME) as lease:
            assert f"0a1b2c3d is held by {ME.test} (pid {os.getpid()}" in refused(other)
            held = other.holder_of(ONE)
            assert held is not None
            assert held.test == ME.test
            other.acquire([TWO], timeout_s=5, holder=ME).release()
            assert lease.fencing is not None
            numbers.append(lease.fencing)
        assert other.holder_of(ONE) is None
    assert numbers == sorted(set(numbers))


def test_a_lease_is_renewed_while_its_holder_lives(hosts: list[LeaseManager]) -> None:
    with hosts[0].acquire([ONE], timeout_s=5, holder=ME) as lease:
        refused(hosts[1], timeout_s=3 * TTL_S)
        lease.check()


def test_a_run_without_the_server_is_kept_out_on_the_same_host(hosts: list[LeaseManager], tmp_path: Path) -> None:
    alone = LeaseManager(tmp_path / "host0")
    with hosts[0].acquire([ONE], timeout_s=5, holder=ME):
        refused(alone)
    with alone.acquire([ONE], timeout_s=0, holder=ME):
        refused(hosts[0])


_HOLDER = """
import sys
from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.leases.engine import make_engine
from pytest_layered_phone.devices.phone_ref import PhoneRef
manager = LeaseManager(sys.argv[1], [make_engine(sys.argv[2], float(sys.argv[3]))])
lease = manager.acquire([PhoneRef("0a1b2c3d", "phone 0a1b2c3d")], timeout_s=20, holder=Holder(test="killed"))
"""


def holding(server: RedisServer, directory: Path, then: str) -> subprocess.Popen[str]:
    code = _HOLDER + textwrap.dedent(then) + "\nprint('held', flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(directory), server.url, str(TTL_S)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    return process


def test_the_phone_of_a_killed_holder_is_free_after_the_ttl(
    hosts: list[LeaseManager], server: RedisServer, tmp_path: Path
) -> None:
    with holding(server, tmp_path / "third", "") as process:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert "killed" in refused(hosts[1])
        hosts[1].acquire([ONE], timeout_s=TTL_S * 4, holder=ME).release()


def test_a_forked_child_keeps_nothing_alive(hosts: list[LeaseManager], server: RedisServer, tmp_path: Path) -> None:
    then = "import os, time\nchild = os.fork()\nif child == 0:\n    lease.release(); assert not lease.held; time.sleep(60)"
    with holding(server, tmp_path / "third", then) as process:
        assert "killed" in refused(hosts[1], timeout_s=2 * TTL_S)  # the child's release frees nothing
        listing = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        try:
            hosts[1].acquire([ONE], timeout_s=TTL_S * 4, holder=ME).release()
        finally:
            for pid in listing:
                os.kill(int(pid), signal.SIGKILL)


def test_a_server_that_is_still_for_long_loses_the_lease_before_others_can_have_it(
    hosts: list[LeaseManager], server: RedisServer
) -> None:
    lease = hosts[0].acquire([ONE], timeout_s=5, holder=ME)
    server.stop()
    until(lambda: not lease.held, TTL_S * 3)
    server.go_on()
    with pytest.raises(LeaseError) as caught:
        lease.check()
    assert caught.value.code == "LEASE_LOST"
    with hosts[1].acquire([ONE], timeout_s=TTL_S * 4, holder=ME) as other:
        lease.release()  # not ours any more: frees nothing
        other.check()
        assert "test_mine" in refused(hosts[0])


def test_a_short_stop_of_the_server_does_no_harm(hosts: list[LeaseManager], server: RedisServer) -> None:
    with hosts[0].acquire([ONE], timeout_s=5, holder=ME) as lease:
        server.stop()
        time.sleep(TTL_S / 3)
        server.go_on()
        refused(hosts[1], timeout_s=2 * TTL_S)
        lease.check()


def test_a_server_that_forgot_everything_gives_out_nothing_until_holders_have_told_it(
    hosts: list[LeaseManager], server: RedisServer
) -> None:
    with hosts[0].acquire([ONE], timeout_s=5, holder=ME) as lease:
        number = lease.fencing
        server.kill()
        server.start()
        said: list[str] = []
        with pytest.raises(LeaseError):
            hosts[1].acquire([ONE], timeout_s=2.5 * TTL_S, holder=Holder(test="t"), on_wait=said.append)
        lease.check()
        assert "held by test_mine" in refused(hosts[1])
    with hosts[1].acquire([ONE], timeout_s=TTL_S * 4, holder=ME) as after:
        assert after.fencing is not None
        assert number is not None
        assert after.fencing > number


def test_a_new_server_says_why_it_waits(server: RedisServer, tmp_path: Path) -> None:
    said: list[str] = []
    manager = LeaseManager(tmp_path / "host", [make_engine(server.url, TTL_S)])
    with closing(manager):
        manager.acquire([ONE], timeout_s=20, holder=ME, on_wait=said.append).release()
    assert "was started anew and may have forgotten leases" in said[0]
    assert SECRET not in said[0]


def test_a_key_that_somebody_else_has_is_lost_and_left_alone(hosts: list[LeaseManager], server: RedisServer) -> None:
    import redis

    with closing(redis.Redis.from_url(server.url, decode_responses=True)) as client:
        lease = hosts[0].acquire([ONE], timeout_s=5, holder=ME)
        (key,) = [name for name in client.scan_iter() if "lease" in name]
        client.set(key, "stranger 1\n{}")
        until(lambda: not lease.held)
        lease.release()
        assert client.get(key) == "stranger 1\n{}"
        assert "somebody" in refused(hosts[1])


def test_waiters_of_two_hosts_stand_in_one_line(hosts: list[LeaseManager]) -> None:
    served: list[int] = []
    first = hosts[0].acquire([ONE], timeout_s=5, holder=ME)

    def wait(number: int) -> None:
        with hosts[number % 2].acquire([ONE], timeout_s=30, holder=Holder(test=f"t{number}")):
            served.append(number)

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(5)]
    line = hosts[1]._waiting._lines[-1]
    for number, thread in enumerate(threads):
        thread.start()
        until(lambda number=number: len(line.waiting([ONE.identity])) == number + 1)  # type: ignore[misc]
    assert "waits in front" in refused(hosts[1])
    first.release()
    for thread in threads:
        thread.join(30)
    assert served == list(range(5))


def test_a_wrong_password_is_an_error_at_once(server: RedisServer, tmp_path: Path) -> None:
    url = server.url.replace(SECRET, "wrong-word")
    with closing(LeaseManager(tmp_path / "host", [make_engine(url, TTL_S)])) as manager, pytest.raises(LeaseError) as caught:
        manager.acquire([ONE], timeout_s=60, holder=ME)
    assert (caught.value.code, caught.value.retryable) == ("LEASE_SERVER", False)
    assert "wrong-word" not in str(caught.value)


def test_all_or_none_among_hosts(hosts: list[LeaseManager]) -> None:
    with hosts[0].acquire([TWO], timeout_s=5, holder=ME):
        with pytest.raises(LeaseError):
            hosts[1].acquire_all([ONE, TWO], timeout_s=0.3, holder=ME)
        hosts[0].acquire([ONE], timeout_s=5, holder=ME).release()
    leases: list[Lease] = hosts[1].acquire_all([ONE, TWO], timeout_s=5, holder=ME)
    assert [lease.phone for lease in leases] == [ONE, TWO]
    for lease in leases:
        lease.release()


SESSION = """
import os, signal, time
import pytest

def test_loses_its_lease(phone_device):
    phone_device.tap(111, 5)
    os.kill(int(os.environ["SERVER"]), signal.SIGSTOP)
    guard, end = phone_device.transport.guard, time.monotonic() + 30
    while time.monotonic() < end:
        try: guard()
        except Exception: break
        time.sleep(0.05)
    os.kill(int(os.environ["SERVER"]), signal.SIGCONT)
    phone_device.tap(222, 5)

def test_comes_after(phone_device):
    phone_device.tap(333, 5)
"""


def test_a_test_whose_lease_is_lost_is_an_error_before_its_next_touch(server: RedisServer, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    write(folder, {"test_lost.py": SESSION, "pytest.ini": "[pytest]\n"})
    words = [f"--phone-lease-dir={tmp_path / 'leases'}", "--phone-lease-ttl=2", "-l", "-v", "-p", "no:playwright"]
    with PrivatePhones.start(count=1, width=240, height=400) as phones:
        done = run_pytest(
            folder, f"--phone-device={address(phones)}", *words,
            env={"PHONE_LEASE_URL": server.url, "SERVER": str(server.pid)},
        )  # fmt: skip
        taps = [action["details"]["x"] for action in phones.control.state(0)["actions"] if action["kind"] == "tap"]
    assert "1 passed, 1 error" in done.stdout, done.stdout
    assert "LEASE_LOST" in done.stdout
    assert SECRET not in done.stdout
    assert taps == [111, 333]


def test_a_short_soak_with_a_server_in_trouble(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--phones", "3", "--runs", "2", "--workers", "2", "--leases", "60", "--kills", "3"]
    code = lease_soak.main([*words, "--redis", "--limit", "240"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert "overlaps 0, numbers that did not grow 0" in said
