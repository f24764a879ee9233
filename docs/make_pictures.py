"""Makes the pictures in docs/images from a real run on the virtual phone.

    python docs/make_pictures.py

Needs what .ci/external installs: Chromium (or CHROMIUM), the npm package allure (or ALLURE), and the Python package playwright.
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from playwright.sync_api import Locator, Page  # noqa: E402

from pytest_layered_phone.virtual.adb_server import PrivatePhones  # noqa: E402
from pytest_layered_phone.virtual.ui.fonts import _package_fonts  # noqa: E402
from tests.external.browser import opened_page, served, tool  # noqa: E402
from tests.external.sessions import address, run_pytest, write  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000
SUITE = {
    "pytest.ini": "[pytest]\n",
    "conftest.py": """
        import os
        import pytest
        from pytest_layered_phone.virtual.control import ControlClient

        @pytest.fixture
        def app_loses_messages():
            with ControlClient("127.0.0.1", int(os.environ["CONTROL_PORT"])) as control:
                yield control.fault("send_lost")
                control.clear()

        @pytest.fixture(autouse=True)
        def messages_app(device):
            device.clear_app("com.example.messages")
            device.start_app("com.example.messages")

        def pytest_collection_modifyitems(items):
            for item in items:
                if "lost" in item.name:
                    item.fixturenames.append("app_loses_messages")  # the test itself stays as a user would write it
    """,
    "test_messages.py": """
        def test_send_message(agent):
            result = agent.run(
                "给张三发送消息“明天下午两点开会”",
                expect="the chat with “张三” shows a sent bubble “明天下午两点开会”",
            )
            assert result
    """,
    "test_lost.py": """
        def test_a_message_that_gets_lost(agent):
            result = agent.run(
                "Send the message “See you at 8 o'clock” to Alice",
                expect="the chat with “Alice” shows “See you at 8 o'clock”",
            )
            assert result
    """,
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, SUITE)
        os.environ["XDG_DATA_HOME"] = str(folder / "share")  # Chromium finds the font of the virtual phone there
        (folder / "share" / "fonts").mkdir(parents=True)
        (folder / "share" / "fonts" / _font().name).symlink_to(_font())
        with PrivatePhones.start() as phones:
            words = [f"--phone-device={address(phones)}", "--phone-model=pilot", "--color=yes", "--code-highlight=no"]
            env = {"CONTROL_PORT": str(phones.control.port), "COLUMNS": "116"}
            green = run_pytest(folder, "-p", "no:playwright", *words, "--alluredir=results", "test_messages.py", env=env)
            red = run_pytest(folder, "-p", "no:playwright", *words, "-q", "test_lost.py", env=env)
        if green.returncode != 0 or red.returncode != 1:
            raise SystemExit(green.stdout + red.stdout)
        filmstrip(folder / "results")
        subprocess.run([tool("ALLURE", "allure"), "generate", "results", "--output=report"], cwd=folder, check=True)
        with served(folder / "report") as url, opened_page(width=1000, height=760) as page:
            (test,) = (folder / "report" / "data" / "test-results").glob("*.json")
            allure_step(page, f"{url}#{test.stem}")
            terminal(page, red.stdout)


def _font() -> Path:
    return _package_fonts()[0]


def save(picture: Image.Image, name: str) -> None:
    """Saves a PNG with as many colours as its size allows."""
    for colours in (256, 128, 64):
        out = io.BytesIO()
        picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if len(out.getvalue()) < MOST_BYTES:
            (IMAGES / name).write_bytes(out.getvalue())
            return
    raise SystemExit(f"{name} would have {len(out.getvalue())} bytes")


# -- the filmstrip -----------------------------------------------------------------------------------------------------------


def filmstrip(results: Path) -> None:
    """The screens of the run, each with the point that was touched, as the report has them."""
    (result,) = (json.loads(path.read_text("utf-8")) for path in results.glob("*-result.json"))
    frames = [(title, Image.open(results / source)) for title, source in _pictures(result) if "finish" not in title]
    width, height, gap, above = 216, 480, 16, 30
    strip = Image.new("RGB", (len(frames) * (width + gap) + gap, height + above + gap), "white")
    draw = ImageDraw.Draw(strip)
    font = ImageFont.truetype(str(_font()), 13)
    for number, (title, picture) in enumerate(frames):
        x = gap + number * (width + gap)
        draw.text((x, above / 2), _fitting(re.sub(r"^Step \d+: | \(\d+, \d+\)$", "", title), font, width), "#333", font, "lm")
        strip.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (x, above))
        draw.rectangle((x - 1, above - 1, x + width, above + height), outline="#999")
    save(strip, "filmstrip.png")


def _pictures(step: dict[str, Any]) -> list[tuple[str, str]]:
    found = [(step["name"], a["source"]) for a in step.get("attachments", ()) if a["type"] == "image/jpeg"]
    return [*(picture for inner in step.get("steps", ()) for picture in _pictures(inner)), *found]


def _fitting(text: str, font: ImageFont.FreeTypeFont, width: int) -> str:
    while font.getlength(text) > width:
        text = text.removesuffix("…")[:-1] + "…"
    return text


# -- Allure ------------------------------------------------------------------------------------------------------------------


def allure_step(page: Page, url: str) -> None:
    """One step unfolded: what was thought and done, what it cost, and the screen with the touched point."""
    page.goto(url)
    run = _step(page, "run: ")
    _open(run)
    second = _step(page, "s2: ")
    _open(second)
    last = second.get_by_test_id("test-result-step").filter(has_text="tap “Send”").last
    _open(last)
    attachments = last.get_by_test_id("test-result-attachment-header")
    attachments.first.wait_for()
    attachments.evaluate_all("all => all.forEach(header => header.querySelector('button').click())")
    last.locator("img").wait_for()
    page.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth)")
    page.set_viewport_size({"width": 1000, "height": 3000})
    page.add_style_tag(content="[data-testid=test-result-attachment] img { max-height: 560px !important }")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    top, bottom = run.bounding_box(), last.bounding_box()
    assert top is not None
    assert bottom is not None
    clip = {"x": top["x"], "y": top["y"], "width": top["width"], "height": bottom["y"] + bottom["height"] - top["y"]}
    save(Image.open(io.BytesIO(page.screenshot(clip=clip))), "allure-step.png")


def _step(page: Page, title: str) -> Locator:
    """The innermost step whose title begins so."""
    name = page.get_by_test_id("test-result-step-title").filter(has_text=re.compile("^" + re.escape(title))).first
    name.wait_for()
    return name.locator("xpath=ancestor::*[@data-testid='test-result-step'][1]")


def _open(step: Locator) -> None:
    """Unfolds a step where it is folded."""
    if step.get_by_test_id("test-result-step-content").count() == 0:
        step.get_by_test_id("test-result-step-header").first.get_by_test_id("test-result-step-arrow-button").click()
        step.get_by_test_id("test-result-step-content").first.wait_for()


# -- the terminal ------------------------------------------------------------------------------------------------------------

_COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}
_STYLE = (
    "body{margin:0;background:#0d1117}pre{margin:0;padding:18px 22px;display:inline-block;background:#0d1117;color:#e6edf3;"
    "font:14px/20px 'DejaVu Sans Mono','Liberation Mono',monospace,'Noto Sans CJK SC';white-space:pre-wrap;width:1000px}"
)


def terminal(page: Page, output: str) -> None:
    """What pytest printed, word for word, with its colours; from the failure on."""
    start = output.index("test_a_message_that_gets_lost")
    lines = output[output.rindex("\n", 0, start) + 1 :].rstrip()
    page.set_content(f"<style>{_STYLE}</style><pre>{_coloured(lines)}</pre>")
    page.set_viewport_size({"width": 1100, "height": 1400})
    save(Image.open(io.BytesIO(page.locator("pre").screenshot())), "failure.png")


def _coloured(text: str) -> str:
    """Terminal colours as HTML."""
    out, style = [], ""
    for part in re.split(r"(\x1b\[[\d;]*m)", text):
        if part.startswith("\x1b["):
            for code in part[2:-1].split(";"):
                style = "" if code in ("", "0") else style + {"1": "font-weight:bold;"}.get(code, "")
                style += f"color:{_COLOURS[code]};" if code in _COLOURS else ""
        elif part:
            out.append(f'<span style="{style}">{html.escape(part)}</span>' if style else html.escape(part))
    return "".join(out)


if __name__ == "__main__":
    main()
