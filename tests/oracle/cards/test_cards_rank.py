"""The compiled evaluator against phevaluator, whose numbers it must return exactly."""

from itertools import combinations, starmap

import numpy as np
from numba import njit
from phevaluator import evaluate_5cards, evaluate_6cards, evaluate_7cards

from ashe.cards import rank
from ashe.cards.rank import rank5, rank6, rank7
from ashe.cards.rank_tables import build_rank_tables


@njit
def _ranks5(out: np.ndarray) -> None:
    n = 0
    for a in range(52):
        for b in range(a + 1, 52):
            for c in range(b + 1, 52):
                for d in range(c + 1, 52):
                    for e in range(d + 1, 52):
                        out[n] = rank5(a, b, c, d, e)
                        n += 1


@njit
def _ranks6(hands: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(hands)):
        h = hands[i]
        out[i] = rank6(h[0], h[1], h[2], h[3], h[4], h[5])


@njit
def _ranks7(hands: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(hands)):
        h = hands[i]
        out[i] = rank7(h[0], h[1], h[2], h[3], h[4], h[5], h[6])


def _random_hands(n: int, size: int, seed: int) -> np.ndarray:
    return np.argpartition(np.random.default_rng(seed).random((n, 52), dtype=np.float32), size)[:, :size].copy()


def test_all_five_card_hands() -> None:
    ours = np.zeros(2_598_960, dtype=np.int64)
    _ranks5(ours)
    theirs = np.fromiter(starmap(evaluate_5cards, combinations(range(52), 5)), dtype=np.int64, count=len(ours))
    assert np.array_equal(ours, theirs)
    assert np.array_equal(np.unique(ours), np.arange(1, 7463))


def test_random_six_card_hands() -> None:
    hands = _random_hands(300_000, 6, 6)
    ours = np.zeros(len(hands), dtype=np.int64)
    _ranks6(hands, ours)
    theirs = np.fromiter(starmap(evaluate_6cards, hands.tolist()), dtype=np.int64, count=len(ours))
    assert np.array_equal(ours, theirs)


def test_a_million_random_seven_card_hands() -> None:
    hands = _random_hands(1_000_000, 7, 7)
    ours = np.zeros(len(hands), dtype=np.int64)
    _ranks7(hands, ours)
    theirs = np.fromiter(starmap(evaluate_7cards, hands.tolist()), dtype=np.int64, count=len(ours))
    assert np.array_equal(ours, theirs)


def test_shipped_tables_are_what_the_builder_makes() -> None:
    built = build_rank_tables()
    assert np.array_equal(built["offset"], rank.OFFSET)
    assert np.array_equal(built["lookup"], rank.LOOKUP)
    assert np.array_equal(built["flush"], rank.FLUSH)
