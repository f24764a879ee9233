"""Facts: what the phone itself can tell over adb, without a model. They stand beside a verdict and can contradict it."""

from pytest_layered_phone.devices.facts.catalog import Facts
from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.fact import POLL_S, Fact, FactReading
from pytest_layered_phone.devices.facts.rows import RowSubject
from pytest_layered_phone.devices.facts.subjects import CountSubject, FactSubject, NumberSubject

__all__ = [
    "POLL_S",
    "CountSubject",
    "Fact",
    "FactContext",
    "FactReading",
    "FactSubject",
    "Facts",
    "NumberSubject",
    "RowSubject",
]
