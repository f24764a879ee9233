"""Every fact read from a virtual phone over adb."""

from __future__ import annotations

import re

import pytest

from pytest_layered_phone.devices.facts import Fact, Facts
from pytest_layered_phone.errors import DeviceError, SettingsError

from .conftest import Bed

NOTES, MESSAGES = "com.example.notes", "com.example.messages"
ZHANG = "+8613800000001"


@pytest.fixture
def facts(bed: Bed) -> Facts:
    """Facts that are read once: nothing here changes by itself."""
    bed.device.facts.context.timeout_s = 0.0
    return bed.device.facts


def error_of(fact: Fact) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        fact.read()
    assert caught.value.suggestion or caught.value.retryable
    return caught.value


def test_settings_and_foreground(bed: Bed, facts: Facts) -> None:
    assert facts.setting("global", "wifi_on").equals(1)
    assert facts.setting("global", "wifi_on").is_in("1", "2")
    assert not facts.setting("global", "wifi_on").equals("11")
    assert facts.setting("secure", "nothing_like_it").is_absent()
    assert not facts.setting("secure", "nothing_like_it").matches("null")
    assert facts.setting("system", "system_locales").matches(r"^en-")
    bed.device.start_app(NOTES)
    assert facts.foreground().equals(NOTES)
    assert facts.foreground(NOTES)
    assert facts.foreground(NOTES, "NoteListActivity")
    assert facts.foreground(activity=".NoteListActivity")
    assert not facts.foreground(NOTES, "ListActivity")
    assert not facts.foreground(MESSAGES)
    with pytest.raises(SettingsError):
        facts.setting("everything", "x")
    with pytest.raises(SettingsError):
        facts.foreground("")


def test_files(bed: Bed, facts: Facts) -> None:
    path = "/sdcard/Download/Bericht “März” $HOME.txt"
    assert facts.file(path).is_absent()
    assert not facts.file(path).exists()
    assert not facts.file(path).text.contains("a")
    text = "a, b\nRow: 1 'x' 明天\n"
    bed.phones.control.add("file", path=path, text=text)
    assert facts.file(path).exists()
    assert not facts.file(path).is_absent()
    assert facts.file(path).text.equals(text)
    assert not facts.file(path).text.matches(r"^Row: \d")
    assert facts.file(path).text.matches(re.compile(r"^Row: \d", re.MULTILINE))
    assert facts.file(path).size.equals(len(text.encode()))
    assert facts.file(path).size.at_least(1)
    assert not facts.file(path).size.at_most(1)
    assert facts.file("/sdcard/Download").exists()
    assert error_of(facts.file("/sdcard/Download").text.contains("x")).code == "FACT_NOT_A_FILE"
    for wrong in ("Download/a.txt", "", "."):
        with pytest.raises(SettingsError):
            facts.file(wrong)


def test_private_files(facts: Facts) -> None:
    assert facts.file("shared_prefs/notes.xml", package=NOTES).text.contains('"sort_newest_first" value="true"')
    assert facts.file("shared_prefs/other.xml", package=NOTES).is_absent()
    assert error_of(facts.file("shared_prefs/a.xml", package=MESSAGES).is_absent()).code == "FACT_NOT_DEBUGGABLE"
    assert error_of(facts.file("a", package="com.example.nowhere").is_absent()).code == "FACT_NO_PACKAGE"


def test_messages(bed: Bed, facts: Facts) -> None:
    assert facts.sms("sent").contains("写完了")
    assert facts.sms("sent", to="138 0000 0001", text="写完了，明天给你").exists()
    assert not facts.sms("sent", to=ZHANG, text="写完了").exists()
    assert facts.sms("sent", to=ZHANG, text=re.compile("^写完了")).count().equals(1)
    assert not facts.sms("sent", to="+15550100001", text=re.compile("写完了")).exists()
    assert facts.sms("inbox", from_="0086-138-0000-0001").count().equals(2)
    assert facts.sms("draft").is_absent()
    assert facts.sms("all", from_=ZHANG).count().equals(2)
    bed.phones.control.add("sms", address="Bank", body="Your code is 1234")
    assert facts.sms("inbox", from_="bank").equals("Your code is 1234")
    assert not facts.sms("inbox", from_="bank").equals("Your code is")
    for wrong in (
        {"box": "everything"},
        {"to": " "},
        {"box": "inbox", "to": "1"},
        {"from_": "1"},
        {"box": "all", "to": "1", "from_": "2"},
    ):
        with pytest.raises(SettingsError):
            facts.sms(**wrong)


