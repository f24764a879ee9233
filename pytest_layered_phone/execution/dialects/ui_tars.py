"""The UI-TARS dialects: `Thought: …` and `Action: click(start_box='(x,y)')`, in three coordinate profiles.

UI-TARS 1.0 answers in thousandths, UI-TARS 1.5 in pixels of the picture as its processor sizes it, Doubao and Seed in
thousandths with `<point>` marks, or with calls in XML. The space cannot be seen from a reply: it belongs to the profile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.calls import find_calls
from pytest_layered_phone.execution.dialects.coordinates import Resize, Size, Space, point
from pytest_layered_phone.execution.dialects.literals import Call
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import end_stands_alone, first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, Body, last_answer, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import functions_in, read_arguments
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatReply

WAIT_S = 5.0

_KEYS: dict[str, frozenset[str]] = {
    "click": frozenset({"start_box"}),
    "left_single": frozenset({"start_box"}),
    "left_double": frozenset({"start_box"}),
    "double_click": frozenset({"start_box"}),
    "long_press": frozenset({"start_box", "time"}),
    "type": frozenset({"content"}),
    "scroll": frozenset({"start_box", "end_box", "direction"}),
    "drag": frozenset({"start_box", "end_box"}),
    "open_app": frozenset({"app_name"}),
    "press_home": frozenset(),
    "press_back": frozenset(),
    "press_enter": frozenset(),
    "wait": frozenset({"time"}),
    "finished": frozenset({"content"}),
    "call_user": frozenset({"content"}),
}  # fmt: skip
_UNSUPPORTED = frozenset({"hotkey", "right_single", "hover", "press", "release", "mouse_move"})
_NAMES = tuple(sorted({*_KEYS, *_UNSUPPORTED}, key=len, reverse=True))
_ARGUMENT_ALIASES = {
    "point": "start_box", "start_point": "start_box", "end_point": "end_box", "text": "content", "app": "app_name",
    "bbox": "start_box",
}  # fmt: skip
_LABEL = re.compile(r"^[ \t]*(?:<\w+>[ \t]*)?(?:\*\*)?Action(?:\*\*)?\s*[:：]", re.MULTILINE)
_PROSE = re.compile(r"^\s*(?:Thought|Reflection|Action_Summary)\s*[:：]\s*", re.MULTILINE)
_MARKS = re.compile(r"<\|[^|<>]{1,40}\|>|</?(?:point|bbox)>")
_OTHER_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*[(（]")


@dataclass(frozen=True)
class Profile:
    """`resize`: pixels of the picture in that size; None: thousandths. `seed`: `<point>` marks, XML calls and `<answer>`."""

    name: str
    resize: Resize | None = None
    seed: bool = False

    def space(self, screen: Size) -> Space:
        return Space.thousandths() if self.resize is None else Space.picture(*self.resize.size(screen))


UI_TARS = Profile("ui_tars")
UI_TARS_1_5 = Profile("ui_tars_1_5", Resize(28, 78_400, 12_845_056))
SEED = Profile("seed", seed=True)


class UiTarsDialect(WrittenDialect):
    """One profile of the UI-TARS dialect."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(
            profile.name,
            "seed" if profile.seed else "ui_tars",
            "one line `Thought: ...` and one line `Action: ...` with exactly one action of the list",
            resize=profile.resize,
            task="## User Instruction\n{}",
            max_tokens=1000,
        )
        self._profile = profile

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the action of a reply, or several that stand one below the other.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            cut = reply.finish_reason == "length"
            thought = without_tags(reply.content[:LONGEST_REPLY])
            given = [(call.name, read_arguments(call.arguments, cut=cut)) for call in reply.tool_calls]
            if any(arguments.open_end for _, arguments in given):
                raise problem("TRUNCATED", "the arguments break off")
            calls = [Call(name, (), arguments.values) for name, arguments in given]
        else:
            thought, calls = self._written(reply)
        read = tuple(_action(call, self._profile.space(observation.size), observation.size) for call in calls)
        end_stands_alone(read)
        return ParsedReply(joined(reply.reasoning, _PROSE.sub("", thought)), read)

    def _written(self, reply: ChatReply) -> tuple[str, list[Call]]:
        text = written(reply)
        not_cut(reply)
        return first_readable(text, self._read)

    def _read(self, body: Body) -> tuple[str, list[Call]]:
        text = body.text
        if self._profile.seed and (tagged := functions_in(text)):
            if text.rfind("</") < body.must_reach:
                raise problem("NO_ACTION", "the call stands inside of the thought")
            before = text.split("<function=")[0]
            return f"{body.thinking}\n{without_tags(before)}".strip(), [Call(name, (), given.values) for name, given in tagged]
        label = _LABEL.search(text)
        start = label.end() if label is not None else 0
        try:
            found = find_calls(text[start:], _NAMES, frozenset(), lambda call: call.name == "finished", several=True)
        except ParseError as error:
            if error.code != "NO_ACTION":
                raise
            if self._profile.seed and label is None and (answer := last_answer(text)) is not None and not body.must_reach:
                return body.thinking, [Call("finished", (), {"content": answer})]
            if label is not None and (other := _OTHER_CALL.match(text, start)) is not None:
                if other.group(1) in _NAMES:
                    raise problem("MALFORMED", "arguments need their names") from None
                raise problem("UNKNOWN_ACTION", f"there is no action {other.group(1)[:40]!r}") from None
            raise
        if start + found.end < body.must_reach:
            raise problem("NO_ACTION", "the action stands inside of the thought")
        before = text[: label.start()] if label is not None else found.before
        return "\n".join(part for part in (body.thinking, without_tags(before)) if part), list(found.calls)


