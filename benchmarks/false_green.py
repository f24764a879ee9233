"""The matrix of false greens: planted faults and lying models, each on the goals that must show it.

    python benchmarks/false_green.py --rounds 3
    python benchmarks/false_green.py --only switch --no-replay

Each cell is one test in a real pytest session: real adb, a virtual phone, HTTP to the pilot or to a liar in front of it.
Printed are false greens (a fault or a lie that passed), false reds (the clean or merely slow app that did not pass), wrong
classes (failure where an error is due, or the reverse), and for every red whether its reason names what was planted.
Exit code 1 where a false green, a false red or a wrong class was found.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e.app_faults import CLEAN_GOALS, FAULTS, GREEN, RED, Planted
from tests.e2e.chain import Case, Chain, Result
from tests.e2e.lies import TOLD

TWINS = {
    "send": ("send", "send_noexpect", "send_count"),
    "wifi": ("wifi", "wifi_noexpect"),
}
"""Goals on which a fault of another one must show, too: the planner writes the expectation, or it counts."""
TRUSTING = ("verifier_without_evidence", "verifier_quotes_expectation")
"""Lying verifiers; each red fault must stay red with them."""
UNLIKE = frozenset({"asked_total"})
"""Faults whose test asks a question: these verifiers do not lie about answers."""


@dataclass(frozen=True)
class Cell:
    """One test of the matrix and how it must end; `says` is a regular expression for the reason."""

    group: str
    case: Case
    mode: str
    ends: frozenset[str]
    says: str = ""
    cassette: str = ""


@dataclass(frozen=True)
class Row:
    """How one cell ended in one round."""

    round: int
    group: str
    name: str
    goal: str
    mode: str
    outcome: str
    code: str
    verdict: str
    names_it: bool | None
    seconds: float


def cells(replay: bool) -> list[Cell]:
    """The whole matrix."""
    found = [Cell("clean app", Case(f"clean-{goal}", goal), "live", GREEN) for goal in CLEAN_GOALS]
    for planted in FAULTS:
        slow = "slow phone or app" if planted.live == GREEN else "app faults"
        for goal in TWINS.get(planted.goal, (planted.goal,)) if planted.live == RED else (planted.goal,):
            case = Case(f"{planted.name}-{goal}", goal, planted.faults)
            found.append(Cell(slow, case, "live", planted.live, _says(planted, goal)))
        if planted.live == RED and planted.name not in UNLIKE:
            for lie in TRUSTING:
                case = Case(f"{planted.name}-{lie}", planted.goal, planted.faults, lie)
                found.append(Cell("app faults with a lying verifier", case, "live", RED, planted.says))
    for told in TOLD:
        group = "broken endpoints" if told.ends == "error" and "UNREADABLE" not in told.says else "lying models"
        found.append(Cell(group, told.case, "live", frozenset({told.ends}), told.says))
    if replay:
        for goal in CLEAN_GOALS:
            found.append(Cell("clean app, replayed", Case(f"clean-{goal}", goal), "replay", GREEN))
        for planted in FAULTS:
            if planted.goal in CLEAN_GOALS:
                slow = "slow phone or app, replayed" if planted.replay == GREEN else "app faults, replayed"
                found.append(Cell(slow, planted.case, "replay", planted.replay, planted.replay_says))
    return found


def _says(planted: Planted, goal: str) -> str:
    """What the reason must name. On another goal the same text is missed with other words."""
    if goal == planted.goal:
        return planted.says
    quoted = re.findall(r"“([^”]*)”", planted.says)
    return quoted[0] if quoted else planted.says


def judged(cell: Cell, result: Result, number: int) -> Row:
    """What a result means for its cell."""
    if result.outcome in cell.ends:
        verdict = "ok"
    elif result.outcome == "passed":
        verdict = "FALSE GREEN"
    elif cell.ends == GREEN:
        verdict = "FALSE RED"
    else:
        verdict = "WRONG CLASS"
    names = None if result.outcome == "passed" else not cell.says or bool(re.search(cell.says, result.message, re.DOTALL))
    code = re.search(r"Verdict: \w+ \((\w+)\)|\b([A-Z]+(?:_[A-Z]+)+)\b", result.message)
    return Row(
        number, cell.group, cell.case.name, cell.case.goal, cell.mode, result.outcome,
        (code[1] or code[2]) if code and result.outcome != "passed" else "", verdict, names, round(result.seconds, 2),
    )  # fmt: skip


def run(chain: Chain, matrix: Sequence[Cell], number: int) -> list[Row]:
    """One round of the matrix."""
    live = [cell for cell in matrix if cell.mode == "live"]
    replayed = [cell for cell in matrix if cell.mode == "replay"]
    rows: list[Row] = []
    if live:
        results = chain.run([cell.case for cell in live], options=["--phone-model-timeout=6"], timeout_s=7200)
        rows += [judged(cell, results[cell.case.name], number) for cell in live]
    if replayed:
        goals = sorted({cell.case.goal for cell in replayed})
        recorded = chain.run([Case(goal, goal) for goal in goals], mode="record", timeout_s=7200)
        cassettes = chain.last_root
        playable = [cell for cell in replayed if recorded[cell.case.goal].outcome == "passed"]
        rows += [judged(cell, recorded[cell.case.goal], number) for cell in replayed if cell not in playable]
        results = chain.run(
            [cell.case for cell in playable], mode="replay", cassettes=cassettes,
            options=["--phone-settle-timeout=2.5"], timeout_s=7200,
        )  # fmt: skip
        rows += [judged(cell, results[cell.case.name], number) for cell in playable]
    return rows


def show(rows: Sequence[Row], seconds: float) -> None:
    """Prints the matrix and what it comes to."""
    print(f"\n{'group':34} {'cell':58} {'mode':7} {'outcome':8} {'code':22} {'named':6} verdict")
    for row in rows:
        named = {None: "-", True: "yes", False: "NO"}[row.names_it]
        print(f"{row.group:34} {row.name:58} {row.mode:7} {row.outcome:8} {row.code:22} {named:6} {row.verdict}")
    print(f"\n{'group':34} {'runs':>5} {'ok':>5} {'false green':>12} {'false red':>10} {'wrong class':>12} {'reds named':>12}")
    for group in [*dict.fromkeys(row.group for row in rows), "all"]:
        of = [row for row in rows if group in (row.group, "all")]
        verdicts = [row.verdict for row in of]
        reds = [row for row in of if row.names_it is not None]
        named = f"{sum(bool(row.names_it) for row in reds)}/{len(reds)}"
        print(
            f"{group:34} {len(of):5} {verdicts.count('ok'):5} {verdicts.count('FALSE GREEN'):12} "
            f"{verdicts.count('FALSE RED'):10} {verdicts.count('WRONG CLASS'):12} {named:>12}"
        )
    print(f"\n{seconds:.0f} s")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The matrix of false greens on the virtual phone.")
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is run (1)")
    parser.add_argument("--phones", type=int, default=2, help="how many phones, and so tests at the same time (2)")
    parser.add_argument("--only", default="", help="regular expression for the names of the cells")
    parser.add_argument("--no-replay", action="store_true", help="leave the replays out")
    parser.add_argument("--json", type=Path, help="file for the rows as JSON")
    options = parser.parse_args(arguments)
    matrix = [cell for cell in cells(not options.no_replay) if re.search(options.only, cell.case.name)]
    started = time.monotonic()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="false-green-") as home, closing(Chain(Path(home), phones=options.phones)) as chain:
        for number in range(1, options.rounds + 1):
            rows += run(chain, matrix, number)
            print(f"round {number} of {options.rounds}: {len(rows)} runs so far", file=sys.stderr)
    show(rows, time.monotonic() - started)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1), encoding="utf-8")
    return int(any(row.verdict != "ok" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
