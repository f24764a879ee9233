"""`layered-phone init`: writes what is missing, touches nothing that is there."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from pytest_layered_phone.cli import main
from pytest_layered_phone.commands.init import FILES
from pytest_layered_phone.settings import BY_NAME


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_new_project_gets_everything_and_the_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "neu 项目"
    assert main(["init", str(project)]) == 0
    assert names(project) == {"pytest.ini", "conftest.py", ".gitattributes", ".gitignore", "tests/test_first.py"}
    assert f"Next: cd {project} && pytest" in capsys.readouterr().out


def test_the_ini_names_settings_that_exist(tmp_path: Path) -> None:
    main(["init", str(tmp_path)])
    parser = configparser.ConfigParser()
    parser.read(tmp_path / "pytest.ini", encoding="utf-8")
    ours = [name for name in parser["pytest"] if name.startswith("phone_")]
    assert ours == ["phone_device", "phone_model"]
    assert all(name in BY_NAME for name in ours)


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    main(["init", str(tmp_path)])
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert main(["init", str(tmp_path)]) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_files_in_the_way_are_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("mine = 1\n")
    (tmp_path / ".gitattributes").write_text("* text\n")
    assert main(["init", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "refused pytest.ini" in out
    assert "phone_device = virtual" in out
    assert "refused .gitattributes" in out
    assert "kept    conftest.py (yours" in out
    assert (tmp_path / "pytest.ini").read_text() == "[pytest]\n"
    assert (tmp_path / "conftest.py").read_text() == "mine = 1\n"
    assert (tmp_path / "tests" / "test_first.py").is_file()


def test_a_project_that_configures_pytest_elsewhere_gets_no_second_ini(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n\n[tool.pytest.ini_options]\naddopts = '-q'\n")
    assert main(["init", str(tmp_path)]) == 0
    assert not (tmp_path / "pytest.ini").exists()
    assert 'phone_device = "virtual"' in capsys.readouterr().out


def test_a_pyproject_without_pytest_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "pytest.ini").is_file()


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["init", str(tmp_path / "file")]) == 1
    assert "cannot write into" in capsys.readouterr().err


def test_written_files_have_lf_line_ends_and_compile(tmp_path: Path) -> None:
    main(["init", str(tmp_path)])
    for name in FILES:
        assert b"\r" not in (tmp_path / name).read_bytes()
    compile((tmp_path / "tests" / "test_first.py").read_text("utf-8"), "test_first.py", "exec")
