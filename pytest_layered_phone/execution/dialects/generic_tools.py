"""Native tool calls for general models: an element by its index, or a point in thousandths of the screen."""

from __future__ import annotations

from typing import Any

from pytest_layered_phone.devices.types import Bounds, Observation, Screenshot
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, Perception, Sampling, arguments, pictures, showing
from pytest_layered_phone.execution.dialects.calls import find_calls
from pytest_layered_phone.execution.dialects.coordinates import Space, number
from pytest_layered_phone.execution.dialects.elements import visible
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, bodies, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import Arguments, objects_in, read_arguments
from pytest_layered_phone.models.types import ChatMessage, ChatReply, ImagePart, TextPart, ToolSpec

SPACE = Space.thousandths(1000)
LONGEST_SIDE = 1600
LONGEST_KEPT = 2000

_KEYS = ("back", "home", "recents", "enter", "delete", "tab", "escape", "search", "menu")
_FINGER = {
    "down": (0.5, 0.7, 0.5, 0.3),
    "up": (0.5, 0.3, 0.5, 0.7),
    "right": (0.7, 0.5, 0.3, 0.5),
    "left": (0.3, 0.5, 0.7, 0.5),
}
_ALIASES = {
    "click": "tap", "double_click": "double_tap", "type": "type_text", "input_text": "type_text", "launch_app": "launch",
    "open_app": "launch", "press_key": "press",
}  # fmt: skip
_ARGUMENT_ALIASES = {
    "start_x": "x1", "start_y": "y1", "end_x": "x2", "end_y": "y2", "app_name": "app", "index": "element",
    "element_index": "element", "duration_s": "duration",
}  # fmt: skip
_COMMENTS = frozenset({"reason", "thought", "intent"})
_AT = frozenset({"element", "x", "y"})
_ALLOWED: dict[str, frozenset[str]] = {
    "tap": _AT | {"sensitive"},
    "double_tap": _AT,
    "long_press": _AT | {"duration", "seconds"},
    "swipe": frozenset({"x1", "y1", "x2", "y2", "duration"}),
    "scroll": frozenset({"direction", "element"}),
    "type_text": _AT | {"text", "clear", "submit"},
    "press": frozenset({"key"}),
    "back": frozenset(),
    "home": frozenset(),
    "launch": frozenset({"app"}),
    "wait": frozenset({"seconds", "duration"}),
    "ask_user": frozenset({"message"}),
    "finish": frozenset({"success", "message"}),
}  # fmt: skip
_NAMES = tuple(sorted({*_ALLOWED, *_ALIASES}, key=len, reverse=True))


