"""Whether the models do what their roles need: each is asked once, over the very prompts and readers that tests use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from pytest_layered_phone.commands.doctor.drawn import BUTTON, LABEL, drawn_screen
from pytest_layered_phone.commands.doctor.report import Report
from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError, UnreadableReplyError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.execution.actions import Action
from pytest_layered_phone.execution.dialects import Dialect, dialect_for, known_dialects
from pytest_layered_phone.models.types import ChatMessage, ChatModel, ChatReply, ChatRequest, Seat
from pytest_layered_phone.planning.assembly import perception_for
from pytest_layered_phone.planning.planner import Planner, PlannerSettings
from pytest_layered_phone.planning.verifier import Verifier
from pytest_layered_phone.settings import ModelSettings, Settings

GROUP = "models"
ROLES = ("planner", "executor", "verifier")
INSTRUCTION = f"tap “{LABEL}”"
_REPAIRS = 1


def check_models(report: Report, settings: Settings, pilot_url: Callable[[], str]) -> None:
    """Asks every model that is configured; a verifier or executor that is not is told."""
    if settings.text("phone_mode") in ("replay", "offline"):
        report.add(GROUP, "all roles", "skipped", f"mode {settings.text('phone_mode')} asks no model")
        return
    asks = {"planner": _ask_planner, "executor": _ask_executor, "verifier": _ask_verifier}
    for role in ROLES:
        with report.checking(GROUP, role):
            chosen = settings.model_for(role)
            if chosen is None:
                _tell_missing(report, role)
                continue
            if chosen.model == "pilot" and not chosen.base_url:
                chosen = replace(chosen, base_url=pilot_url())
            _ask(report, role, chosen, asks[role], settings)


def _tell_missing(report: Report, role: str) -> None:
    if role == "planner":
        report.add(GROUP, role, "skipped", "none is set: a goal is one subtask, and a test must say what it expects")
        return
    report.add(
        GROUP, role, "failed", "none is set", code="SETTINGS",
        remedy=f"Set phone_model (or phone_{role}_model) and phone_base_url; --model=pilot tries things out without a key.",
    )  # fmt: skip


Ask = Callable[[ChatModel, ModelSettings, Settings], "Answer"]


@dataclass(frozen=True)
class Answer:
    """What came of asking a model; `doubt` says why it is readable and yet not right, with what to do; `code` makes it fail."""

    said: str
    doubt: str = ""
    remedy: str = ""
    code: str = ""


def _ask(report: Report, role: str, chosen: ModelSettings, ask: Ask, settings: Settings) -> None:
    from pytest_layered_phone.models.client import OpenAIChatModel
    from pytest_layered_phone.models.endpoint import endpoint_for

    chosen = replace(chosen.with_server(), retries=0)
    model = OpenAIChatModel(chosen)
    endpoint_for(chosen).client()  # the first one imports the client, which is not the model's time
    started = time.monotonic()
    try:
        answer = ask(model, chosen, settings)
    except UnreadableReplyError as error:
        raise type(error)(
            f"{chosen.model} at {chosen.base_url}: {error.message}",
            code=error.code,
            suggestion=error.suggestion or f"Check phone_{role}_model: it must be able to do what this role needs.",
        ) from error
    took = time.monotonic() - started
    said = f"{chosen.model} at {chosen.base_url}: {answer.said} ({took:.1f} s)"
    if answer.doubt:
        report.add(
            GROUP, role, "failed" if answer.code else "warning", f"{said}; {answer.doubt}",
            code=answer.code, remedy=answer.remedy,
        )  # fmt: skip
    else:
        report.add(GROUP, role, "ok", said)


# -- the roles ---------------------------------------------------------------------------------------------------------------


def _ask_executor(model: ChatModel, chosen: ModelSettings, settings: Settings) -> Answer:
    """Shows a picture with one button and wants it tapped."""
    dialect = dialect_for(settings.text("phone_dialect"), model.name)
    screen = drawn_screen()
    language = settings.text("phone_lang").replace("cn", "zh")
    perception = perception_for(settings, model.name, dialect)
    action, repairs = _next_action(model, dialect, screen, perception, language)
    shown = f"a picture of {screen.size[0]}x{screen.size[1]}" if perception != "elements" else "an element list"
    said = f"shown {shown} and told to {INSTRUCTION} it answers “{_in_words(action)}” in dialect {dialect.name}"
    x, y = getattr(action, "x", None), getattr(action, "y", None)
    if x is None or y is None:
        return Answer(
            said, "which is no tap",
            "Look at what the model makes of simple instructions; a GUI model taps what it is told to tap.",
        )  # fmt: skip
    if not BUTTON.contains(x, y):
        return Answer(
            said, f"“{LABEL}” lies from {BUTTON.left},{BUTTON.top} to {BUTTON.right},{BUTTON.bottom}",
            f"Set phone_dialect to the one of this model (now {dialect.name}): coordinates mean different things to different "
            f"models. Known are {', '.join(known_dialects())}.", code="MISSED_TARGET",
        )  # fmt: skip
    if repairs:
        return Answer(said, "its first reply could not be read", "Tests will cost it more calls than they need.")
    return Answer(said)


def _next_action(
    model: ChatModel, dialect: Dialect, screen: Observation, perception: str, language: str
) -> tuple[Action, int]:  # fmt: skip
    system = dialect.system_prompt(language)
    messages = [ChatMessage.of("system", system)] if system else []
    messages.append(dialect.first_message(INSTRUCTION, screen, perception))
    sampling, tools = dialect.sampling(), dialect.tools()
    for attempt in range(_REPAIRS + 1):
        reply = model.complete(
            ChatRequest(
                Seat("executor", "act", subtask="doctor", attempt=attempt + 1, dialect=dialect.name),
                tuple(messages),
                tools=tools,
                tool_choice="required" if tools else None,
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                frequency_penalty=sampling.frequency_penalty,
                max_tokens=sampling.max_tokens,
                subject=INSTRUCTION,
            )
        )
        try:
            return dialect.parse(reply, screen).actions[0], attempt
        except ParseError as error:
            if attempt == _REPAIRS:
                raise UnreadableReplyError(
                    f"no action in its reply “{_start(reply)}” ({error.message})",
                    suggestion=f"Set phone_dialect to the one of this model (now {dialect.name}; known are "
                    f"{', '.join(known_dialects())}), or choose a GUI model by phone_executor_model.",
                ) from error
            messages += [ChatMessage.of("assistant", _start(reply)), dialect.repair_message(error.message)]
    raise AssertionError("unreachable")  # pragma: no cover


def _ask_planner(model: ChatModel, chosen: ModelSettings, settings: Settings) -> Answer:
    """Wants a plan for a goal of one tap."""
    limits = PlannerSettings(1, settings.count("phone_max_steps"), settings.number("phone_temperature"))
    plan = Planner(model, EventBus(), limits, 1, INSTRUCTION, ["A"]).plan([f"“{LABEL}” is shown"])
    count = len(plan.subtasks)
    return Answer(f"it plans {count} {'subtask' if count == 1 else 'subtasks'} for “tap {LABEL}”")


def _ask_verifier(model: ChatModel, chosen: ModelSettings, settings: Settings) -> Answer:
    """Wants a question about the picture answered, with evidence that stands on it."""
    verifier = Verifier(model, clock=InstantClock(), look_again_s=0.0)
    question = f"Is “{LABEL}” shown?"
    screen = drawn_screen()
    answer = verifier.answer(run=1, question=question, returns=bool, look=lambda: screen)
    word = ("yes" if answer.value else "no") if answer.known else "that it does not know"
    said = f"asked whether “{LABEL}” is shown it says {word}"
    if not answer.known or answer.value is not True:
        return Answer(
            said, answer.reason, "The picture shows the button: choose a model that reads pictures by phone_verifier_model.",
            code="NOT_SEEN",
        )  # fmt: skip
    return Answer(said)


def _in_words(action: Action) -> str:
    data = action.to_data()
    kind = data.pop("kind")
    return f"{kind} {' '.join(str(value) for value in data.values())}".strip()


def _start(reply: ChatReply) -> str:
    text = (
        reply.content
        or "".join(f"{call.name}({call.arguments})" for call in reply.tool_calls)
        or reply.reasoning
        or "(nothing)"
    )
    return " ".join(text.split())[:160]
