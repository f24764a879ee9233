"""The phone behind a real adb server: the adb client, adbutils, faults of the transport, two phones."""

from __future__ import annotations

import io
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from adbutils import AdbClient, AdbDevice
from PIL import Image

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk
from pytest_layered_phone.virtual.control import ControlError
from pytest_layered_phone.virtual.private_adb import devices
from tests.virtual.adb_tools import Adb, read_all, service, until

SIZE = (540, 1200)


@pytest.fixture(scope="module")
def phones() -> Iterator[PrivatePhones]:
    with PrivatePhones.start(2, width=SIZE[0], height=SIZE[1], density=210) as started:
        yield started


@pytest.fixture(autouse=True)
def _fresh(phones: PrivatePhones) -> Iterator[None]:
    phones.control.reset()
    for phone in phones.phones:
        until(Adb(phones.adb_port, phone.serial).answers, f"{phone.serial} answers")
    yield
    phones.control.clear()


@pytest.fixture
def adb(phones: PrivatePhones) -> Adb:
    return Adb(phones.adb_port, phones.phones[0].serial)


@pytest.fixture
def device(phones: PrivatePhones) -> AdbDevice:
    return AdbClient(host="127.0.0.1", port=phones.adb_port).device(phones.phones[0].serial)


# -- the adb client ----------------------------------------------------------------------------------------------------


def test_the_server_lists_exactly_these_phones(phones: PrivatePhones, adb: Adb) -> None:
    lines = Adb(phones.adb_port, "")("devices", "-l").stdout.decode().split("\n")
    assert lines[0] == "List of devices attached"
    listed = {line.split()[0]: line.split()[1:] for line in lines[1:] if line}
    assert set(listed) == {phone.serial for phone in phones.phones}
    for words in listed.values():
        assert words[0] == "device"
        assert "model:Virtual_Phone" in words


def test_outputs_and_exit_codes_arrive(adb: Adb) -> None:
    assert adb.shell("echo out; echo 错误 >&2; exit 5") == ("out\n", "错误\n", 5)
    assert adb.shell("nosuch") == ("", "/system/bin/sh: nosuch: inaccessible or not found\n", 127)
    assert adb.shell("true") == ("", "", 0)


def test_arguments_are_joined_and_split_by_the_phone(adb: Adb) -> None:
    assert adb("shell", "echo", "a  b", "'c  d'").stdout == b"a b c  d\n"


def test_chinese_by_input_text_is_an_exception(adb: Adb) -> None:
    out, err, code = adb.shell("input text 你好")
    assert (out, code) == ("", 255)
    assert "java.lang.NullPointerException" in err


def test_a_mistake_of_the_virtual_phone_is_no_success(adb: Adb) -> None:
    out, err, code = adb.shell("printf %x nonsense")
    assert (out, code) == ("", 254)
    assert err.startswith("virtual phone: ValueError")


