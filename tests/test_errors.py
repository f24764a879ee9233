"""What the errors say: each message holds its code."""

from __future__ import annotations

import copy
import pickle

from pytest_layered_phone.errors import LeaseError, PhoneFailure, ScreenDivergedError


def test_messages_hold_their_code_once() -> None:
    assert str(LeaseError("no phone became free")) == "LEASE_TIMEOUT: no phone became free"
    assert str(PhoneFailure("the shop is closed", code="CLOSED")) == "CLOSED: the shop is closed"
    assert str(PhoneFailure("it was not answered (NOT_SEEN): why", code="NOT_SEEN")) == "it was not answered (NOT_SEEN): why"


def test_suggestions_stand_below() -> None:
    error = ScreenDivergedError("another screen", code="START_DIFFERS", suggestion="Start the app.")
    assert str(error) == "START_DIFFERS: another screen\n  What to do: Start the app."


def test_copies_keep_everything() -> None:
    error = ScreenDivergedError("another screen", code="START_DIFFERS", suggestion="Start the app.")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(twin), twin.code, type(twin)) == (str(error), "START_DIFFERS", ScreenDivergedError)
