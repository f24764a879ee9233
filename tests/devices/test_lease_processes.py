"""Leases between real processes: exclusion, death of the holder, forked children, several users of one directory."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.devices.lease import Holder, LeaseManager, lock_name
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError

ONE = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
TWO = PhoneRef("0a1b2c3d", "phone 0a1b2c3d")
ME = Holder(test="tests/test_mine.py::test_mine", worker="gw0")

_PROGRAM = """
import os, sys, time
from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.phone_ref import PhoneRef
ONE = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
manager = LeaseManager(sys.argv[1])
lease = manager.acquire([ONE], timeout_s=30, holder=Holder(test="tests/test_chat.py::test_发消息", worker="gw7"))
"""


class Process:
    """A Python process that writes one word a line; `word` waits for the next."""

    def __init__(self, directory: Path, then: str) -> None:
        code = textwrap.dedent(_PROGRAM) + textwrap.dedent(then)
        self.popen = subprocess.Popen(
            [sys.executable, "-c", code, str(directory)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
        )

    def word(self) -> str:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline().strip()

    def kill(self) -> None:
        self.popen.send_signal(signal.SIGKILL)
        self.popen.wait(10)

    def end(self) -> None:
        if self.popen.poll() is None:
            self.kill()
        for pipe in (self.popen.stdout, self.popen.stdin):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "leases"


@pytest.fixture
def holding(directory: Path) -> Iterator[Process]:
    process = Process(directory, "print('held', flush=True); sys.stdin.read()")
    assert process.word() == "held"
    yield process
    process.end()


def test_a_held_phone_is_refused_and_the_message_names_its_holder(directory: Path, holding: Process) -> None:
    with pytest.raises(LeaseError) as caught:
        LeaseManager(directory).acquire([ONE], timeout_s=0.123456, holder=ME)
    assert caught.value.code == "LEASE_TIMEOUT"
    assert caught.value.retryable
    text = str(caught.value)
    assert "no phone became free within 0.12 s: " in text
    assert "emulator-5554" in text
    assert "tests/test_chat.py::test_发消息" in text
    assert f"pid {holding.popen.pid}" in text
    assert "gw7" in text
    assert "since" in text


def test_the_phone_of_a_killed_holder_is_free_at_once(directory: Path, holding: Process) -> None:
    holding.kill()
    with LeaseManager(directory).acquire([ONE], timeout_s=0, holder=ME) as lease:
        assert lease.phone is ONE


_SLEEPER = """[sys.executable, "-c", "print('child', flush=True); import time; time.sleep(60)"]"""
_MULTIPROCESSING = """
import multiprocessing
def sleeper():
    print("child", flush=True)
    time.sleep(60)
