"""The knowledge kernel against the one-holding functions and against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_7cards

from ashe.cards import matchups
from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES, hole_index, parse_cards
from ashe.cards.equity import ehs, equity_tables, percentile, stronger_and_ties
from ashe.cards.knowledge import deck_knowledge
from ashe.cards.suits import HOLE_CLASS, HOLE_CLASS_PERM, HOLE_PERM
from ashe.errors import UserError

BOARD_SIZES = (0, 3, 4, 5)


def random_decks(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(52) for _ in range(n)])


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_kernel_equals_the_scalar_functions(seats: int) -> None:
    decks = random_decks(12, seats)[:, : 2 * seats + 5]
    known = deck_knowledge(decks.astype(np.int8), seats)
    for d, deck in enumerate(decks.tolist()):
        board = deck[2 * seats :]
        for s in range(seats):
            hole = deck[2 * s : 2 * s + 2]
            for street, size in enumerate(BOARD_SIZES):
                assert known.ehs[d, s, street] == np.float32(ehs(hole, board[:size]))
                assert known.pct[d, s, street] == np.float32(percentile(hole, board[:size]))
            assert known.rank[d, s] == evaluate_7cards(*hole, *board)
            assert (known.stronger[d, s], known.ties[d, s]) == stronger_and_ties(hole, board)
    assert known.allin.shape == ((12, 4) if seats == 2 else (0, 4))


def enumerated_equity(one: list[int], two: list[int], board: list[int]) -> float:
    live = [c for c in range(52) if c not in one + two + board]
    total = n = 0
    for rest in combinations(live, 5 - len(board)):
        r1, r2 = evaluate_7cards(*one, *board, *rest), evaluate_7cards(*two, *board, *rest)
        total += (r1 < r2) + (r1 <= r2)
        n += 1
    return total / (2 * n)


def test_allin_after_the_flop_by_enumeration() -> None:
    decks = random_decks(40, 99)
    known = deck_knowledge(decks, 2)
    for d, deck in enumerate(decks.tolist()):
        for street in (1, 2, 3):
            assert known.allin[d, street] == enumerated_equity(deck[:2], deck[2:4], deck[4 : 4 + BOARD_SIZES[street]])


def test_allin_before_the_flop_by_enumeration() -> None:
    """`matchup_numerator` enumerates the boards with our evaluator; the next test does so without it."""
    decks = random_decks(60, 7)
    known = deck_knowledge(decks, 2)
    for d, deck in enumerate(decks.tolist()):
        assert known.allin[d, 0] == matchups.matchup_numerator(*deck[:4]) / (2 * matchups.N_RUNOUTS)


@pytest.mark.parametrize("cards", ["AsAh7d2c", "AsKsQhQd"])
def test_named_matchups_with_phevaluator_alone(cards: str) -> None:
    four = parse_cards(cards)
    rest = [c for c in range(52) if c not in four][:5]
    known = deck_knowledge(np.array([four + rest]), 2)
    assert known.allin[0, 0] == enumerated_equity(four[:2], four[2:], [])


def test_mirrored_hands_have_equity_one_half() -> None:
    known = deck_knowledge(np.array([parse_cards("AhKdAcKs2c3c4c5d9d")]), 2)
    assert known.allin[0, 0] == 0.5


def test_shipped_matchups_by_brute_force() -> None:
    classes = matchups.matchup_classes()
    shipped = matchups.load_numerators()
    assert len(classes.code) == len(shipped) == 47_008
    for i in np.random.default_rng(1).choice(len(shipped), 150, replace=False):
        h1, h2 = divmod(int(classes.code[i]), N_HOLES)
        a1, b1, a2, b2 = (int(c) for c in (HOLE_A[h1], HOLE_B[h1], HOLE_A[h2], HOLE_B[h2]))
        assert shipped[i] == matchups.matchup_numerator(a1, b1, a2, b2)


def test_matchups_average_to_the_preflop_equity() -> None:
    """All 47,008 classes at once: a holding's equity against each opponent adds up to its exact EHS numerator.

    Sum over opponents h2 of (2 wins + ties over the boards that miss both hands) counts the same deals as EHS.
    """
    tables = equity_tables()
    sums = tables.matchup.sum(axis=1, dtype=np.int64)
    assert np.array_equal(sums[HOLE_CLASS], tables.preflop.astype(np.int64))


def test_swapping_seats_mirrors_the_allin_equity() -> None:
    decks = random_decks(500, 3)
    swapped = decks.copy()
    swapped[:, :4] = decks[:, [2, 3, 1, 0]]
    one, two = deck_knowledge(decks, 2), deck_knowledge(swapped, 2)
    assert np.allclose(one.allin + two.allin, 1, atol=1e-15)
    assert np.array_equal(one.ehs, two.ehs[:, ::-1])
    assert np.array_equal(one.pct, two.pct[:, ::-1])


def test_matchup_lookup_covers_every_pair() -> None:
    matchup = equity_tables().matchup
    hole = hole_index(*parse_cards("Td9c"))
    row = matchup[HOLE_CLASS[hole], HOLE_PERM[HOLE_CLASS_PERM[hole]]]
    cards = {int(HOLE_A[hole]), int(HOLE_B[hole])}
    for other in range(N_HOLES):
        clash = bool(cards & {int(HOLE_A[other]), int(HOLE_B[other])})
        assert (row[other] == 0) == clash


def test_order_of_cards_and_batching_do_not_matter() -> None:
    decks = random_decks(50, 11)[:, :9]
    whole = deck_knowledge(decks, 2)
    mixed = decks[:, [1, 0, 3, 2, 6, 4, 5, 7, 8]]
    for again in (deck_knowledge(mixed, 2), deck_knowledge(np.asfortranarray(decks), 2)):
        for a, b in zip(whole, again, strict=True):
            assert np.array_equal(a, b)
    single = [deck_knowledge(decks[d : d + 1], 2) for d in range(50)]
    for field in range(6):
        assert np.array_equal(whole[field], np.concatenate([one[field] for one in single]))


def test_wrong_decks_are_refused() -> None:
    decks = random_decks(3, 1)
    with pytest.raises(UserError, match="7 seats: a table has 2 to 6"):
        deck_knowledge(decks, 7)
    with pytest.raises(UserError, match=r"3 seats need \[number of decks, 11\]"):
        deck_knowledge(decks[:, :9], 3)
    with pytest.raises(UserError, match="cards are integers"):
        deck_knowledge(decks.astype(float), 2)
    decks[1, 3] = decks[1, 0]
    with pytest.raises(UserError, match=r"deck 1 is .* must be distinct integers from 0 to 51"):
        deck_knowledge(decks, 2)
    assert len(deck_knowledge(decks[:0], 2).ehs) == 0
