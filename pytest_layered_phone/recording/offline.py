"""Playing without a phone and without a model: every answer comes from the tape, and nothing else is ever given."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.facts import FactContext, Facts
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, DeviceInfo
from pytest_layered_phone.errors import CassetteError, ScreenDivergedError
from pytest_layered_phone.models.types import ChatReply, ChatRequest, OnText, Role, ToolCall
from pytest_layered_phone.recording.judgements import Judgements
from pytest_layered_phone.recording.mismatch import closest, mismatch, quoted
from pytest_layered_phone.recording.redaction import MASK, Redactor, hidden_values
from pytest_layered_phone.recording.seam import FACT, Arguments, SeamDevice
from pytest_layered_phone.recording.tape import Action, Answer, Exchange, Spot, Tape, arguments_key, call_text

T = TypeVar("T")


class Substitution(Protocol):
    """Names that differ between the recording and this run."""

    def to_recorded(self, text: str) -> str: ...

    def to_live(self, text: str) -> str: ...


class SameNames:
    """Offline nothing differs."""

    def to_recorded(self, text: str) -> str:
        return text

    def to_live(self, text: str) -> str:
        return text


class Player:
    """What the players of one test share: the tape, who asks, and whether the test still is the recorded one.

    Attributes:
        refusal: set when the test was found to ask for something else than was recorded, or the phone to show something else;
            raised at every later call.
        live: whether there is a real phone: a `•••` in a reply must be turned into the secret again, and a judgement may take
            more or fewer looks than when it was recorded.
        judgements: what the recorded judgements rest on.
    """

    def __init__(self, tape: Tape, redactor: Redactor, names: Substitution, *, address: str = "", live: bool = False) -> None:
        self.tape = tape
        self.redactor = redactor
        self.names = names
        self.address = address
        self.live = live
        self.judgements = Judgements(tape)
        self.refusal: CassetteError | ScreenDivergedError | None = None
        self._hidden: dict[str, None] = {}

    def check(self, actor: str = "") -> None:
        """Raises the refusal. The test's own calls go on: its fixtures may tidy up."""
        if self.refusal is not None and actor != "author":
            raise copy.copy(self.refusal)

    def as_recorded(self, text: str) -> str:
        """A text of this run in the recording's words: its names, without secrets."""
        return self.redactor.text(self.names.to_recorded(text))

    def same(self, recorded: str, asked: str) -> bool:
        """Whether a text of this run is the recorded one; learns what a `•••` stood for."""
        found = hidden_values(recorded, self.as_recorded(asked))
        if found is None:
            return False
        plain = hidden_values(recorded, self.names.to_recorded(asked)) or ()
        self._hidden.update(dict.fromkeys(plain))
        return True

    def to_live(self, text: str) -> str:
        """A recorded text in this run's words.

        Raises:
            CassetteError: `CASSETTE_SECRET`: it holds a secret that this run does not know.
        """
        text = self.names.to_live(text)
        if not self.live or MASK not in text:
            return text
        if len(self._hidden) != 1:
            raise CassetteError(
                "a recorded reply types a secret, and "
                + ("the test names several" if self._hidden else "nothing in the test's words says which"),
                code="CASSETTE_SECRET",
                suggestion="Name the secret in the goal, type it with device.type_text, or run this test live.",
            )
        return text.replace(MASK, next(iter(self._hidden)))

    def mismatch(self, title: str, rows: list[tuple[str, str]], nearest: list[str]) -> CassetteError:
        return mismatch(title, rows, nearest, self.address)


