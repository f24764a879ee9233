"""The dialect of the AutoGLM phone models: `do(action="Tap", element=[x, y])` and `finish(message="...")` as text."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, Perception, Sampling, arguments, pictures, showing
from pytest_layered_phone.execution.dialects.calls import find_calls
from pytest_layered_phone.execution.dialects.coordinates import Space, point
from pytest_layered_phone.execution.dialects.literals import Call, Name, Scanner
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, Body, bodies, without_tags
from pytest_layered_phone.models.types import ChatMessage, ChatReply, ImagePart, TextPart, ToolSpec

SPACE = Space.thousandths(1000)
MOST_BYTES_AS_TAKEN = 400_000
LONGEST_KEPT = 2000

_CALLS = ("do", "finish", "info")
_ALIASES = {
    "click": "tap", "doubleclick": "doubletap", "longclick": "longpress", "typename": "type", "input": "type",
    "open": "launch", "openapp": "launch", "goback": "back", "gohome": "home",
}  # fmt: skip
_TOUCHES = ("tap", "doubletap", "longpress")
_KEYS: dict[str, frozenset[str]] = {
    "launch": frozenset({"app"}),
    "tap": frozenset({"element", "coordinate"}),
    "doubletap": frozenset({"element", "coordinate"}),
    "longpress": frozenset({"element", "coordinate"}),
    "type": frozenset({"text", "element", "coordinate"}),
    "swipe": frozenset({"start", "end"}),
    "back": frozenset(),
    "home": frozenset(),
    "wait": frozenset({"duration"}),
    "takeover": frozenset(),
    "interact": frozenset(),
    "note": frozenset(),
    "callapi": frozenset({"instruction"}),
    "finish": frozenset(),
}  # fmt: skip
_INSIDE = frozenset({
    "Tap", "Click", "DoubleTap", "Double_Tap", "LongPress", "Long_Press", "Type", "Type_Name", "Swipe", "Launch", "Wait",
    "Take_over", "Interact", "Note", "Call_API", "Back", "Home",
})  # fmt: skip
_HARMLESS = frozenset({"action", "message", "reason", "thought"})


class AutoGlmDialect:
    """AutoGLM-Phone and general models under its prompt. Coordinates 0 to 999 in thousandths; the picture in its own size."""

    name = "autoglm"
    default_perception: Perception = "screen"

    def system_prompt(self, language: str) -> str:
        return showing.prompt("autoglm", language)

    def tools(self) -> tuple[ToolSpec, ...]:
        return ()

    def sampling(self) -> Sampling:
        return Sampling(top_p=0.85, frequency_penalty=0.2, max_tokens=3000)

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        return pictures.as_taken(screenshot, most_bytes=MOST_BYTES_AS_TAKEN)

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return showing.first_message(instruction, observation, perception, self.image_part)

    def next_message(self, observation: Observation, perception: str, result: str) -> ChatMessage:
        return showing.next_message(observation, perception, result, self.image_part)

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        """Past replies stand in the history as thought and answer, whatever the server made of their tags."""
        content = reply.content or "".join(f"{call.name}({call.arguments})" for call in reply.tool_calls)
        body = next(bodies(content[-LONGEST_REPLY:]))
        answer = re.sub(r"</?(?:answer|ans)>", "", without_tags(body.text), flags=re.IGNORECASE).strip()[-LONGEST_KEPT:]
        thought = (thinking or body.thinking)[:LONGEST_KEPT]
        return ChatMessage("assistant", (TextPart(f"<think>{thought}</think><answer>{answer}</answer>"),))

    def repair_message(self, reason: str) -> ChatMessage:
        return ChatMessage.of(
            "user",
            f"Your last reply could not be carried out: {reason}. Nothing was done. Reply again with exactly one action: "
            '<think>why</think><answer>do(action="...", ...)</answer> or <answer>finish(message="...")</answer>.',
        )

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads a reply. `finish` never wins over an action, and what stands in the thought is never an action.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            return self._native(reply, observation)
        content = reply.content
        if not content.strip():
            raise problem("EMPTY", "the reply holds no text besides its reasoning" if reply.reasoning else "the reply is empty")
        if len(content) > LONGEST_REPLY:
            raise problem("MALFORMED", "the reply is far too long")
        cut = reply.finish_reason == "length"
        first: ParseError | None = None
        for body in bodies(content):
            try:
                return self._read(body, reply.reasoning, observation, cut=cut)
            except ParseError as error:
                first = first or error
        assert first is not None
        raise first

    def _read(self, body: Body, reasoning: str, observation: Observation, *, cut: bool) -> ParsedReply:
        if not body.text.strip():
            raise problem("TRUNCATED" if cut else "NO_ACTION", "the reply ends with its thought; no action follows")
        try:
            found = find_calls(body.text, _CALLS, _INSIDE, _is_end)
        except ParseError as error:
            if cut and error.code == "NO_ACTION":
                raise problem("TRUNCATED", "the reply was cut off before its action") from None
            if error.code == "NO_ACTION" and _looks_like_action(body.text):
                raise problem("MALFORMED", "the action is not written as do(action=...) or finish(message=...)") from None
            raise
        if found.end < body.must_reach:
            raise problem("NO_ACTION", "the action stands inside of the thought")
        if cut and not re.match(r"\s*(?:<\|[^|]*\|>\s*)?</", body.text[found.call.end :]):
            raise problem("TRUNCATED", "the reply was cut off; it may have gone on")
        thinking = "\n".join(part for part in (reasoning.strip(), body.thinking, without_tags(found.before)) if part)
        return ParsedReply(thinking, (_action(found.call, observation.size),))

    def _native(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """A server's tool parser may have moved the call into a field of its own."""
        if len(reply.tool_calls) != 1:
            raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
        native = reply.tool_calls[0]
        if native.name not in _CALLS:
            raise problem("UNKNOWN_CALL", f"there is no call {native.name!r}; use do or finish")
        scanner = Scanner(native.arguments or "{}")
        keywords = scanner.object()
        if scanner.missing or not scanner.at_end():
            raise problem("TRUNCATED" if scanner.missing else "MALFORMED", "the arguments of the call are not one object")
        thinking = "\n".join(part for part in (reply.reasoning.strip(), without_tags(reply.content)) if part)
        return ParsedReply(thinking, (_action(Call(native.name, (), keywords), observation.size),))


