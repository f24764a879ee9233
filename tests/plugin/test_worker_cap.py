"""`-n auto` starts no more workers than there are phones, where a phone option is given."""

from __future__ import annotations

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones


@pytest.mark.parametrize(
    ("arguments", "workers"),
    [
        (["--device=virtual:3"], 3),
        (["--device=virtual:2,virtual"], 3),
        (["--device=virtual:20"], 8),
        (["--device=adb://127.0.0.1:PORT"], 2),
        (["--device=adb://127.0.0.1:PORT,virtual:2"], 4),
        (["--device=adb://127.0.0.1:PORT,adb://127.0.0.1:PORT/nobody"], 2),
        (["--device=virtual:3", "--phone-cap-workers=no"], 8),
        (["--device=virtual:3", "--phone-mode=offline"], 8),
        (["--device=virtual:3", "--collect-only"], 8),
        ([], 8),
    ],
)
def test_no_more_workers_than_phones(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    virtual_phones: PrivatePhones,
    arguments: list[str],
    workers: int,
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "8")
    monkeypatch.setenv("ANDROID_SERIAL", "somebodys-own-phone")  # set for other tools: not a phone option of this project
    config = pytester.parseconfig(*(text.replace("PORT", str(virtual_phones.adb_port)) for text in arguments))
    assert config.hook.pytest_xdist_auto_num_workers(config=config) == workers