def test_what_is_no_package_is_not_installed(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(os.urandom(2_000_000))
    done = adb("install", str(tmp_path / "app.apk"))
    assert done.returncode == 1
    assert b"INSTALL_PARSE_FAILED_NOT_APK" in done.stdout + done.stderr


def test_the_real_adb_client_installs_and_removes(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(make_apk(VirtualApk("org.example.coffee", "Coffee"), padding=300_000))
    done = adb("install", str(tmp_path / "app.apk"))
    assert b"Success" in done.stdout, done
    assert adb.shell("pm path org.example.coffee")[2] == 0
    assert b"Success" in adb("uninstall", "org.example.coffee").stdout


def test_the_log_follows_until_the_client_goes(phones: PrivatePhones, adb: Adb) -> None:
    with service(phones.adb_port, phones.phones[0].serial, "exec:logcat -v raw") as sock, sock.makefile("rb") as lines:
        assert lines.readline() == b"--------- beginning of main\n"
        adb.shell("log -t Late 迟到")
        while (line := lines.readline()) != "迟到\n".encode():
            assert line


def test_standard_input_reaches_the_phone(adb: Adb) -> None:
    assert adb.shell("cat > /sdcard/given; wc -c /sdcard/given", stdin=b"x" * 300_000) == ("300000 /sdcard/given\n", "", 0)


def test_a_shell_without_a_command_runs_what_comes_in(adb: Adb) -> None:
    done = adb("shell", stdin=b"x=1\ncd /sdcard\necho $x $PWD\nfalse\necho $?\nexit 9\necho never\n")
    assert (done.stdout, done.returncode) == (b"1 /sdcard\n1\n", 9)


def test_a_capture_is_a_whole_png(adb: Adb) -> None:
    done = adb("exec-out", "screencap", "-p")
    picture = Image.open(io.BytesIO(done.stdout))
    picture.load()
    assert (picture.size, picture.format, done.returncode, done.stderr) == (SIZE, "PNG", 0, b"")


def test_a_raw_capture_is_whole(phones: PrivatePhones) -> None:
    raw = read_all(service(phones.adb_port, phones.phones[0].serial, "exec:screencap"))
    assert struct.unpack("<4I", raw[:16]) == (*SIZE, 1, 1)
    assert len(raw) == 16 + SIZE[0] * SIZE[1] * 4


def test_files_go_there_and_back(adb: Adb, tmp_path: Path) -> None:
    data = os.urandom(1_500_000)
    (tmp_path / "大文件.bin").write_bytes(data)
    assert adb("push", str(tmp_path / "大文件.bin"), "/sdcard/Download/").returncode == 0
    assert adb.shell("stat -c '%s' /sdcard/Download/大文件.bin") == ("1500000\n", "", 0)
    assert adb("pull", "/sdcard/Download/大文件.bin", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back").read_bytes() == data


def test_a_directory_is_pulled(adb: Adb, tmp_path: Path) -> None:
    adb.shell("mkdir -p /sdcard/d/e; echo 1 > /sdcard/d/one; echo 2 > /sdcard/d/e/two")
    assert adb("pull", "/sdcard/d", str(tmp_path)).returncode == 0
    assert ((tmp_path / "d/one").read_text(), (tmp_path / "d/e/two").read_text()) == ("1\n", "2\n")


def test_a_missing_file_is_an_error(adb: Adb, tmp_path: Path) -> None:
    done = adb("pull", "/sdcard/none", str(tmp_path / "x"))
    assert done.returncode == 1
    assert b"No such file or directory" in done.stderr
    (tmp_path / "f").write_text("x")
    assert adb("push", str(tmp_path / "f"), "/system/f").returncode == 1


def test_an_unknown_service_is_closed(phones: PrivatePhones) -> None:
    with pytest.raises(AssertionError, match="FAIL"):
        service(phones.adb_port, phones.phones[0].serial, "localabstract:nothing")


def test_a_kept_shell_runs_lines_as_they_come(phones: PrivatePhones) -> None:
    with service(phones.adb_port, phones.phones[0].serial, "exec:sh") as sock, sock.makefile("rb") as lines:
        for number in range(3):
            sock.sendall(f"input tap {number} 5; echo done-{number}\n".encode())
            assert lines.readline() == f"done-{number}\n".encode()
    assert [action["details"]["x"] for action in phones.control.state()["actions"]] == [0, 1, 2]


def test_many_commands_at_once_are_kept_apart(phones: PrivatePhones) -> None:
    answers: dict[int, bytes] = {}

    def ask(number: int) -> None:
        command = f"exec:printf '{number:05d} %.0s' $(printf 'x %.0s' 1 2 3); base64 /sdcard/big{number % 2} | md5sum"
        answers[number] = read_all(service(phones.adb_port, phones.phones[0].serial, command))

    shell = Adb(phones.adb_port, phones.phones[0].serial).shell
    shell("echo first > /sdcard/big0; echo second > /sdcard/big1")
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answers) == list(range(16))
    assert all(answer.startswith(f"{number:05d} ".encode()) for number, answer in answers.items())
    assert len({answer.split()[-2] for answer in answers.values()}) == 2


# -- adbutils ----------------------------------------------------------------------------------------------------------


def test_adbutils_works_unchanged(device: AdbDevice) -> None:
    assert device.screenshot().size == SIZE
    assert tuple(device.window_size()) == SIZE
    assert device.shell("getprop ro.build.version.release") == "14"
    assert device.shell2("(exit 4)").returncode == 4
    assert device.shell2("echo e >&2; exit 6", v2=True).stderr == "e\n"
    assert "shell_v2" in device.get_features()
    device.app_start("com.android.settings")
    assert device.app_current().package == "com.android.settings"
    assert device.app_info("com.android.settings").version_name
    assert device.is_screen_on()
    assert device.battery().level == 87
    assert "com.example.shop" in device.list_packages()
    assert device.dump_hierarchy().startswith("<?xml")
    device.app_stop("com.android.settings")
    assert device.app_current().package != "com.android.settings"


def test_adbutils_transfers_files(device: AdbDevice) -> None:
    device.sync.push("内容".encode(), "/sdcard/p.txt")
    assert device.sync.read_text("/sdcard/p.txt") == "内容"
    assert device.sync.stat("/sdcard/p.txt").size == 6
    assert "p.txt" in [entry.path for entry in device.sync.list("/sdcard")]
    assert not device.sync.exists("/sdcard/none")


# -- two phones --------------------------------------------------------------------------------------------------------


def test_two_phones_are_two(phones: PrivatePhones) -> None:
    first, second = (Adb(phones.adb_port, phone.serial) for phone in phones.phones)
    first.shell("echo only-here > /sdcard/mark; settings put system mark 1; input tap 3 4")
    assert second.shell("cat /sdcard/mark")[2] == 1
    assert second.shell("settings get system mark")[0] == "null\n"
    assert [len(phones.control.state(index)["actions"]) for index in (0, 1)] == [1, 0]


# -- faults ------------------------------------------------------------------------------------------------------------


def test_a_lost_transport_cuts_the_picture_and_says_nothing(phones: PrivatePhones, adb: Adb) -> None:
    whole = adb("exec-out", "screencap", "-p").stdout
    phones.control.fault("disconnect", command="screencap")
    assert adb.shell("echo other commands go on") == ("other commands go on\n", "", 0)
    cut = adb("exec-out", "screencap", "-p")
    assert (cut.returncode, cut.stderr) == (0, b"")
    assert cut.stdout == whole[: len(whole) // 2]
    until(adb.answers, "the phone is back")
    assert adb("exec-out", "screencap", "-p").stdout == whole


def test_a_lost_transport_does_not_touch_the_other_phone(phones: PrivatePhones) -> None:
    first, second = (Adb(phones.adb_port, phone.serial) for phone in phones.phones)
    phones.control.fault("disconnect", phone=0, command="echo")
    assert second.shell("echo fine") == ("fine\n", "", 0)
    assert first.shell("echo a long answer")[0] != "a long answer\n"
    assert second.shell("echo fine") == ("fine\n", "", 0)


@pytest.mark.parametrize(("before", "done"), [(False, 1), (True, 0)])
def test_a_lost_transport_does_not_tell_whether_the_tap_was_done(
    phones: PrivatePhones, adb: Adb, before: bool, done: int
) -> None:
    phones.control.fault("disconnect", command="input tap", before=before)
    adb.shell("input tap 7 7")
    assert len(phones.control.state()["actions"]) == done


def test_a_transfer_can_be_lost(phones: PrivatePhones, adb: Adb, tmp_path: Path) -> None:
    adb.shell("screencap -p /sdcard/s.png")
    phones.control.fault("disconnect", command="recv /sdcard/s.png")
    assert adb("pull", "/sdcard/s.png", str(tmp_path / "s.png")).returncode == 1


def test_an_offline_phone_is_listed_so_and_comes_back(phones: PrivatePhones, adb: Adb) -> None:
    phones.control.fault("offline")
    until(lambda: devices(phones.adb_port).get(adb.serial) == "offline", "the phone is offline")
    assert b"offline" in adb("shell", "true").stderr
    phones.control.clear("offline")
    until(lambda: devices(phones.adb_port).get(adb.serial) == "device", "the phone is back")
    assert adb.shell("echo back") == ("back\n", "", 0)


def test_a_spell_offline_ends_by_itself(phones: PrivatePhones, adb: Adb) -> None:
    phones.control.fault("offline", seconds=0.5)
    until(lambda: devices(phones.adb_port).get(adb.serial) != "device", "the phone is gone")
    until(lambda: devices(phones.adb_port).get(adb.serial) == "device", "the phone is back")
    assert phones.control.state()["faults"] == {}


def test_a_slow_phone_takes_its_time(phones: PrivatePhones, adb: Adb) -> None:
    phones.control.fault("slow", seconds=0.4)
    adb.shell("input tap 1 1")
    adb.shell("input tap 2 2")
    first, second = phones.control.state()["actions"]
    assert second["started_s"] - first["ended_s"] >= 0.4


def test_a_reboot_loses_what_was_open(phones: PrivatePhones, adb: Adb) -> None:
    adb.shell("echo x > /sdcard/x")
    adb("reboot")
    until(adb.answers, "the phone is back")
    assert adb.shell("cat /sdcard/x")[2] == 1


def test_the_control_channel_refuses_what_it_does_not_know(phones: PrivatePhones) -> None:
    with pytest.raises(ControlError, match="no phone 7"):
        phones.control.fault("slow", phone=7)
    with pytest.raises(ControlError, match="unknown request"):
        phones.control.request({"do": "dance"})
    state = phones.control.state(1)
    assert {"settings", "sms", "focus", "actions", "faults"} <= set(state)
