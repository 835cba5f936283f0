"""All 1,081 holdings on a river board at once, exactly.

1. Rank every holding that the board leaves possible.
2. Sort them by rank (two radix passes over rank number and holding packed into 24 bits).
3. Walk from the strongest group of equal ranks to the weakest, counting the holdings passed, in total and by card.
   Of the holdings passed, those that share a card with {a, b} are the ones counted at a and at b, so
   stronger = passed - passed_with[a] - passed_with[b]; {a, b} itself is counted twice once its own group is passed.

Among the 990 opponent holdings, wins + ties + stronger = 990, and the numerator 2 * wins + ties = 1980 - 2 * stronger
- ties: EHS times 1980, an integer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES
from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.jit import njit

N_LIVE = 1081  # holdings on a river board
N_OPPONENTS = 990  # of them, those that share no card with one's own
EMPTY = np.uint32(0xFFFFFFFF)  # numerator of a holding that clashes with the board: larger than any other
_LOW_BITS = 6
_LOW = (1 << _LOW_BITS) - 1


@njit(nogil=True)
def river_pass(
    c0: int, c1: int, c2: int, c3: int, c4: int, clash: int, numerator: NDArray[np.uint32], stronger: NDArray[Any]
) -> None:
    """Fill `numerator` and `stronger` [1326] for the board; holdings that clash with it get the numerator `clash`.

    The number of tied opponents is 1980 - 2 * stronger - numerator.
    """
    cards = np.empty(47, dtype=np.int64)
    n = 0
    for card in range(52):
        if card != c0 and card != c1 and card != c2 and card != c3 and card != c4:
            cards[n] = card
            n += 1
    key = START_KEY + CARD_KEY[c0] + CARD_KEY[c1] + CARD_KEY[c2] + CARD_KEY[c3] + CARD_KEY[c4]
    mask = CARD_MASK[c0] + CARD_MASK[c1] + CARD_MASK[c2] + CARD_MASK[c3] + CARD_MASK[c4]

    low_count, high_count = np.zeros(64, dtype=np.int32), np.zeros(128, dtype=np.int32)
    unsorted, by_low, ranked = np.empty(N_LIVE, np.uint32), np.empty(N_LIVE, np.uint32), np.empty(N_LIVE, np.uint32)
    n = 0
    for j in range(1, 47):
        b = cards[j]
        key_b, mask_b, first = key + CARD_KEY[b], mask + CARD_MASK[b], b * (b - 1) >> 1
        for i in range(j):
            a = cards[i]
            r = rank_of(key_b + CARD_KEY[a], mask_b + CARD_MASK[a])
            low_count[r & _LOW] += 1
            high_count[r >> _LOW_BITS] += 1
            unsorted[n] = (r << 11) | (first + a)
            n += 1
    total = 0
    for i in range(64):
        low_count[i], total = total, total + low_count[i]
    total = 0
    for i in range(128):
        high_count[i], total = total, total + high_count[i]
    for i in range(N_LIVE):
        item = unsorted[i]
        bucket = (item >> 11) & _LOW
        by_low[low_count[bucket]] = item
        low_count[bucket] += 1
    for i in range(N_LIVE):
        item = by_low[i]
        bucket = item >> (11 + _LOW_BITS)
        ranked[high_count[bucket]] = item
        high_count[bucket] += 1

    for hole in range(N_HOLES):
        numerator[hole] = clash
    passed_with = np.zeros(52, dtype=np.int32)
    start = 0
    while start < N_LIVE:
        group = ranked[start] >> 11
        end = start
        while end < N_LIVE and ranked[end] >> 11 == group:
            hole = ranked[end] & 2047
            stronger[hole] = start - passed_with[HOLE_A[hole]] - passed_with[HOLE_B[hole]]
            end += 1
        for i in range(start, end):
            hole = ranked[i] & 2047
            passed_with[HOLE_A[hole]] += 1
            passed_with[HOLE_B[hole]] += 1
        for i in range(start, end):
            hole = ranked[i] & 2047
            not_weaker = end - passed_with[HOLE_A[hole]] - passed_with[HOLE_B[hole]] + 1
            numerator[hole] = 2 * N_OPPONENTS - stronger[hole] - not_weaker
        start = end
