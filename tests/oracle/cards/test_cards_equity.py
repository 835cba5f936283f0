"""Equity tables against plain enumeration; every comparison is of integers."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numba import njit

from ashe.cards.deck import HOLE_A, HOLE_B, hole_index, parse_cards
from ashe.cards.equity import board_numerators, ehs, equity_tables, percentile, stronger_and_ties
from ashe.cards.rank import rank7
from ashe.cards.suits import HOLE_PERM, N_CANONICAL_FLOPS, N_CANONICAL_TURNS, SUIT_PERMS
from ashe.cards.tables import DENOMINATORS
from ashe.errors import UserError


@njit(error_model="numpy")
def over_boards(a: int, b: int, boards: np.ndarray) -> int:
    """2 * wins + ties of {a, b}: meet every opponent holding on every full board."""
    total = 0
    for i in range(len(boards)):
        v, w, x, y, z = boards[i, 0], boards[i, 1], boards[i, 2], boards[i, 3], boards[i, 4]
        own = rank7(a, b, v, w, x, y, z)
        taken = (a, b, v, w, x, y, z)
        for c in range(52):
            if c in taken:
                continue
            for d in range(c):
                if d in taken:
                    continue
                other = rank7(c, d, v, w, x, y, z)
                total += 2 if own < other else (1 if own == other else 0)
    return total


def brute(hole: list[int], board: list[int]) -> int:
    live = [c for c in range(52) if c not in hole and c not in board]
    boards = np.array([(*board, *rest) for rest in combinations(live, 5 - len(board))])
    return int(over_boards(hole[0], hole[1], boards))


def draw(rng: np.random.Generator, n: int) -> list[int]:
    return [int(c) for c in rng.permutation(52)[:n]]


def all_holdings(board: list[int]) -> list[list[int]]:
    return [[b, a] for a in range(52) for b in range(a) if a not in board and b not in board]


def test_river_every_holding_on_random_boards() -> None:
    rng = np.random.default_rng(1)
    for board in [draw(rng, 5) for _ in range(10)] + [parse_cards("AhKhQhJhTh"), parse_cards("2c2d2h2s3c")]:
        numerators, denominator = board_numerators(board)
        assert denominator == 2 * 990
        for hole in all_holdings(board):
            assert numerators[hole_index(*hole)] == brute(hole, board)
        assert (numerators == 2**32 - 1).sum() == 1326 - 1081


def test_turn_every_holding_on_random_boards() -> None:
    rng = np.random.default_rng(2)
    for board in [draw(rng, 4) for _ in range(3)]:
        numerators, denominator = board_numerators(board)
        assert denominator == 2 * 990 * 46
        for hole in all_holdings(board):
            assert numerators[hole_index(*hole)] == brute(hole, board)


def test_turn_random_holdings_on_many_boards() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        cards = draw(rng, 6)
        numerators, _ = board_numerators(cards[2:])
        assert numerators[hole_index(*cards[:2])] == brute(cards[:2], cards[2:])


def test_flop_random_holdings() -> None:
    rng = np.random.default_rng(4)
    boards = [draw(rng, 3) for _ in range(25)] + [parse_cards("AhKhQh"), parse_cards("7c7d7h"), parse_cards("9s9d2s")]
    for board in boards:
        numerators, denominator = board_numerators(board)
        assert denominator == 2 * 990 * 1081
        holdings = all_holdings(board)
        for i in rng.choice(len(holdings), 4, replace=False):
            assert numerators[hole_index(*holdings[i])] == brute(holdings[i], board)


@pytest.mark.slow
def test_flop_every_holding_on_twenty_boards() -> None:
    rng = np.random.default_rng(40)
    for board in [draw(rng, 3) for _ in range(20)]:
        numerators, _ = board_numerators(board)
        for hole in all_holdings(board):
            assert numerators[hole_index(*hole)] == brute(hole, board)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["AhAd", "7h2d", "8s9s"])
def test_preflop_by_enumeration(name: str) -> None:
    hole = parse_cards(name)
    numerators, denominator = board_numerators([])
    assert denominator == 2 * 990 * 2_118_760
    assert numerators[hole_index(*hole)] == brute(hole, [])


@pytest.mark.parametrize(
    ("name", "expected"), [("AsAh", 0.8520), ("KsKh", 0.8240), ("AsKs", 0.6704), ("2s2h", 0.5033), ("7h2d", 0.3458)]
)
def test_preflop_values_of_common_odds_tables(name: str, expected: float) -> None:
    assert round(ehs(parse_cards(name), []), 4) == expected


def test_means_are_one_half_exactly() -> None:
    """Every deal is met once from each side, so wins and losses cancel on every board."""
    tables = equity_tables()
    empty = np.uint32(2**32 - 1)
    for table, denominator, live in (
        (tables.preflop[None], DENOMINATORS[0], 1326),
        (tables.flop, DENOMINATORS[1], 1176),
        (tables.turn, DENOMINATORS[2], 1128),
    ):
        possible = table != empty
        assert np.all(possible.sum(1) == live)
        sums = np.where(possible, table, 0).sum(1, dtype=np.int64)
        assert np.all(2 * sums == live * denominator)


def test_renaming_suits_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    assert len(equity_tables().flop) == N_CANONICAL_FLOPS
    assert len(equity_tables().turn) == N_CANONICAL_TURNS
    for size in (3, 4, 5):
        board = draw(rng, size)
        numerators, _ = board_numerators(board)
        for _ in range(5):
            suits = rng.permutation(4)
            renamed, _ = board_numerators([int(c & ~3 | suits[c & 3]) for c in board][::-1])
            perm = next(p for p in range(24) if np.array_equal(SUIT_PERMS[p], suits))
            assert np.array_equal(renamed[HOLE_PERM[perm]], numerators)


def test_percentile_against_its_definition() -> None:
    rng = np.random.default_rng(6)
    for size in (0, 3, 4, 5):
        for _ in range(5):
            cards = draw(rng, 2 + size)
            hole, board = cards[:2], cards[2:]
            numerators, _ = board_numerators(board)
            others = [h for h in all_holdings(board) if not set(h) & set(hole)]
            own = numerators[hole_index(*hole)]
            not_above = sum(int(numerators[hole_index(*h)] <= own) for h in others)
            assert percentile(hole, board) == float(Fraction(not_above, len(others)))


def test_percentile_by_enumeration_alone() -> None:
    rng = np.random.default_rng(7)
    for size in (4, 5):
        cards = draw(rng, 2 + size)
        hole, board = cards[:2], cards[2:]
        others = [h for h in all_holdings(board) if not set(h) & set(hole)]
        own = brute(hole, board)
        assert percentile(hole, board) == sum(brute(h, board) <= own for h in others) / len(others)


def test_stronger_and_ties() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        cards = draw(rng, 7)
        hole, board = cards[:2], cards[2:]
        own = rank7(*cards)
        others = [rank7(*h, *board) for h in all_holdings(board) if not set(h) & set(hole)]
        assert len(others) == 990
        stronger, ties = stronger_and_ties(hole, board)
        assert (stronger, ties) == (sum(r < own for r in others), sum(r == own for r in others))
        assert ehs(hole, board) == (2 * (990 - stronger - ties) + ties) / 1980
    assert stronger_and_ties(parse_cards("2c3d"), parse_cards("AhKhQhJhTh")) == (0, 990)


def test_input_is_refused_with_the_reason() -> None:
    with pytest.raises(UserError, match="comes more than once"):
        ehs([0, 1], [1, 2, 3])
    with pytest.raises(UserError, match="a holding has 2 cards, got 3"):
        ehs([0, 1, 2], [])
    with pytest.raises(UserError, match="the board has 1 cards"):
        percentile([0, 1], [2])
    with pytest.raises(UserError, match="allowed here: 5"):
        stronger_and_ties([0, 1], [2, 3, 4])
    with pytest.raises(UserError, match="is not in the deck"):
        ehs([0, 52], [])


def test_index_order_matches_the_tables() -> None:
    numerators, denominator = board_numerators([])
    for hole in (0, 17, 1325):
        assert ehs([int(HOLE_A[hole]), int(HOLE_B[hole])], []) == int(numerators[hole]) / denominator
