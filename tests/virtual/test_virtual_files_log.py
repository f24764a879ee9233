"""The files and the log of the virtual phone."""

from __future__ import annotations

import pytest

from pytest_layered_phone.virtual.files import VirtualFiles
from pytest_layered_phone.virtual.logcat import LogBuffer


def test_aliases_are_one_place() -> None:
    files = VirtualFiles()
    files.write("/sdcard/Download/a b.txt", b"x", mtime=7)
    assert files.read("/storage/emulated/0/Download/a b.txt") == b"x"
    entry = files.stat("/mnt/sdcard/Download/../Download/a b.txt")
    assert (entry.size, entry.mtime, entry.is_dir) == (1, 7, False)
    assert "a b.txt" in [item.path.rsplit("/", 1)[1] for item in files.list("/sdcard/Download")]


def test_directories_come_and_go() -> None:
    files = VirtualFiles()
    files.write("/sdcard/新/deep/file", b"1")
    assert files.stat("/sdcard/新/deep").is_dir
    with pytest.raises(IsADirectoryError):
        files.read("/sdcard/新")
    files.delete("/sdcard/新")
    assert not files.exists("/sdcard/新/deep/file")
    with pytest.raises(FileNotFoundError):
        files.delete("/sdcard/新")


@pytest.mark.parametrize("path", ["/etc/hosts", "/sdcard/../etc/hosts", "/data/data/x", "/sdcardx/a"])
def test_nothing_outside_the_tree(path: str) -> None:
    files = VirtualFiles()
    with pytest.raises(FileNotFoundError):
        files.write(path, b"")
    assert not files.exists(path)


def test_a_file_is_no_directory() -> None:
    files = VirtualFiles()
    files.write("/sdcard/f", b"")
    with pytest.raises(NotADirectoryError):
        files.write("/sdcard/f/g", b"")
    with pytest.raises(NotADirectoryError):
        files.list("/sdcard/f")


def test_log_lines_since_a_time() -> None:
    now = [10.0]
    log = LogBuffer(lambda: now[0])
    log.write("I", "One", "first")
    now[0] = 20.0
    log.write("E", "Two", "second\nthird", pid=5)
    lines = log.lines(since_epoch_s=20.0)
    assert [(line.priority, line.tag, line.text, line.pid) for line in lines] == [
        ("E", "Two", "second", 5),
        ("E", "Two", "third", 5),
    ]
    assert len(log.lines()) == 3
