"""Board features against plain enumeration of hole cards and run-outs (spec section 6)."""

from itertools import combinations

import numpy as np
import pytest

from ashe.cards.deck import parse_cards
from ashe.cards.suits import canonical_boards
from ashe.cards.texture import texture, textures
from ashe.errors import UserError

STRAIGHTS = [{(top - i) % 13 for i in range(5)} for top in range(3, 13)]


def enumerated(board: list[int]) -> tuple[float, float]:
    """(P flush, P straight) over all sets of cards that complete the board to seven."""
    unseen = [c for c in range(52) if c not in board]
    flushes = straights = n = 0
    for rest in combinations(unseen, 7 - len(board)):
        cards = [*board, *rest]
        suits = [c & 3 for c in cards]
        ranks = {c >> 2 for c in cards}
        flushes += any(suits.count(s) >= 5 for s in range(4))
        straights += len(ranks) >= 5 and any(s <= ranks for s in STRAIGHTS)
        n += 1
    return flushes / n, straights / n


@pytest.mark.parametrize(
    "board",
    ["9h8h7h", "Ac5d3s", "2c7dKs9h", "AhKhQhJd", "5c5d5h6s"],
)
def test_flops_and_turns_by_enumeration(board: str) -> None:
    cards = parse_cards(board)
    found = texture(cards)
    assert (found.suitedness, found.connectivity) == enumerated(cards)


@pytest.mark.parametrize(("size", "boards"), [(4, 10), (5, 100)])
def test_random_boards_by_enumeration(size: int, boards: int) -> None:
    rng = np.random.default_rng(size)
    drawn = [[int(c) for c in rng.permutation(52)[:size]] for _ in range(boards)]
    for board, row in zip(drawn, textures(np.array(drawn)), strict=True):
        assert (row[1], row[2]) == enumerated(board)
        assert tuple(row) == texture(board)


@pytest.mark.parametrize(
    ("board", "pairedness"),
    [("2c3d4h", 0), ("2c2d4h", 0.5), ("2c2d2h", 1), ("2c2d4h4s", 1), ("2c2d4h4s5c", 1), ("AcAdAhAs5c", 1)],
)
def test_pairedness(board: str, pairedness: float) -> None:
    assert texture(parse_cards(board)).pairedness == pairedness


def test_certain_and_impossible_hands() -> None:
    assert texture(parse_cards("2h7h9hJhKh")).suitedness == 1
    assert texture(parse_cards("5c6d7h8s9c")).connectivity == 1
    dry = texture(parse_cards("2c7dQhKs2h"))
    assert (dry.suitedness, dry.connectivity) == (0, 0)


def test_mean_over_all_boards_is_the_unconditional_probability() -> None:
    """Averaged over boards, suitedness is the chance of a flush in seven random cards, whatever the street."""
    # Flush or straight flush in 7 of 52 cards; Wikipedia, "Poker probability": 4,047,644 + 37,260 + 4,324 hands.
    flush = (4_047_644 + 37_260 + 4_324) / 133_784_560
    for size in (3, 4):
        boards = canonical_boards(size)
        weights = np.bincount(boards.row)
        mean = np.average(textures(boards.cards), axis=0, weights=weights)
        assert mean[1] == pytest.approx(flush, abs=1e-12)


def test_wrong_boards_are_refused() -> None:
    with pytest.raises(UserError, match="the board has 2 cards"):
        texture([0, 1])
    with pytest.raises(UserError, match="comes more than once"):
        texture([0, 1, 1])
    with pytest.raises(UserError, match="boards have shape"):
        textures(np.zeros((3, 6), dtype=np.int64))
