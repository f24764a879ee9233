"""Secrets in what pytest writes itself: exceptions with their causes, tracebacks, output and properties."""

from __future__ import annotations

import pytest

from pytest_layered_phone._secrets import clean_exception
from pytest_layered_phone.errors import DeviceError, PhoneFailure
from pytest_layered_phone.recording.redaction import Redactor

TEXT = Redactor(["hunter2"]).text


def raised() -> PhoneFailure:
    try:
        try:
            raise ExceptionGroup("several", [ValueError("hunter2", 3), DeviceError("no hunter2", suggestion="not hunter2")])
        except ExceptionGroup as group:
            raise PhoneFailure("typed hunter2\x1b[2J", suggestion="hunter2?") from group
    except PhoneFailure as error:
        error.add_note("a note on hunter2")
        return error


def test_an_exception_is_cleaned_with_all_that_led_to_it() -> None:
    error = raised()
    clean_exception(error, TEXT)
    assert str(error) == "FAILED: typed •••\\x1b[2J\n  What to do: •••?"
    assert error.args == ("typed •••\\x1b[2J",)
    assert error.__notes__ == ["a note on •••"]
    group = error.__cause__
    assert isinstance(group, ExceptionGroup)
    value, device = group.exceptions
    assert value.args == ("•••", 3)
    assert str(device) == "DEVICE_ERROR: no •••\n  What to do: not •••"


def test_exceptions_that_lead_to_each_other_end() -> None:
    one, other = ValueError("hunter2"), ValueError("hunter2")
    one.__context__, other.__context__ = other, one
    clean_exception(one, TEXT)
    assert (str(one), str(other)) == ("•••", "•••")


SUITE = """
    import pytest
    from pytest_layered_phone._secrets import redactor_of

    @pytest.fixture(autouse=True)
    def known(request):
        redactor_of(request.node).add("hunter2")

    def helper(word):
        raise KeyError(word)

    def test_fails(record_property):
        record_property("account", "demo/hunter2")
        print("out hunter2")
        helper("hunter2")

    def test_compares():
        assert {"password": "hunter2"} == {"password": "hunter3"}

    def test_skips():
        pytest.skip("no hunter2")
"""


@pytest.mark.parametrize("style", ["long", "short", "native", "line", "no"])
@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_a_report_is_cleaned_in_every_style(pytester: pytest.Pytester, style: str, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess(
        f"--tb={style}", "-l", "-rA", "-vv", "--junitxml=out.xml", "-o", "junit_logging=all", *workers
    )
    result.assert_outcomes(failed=2, skipped=1)
    written = result.stdout.str() + (pytester.path / "out.xml").read_text("utf-8")
    assert "hunter2" not in written
    assert "hunter3" in written or style == "no"
    assert 'value="demo/•••"' in written
