"""A lease that is lost: known before the next touch, and for good."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.leases.engine import make_engine, register_engine
from pytest_layered_phone.devices.leases.keeper import Keeper, Kept, Renewed, Validity
from pytest_layered_phone.devices.leases.redis_client import passwords_in, shown
from pytest_layered_phone.devices.leases.redis_engine import shared_name
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError
from tests.devices.conftest import Bed

ONE = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
ME = Holder(test="test_mine")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_removed_lock_file_loses_the_lease(tmp_path: Path) -> None:
    manager = LeaseManager(tmp_path / "leases")
    with manager.acquire([ONE], timeout_s=0, holder=ME) as lease:
        lease.check()
        assert lease.held
        (tmp_path / "leases" / f"{lease.name}.lock").unlink()
        with manager.acquire([ONE], timeout_s=0, holder=ME) as other:  # somebody tidied up: nothing keeps others out
            other.check()
            assert not lease.held
            with pytest.raises(LeaseError) as caught:
                lease.check()
    assert caught.value.code == "LEASE_LOST"
    assert not caught.value.retryable
    assert "emulator-5554" in str(caught.value)
    assert "was removed or replaced" in str(caught.value)


def test_a_released_lease_is_not_held_and_numbers_grow(tmp_path: Path) -> None:
    numbers = []
    for _ in range(3):
        lease = LeaseManager(tmp_path / "leases").acquire([ONE], timeout_s=0, holder=ME)
        numbers.append(lease.fencing)
        lease.release()
        with pytest.raises(LeaseError):
            lease.check()
    assert numbers == [1, 2, 3]


def test_a_phone_whose_lease_was_lost_is_neither_touched_nor_looked_at(bed: Bed, tmp_path: Path) -> None:
    manager = LeaseManager(tmp_path / "leases")
    device = bed.open()
    with manager.acquire([ONE], timeout_s=0, holder=ME) as lease:
        device.transport.guard = lease.check
        device.put_setting("system", "screen_off_timeout", "60000")
        device.tap(5, 5)
        (tmp_path / "leases" / f"{lease.name}.lock").unlink()
        before = bed.state()
        for touch in (
            lambda: device.tap(6, 6), lambda: device.press("home"), device.observe, device.screenshot, device.foreground,
            lambda: device.shell(["input", "tap", "7", "7"]), lambda: device.type_text("a"), device.clock_s,
        ):  # fmt: skip
            with pytest.raises(LeaseError) as caught:
                touch()
            assert caught.value.code == "LEASE_LOST"
        device.close()  # nor is anything put back: that is for who has the phone now
        after = bed.state()
    assert after["actions"] == before["actions"]
    assert after["settings"]["system"]["screen_off_timeout"] == "60000"
    device.transport.guard = None


# -- leases that are renewed -------------------------------------------------------------------------------------------------


def test_a_lease_is_over_before_the_server_can_think_so_and_stays_over() -> None:
    clock = Clock()
    validity = Validity(10, sent_s=100, clock=clock)
    clock.now = 108.9
    assert validity.lost() == ""
    validity.renewed(108)
    clock.now = 116.9
    assert validity.lost() == ""
    validity.note("the server is away")
    clock.now = 117.0
    assert validity.lost() == "it could not be renewed for 9.0 s (the server is away)"
    validity.renewed(117)  # the server says yes, too late
    clock.now = 117.5
    assert "could not be renewed" in validity.lost()


def test_an_old_answer_does_not_shorten_a_lease() -> None:
    clock = Clock()
    validity = Validity(10, sent_s=105, clock=clock)
    validity.renewed(101)
    clock.now = 113
    assert validity.lost() == ""


def test_a_lease_that_somebody_else_has_is_lost_and_not_renewed_again() -> None:
    asked = []

    def renew() -> Renewed:
        asked.append(1)
        return "taken"

    validity = Validity(1000, sent_s=100, clock=Clock())
    kept = Kept(validity, renew, every_s=1)
    assert kept.renew_once() is False
    assert validity.lost() == "somebody else holds it at the lease server"
    assert kept.renew_once() is False
    assert len(asked) == 1


def test_a_lease_that_ran_out_is_never_made_anew() -> None:
    clock = Clock()
    validity = Validity(10, sent_s=100, clock=clock)
    clock.now = 200
    asked: list[int] = []
    assert Kept(validity, lambda: asked.append(1) or "kept", every_s=1).renew_once() is False  # type: ignore[func-returns-value]
    assert asked == []


def test_a_released_lease_is_not_renewed_also_if_the_keeper_was_about_to() -> None:
    asked: list[int] = []
    kept = Kept(Validity(1000, sent_s=100, clock=Clock()), lambda: asked.append(1) or "kept", every_s=1)  # type: ignore[func-returns-value]
    kept.stop()
    assert kept.renew_once() is False
    assert asked == []


def test_the_keeper_renews_through_an_outage_and_ends_with_the_last_lease() -> None:
    done = threading.Event()
    answers: list[Renewed | LeaseError] = ["kept", LeaseError("away"), LeaseError("away"), "kept"]

    def renew() -> Renewed:
        answer = answers.pop(0) if answers else "kept"
        if not answers:
            done.set()
        if isinstance(answer, LeaseError):
            raise answer
        return answer

    keeper = Keeper()
    validity = Validity(1000, sent_s=100, clock=Clock())
    kept = Kept(validity, renew, every_s=0.02)
    keeper.add(kept)
    assert done.wait(20)
    assert validity.lost() == ""
    (thread,) = [one for one in threading.enumerate() if one.name == "phone leases"]
    keeper.remove(kept)
    thread.join(20)
    assert not thread.is_alive()


# -- the engine of a URL -----------------------------------------------------------------------------------------------------


def test_an_unknown_scheme_lists_the_known_ones() -> None:
    for url in ("etcd://host", "somewhere"):
        with pytest.raises(LeaseError) as caught:
            make_engine(url, 30)
        assert caught.value.code == "LEASE_ENGINE"
        assert "redis://" in str(caught.value)


def test_an_engine_can_be_added() -> None:
    made = []
    register_engine("Own", lambda url, ttl_s: made.append((url, ttl_s)))  # type: ignore[arg-type, func-returns-value]
    make_engine("own://shelf", 12)
    assert made == [("own://shelf", 12)]


def test_without_the_package_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['redis'] = None\n"
        "from pytest_layered_phone.devices.leases.engine import make_engine\n"
        "try: make_engine('redis://:geheim@host/0', 30)\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("LEASE_ENGINE: ")
    assert 'pip install "pytest-layered-phone[redis]"' in done.stdout
    assert "geheim" not in done.stdout + done.stderr


def test_a_server_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    manager = LeaseManager(tmp_path, [make_engine("redis://anna:geheim@127.0.0.1:1/0", 30)])
    with pytest.raises(LeaseError) as caught:
        manager.acquire([ONE], timeout_s=0, holder=ME)
    manager.close()
    assert caught.value.code == "LEASE_SERVER"
    assert "redis://127.0.0.1:1/0 does not answer" in str(caught.value)
    assert "phone_lease_url" in caught.value.suggestion
    seen: BaseException | None = caught.value
    while seen is not None:
        assert "geheim" not in repr(seen) + str(seen)
        seen = seen.__cause__ or seen.__context__
    LeaseManager(tmp_path).acquire([ONE], timeout_s=0, holder=ME).release()  # and nothing was kept here


@pytest.mark.parametrize(
    ("url", "told", "passwords"),
    [
        ("redis://h:6379/1", "redis://h:6379/1", ()),
        ("rediss://anna:p%40ss@h/0", "rediss://h/0", ("p%40ss", "p@ss")),
        ("redis://:x1@[::1]:7/0?password=y2&db=3", "redis://[::1]:7/0", ("x1", "y2")),
        ("unix:///run/redis.sock?password=z", "unix:///run/redis.sock", ("z",)),
        ("redis://u:geheim@[::1", "the URL of phone_lease_url", ("geheim",)),
        ("redis://[::1?db=1&password=ge%20heim", "the URL of phone_lease_url", ("ge%20heim", "ge heim")),
        ("redis://:geheim@h:port/0", "the URL of phone_lease_url", ("geheim",)),
    ],
)
def test_passwords_are_known_and_not_told(url: str, told: str, passwords: tuple[str, ...]) -> None:
    assert shown(url) == told
    assert passwords_in(url) == passwords


def test_emulators_of_two_hosts_are_two_phones_and_hardware_is_one() -> None:
    here = "emulator 127.0.0.1:5037/5554"
    assert shared_name(here, "shelf-a") != shared_name(here, "shelf-b")
    assert shared_name(here, "shelf-a") == shared_name("emulator shelf-a:5037/5554", "shelf-b")
    assert shared_name("phone 0a1b", "shelf-a") == shared_name("phone 0a1b", "shelf-b")


def test_programs_started_in_between_keep_no_lock(tmp_path: Path) -> None:
    """Started while another thread takes and releases: they must not keep what their parent gives back."""
    manager = LeaseManager(tmp_path / "leases")
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            manager.acquire([ONE], timeout_s=20, holder=ME).release()

    thread = threading.Thread(target=work)
    thread.start()
    children = []
    try:
        for _ in range(10):
            code = "import os, sys, time\nsys.stdin.read()"
            children.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, close_fds=False))
    finally:
        over.set()
        thread.join(20)
    manager.acquire([ONE], timeout_s=0.5, holder=ME).release()
    assert all(child.poll() is None for child in children)
    for child in children:
        with child:
            os.kill(child.pid, 9)
