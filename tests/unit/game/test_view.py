"""What a player sees and the actions it makes of it."""

import pytest

from ashe.cards.deck import parse_cards
from ashe.cards.equity import percentile
from ashe.errors import IllegalActionError
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.view import Action, View, legal_error


def view(**given):
    """Facing a half-pot bet of 300 into 600 on the flop."""
    values = {
        "seat": 1, "seats": 2, "street": 1, "hole": tuple(parse_cards("AhAd")), "board": tuple(parse_cards("2c7d9s")),
        "ehs": 0.9, "pot": 900, "call_cost": 300, "min_raise_to": 600, "max_raise_to": 19_700, "bet": 300,
        "big_blind": 100, "stacks": (19_400, 19_700), "bets": (300, 0), "n_bet": 1, "history": (), "hand": 0,
    }  # fmt: skip
    return View(**{**values, **given})


def test_pot_raises_are_the_dissertations():
    """D 2.3: a pot-size open on 50/100 makes 300; half a pot into 600 is 300; 3/4 pot over that puts in 300 + 900."""
    opening = view(street=0, board=(), pot=150, call_cost=50, bet=100, bets=(100, 50), min_raise_to=200)
    assert opening.pot_raise(1.0) == Action(RAISE, 300)
    assert view(pot=600, call_cost=0, bet=0, min_raise_to=100).pot_raise(0.5) == Action(RAISE, 300)
    assert view().pot_raise(0.75) == Action(RAISE, 300 + 900)


def test_pot_raises_stay_legal():
    assert view().pot_raise(0.01) == Action(RAISE, 600)
    assert view().pot_raise(100) == Action(RAISE, 19_700)
    assert view(min_raise_to=0, max_raise_to=0).pot_raise(1.0) == Action(CALL)
    assert view().all_in() == Action(RAISE, 19_700)
    assert view(min_raise_to=0, max_raise_to=0).all_in() == Action(CALL)


def test_folding_for_free_is_a_check():
    assert view().fold() == Action(FOLD)
    assert view(call_cost=0).fold() == Action(CALL)


@pytest.mark.parametrize(
    ("to", "given", "message"),
    [
        (599, {}, "raise to 599: the legal range is 600 to 19700"),
        (19_701, {}, "raise to 19701: the legal range is 600 to 19700"),
        (900, {"min_raise_to": 0, "max_raise_to": 0}, "raise to 900: raising is not allowed here"),
    ],
)
def test_illegal_raises_name_the_amount_and_the_range(to, given, message):
    with pytest.raises(IllegalActionError, match=message):
        view(**given).raise_to(to)
    assert message in legal_error(RAISE, to, 300, *((0, 0) if given else (600, 19_700)))


def test_unknown_kinds_are_refused():
    assert "action kind 3: allowed are 0 (fold)" in legal_error(3, 0, 300, 600, 19_700)
    assert legal_error(CALL, 0, 0, 0, 0) is None


def test_what_it_knows():
    seen = view()
    assert seen.button
    assert seen.odds == 300 / 1200
    assert seen.percentile == percentile(seen.hole, seen.board)
    assert str(seen) == "flop: AhAd on 2c7d9s (pair of aces), pot 900, to call 300"
    assert str(view(street=0, board=())) == "preflop: AhAd on no board, pot 900, to call 300"
