"""Several users of one host share the lease directory, also where the kernel protects files in sticky directories."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_ROOT = os.geteuid() == 0
USERS = (65534, 1001) if _ROOT else (os.geteuid(), os.geteuid())
"""Only root can become others; anybody else takes turns with themselves."""
_PROTECTED = Path("/proc/sys/fs/protected_regular")

# What the kernel does with fs.protected_regular=2, as an audit hook: in a sticky directory that others may write, a file of
# another user is not opened with O_CREAT, unless that user owns the directory. The kernel of the test may have it switched off.
_CHILD = """
import os, pwd, stat, sys
REFUSED = []
def protect(event, arguments):
    if event != "open" or not isinstance(arguments[0], (str, os.PathLike)):
        return
    if not arguments[2] & os.O_CREAT or arguments[2] & os.O_EXCL:
        return
    try:
        file, directory = os.stat(arguments[0]), os.stat(os.path.dirname(arguments[0]) or ".")
    except OSError:
        return
    sticky = directory.st_mode & stat.S_ISVTX and directory.st_mode & (stat.S_IWOTH | stat.S_IWGRP)
    if sticky and file.st_uid not in (os.geteuid(), directory.st_uid):
        REFUSED.append(arguments[0])
        raise PermissionError(13, "Permission denied", arguments[0])
sys.addaudithook(protect)
from pathlib import Path
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.lease import Holder, LeaseManager
from pytest_layered_phone.devices.leases.local_line import LocalLine
from pytest_layered_phone.devices.phone_ref import PhoneRef
ONE = PhoneRef("emulator-5554", "emulator 127.0.0.1:5037/5554")
user = int(sys.argv[1])
if os.geteuid() == 0:  # after the imports: the interpreter may lie where others may not read
    os.setgroups([]), os.setgid(user), os.setuid(user)
os.umask(0o077)
place = Path(sys.argv[2])
manager = LeaseManager(place)
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A place that every user may enter, as /tmp; pytest's own directories are closed to others."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o1777)
    yield place / "leases"
    shutil.rmtree(place)


@pytest.fixture
def as_user(shared: Path) -> Callable[[int, str], str]:
    def run(user: int, code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD + code, str(user), str(shared)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


_TURN = """
with manager.acquire([ONE], timeout_s=0, holder=Holder(test=f"of {user}")) as lease:
    place_in_line = LocalLine(place).enter([ONE.identity], 1, Holder())
    place_in_line.leave()
    journal = Journal.for_identity(place, lease.name)
    was = list(journal.notes)
    journal.note(f"thing of {user}", ["true"])
    holder = manager.holder_of(ONE.identity)
    print(holder.test, lease.fencing, was, REFUSED)
"""


def test_users_take_turns_whatever_their_umask(
    shared: Path, as_user: Callable[[int, str], str], record_property: Callable[[str, object], None]
) -> None:
    record_property("fs.protected_regular", _PROTECTED.read_text().strip() if _PROTECTED.exists() else "unknown")
    first, second = USERS
    said = [as_user(user, _TURN) for user in (first, second, first)]
    assert said[0] == f"of {first} 1 [] []"
    assert said[1] == f"of {second} 2 ['thing of {first}'] []"
    assert said[2].startswith(f"of {first} 3 ['thing of {first}'")
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777
    assert {stat.S_IMODE(file.stat().st_mode) for file in shared.iterdir()} == {0o666}


def test_the_phone_of_another_user_is_refused_and_free_when_that_process_ends(
    shared: Path, as_user: Callable[[int, str], str]
) -> None:
    first, second = USERS
    code = (
        "lease = manager.acquire([ONE], timeout_s=0, holder=Holder(test='theirs'))\nprint('held', flush=True)\nsys.stdin.read()"
    )
    holding = subprocess.Popen(
        [sys.executable, "-c", _CHILD + code, str(first), str(shared)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holding:
        try:
            assert holding.stdout is not None
            assert holding.stdout.readline().strip() == "held"
            refused = as_user(
                second,
                "try: manager.acquire([ONE], timeout_s=0.05, holder=Holder())\nexcept Exception as error: print(error)",
            )
            assert refused.startswith("LEASE_TIMEOUT")
            assert f"theirs (pid {holding.pid} of " in refused
        finally:
            holding.kill()
    assert as_user(second, _TURN).startswith(f"of {second} 2 ")


def test_the_check_of_these_tests_bites(shared: Path, as_user: Callable[[int, str], str]) -> None:
    """Without care about O_CREAT another user's file would be refused; otherwise the tests above would say nothing."""
    first, second = USERS
    as_user(first, _TURN)
    code = """
for path in sorted(place.iterdir()):
    try: os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
    except PermissionError: pass
print(len(REFUSED), len(list(place.iterdir())))
"""
    refused, files = as_user(second, code).split()
    assert int(files) >= 3
    assert int(refused) == (int(files) if first != second and shared.stat().st_uid != first else 0)
