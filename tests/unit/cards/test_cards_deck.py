"""Card numbers, names and holdings."""

import numpy as np
import pytest
from phevaluator import Card

from ashe.cards.deck import (
    HOLE_A,
    HOLE_B,
    card_name,
    card_names,
    check_hole_and_board,
    hand_name,
    hole_index,
    parse_cards,
)
from ashe.errors import UserError


def test_card_numbers_are_phevaluators() -> None:
    for card in range(52):
        assert int(Card.to_id(card_name(card))) == card
        assert parse_cards(card_name(card)) == [card]


def test_parse_accepts_what_people_write() -> None:
    assert parse_cards("Ah Kd, 10c") == parse_cards("AHkdTC") == [50, 45, 32]
    assert card_names(parse_cards("AhKdTc")) == "AhKdTc"
    assert parse_cards("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AhK", "odd number of letters"),
        ("1h", "'1h' in '1h' is not a card: ranks are 23456789TJQKA"),
        ("Ax", "suits are cdhs"),
        ("AhKdAh", "Ah comes more than once"),
    ],
)
def test_parse_refuses_nonsense(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_cards(text)


def test_card_name_refuses_numbers_outside_the_deck() -> None:
    with pytest.raises(UserError, match="card 52 is not in the deck"):
        card_name(52)
    with pytest.raises(UserError, match="card -1 is not in the deck"):
        card_name(-1)


def test_hole_index_is_a_bijection_in_either_order() -> None:
    seen = {hole_index(a, b) for a in range(52) for b in range(52) if a != b}
    assert seen == set(range(1326))
    for hole in range(1326):
        a, b = int(HOLE_A[hole]), int(HOLE_B[hole])
        assert a < b
        assert hole_index(a, b) == hole_index(b, a) == hole
    assert np.all(np.diff(HOLE_B.astype(int)) >= 0)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("AhKhQhJhTh2c3d", "royal flush"),
        ("5h4h3h2hAh", "straight flush, five high"),
        ("9c9d9h9s2c", "four of a kind, nines"),
        ("6h6d6s5c5d5h2c", "full house, sixes full of fives"),
        ("Ah9h7h4h2hKd", "flush, ace high"),
        ("Ah2hQhJd3s4c5d", "straight, five high"),
        ("9c8d7h6s5c", "straight, nine high"),
        ("2c2d2hAsKs", "three of a kind, deuces"),
        ("2c2d3h3sKs4c4h", "two pair, fours and threes"),
        ("AcAd3h5s7s", "pair of aces"),
        ("AcQd3h5s7s", "ace high"),
    ],
)
def test_hand_name(cards: str, name: str) -> None:
    assert hand_name(parse_cards(cards)) == name


def test_hand_name_and_boards_refuse_wrong_counts() -> None:
    with pytest.raises(UserError, match="5 to 7 cards, got 4"):
        hand_name([0, 1, 2, 3])
    with pytest.raises(UserError, match="a holding has 2 cards, got 1"):
        check_hole_and_board([0], [])
    with pytest.raises(UserError, match="the board has 2 cards, allowed here: 0 or 3 or 4 or 5"):
        check_hole_and_board([0, 1], [2, 3])
    with pytest.raises(UserError, match="2c comes more than once"):
        check_hole_and_board([0, 1], [0, 3, 4])
