"""The chance of heads-up hold'em for the solver: random deals as buckets and showdown outcomes.

The outcome of a hand whose last bet came before the river is an expectation, which costs little and saves much noise:
over all boards when both are all-in before the flop, over all rivers on flop and turn (on the flop, given the turn).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import N_HOLES, hole_index
from ashe.cards.kmeans import columns_of, nearest
from ashe.cards.matchups import N_RUNOUTS
from ashe.cards.random import mix64, shuffle_deck
from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.cards.suits import HOLE_CLASS, HOLE_CLASS_PERM, HOLE_PERM, flop_index, turn_index
from ashe.cards.tables import equity_tables
from ashe.jit import njit
from ashe.solver.abstraction import Abstraction, live_holes
from ashe.solver.features import RIVER_FEATURES, by_cluster, river_features
from ashe.solver.tree import Deals


class HoldemChance:
    """Deals of two hands and a board."""

    def __init__(self, abstraction: Abstraction) -> None:
        self.buckets = abstraction.buckets
        known, tables = equity_tables(), abstraction.tables()
        self._lookup = (
            known.flop_row, known.flop_perm, known.turn_row, known.turn_perm, known.matchup, tables["flop"],
            tables["turn"], *by_cluster(abstraction.cluster), *columns_of(abstraction.river),
        )  # fmt: skip

    def buckets_of(self, board: tuple[int, ...]) -> NDArray[np.int64]:
        """[1326] buckets on a board of 0, 3, 4 or 5 cards; holdings that clash with it get some bucket."""
        flop_row, flop_perm, turn_row, turn_perm, _, flop, turn, place, first, columns, norms = self._lookup
        if not board:
            return HOLE_CLASS.astype(np.int64)
        if len(board) == 3:
            index = flop_index(*board)
            return np.asarray(flop[flop_row[index]][HOLE_PERM[flop_perm[index]]], np.int64)
        if len(board) == 4:
            index = turn_index(*board)
            return np.asarray(turn[turn_row[index]][HOLE_PERM[turn_perm[index]]], np.int64)
        holes = live_holes(board)
        points, found = np.empty((len(holes), RIVER_FEATURES), np.float32), np.empty(len(holes), np.int64)
        river_features(*board, holes, place, first, points)
        nearest(points, columns, norms, found)
        out = np.zeros(N_HOLES, np.int64)
        out[holes] = found
        return out

    @property
    def lookup(self) -> tuple[Any, ...]:
        """The arrays that `play.bucket` looks in."""
        return (*self._lookup[:4], *self._lookup[5:])

    def sample(self, key: int, count: int) -> Deals:
        deals = Deals(np.empty((count, 2, 4), np.int32), np.empty((count, 4), np.float32))
        fill_deals(np.uint64(key), *self._lookup, *deals)
        return deals


@njit(nogil=True)
def fill_deals(
    key, flop_row, flop_perm, turn_row, turn_perm, matchup, flop_bucket, turn_bucket, place, first, columns, norms,
    buckets, outcome,
):  # fmt: skip
    """Shuffle and look up as many deals as `buckets` has rows."""
    deck = np.empty(9, np.int64)
    holes, found = np.empty(2, np.int64), np.empty(2, np.int64)
    points = np.empty((2, RIVER_FEATURES), np.float32)
    for i in range(buckets.shape[0]):
        shuffle_deck(mix64(key, np.uint64(i)), 9, deck)
        b0, b1, b2, b3, b4 = deck[4], deck[5], deck[6], deck[7], deck[8]
        flop, turn = flop_index(b0, b1, b2), turn_index(b0, b1, b2, b3)
        for seat in range(2):
            hole = hole_index(deck[2 * seat], deck[2 * seat + 1])
            holes[seat] = hole
            buckets[i, seat, 0] = HOLE_CLASS[hole]
            buckets[i, seat, 1] = flop_bucket[flop_row[flop], HOLE_PERM[flop_perm[flop], hole]]
            buckets[i, seat, 2] = turn_bucket[turn_row[turn], HOLE_PERM[turn_perm[turn], hole]]
        river_features(b0, b1, b2, b3, b4, holes, place, first, points)
        nearest(points, columns, norms, found)
        buckets[i, 0, 3], buckets[i, 1, 3] = found[0], found[1]
        one, two = holes[0], holes[1]
        wins = np.float64(matchup[HOLE_CLASS[one], HOLE_PERM[HOLE_CLASS_PERM[one], two]])
        outcome[i, 0] = wins / N_RUNOUTS - 1.0
        key_1 = START_KEY + CARD_KEY[b0] + CARD_KEY[b1] + CARD_KEY[b2] + CARD_KEY[b3]
        mask_1 = CARD_MASK[b0] + CARD_MASK[b1] + CARD_MASK[b2] + CARD_MASK[b3]
        key_2, mask_2 = key_1 + CARD_KEY[deck[2]] + CARD_KEY[deck[3]], mask_1 + CARD_MASK[deck[2]] + CARD_MASK[deck[3]]
        key_1, mask_1 = key_1 + CARD_KEY[deck[0]] + CARD_KEY[deck[1]], mask_1 + CARD_MASK[deck[0]] + CARD_MASK[deck[1]]
        score = 0
        for card in range(52):
            if (
                card != deck[0] and card != deck[1] and card != deck[2] and card != deck[3]
                and card != b0 and card != b1 and card != b2 and card != b3
            ):  # fmt: skip
                r1 = rank_of(key_1 + CARD_KEY[card], mask_1 + CARD_MASK[card])
                r2 = rank_of(key_2 + CARD_KEY[card], mask_2 + CARD_MASK[card])
                score += int(r1 < r2) - int(r2 < r1)
        outcome[i, 1] = score / 44.0
        outcome[i, 2] = score / 44.0
        r1 = rank_of(key_1 + CARD_KEY[b4], mask_1 + CARD_MASK[b4])
        r2 = rank_of(key_2 + CARD_KEY[b4], mask_2 + CARD_MASK[b4])
        outcome[i, 3] = np.float64(r1 < r2) - np.float64(r2 < r1)
