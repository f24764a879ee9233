"""Installing, permissions and links go through the seam: recorded, done again on a phone, and answered without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_layered_phone.errors import AppError, CassetteError
from tests.recording.scripted import CHAT, Miniature, Model, Phone, script

CAMERA = "android.permission.CAMERA"
LOG = [f"uninstall {CHAT}", f"grant {CHAT} {CAMERA}", f"revoke {CHAT} {CAMERA}", f"open_link chat://张三 {CHAT}"]


def silent() -> Model:
    return script([])


def act(mini: Miniature, folder: str, **more: bool) -> None:
    mini.device.uninstall(CHAT)
    mini.device.install(f"{folder}/聊天 base.apk", Path(folder) / "split.apk", **more)
    mini.device.grant(CHAT, CAMERA)
    mini.device.revoke(CHAT, CAMERA)
    mini.device.open_link("chat://张三", CHAT)


def record(root: Path) -> None:
    mini = Miniature(root, "record", Phone(), silent())
    act(mini, "/here")
    mini.finish()


def test_offline_answers_wherever_the_files_lie(tmp_path: Path) -> None:
    record(tmp_path)
    assert "/here" not in next((tmp_path / "cassettes").rglob("*.jsonl")).read_text("utf-8")
    mini = Miniature(tmp_path, "offline", None)
    act(mini, "/nowhere/else")
    assert mini.finish().unused == ()


def test_a_replay_does_it_again_on_the_phone(tmp_path: Path) -> None:
    record(tmp_path)
    phone = Phone()
    mini = Miniature(tmp_path, "replay", phone)
    act(mini, "/there")
    assert mini.finish().unused == ()
    assert phone.log == [LOG[0], "install /there/聊天 base.apk /there/split.apk", *LOG[1:]]


def test_another_install_is_not_the_recorded_one(tmp_path: Path) -> None:
    record(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(CassetteError):
        act(mini, "/here", downgrade=True)


def test_a_refusal_is_recorded_with_its_name(tmp_path: Path) -> None:
    class Refusing(Phone):
        def grant(self, package: str, permission: str) -> None:
            raise AppError("it does not ask for it", code="PERMISSION_NOT_REQUESTED", suggestion="Read the manifest.")

    for mode, phone in (("record", Refusing()), ("offline", None)):
        mini = Miniature(tmp_path, mode, phone, silent() if phone else None)
        with pytest.raises(AppError) as caught:
            mini.device.grant(CHAT, CAMERA)
        assert (caught.value.code, caught.value.suggestion) == ("PERMISSION_NOT_REQUESTED", "Read the manifest.")
        mini.finish()
