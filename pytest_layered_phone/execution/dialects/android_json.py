"""Actions as one JSON object with Android's verbs, the language of `android_world` and of models that were trained in it.

The families differ in how they name a place and in the sense of their directions: that is a profile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.action_objects import Found, action_object
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import read_arguments
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatReply

Values = Mapping[str, object]
Place = Callable[[Values, Observation], tuple[int, int] | None]

_COMMENTS = frozenset({"reason", "thought", "intent", "label", "description", "explanation"})
_TEXTS = frozenset({"input_text", "answer", "open_app", "ask_user"})


@dataclass(frozen=True)
class Profile:
    """What one family's variant looks like.

    Attributes:
        key: names the verb.
        verbs: the actions and, for each, the arguments that it takes.
        aliases: other words for verbs.
        place: the pixel that the arguments name, None where they name none.
        swipe: the finger's direction for each direction of `swipe`.
        default: the verb where none is given.
        listed: whether the object may stand in a list.
        submits: whether typing ends with enter where the arguments do not say.
    """

    key: str
    verbs: Mapping[str, frozenset[str]]
    place: Place
    aliases: Mapping[str, str]
    swipe: Mapping[str, str]
    default: str | None = None
    listed: bool = False
    submits: bool = True


def verbs(at: frozenset[str], **more: frozenset[str]) -> dict[str, frozenset[str]]:
    """The verbs that all families have, with the arguments `at` for those that need a place, and `more`."""
    return {
        "click": at,
        "long_press": at,
        "input_text": at | {"text"},
        "keyboard_enter": frozenset(),
        "navigate_home": frozenset(),
        "navigate_back": frozenset(),
        "swipe": frozenset({"direction"}),
        "open_app": frozenset({"app_name"}),
        "wait": frozenset(),
        "answer": frozenset({"text"}),
        "status": frozenset({"goal_status"}),
        **more,
    }


class AndroidJsonDialect(WrittenDialect):
    """One variant of the dialect."""

    profile: Profile

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the one action of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        found = self._native(reply) if reply.tool_calls else self._written(reply)
        action = self._action(found, observation)
        return ParsedReply(joined(reply.reasoning, self.thought(found.before)), (action,))

    def thought(self, before: str) -> str:
        return before

    def _written(self, reply: ChatReply) -> Found:
        text = written(reply)
        not_cut(reply)
        return first_readable(text, lambda body: action_object(body, listed=self.profile.listed))

    def _native(self, reply: ChatReply) -> Found:
        """A server may have taken the object for a tool call; then its name is the verb where the arguments do not hold it."""
        if len(reply.tool_calls) > 1:
            raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
        not_cut(reply)
        [call] = reply.tool_calls
        given = read_arguments(call.arguments)
        given.values.setdefault(self.profile.key, call.name)
        return Found(given, without_tags(reply.content[:LONGEST_REPLY]))

    def _action(self, found: Found, observation: Observation) -> actions.Action:
        profile, values = self.profile, dict(found.given.values)
        verb = arguments.required_text(values.pop(profile.key, profile.default), profile.key).strip().lower()
        verb = profile.aliases.get(verb, verb)
        allowed = profile.verbs.get(verb)
        if allowed is None:
            raise problem("UNKNOWN_ACTION", f"there is no action {verb[:40]!r}")
        for key, value in values.items():
            if key not in allowed | _COMMENTS and value not in (None, ""):
                raise problem("UNKNOWN_KEY", f"{verb} takes no argument {key[:40]!r}")
        if found.given.open_end and (verb in _TEXTS or found.given.last_number is not None):
            raise problem("TRUNCATED", "the action breaks off")
        return _build(verb, values, profile, observation)


def _build(verb: str, values: Values, profile: Profile, observation: Observation) -> actions.Action:
    """The canonical action. Every argument is checked."""
    if verb in ("click", "double_tap", "long_press", "input_text"):
        return _at(verb, values, profile, observation)
    if verb in ("swipe", "scroll"):
        start = profile.place(values, observation) or gestures.middle(observation.size)
        direction = arguments.required_text(values.get("direction"), "direction").strip().lower()
        if verb == "scroll":
            return gestures.content(direction, start, observation.size)
        return gestures.finger(profile.swipe.get(direction, direction), start, observation.size)
    if verb in ("keyboard_enter", "navigate_home", "navigate_back"):
        key = verb.rpartition("_")[2]
        return actions.Press(key="enter" if key == "enter" else "home" if key == "home" else "back")
    if verb == "open_app":
        return actions.Launch(app=arguments.required_text(values.get("app_name"), "app_name").strip())
    if verb == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("seconds"), "seconds", default=1.0))
    if verb == "ask_user":
        return actions.TakeOver(message=arguments.text(values.get("text"), "text", default=""))
    if verb == "answer":
        message = arguments.text(values.get("text"), "text")
        return actions.Finish(message=message, success=arguments.claimed_success(message))
    status = arguments.required_text(values.get("goal_status"), "goal_status").strip().lower()
    if status not in ("complete", "infeasible"):
        raise problem("BAD_ARGUMENT", "goal_status must be complete or infeasible")
    return actions.Finish(success=status == "complete")


def _at(verb: str, values: Values, profile: Profile, observation: Observation) -> actions.Action:
    place = profile.place(values, observation)
    if place is None:
        raise problem("MISSING_ARGUMENT", f"{verb} needs a place")
    x, y = place
    if verb == "click":
        return actions.Tap(x=x, y=y)
    if verb == "double_tap":
        return actions.DoubleTap(x=x, y=y)
    if verb == "long_press":
        return actions.LongPress(x=x, y=y)
    clear = arguments.flag(values.get("override", values.get("clear_text")), "override")
    submit = arguments.flag(values.get("submit"), "submit", default=profile.submits)
    return actions.TypeText(text=arguments.text(values.get("text"), "text"), clear=clear, submit=submit, x=x, y=y)
