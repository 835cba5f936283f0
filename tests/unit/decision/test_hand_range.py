"""HRE's intervals and p_win (D 8.2; spec, sections 8 and 10)."""

import numpy as np
import pytest

from ashe.cards.equity import stronger_and_ties
from ashe.cards.river import river_pass
from ashe.decision.beliefs import range_guess, range_probabilities
from ashe.decision.hand_range import (
    LOWER,
    NAMES,
    UNIFORM,
    UPPER,
    delta,
    interval_of,
    opponent_rank,
    showdown_equity,
    stronger_hands,
)
from ashe.decision.runouts import river_counts


def test_intervals_are_the_published_ones():
    assert NAMES == ("1-25", "26-50", "51-100", "101-150", "151-250", "251-350", "351-500", "501-650", "651-990")
    assert [interval_of(r) for r in (1, 25, 26, 50, 51, 650, 651, 990)] == [0, 0, 1, 1, 2, 7, 8, 8]
    assert UNIFORM.sum() == pytest.approx(1)


def test_delta():
    assert delta(0, 0, 25) == delta(25, 25, 50) == 0
    assert delta(5, 0, 25) == 0.2
    assert delta(25, 0, 25) == delta(900, 500, 650) == 1


@pytest.mark.parametrize("r", [0, 10, 137, 500, 640, 989])
def test_a_uniform_range_gives_the_share_of_weaker_hands(r):
    """With all 990 hands equally likely p_win is the hand strength 1 - r_A / 990."""
    deltas = np.array([delta(r, a, b) for a, b in zip(LOWER, UPPER, strict=True)])
    assert showdown_equity(UNIFORM, deltas) == pytest.approx(1 - r / 990)


def test_certain_ranges():
    """The opponent surely holds one of the best 25 hands: only the nuts and near-nuts win."""
    p = np.eye(9)[0]
    for r, expected in ((0, 1.0), (5, 0.8), (25, 0.0), (400, 0.0)):
        deltas = np.array([delta(r, a, b) for a, b in zip(LOWER, UPPER, strict=True)])
        assert showdown_equity(p, deltas) == pytest.approx(expected)


def test_ties():
    """A board that both play: 990 ties. r_A is half of them, so p_win 1/2; as printed 1. The rank is the middle one."""
    assert stronger_hands(0, 990, False) == 495
    assert stronger_hands(0, 990, True) == 0
    assert opponent_rank(0, 990) == 495
    assert [opponent_rank(s, t) for s, t in ((0, 1), (0, 2), (10, 3), (989, 1))] == [1, 1, 12, 990]


def test_counts_at_the_river_equal_the_sort_over_all_holdings():
    rng = np.random.default_rng(3)
    for _ in range(20):
        cards = rng.permutation(52)[:7]
        hole, board = (int(cards[0]), int(cards[1])), cards[2:]
        assert river_counts(*hole, board) == stronger_and_ties(hole, board.tolist())
    numerator, stronger = np.zeros(1326, np.uint32), np.zeros(1326, np.int32)
    river_pass(*board.tolist(), 0, numerator, stronger)
    assert numerator.max() > 0


def test_heads():
    """`direct` is a softmax; the others bend a range with the opponent's mean strength, uniform where that is 1/2."""
    out, p = np.array([1, 0, 0, 0, 0, 0, 0, 0, -1.0]), np.empty(9)
    range_probabilities(0, out, 0.7, p)
    assert p == pytest.approx(np.exp(out) / np.exp(out).sum())
    for head in (1, 2):
        range_probabilities(head, out, 0.5, p)
        assert p == pytest.approx(UNIFORM * np.exp(out) / (UNIFORM * np.exp(out)).sum())
        range_probabilities(head, np.zeros(9), 0.5, p)
        assert p == pytest.approx(UNIFORM)


@pytest.mark.parametrize("strength", [0.2, 0.4, 0.5, 0.65, 0.9])
def test_the_guessed_range_has_the_shown_strength(strength):
    """A power law of the share of weaker hands: its mean is the strength, its pieces add up."""
    guess = np.array([range_guess(strength, i) for i in range(9)])
    assert guess.sum() == pytest.approx(1)
    k = strength / (1 - strength)
    x = np.linspace(0, 1, 100_001)
    density = k * x ** (k - 1) if k >= 1 else (1 / k) * (1 - x) ** (1 / k - 1)
    assert np.trapezoid(x * density, x) == pytest.approx(strength, abs=1e-3)
    inside = (x > 1 - 25 / 990) & (x <= 1)
    assert np.trapezoid(density[inside], x[inside]) == pytest.approx(guess[0], abs=2e-3)
