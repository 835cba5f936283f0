"""The game of spec section 1: sizes, order, refusals."""

import pytest

from ashe.errors import IllegalActionError, UserError
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
