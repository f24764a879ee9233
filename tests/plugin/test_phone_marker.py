"""The marker `phone`: what it may say, and what a wrong one is told."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("phone('emulator-5554')", "*test_it.py:3: @pytest.mark.phone takes no positional arguments, got 'emulator-5554'*"),
        (
            "phone(offlin=False)",
            "*test_it.py:3: @pytest.mark.phone does not know 'offlin'; write phone(*, offline=True, count=1, *",
        ),
        ("phone(offline='no')", "*@pytest.mark.phone(offline=…) must be True or False, got 'no'"),
        ("phone(attempts=10, min_passes=9)", "*@pytest.mark.phone(attempts=…): repeated attempts cannot be done*"),
        ("phone(phones=2)", "*@pytest.mark.phone does not know 'phones'; write phone(*"),
        ("phone(api='new')", "*test_it.py:3: @pytest.mark.phone: api=… must be a number, or a text of comparisons*got 'new'"),
        ("phone(api='>=4.4')", "*@pytest.mark.phone: api=… must be a number*"),
        (f"phone(api='{'9' * 5000}')", "*@pytest.mark.phone: api=… must be a number*"),
        ("phone(count=0)", "*@pytest.mark.phone: count=… must be a whole number from 1 to 26, got 0"),
        ("phone(model='')", "*@pytest.mark.phone: model=… must be a text such as*"),
        ("phone(emulator='yes')", "*@pytest.mark.phone: emulator=… must be True or False, got 'yes'"),
    ],
)
def test_a_wrong_marker_is_a_usage_error_that_names_the_place(pytester: pytest.Pytester, marker: str, message: str) -> None:
    pytester.makepyfile(test_it=f"import pytest\n\n@pytest.mark.{marker}\ndef test_it(): pass\n")
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_with_workers_it_is_an_error_of_the_collection(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="import pytest\n\n@pytest.mark.phone(offlin=False)\ndef test_it(): pass\n")
    result = pytester.runpytest_subprocess("-n1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*ERROR collecting test_it.py*", "*@pytest.mark.phone does not know 'offlin'*"])
    assert "INTERNALERROR" not in result.stdout.str()


def test_tests_that_cannot_be_replayed_are_left_out_offline_and_counted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.phone(offline=False)
        def test_clock(): assert False

        @pytest.mark.phone(offline=True)
        def test_other(): pass
    """)
    result = pytester.runpytest_inprocess("--phone-mode=offline", "--strict-markers")
    result.assert_outcomes(passed=1, deselected=1)
    pytester.runpytest_inprocess("--strict-markers").assert_outcomes(passed=1, failed=1)


def test_the_closest_marker_says(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_layered_phone._requirements import requirements_of

        pytestmark = [pytest.mark.phone(count=4, api=30, offline=False)]

        @pytest.mark.phone(count=3, model="Pixel*", offline=True)
        class TestIt:
            @pytest.mark.phone(count=2)
            @pytest.mark.parametrize(
                "asked",
                [
                    "count=2, api=30, model='Pixel*'",
                    pytest.param("api=31, model='Pixel*'", marks=pytest.mark.phone(count=1, api=31)),
                    pytest.param("never", marks=pytest.mark.phone(offline=False)),
                ],
            )
            def test_it(self, request, asked):
                assert str(requirements_of(request.node)) == asked

            def test_other(self, request):
                assert str(requirements_of(request.node)) == "count=3, api=30, model='Pixel*'"

        def test_left_out(): assert False
        """
    )
    pytester.runpytest_inprocess("--phone-mode=offline", "--strict-markers").assert_outcomes(passed=3, deselected=2)
