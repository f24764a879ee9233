"""One test holds one phone: across workers, across sessions, and when a holder is killed."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.pool import resolve
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.inner import Running, Suite, device_words
from tests.virtual.adb_tools import running, until

CONFTEST = '''
    import os
    import time
    from pathlib import Path

    import pytest

    MEETING = Path(__file__).parent / "meeting"
    LIMIT_S = 100


    def wait_for(condition, what):
        end = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < end, f"waited {LIMIT_S} s in vain for {what}"
            time.sleep(0.02)


    class Meeting:
        """Files that the tests of several processes see."""

        def tell(self, name, text="", exclusive=False):
            MEETING.mkdir(exist_ok=True)
            if exclusive:
                descriptor = os.open(MEETING / name, os.O_CREAT | os.O_EXCL)
                os.close(descriptor)
                return
            part = MEETING / f"{name}.{os.getpid()}"
            part.write_text(text)
            part.rename(MEETING / name)

        def forget(self, name):
            (MEETING / name).unlink()

        def await_(self, *names):
            for name in names:
                wait_for((MEETING / name).exists, name)


    @pytest.fixture
    def meeting():
        return Meeting()
'''

ALONE = """
    import pytest

    @pytest.mark.parametrize("number", range(4))
    def test_alone(device, meeting, number):
        meeting.tell("holder", exclusive=True)       # fails where another test is in here
        for _ in range(3):
            device.tap(500 + number, 1200)
        meeting.forget("holder")
"""

TOGETHER = """
    import pytest

    @pytest.mark.parametrize("me, other", [(1, 2), (2, 1)])
    def test_together(device, meeting, me, other):
        device.tap(500 + me, 1200)
        meeting.tell(f"here-{me}", device.serial)
        meeting.await_(f"here-{other}")              # passes only where both tests hold a phone at the same time
        device.tap(500 + me, 1200)
"""

HOLDS = """
    def test_holds(device, meeting):
        device.tap(501, 1200)
        meeting.tell("held")
        meeting.await_("go")
        device.tap(501, 1200)
"""
WANTS = """
    def test_wants(device):
        device.tap(502, 1200)
"""

KILLED = """
    import os
    import time

    BEFORE = "com.example.keyboard/.Ime"

    def test_is_killed(device, meeting):
        meeting.tell("keyboard", device.setting("secure", "default_input_method") or "")
        device.start_app("com.example.notes")
        observation = device.observe()
        new = next(e for e in observation.elements.elements if "New note" in (e.text, e.description))
        device.tap(*new.bounds.center)
        field = next(e for e in device.observe().elements.elements if e.editable)
        device.tap(*field.bounds.center)
        device.type_text("你好")                       # changes the input method, until the phone is given back
        meeting.tell("changed", device.setting("secure", "default_input_method") or "")
        meeting.tell("pid", str(os.getpid()))
        meeting.await_("never")

    def test_comes_after(device, meeting):
        meeting.tell("after", device.setting("secure", "default_input_method") or "")
