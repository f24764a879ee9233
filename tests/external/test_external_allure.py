"""A real Allure report of a run on the virtual phone, read in a real browser as a tester would read it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.external.browser import opened_page, served, tool
from tests.external.sessions import QUICK, address, run_pytest, write

SUITE = {
    "pytest.ini": "[pytest]\n",
    "conftest.py": """
        import os
        import pytest
        from pytest_layered_phone.virtual.control import ControlClient

        @pytest.fixture
        def broken():
            with ControlClient("127.0.0.1", int(os.environ["CONTROL_PORT"])) as control:
                yield control.fault
                control.clear()

        @pytest.fixture(autouse=True)
        def app(phone_device):
            phone_device.clear_app("com.example.messages")
            phone_device.start_app("com.example.messages")
    """,
    "test_messages.py": """
        def send(agent, text):
            return agent.run(f"给张三发送消息“{text}”", expect=f"the chat with “张三” shows a sent bubble “{text}”")

        def test_sends_a_message(agent):
            assert send(agent, "明天下午两点开会")

        def test_loses_a_message(agent, broken):
            broken("send_lost")
            assert send(agent, "明天下午三点开会")

        def test_gives_no_picture(agent, broken):
            agent.do("Tap “Allow”")
            broken("screencap_fails", text="no framebuffer today")
            assert agent.check("“张三” is shown")
    """,
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the report of one session with a test that passes, one that fails and one that errs."""
    folder = tmp_path_factory.mktemp("allure")
    write(folder, SUITE)
    with PrivatePhones.start() as phones:
        session = run_pytest(
            folder, "-p", "no:playwright", f"--phone-device={address(phones)}", "--phone-model=pilot", "--alluredir=results",
            *QUICK, env={"CONTROL_PORT": str(phones.control.port)},
        )  # fmt: skip
    assert "1 failed, 1 passed, 1 error" in session.stdout, session.stdout
    made = subprocess.run(
        [tool("ALLURE", "allure"), "generate", "results", "--config=results/allurerc.json", "--output=report"], cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout
    with served(folder / "report") as url:
        yield url


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with opened_page() as page:
        yield page


@dataclass
class Shown:
    """A test's page with everything unfolded. `lines` are (depth, title) of steps and attachments in reading order."""

    text: str
    lines: list[tuple[int, str]]
    pictures: list[dict[str, Any]]


_LINES = """() => [...document.querySelectorAll(
    '[data-testid=test-result-step-title], [data-testid=test-result-attachment-header]')]
  .map(e => { let depth = -1;
    for (let n = e; n; n = n.parentElement) if (/^test-result-(step|attachment)$/.test(n.dataset?.testid ?? '')) depth++;
    return [depth, e.innerText.split('\\n').filter(s => s && !/^\\d+$/.test(s))[0] ?? '']; })"""
_PICTURES = """() => [...document.querySelectorAll('[data-testid=test-result-attachment] img')].map(i => {
    const canvas = document.createElement('canvas');
    canvas.width = i.naturalWidth; canvas.height = i.naturalHeight;
    const pen = canvas.getContext('2d'); pen.drawImage(i, 0, 0);
    const data = i.naturalWidth ? pen.getImageData(0, 0, canvas.width, canvas.height).data : [];
    let marked = 0;
    for (let n = 0; n < data.length; n += 4)  // the colour of the mark
      if (data[n] > 190 && data[n+1] < 60 && data[n+2] > 50 && data[n+2] < 130) marked++;
    const holder = i.closest('[data-testid=test-result-attachment]');
    const header = holder.querySelector('[data-testid=test-result-attachment-header]');
    return {title: header.innerText.split('\\n').filter(s => s && !/^\\d+$/.test(s))[0], width: i.naturalWidth,
            height: i.naturalHeight, shown: i.getBoundingClientRect().width, marked}; })"""


def unfolded(page: Page, url: str, test: str) -> Shown:
    """Opens a test from the report's first page and unfolds its steps and attachments."""
    page.goto(url)
    page.get_by_text(test, exact=True).first.click()
    page.get_by_test_id("test-result-steps-subtree-toggle").click()
    headers = page.get_by_test_id("test-result-attachment-header")
    headers.first.wait_for()
    headers.evaluate_all("all => all.forEach(header => header.querySelector('button').click())")
    pictures = headers.filter(has_text="image/").count()
    page.wait_for_function(
        """many => { const all = [...document.querySelectorAll('[data-testid=test-result-attachment] img')];
                     return all.length === many && all.every(i => i.complete && i.naturalWidth); }""",
        arg=pictures,
    )
    return Shown(page.inner_text("body"), [(depth, title) for depth, title in page.evaluate(_LINES)], page.evaluate(_PICTURES))


def test_the_first_page_shows_environment_and_statuses(report: str, page: Page) -> None:
    page.goto(report)
    page.get_by_text("test_sends_a_message", exact=True).first.wait_for()
    text = page.inner_text("body")
    metadata = text.partition("Metadata")[2].split("\n")
    assert metadata[metadata.index("Phone mode") + 1] == "live"
    assert metadata[metadata.index("Models") + 1] == "pilot"
    assert metadata[metadata.index("Phone") + 1].startswith("emulator-")
    for status in ("passed", "failed", "broken"):
        assert page.get_by_test_id(f"tree-leaf-status-{status}").count() == 1


def test_steps_are_nested_with_thinking_and_pictures(report: str, page: Page) -> None:
    shown = unfolded(page, report, "test_sends_a_message")
    first = next(number for number, (_, title) in enumerate(shown.lines) if title.startswith("run: "))
    depths = [depth for depth, _ in shown.lines[first:]]
    titles = [title for _, title in shown.lines[first:]]
    assert shown.lines[first] == (0, "run: 给张三发送消息“明天下午两点开会”")
    assert (1, "s2: 发送消息“明天下午两点开会”") in shown.lines
    assert (1, "verdict: passed (grounded)") in shown.lines
    send = next(number for number, title in enumerate(titles) if re.match(r"Step 3: tap “Send” \(\d+, \d+\)", title))
    assert depths[send] == 2
    assert titles[send + 1].startswith("thinking: ")
    assert "I tap “Send”." in titles[send + 1]
    assert titles[send + 2] == "screen before it, the touched point marked"
    assert depths[send + 1 : send + 3] == [3, 3]
    page.wait_for_function("document.body.innerText.split('I tap “Send”.').length > 2")  # in its name, and unfolded
    assert re.search(r"thinking time\s+\d+\.\d\d s \(first token \d+\.\d\d s\)\s+tokens\s+\d+ in, \d+ out", shown.text)
    assert len(shown.pictures) == 8
    for picture in shown.pictures:
        assert (picture["width"], picture["height"]) == (540, 1200), picture
        assert picture["shown"] > 200, picture
    marked = [picture["marked"] > 100 for picture in shown.pictures if "touched" in picture["title"]]
    assert marked == [True] * 4
    assert not any(picture["marked"] > 100 for picture in shown.pictures if "touched" not in picture["title"])


def test_a_failure_says_why_with_its_picture(report: str, page: Page) -> None:
    shown = unfolded(page, report, "test_loses_a_message")
    assert page.get_by_test_id("test-result-status-failed").count() == 1
    message = page.get_by_test_id("test-result-error-message").first.inner_text()
    assert message.startswith("Goal: 给张三发送消息“明天下午三点开会”\nVerdict: failed (NOT_SEEN)")
    assert (0, "last screen (run 1, failed)") in shown.lines
    assert (1, "verdict: failed (NOT_SEEN)") in shown.lines
    last = next(picture for picture in shown.pictures if picture["title"].startswith("last screen"))
    assert last["width"] == 540


def test_an_error_is_broken_and_names_its_code(report: str, page: Page) -> None:
    shown = unfolded(page, report, "test_gives_no_picture")
    assert page.get_by_test_id("test-result-status-broken").count() == 1
    assert page.get_by_test_id("test-result-error-message").first.inner_text().startswith("SCREENSHOT_FAILED: ")
    assert "Category: Phone or lease trouble (the app was not judged)" in shown.text
    assert (0, "check: “张三” is shown") in shown.lines
    assert any(depth == 1 and title.startswith("SCREENSHOT_FAILED: ") for depth, title in shown.lines)
