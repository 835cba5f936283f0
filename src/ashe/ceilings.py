"""`python -m ashe.ceilings [RULE...]`: what a best response wins from each static rule player at least.

Candidates for a rule's ceiling, all in mBB/hand:
1. the exact value, where the rule never looks at its cards (CM, HM; `ashe.exploit.card_blind`),
2. what BR@RULE (learned best response) and LBR@RULE (local best response) win in duplicate matches, all-in adjusted,
3. what any player won in the matches of experiments/*/results.json,
4. what the Q-learner of the project's calibration runs won (a constant here: its code is not ours).

An exact value decides. Otherwise the candidate with the highest lower end of its 95 % interval becomes the ceiling, so
that a lucky short match does not. Every candidate but the exact one is a lower bound: so much can be won, and perhaps
more. Matches are kept in a file and played once; reports read the result (`ashe.reports.shares`).
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ashe.cachedir import cache_dir
from ashe.cards.storage import load_or_build
from ashe.cli import check_counts, check_writable, output_folder, run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan
from ashe.evaluation.results import ResultStore, StoredMatch
from ashe.exploit import card_blind
from ashe.jit import source_digest
from ashe.players.base import RulePlayer
from ashe.players.registry import make_player
from ashe.reports.shares import FILE

RULES = ("HM", "CM", "SL", "CS", "LA", "LP", "TP", "TA", "HP", "fold")
ATTACKERS = ("BR@{rule}", "LBR@{rule}")
EXACT, CALIBRATION = "exact", "Q-learning"
# mBB/hand and 95 % half-width: calibration runs of an independent implementation.
CALIBRATED = {
    "HM": (38_957, 2_038), "CM": (51_183, 1_950), "SL": (2_065, 289), "CS": (16_621, 770), "LA": (95_001, 441),
    "LP": (14_005, 387), "TP": (991, 31), "TA": (3_202, 113),
}  # fmt: skip
LEAST_HANDS = 1_000  # shorter matches say too little


@dataclass(frozen=True)
class Candidate:
    """One lower bound: who won how much."""

    source: str
    mbb: float
    ci95: float
    hands: int = 0
    seed: int = 0

    @property
    def low(self) -> float:
        return self.mbb - self.ci95


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m ashe.ceilings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("rules", metavar="RULE", nargs="*", help=f"static rule players (default: {' '.join(RULES)})")
    p.add_argument("--hands", type=int, default=20_000, help="duplicate hands an attacker (default 20000)")
    p.add_argument("--seed", type=int, default=7, help="decks and coin flips (default 7)")
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument(
        "--attack",
        metavar="PLAYER",
        nargs="*",
        help=f"attackers, {{rule}} is filled in (default: {' '.join(ATTACKERS)})",
    )
    p.add_argument("--experiments", metavar="FOLDER", type=Path, default=Path("experiments"), help="matches are here")
    p.add_argument("--out", metavar="FILE", type=Path, default=FILE, help="the table reports read (default: theirs)")
    return p


def exact(rule: str) -> Candidate:
    """By dynamic programming, once per user and version of the code."""
    path = cache_dir() / f"ceiling_{rule}.tables"
    arrays = load_or_build(
        path, source_digest(card_blind.__file__), lambda: {"mbb": np.array([card_blind.exact_ceiling(rule)])},
        f"the exact ceiling of {rule}",
    )  # fmt: skip
    return Candidate(EXACT, float(arrays["mbb"][0]), 0.0)


def of_match(match: StoredMatch) -> Candidate:
    return Candidate(match.a, match.adjusted.mean, match.adjusted.half_width, match.hands, match.seed)


def current(store: ResultStore) -> Iterator[StoredMatch]:
    """Matches of a store whose players still are what they were."""
    for entry in store.entries.values():
        try:
            plan = MatchPlan(entry["a"], entry["b"], entry["hands"], entry["half_match"], entry["seed"])
            found = store.get(plan)
        except UserError:  # a player that is gone
            continue
        if found is not None:
            yield found


def candidates(rule: str, matches: Sequence[StoredMatch]) -> list[Candidate]:
    """The best first."""
    found = [of_match(m) for m in matches if m.b == rule and m.hands >= LEAST_HANDS]
    if rule in CALIBRATED:
        found.append(Candidate(CALIBRATION, *CALIBRATED[rule]))
    found.sort(key=lambda c: -c.low)
    return [exact(rule), *found] if rule in card_blind.CARD_BLIND else found


def table_of(rules: Sequence[str], matches: Sequence[StoredMatch], kept: int = 6) -> dict[str, Any]:
    """What reports read: by rule the ceiling and the next best candidates."""
    out = {}
    for rule in rules:
        if found := candidates(rule, matches):
            out[rule] = {**asdict(found[0]), "others": [asdict(c) for c in found[1 : kept + 1]]}
    return out


def show(table: dict[str, Any]) -> str:
    lines = [f"{'':6}{'ceiling, mBB/hand':>22}   source"]
    for rule, best in table.items():
        others = "; ".join(f"{c['source']} {c['mbb']:,.0f} +- {c['ci95']:,.0f}" for c in best["others"][:3])
        value = f"{best['mbb']:,.0f} +- {best['ci95']:,.0f}"
        lines.append(f"{rule:6}{value:>22}   {best['source']}" + (f" ({others})" if others else ""))
    lines.append("Lower bounds of what a best response wins, but for the exact ones.")
    return "\n".join(lines)


def read(path: Path) -> dict[str, Any]:
    """The table as it is now; empty where there is none."""
    try:
        known: dict[str, Any] = json.loads(path.read_text())["players"]
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, OSError) as error:
        raise UserError(f"{path} is no table of ceilings ({error}); delete it or name another with --out") from error
    return known


def check_rules(rules: Sequence[str]) -> None:
    for rule in rules:
        player = make_player(rule)
        if not isinstance(player, RulePlayer) or not player.static:
            raise UserError(f"player {rule} is no static rule player; ceilings are found for {', '.join(RULES)}")


def main() -> int:
    args = parser().parse_args()
    rules = tuple(args.rules) or RULES
    check_rules(rules)
    check_counts(workers=args.workers)
    check_writable((args.out,))
    known = read(args.out)
    attackers = ATTACKERS if args.attack is None else args.attack
    half = min(1_000, max(args.hands // 2, 1))
    plans = [MatchPlan(a.replace("{rule}", r), r, args.hands, half, args.seed) for r in rules for a in attackers]
    for plan in plans:
        if not plan.a.startswith("BR@"):  # those learn when they are made
            make_player(plan.a)
    folder = output_folder(args.experiments / "ceilings")
    store = ResultStore(folder / "results.json")
    with tqdm(total=len(plans), unit="match", leave=False, disable=None) as bar:
        for plan in plans:  # one by one: learning a response is part of making its player
            bar.set_postfix_str(f"{plan.a}")
            for match in store.play([plan], args.workers):
                tqdm.write(f"{match.a} wins {match.adjusted} mBB/hand (all-in adjusted)", file=sys.stderr)
            bar.update()
    matches = [m for path in sorted(args.experiments.glob("*/results.json")) for m in current(ResultStore(path))]
    table = {**known, **table_of(rules, matches)}
    table = {rule: table[rule] for rule in (*RULES, *sorted(set(table) - set(RULES))) if rule in table}
    write_atomic(args.out, json.dumps({"command": "python -m ashe.ceilings", "players": table}, indent=1) + "\n")
    print(show(table))
    return 0


if __name__ == "__main__":
    run(main)
