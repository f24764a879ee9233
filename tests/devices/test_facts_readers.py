"""Readers behind the facts: phone numbers, rows, permissions, notifications, refusals; no phone."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.facts.clipboard import read_clipboard
from pytest_layered_phone.devices.phone_numbers import may_be_same_number, same_number
from pytest_layered_phone.devices.readers.content_rows import cut_rows, listing, read_ids
from pytest_layered_phone.devices.readers.notifications import read_notifications
from pytest_layered_phone.devices.readers.package_dump import read_version
from pytest_layered_phone.devices.readers.permissions import read_permission
from pytest_layered_phone.devices.readers.run_as import check_run_as, file_trouble
from pytest_layered_phone.devices.shell_quoting import only_looks
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError

WIDE = {ord("0") + n: 0xFF10 + n for n in range(10)}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("+86 138-0000-0001", "13800000001", True),
        ("008613800000001", "+8613800000001", True),
        ("+4915550100004", "015550100004", True),
        ("+390612345678", "06 1234 5678", True),
        ("(555) 010-0001", "+15550100001", True),
        ("\u202a+1 555\u00a0010\u20110001\u202c", "+15550100001", True),
        ("13800000001".translate(WIDE), "+8613800000001", True),
        ("10086", "10086", True),
        ("10086", "+8610086", False),
        ("Bank", "BANK", True),
        ("Bank", "Bank2", False),
        ("", "", False),
        ("0100001", "+15550100001", False),
        ("50100001", "+15550100001", False),
        ("+15550100001", "+8615550100001", False),
        ("13800000001", "13800000002", False),
        ("13800000001", "3800000001", False),
        ("*100#", "*100#", True),
        ("张三", "张三", True),
    ],
)
def test_numbers(one: str, other: str, same: bool) -> None:
    assert same_number(one, other) is same
    assert same_number(other, one) is same


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("15550100001", "+15550100001", True),
        ("0100001", "+15550100001", True),
        ("+86 138-0000-0001", "13800000001", True),
        ("13800000001", "13800000002", False),
        ("00001", "+15550100001", False),
        ("", "", False),
        ("", "13800000001", False),
        ("Bank", "Bank2", False),
        ("000", "0000", False),
    ],
)
def test_what_is_to_be_absent_may_not_even_be_written_otherwise(one: str, other: str, may: bool) -> None:
    assert may_be_same_number(one, other) is may
    assert may_be_same_number(other, one) is may


def shell(out: str = "", err: str = "", code: int = 0) -> ShellResult:
    return ShellResult(out, err, code)


DENIED = (
    "Error while accessing provider:sms\njava.lang.SecurityException: Permission Denial: opening provider requires READ_SMS\n"
)


@pytest.mark.parametrize(
    ("done", "code"),
    [
        (shell("", DENIED), "FACT_DENIED"),
        (shell("", DENIED, 1), "FACT_DENIED"),
        (shell(DENIED), "FACT_DENIED"),
        (shell("No result found.\n", DENIED), "FACT_DENIED"),
        (shell("Row: 0 _id=1\n", DENIED), "FACT_DENIED"),
        (shell("", "[ERROR] Could not find provider: sms\n"), "FACT_NO_PROVIDER"),
        (shell("", "Error while accessing provider:sms\njava.lang.IllegalArgumentException: Unknown URL content://sms/x\n"),
         "FACT_NO_PROVIDER"),
        (shell("", "android.database.sqlite.SQLiteException: no such column: body (code 1)\n", 255), "FACT_NO_COLUMN"),
        (shell(), "FACT_UNREADABLE"),
        (shell("No result found.\n", code=137), "FACT_UNREADABLE"),
        (shell("Row: 0 _id=1"), "FACT_UNREADABLE"),
        (shell("Row: 1 _id=1\n"), "FACT_UNREADABLE"),
        (shell("", "/system/bin/sh: content: not found\n", 127), "FACT_UNREADABLE"),
        (shell("", "Killed\n", 137), "FACT_UNREADABLE"),
    ],
)  # fmt: skip
def test_a_refusal_is_never_an_empty_list(done: ShellResult, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        listing(done, "content://sms")
    assert caught.value.code == code


def test_rows_are_cut_where_it_is_sure() -> None:
    assert listing(shell("No result found.\n"), "u") == ""
    assert read_ids("", "u") == ()
    assert read_ids(listing(shell("Row: 0 _id=7\r\nRow: 1 _id=3\r\n"), "u"), "u") == (7, 3)
    text = "Row: 0 _id=7, date=5, address=a, b, body=x\ny\nRow: 1 _id=3, date=NULL, address=NULL, body="
    assert cut_rows(text, (7, 3), ("date",), ("address", "body")) == (
        {"_id": "7", "date": "5", "address": "a, b", "body": "x\ny"},
        {"_id": "3", "date": "NULL", "address": "NULL", "body": ""},
    )
    assert cut_rows("Row: 0 _id=7, name=a\nRow: 1 _id=8, name=b", (7,), (), ("name",)) is None
    assert cut_rows("Row: 0 _id=7, name=a", (7, 8), (), ("name",)) is None
    assert cut_rows("Row: 0 _id=8, name=a", (7,), (), ("name",)) is None
    for wrong in ("Row: 0 _id=x", "Row: 1 _id=4", "Row: 0 _id=4, body=x", "Row: 0 _id=4\nRow: 1 _id=4"):
        with pytest.raises(DeviceError):
            read_ids(wrong, "u")


PACKAGE = """Packages:
  Package [com.example.other] (1):
    requested permissions:
      android.permission.CAMERA
    User 0: ceDataInode=1 installed=true
      runtime permissions:
        android.permission.CAMERA: granted=true, flags=[ USER_SET ]
  Package [com.example.app] (2):
    requested permissions:
      android.permission.CAMERA
      android.permission.INTERNET
      android.permission.READ_SMS: restricted=true
    install permissions:
      android.permission.INTERNET: granted=true
    User 0: ceDataInode=1 installed=true
      gids=[3003]
      runtime permissions:
        android.permission.CAMERA: granted=false, flags=[ USER_SET ]
    User 10: ceDataInode=2 installed=true
      runtime permissions:
        android.permission.CAMERA: granted=true

