"""Which part of the pilot answers a request."""

from __future__ import annotations

import json

from pytest_layered_phone.pilot.executor import take_turn
from pytest_layered_phone.pilot.moves import autoglm_finish, autoglm_reply, tool_call
from pytest_layered_phone.pilot.planner import make_plan, next_call
from pytest_layered_phone.pilot.request import Request
from pytest_layered_phone.pilot.verifier import judge, reply
from pytest_layered_phone.pilot.wire import Reply

_NO_ROLE = (
    "I am the pilot, a stand-in for a model: I play planner, executor and verifier of phone tests. "
    "This request is none of theirs, so I have nothing to say to it."
)


def answer_request(request: Request) -> Reply:
    """The pilot's reply to a chat request."""
    match request.role:
        case "plan":
            call = make_plan(request)
            return Reply(call.thinking, call.name, call.arguments)
        case "turn":
            call = next_call(request)
            return Reply(call.thinking, call.name, call.arguments)
        case "judge":
            return Reply(json.dumps(judge(request), ensure_ascii=False))
        case "answer":
            return Reply(json.dumps(reply(request), ensure_ascii=False))
        case "autoglm":
            turn = take_turn(request)
            if turn.move is None:
                return Reply(autoglm_finish(turn.thinking, turn.message))
            return Reply(autoglm_reply(turn.thinking, turn.move))
        case "generic_tools":
            turn = take_turn(request)
            if turn.move is None:
                return Reply(turn.thinking, "finish", {"success": turn.success, "message": turn.message})
            name, arguments = tool_call(turn.move)
            return Reply(turn.thinking, name, arguments)
    return Reply(_NO_ROLE)
