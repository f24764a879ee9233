"""The message that a failing `assert` shows: plain text for a QA engineer, at most about forty lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.replayed import CODE, SUGGESTION
from pytest_layered_phone.planning.verdicts import Grade, Judgement, Status, Verdict
from pytest_layered_phone.printable import lines as printable

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Observation
    from pytest_layered_phone.planning.results import RunResult

ADVICE: dict[str, str] = {
    "NOT_SEEN": "Look at the picture: did the app do it? If it words it differently, quote what it shows.",
    "ONLY_IN_FIELD": "Was it sent or saved at all? If the field itself is what counts, write field(“…”).",
    "STATE_DIFFERS": "The control shows the other state: look at the picture and at the last steps.",
    "AMBIGUOUS": "Name the label as it stands on the screen, or use a fact: device.facts.setting(…).",
    "VALUE_DIFFERS": "The figure stands elsewhere on the screen: compare the picture with what the test expects.",
    "COUNT_DIFFERS": "Compare the list in the picture with the number that the test expects.",
    "STILL_THERE": "It should have gone: look at the picture and at the last steps.",
    "ANCHOR_MISSING": "The run ended on another screen than the one where absence can be judged.",
    "ABSENCE_NOT_PROVEN": "Name a text that shows the right screen: absent(“…”, anchor=“…”), or expect what is there.",
    "VACUOUS": "Begin from a state in which it is not so (phone_reset, agent.unique(…)), or say allow_already_true=True.",
    "EVIDENCE_GONE": "It was there for a moment only: look for an error in the app, or expect what stays.",
    "EVIDENCE_NOT_FOUND": "The verifier model quotes what is not there: expect a literal “text”, or use another model.",
    "EVIDENCE_MISSING": "Quote the text that must be seen, so that the harness can check it, or write visual(“…”).",
    "NOT_UNDERSTOOD": "Write state(…), absent(…), count(…), text(…) or plainer words; visual(“…”) lets a model's word count.",
    "UNTIED_EVIDENCE": "Put the decisive text in quotes, so that the harness can check it, or write visual(“…”).",
    "GOAL_NOT_COVERED": "Say with expect=… what must be seen in the end: the planner expected something else.",
    "BLIND": "The app tells no texts: visual(“…”), or phone_min_evidence = seen, lets a model's word count.",
    "DISAGREEMENT": "Read the verifier's reason: there may be an error beside the text, or the expectation may be unclear.",
    "UNSURE": "Say in the expectation what exactly can be seen at the end.",
    "APP_SAYS_NO": "What was expected stands there, and beside it that it was not done: look at the picture.",
    "PENDING": "The app was still busy: a larger phone_look_again gives it more time.",
    "GOAL_NOT_REACHED": "Every expectation may hold and the goal still be missed: read the verifier's reason.",
    "UNREADABLE_VERDICT": "The verifier model does not answer in JSON as asked; use another model (phone_verifier_model).",
    "CONTRADICTED": "The screen shows it, the phone does not have it: that is a fault of the app, or a wrong fact.",
    "FACT_DIFFERS": "The phone itself says that it is not so.",
    "NO_ACTION": "Nothing was done on the phone. If nothing is to be done, say allow_no_action=True.",
    CODE: SUGGESTION,
    "NOT_JUDGED": "The subtask after which it is judged did not come about: look at the plan.",
}
"""What to try, by code."""

_MOST_PARTS = 8
_WIDTH = 300


def explain(
    verdict: Verdict,
    *,
    verb: str,
    subject: str,
    result: RunResult | None = None,
    observation: Observation | None = None,
    pictures: Sequence[object] = (),
) -> str:
    """The whole message for a verdict.

    Args:
        verb: `run`, `check`, `wait_for`, …
        subject: the goal or the statement.
        result: the run, for its last steps; None for verbs that do nothing.
        observation: the look that the verdict rests on.
        pictures: where the pictures are, in order.
    """
    steps = (
        [f"{step.action}: {step.outcome}" if step.outcome else step.action for step in result.steps]
        if result is not None
        else []
    )
    return describe(
        verdict, verb=verb, subject=subject, steps=steps, observation=observation, pictures=[str(each) for each in pictures],
        claim="" if result is None else result.claim,
    )  # fmt: skip


def describe(
    verdict: Verdict,
    *,
    verb: str,
    subject: str,
    steps: Sequence[str] = (),
    observation: Observation | None = None,
    pictures: Sequence[str] = (),
    claim: str = "",
) -> str:
    """The message from plain values; `explain` takes them out of a run."""
    lines = [f"{_HEADS.get(verb, verb + ':')} {_short(subject)}"]
    lines.append(f"Verdict: {verdict.status.value} ({verdict.code}){_rests_on(verdict)}")
    if verdict.status is not Status.PASSED:
        lines.append(f"Reason: {_short(verdict.reason)}")
    shown = sorted(verdict.judgements, key=lambda each: each.status is Status.PASSED)[:_MOST_PARTS]
    for judgement in (each for each in verdict.judgements if each in shown):
        lines += _part(judgement, told=verdict.reason)
    if len(verdict.judgements) > len(shown):
        lines.append(f"  ... and {len(verdict.judgements) - len(shown)} more that passed")
    if observation is not None and verdict.status is not Status.PASSED:
        lines += _screen(observation)
    if steps:
        lines.append("Last steps:" if len(steps) > 3 else "Steps:")
        lines += [
            f"  {len(steps) - len(steps[-3:]) + number}. {_short(step, 160)}" for number, step in enumerate(steps[-3:], 1)
        ]
    if claim and verdict.status is not Status.PASSED:
        lines.append(f"The planner said: {_short(claim, 160)}")
    if pictures:
        lines.append("Pictures:")
        lines += [f"  {path}" for path in pictures[-3:]]
    if verdict.status is not Status.PASSED and (advice := ADVICE.get(verdict.code)):
        lines.append(f"What to try: {advice}")
    return printable("\n".join(lines))


_HEADS = {"run": "Goal:", "check": "Check:", "wait_for": "Waited for:", "ask": "Question:", "do": "Instruction:"}


def _rests_on(verdict: Verdict) -> str:
    return ", resting on the model's word only" if verdict.status is Status.PASSED and verdict.grade is Grade.SEEN else ""


def _part(judgement: Judgement, told: str) -> list[str]:
    mark = {Status.PASSED: "ok", Status.FAILED: "FAILED", Status.INCONCLUSIVE: "NOT CLEAR"}[judgement.status]
    name = "goal" if judgement.id == "goal" else judgement.id
    lines = [f"  [{mark}] {name}: {_short(judgement.statement, 200)}"]
    if judgement.status is Status.PASSED:
        return lines
    if not told.endswith(judgement.reason):
        lines.append(f"      {judgement.code}: {_short(judgement.reason)}")
    for check in [each for each in judgement.evidence if not each.holds][:2]:
        if check.found and check.found not in judgement.reason:
            lines.append(f"      {_short(check.wanted, 120)}: {_short(check.found, 160)}")
    return lines


def _screen(observation: Observation) -> list[str]:
    screen = Screen(observation)
    front = observation.foreground
    where = f"{front.package}{'/' + front.activity if front.activity else ''}" + (
        f" ({front.kind})" if front.kind != "app" else ""
    )
    texts = list(dict.fromkeys(fragment.raw for fragment in screen.texts))
    words = ", ".join(f"“{_short(text, 40)}”" for text in texts[:10]) + (
        f" and {len(texts) - 10} more" if len(texts) > 10 else ""
    )
    lines = [f"On the screen ({where}): {words or 'no text that can be read'}"]
    if observation.transient_texts:
        lines.append(
            "Messages that came and went: " + ", ".join(f"“{_short(text, 80)}”" for text in observation.transient_texts[:3])
        )
    return lines


def _short(text: str, width: int = _WIDTH) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3] + "..."
