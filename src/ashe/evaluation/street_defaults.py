"""`python -m ashe.evaluation.street_defaults`: measure the default features and write them to trees/defaults.json.

Each of the eight training opponents is watched while it plays each of the eight (itself included), the same number of
hands in both positions. For every street the rates of a tree node are averaged over all visits of nodes of that
street, as if they were one node; then opponents are averaged with equal weight.
"""

import argparse
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cli import run, write_atomic
from ashe.evaluation.match import MatchPlan, play_portion
from ashe.evaluation.tables import Tables
from ashe.game import engine as e
from ashe.game.hand import Hand
from ashe.game.view import Action
from ashe.trees.defaults import FILE
from ashe.trees.edges import SLOTS, slot_of

TRAINING = ("HM", "CM", "SL", "CS", "LA", "LP", "TP", "TA")
VISITS, SHOWDOWNS, FOLDS, STRENGTH, TURNS, NEXT = 0, 1, 2, 3, 4, 5


class Watch:
    """Sums [4, 5 + 9] by street over the hands of one match; slot 1 is the opponent that is watched."""

    def __init__(self) -> None:
        self.sums: NDArray[np.float64] = np.zeros((4, NEXT + SLOTS))

    def __call__(self, tables: Tables, ended: NDArray[np.int64]) -> None:
        for t in ended:
            self.add(tables, int(t))

    def add(self, tables: Tables, t: int) -> None:
        seat = tables.seat_of(t, 1)
        hand = Hand(tables.rules)
        visited = [0]
        for event in tables.events(t):
            street = hand.street
            if event.seat == seat:
                most = hand.bets[seat] + hand.stacks[seat]
                bet = max(hand.bets)
                slot = slot_of(False, event.kind, event.to, bet, hand.pot, hand.call_cost, most)
                self.sums[street, TURNS] += 1
                self.sums[street, NEXT + slot] += 1
            hand.act(Action(event.kind, event.to))
            if not hand.over:
                visited.append(hand.street)
        showdown = hand.street == e.SHOWDOWN
        folded = not showdown and not (int(hand.row[0, e.LIVE]) >> seat) & 1
        ehs = tables.deal.ehs[tables.deck_row(t), seat]
        for street in visited:
            self.sums[street, VISITS] += 1
            self.sums[street, SHOWDOWNS] += showdown
            self.sums[street, FOLDS] += folded
            self.sums[street, STRENGTH] += ehs[street] if showdown else 0.0


def measure(hands: int, seed: int) -> dict[str, Any]:
    """The averages, `hands` per pair of players."""
    rates = []
    for opponent in TRAINING:
        watch = Watch()
        for other in TRAINING:
            plan = MatchPlan(other, opponent, hands, hands // 2, seed)
            play_portion(plan, 0, plan.matches, watch)
        s = watch.sums
        strength = s[:, STRENGTH] / s[:, SHOWDOWNS]
        rates.append(
            np.column_stack(
                [s[:, SHOWDOWNS] / s[:, VISITS], s[:, FOLDS] / s[:, VISITS], strength, s[:, NEXT:] / s[:, TURNS, None]]
            )
        )
    mean = np.mean(rates, axis=0)
    streets = [
        {
            "showdown_rate": round(float(row[0]), 4),
            "fold_rate": round(float(row[1]), 4),
            "strength": round(float(row[2]), 4),
            "next": [round(float(x), 4) for x in row[3:]],
        }
        for row in mean
    ]
    command = f"python -m ashe.evaluation.street_defaults --hands {hands} --seed {seed}"
    return {"command": command, "opponents": list(TRAINING), "against": list(TRAINING), "streets": streets}


def main() -> int:
    p = argparse.ArgumentParser(prog="python -m ashe.evaluation.street_defaults", description=__doc__)
    p.add_argument("--hands", type=int, default=2_000, help="hands per pair, both halves together (default 2000)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", default=str(FILE), help="file to write (default: the one in the package)")
    args = p.parse_args()
    measured = {"training8": measure(args.hands, args.seed)}
    write_atomic(args.out, json.dumps(measured, indent=1) + "\n")
    for street, row in enumerate(measured["training8"]["streets"]):
        print(street, row)
    return 0


if __name__ == "__main__":
    run(main)
