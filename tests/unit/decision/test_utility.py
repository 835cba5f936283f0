"""The utility rule by pencil and paper (D 5.2; spec, sections 5 and 10)."""

import numpy as np
import pytest

from ashe.decision.utility import (
    best,
    fold_guess,
    fold_prior,
    fold_probability,
    own_raises,
    restricted,
    utilities,
    win_guess,
    win_probability,
)
from ashe.game.hand import Hand
from ashe.trees.edges import ALL_IN, CALLS, FIRST_RAISE, FOLDS

NO = -np.inf


def raises_of(hand: Hand):
    to = np.zeros(5, np.int64)
    seat = hand.actor
    n_bet = int(hand.row[0, 6])
    war = restricted(n_bet, hand.call_cost, seat == 1)
    count = own_raises(max(hand.bets), hand.pot, hand.call_cost, *hand.raise_range, war, to)
    assert count == (to > 0).sum()
    return to.tolist()


def decide(hand: Hand, p, phi, selective=0):
    seat = hand.actor
    to = np.array(raises_of(hand))
    totals = [20_000 - s for s in hand.stacks]
    u = np.zeros(7)
    utilities(
        p, np.array(phi), to, totals[seat], totals[1 - seat], hand.call_cost, hand.stacks[seat], hand.bets[seat],
        hand.stacks[1 - seat], selective, u,
    )  # fmt: skip
    return u.tolist(), best(u)


def test_first_decision_on_the_button():
    """50 in, 100 against. p = .6, so a chip at showdown is worth .2.

    fold -50; call .2 * 100 = 20; to 200 with phi .3: 30 + .7 * .2 * 200 = 58; to 300 with .4: 40 + 36 = 76;
    to 400 with .5: 50 + 40 = 90; to 500 with .55: 55 + 45 = 100; all-in with .98: 98 + .02 * .2 * 20,000 = 178.
    """
    u, choice = decide(Hand(), 0.6, [0.3, 0.4, 0.5, 0.55, 0.98])
    assert u == pytest.approx([-50, 20, 58, 76, 90, 100, 178])
    assert choice == ALL_IN


def test_callers_of_a_selective_opponent_are_stronger():
    """The same decision: the odds of .6 are 3:2, those of a mean strength of (1 + phi) / 2 (1 + phi):(1 - phi).

    With phi .5 3:2 becomes 1:2, a chip is worth -1/3: to 300 with .5: 50 - .5 * 100 = 0. With phi .2 it becomes 1:1,
    a chip is worth nothing: to 500 with .2: 20. Fold, call and a raise that nobody folds to are what they were.
    """
    u, choice = decide(Hand(), 0.6, [0.0, 0.5, 0.2, 0.2, 1.0], selective=1)
    assert u == pytest.approx([-50, 20, 0.2 * 200, 0, 20, 20, 100])
    assert choice == ALL_IN


def test_the_same_with_a_hand_that_loses_showdowns():
    """p = .3, a chip is worth -.4: fold -50, call -40, to 200 with phi .3: 30 - .7 * 80 = -26, with phi .1 -62."""
    u, choice = decide(Hand(), 0.3, [0.3, 0.1, 0.1, 0.1, 0.1])
    assert u[:3] == pytest.approx([-50, -40, -26])
    assert choice == FIRST_RAISE
    u, choice = decide(Hand(), 0.3, [0.1, 0.0, 0.0, 0.0, 0.0])
    assert u[2] == pytest.approx(10 - 0.9 * 80)
    assert choice == CALLS
    u, choice = decide(Hand(), 0.2, [0.0, 0.0, 0.0, 0.0, 0.0])
    assert u[:2] == pytest.approx([-50, -60])
    assert choice == FOLDS


def test_checking_is_free_so_folding_is_not_to_be_had():
    hand = Hand()
    hand.call()
    u, choice = decide(hand, 0.1, [0.0] * 5)
    assert u[:2] == pytest.approx([NO, -80])
    assert choice == CALLS
    assert raises_of(hand) == [200, 300, 400, 500, 20_000]


def test_facing_an_all_in():
    """Open to 300, the big blind goes all-in: 300 in, call for the 20,000 that are matched; no raise."""
    hand = Hand()
    hand.raise_to(300)
    hand.raise_to(20_000)
    assert raises_of(hand) == [0] * 5
    u, choice = decide(hand, 0.49, [0.0] * 5)
    assert u == pytest.approx([-300, -400, NO, NO, NO, NO, NO])
    assert choice == FOLDS
    assert decide(hand, 0.495, [0.0] * 5)[1] == CALLS  # -200