def _is_end(call: Call) -> bool:
    named = call.keywords.get("action")
    return call.name == "finish" or (isinstance(named, (str, Name)) and arguments.action_name(named) == "finish")


def _looks_like_action(text: str) -> bool:
    return re.search(r"['\"]?action['\"]?\s*[=:]|\[\s*\{|^\s*[\[{]", text) is not None


def _action(call: Call, screen: tuple[int, int]) -> actions.Action:
    """The canonical action of a call. Every argument is checked."""
    if call.name == "finish":
        return _finish(call)
    if call.name == "info":
        _check_keys(call, frozenset({"question"}))
        return actions.TakeOver(message=arguments.required_text(call.keywords.get("question"), "question"))
    keywords = dict(call.keywords)
    if call.positional:
        raise problem("MALFORMED", 'arguments need their names: do(action="...", ...)')
    named = keywords.get("action")
    if isinstance(named, Call):
        if named.positional:
            raise problem("MALFORMED", 'arguments need their names: do(action="...", ...)')
        if set(named.keywords) & set(keywords):
            raise problem("AMBIGUOUS", "an argument is given twice")
        keywords = {**keywords, **named.keywords, "action": named.name}
    name = arguments.action_name(keywords.get("action"))
    name = _ALIASES.get(name, name)
    if name not in _KEYS:
        shown = keywords["action"].text if isinstance(keywords["action"], Name) else keywords["action"]
        raise problem("UNKNOWN_ACTION", f"there is no action {str(shown)[:40]!r}")
    call = Call(call.name, (), keywords)
    _check_keys(call, _KEYS[name])
    if name == "finish":
        return _finish(call)
    return _do(name, keywords, screen)


def _do(name: str, keywords: dict[str, object], screen: tuple[int, int]) -> actions.Action:
    message = arguments.text(keywords.get("message"), "message", default="")
    if name in _TOUCHES:
        x, y = point(_target(keywords), SPACE, screen)
        if name == "tap":
            return actions.Tap(x=x, y=y, sensitive=message)
        if name == "doubletap":
            return actions.DoubleTap(x=x, y=y, sensitive=message)
        return actions.LongPress(x=x, y=y, sensitive=message)
    if name == "type":
        typed = arguments.text(keywords.get("text"), "text")
        target = _target(keywords)
        if target is None:
            return actions.TypeText(text=typed, clear=True, sensitive=message)
        x, y = point(target, SPACE, screen)
        return actions.TypeText(text=typed, clear=True, x=x, y=y, sensitive=message)
    if name == "swipe":
        x1, y1 = point(keywords.get("start"), SPACE, screen, "start")
        x2, y2 = point(keywords.get("end"), SPACE, screen, "end")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2, sensitive=message)
    if name == "launch":
        return actions.Launch(app=arguments.required_text(keywords.get("app"), "app").strip(), sensitive=message)
    if name == "wait":
        return actions.Wait(seconds=arguments.seconds(keywords.get("duration"), "duration", default=1.0))
    if name == "back":
        return actions.Press(key="back")
    if name == "home":
        return actions.Press(key="home")
    if name == "note":
        return actions.Note(text=message)
    if name == "callapi":
        return actions.Note(text=arguments.text(keywords.get("instruction"), "instruction", default=message))
    return actions.TakeOver(message=message)


def _target(keywords: dict[str, object]) -> object:
    given = [keywords[name] for name in ("element", "coordinate") if keywords.get(name) is not None]
    if len(given) == 2 and given[0] != given[1]:
        raise problem("AMBIGUOUS", "element and coordinate differ")
    return given[0] if given else None


def _finish(call: Call) -> actions.Finish:
    _check_keys(call, frozenset())
    if len(call.positional) > 1 or (call.positional and "message" in call.keywords):
        raise problem("MALFORMED", "finish takes one message")
    value = call.positional[0] if call.positional else call.keywords.get("message")
    message = arguments.text(value, "message", default="")
    return actions.Finish(message=message, success=arguments.claimed_success(message))


def _check_keys(call: Call, allowed: frozenset[str]) -> None:
    unknown = sorted(set(call.keywords) - allowed - _HARMLESS)
    if unknown:
        raise problem("UNKNOWN_KEY", f"there is no argument {unknown[0]!r} here")