def _action(call: Call, space: Space, screen: Size) -> actions.Action:
    """The canonical action of one call. Every argument is checked."""
    name = call.name
    if name in _UNSUPPORTED:
        raise problem("UNSUPPORTED_ACTION", f"{name} does not exist on a touch screen")
    if name not in _KEYS:
        raise problem("UNKNOWN_ACTION", f"there is no action {name[:40]!r}")
    if call.positional:
        raise problem("MALFORMED", "arguments need their names")
    values: dict[str, object] = {}
    for key, value in call.keywords.items():
        own = _ARGUMENT_ALIASES.get(key, key)
        if own in values and values[own] != value:
            raise problem("AMBIGUOUS", f"{own} is given twice")
        if own not in _KEYS[name] and value not in (None, ""):
            raise problem("UNKNOWN_KEY", f"{name} takes no argument {key[:40]!r}")
        values[own] = value
    return _build(name, values, space, screen)


def _build(name: str, values: dict[str, object], space: Space, screen: Size) -> actions.Action:
    def place(what: str) -> tuple[int, int]:
        value = values.get(what)
        return point(_MARKS.sub(" ", value) if isinstance(value, str) else value, space, screen, what)

    if name in ("click", "left_single"):
        x, y = place("start_box")
        return actions.Tap(x=x, y=y)
    if name in ("left_double", "double_click"):
        x, y = place("start_box")
        return actions.DoubleTap(x=x, y=y)
    if name == "long_press":
        x, y = place("start_box")
        held = arguments.seconds(values.get("time") or None, "time", default=0.8)
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, held))
    if name in ("scroll", "drag"):
        x1, y1 = gestures.middle(screen) if _scrolls_all(name, values) else place("start_box")
        if name == "scroll" and not values.get("end_box"):
            # `direction` is the side to reveal.
            return gestures.content(values.get("direction"), (x1, y1), screen)
        x2, y2 = place("end_box")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if name == "type":
        typed = arguments.text(values.get("content"), "content")
        return actions.TypeText(text=typed.removesuffix("\n"), submit=typed.endswith("\n"))
    if name == "open_app":
        return actions.Launch(app=arguments.required_text(values.get("app_name"), "app_name").strip())
    if name in ("press_home", "press_back", "press_enter"):
        return actions.Press.model_validate({"key": name.removeprefix("press_")})
    if name == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("time") or None, "time", default=WAIT_S))
    content = arguments.text(values.get("content"), "content", default="")
    if name == "call_user":
        return actions.TakeOver(message=content)
    return actions.Finish(message=content, success=arguments.claimed_success(content))


def _scrolls_all(name: str, values: dict[str, object]) -> bool:
    return name == "scroll" and not values.get("start_box") and not values.get("end_box")


def ui_tars() -> UiTarsDialect:
    return UiTarsDialect(UI_TARS)


def ui_tars_1_5() -> UiTarsDialect:
    return UiTarsDialect(UI_TARS_1_5)


def seed() -> UiTarsDialect:
    return UiTarsDialect(SEED)
