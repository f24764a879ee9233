"""The phone's `sh`: words, lists, redirections, and how it fails."""

from __future__ import annotations

import contextlib
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.virtual.host import PhoneHost
from pytest_layered_phone.virtual.shell.arithmetic import evaluate
from pytest_layered_phone.virtual.shell.syntax import parse
from pytest_layered_phone.virtual.shell.words import ShellSyntaxError
from tests.virtual.adb_tools import run, small_host

HOST = small_host()
plain = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@given(st.lists(plain, min_size=1, max_size=4))
def test_quoted_words_arrive_as_they_were(arguments: list[str]) -> None:
    script = "printf '%s\\001' " + " ".join(shlex.quote(argument) for argument in arguments)
    assert run(HOST, script)[0] == "".join(argument + "\x01" for argument in arguments)


@given(plain)
def test_no_text_breaks_the_parser(text: str) -> None:
    with contextlib.suppress(ShellSyntaxError):
        parse(text)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.sampled_from("+-*/%"))
def test_arithmetic_is_that_of_c(left: int, right: int, operator: str) -> None:
    if operator in "/%" and right == 0:
        return
    quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1) if right else 0
    expected = {"+": left + right, "-": left - right, "*": left * right, "/": quotient, "%": left - right * quotient}
    assert evaluate(f"({left}) {operator} ({right})", {}) == expected[operator]


@pytest.mark.parametrize(
    ("script", "out"),
    [
        ("echo a   b 'c  d' \"e  f\"", "a b c  d e  f\n"),
        ("x='1 2  3'; echo $x \"$x\" '$x' ${x}y", "1 2 3 1 2  3 $x 1 2 3y\n"),
        ("false && echo no || echo yes", "yes\n"),
        ("true || echo no; echo $?", "0\n"),
        ("(exit 3); echo $?", "3\n"),
        ("x=5; (x=6); echo $x; { x=7; }; echo $x", "5\n7\n"),
        ('for i in 1 2 "3 4"; do echo "<$i>"; done', "<1>\n<2>\n<3 4>\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", "3\n"),
        ("if [ -n '' ]; then echo a; elif [ 1 -eq 1 ]; then echo b; else echo c; fi", "b\n"),
        ('echo $(echo a; echo b) "$(echo a; echo b)"', "a b a\nb\n"),
        ("echo `echo hi`", "hi\n"),
        ("echo a;echo b # comment", "a\nb\n"),
        ("! true; echo $?", "1\n"),
        ("echo ${unset:-other}", "other\n"),
        ("x=$(exit 4); echo $?", "4\n"),
        ("FOO=bar sh -c 'echo $FOO'; echo \"[$FOO]\"", "bar\n[]\n"),
        ("echo one \\\n two", "one two\n"),
        ("printf 'b\\na\\nb\\n' | sort | uniq -c | wc -l", "2\n"),
        ("printf 'a1\\nb2\\nc3\\n' | grep -E 'a|c'", "a1\nc3\n"),
        ("printf 'a1\\nb2\\nc3\\n' | grep 'a\\|c'", "a1\nc3\n"),
        ("printf '张三\\n李四\\n' | grep 张", "张三\n"),
        ("printf 'a\\nb\\nc\\n' | tail -n 2 | head -1", "b\n"),
        ("echo 你好 | base64", "5L2g5aW9Cg==\n"),
        ("echo 5L2g5aW9Cg== | base64 -d", "你好\n"),
        ("echo hidden >/dev/null; echo shown 2>&1", "shown\n"),
        ("nosuch 2>/dev/null; echo $?", "127\n"),
        ("echo *", "*\n"),
        ("cd /sdcard/Download && pwd", "/sdcard/Download\n"),
        ("[ -d /sdcard ] && [ ! -e /sdcard/nothing ] && echo both", "both\n"),
    ],
)
def test_scripts(script: str, out: str) -> None:
    assert run(HOST, script)[:2] == (out, "")


@pytest.mark.parametrize(
    ("script", "err", "code"),
    [
        ("nosuch", "/system/bin/sh: nosuch: inaccessible or not found\n", 127),
        ("echo 'a", "/system/bin/sh: no closing quote\n", 1),
        ("echo )", "/system/bin/sh: syntax error: unexpected ')'\n", 1),
        ("a |", "/system/bin/sh: syntax error: unexpected EOF\n", 1),
        ("cat /sdcard/none", "cat: /sdcard/none: No such file or directory\n", 1),
        ("ls /sdcard/none", "ls: /sdcard/none: No such file or directory\n", 1),
        ("rm /sdcard/none", "rm: /sdcard/none: No such file or directory\n", 1),
        ("echo x > /system/x", "/system/bin/sh: can't create /system/x: Read-only file system\n", 1),
        ("echo ${x%y}", "/system/bin/sh: ${x%y}: bad substitution\n", 1),
        ("sleep abc", "sleep: bad number 'abc'\n", 1),
        ("exit 7; nosuch", "", 7),
    ],
)
def test_failures_have_the_words_and_codes_of_android(script: str, err: str, code: int) -> None:
    assert run(HOST, script) == ("", err, code)


@pytest.fixture
def host() -> PhoneHost:
    return small_host()


def test_files_are_written_appended_and_read(host: PhoneHost) -> None:
    script = "echo 一 > /sdcard/a.txt; echo two >> /sdcard/a.txt; cat < /storage/emulated/0/a.txt"
    assert run(host, script) == ("一\ntwo\n", "", 0)
    assert run(host, "nosuch > /data/local/tmp/both 2>&1; cat /data/local/tmp/both")[0].startswith("/system/bin/sh: nosuch")
    assert run(host, "ls /sdcard/*.txt; rm /sdcard/a.txt; ls /sdcard/*.txt") == (
        "/sdcard/a.txt\n",
        "ls: /sdcard/*.txt: No such file or directory\n",
        1,
    )


def test_a_file_is_described(host: PhoneHost) -> None:
    run(host, "printf 12345 > /sdcard/five")
    assert run(host, "stat -c '%s %n' /sdcard/five")[0] == "5 /sdcard/five\n"
    assert run(host, "ls -l /sdcard/five")[0].startswith("-rw-rw---- 1 shell shell        5 ")
    assert run(host, "md5sum /sdcard/five")[0] == "827ccb0eea8a706c4c34a16891f84e7b  /sdcard/five\n"


def test_directories_are_made_and_removed(host: PhoneHost) -> None:
    assert run(host, "mkdir /sdcard/a/b")[1:] == ("mkdir: '/sdcard/a/b': No such file or directory\n", 1)
    assert run(host, "mkdir -p /sdcard/a/b && rm /sdcard/a")[1:] == ("rm: /sdcard/a: is directory\n", 1)
    assert run(host, "rm -r /sdcard/a; ls -d /sdcard/a")[2] == 1


def test_standard_input_reaches_the_command(host: PhoneHost) -> None:
    assert run(host, "cat > /sdcard/in; wc -c < /sdcard/in", b"from outside") == ("12\n", "", 0)
