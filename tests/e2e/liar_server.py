"""A chat server that lies: it stands in front of an honest one and replaces what one role says.

    with LiarServer(honest_url) as liar:
        liar.tell("w0", "verifier_prose")        # from now on, for requests to liar.base_url("w0")

Several testers can be lied to at the same time, each under a name of its own. `POST /NAME/lie` with `{"lie": …}` does the same
as `tell`, for other processes. The lies stand in `LIES`; `REPLIES` of a lie may ask the honest server and distort its answer.
"""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any

from tests.models.scripted_server import (
    Reply,
    Request,
    ScriptedServer,
    chunk,
    message,
    refusal,
    text_reply,
    tool_reply,
)

HONEST = ""


@dataclass(frozen=True)
class Call:
    """One request to a role.

    Attributes:
        kind: `plan`, `turn`, `act`, `judge` or `answer`.
        count: how many requests of this role there were since the lie began, this one included.
    """

    request: Request
    role: str
    kind: str
    count: int
    upstream: str = field(repr=False)

    @cached_property
    def honest(self) -> dict[str, Any]:
        """The message of the honest server."""
        body = {key: value for key, value in self.request.body.items() if key not in ("stream", "stream_options")}
        asked = urllib.request.Request(
            self.upstream + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with _DIRECT.open(asked, timeout=60) as answer:
            said: dict[str, Any] = json.load(answer)["choices"][0]["message"]
        return said

    @property
    def text(self) -> str:
        """The texts of all messages."""
        parts: list[str] = []
        for each in self.request.body["messages"]:
            content = each.get("content")
            if isinstance(content, str):
                parts.append(content)
            elif isinstance(content, list):
                parts += [part["text"] for part in content if part.get("type") == "text"]
        return "\n".join(parts)

    @property
    def judgement(self) -> dict[str, Any]:
        """What the honest verifier says, as data."""
        data: dict[str, Any] = json.loads(self.honest["content"])
        return data

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the honest planner's call."""
        data: dict[str, Any] = json.loads(self.honest["tool_calls"][0]["function"]["arguments"])
        return data

    def pass_on(self) -> Reply:
        """The honest answer, as it is."""
        calls = self.honest.get("tool_calls")
        if calls:
            function = calls[0]["function"]
            return self.play(tool_reply(function["name"], function["arguments"], content=self.honest.get("content")))
        return self.play(text_reply(self.honest.get("content") or ""))

    def play(self, script: Reply | Callable[[Request], Reply]) -> Reply:
        return script(self.request) if callable(script) else script


Answer = Callable[[Call], Reply]


@dataclass(frozen=True)
class Lie:
    """Attributes:
    roles: whose replies are replaced.
    answer: what is said instead.
    """

    roles: tuple[str, ...]
    answer: Answer


_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class LiarServer:
    """Args:
    honest: base URL of the server behind it.
    """

    def __init__(self, honest: str) -> None:
        self._honest = honest
        self._lies: dict[str, str] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._server = ScriptedServer([self._answer], repeat_last=True)

    def __enter__(self) -> LiarServer:
        self._server.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def root(self) -> str:
        """Address under which each tester has `/NAME/v1` and `/NAME/lie`."""
        return self._server.base_url.removesuffix("/v1")

    def base_url(self, tester: str) -> str:
        return f"{self.root}/{tester}/v1"

    def tell(self, tester: str, lie: str) -> None:
        """Begins a lie (`HONEST`: ends it).

        Raises:
            KeyError: there is no such lie.
        """
        if lie != HONEST:
            LIES[lie]
        with self._lock:
            self._lies[tester] = lie
            self._counts = {key: count for key, count in self._counts.items() if key[0] != tester}

    def _answer(self, request: Request) -> Reply:
        tester = request.path.split("/")[1]
        if request.path.endswith("/lie"):
            self.tell(tester, str(request.body["lie"]))
            return Reply(body={"ok": True})
        role, kind = role_of(request.body)
        with self._lock:
            lie = self._lies.get(tester, HONEST)
            count = self._counts[tester, role] = self._counts.get((tester, role), 0) + 1
        call = Call(request, role, kind, count, self._honest)
        chosen = LIES.get(lie)
        return chosen.answer(call) if chosen is not None and role in chosen.roles else call.pass_on()


def role_of(body: Mapping[str, Any]) -> tuple[str, str]:
    """Which role a request is for, and what it asks."""
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    if schema:
        return "verifier", "judge" if schema.get("name") == "judgement" else "answer"
    names = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if "make_plan" in names:
        return "planner", "plan"
    if "chat" in names:
        return "planner", "turn"
    return "executor", "act"


# -- executor ------------------------------------------------------------------------------------------------------------------


def _done(call: Call) -> Reply:
    return call.play(text_reply('<think>Done.</think><answer>finish(message="The message was sent.")</answer>'))


def _tap_anywhere(call: Call) -> Reply:
    if call.count > 1:
        return _done(call)
    return call.play(text_reply('<think>Send.</think><answer>do(action="Tap", element=[500,60])</answer>'))


def _stop_before_last(call: Call) -> Reply:
    """Does everything but the tap on Send, and claims."""
    return _done(call) if "Send" in call.honest["content"].partition("<answer>")[0] and call.count > 2 else call.pass_on()


def _says(text: str) -> Answer:
    return lambda call: call.play(text_reply(text))


# -- planner -------------------------------------------------------------------------------------------------------------------


def _finish_at_once(call: Call) -> Reply:
    if call.kind == "plan":
        return call.pass_on()
    return call.play(tool_reply("finish", {"achieved": True, "claim": "Everything is done."}))


def _finish_instead_of_plan(call: Call) -> Reply:
    return call.play(tool_reply("finish", {"achieved": True, "claim": "Everything is done."}))


def _plan_with(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Answer:
    def answer(call: Call) -> Reply:
        return call.play(tool_reply("make_plan", change(call.arguments))) if call.kind == "plan" else call.pass_on()

    return answer


def _easier(plan: dict[str, Any]) -> dict[str, Any]:
    return plan | {"expectations": [{"text": "“Messages” is shown"}]}


def _nothing_to_do(plan: dict[str, Any]) -> dict[str, Any]:
    first = plan["subtasks"][0] | {"instruction": "wait", "acceptance": "“Messages” is shown"}
    return {"subtasks": [first], "expectations": [{"text": "“Messages” is shown"}]}


def _another(plan: dict[str, Any]) -> dict[str, Any]:
    first = plan["subtasks"][0] | {"instruction": "tap “Alice”", "acceptance": "the chat is open"}
    return {"subtasks": [first], "expectations": [{"text": "the chat with “Alice” is shown"}]}


def _plan_of(*instructions: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Another plan than the goal asks for; the test's expectations stay."""
    subtasks = [
        {"id": f"s{number}", "instruction": each, "acceptance": "it is done"} for number, each in enumerate(instructions, 1)
    ]
    return lambda plan: {"subtasks": subtasks, "expectations": plan["expectations"]}


_KEEPS_A_DRAFT = _plan_of(
    "open the conversation with “Bob”",
    "type “See you at 8” into “Text message”",
    "go back",
    "open the conversation with “Bob”",
)
_WRITES_A_NOTE = _plan_of("open Notes", "create a note titled “Bob” with text “See you at 8”")
_SENDS_TO_ALICE = _plan_of("open the conversation with “Alice”", "send the message “See you at 8”")
_SENDS_ANOTHER = _plan_of("open the conversation with “Bob”", "send the message “See you at 9”")
_TURNS_TWICE = _plan_of("turn off “Wi-Fi”", "turn on “Wi-Fi”")


def _with_lying_verifier(answer: Answer) -> Answer:
    def both(call: Call) -> Reply:
        return _judging(lambda each: passing(each))(call) if call.role == "verifier" else answer(call)

    return both


def _wrong_phone(call: Call) -> Reply:
    if call.kind == "plan":
        return call.pass_on()
    if call.count == 2:
        arguments = {"device_id": "Z", "message": "send it", "subtask": "s1"}
        return call.play(tool_reply("chat", arguments))
    return call.play(tool_reply("finish", {"achieved": True, "claim": "Sent from the other phone."}))


# -- verifier ------------------------------------------------------------------------------------------------------------------


def _ids(call: Call) -> list[str]:
    ids = [] if "Goal: null" in call.text else ["goal"]
    for line in call.text.splitlines():
        if line.startswith('- {"id"'):
            ids.append(json.loads(line[2:])["id"])
    return ids


def passing(call: Call, evidence: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    """A reply that lets everything pass with the same evidence."""
    entry = {"verdict": "passed", "reason": "It can be seen.", "evidence": evidence or [], **more}
    return {"judgements": [{"id": id_, **entry} for id_ in _ids(call)], "answer": ""}


def _judging(make: Callable[[Call], Any]) -> Answer:
    """Replaces judgements; answers stay honest."""

    def answer(call: Call) -> Reply:
        if call.kind != "judge":
            return call.pass_on()
        said = make(call)
        return call.play(text_reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)))

    return answer


def _quoting(*quotes: str) -> Answer:
    return _judging(lambda call: passing(call, [{"kind": "text", "quote": quote} for quote in quotes]))


def _expectation_literals(call: Call) -> list[str]:
    found: list[str] = []
    for line in call.text.splitlines():
        if line.startswith('- {"id"'):
            found += re.findall(r"“([^”]*)”", json.loads(line[2:])["text"])
    return list(dict.fromkeys(found))


def _quoting_literals(call: Call) -> dict[str, Any]:
    """Quotes exactly what the expectation names, whether it stands on the screen or not."""
    return passing(call, [{"kind": "text", "quote": literal} for literal in _expectation_literals(call)])


def _missing_id(call: Call) -> dict[str, Any]:
    said = _quoting_literals(call)
    return said | {"judgements": said["judgements"][:1]}


def _duplicate_id(call: Call) -> dict[str, Any]:
    said = _quoting_literals(call)
    return said | {"judgements": [*said["judgements"], said["judgements"][-1]]}


def _extra_id(call: Call) -> dict[str, Any]:
    said = _quoting_literals(call)
    return said | {"judgements": [*said["judgements"], said["judgements"][-1] | {"id": "e9"}]}


def _two_objects(call: Call) -> str:
    text = json.dumps(_quoting_literals(call), ensure_ascii=False)
    return f"{text}\n{text}"


def _double_key(call: Call) -> str:
    text = json.dumps(_quoting_literals(call), ensure_ascii=False)
    return text.replace('"verdict": "passed"', '"verdict": "failed", "verdict": "passed"')


def _state(call: Call) -> dict[str, Any]:
    label = (_expectation_literals(call) or ["Wi-Fi"])[0]
    return passing(call, [{"kind": "state", "quote": label, "attribute": "checked", "value": False}])


def _count(call: Call) -> dict[str, Any]:
    label = (_expectation_literals(call) or ["Bob"])[0]
    return passing(call, [{"kind": "count", "quote": label, "count": 2}])


def _title(call: Call) -> dict[str, Any]:
    """Quotes what stood there all the time."""
    return passing(call, [{"kind": "text", "quote": "Bob"}])


def _answering(value: Any, *quotes: str) -> Answer:
    """Replaces answers; judgements stay honest."""
    evidence = [{"kind": "text", "quote": quote} for quote in quotes]

    def answer(call: Call) -> Reply:
        if call.kind != "answer":
            return call.pass_on()
        said = {"known": True, "value": value, "reason": "It can be seen.", "evidence": evidence}
        return call.play(text_reply(json.dumps(said, ensure_ascii=False)))

    return answer


def _prose(call: Call) -> Reply:
    return call.play(text_reply("Yes, the message has been sent successfully."))


# -- endpoints -----------------------------------------------------------------------------------------------------------------


def _html(call: Call) -> Reply:
    return Reply(200, "<!doctype html><html><body>Sign in to the hotel's network</body></html>", {"Content-Type": "text/html"})


def _cut_stream(call: Call) -> Reply:
    return Reply(events=[chunk({"role": "assistant", "content": '{"judgements": [{"id": "goal", "verdict": "pas'})], cut=True)


def _empty_content(call: Call) -> Reply:
    return call.play(text_reply(""))


def _no_choices(call: Call) -> Reply:
    return Reply(body={"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []})


def _wrong_type(call: Call) -> Reply:
    return Reply(200, "passed", {"Content-Type": "text/plain"})


def _error_in_reply(call: Call) -> Reply:
    return Reply(200, {"error": {"message": "the engine is out of memory", "code": 500}})


def _image(call: Call) -> Reply:
    return Reply(200, "\x89PNG\r\n", {"Content-Type": "image/png"})


ALL = ("planner", "executor", "verifier")

ENDPOINT_LIES: dict[str, Answer] = {
    "http_401": lambda call: refusal(401, "Incorrect API key provided"),
    "http_403": lambda call: refusal(403, "no access"),
    "http_404": lambda call: refusal(404, "The model does not exist"),
    "http_429": lambda call: refusal(429, "Rate limit reached", headers={"retry-after": "0"}),
    "http_500": lambda call: refusal(500, "internal error"),
    "http_503": lambda call: refusal(503, "overloaded"),
    "drops": lambda call: Reply(drop=True),
    "silent": lambda call: Reply(silent=True),
    "html": _html,
    "empty_body": lambda call: Reply(200, ""),
    "empty_content": _empty_content,
    "null_content": lambda call: Reply(body=message(None)),
    "no_choices": _no_choices,
    "cut_stream": _cut_stream,
    "wrong_type": _wrong_type,
    "image": _image,
    "error_in_reply": _error_in_reply,
    "json_array": lambda call: Reply(200, "[]"),
}
"""What a broken endpoint answers, whatever it is asked."""

LIES: dict[str, Lie] = {
    "executor_done_at_once": Lie(("executor",), _done),
    "executor_taps_anywhere": Lie(("executor",), _tap_anywhere),
    "executor_stops_before_send": Lie(("executor",), _stop_before_last),
    "executor_prose": Lie(("executor",), _says("I have sent the message, it looks great!")),
    "executor_broken_action": Lie(("executor",), _says('<think>x</think><answer>do(action="Tap", element=[500</answer>')),
    "executor_code": Lie(("executor",), _says("<answer>__import__('os').system('true')</answer>")),
    "executor_success_json": Lie(("executor",), _says('{"success": true, "message": "sent"}')),
    "planner_finishes_at_once": Lie(("planner",), _finish_at_once),
    "planner_finishes_without_plan": Lie(("planner",), _finish_instead_of_plan),
    "planner_plan_as_prose": Lie(("planner",), _says("First I open the chat, then I send the message. All done!")),
    "planner_empty_plan": Lie(("planner",), _plan_with(lambda plan: {"subtasks": [], "expectations": []})),
    "planner_easier_expectations": Lie(("planner", "executor"), lambda call: _easy_run(call)),
    "planner_nothing_to_do": Lie(("planner",), _plan_with(_nothing_to_do)),
    "planner_opens_another": Lie(("planner",), _plan_with(_another)),
    "planner_keeps_a_draft": Lie(("planner",), _plan_with(_KEEPS_A_DRAFT)),
    "planner_and_verifier_keep_a_draft": Lie(
        ("planner", "verifier"), lambda call: _with_lying_verifier(_plan_with(_KEEPS_A_DRAFT))(call)
    ),
    "planner_writes_a_note": Lie(("planner",), _plan_with(_WRITES_A_NOTE)),
    "planner_sends_to_another": Lie(("planner",), _plan_with(_SENDS_TO_ALICE)),
    "planner_and_verifier_send_to_another": Lie(
        ("planner", "verifier"), lambda call: _with_lying_verifier(_plan_with(_SENDS_TO_ALICE))(call)
    ),
    "planner_sends_another": Lie(("planner",), _plan_with(_SENDS_ANOTHER)),
    "planner_turns_twice": Lie(("planner",), _plan_with(_TURNS_TWICE)),
    "planner_wrong_phone": Lie(("planner",), _wrong_phone),
    "verifier_prose": Lie(("verifier",), _prose),
    "verifier_passed_word": Lie(("verifier",), _judging(lambda call: "passed")),
    "verifier_true": Lie(("verifier",), _judging(lambda call: "true")),
    "verifier_empty_object": Lie(("verifier",), _judging(lambda call: "{}")),
    "verifier_nothing_judged": Lie(("verifier",), _judging(lambda call: {"judgements": [], "answer": ""})),
    "verifier_without_evidence": Lie(("verifier",), _judging(lambda call: passing(call))),
    "verifier_invented_quote": Lie(("verifier",), _quoting("Delivered to Bob at 12:01")),
    "verifier_quotes_expectation": Lie(("verifier",), _judging(_quoting_literals)),
    "verifier_other_quote": Lie(("verifier",), _quoting("Messages")),
    "verifier_title": Lie(("verifier",), _judging(_title)),
    "verifier_yes_to_all": Lie(("verifier",), _answering(True, "Zacharias")),
    "verifier_text_false": Lie(("verifier",), _answering("false", "Alice")),
    "verifier_wrong_number": Lie(("verifier",), _answering(7, "Alice")),
    "verifier_visual": Lie(("verifier",), _judging(lambda call: passing(call, [{"kind": "visual", "quote": "a sent bubble"}]))),
    "verifier_missing_id": Lie(("verifier",), _judging(_missing_id)),
    "verifier_duplicate_id": Lie(("verifier",), _judging(_duplicate_id)),
    "verifier_extra_id": Lie(("verifier",), _judging(_extra_id)),
    "verifier_capitals": Lie(("verifier",), _judging(lambda call: passing(call, verdict="PASSED"))),
    "verifier_boolean": Lie(("verifier",), _judging(lambda call: passing(call, verdict=True))),
    "verifier_extra_key": Lie(("verifier",), _judging(lambda call: passing(call, confidence=1.0))),
    "verifier_two_objects": Lie(("verifier",), _judging(_two_objects)),
    "verifier_double_key": Lie(("verifier",), _judging(_double_key)),
    "verifier_state_lie": Lie(("verifier",), _judging(_state)),
    "verifier_count_lie": Lie(("verifier",), _judging(_count)),
    **{f"{role}_{name}": Lie((role,), answer) for role in ALL for name, answer in ENDPOINT_LIES.items()},
}
"""Every lie by name."""


def _easy_run(call: Call) -> Reply:
    """The planner expects less than the test, and the executor does nothing."""
    if call.role == "executor":
        return _done(call)
    return _plan_with(_easier)(call)
