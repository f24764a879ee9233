"""Which of several free phones a worker takes; the phones are names, the locks are real."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pytest_layered_phone._pool import PhonePool
from pytest_layered_phone.devices.lease import Lease, LeaseManager
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.providers import Providers
from pytest_layered_phone.devices.requirements import ANY, Requirements, read_requirements
from pytest_layered_phone.errors import DeviceLostError, LeaseError, NoDeviceError, PhoneUnfitError
from pytest_layered_phone.settings import resolve

PHONES = [PhoneRef(f"s{number}", f"phone s{number}", api=30 + number, model="Shelf", scheme="shelf") for number in range(3)]


class Shelf:
    def check(self, word: str) -> None: ...

    def count(self, word: str) -> int:
        return len(PHONES)

    def resolve(self, word: str) -> list[PhoneRef]:
        return PHONES

    def close(self) -> None: ...


class Worker:
    def __init__(self, directory: Path, name: str) -> None:
        providers = Providers()
        providers.register("shelf", Shelf())
        self.pool = PhonePool(
            resolve({"phone_device": "shelf:all"}.get, lambda name: None, {}),
            lambda: providers,
            lambda: LeaseManager(directory),
            worker=name,
            run_id="run",
        )

    def take(self, requirements: Requirements = ANY, seconds: float = 0.0) -> list[Lease]:
        return self.pool.lease(requirements, "a test", until=time.monotonic() + seconds, on_wait=None)

    def give_back(self, requirements: Requirements = ANY) -> list[str]:
        leases = self.take(requirements)
        for lease in leases:
            lease.release()
        return [lease.phone.serial for lease in leases]


def test_workers_begin_at_different_phones_and_stay(tmp_path: Path) -> None:
    workers = [Worker(tmp_path, f"gw{number}") for number in range(4)]
    assert [worker.give_back() for worker in workers] == [["s0"], ["s1"], ["s2"], ["s0"]]
    assert [worker.give_back() for worker in workers] == [["s0"], ["s1"], ["s2"], ["s0"]]
    with workers[0].take()[0]:
        assert workers[3].give_back() == ["s1"]
    assert workers[3].give_back() == ["s1"], "it stays with the one that it had last"
    assert workers[1].give_back(read_requirements({"count": 2})) == ["s1", "s2"]
    assert workers[2].give_back(read_requirements({"count": 3})) == ["s0", "s1", "s2"], "named in the order of --device"


def test_several_are_taken_all_or_none(tmp_path: Path) -> None:
    one, other = Worker(tmp_path, "gw0"), Worker(tmp_path, "gw1")
    pair = read_requirements({"count": 2})
    held = one.take(pair)
    with pytest.raises(LeaseError) as caught:
        other.take(pair, 0.05)
    assert caught.value.code == "LEASE_TIMEOUT"
    assert other.give_back() == ["s2"], "the one that was free is not kept"
    for lease in held:
        lease.release()
    assert len(other.give_back(pair)) == 2


def test_what_one_worker_puts_aside_no_other_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_layered_phone._pool._PATIENCE_S", 0.0)
    one, other = Worker(tmp_path, "gw0"), Worker(tmp_path, "gw1")
    one.pool.put_aside(PHONES[1], PhoneUnfitError("full", code="STORAGE_LOW"))
    assert other.give_back() == ["s2"]
    with pytest.raises(NoDeviceError, match=r"s1 \(Shelf, API 31\): STORAGE_LOW: full"):
        other.take(read_requirements({"count": 3}))
    with pytest.raises(NoDeviceError, match="the test asks for api='>32', but no phone of this session can be that"):
        other.take(read_requirements({"api": ">32"}), 60)
    other.pool.put_aside(PHONES[0], DeviceLostError("gone"))
    other.pool.put_aside(PHONES[2], DeviceLostError("gone too"))
    with pytest.raises(NoDeviceError) as caught:
        one.take(ANY, 60)
    assert [line.split(":")[0].strip() for line in caught.value.message.splitlines()[1:]] == [
        "s0 (Shelf, API 30)", "s1 (Shelf, API 31)", "s2 (Shelf, API 32)",
    ]  # fmt: skip
    assert len(one.pool.summary_lines()) == 3


def test_a_session_that_gets_no_leases_still_has_its_summary() -> None:
    def no_leases() -> LeaseManager:
        raise LeaseError("the package redis is not installed", code="LEASE_ENGINE", retryable=False)

    pool = PhonePool(resolve({}.get, lambda name: None, {}), Providers, no_leases, worker="", run_id="run")
    assert pool.summary_lines() == []
    pool.close()


def test_what_is_left_changed_is_told_until_it_is_back(tmp_path: Path) -> None:
    one, other = Worker(tmp_path, "gw0"), Worker(tmp_path, "gw1")
    one.pool.note_left(PHONES[0], [])
    assert one.pool.summary_lines() == []
    one.pool.note_left(PHONES[0], ["setting a: refused", "ime: \udc80"])
    told = "left changed: s0 (Shelf, API 30): NOT_PUT_BACK: setting a: refused; ime: \udc80; the next test on it tries again"
    assert other.pool.summary_lines() == [told]
    assert other.give_back() == ["s1"], "the phone is used on"
    assert one.give_back() == ["s0"]
    other.pool.note_left(PHONES[0], [])
    assert one.pool.summary_lines() == []


def test_a_list_that_cannot_be_written_holds_in_its_own_worker(tmp_path: Path) -> None:
    (tmp_path / "run-run.aside").mkdir()
    one = Worker(tmp_path, "gw0")
    one.pool.put_aside(PHONES[0], PhoneUnfitError("full", code="STORAGE_LOW"))
    one.pool.put_aside(PHONES[1], DeviceLostError("gone"))
    one.pool.works_again(PHONES[1])
    assert [one.give_back(), one.give_back()] == [["s1"], ["s1"]]
    assert len(one.pool.summary_lines()) == 2
    one.pool.close()
