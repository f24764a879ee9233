"""pytest-playwright beside us: it owns `--device` and the fixture `device` then, and both suites run in one session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.external.browser import FLAGS, chromium
from tests.external.sessions import QUICK, address, run_pytest, write

SUITE = {
    "pytest.ini": "[pytest]\n",
    "conftest.py": f"""
        import pytest

        @pytest.fixture(scope="session")
        def browser_type_launch_args(browser_type_launch_args):
            return {{**browser_type_launch_args, "executable_path": {chromium()!r}, "args": {FLAGS!r}}}
    """,
    "test_phone.py": """
        def test_the_phone_opens_settings(phone_agent, phone_device):
            phone_device.stop_app("com.android.settings")
            phone_device.start_app("com.android.settings")
            goal = "Scroll down until “About phone”, then tap “About phone”"
            assert phone_agent.run(goal, expect="“Android version” is shown")

        def test_the_agent_keeps_its_short_name(agent, phone_agent, device):
            assert agent is phone_agent
            assert device != "emulator"
    """,
    "test_web.py": """
        def test_a_page_is_read(page):
            page.set_content("<h1>两点开会</h1><button onclick='this.textContent=navigator.userAgent'>who</button>")
            assert page.get_by_role("heading").inner_text() == "两点开会"
            page.get_by_role("button").click()
            print("seen as", page.get_by_role("button").inner_text())
    """,
}


@pytest.fixture(scope="module")
def phone() -> Iterator[str]:
    with PrivatePhones.start() as phones:
        yield address(phones)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, SUITE)
    return tmp_path


@pytest.mark.parametrize("order", [(), ("playwright", "layered_phone"), ("layered_phone", "playwright")], ids=" ".join)
def test_both_suites_run_in_one_session(folder: Path, phone: str, order: tuple[str, ...]) -> None:
    named = [word for name in order for word in ("-p", name)]  # else they load in the order in which they are found
    session = run_pytest(
        folder, *named, "-rA", f"--phone-device={phone}", "--device=iPhone 13", "--phone-model=pilot", *QUICK,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if order else {},
    )  # fmt: skip
    out = session.stdout
    assert session.returncode == 0, out
    assert "3 passed" in out
    assert "phone: --device belongs to another plugin or to a conftest here; ours is --phone-device" in out
    assert f"phone: mode live, device {phone}, models pilot" in out
    assert "PytestConfigWarning: the fixture 'device' belongs to the plugin 'playwright'; use phone_device" in out
    assert "iPhone" in out.partition("seen as ")[2].partition("\n")[0]  # Playwright's option did reach Playwright


def test_only_the_web_suite_hears_nothing_of_us(folder: Path) -> None:
    session = run_pytest(folder, "-W", "error::pytest.PytestConfigWarning", "test_web.py", "-q")
    assert session.returncode == 0, session.stdout
    assert "1 passed" in session.stdout
    assert "phone" not in session.stdout


def test_help_names_playwrights_device_and_our_own_option(folder: Path) -> None:
    words = run_pytest(folder, "--help").stdout
    assert words.count("--phone-device=") == 1
    assert len([line for line in words.splitlines() if line.lstrip().startswith("--device=")]) == 1
