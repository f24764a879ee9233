"""The executor of Mobile-Agent v3: `### Thought ###`, `### Action ###` with one object, `### Description ###`."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.execution.dialects import ParsedReply, pictures
from pytest_layered_phone.execution.dialects.action_objects import Found, action_object
from pytest_layered_phone.execution.dialects.coordinates import Space
from pytest_layered_phone.execution.dialects.mobile_use import mobile_action
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import Body
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatReply, ImagePart

MOST_BYTES_AS_TAKEN = 400_000

_SECTION = re.compile(
    r"^[ \t]*#{1,4}[ \t]*(Thought|Action|Description)[ \t]*#{0,4}[ \t]*[:：]?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_VERBS: dict[str, frozenset[str]] = {
    "click": frozenset({"coordinate"}),
    "long_press": frozenset({"coordinate", "time"}),
    "swipe": frozenset({"coordinate", "coordinate2"}),
    "type": frozenset({"text"}),
    "system_button": frozenset({"button"}),
    "open": frozenset({"text"}),
    "wait": frozenset({"time"}),
    "answer": frozenset({"text"}),
}  # fmt: skip


class MobileAgentDialect(WrittenDialect):
    """Coordinates are pixels of the screen; the picture is sent in its own size. The end is an answer."""

    def __init__(self) -> None:
        again = "the sections ### Thought ###, ### Action ### with exactly one JSON object, and ### Description ###"
        super().__init__("mobile_agent_v3", "mobile_agent", again)

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        return pictures.as_taken(screenshot, most_bytes=MOST_BYTES_AS_TAKEN)

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the one action of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            raise problem("UNKNOWN_CALL", "there are no tools; write the action as text")
        text = written(reply)
        not_cut(reply)
        thought, found = first_readable(text, _read)
        if found.given.open_end:
            raise problem("TRUNCATED", "the action breaks off")
        action = mobile_action(found.given.values, _VERBS, Space.picture(*observation.size), observation.size)
        return ParsedReply(joined(reply.reasoning, thought, found.before), (action,))


def _read(body: Body) -> tuple[str, Found]:
    """The thought, and the object of the section `Action`; without sections the whole text must hold one object alone."""
    marks = list(_SECTION.finditer(body.text))
    parts: dict[str, str] = {}
    for number, mark in enumerate(marks):
        name = mark.group(1).lower()
        if name in parts:
            raise problem("AMBIGUOUS", f"there are two sections {name}")
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body.text)
        parts[name] = body.text[mark.end() : end]
    if not parts:
        return "", action_object(body)
    if body.must_reach:
        raise problem("NO_ACTION", "the action stands inside of the thought")
    found = action_object(Body("", parts.get("action", "")), sentence=True)
    return joined(body.thinking, parts.get("thought", "")), found
