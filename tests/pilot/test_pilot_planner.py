"""The planner: plans, chats and finishes from what the messages say."""

from __future__ import annotations

import json
from typing import Any

from pytest_layered_phone.pilot.request import parse_request
from pytest_layered_phone.pilot.roles import answer_request
from pytest_layered_phone.pilot.wire import Reply
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.protocol import ChatArguments, FinishArguments, PlanSpec
from pytest_layered_phone.planning.requirements import StateRequirement, TextRequirement

from .pilot_screens import tools_named

TURN_TOOLS = tools_named("list_devices", "chat", "finish")


def goal_message(goal: str, expectations: list[str], phones: list[str] | None = None) -> dict[str, Any]:
    given = "\n".join(f"- {json.dumps(text, ensure_ascii=False)}" for text in expectations) or "(none: write your own)"
    text = (
        f"Goal: {json.dumps(goal, ensure_ascii=False)}\nExpectations given by the test:\n{given}\n"
        f"Phones: {json.dumps(phones or ['A'])}\nLimits: at most 8 subtasks, 5 steps each."
    )
    return {"role": "user", "content": text}


def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Reply:
    request = {"model": "pilot", "messages": [{"role": "system", "content": "You plan."}, *messages], "tools": tools}
    return answer_request(parse_request(json.dumps(request).encode()))


def plan_for(goal: str, *expectations: str) -> PlanSpec:
    reply = ask([goal_message(goal, list(expectations))], tools_named("make_plan"))
    assert reply.tool == "make_plan"
    return PlanSpec.model_validate(reply.arguments)