"""


@pytest.fixture
def phones(virtual_phones: PrivatePhones) -> Iterator[PrivatePhones]:
    virtual_phones.control.reset()
    yield virtual_phones
    virtual_phones.control.reset()


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[Suite]:
    suite = Suite(tmp_path / "suite", {"conftest.py": CONFTEST})
    yield suite
    suite.end()


def lease_dir(suite: Suite) -> str:
    return f"--phone-lease-dir={suite.path / 'leases'}"


def words(suite: Suite, phones: PrivatePhones, *numbers: int) -> list[str]:
    return [device_words(phones, *numbers), lease_dir(suite)]


def taps(phones: PrivatePhones, number: int) -> list[tuple[int, float, float]]:
    """Who tapped and when, in order: the x of a tap says which test it was."""
    actions: list[dict[str, Any]] = phones.control.state(number)["actions"]
    return [
        (round(action["details"]["x"]), action["started_s"], action["ended_s"]) for action in actions if action["kind"] == "tap"
    ]


def met(suite: Suite, name: str) -> str:
    path = suite.path / "meeting" / name
    until(path.exists, f"the inner session tells {name!r}", 100)
    return path.read_text()


def test_two_workers_and_one_phone(phones: PrivatePhones, suite: Suite) -> None:
    suite.write("test_alone.py", ALONE)
    session = suite.run(*words(suite, phones, 0), "-n", "2")
    assert session.outcomes == {f"test_alone[{number}]": "passed" for number in range(4)}, session.out
    assert {process["worker"] for process in session.processes} == {"", "gw0", "gw1"}
    order = [who for who, _, _ in taps(phones, 0)]
    assert sorted(order) == sorted([500 + number for number in range(4)] * 3)
    assert order == [who for first in order[::3] for who in [first] * 3], "two tests had the phone at the same time"
    assert taps(phones, 1) == []


def test_two_workers_and_two_phones(phones: PrivatePhones, suite: Suite) -> None:
    suite.write("test_together.py", TOGETHER)
    session = suite.run(*words(suite, phones), "-n", "2")
    assert session.outcomes == {"test_together[1-2]": "passed", "test_together[2-1]": "passed"}, session.out
    assert {met(suite, "here-1"), met(suite, "here-2")} == {phone.serial for phone in phones.phones}
    (one, begun, _), (_, _, ended) = taps(phones, 0)
    (other, other_begun, _), (_, _, other_ended) = taps(phones, 1)
    assert {one, other} == {501, 502}
    assert max(begun, other_begun) < min(ended, other_ended)


def test_two_sessions_and_one_phone(phones: PrivatePhones, suite: Suite) -> None:
    """The second says for whom it waits, and gets the phone when the first gives it back."""
    suite.write("test_first.py", HOLDS)
    suite.write("test_second.py", WANTS)
    first = suite.start(*words(suite, phones, 0), "test_first.py")
    met(suite, "held")
    second = suite.start(*words(suite, phones, 0), "test_second.py", "-p", "no:xdist")
    said = read_until(second, "waits for a phone")
    assert "test_second.py::test_wants waits for a phone" in said
    assert f"{phones.phones[0].serial} is held by test_first.py::test_holds (pid {first.process.pid}" in said
    (suite.path / "meeting" / "go").touch()
    assert first.wait().outcomes == {"test_holds": "passed"}
    ended = second.wait()
    assert ended.outcomes == {"test_wants": "passed"}, ended.out
    assert [who for who, _, _ in taps(phones, 0)] == [501, 501, 502]


def test_a_worker_says_for_whom_its_test_waits(suite: Suite) -> None:
    """A worker has no terminal; what it says must be read all the same."""
    suite.write(
        "test_waits.py",
        """
        def test_waits(pytestconfig):
            print("this is captured")
            pytestconfig.pluginmanager.get_plugin("layered_phone_reports").waiting("test_发消息 waits for a phone")
        """,
    )
    session = suite.run("-n", "1")
    assert session.outcomes == {"test_waits": "passed"}, session.out
    assert "[gw0] test_发消息 waits for a phone\n" in session.out
    assert "this is captured" not in session.out


def test_a_killed_worker_frees_its_phone(phones: PrivatePhones, suite: Suite) -> None:
    suite.write("test_killed.py", KILLED)
    session = suite.start(*words(suite, phones, 0), "-n", "1")
    pid = int(met(suite, "pid"))
    os.kill(pid, signal.SIGKILL)
    ended = session.wait()
    assert "worker 'gw0' crashed while running 'test_killed.py::test_is_killed'" in ended.out
    assert ended.outcomes["test_comes_after"] == "passed", ended.out
    assert ended.outcomes["test_is_killed"] in ("failed", "error")
    # What the killed test had changed was put back by the next one, from the notes on the host.
    assert met(suite, "changed") != met(suite, "keyboard")
    assert met(suite, "after") == met(suite, "keyboard")


def test_a_killed_worker_leaves_no_lock(phones: PrivatePhones, suite: Suite) -> None:
    suite.write("test_first.py", HOLDS.replace('"held"', '"held", str(__import__("os").getpid())'))
    session = suite.start(*words(suite, phones, 0), "-n", "1", "--max-worker-restart=0")
    pid = int(met(suite, "held"))
    manager = LeaseManager(suite.path / "leases")
    phone = resolve(words(suite, phones, 0)[0].partition("=")[2])
    holder = manager.holder_of(phone[0].identity)
    assert holder is not None
    assert (holder.pid, holder.worker, holder.test) == (pid, "gw0", "test_first.py::test_holds")
    os.kill(pid, signal.SIGKILL)
    until(lambda: not running(pid), "the worker is dead")
    # Its other threads may take a moment longer to go, and the lock goes with the last of them; nobody else gives it back.
    manager.acquire(phone, timeout_s=20, holder=Holder(test="the next one")).release()
    assert session.wait().code != 0


def test_an_interrupt_stays_one_and_frees_the_phone(phones: PrivatePhones, suite: Suite) -> None:
    suite.write("test_first.py", HOLDS)
    suite.write("test_second.py", WANTS)
    session = suite.start(*words(suite, phones, 0))
    met(suite, "held")
    os.kill(session.process.pid, signal.SIGINT)
    ended = session.wait()
    assert ended.code == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in ended.out
    phone = resolve(words(suite, phones, 0)[0].partition("=")[2])
    LeaseManager(suite.path / "leases").acquire(phone, timeout_s=0, holder=Holder(test="the next one")).release()
    assert [who for who, _, _ in taps(phones, 0)] == [501]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_a_lease_that_nobody_gives_back_is_an_error(phones: PrivatePhones, suite: Suite, workers: list[str]) -> None:
    suite.write("test_second.py", WANTS + "\n    def test_needs_no_phone(): pass\n")
    phone = resolve(words(suite, phones, 0)[0].partition("=")[2])
    with LeaseManager(suite.path / "leases").acquire(
        phone, timeout_s=0, holder=Holder(test="test_someone.py::test_else", worker="gw7")
    ):
        session = suite.run(*words(suite, phones, 0), "--phone-lease-timeout=0.3", *workers)
    assert session.outcomes == {"test_wants": "error", "test_needs_no_phone": "passed"}, session.out
    assert re.search(r"1 passed, 1 error in ", session.out)
    message = session.message("test_wants")
    assert "LEASE_TIMEOUT" in message
    assert f"held by test_someone.py::test_else (pid {os.getpid()}, worker gw7" in message
    assert "phone_lease_timeout" in message
    assert taps(phones, 0) == []


@pytest.mark.parametrize(
    ("numbers", "more", "auto", "workers"),
    [((0,), [], "4", 1), ((0, 1), [], "3", 2), ((0,), ["--phone-cap-workers=no"], "2", 2)],
    ids=["one-phone", "two-phones", "not-capped"],
)
def test_workers_are_as_many_as_phones(
    phones: PrivatePhones, suite: Suite, numbers: tuple[int, ...], more: list[str], auto: str, workers: int
) -> None:
    suite.write("test_second.py", WANTS)
    session = suite.run(*words(suite, phones, *numbers), "-n", "auto", *more, env={"PYTEST_XDIST_AUTO_NUM_WORKERS": auto})
    assert session.outcomes == {"test_wants": "passed"}, session.out
    assert len([process for process in session.processes if process["worker"]]) == workers


def read_until(session: Running, text: str) -> str:
    """What a session prints up to the line that holds a text."""
    said = ""
    stdout = session.process.stdout
    assert stdout is not None
    while text not in said:
        line = stdout.readline()
        assert line, said
        said += line
    return said