class ReplayModel:
    """A `ChatModel` that says what the tape holds. It never sees a network.

    Args:
        role: whose replies.
        player: the tape and what goes with it.
    """

    def __init__(self, role: Role, player: Player) -> None:
        self._role = role
        self._player = player

    @property
    def name(self) -> str:
        """The configured name of the model that was recorded."""
        return self._player.tape.header.models.get(self._role, "")

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        player = self._player
        player.check()
        n = player.tape.next_ordinal("exchange", request.seat.key)
        entry = player.tape.exchange(request.seat, n)
        if player.live and request.seat.role == "verifier":
            entry = self._last_word(request) or entry
        if entry is None:
            raise self._missing(request, n)
        if not player.same(entry.subject, request.subject):
            raise player.mismatch(
                f"the test asks {entry.seat.key} for something else than was recorded",
                [("recorded", quoted(entry.subject)), ("asked", quoted(player.as_recorded(request.subject)))],
                [],
            )
        player.tape.use(entry)
        if entry.error is not None:
            raise copy.copy(entry.error)
        reply = self._in_our_words(cast(ChatReply, entry.reply))
        if on_text is not None:
            for kind, text in (("reasoning", reply.reasoning), ("content", reply.content)):
                if text:
                    on_text(kind, text)
        return reply

    def _last_word(self, request: ChatRequest) -> Exchange | None:
        """On a live phone the recorded final screen is judged, so by what was said last about it."""
        player = self._player
        recorded = player.judgements.exchanges(request.seat.run, request.seat.purpose)
        same = [entry for entry in recorded if player.same(entry.subject, request.subject)]
        for entry in same:
            player.tape.use(entry)
        return same[-1] if same else None

    def _in_our_words(self, reply: ChatReply) -> ChatReply:
        to_live = self._player.to_live
        calls = tuple(ToolCall(call.id, call.name, to_live(call.arguments)) for call in reply.tool_calls)
        return replace(reply, content=to_live(reply.content), reasoning=self._player.names.to_live(reply.reasoning),
                       tool_calls=calls, replayed=True)  # fmt: skip

    def _missing(self, request: ChatRequest, n: int) -> CassetteError:
        seat = request.seat
        recorded = {e.label: e for e in self._player.tape if isinstance(e, Exchange)}
        same_run = {label: e for label, e in recorded.items() if e.seat.run == seat.run and e.seat.role == seat.role}
        near = closest(seat.key, same_run or recorded)
        shown = [f"{label}  {quoted(recorded[label].subject)}" for label in near]
        best = recorded[near[0]] if near else None
        rows = [
            ("recorded", f"{best.label}  {quoted(best.subject)}" if best else "(no exchange at all)"),
            ("asked", f"{seat.key}{'' if n == 1 else f' (again, {n})'}  {quoted(self._player.as_recorded(request.subject))}"),
        ]
        return self._player.mismatch(
            f"the recording holds no reply of the {seat.role} at this place (run {seat.run}, {seat.purpose}"
            + (f", subtask {seat.subtask}" if seat.subtask else "")
            + f", step {seat.step}, attempt {seat.attempt})",
            rows,
            shown[1:],
        )


class OfflineDevice(SeamDevice):
    """A `Device` that answers from the tape; what is done to it must be what was done when it was recorded."""

    def __init__(self, logical: str, player: Player, place: Place) -> None:
        super().__init__(logical)
        self._player = player
        self._place = place
        # Recordings were made before readings of one fact were kept together.
        self._facts_apart = any(isinstance(entry, Answer) and FACT in entry.arguments for entry in player.tape)
        self._facts = Facts(self, FactContext(clock=InstantClock(), polling=self._polling))

    @property
    def serial(self) -> str:
        return self.info().serial

    def _spot(self) -> str:
        return Spot.of(self._place).key

    def info(self) -> DeviceInfo:
        phones = self._player.tape.header.phones
        if self._logical not in phones:
            raise self._player.mismatch(
                f"the recording has no phone {self._logical}",
                [("recorded", ", ".join(phones) or "(no phone)"), ("asked", self._logical)],
                [],
            )
        return phones[self._logical]

    def _look(self, primitive: str, arguments: Arguments, call: Callable[[Device], T]) -> T:
        self._player.check(self._place.actor)
        tape, spot = self._player.tape, Spot.of(self._place)
        arguments = clean_arguments(self._in_fact(arguments) if self._facts_apart else arguments, self._player)
        n = tape.next_ordinal("answer", self._logical, spot.key, primitive, arguments_key(arguments))
        found = tape.answers(self._logical, spot, primitive, arguments)
        if n > len(found) and found and (spot.actor == "harness" or FACT in arguments):
            n = len(found)  # a fact that was true then is not true by today's test, so it is read again: it stays what it was
        if n > len(found):
            raise missing_call(self._player, self._logical, spot, primitive, arguments, n, Answer)
        entry = found[n - 1]
        tape.use(entry)
        if entry.error is not None:
            raise copy.copy(entry.error)
        return cast(T, entry.value)

    def _act(self, primitive: str, arguments: Arguments, call: Callable[[Device], None]) -> None:
        self._player.check(self._place.actor)
        if self._place.actor == "harness":  # it puts phones back and tidies up; there is no phone, and no answer is given
            return
        entry = recorded_action(self._player, self._logical, Spot.of(self._place), primitive, arguments)
        if not same_arguments(entry.arguments, arguments, self._player):
            raise other_action(self._player, entry, primitive, arguments)
        self._player.tape.use(entry)
        if entry.error is not None:
            raise copy.copy(entry.error)


