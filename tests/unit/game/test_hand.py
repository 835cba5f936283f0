"""The game of spec section 1: sizes, order, refusals."""

import pytest

from ashe.errors import IllegalActionError, UserError
from ashe.game.engine import N_BET
from ashe.game.hand import Hand
from ashe.game.rules import Rules


def test_heads_up_order():
    hand = Hand()
    assert hand.actor == 1  # the button posts the small blind and acts first before the flop
    assert hand.bets == (100, 50)
    hand.call()
    assert hand.actor == 0
    hand.call()
    assert (hand.street, hand.actor) == (1, 0)


def test_minimum_raise_is_the_last_raise():
    hand = Hand()
    assert hand.raise_range == (200, 20_000)
    hand.raise_to(500)
    assert hand.raise_range == (900, 20_000)


def test_short_all_in_is_legal_and_settles_matched_chips():
    hand = Hand(stacks=[250, 20_000])
    hand.raise_to(200)
    assert hand.raise_range == (250, 250)
    hand.raise_to(250)
    assert hand.raise_range == (0, 0)
    hand.call()
    assert hand.over
    assert hand.payoffs([1, 2]) == (250, -250)
    assert hand.payoffs([2, 1]) == (-250, 250)
    assert hand.payoffs([1, 1]) == (0, 0)


def test_unmatched_chips_return():
    hand = Hand()
    hand.raise_to(20_000)
    hand.fold()
    assert hand.payoffs([1, 2]) == (-100, 100)


def test_big_blind_posted_short_keeps_the_price():
    """Seat 1 posts 60 of its 100: the others still call 100."""
    hand = Hand(Rules(seats=3), [5_000, 60, 5_000])
    assert hand.actor == 2
    assert hand.call_cost == 100
    assert hand.raise_range[0] == 200


def test_side_pots_and_odd_chips():
    hand = Hand(Rules(seats=3, small_blind=1, big_blind=2), [11, 50, 50])
    hand.raise_to(50)
    hand.call()
    hand.call()
    assert hand.over
    # Main pot 33 split by seats 0 and 1 (17 to the first seat), side pot 78 to seat 1.
    assert hand.payoffs([5, 5, 9]) == (17 - 11, 16 + 78 - 50, -50)


@pytest.mark.parametrize(
    ("to", "message"),
    [(150, "raise to 150: the legal range is 200 to 20000"), (20_001, "raise to 20001: the legal range is 200")],
)
def test_illegal_sizes_are_refused(to, message):
    with pytest.raises(IllegalActionError, match=message):
        Hand().raise_to(to)


def test_folding_for_free_is_refused():
    hand = Hand()
    hand.call()
    with pytest.raises(IllegalActionError, match="checking is free"):
        hand.fold()


@pytest.mark.parametrize("values", [{"seats": 7}, {"small_blind": 0}, {"ante": -1}, {"stack": 0}])
def test_bad_rules_are_refused(values):
    with pytest.raises(UserError):
        Rules(**values)


def flop_of(stacks, **rules):
    """Everybody has limped in for 100: the first decision of the flop."""
    hand = Hand(Rules(seats=len(stacks), **rules), [s + 100 for s in stacks])
    while hand.street == 0:
        hand.call()
    assert hand.actor == 0
    return hand


def test_short_all_ins_that_add_up_to_a_raise_reopen_the_betting():
    """Robert's Rules, no-limit 5: 'multiple all-in wagers ... still act as a raise' to a player they add up for."""
    hand = flop_of([5_000, 150, 210, 5_000])
    hand.raise_to(100)
    hand.raise_to(150)  # all-in, short: 50 more
    assert hand.raise_range == (210, 210)  # seat 2 cannot reach the minimum of 250 and may be all-in for less
    hand.raise_to(210)  # all-in, short again: 60 more
    assert hand.raise_range == (310, 5_000)  # seat 3 has not acted; the minimum is still 100 more
    hand.call()
    assert hand.actor == 0
    assert hand.raise_range == (310, 5_000)  # seat 0 faces 110, a full raise