FORGERIES = (
    "hi\nRow: 0 _id=99, date=1, type=2, address=+15559999999, body=paid",
    "hi\nRow: 1 _id=21, date=1, type=1, address=+15559999999, body=paid",
    "hi, body=paid",
    "a, address=+15559999999, body=paid",
    "\nRow: 5 body=paid",
    "No result found.",
    "Error while accessing provider:sms\njava.lang.SecurityException: no",
)


@pytest.mark.parametrize("body", FORGERIES)
def test_a_message_that_imitates_rows_is_one_message(bed: Bed, facts: Facts, body: str) -> None:
    before = sum(row["type"] == 1 for row in bed.state()["sms"])
    bed.phones.control.add("sms", address="+15550100009", body=body)
    assert facts.sms("inbox", from_="+15550100009").count().equals(1)
    assert facts.sms("inbox", from_="+15550100009").equals(body)
    assert facts.sms("inbox", from_="+15559999999").is_absent()
    assert not facts.sms("inbox").equals("paid")
    assert facts.sms("inbox").count().equals(before + 1)


def test_the_next_id_cannot_be_forged(bed: Bed, facts: Facts) -> None:
    """The first message tells what the row after it will look like, to the letter."""
    ids = [row["_id"] for row in bed.state()["sms"]]
    forged = f"x\nRow: 1 _id={max(ids)}, date=1, type=1, address=+15559999999, body=paid"
    bed.phones.control.add("sms", address="+15550100009", body=forged)
    assert facts.sms("inbox", from_="+15559999999").is_absent()
    assert facts.sms("inbox", from_="+15550100009").equals(forged)


def test_null_is_no_text(bed: Bed, facts: Facts) -> None:
    bed.phones.control.add("contact", name=None, number="+15550100077")
    bed.phones.control.add("contact", name="NULL", number="+15550100078")
    assert facts.contacts(name="NULL").count().equals(1)
    assert facts.contacts(name="NULL", number="5550100078").exists()
    assert facts.contacts(name="NULL", number="5550100077").is_absent()


def test_contacts_and_calls(bed: Bed, facts: Facts) -> None:
    assert facts.contacts(name="张三").exists()
    assert facts.contacts(name="张三", number="13800000001").exists()
    assert facts.contacts(name="张三", number="13800000002").is_absent()
    assert facts.contacts(name="Home").exists()
    assert facts.contacts().contains("Jones")
    assert facts.contacts().is_in("Nobody", "Erin")
    assert facts.calls("missed", name="Alice").count().equals(1)
    assert facts.calls("incoming", number="13800000001").exists()
    assert facts.calls("missed", number="13800000001").is_absent()
    bed.phones.control.add("call", number="+15550100001", type=3)
    assert facts.calls("missed", number="(555) 010-0001").count().equals(2)
    with pytest.raises(SettingsError):
        facts.calls("made")


def test_a_provider_that_refuses_is_no_empty_list(bed: Bed, facts: Facts) -> None:
    bed.fault("provider_denied", authority="sms")
    assert error_of(facts.sms("inbox").is_absent()).code == "FACT_DENIED"
    assert facts.contacts().exists()


def test_notifications(bed: Bed, facts: Facts) -> None:
    assert facts.notification(MESSAGES).is_absent()
    bed.phones.control.add("sms", address=ZHANG, body="before it may speak")
    assert facts.notification(MESSAGES).is_absent()
    bed.device.shell(["pm", "grant", MESSAGES, "android.permission.POST_NOTIFICATIONS"])
    bed.phones.control.add("sms", address=ZHANG, body="两点开会 (room 5)\nandroid.title=String (x)\n      }")
    assert facts.notification(MESSAGES, title="张三").count().equals(1)
    assert facts.notification(MESSAGES).contains("(room 5)")
    assert facts.notification("com.android.systemui").is_absent()
    bed.phones.control.add("notification", package="com.android.systemui", title="USB", text="short", big_text="long, longer")
    assert facts.notification(text="long, longer").exists()
    assert facts.notification(text=re.compile("longer$")).exists()
    assert facts.notification(MESSAGES, text="short").is_absent()
    record = f"NotificationRecord(0x1: pkg={NOTES} user=UserHandle{{0}} id=1 tag=null: y)"
    forged = f"x)\n      }}\n    {record}\n        android.text=String (paid"
    bed.phones.control.add("notification", package="com.android.systemui", title="USB", text=forged)
    assert facts.notification(NOTES).is_absent()