def recorded_action(player: Player, phone: str, spot: Spot, primitive: str, arguments: Arguments) -> Action:
    """The recorded action that comes now: the next one at this spot; for the author the next one of this kind and arguments.

    Raises:
        CassetteError: none was recorded, or one of another kind.
    """
    author = spot.actor == "author"
    recorded = player.tape.actions(phone, spot)
    key = arguments_key(clean_arguments(arguments, player))
    if author:
        recorded = tuple(a for a in recorded if a.do == primitive and same_arguments(a.arguments, arguments, player))
    n = player.tape.next_ordinal("action", phone, spot.key, *((primitive, key) if author else ()))
    if n > len(recorded):
        raise missing_call(player, phone, spot, primitive, arguments, n, Action)
    entry = recorded[n - 1]
    if entry.do != primitive:
        raise other_action(player, entry, primitive, arguments)
    return entry


def same_arguments(recorded: Mapping[str, Any], asked: Arguments, player: Player, ignore: frozenset[str] = frozenset()) -> bool:
    """Whether the arguments of a call are the recorded ones; texts in this run's names, secrets by their mask."""
    if set(recorded) != set(asked):
        return False
    for key in recorded.keys() - ignore:
        one, other = recorded[key], asked[key]
        if isinstance(one, str) and isinstance(other, str):
            if one != other and not player.same(one, other):
                return False
        elif one != other:
            return False
    return True


def clean_arguments(arguments: Arguments, player: Player) -> Arguments:
    """Arguments in the recording's words."""
    return {
        key: player.as_recorded(value) if isinstance(value, str)
        else [player.as_recorded(part) for part in value] if isinstance(value, list) else value
        for key, value in arguments.items()
    }  # fmt: skip


def other_action(player: Player, entry: Action, primitive: str, arguments: Arguments) -> CassetteError:
    """The error for an action that is not the recorded one."""
    meant = f"  on {entry.target}" if entry.target else ""
    return player.mismatch(
        f"something else is done on phone {entry.phone} at {entry.spot.key} than was recorded",
        [
            ("recorded", call_text(entry.do, entry.arguments) + meant),
            ("asked", call_text(primitive, clean_arguments(arguments, player))),
        ],
        [],
    )


def missing_call(
    player: Player, phone: str, spot: Spot, primitive: str, arguments: Arguments, n: int, kind: type[Answer] | type[Action]
) -> CassetteError:
    """The error for a call that the tape does not hold."""
    asked = f"{spot.key} {call_text(primitive, clean_arguments(arguments, player))} #{n} on phone {phone}"
    entries = [e for e in player.tape if isinstance(e, (Answer, Action))]
    same_kind = [e.label for e in entries if isinstance(e, kind) and e.spot.run == spot.run] or [e.label for e in entries]
    near = closest(asked, same_kind)
    return player.mismatch(
        f"the recording holds no {primitive} at this place",
        [("recorded", near[0] if near else "(nothing)"), ("asked", asked)],
        near[1:],
    )