def test_a_short_call_is_worth_the_matched_chips():
    u = np.zeros(7)
    utilities(0.75, np.zeros(5), np.zeros(5, np.int64), 1_000, 9_000, 4_000, 4_000, 1_000, 0, 0, u)
    assert u[CALLS] == pytest.approx(0.5 * 5_000)


def test_a_raise_beyond_the_opponents_chips_stakes_no_more_than_those():
    u = np.zeros(7)
    to = np.array([0, 0, 0, 0, 9_000])
    utilities(0.75, np.array([0, 0, 0, 0, 0.5]), to, 1_000, 2_000, 500, 8_500, 500, 3_000, 0, u)
    assert u[ALL_IN] == pytest.approx(0.5 * 2_000 + 0.5 * 0.5 * 5_000)


def test_raising_war():
    """Button: fold, call, all-in from the 3-bet on; big blind: from the 4-bet on (the big blind is the first bet)."""
    hand = Hand()
    assert len([x for x in raises_of(hand) if x]) == 5
    hand.raise_to(300)  # 2-bet
    assert raises_of(hand) == [600, 900, 1_200, 1_500, 20_000]
    hand.raise_to(900)  # 3-bet: the button is restricted
    assert raises_of(hand) == [0, 0, 0, 0, 20_000]
    hand.raise_to(1_500)  # 4-bet: the big blind is
    assert raises_of(hand) == [0, 0, 0, 0, 20_000]
    assert not restricted(3, 100, False)
    assert restricted(7, 100, False)
    assert not restricted(4, 0, True)  # nothing to call: not facing a bet
    # After the flop the first bet is the 1-bet: the big blind may answer a 2-bet freely.
    hand = Hand()
    for action in ("call", "call"):
        getattr(hand, action)()
    hand.raise_to(200)
    hand.raise_to(600)
    assert (hand.actor, len([x for x in raises_of(hand) if x])) == (0, 5)
    hand.raise_to(1_400)
    assert raises_of(hand) == [0, 0, 0, 0, 19_900]  # 3-bet against the button


def test_raises_that_need_the_stack_are_the_all_in():
    hand = Hand()
    hand.raise_to(9_000)
    hand.call()  # pot 18,000, 11,000 behind: only half a pot is less than all-in
    assert raises_of(hand) == [9_000, 0, 0, 0, 11_000]


def test_heads():
    assert win_probability(0, 0.3, 0.9, 0.5, 0) == 0.3
    assert win_probability(1, 0.5, 0.9, 0.5, 0) == pytest.approx(0.81)
    assert win_probability(1, 0.0, 0.9, 0.5, 0) == pytest.approx(0.0)
    assert fold_probability(0, 0.3, 0.9) == 0.3
    assert fold_probability(1, 0.5, 0.25) == pytest.approx(0.5)
    # Even likelihoods leave a guess alone; 9:1 turn odds of 1:3 into 3:1, 1:19 a sure fold (19:1 at most) into even.
    assert win_probability(2, 0.5, 0.7, 0.5, 3) == pytest.approx(0.7)
    assert win_probability(2, 0.9, 0.25, 0.5, 3) == pytest.approx(0.75)
    assert win_probability(2, 0.0, 1.0, 0.5, 3) == pytest.approx(0.0, abs=1e-4)
    assert fold_probability(2, 0.5, 0.7) == pytest.approx(0.7)
    assert fold_probability(2, 0.05, 1.0) == pytest.approx(0.5)
    assert fold_probability(2, 0.95, 0.0) == pytest.approx(0.5)
    # Before the flop any hand is even; on the flop odds of 2 ** 5 count as 2 ** 3; odds of 3:1 meet a strength of 3:1.
    assert win_guess(0.85, 0.5, 0) == pytest.approx(0.5)
    assert win_guess(32 / 33, 0.5, 1) == pytest.approx(8 / 9)
    assert win_guess(0.75, 0.75, 3) == pytest.approx(0.5)
    assert win_guess(0.0, 0.5, 3) == pytest.approx(0.0, abs=1e-5)
    # A pot-size bet offers 1:2, odds 1/3; on the flop the prior is 1/3 * (1 + 3/5).
    assert fold_guess(0, 0.0, fold_prior(1 / 3, 1), 10.0) == pytest.approx(1 / 3 * 1.6)
    assert fold_guess(5, 1.0, fold_prior(1 / 3, 0), 10.0) == pytest.approx(0.5 + 0.5 / 3)
    assert fold_guess(10, 0.2, fold_prior(1 / 3, 3), 10.0) == pytest.approx(0.2)
    assert fold_guess(400, 0.2, fold_prior(1 / 3, 3), 10.0) == pytest.approx(0.2)