def _spec(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": list(required)})


_ELEMENT = {"type": "integer", "description": "Number in brackets of the element in the list"}
_X = {"type": "integer", "description": "From the left edge, 0 to 1000 over the width of the screen"}
_Y = {"type": "integer", "description": "From the top edge, 0 to 1000 over the height of the screen"}

TOOLS: tuple[ToolSpec, ...] = (
    _spec(
        "tap",
        "Taps an element of the list, or the point x, y where the list does not have it.",
        element=_ELEMENT,
        x=_X,
        y=_Y,
        sensitive={"type": "string", "description": "Why this tap cannot be undone or costs money; leave out otherwise"},
    ),
    _spec("double_tap", "Taps an element or a point twice.", element=_ELEMENT, x=_X, y=_Y),
    _spec("long_press", "Keeps a finger on an element or a point.", element=_ELEMENT, x=_X, y=_Y, seconds={"type": "number"}),
    _spec("swipe", "Moves a finger from x1, y1 to x2, y2.", ("x1", "y1", "x2", "y2"), x1=_X, y1=_Y, x2=_X, y2=_Y),
    _spec(
        "scroll",
        "Shows more of the screen, or of one element: down shows what is further down.",
        ("direction",),
        direction={"type": "string", "enum": ["up", "down", "left", "right"]},
        element=_ELEMENT,
    ),
    _spec(
        "type_text",
        "Types into the field that has the focus, or into the element or point given.",
        ("text",),
        text={"type": "string"},
        clear={"type": "boolean", "description": "Empty the field first"},
        submit={"type": "boolean", "description": "Press enter afterwards"},
        element=_ELEMENT,
        x=_X,
        y=_Y,
    ),
    _spec("press", "Presses a key of the phone.", ("key",), key={"type": "string", "enum": list(_KEYS)}),
    _spec("launch", "Starts an app by the name that the launcher shows.", ("app",), app={"type": "string"}),
    _spec("wait", "Waits while a page is loading.", ("seconds",), seconds={"type": "number"}),
    _spec("ask_user", "Asks a person for what only a person can do or know.", ("message",), message={"type": "string"}),
    _spec(
        "finish",
        "Ends. success tells whether the whole task is done and seen; begin the message with `not found:` or `blocked:` where "
        "that is why it is not.",
        ("success", "message"),
        success={"type": "boolean"},
        message={"type": "string"},
    ),
)


class GenericToolsDialect:
    """Any model that takes tools. It is shown the element list beside the picture; one call a reply is asked for."""

    name = "generic_tools"
    default_perception: Perception = "both"

    def system_prompt(self, language: str) -> str:
        return showing.prompt("generic_tools", language)

    def tools(self) -> tuple[ToolSpec, ...]:
        return TOOLS

    def sampling(self) -> Sampling:
        return Sampling(max_tokens=2000)

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        return pictures.jpeg(screenshot, longest_side=LONGEST_SIDE)

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return showing.first_message(instruction, observation, perception, self.image_part)

    def next_message(self, observation: Observation, perception: str, result: str) -> ChatMessage:
        return showing.next_message(observation, perception, result, self.image_part)

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        """The calls stay native; the seam to the models answers those that no tool message answers."""
        text = thinking if reply.tool_calls else reply.content
        parts = (TextPart(text[:LONGEST_KEPT]),) if text.strip() else ()
        return ChatMessage("assistant", parts, reply.tool_calls)

    def repair_message(self, reason: str) -> ChatMessage:
        return ChatMessage.of(
            "user",
            f"Your last reply could not be carried out: {reason}. Nothing was done. Reply again with exactly one tool call.",
        )

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the native calls; without any, one call that stands in the text.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        cut = reply.finish_reason == "length"
        if reply.tool_calls:
            thinking = [reply.reasoning.strip(), without_tags(reply.content[:LONGEST_REPLY])]
            found = [(call.name, read_arguments(call.arguments, cut=cut)) for call in reply.tool_calls]
        else:
            thought, found = _written(reply, cut=cut)
            thinking = [reply.reasoning.strip(), thought]
        read = tuple(_action(name, given, observation) for name, given in found)
        if len(read) > 1 and any(isinstance(action, actions.Finish) for action in read):
            raise problem("AMBIGUOUS", "finish stands together with an action; give exactly one call")
        return ParsedReply("\n".join(part for part in thinking if part), read)


def _written(reply: ChatReply, *, cut: bool) -> tuple[str, list[tuple[str, Arguments]]]:
    """Calls that a server without a tool parser left in the text: `tap(x=1, y=2)`, or a JSON object with name and arguments."""
    content = reply.content
    if not content.strip():
        raise problem("EMPTY", "the reply holds neither a tool call nor text")
    if len(content) > LONGEST_REPLY:
        raise problem("MALFORMED", "the reply is far too long")
    if cut:
        raise problem("TRUNCATED", "the reply was cut off")
    first: ParseError | None = None
    for body in bodies(content):
        try:
            if listed := objects_in(body.text[body.must_reach :]):
                return body.thinking, listed
            found = find_calls(body.text, _NAMES, frozenset(), lambda call: call.name == "finish")
            if found.end < body.must_reach:
                raise problem("NO_ACTION", "the call stands inside of the thought")
        except ParseError as error:
            first = first or error
            continue
        if found.call.positional:
            raise problem("MALFORMED", "arguments need their names")
        before = "\n".join(part for part in (body.thinking, without_tags(found.before)) if part)
        return before, [(found.call.name, Arguments(found.call.keywords))]
    assert first is not None
    raise first


def _action(name: str, given: Arguments, observation: Observation) -> actions.Action:
    """The canonical action of one call. Every argument is checked."""
    tool = _ALIASES.get(name, name)
    allowed = _ALLOWED.get(tool)
    if allowed is None:
        raise problem("UNKNOWN_CALL", f"there is no tool {name[:40]!r}; use one of {', '.join(_ALLOWED)}")
    values: dict[str, object] = {}
    for key, value in given.values.items():
        own = _ARGUMENT_ALIASES.get(key, key)
        if own in values and values[own] != value:
            raise problem("AMBIGUOUS", f"{own} is given twice")
        if own not in allowed | _COMMENTS:
            raise problem("UNKNOWN_KEY", f"{tool} has no argument {key[:40]!r}")
        values[own] = value
    if given.last_number is not None and given.last_number * 10 <= SPACE.width:
        raise problem("TRUNCATED", "the arguments break off in a number")
    if given.open_end and tool in ("type_text", "finish", "ask_user", "launch"):
        raise problem("TRUNCATED", "the arguments break off")
    return _build(tool, values, observation)


def _build(tool: str, values: dict[str, object], observation: Observation) -> actions.Action:
    screen = observation.size
    if tool in ("tap", "double_tap", "long_press"):
        x, y = _place(values, observation)
        if tool == "tap":
            return actions.Tap(x=x, y=y, sensitive=arguments.text(values.get("sensitive"), "sensitive", default=""))
        if tool == "double_tap":
            return actions.DoubleTap(x=x, y=y)
        held = values.get("seconds", values.get("duration"))
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, arguments.seconds(held, "seconds", default=0.8)))
    if tool == "swipe":
        x1, y1 = SPACE.to_screen(number(values.get("x1"), "x1"), number(values.get("y1"), "y1"), screen)
        x2, y2 = SPACE.to_screen(number(values.get("x2"), "x2"), number(values.get("y2"), "y2"), screen)
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if tool == "scroll":
        return _scroll(values, observation)
    if tool == "type_text":
        typed = actions.TypeText(
            text=arguments.text(values.get("text"), "text"),
            clear=arguments.flag(values.get("clear"), "clear"),
            submit=arguments.flag(values.get("submit"), "submit"),
        )
        if all(values.get(key) is None for key in _AT):
            return typed
        x, y = _place(values, observation)
        return typed.model_copy(update={"x": x, "y": y})
    if tool in ("back", "home"):
        return actions.Press(key="back" if tool == "back" else "home")
    if tool == "press":
        key = arguments.required_text(values.get("key"), "key").strip().lower()
        match = next((known for known in _KEYS if known == key), None)
        if match is None:
            raise problem("UNKNOWN_ACTION", f"there is no key {key[:40]!r}; use one of {', '.join(_KEYS)}")
        return actions.ACTION.validate_python({"kind": "press", "key": match})
    if tool == "launch":
        return actions.Launch(app=arguments.required_text(values.get("app"), "app").strip())
    if tool == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("seconds", values.get("duration")), "seconds", default=1.0))
    message = arguments.text(values.get("message"), "message", default="")
    if tool == "ask_user":
        return actions.TakeOver(message=message)
    success = None if values.get("success") is None else arguments.flag(values["success"], "success")
    if arguments.claimed_success(message) is False:
        success = False
    return actions.Finish(message=message, success=success)


def _place(values: dict[str, object], observation: Observation) -> tuple[int, int]:
    element, x, y = (values.get(key) for key in ("element", "x", "y"))
    if element is not None and (x is not None or y is not None):
        raise problem("AMBIGUOUS", "give either element, or x and y")
    if element is not None:
        return visible(element, observation).center
    if x is None and y is None:
        raise problem("MISSING_ARGUMENT", "element, or x and y, are missing")
    return SPACE.to_screen(number(x, "x"), number(y, "y"), observation.size)


def _scroll(values: dict[str, object], observation: Observation) -> actions.Swipe:
    direction = arguments.required_text(values.get("direction"), "direction").strip().lower()
    if direction not in _FINGER:
        raise problem("BAD_ARGUMENT", "direction must be up, down, left or right")
    width, height = observation.size
    area = Bounds(0, 0, width, height) if values.get("element") is None else visible(values["element"], observation)
    x1, y1, x2, y2 = _FINGER[direction]
    return actions.Swipe(
        x1=min(width - 1, round(area.left + x1 * area.width)),
        y1=min(height - 1, round(area.top + y1 * area.height)),
        x2=min(width - 1, round(area.left + x2 * area.width)),
        y2=min(height - 1, round(area.top + y2 * area.height)),
    )