Hidden system packages:
  Package [com.example.app] (3):
    User 0: ceDataInode=1 installed=true
      runtime permissions:
        android.permission.CAMERA: granted=true
"""
OLD = """Packages:
  Package [com.example.app] (2):
    grantedPermissions:
      android.permission.CAMERA
"""


def test_permissions() -> None:
    def read(name: str, dump: str = PACKAGE) -> str | None:
        return read_permission(dump, "com.example.app", f"android.permission.{name}")

    assert [read(name) for name in ("CAMERA", "INTERNET", "READ_SMS", "RECORD_AUDIO")] == [
        "denied", "granted", "denied", "not requested",
    ]  # fmt: skip
    assert read("CAMERA", OLD) == "granted"
    assert read_permission(PACKAGE, "com.example.other", "android.permission.CAMERA") == "granted"
    assert read_permission("Unable to find package: com.example.no\n", "com.example.no", "a.b") is None
    for nothing in ("", "Can't find service: package\n", "Permission Denial: can't dump"):
        with pytest.raises(DeviceError):
            read_permission(nothing, "com.example.app", "a.b")


def test_the_version_of_an_app_is_all_of_it_and_of_no_other() -> None:
    dump = (
        "Packages:\n  Package [com.a] (1):\n    versionCode=3 minSdk=26\n    versionName={}\n    User 0: {}installed={} x=1\n"
    )

    def read(version: str, installed: bool = True, package: str = "com.a") -> str | None:
        return read_version(dump.format(version, "ceDataInode=1 ", str(installed).lower()), package)

    assert read("1.2") == "1.2"
    assert read("1.2 (debug) beta") == "1.2 (debug) beta"
    assert read("null") is None
    assert read("1.2", package="com.ab") is None
    assert read("1.2", installed=False) is None, "removed, with its data kept"
    assert read_version("Unable to find package: com.a\n", "com.a") is None
    without = "Packages:\n  Package [com.a] (1):\n    userId=1\n\n"
    without += "Hidden system packages:\n  Package [com.a] (2):\n    versionName=1\n"
    assert read_version(without, "com.a") is None
    timeout = "\n*** SERVICE 'package' DUMP TIMEOUT (10000ms) EXPIRED ***\n\n"
    for nothing in (
        "",
        "Can't find service: package\n",
        "Permission Denial: x",
        timeout,
        dump.format("1", "", "true") + timeout,
    ):
        with pytest.raises(DeviceError):
            read_version(nothing, "com.a")
        with pytest.raises(DeviceError):
            read_permission(nothing, "com.a", "a.b")


def test_an_app_that_left_only_its_data_has_no_permission() -> None:
    gone = PACKAGE.replace("User 0: ceDataInode=1 installed=true", "User 0: ceDataInode=1 installed=false")
    assert gone != PACKAGE
    assert read_permission(gone, "com.example.app", "android.permission.CAMERA") is None


SHADE = """Current Notification Manager state:
  Notification List:
    NotificationRecord(0x0a: pkg=com.example.chat user=UserHandle{0} id=1 tag=null importance=4: Notification(channel=c))
      tickerText=Ann: hi
      extras={
        android.title=String (Ann (work))
        android.text=SpannableString (hi
android.title=String (Bank)
and (more)

)
        android.subText=null
        android.bigText=String (hi and more)
      }
    NotificationRecord(0x0c: pkg=android user=UserHandle{-1} id=26 tag=null importance=1: Notification(channel=d))
      tickerText=null
      extras={
        android.title=String (USB debugging connected)
        android.text=null
      }

  mArchive=Archive (1 notification)
    NotificationRecord(0x0d: pkg=com.example.gone user=UserHandle{0} id=1 tag=null importance=4: Notification(channel=c))