class Talk:
    """A planner's conversation: `answer` answers the last call and asks for the next one."""

    def __init__(self, goal: str, *expectations: str, phones: list[str] | None = None) -> None:
        self.messages = [goal_message(goal, list(expectations), phones)]
        plan = ask(self.messages, tools_named("make_plan"))
        self._say(plan, "plan accepted")
        self.call = ask(self.messages, TURN_TOOLS)

    def _say(self, reply: Reply, answer: str) -> None:
        number = f"call_{len(self.messages)}"
        function = {"name": reply.tool, "arguments": reply.arguments_text}
        self.messages += [
            {
                "role": "assistant",
                "content": reply.content,
                "tool_calls": [{"id": number, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": number, "content": answer},
        ]

    def answer(self, outcome: str, result: str = "", **more: Any) -> Reply:
        assert self.call.arguments is not None
        report = {
            "subtask": self.call.arguments["subtask"],
            "outcome": outcome,
            "result": result,
            "steps": 2,
            "screen_changed": True,
        }
        return self.reply(json.dumps(report | more))

    def reply(self, text: str) -> Reply:
        self._say(self.call, text)
        self.call = ask(self.messages, TURN_TOOLS)
        return self.call

    @property
    def message(self) -> str:
        assert self.call.tool == "chat"
        return ChatArguments.model_validate(self.call.arguments).message

    @property
    def finish(self) -> FinishArguments:
        assert self.call.tool == "finish"
        return FinishArguments.model_validate(self.call.arguments)


def test_a_message_becomes_two_subtasks_and_an_expectation_with_its_text() -> None:
    plan = plan_for("给张三发送消息“明天见”")
    assert [s.instruction for s in plan.subtasks] == ["打开与“张三”的对话", "发送消息“明天见”"]
    assert [(e.text, e.after) for e in plan.expectations] == [("与“张三”的对话中显示“明天见”", None)]


def test_expectations_of_the_test_are_left_alone() -> None:
    assert plan_for("turn on “Wi-Fi”", "“Wi-Fi” is on").expectations == []


def test_an_outcome_that_is_out_of_sight_at_the_end_is_bound_to_its_subtask() -> None:
    plan = plan_for("open Settings, turn on “Wi-Fi”, go home")
    assert [(e.text, e.after) for e in plan.expectations] == [("“Wi-Fi” is switched on", "s2")]


def test_the_cart_is_opened_where_its_content_shows() -> None:
    plan = plan_for("add “Blue mug” to the cart")
    assert plan.subtasks[-1].instruction == "open the cart"
    assert [e.text for e in plan.expectations] == ["the cart shows “Blue mug”"]
    assert len(plan_for("add “Blue mug” to the cart", "a toast is shown").subtasks) == 1


def test_there_is_always_an_expectation_and_never_one_with_the_words_of_a_button() -> None:
    for goal in ("tap “Save”", "go back", "frobnicate the widget", "turn it around", ""):
        plan = plan_for(goal or "x")
        assert len(plan.expectations) == 1
        assert "“Save”" not in plan.expectations[0].text


def test_long_goals_fit_into_eight_subtasks() -> None:
    plan = plan_for(", ".join(f"tap “Button {n}”" for n in range(14)))
    assert len(plan.subtasks) == 8
    assert sum(s.instruction.count("tap") for s in plan.subtasks) == 14


def test_the_harness_understands_the_pilots_own_expectations() -> None:
    switched = plan_for("turn off “Wi-Fi”").expectations[0].text
    assert derive(switched).requirements == (StateRequirement("Wi-Fi", "checked", False),)
    switched = plan_for("关闭“Wi-Fi”").expectations[0].text
    assert derive(switched).requirements == (StateRequirement("Wi-Fi", "checked", False),)
    typed = plan_for("type “amy” into “Name”").expectations[0].text
    assert derive(typed).requirements == (TextRequirement("amy", field=True),)
    typed = plan_for("在“姓名”中输入“小明”").expectations[0].text
    assert derive(typed).requirements == (TextRequirement("小明", field=True),)


def test_the_plan_is_carried_out_in_order_and_claimed_only_when_all_is_done() -> None:
    talk = Talk("turn on “Wi-Fi”, then turn off “Dark mode”")
    assert talk.message == "turn on “Wi-Fi”"
    talk.answer("done")
    assert talk.message == "turn off “Dark mode”"
    talk.answer("done")
    assert talk.finish.achieved


def test_the_first_phone_of_the_test_is_used() -> None:
    talk = Talk("go back", phones=["B", "C"])
    assert talk.call.arguments is not None
    assert talk.call.arguments["device_id"] == "B"


def test_what_is_not_found_is_looked_for_once_more_in_other_words() -> None:
    talk = Talk("tap “About phone”")
    talk.answer("not_found", "not found: it is not there, and the list ends here", retryable=True, error_code="NOT_FOUND")
    assert talk.message == "scroll to the top, then tap “About phone”"
    talk.answer("not_found", "not found: “About phone”", retryable=True, error_code="NOT_FOUND")
    assert not talk.finish.achieved
    assert "not_found" in talk.finish.claim


def test_what_ran_out_of_steps_is_continued_twice_at_most() -> None:
    talk = Talk("点击“关于手机”")
    messages = {talk.message}
    for _ in range(2):
        talk.answer("max_steps", "not finished", retryable=True)
        messages.add(talk.message)
    assert len(messages) == 3
    talk.answer("max_steps", "not finished", retryable=True)
    assert not talk.finish.achieved


def test_what_cannot_be_tried_again_ends_the_run() -> None:
    talk = Talk("turn on “Wi-Fi”")
    talk.answer("blocked", "blocked: the switch is disabled", retryable=False)
    assert not talk.finish.achieved


def test_a_refused_call_and_an_unreadable_answer_are_no_success() -> None:
    refused = Talk("go back")
    refused.reply(json.dumps({"error": "UNKNOWN_DEVICE", "message": "no such phone", "suggestion": "use A"}))
    assert not refused.finish.achieved
    garbled = Talk("go back")
    garbled.reply("all went well!")
    garbled.reply("all went well!")
    assert not garbled.finish.achieved


def test_a_subtask_that_the_verifier_rejected_is_tried_again() -> None:
    talk = Talk("turn on “Wi-Fi”")
    talk.answer("done", "did it", accepted=False, remark="the verifier does not see it")
    assert talk.message == "wait 1 second, then turn on “Wi-Fi”"


def test_what_is_not_on_this_page_is_looked_for_one_page_up() -> None:
    talk = Talk("关闭“Wi-Fi”")
    talk.answer("not_found", "not found: a switch, and nothing here scrolls; there is a page above this one", retryable=True)
    assert talk.message == "返回，然后关闭“Wi-Fi”"
