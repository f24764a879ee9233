"""What the executor can decide, and how its moves are written in each dialect."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["tap", "double_tap", "long_press", "swipe", "type", "press", "launch", "wait"]
_MEMORY = re.compile(r"clause (\d+) of \d+ \[(\w*)/(\d+)/([0-9a-f]*)\]")


@dataclass(frozen=True)
class Move:
    """One thing to do on the phone; coordinates in thousandths of the screen."""

    kind: Kind
    x: int = 0
    y: int = 0
    x2: int = 0
    y2: int = 0
    text: str = ""
    seconds: float = 1.0


@dataclass(frozen=True)
class Act:
    """Do this, and remember the phase and the count of the clause."""

    move: Move
    phase: str
    why: str
    count: int = 0


@dataclass(frozen=True)
class Done:
    """The clause is carried out, or was so already."""

    why: str


@dataclass(frozen=True)
class Stop:
    """The instruction ends here, undone: `not found: …` or `blocked: …`."""

    message: str


Decision = Act | Done | Stop


@dataclass(frozen=True)
class Memory:
    """What the executor knows from its last reply: which clause (from 1), its phase, a count, the mark of the screen."""

    clause: int = 1
    phase: str = ""
    count: int = 0
    mark: str = ""

    def line(self, total: int) -> str:
        """The memory as the words that stand in the thinking."""
        return f"clause {self.clause} of {total} [{self.phase}/{self.count}/{self.mark}]"

    @classmethod
    def read(cls, text: str) -> Memory | None:
        """The memory in an earlier reply; None where there is none."""
        match = _MEMORY.search(text)
        return cls(int(match.group(1)), match.group(2), int(match.group(3)), match.group(4)) if match else None


def autoglm_reply(thinking: str, move: Move) -> str:
    """The move in AutoGLM's action language."""
    return f"<think>{thinking}</think>\n<answer>{_autoglm(move)}</answer>"


def autoglm_finish(thinking: str, message: str) -> str:
    return f"<think>{thinking}</think>\n<answer>finish(message={_literal(message)})</answer>"


def _autoglm(move: Move) -> str:
    point = f"[{min(move.x, 999)},{min(move.y, 999)}]"
    match move.kind:
        case "tap":
            return f'do(action="Tap", element={point})'
        case "double_tap":
            return f'do(action="Double Tap", element={point})'
        case "long_press":
            return f'do(action="Long Press", element={point})'
        case "swipe":
            return f'do(action="Swipe", start={point}, end=[{min(move.x2, 999)},{min(move.y2, 999)}])'
        case "type":
            return f'do(action="Type", text={_literal(move.text)})'
        case "press":
            return f'do(action="{move.text.capitalize()}")'
        case "launch":
            return f'do(action="Launch", app={_literal(move.text)})'
        case "wait":
            return f'do(action="Wait", duration="{move.seconds:g} seconds")'


def tool_call(move: Move) -> tuple[str, dict[str, Any]]:
    """The move as a native tool call: name and arguments."""
    match move.kind:
        case "tap" | "double_tap" | "long_press":
            return move.kind, {"x": move.x, "y": move.y}
        case "swipe":
            return "swipe", {"x1": move.x, "y1": move.y, "x2": move.x2, "y2": move.y2}
        case "type":
            return "type_text", {"text": move.text, "clear": True, "submit": False}
        case "press":
            return "press", {"key": move.text}
        case "launch":
            return "launch", {"app": move.text}
        case "wait":
            return "wait", {"seconds": move.seconds}


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
