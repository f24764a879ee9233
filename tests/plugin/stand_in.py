"""Inner conftests for tests of the plugin that need no phone: a ledger of the real kind, verdicts made by hand."""

from __future__ import annotations

CONFTEST = '''
import pytest
from pytest_layered_phone._state import set_state
from pytest_layered_phone.errors import DeviceLostError, ScreenDivergedError
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.planning.verdicts import Grade, Status, Verdict


class Attempt:
    """What the outcomes ask of a phone test."""

    def __init__(self):
        self.ledger = VerdictLedger()
        self.told = set()

    def take_unasked(self):
        new = tuple(v for v in self.ledger.unasked() if id(v) not in self.told)
        self.told.update(map(id, new))
        return new

    def check_leases(self):
        pass

    def raise_drift(self):
        pass

    def unjudged(self):
        return self.ledger.unjudged

    def explanation_on(self, filename, line):
        verdict = self.ledger.asked_on(filename, line)
        return None if verdict is None else verdict.explanation or f"{verdict.code}: {verdict.reason}"

    def note_outcome(self, report):
        pass

    def keep_pictures(self, error):
        return ["  Pictures: phone-report/here/ (1, the last one: 01.png)"]

    def tell_failure(self, error):
        pass


class StandIn:
    def __init__(self, ledger):
        self._ledger = ledger

    def check(self, passed):
        self._ledger.note_end(None)
        status = Status.PASSED if passed else Status.FAILED
        explanation = "" if passed else "NOT_SEEN: “明天下午” does not stand on the screen\\n  seen: Chats, 张三"
        return self._ledger.hand_out(Verdict("明天下午", status, "NOT_SEEN", "not seen", Grade.NONE, explanation=explanation))


    def lose_the_phone(self):
        error = DeviceLostError("it is gone")
        self._ledger.note_end(error)
        raise error


@pytest.fixture
def phone_agent(request):
    attempt = Attempt()
    set_state(request.node, attempt)
    return StandIn(attempt.ledger)
'''