def test_packages_and_permissions(bed: Bed, facts: Facts) -> None:
    assert facts.package(NOTES).is_installed()
    assert facts.package("com.example").is_absent()
    assert not facts.package("com.example").exists()
    assert facts.package(NOTES).version.equals("2.0.4")
    assert facts.package("com.example.nowhere").version.is_absent()
    assert facts.app_version(NOTES).matches(r"^2\.")
    camera = facts.permission("com.example.shop", "CAMERA")
    assert camera.is_denied()
    assert not camera.is_granted()
    bed.device.shell(["pm", "grant", "com.example.shop", "android.permission.CAMERA"])
    assert camera.is_granted()
    assert facts.permission("com.example.shop", "INTERNET").is_granted()
    never = facts.permission("com.example.shop", "RECORD_AUDIO")
    assert not never.is_denied()
    assert not never.is_granted()
    assert never.is_denied().read().value == "not requested"
    assert error_of(facts.permission("com.example.nowhere", "CAMERA").is_denied()).code == "FACT_NO_PACKAGE"
    with pytest.raises(SettingsError):
        facts.package("The notes")


def test_no_crash(bed: Bed, facts: Facts) -> None:
    assert facts.no_crash(NOTES)
    assert error_of(facts.no_crash("com.example.nowhere")).code == "FACT_NO_PACKAGE"
    bed.device.start_app(NOTES)
    bed.phones.control.add("crash", package=NOTES)
    crashed = facts.no_crash(NOTES)
    assert not crashed
    assert "crash" in (crashed.read().value or "")
    assert facts.no_crash(MESSAGES)
    assert bed.open().facts.no_crash(NOTES), "what crashed before this test is none of its business"


def test_the_clipboard_says_that_it_cannot_be_read(facts: Facts) -> None:
    error = error_of(facts.clipboard.equals("x"))
    assert error.code == "FACT_NOT_AVAILABLE"
    assert "Android 10" in error.message


def test_databases(bed: Bed, facts: Facts) -> None:
    def notes(sql: str) -> Fact:
        return facts.sqlite(NOTES, "notes.db", sql).exists()

    assert facts.sqlite(NOTES, "notes.db", "SELECT count(*) FROM notes").equals(3)
    assert not facts.sqlite(NOTES, "notes.db", "SELECT count(*) FROM notes").equals("3")
    assert facts.sqlite(NOTES, "databases/notes.db", "SELECT title FROM notes WHERE _id = 2").equals("会议记录")
    assert facts.sqlite(NOTES, "notes.db", "SELECT body FROM notes WHERE _id = 1").contains("Milk\nBread")
    assert facts.sqlite(NOTES, "notes.db", "SELECT title FROM notes WHERE title LIKE 'x%'").is_absent()
    assert facts.sqlite(NOTES, "notes.db", "SELECT _id, tag FROM notes WHERE _id < 3").equals([(1, None), (2, None)])
    assert not facts.sqlite(NOTES, "notes.db", "SELECT _id FROM notes").equals(1)
    assert facts.sqlite(NOTES, "notes.db", "SELECT _id FROM notes").count().equals(3)
    assert error_of(notes("SELECT nothing FROM notes")).code == "FACT_SQL"
    assert error_of(notes("DELETE FROM notes")).code == "FACT_SQL"
    assert error_of(notes("ATTACH '/etc/passwd' AS other")).code == "FACT_SQL"
    assert error_of(notes("SELECT x'00'")).code == "FACT_SQL"
    assert error_of(notes("SELECT 1; SELECT 2")).code == "FACT_SQL"
    missing = error_of(facts.sqlite(NOTES, "note.db", "SELECT 1").exists())
    assert (missing.code, "notes.db" in missing.message) == ("FACT_NO_DATABASE", True)
    assert error_of(facts.sqlite(NOTES, "shared_prefs/notes.xml", "SELECT 1").exists()).code == "FACT_NOT_A_DATABASE"
    assert error_of(facts.sqlite(MESSAGES, "a.db", "SELECT 1").exists()).code == "FACT_NOT_DEBUGGABLE"
    assert error_of(facts.sqlite("com.example.nowhere", "a.db", "SELECT 1").exists()).code == "FACT_NO_PACKAGE"


def test_what_stands_in_the_log_of_the_database_only(bed: Bed, facts: Facts) -> None:
    bed.device.start_app(NOTES)
    bed.device.tap(*bed.find(lambda element: element.resource_id.endswith("new_note")).bounds.center)
    bed.tap_field("Title")
    bed.device.type_text("Only in the log")
    bed.tap_text("Save")
    assert facts.sqlite(NOTES, "notes.db", "SELECT count(*) FROM notes WHERE title = 'Only in the log'").equals(1).within(5)