def test_one_short_all_in_does_not_reopen_but_a_later_full_raise_does():
    """Robert's Rules, no-limit 5, example: A bets 100, B raises to 200, C all-in for 280; A calls, B may not raise."""
    hand = flop_of([5_000, 5_000, 280])
    hand.raise_to(100)
    hand.raise_to(200)
    assert hand.raise_range == (280, 280)
    hand.raise_to(280)
    assert hand.raise_range == (380, 5_000)  # A faces 180 in total: B's raise was full
    hand.call()
    assert hand.raise_range == (0, 0)  # B faces only 80
    again = flop_of([5_000, 5_000, 280])
    again.raise_to(100)
    again.raise_to(200)
    again.raise_to(280)
    again.raise_to(380)
    assert again.raise_range == (480, 5_000)  # A's raise was full: B may raise again


def test_minimum_after_a_short_all_in_is_the_last_full_raise():
    """Robert's Rules, no-limit 4: after a bet of 100 and an all-in for 140 a raise makes it at least 240."""
    hand = flop_of([5_000, 140, 5_000])
    hand.raise_to(100)
    hand.raise_to(140)
    assert hand.raise_range == (240, 5_000)


def test_big_blind_keeps_its_option_after_a_short_all_in():
    """Seat 2 is all-in for 150 over the blind of 100: seat 1 has not acted and may raise, the limper may not."""
    hand = Hand(Rules(seats=4), [5_000, 5_000, 5_000, 150])
    hand.call()  # seat 2 limps
    hand.raise_to(150)
    hand.fold()
    assert hand.actor == 1
    assert hand.raise_range == (250, 5_000)
    hand.call()
    assert hand.actor == 2
    assert hand.raise_range == (0, 0)


def test_ante_above_a_stack():
    """Seat 0 has 30 for an ante of 40: it plays for the antes up to 30 each, the rest is for the others."""
    hand = Hand(Rules(seats=3, ante=40), [30, 2_000, 2_000])
    assert hand.pot == 30 + 140 + 40
    assert hand.actor == 2
    hand.fold()
    assert hand.over  # seat 1 has nobody to bet against
    assert hand.payoffs([1, 2, 3]) == (90 - 30, 120 - 140, -40)


def test_all_in_by_the_blinds_runs_out():
    hand = Hand(stacks=[80, 50])
    assert hand.over
    assert hand.payoffs([2, 1]) == (-50, 50)
    assert hand.payoffs([1, 2]) == (50, -50)


def test_odd_chips_of_three_winners_go_to_the_first_left_of_the_button():
    hand = flop_of([5_000, 5_000, 5_000, 5_000], small_blind=50, ante=1)
    hand.raise_to(101)
    for _ in range(3):
        hand.call()
    while not hand.over:
        hand.call()
    assert hand.pot == 4 * 202
    assert hand.payoffs([9, 1, 1, 1]) == (-202, 269 + 1 - 202, 269 - 202, 269 - 202)


def test_n_bet_counts_every_raise_of_the_street():
    """Preflop the big blind is the first bet (spec section 1); a short all-in is a bet too."""
    hand = Hand(stacks=[450, 20_000])
    assert hand.row[0, N_BET] == 1
    hand.raise_to(300)
    hand.raise_to(450)
    assert hand.row[0, N_BET] == 3
    hand = Hand()
    hand.call()
    hand.call()
    assert hand.row[0, N_BET] == 0
    hand.raise_to(100)
    assert hand.row[0, N_BET] == 1


@pytest.mark.parametrize("stacks", [[100], [100, 0], [100, 100, 100]])
def test_bad_stacks_are_refused(stacks):
    with pytest.raises(UserError, match="need 2 positive numbers of chips"):
        Hand(stacks=stacks)
