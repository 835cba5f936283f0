"""Kuhn and Leduc poker as flat games, with all their deals: proof that the solver solves.

Rules as in OpenSpiel's `kuhn_poker` and `leduc_poker`, so that its exploitability can be compared.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np

from ashe.cards.random import derive_key
from ashe.solver.tree import Deals, Decision, Terminal, Tree, grow

FOLD, CALL, RAISE = "fold", "call", "raise"
KUHN_VALUE = -1 / 18  # to player 0


class Enumerated:
    """The chance of a game small enough to list: equally likely deals."""

    def __init__(self, deals: Deals, buckets: tuple[int, ...]) -> None:
        self.deals = deals
        self.buckets = buckets

    def sample(self, key: int, count: int) -> Deals:
        rows = np.random.default_rng(derive_key(int(key))).integers(0, len(self.deals.outcome), count)
        return Deals(self.deals.buckets[rows], self.deals.outcome[rows])


class SmallGame(NamedTuple):
    name: str  # OpenSpiel's
    tree: Tree
    labels: list[str]
    chance: Enumerated


class _State(NamedTuple):
    round: int
    actor: int
    totals: tuple[int, int]
    raises: int
    acted: bool


def _limit_game(name: str, bets: tuple[int, ...], max_raises: int, chance: Enumerated) -> SmallGame:
    """Ante 1; in each round bets of a fixed size, `max_raises` at most; player 0 acts first."""

    def expand(state: _State | Terminal) -> Decision | Terminal:
        if isinstance(state, Terminal):
            return state
        me, other = state.totals[state.actor], state.totals[1 - state.actor]
        level = max(me, other)
        actions: list[tuple[str, _State | Terminal]] = []
        if other > me:
            actions.append((FOLD, Terminal(-me if state.actor == 0 else me, False, state.round)))
        if not state.acted:
            actions.append((CALL, _State(state.round, 1, state.totals, 0, True)))
        elif state.round == len(bets) - 1:
            actions.append((CALL, Terminal(level, True, state.round)))
        else:
            actions.append((CALL, _State(state.round + 1, 0, (level, level), 0, False)))
        if state.raises < max_raises:
            to = level + bets[state.round]
            totals = (to, other) if state.actor == 0 else (other, to)
            actions.append((RAISE, _State(state.round, 1 - state.actor, totals, state.raises + 1, True)))
        return Decision(state.actor, state.round, actions)

    tree, labels = grow(_State(0, 0, (1, 1), 0, False), expand, chance.buckets)
    return SmallGame(name, tree, labels, chance)


def kuhn() -> SmallGame:
    """Three cards, one round, one bet of 1."""
    deals = list(permutations(range(3), 2))
    buckets = np.array(deals, np.int32)[:, :, None]
    outcome = np.array([[1.0 if a > b else -1.0] for a, b in deals], np.float32)
    return _limit_game("kuhn_poker", (1,), 1, Enumerated(Deals(buckets, outcome), (3,)))


def leduc() -> SmallGame:
    """Two suits of three ranks (card // 2), bets of 2 then 4, two raises a round; a pair with the board wins."""
    deals = [(a // 2, b // 2, c // 2) for a, b, c in permutations(range(6), 3)]
    buckets = np.array([[[a, 3 * a + c], [b, 3 * b + c]] for a, b, c in deals], np.int32)
    worth = [(10 if a == c else a, 10 if b == c else b) for a, b, c in deals]
    outcome = np.array([[float(np.sign(x - y))] * 2 for x, y in worth], np.float32)
    return _limit_game("leduc_poker", (2, 4), 2, Enumerated(Deals(buckets, outcome), (3, 9)))
