"""Events of a run as the agent emits them, with real small pictures."""

from __future__ import annotations

import io

from PIL import Image

from pytest_layered_phone.devices.types import Foreground, Observation, Screenshot
from pytest_layered_phone.events import (
    Event,
    PlanMade,
    RunFinished,
    RunStarted,
    StepActed,
    StepObserved,
    StepThought,
    ToolAnswered,
    ToolCalled,
    VerdictGiven,
)


def picture(grey: int, size: tuple[int, int] = (90, 200)) -> Screenshot:
    out = io.BytesIO()
    Image.new("RGB", size, (grey, grey, grey)).save(out, "PNG")
    return Screenshot(out.getvalue(), "image/png", *size)


def look(grey: int) -> Observation:
    return Observation(picture(grey), Foreground("com.example", ".Main"), None)


def verdict(status: str, code: str, grade: str = "grounded") -> dict[str, object]:
    evidence = [{"kind": "text", "wanted": "“已发送 <b>”", "holds": status == "passed", "new": True, "found": "in the list"}]
    return {
        "statement": "sent", "status": status, "code": code, "reason": "it stands there", "grade": grade,
        "judgements": [
            {"id": "e1", "statement": "已发送", "status": status, "code": code, "reason": "r", "grade": grade,
             "evidence": evidence},
        ],
        "answer": "",
    }  # fmt: skip


def run_events(status: str = "passed", code: str = "PASSED", grade: str = "grounded") -> list[Event]:
    """One run with a plan, one subtask of two steps and a verdict; a step is told as acted after the look that follows it."""
    first, second = look(10), look(200)
    tap = {"kind": "tap", "x": 30, "y": 50}
    done = {"kind": "finish", "message": "sent", "success": True}
    return [
        RunStarted(run=1, verb="run", subject="给张三发送消息", expectations=("“已发送” is shown",), device="emulator-5554",
                   mode="live", models={"executor": "small", "verifier": "big"}),
        PlanMade(run=1, subtasks=({"id": "s1", "instruction": "tap Send", "acceptance": "a bubble"},), expectations=("e",)),
        ToolCalled(run=1, tool="chat", arguments={"message": "tap “Send”"}, subtask="s1", turn=1, thinking="first of all"),
        StepObserved(run=1, subtask="s1", step=1, observation=first),
        StepThought(run=1, subtask="s1", step=1, thinking="the button is there", reply="do(tap)", action=tap, model="small",
                    duration_s=0.5, first_token_s=0.1, prompt_tokens=100, completion_tokens=7),
        StepObserved(run=1, subtask="s1", step=2, observation=second),
        StepActed(run=1, subtask="s1", step=1, action=tap, before=first, point=(30, 50), outcome="changed", changed=True),
        StepThought(run=1, subtask="s1", step=2, thinking="done", reply="finish", action=done, model="small", duration_s=0.4),
        ToolAnswered(run=1, tool="chat", answer="sent", ok=True, subtask="s1", turn=1, duration_s=1.0),
        VerdictGiven(run=1, verb="run", verdict=verdict(status, code, grade), observation=second, model="big", duration_s=0.3,
                     prompt_tokens=50, completion_tokens=5),
        RunFinished(run=1, verb="run", status=status, code=code, reason="it stands there", duration_s=2.0, steps=1),
    ]  # fmt: skip
