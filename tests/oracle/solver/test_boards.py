"""The walk with all hands at once against a pair-by-pair recursion."""

import numpy as np
import pytest
from phevaluator import evaluate_cards

from ashe.cards.deck import HOLE_A, HOLE_B, parse_cards
from ashe.solver import boards as k
from ashe.solver.abstraction import live_holes
from ashe.solver.betting import BettingConfig, betting_tree

BOARD = parse_cards("2h9hJcKdKs")
BUCKETS = (3, 3, 2, 4)
TREE, _ = betting_tree(BettingConfig(preflop=((1.0,), ()), flop=((2.0,), ()), turn=((),), river=((1.0,), ())), BUCKETS)
RNG = np.random.default_rng(2)
HOLES = np.sort(np.concatenate([[0], RNG.choice(live_holes(BOARD)[1:], 13, replace=False)]))
HOLES = HOLES[~np.isin(HOLE_A[HOLES], BOARD) & ~np.isin(HOLE_B[HOLES], BOARD)]
LOW, HIGH = HOLE_A[HOLES].astype(np.int64), HOLE_B[HOLES].astype(np.int64)
IN_BUCKET = np.array([RNG.integers(0, n, len(HOLES)) for n in BUCKETS], np.int32)
RANKS = [evaluate_cards(*BOARD, int(a), int(b)) for a, b in zip(LOW, HIGH, strict=True)]
PLACES = TREE.places(BUCKETS)


def random_strategy():
    out = RNG.random(PLACES).astype(np.float32) * (RNG.random(PLACES) < 0.7)
    for node in range(TREE.nodes):
        n, first = int(TREE.actions[node]), int(TREE.base[node])
        rows = out[first : first + n * BUCKETS[TREE.round[node]]].reshape(-1, n)
        rows[rows.sum(axis=1) == 0] = 1.0
        rows /= rows.sum(axis=1, keepdims=True)
    return out


def arrays():
    ranks, order, group = (np.empty(len(HOLES), np.int64) for _ in range(3))
    k.hand_ranks(*BOARD, LOW, HIGH, ranks)
    assert ranks.tolist() == RANKS
    k.river_order(ranks, order, group)
    return IN_BUCKET, LOW, HIGH, order, group


def slow_value(me, mine, sigma, gains=None):
    """Expected winnings of `me` over all pairs; `gains` collects what each action is worth more than its node."""
    scale = 1.0 / (1081 * 990)

    def visit(node, h, other, reach):
        if node < 0:
            end = -1 - node
            value = float(TREE.value[end])
            if TREE.showdown[end]:
                return value * np.sign(RANKS[other] - RANKS[h])
            return value if me == 0 else -value
        n, first = int(TREE.actions[node]), int(TREE.edge[node])
        holder = h if TREE.player[node] == me else other
        slot = int(TREE.base[node]) + int(IN_BUCKET[TREE.round[node], holder]) * n
        table = mine if TREE.player[node] == me else sigma
        p = table[slot : slot + n].astype(float)
        passed = [reach * (1.0 if TREE.player[node] == me else p[a]) for a in range(n)]
        values = [visit(int(TREE.child[first + a]), h, other, passed[a]) if passed[a] > 0 else 0.0 for a in range(n)]
        value = float(np.dot(p, values))
        if gains is not None and TREE.player[node] == me:
            gains[slot : slot + n] += reach * scale * (np.array(values) - value)
        return value

    pairs = [
        (h, o)
        for h in range(len(HOLES))
        for o in range(len(HOLES))
        if not {int(LOW[h]), int(HIGH[h])} & {int(LOW[o]), int(HIGH[o])}
    ]
    assert len(pairs) < len(HOLES) * (len(HOLES) - 1)  # some hands share a card
    return scale * sum(visit(0, h, o, 1.0) for h, o in pairs)


@pytest.mark.parametrize("me", [0, 1])
def test_values_and_regrets_are_those_of_all_pairs(me):
    sigma, mine = random_strategy(), random_strategy()
    known = arrays()
    regret = mine.copy()  # regret matching on probabilities plays them
    expected = slow_value(me, mine, sigma)
    assert k.respond(*TREE, me, *known, sigma, regret, 0.0, False) == pytest.approx(expected, rel=1e-5)
    gains = np.zeros(PLACES)
    slow_value(me, mine, sigma, gains)
    k.respond(*TREE, me, *known, sigma, regret, 1e6, False)
    assert (regret - mine) == pytest.approx(1e6 * gains, rel=1e-3, abs=1e-3)


def test_nobody_wins_from_himself():
    sigma, known = random_strategy(), arrays()
    seats = [k.respond(*TREE, me, *known, sigma, sigma.copy(), 0.0, False) for me in (0, 1)]
    assert sum(seats) == pytest.approx(0.0, abs=1e-9)
    assert abs(seats[0]) > 1e-6


def test_a_response_learns():
    """On one board a hundred times over, a response ends well above the strategy's own value."""
    sigma, known = random_strategy(), arrays()
    regret = np.zeros(PLACES, np.float32)
    for i in range(100):
        for me in (0, 1):
            k.respond(*TREE, me, *known, sigma, regret, i + 1.0, False)
    won = sum(k.respond(*TREE, me, *known, sigma, regret, 0.0, True) for me in (0, 1))
    mixed = sum(k.respond(*TREE, me, *known, sigma, regret, 0.0, False) for me in (0, 1))
    assert won > 1e-5
    assert won == pytest.approx(mixed, rel=0.1)