"""


def test_notifications() -> None:
    chat, usb = read_notifications(SHADE)
    assert (chat.package, chat.title, chat.big_text, chat.ticker) == (
        "com.example.chat",
        "Ann (work)",
        "hi and more",
        "Ann: hi",
    )
    assert chat.text == "hi\nandroid.title=String (Bank)\nand (more)\n\n"
    assert (usb.package, usb.title, usb.text) == ("android", "USB debugging connected", "")
    assert read_notifications("Current Notification Manager state:\n  mSystemReady=true\n") == ()
    hidden = SHADE.replace("(USB debugging connected)", "[length=23]")
    assert read_notifications(hidden)[1].redacted
    for wrong in ("", "Permission Denial: can't dump NotificationManager from pid=1\n", "Can't find service: notification\n"):
        with pytest.raises(DeviceError):
            read_notifications(wrong)


def shade(*records: str, end: str = "\n  mArchive=Archive (0 notifications)\n") -> str:
    heads = "".join(
        f"    NotificationRecord(0x0a: pkg=com.example.chat user=UserHandle{{0}} id={number}: Notification())\n{record}"
        for number, record in enumerate(records)
    )
    return f"Current Notification Manager state:\n  Notification List:\n{heads}{end}"


def extras(*lines: str) -> str:
    return "      extras={\n" + "".join(f"        {line}\n" for line in lines) + "      }\n"


def test_the_version_for_the_lock_screen_is_another_notification() -> None:
    private = extras("android.title=String (Ann)", "android.text=String (the code is 1234)")
    hidden = extras("android.title=String (Chat)", "android.text=String (Contents hidden)")
    (found,) = read_notifications(shade(private + "      publicNotification=\n" + hidden + "      stats=x\n"))
    assert (found.title, found.text) == ("Ann", "the code is 1234")


def test_texts_of_several_lines_end_nothing() -> None:
    ticker = "      tickerText=Mum:\n  buy milk\n    NotificationRecord(0x1: pkg=com.bank x\n      vis=PRIVATE\n"
    first = ticker + extras(
        "android.title=String (Mum (2))", "a-b/c=Integer (1)", "android.text=PrecomputedTextCompat (x\n  y=z)"
    )
    found = read_notifications(shade(first, extras("android.title=String (Ann)")))
    assert [(one.package, one.title, one.text) for one in found] == [
        ("com.example.chat", "Mum (2)", "x\n  y=z"),
        ("com.example.chat", "Ann", ""),
    ]
    assert found[0].ticker == "Mum:\n  buy milk\n    NotificationRecord(0x1: pkg=com.bank x"


@pytest.mark.parametrize(
    ("dump", "code"),
    [
        (shade(extras("android.text=String (x)\n        android.text=String (paid)")), "FACT_AMBIGUOUS"),
        (shade(extras("android.title=String (x)") * 2), "FACT_AMBIGUOUS"),
        (shade(extras("android.title=String (x)"), end=""), "FACT_UNREADABLE"),
        (shade(end=""), "FACT_UNREADABLE"),
        (shade("      extras={\n        android.title=String (x", end=""), "FACT_UNREADABLE"),
        (shade(end="\n\n*** SERVICE 'notification' DUMP TIMEOUT (10000ms) EXPIRED ***\n\n"), "FACT_UNREADABLE"),
        ("Current Notification Manager state:\n", "FACT_UNREADABLE"),
        (shade().replace("List:", "List:\n    NotificationRecord<of another kind>"), "FACT_UNREADABLE"),
    ],
)
def test_a_shade_that_is_not_told_to_its_end_has_no_notifications(dump: str, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        read_notifications(dump)
    assert caught.value.code == code


def test_an_old_phone_tells_no_texts_of_notifications() -> None:
    (found,) = read_notifications(
        "Current Notification Manager state:\n  Notification List:\n    NotificationRecord{41f0 pkg=com.a id=7 tag=null}\n"
        "      tickerText=hi\n      contentView=null\n\n  mSoundNotification=null\n"
    )
    assert (found.package, found.ticker, found.redacted) == ("com.a", "hi", True)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("run-as: package not debuggable: com.example.app", "FACT_NOT_DEBUGGABLE"),
        ("run-as: Package 'com.example.app' is not debuggable", "FACT_NOT_DEBUGGABLE"),
        ("run-as: unknown package: com.example.app", "FACT_NO_PACKAGE"),
        ("run-as: Package 'com.example.app' is unknown", "FACT_NO_PACKAGE"),
        ("run-as: couldn't stat /data/user/0/com.example.app: No such file or directory", "FACT_DENIED"),
    ],
)
def test_run_as_refuses(said: str, code: str) -> None:
    for done in (shell("", said, 1), shell(said, "", 1)):
        with pytest.raises(DeviceError) as caught:
            check_run_as(done, "com.example.app")
        assert caught.value.code == code
    check_run_as(shell("a text that says run-as: unknown package: x\n"), "com.example.app")


@pytest.mark.parametrize(
    ("done", "code"),
    [
        (shell("", "stat: '/sdcard/a': No such file or directory", 1), "FACT_NO_FILE"),
        (shell("", "stat: '/sdcard/a': Permission denied", 1), "FACT_DENIED"),
        (shell("", "stat: '-c': No such file or directory", 1), "FACT_UNREADABLE"),
        (shell("", "/system/bin/sh: stat: inaccessible or not found", 127), "FACT_NOT_AVAILABLE"),
        (shell("", "stat: Unknown option 'L'", 1), "FACT_NOT_AVAILABLE"),
        (shell("", "cat: /sdcard/a: Is a directory", 1), "FACT_NOT_A_FILE"),
        (shell("", "", 1), "FACT_UNREADABLE"),
        (shell("", "Killed", 137), "FACT_UNREADABLE"),
    ],
)
def test_a_file_that_cannot_be_read_is_not_absent(done: ShellResult, code: str) -> None:
    trouble = file_trouble(done, "/sdcard/a")
    assert trouble is not None
    assert trouble.code == code


def test_what_surely_only_looks() -> None:
    assert only_looks(["content", "query", "--uri", "content://sms"])
    assert only_looks(["run-as", "com.example.app", "cat", "x"])
    for changes in (
        ["content", "delete", "--uri", "x"],
        ["sh", "-c", "cat x"],
        ["run-as", "a", "rm", "x"],
        ["pm", "clear", "x"],
        ["cat; rm"],
    ):
        assert not only_looks(changes)


class Answers:
    """A phone that says one thing."""

    def __init__(self, out: str) -> None:
        self.out = out

    def shell(self, arguments: list[str]) -> ShellResult:
        return shell(self.out)


def test_the_clipboard_by_a_helper() -> None:
    head = "Broadcasting: Intent { act=clipper.get flg=0x400000 }\nBroadcast completed: result="
    assert read_clipboard(Answers(head + '-1, data="two\nlines, "quoted""\n')) == 'two\nlines, "quoted"'  # type: ignore[arg-type]
    for out in (head + "0\n", head + '0, data="no"\n', head + "-1\n", ""):
        with pytest.raises(DeviceError, match="FACT_NOT_AVAILABLE"):
            read_clipboard(Answers(out))  # type: ignore[arg-type]
