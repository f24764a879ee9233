"""A phone with two small apps, a model that follows a script, and a test run in miniature, all in this process."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from pytest_layered_phone.devices.facts import Facts
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import (
    Bounds,
    Cell,
    Crash,
    DeviceInfo,
    Element,
    ElementTree,
    Foreground,
    Key,
    Observation,
    Screenshot,
    ShellResult,
)
from pytest_layered_phone.errors import DeviceError, PhoneError
from pytest_layered_phone.events import Event, EventBus, RunStarted, VerdictGiven
from pytest_layered_phone.models.types import ChatMessage, ChatReply, ChatRequest, ImagePart, OnText, Seat, TextPart, Usage
from pytest_layered_phone.recording.naming import TestName
from pytest_layered_phone.recording.session import RecordingSession, cassette_path, open_recording
from pytest_layered_phone.recording.summary import RecordingSummary
from pytest_layered_phone.settings import Settings, resolve

CHAT = "org.example.chat"
UNITS = (100, 200)
"""The layout below is in hundredths of the width and two-hundredths of the height."""


@dataclass
class Phone:
    """A `Device`. Its behaviour can be broken on purpose.

    Attributes:
        size: pixels of the screen.
        clock: what the status bar shows.
        lose: Send clears the field, but no message appears.
        dead: taps do nothing.
        contact: whose chat is open.
        shift: the lower part of the screen is moved down by so many units.
        slow_looks: for so many looks no message is shown.
        banner: a line of text under the heading.
        twins: there is a second Send.
        rows: how many contacts are in sight; `offset` is the first of them.
        fail: primitive -> error that its next call raises.
    """

    size: tuple[int, int] = (120, 240)
    density: int = 160
    screen: str = "list"
    contact: str = "张三"
    contacts: list[str] = field(default_factory=lambda: ["张三", "Ann", "Bob 🐼"])
    messages: list[str] = field(default_factory=list)
    typed: str = ""
    password: str = ""
    focus: str = ""
    muted: bool = False
    clock: str = "9:41"
    lose: bool = False
    dead: bool = False
    shift: int = 0
    slow_looks: int = 0
    banner: str = ""
    rows: int = 6
    offset: int = 0
    twins: bool = False
    fail: dict[str, PhoneError] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def serial(self) -> str:
        return "scripted-1"

    @property
    def facts(self) -> Facts:
        return Facts(self)

    def info(self) -> DeviceInfo:
        width, height = self.size
        return DeviceInfo("scripted-1", "secret-serial-77", "Model S", "14", 34, width, height, self.density, 1.0, "zh-CN")

    # -- the screen ------------------------------------------------------------------------------------------------------

    def layout(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"c": "TextView", "t": self.clock, "b": (2, 0, 30, 6), "p": "com.android.systemui"},
        ]
        if self.screen == "list":
            rows += [
                {"c": "TextView", "t": "Chats", "id": "title", "b": (4, 8, 60, 20)},
                {"c": "RecyclerView", "id": "list", "b": (0, 24, 100, 180), "f": {"scrollable"}},
            ]
            for n, name in enumerate(self.contacts[self.offset :][: self.rows]):
                top = 28 + 24 * n
                rows += [
                    {
                        "c": "LinearLayout",
                        "id": "row",
                        "b": (0, top, 100, top + 20),
                        "f": {"clickable"},
                        "in": 2,
                        "go": ("open", name),
                    },
                    {"c": "TextView", "t": name, "id": "name", "b": (20, top + 2, 70, top + 10), "in": len(rows)},
                    {"c": "TextView", "t": "2 min ago", "id": "age", "b": (72, top + 2, 98, top + 10), "in": len(rows)},
                ]
            rows.append(
                {"c": "Button", "t": "Log in", "id": "login", "b": (30, 184, 70, 198), "f": {"clickable"}, "go": ("login",)}
            )
        elif self.screen == "chat":
            rows += [
                {"c": "TextView", "t": self.contact, "id": "title", "b": (4, 8, 60, 20)},
                {
                    "c": "Switch",
                    "id": "mute",
                    "b": (76, 8, 96, 20),
                    "go": ("mute",),
                    "f": {"clickable", "checkable"} | ({"checked"} if self.muted else set()),
                },
                {"c": "RecyclerView", "id": "messages", "b": (0, 24, 100, 150), "f": {"scrollable"}},
            ]
            for n, text in enumerate(self.messages):
                rows.append({"c": "TextView", "t": text, "id": "bubble", "b": (30, 28 + 14 * n, 96, 40 + 14 * n), "in": 3})
            low = 154 + self.shift
            rows += [
                {
                    "c": "EditText",
                    "t": self.typed,
                    "id": "field",
                    "b": (2, low, 70, low + 14),
                    "go": ("focus", "field"),
                    "f": {"clickable", "editable"} | ({"focused"} if self.focus == "field" else set()),
                    "h": "Message",
                },
                {"c": "Button", "t": "Send", "id": "send", "b": (74, low, 98, low + 14), "f": {"clickable"}, "go": ("send",)},
            ]
            if self.twins:
                rows.append(
                    {"c": "Button", "t": "Send", "id": "send", "b": (74, 180, 98, 194), "f": {"clickable"}, "go": ("send",)}
                )
        elif self.screen == "login":
            rows += [
                {"c": "TextView", "t": "Log in", "id": "title", "b": (4, 8, 60, 20)},
                {
                    "c": "EditText",
                    "t": "•" * len(self.password),
                    "id": "secret",
                    "b": (4, 60, 96, 74),
                    "h": "Password",
                    "f": {"clickable", "editable", "password"} | ({"focused"} if self.focus == "secret" else set()),
                    "go": ("focus", "secret"),
                },
            ]
        elif self.screen == "canvas":
            rows.append({"c": "View", "b": (10, 100, 60, 150), "f": {"clickable"}, "go": ("home",)})
        if self.banner:
            rows.append({"c": "TextView", "t": self.banner, "id": "banner", "b": (4, 22, 96, 27)})
        return rows

    def _box(self, box: tuple[int, int, int, int]) -> Bounds:
        (width, height), (wide, high) = self.size, UNITS
        left, top, right, bottom = box
        return Bounds(left * width // wide, top * height // high, right * width // wide, bottom * height // high)

    def elements(self) -> ElementTree:
        self._maybe_fail("elements")
        found = []
        for index, row in enumerate(self.layout()):
            flags = dict.fromkeys(row.get("f", ()), True)
            name = f"{CHAT}:id/{row['id']}" if "id" in row else ""
            found.append(
                Element(index, row.get("t", ""), row.get("d", ""), name, f"android.widget.{row['c']}", row.get("p", CHAT),
                        self._box(row["b"]), row.get("h", ""), parent=row.get("in", -1), **flags)
            )  # fmt: skip
        return ElementTree(tuple(found))

    def screenshot(self, *, display: str | int | None = None) -> Screenshot:
        self._maybe_fail("screenshot")
        if display is not None:
            out = io.BytesIO()
            Image.new("RGB", (64, 32 + int(display)), "teal").save(out, "PNG")
            return Screenshot(out.getvalue(), "image/png", 64, 32 + int(display))
        image = Image.new("RGB", self.size, "white")
        draw = ImageDraw.Draw(image)
        for row in self.layout():
            box = self._box(row["b"])
            draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline="black")
            for n, letter in enumerate(row.get("t", "")[:12]):
                x = box.left + 2 + 6 * n
                draw.rectangle((x, box.top + 3, x + 3, box.top + 4 + ord(letter) % 5), fill="navy")
        if self.screen == "canvas":
            box = self._box((10, 100, 60, 150))
            draw.ellipse((box.left, box.top, box.right - 1, box.bottom - 1), fill="red")
        file = io.BytesIO()
        image.save(file, "PNG")
        return Screenshot(file.getvalue(), "image/png", *self.size)

    def foreground(self) -> Foreground:
        return Foreground(CHAT, f".{self.screen.title()}Activity")

    def observe(self, *, settle: bool = True, elements: bool = True) -> Observation:
        self._maybe_fail("observe")
        hidden = self.messages
        if self.slow_looks > 0:
            self.slow_looks -= 1
            self.messages = []
        seen = Observation(
            self.screenshot(), self.foreground(), self.elements() if elements else None, keyboard_shown=bool(self.focus)
        )
        self.messages = hidden
        return seen

    # -- touching --------------------------------------------------------------------------------------------------------

    def tap(self, x: int, y: int) -> None:
        self._maybe_fail("tap")
        self.log.append(f"tap {x},{y}")
        hits = [row for row in self.layout() if "go" in row and self._box(row["b"]).contains(x, y)]
        if hits and not self.dead:
            self._go(*hits[-1]["go"])

    def _go(self, what: str, name: str = "") -> None:
        if what == "open":
            self.screen, self.contact = "chat", name
        elif what == "login":
            self.screen = "login"
        elif what == "mute":
            self.muted = not self.muted
        elif what == "focus":
            self.focus = name
        elif what == "home":
            self.screen = "list"
        elif what == "send":
            if self.typed and not self.lose:
                self.messages.append(self.typed)
            self.typed = ""

    def double_tap(self, x: int, y: int) -> None:
        self.tap(x, y)

    def long_press(self, x: int, y: int, duration_s: float = 0.8) -> None:
        self.tap(x, y)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_s: float = 0.3) -> None:
        self.log.append(f"swipe {x1},{y1} {x2},{y2}")
        if not self.dead:
            last = max(0, len(self.contacts) - self.rows)
            self.offset = max(0, min(last, self.offset + (self.rows - 1 if y2 < y1 else 1 - self.rows)))

    def press(self, key: Key) -> None:
        self.log.append(f"press {key}")
        if key == "back" and not self.dead:
            self.screen, self.focus = "list", ""

    def type_text(self, text: str, *, clear: bool = False) -> None:
        self._maybe_fail("type_text")
        self.log.append(f"type {text}")
        if self.focus == "secret":
            self.password = text
        else:
            self.typed = text if clear else self.typed + text

    def clear_text(self) -> None:
        self.typed = ""

    def start_app(self, app: str) -> None:
        self.log.append(f"start {app}")
        self.screen, self.focus, self.typed = "list", "", ""

    def stop_app(self, package: str) -> None:
        self.log.append(f"stop {package}")

    def clear_app(self, package: str) -> None:
        self.messages = []

    def open_link(self, url: str, package: str = "") -> None:
        self.log.append("open_link " + " ".join((url, package)))

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        self.log.append("install " + " ".join(map(str, paths)))

    def uninstall(self, package: str) -> None:
        self.log.append("uninstall " + " ".join((package,)))

    def grant(self, package: str, permission: str) -> None:
        self.log.append("grant " + " ".join((package, permission)))

    def revoke(self, package: str, permission: str) -> None:
        self.log.append("revoke " + " ".join((package, permission)))

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        self.settings[f"{namespace}/{key}"] = value

    # -- telling ---------------------------------------------------------------------------------------------------------

    def setting(self, namespace: str, key: str) -> str | None:
        return self.settings.get(f"{namespace}/{key}")

    def app_version(self, package: str) -> str | None:
        return "4.2.1" if package == CHAT else None

    def logcat(self, *, since_s: float | None = None) -> str:
        return "11-30 10:00:00.0  1  1 I Chat: hello\n"

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        self._maybe_fail("crashes")
        return (Crash("org.example.other", "anr", f"ANR since {since_s:g}"),)

    def clock_s(self) -> float:
        return 1_764_500_000.25

    def began_s(self) -> float:
        return 1_764_499_990.5

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        self._maybe_fail("query_database")
        return ((1, "你好\n", 2.5, None), (2, sql, -1, 10**15))

    def shell(self, arguments: Sequence[str], *, timeout_s: float | None = None) -> ShellResult:
        return ShellResult(" ".join(arguments), "", 0)

    def _maybe_fail(self, what: str) -> None:
        if what in self.fail:
            raise self.fail.pop(what)


@dataclass
class Model:
    """A `ChatModel` that answers by a function of the request and counts its calls."""

    answer: Callable[[ChatRequest], str]
    name: str = "scripted-model"
    calls: int = 0

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        self.calls += 1
        content = self.answer(request)
        return ChatReply(content, "because", model="scripted-model-2024", usage=Usage(100, 20, 5))


Step = tuple[Any, ...]


def settings(**changed: Any) -> Settings:
    """Settings for tests: nothing of the environment but what is given."""
    environment = changed.pop("environment", {})
    values = {"phone_app": CHAT, "phone_settle_timeout": 1.0, **changed}
    return resolve(lambda name: values.get(name), lambda name: None, environment)


class Miniature:
    """What executor, planner and verifier do, on one page: looks, asks, acts, looks again, judges.

    Args:
        root: a directory; the test file would lie in it.
        mode: of the recording.
        phone: None when offline.
    """

    def __init__(self, root: Path, mode: str, phone: Phone | None, model: Model | None = None, *, name: str = "test_it",
                 parameters: str = "", secrets: Sequence[str] = (), **changed: Any) -> None:  # fmt: skip
        self.place = Place()
        self.bus = EventBus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)
        self.slept = 0
        self.test = TestName(root / "test_chat.py", name, "", parameters)
        self.path = cassette_path(self.test)
        self.session: RecordingSession = open_recording(
            mode, self.path, place=self.place, bus=self.bus, settings=settings(**changed), test=self.test, secrets=secrets,
            sleep=self._sleep,
        )  # fmt: skip
        self.device = self.session.device("A", phone)
        self.executor = self.session.model("executor", model)
        self.verifier = self.session.model("verifier", model)
        self.size = phone.size if phone else (0, 0)

    def _sleep(self, seconds: float) -> None:
        self.slept += 1

    def run(self, number: int, goal: str, steps: int, expect: Sequence[str] = (), prompt: str = "Do it.") -> str:
        """Carries a goal through in so many steps and returns what the verifier said."""
        self.bus.emit(RunStarted(run=number, verb="run", subject=goal, expectations=tuple(expect)))
        seen = self.look("executor", number, "s1", 1)
        for step in range(1, steps + 1):
            reply = self.ask(self.executor, Seat("executor", "act", number, "s1", step, 1, "mini"), goal, seen, prompt)
            with self.place.at(actor="executor", run=number, subtask="s1", step=step):
                self.act(json.loads(reply.content), seen)
            seen = self.look("executor", number, "s1", step + 1)
        final = self.look("verifier", number, "", 1)
        said = self.ask(self.verifier, Seat("verifier", "judge", number), goal, final, prompt).content
        self.bus.emit(VerdictGiven(run=number, verb="run", verdict={"status": "passed", "code": "PASSED", "reason": said}))
        return said

    def look(self, actor: str, run: int, subtask: str, step: int) -> Observation:
        with self.place.at(actor=actor, run=run, subtask=subtask, step=step):
            return self.device.observe()

    def ask(self, model: Any, seat: Seat, subject: str, seen: Observation, prompt: str) -> ChatReply:
        picture = ImagePart(seen.screenshot.data, seen.screenshot.media_type, *seen.size)
        message = ChatMessage("user", (picture, TextPart(f"{prompt} {subject}")))
        reply: ChatReply = model.complete(ChatRequest(seat, (message,), subject=subject))
        return reply

    def act(self, action: Mapping[str, Any], seen: Observation) -> None:
        """Thousandths in the reply become pixels of the screen that is seen."""
        width, height = seen.size
        match action["do"]:
            case "tap":
                self.device.tap(action["x"] * width // 1000, action["y"] * height // 1000)
            case "type":
                self.device.type_text(action["text"])
            case "swipe":
                self.device.swipe(width // 2, action["y1"] * height // 1000, width // 2, action["y2"] * height // 1000)
            case "press":
                self.device.press(action["key"])
            case "nothing":
                pass
            case other:
                raise DeviceError(f"unknown action {other}")

    def finish(self, *, passed: bool = True) -> RecordingSummary:
        return self.session.finish(passed=passed)


SEND: tuple[dict[str, Any], ...] = (
    {"do": "tap", "x": 450, "y": 165},
    {"do": "tap", "x": 300, "y": 800},
    {"do": "type", "text": "明天下午两点开会 😀"},
    {"do": "tap", "x": 860, "y": 800},
)
"""Opens the chat with 张三, types a message and sends it."""


def script(steps: Sequence[Mapping[str, Any]], verdict: str = "it is sent") -> Model:
    """A model that plays these steps as executor and says `verdict` as verifier."""

    def answer(request: ChatRequest) -> str:
        if request.seat.role == "verifier":
            return verdict
        return json.dumps(steps[request.seat.step - 1], ensure_ascii=False)

    return Model(answer)


def record_send(root: Path, phone: Phone | None = None, goal: str = "给张三发送消息", **changed: Any) -> Miniature:
    """Records the sending of a message and leaves the cassette in `root`."""
    mini = Miniature(root, "record", phone or Phone(), script(SEND), **changed)
    mini.device.start_app(CHAT)
    mini.run(1, goal, len(SEND), ["the message stands there"])
    mini.finish()
    return mini


def play_send(root: Path, mode: str, phone: Phone | None = None, goal: str = "给张三发送消息", **changed: Any) -> Miniature:
    """Plays what `record_send` recorded."""
    mini = Miniature(root, mode, phone, None, **changed)
    mini.device.start_app(CHAT)
    mini.run(1, goal, len(SEND), ["the message stands there"], prompt="Please do this now:")
    return mini
