"""Each test has a path of its own, on every file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_layered_phone.errors import CassetteError, SettingsError
from pytest_layered_phone.recording.naming import TestName, cassette_path, decoded, images_directory
from pytest_layered_phone.recording.redaction import Redactor
from pytest_layered_phone.recording.store import load, save
from pytest_layered_phone.recording.tape import Tape, TapeHeader

FILE = Path("/suite/shop/test_cart.py")


def name(function: str = "test_add", parameters: str = "", cls: str = "", file: Path = FILE) -> str:
    return cassette_path(TestName(file, function, cls, parameters)).name


def test_a_plain_name_stays_as_it_is() -> None:
    path = cassette_path(TestName(FILE, "test_add", "TestCart", "two-3"))
    assert path == Path("/suite/shop/cassettes/test_cart/TestCart.test_add[two-3].jsonl")
    assert images_directory(path) == Path("/suite/shop/cassettes/images")


def test_chinese_and_emoji_parameters_are_readable() -> None:
    escaped = "明天😀".encode("unicode_escape").decode("ascii")
    assert name(parameters=escaped).startswith("test_add[明天😀")
    assert name(parameters="明天😀") == "test_add[明天😀].jsonl"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "A"), ("a", "a")),
        (("t", "a/b"), ("t", "a-b")),
        (("t", "a b"), ("t", "a-b")),
        (("t", "\u00e9"), ("t", "e\u0301")),
        (("t", "x" * 400 + "1"), ("t", "x" * 400 + "2")),
        (("t", "明" * 200 + "一"), ("t", "明" * 200 + "二")),
        (("t", "\\\\u660e"), ("t", "明")),
        (("t", "."), ("t", "..")),
        (("test_A", ""), ("test_a", "")),
    ],
)
def test_different_tests_never_share_a_file(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert name(*one).casefold() != name(*other).casefold()


@hypothesis_settings(max_examples=300, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_parameters_give_a_usable_name_of_their_own(one: str, other: str) -> None:
    first, second = name(parameters=one), name(parameters=other)
    assert (first.casefold() == second.casefold()) == (decoded(one) == decoded(other))
    assert len(first.encode("utf-8", "surrogatepass")) < 200
    assert not set(first) & set('/\\:*?"<>|\0\n ')
    assert not first.startswith(".")


@pytest.mark.parametrize("stem", ["aux", "con", "COM1", "images"])
def test_reserved_module_names_are_changed(stem: str) -> None:
    folder = cassette_path(TestName(Path(f"/s/{stem}.py"), "test_a")).parent.name
    assert folder.casefold() != stem.casefold()
    assert folder.startswith(stem)


@pytest.mark.parametrize("directory", ["", " ", "/tmp/x", "../x", "a/../../b", "."])
def test_a_directory_that_tests_would_share_is_refused(directory: str) -> None:
    with pytest.raises(SettingsError, match="phone_cassette_dir"):
        cassette_path(TestName(FILE, "test_a"), directory)


def test_classes_that_differ_only_in_case_are_refused_when_they_meet(tmp_path: Path) -> None:
    path = tmp_path / "m" / "x.jsonl"
    save(path, Tape(TapeHeader(cls="TestCart", function="test_a", recorded="2025")), Redactor())
    assert load(path, TestName(FILE, "test_a", "TestCart")).header.cls == "TestCart"
    with pytest.raises(CassetteError) as caught:
        load(path, TestName(FILE, "test_a", "Testcart"))
    assert caught.value.code == "CASSETTE_NAME"
    with pytest.raises(CassetteError) as caught:
        save(path, Tape(TapeHeader(cls="Testcart", function="test_a", recorded="2025")), Redactor())
    assert caught.value.code == "CASSETTE_NAME"


def test_the_title_and_the_address_are_what_a_person_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "suite" / "test_cart.py"
    test = TestName(file, "test_add", "Outer.Inner", "\\u660e")
    assert test.title == "Outer.Inner.test_add[明]"
    assert test.address == f"{file.as_posix()}::Outer::Inner::test_add"
    monkeypatch.chdir(tmp_path)
    assert test.address == "suite/test_cart.py::Outer::Inner::test_add"