multiprocessing.get_context("fork").Process(target=sleeper).start()
"""


@pytest.mark.parametrize(
    "child",
    [
        "if os.fork() == 0:\n    print('child', flush=True)\n    time.sleep(60)",
        _MULTIPROCESSING,
        f"import subprocess\nsubprocess.Popen({_SLEEPER})",
        f"import subprocess\nsubprocess.Popen({_SLEEPER}, close_fds=False)",
    ],
    ids=["fork", "multiprocessing", "subprocess", "subprocess-open-fds"],
)
def test_children_of_a_killed_holder_do_not_keep_the_phone(directory: Path, child: str) -> None:
    process = Process(directory, "print(os.getpgid(0), flush=True)\n" + child + "\ntime.sleep(60)")
    process.word()
    assert process.word() == "child"
    children = _children(process.popen.pid)
    try:
        process.kill()
        assert [pid for pid in children if _alive(pid)], "the child has to outlive its parent for this test to say anything"
        LeaseManager(directory).acquire([ONE], timeout_s=0.5, holder=ME).release()
    finally:
        for pid in children:
            if _alive(pid):
                os.kill(pid, signal.SIGKILL)
        process.end()


def _children(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in listing.read_text().split()]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_forked_child_neither_holds_nor_frees_the_phone(directory: Path) -> None:
    process = Process(
        directory,
        """
        if os.fork() == 0:
            lease.release()
            print("child", lease.held, flush=True)
            os._exit(0)
        os.wait()
        print("parent", lease.held, flush=True)
        sys.stdin.read()
        """,
    )
    try:
        assert process.word() == "child False"
        assert process.word() == "parent True"
        with pytest.raises(LeaseError):
            LeaseManager(directory).acquire([ONE], timeout_s=0.1, holder=ME)
    finally:
        process.end()


def test_a_waiter_gets_the_phone_when_it_is_released_and_says_for_whom_it_waits(directory: Path, holding: Process) -> None:
    said: list[str] = []

    def waiting(line: str) -> None:
        said.append(line)
        assert holding.popen.stdin is not None
        holding.popen.stdin.close()  # the holder ends by itself

    with LeaseManager(directory).acquire([ONE], timeout_s=20, holder=ME, on_wait=waiting):
        pass
    assert len(said) == 1
    assert "tests/test_mine.py::test_mine waits" in said[0]
    assert "test_发消息" in said[0]


def test_a_wait_can_be_told_late(directory: Path, holding: Process) -> None:
    said: list[str] = []
    manager = LeaseManager(directory)
    with pytest.raises(LeaseError):
        manager.acquire([ONE], timeout_s=0.1, holder=ME, on_wait=said.append, say_after_s=60)
    assert said == []

    def waiting(text: str) -> None:
        said.append(text)
        assert holding.popen.stdin is not None
        holding.popen.stdin.close()

    manager.acquire([ONE], timeout_s=20, holder=ME, on_wait=waiting, say_after_s=0.2).release()
    assert len(said) == 1
    assert "waits for a phone" in said[0]


def test_many_processes_never_hold_one_phone_together(directory: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    then = f"""
    log = os.open({str(log)!r}, os.O_WRONLY | os.O_APPEND)
    lease.release()
    for turn in range(25):
        with manager.acquire([ONE], timeout_s=60, holder=Holder(test="t")):
            os.write(log, b"in %d\\n" % os.getpid())
            time.sleep(0.002)
            os.write(log, b"out %d\\n" % os.getpid())
    """
    processes = [Process(directory, then) for _ in range(4)]
    for process in processes:
        assert process.popen.wait(60) == 0
        process.end()
    lines = log.read_text().split("\n")[:-1]
    assert len(lines) == 4 * 25 * 2
    for entered, left in zip(lines[::2], lines[1::2], strict=True):
        assert entered.split()[0] == "in"
        assert left == "out " + entered.split()[1]


def test_all_or_none(directory: Path, holding: Process) -> None:
    manager = LeaseManager(directory)
    with pytest.raises(LeaseError):
        manager.acquire_all([TWO, ONE], timeout_s=0.2, holder=ME)
    manager.acquire([TWO], timeout_s=0, holder=ME).release()  # nothing was kept
    holding.kill()
    leases = manager.acquire_all([TWO, ONE], timeout_s=0, holder=ME)
    assert [lease.phone for lease in leases] == [TWO, ONE]
    for lease in leases:
        lease.release()


def test_the_preferred_phone_comes_first_and_a_taken_one_is_passed_over(directory: Path) -> None:
    manager = LeaseManager(directory)
    with manager.acquire([ONE, TWO], timeout_s=0, holder=ME, prefer=TWO.identity) as first:
        assert first.phone is TWO
        with manager.acquire([ONE, TWO], timeout_s=0, holder=ME, prefer=TWO.serial) as second:
            assert second.phone is ONE


def test_one_phone_with_two_serials_is_one_lease(directory: Path) -> None:
    manager = LeaseManager(directory)
    over_network = PhoneRef("192.168.0.7:5555", TWO.identity)
    with manager.acquire([TWO], timeout_s=0, holder=ME), pytest.raises(LeaseError):
        manager.acquire([over_network], timeout_s=0.05, holder=ME)


def test_lock_files_stay_and_everybody_may_write_them(directory: Path) -> None:
    before = os.umask(0o077)
    try:
        LeaseManager(directory).acquire([ONE], timeout_s=0, holder=ME).release()
    finally:
        os.umask(before)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o1777
    files = sorted(directory.iterdir())
    assert {file.suffix for file in files} == {".lock", ".json"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o666}


def test_identities_that_look_alike_have_locks_of_their_own() -> None:
    names = {
        lock_name(identity) for identity in ("phone a:b", "phone a/b", "phone a b", "phone a-b", "phone 手机", "phone 手表")
    }
    assert len(names) == 6
    assert all(name.replace("-", "").replace(".", "").replace("_", "").isalnum() for name in names)


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LeaseError) as caught:
        LeaseManager(tmp_path / "file").acquire([ONE], timeout_s=5, holder=ME)
    assert caught.value.code == "LEASE_DIR"
    assert str(tmp_path / "file") in str(caught.value)


def test_the_holder_is_known_only_while_it_holds(directory: Path) -> None:
    manager = LeaseManager(directory)
    assert manager.holder_of(ONE.identity) is None
    with manager.acquire([ONE], timeout_s=0, holder=ME):
        holder = manager.holder_of(ONE.identity)
        assert holder is not None
        assert holder.test == ME.test
        assert abs(holder.since - time.time()) < 60
    assert manager.holder_of(ONE.identity) is None


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A directory that other users may enter, as they may enter /tmp; pytest's own are closed to them."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def test_users_of_other_ids_take_turns(open_place: Path) -> None:
    """Only root can become another user; anybody else tries it with the id they have."""
    shared = open_place / "leases"
    other = 65534 if os.geteuid() == 0 else os.geteuid()
    LeaseManager(shared).acquire([ONE], timeout_s=0, holder=ME).release()
    code = textwrap.dedent(
        """
        import os, sys
        from pytest_layered_phone.devices.lease import Holder, LeaseManager
        from pytest_layered_phone.devices.phone_ref import PhoneRef
        if os.geteuid() == 0: os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
        one = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
        with LeaseManager(sys.argv[1]).acquire([one], timeout_s=0, holder=Holder(test="theirs")):
            print(LeaseManager(sys.argv[1]).holder_of(one.identity).test)
        """
    )
    done = subprocess.run([sys.executable, "-c", code, str(shared), str(other)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("theirs", "")
    with LeaseManager(shared).acquire([ONE], timeout_s=0, holder=ME):  # and back again
        pass
