"""What the dialects of models with an action language of their own have in common: how they are shown a screen, and how their
past replies are kept."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.execution.dialects import Perception, Sampling, pictures, showing
from pytest_layered_phone.execution.dialects.coordinates import Fit, Resize
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, bodies
from pytest_layered_phone.models.types import ChatMessage, ChatReply, ImagePart, TextPart, ToolSpec

LONGEST_SIDE = 1600
LONGEST_KEPT = 2000


class WrittenDialect:
    """The part of a dialect that does not read replies."""

    default_perception: Perception = "screen"

    def __init__(
        self,
        name: str,
        prompt: str,
        again: str,
        *,
        resize: Resize | Fit | None = None,
        task: str = "{}",
        longest_side: int = LONGEST_SIDE,
        max_tokens: int = 2048,
    ) -> None:
        """
        Args:
            name: of the dialect.
            prompt: of its prompt files.
            again: what a refused reply is asked for.
            resize: the size of the picture, for models that answer in its pixels.
            longest_side: of the picture otherwise.
            task: how the first message writes the instruction.
            max_tokens: of one reply.
        """
        self.name = name
        self.resize = resize
        self._prompt = prompt
        self._again = again
        self._longest_side = longest_side
        self._task = task
        self._max_tokens = max_tokens

    def system_prompt(self, language: str) -> str:
        return showing.prompt(self._prompt, language)

    def tools(self) -> tuple[ToolSpec, ...]:
        return ()

    def sampling(self) -> Sampling:
        return Sampling(max_tokens=self._max_tokens)

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        if self.resize is not None:
            return pictures.jpeg_of_size(screenshot, self.resize.size((screenshot.width, screenshot.height)))
        return pictures.jpeg(screenshot, longest_side=self._longest_side)

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return showing.first_message(self._task.format(instruction), observation, perception, self.image_part)

    def next_message(self, observation: Observation, perception: str, result: str) -> ChatMessage:
        return showing.next_message(observation, perception, result, self.image_part)

    def size_note(self, observation: Observation) -> str:
        """Tells the size of the picture where coordinates are its pixels, else nothing."""
        if self.resize is None:
            return ""
        width, height = self.resize.size(observation.size)
        return f"The picture is {width} wide and {height} high; coordinates are pixels of it."

    def with_size(self, instruction: str, observation: Observation) -> str:
        note = self.size_note(observation)
        return f"{instruction}\n{note}" if note else instruction

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        """Past replies stand in the history without their thought; calls that a server had parsed out of them as text."""
        text = next(bodies(reply.content[-LONGEST_REPLY:])).text.strip() or thinking
        text += "".join(f"\n{self.call_as_text(call.name, call.arguments)}" for call in reply.tool_calls)
        return ChatMessage("assistant", (TextPart(text.strip()[-LONGEST_KEPT:]),))

    def call_as_text(self, name: str, arguments: str) -> str:
        return f"Action: {name}({arguments})"

    def repair_message(self, reason: str) -> ChatMessage:
        return ChatMessage.of(
            "user", f"Your last reply could not be carried out: {reason}. Nothing was done. Reply again with {self._again}."
        )
