"""What the card abstraction clusters: how a hand's strength is distributed.

- Flop and turn: the distribution of the river EHS over all run-outs, as cumulative shares at `EDGES`. Squared
  differences of cumulative shares are close to the earth mover's distance, and draws are told from made hands. The
  edges lie closer together near 1, because between strong hands most chips are decided.
- River: OCHS (Johanson et al. 2013), the equity against each of `CLUSTERS` groups of starting hands, and EHS ** 10,
  which separates the nuts from what merely looks strong.
"""

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES, hole_index
from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.cards.river import river_pass
from ashe.cards.suits import HOLE_PERM, turn_index
from ashe.jit import njit

CLUSTERS = 8
RIVER_FEATURES = CLUSTERS + 1
EDGES = np.array(
    [0.06, 0.12, 0.18, 0.24, 0.3, 0.36, 0.42, 0.48, 0.54, 0.6, 0.66, 0.72, 0.77, 0.82, 0.86, 0.9, 0.93, 0.96, 0.985]
)
_MARKS = (EDGES * 1980).astype(np.int64)
# Bin of every river numerator: how many edges lie at or below it.
BIN = np.searchsorted(_MARKS, np.arange(1981), side="right").astype(np.uint8)
N_EDGES = len(EDGES)


@njit(nogil=True)
def turn_counts(a, b, c, d, counts):
    """Fill counts[1326, N_EDGES + 1] for a turn board: in how many rivers a holding's EHS falls between the edges.

    Holdings that clash with the board count nothing.
    """
    numerator, stronger = np.empty(N_HOLES, np.uint32), np.empty(N_HOLES, np.int32)
    counts[:] = 0
    for r in range(52):
        if r != a and r != b and r != c and r != d:
            river_pass(a, b, c, d, r, np.uint32(9999), numerator, stronger)
            for hole in range(N_HOLES):
                if numerator[hole] != 9999:
                    counts[hole, BIN[numerator[hole]]] += 1


@njit(nogil=True)
def flop_counts(a, b, c, row, perm, turns, counts):
    """The same for a flop: the sum over all turns, each run-out counted twice.

    `turns` are the counts of all canonical turn boards, `row` and `perm` lead there (see `ashe.cards.suits`).
    """
    counts[:] = 0
    for t in range(52):
        if t in (a, b, c):
            continue
        index = turn_index(a, b, c, t)
        source, names = turns[row[index]], HOLE_PERM[perm[index]]
        for hole in range(N_HOLES):
            other = names[hole]
            for j in range(N_EDGES + 1):
                counts[hole, j] += source[other, j]


@njit(nogil=True)
def shares(counts, out):
    """Cumulative shares out[1326, N_EDGES]; zero where nothing was counted."""
    for hole in range(N_HOLES):
        total = 0
        for j in range(N_EDGES + 1):
            total += int(counts[hole, j])
        passed = 0
        for j in range(N_EDGES):
            passed += int(counts[hole, j])
            out[hole, j] = passed / total if total > 0 else 0.0


def by_cluster(cluster: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(place of every holding when they are sorted by cluster, first place of each cluster and the end)."""
    order = np.argsort(cluster, kind="stable")
    place = np.empty(N_HOLES, np.int64)
    place[order] = np.arange(N_HOLES)
    return place, np.searchsorted(cluster[order], np.arange(CLUSTERS + 1)).astype(np.int64)


@njit(nogil=True)
def river_features(b0, b1, b2, b3, b4, holes, place, first, out):
    """Fill out[len(holes), RIVER_FEATURES] for holdings (none may clash with the board).

    `place` and `first` come from `by_cluster`. All holdings are ranked once, sorted by cluster, so that counting those
    that a hand beats is a plain sum over a stretch; the few that share a card with it are taken back one by one.
    """
    cards = np.empty(47, np.int64)
    n = 0
    for card in range(52):
        if card != b0 and card != b1 and card != b2 and card != b3 and card != b4:
            cards[n] = card
            n += 1
    key = START_KEY + CARD_KEY[b0] + CARD_KEY[b1] + CARD_KEY[b2] + CARD_KEY[b3] + CARD_KEY[b4]
    mask = CARD_MASK[b0] + CARD_MASK[b1] + CARD_MASK[b2] + CARD_MASK[b3] + CARD_MASK[b4]
    ranks = np.zeros(N_HOLES, np.int16)  # 0, better than any hand, where a holding clashes with the board
    for j in range(1, 47):
        b = cards[j]
        start = b * (b - 1) >> 1
        key_b, mask_b = key + CARD_KEY[b], mask + CARD_MASK[b]
        for i in range(j):
            a = cards[i]
            ranks[place[start + a]] = rank_of(key_b + CARD_KEY[a], mask_b + CARD_MASK[a])
    possible = np.zeros(CLUSTERS, np.int64)
    for g in range(CLUSTERS):
        count = np.int32(0)
        for at in range(first[g], first[g + 1]):
            count += np.int32(ranks[at] > 0)
        possible[g] = count
    beaten, met = np.empty(CLUSTERS, np.int64), np.empty(CLUSTERS, np.int64)
    for h in range(holes.shape[0]):
        x, y = np.int64(HOLE_A[holes[h]]), np.int64(HOLE_B[holes[h]])
        own = ranks[place[holes[h]]]
        for g in range(CLUSTERS):
            count = np.int32(0)
            for at in range(first[g], first[g + 1]):
                count += np.int32(own < ranks[at]) + np.int32(own <= ranks[at])
            beaten[g], met[g] = count, possible[g]
        for i in range(47):
            for own_card in (x, y):
                card = cards[i]
                if card == own_card or (own_card == y and card == x):  # the hand itself is met at x only
                    continue
                at = place[hole_index(own_card, card)]
                g = 0
                while at >= first[g + 1]:
                    g += 1
                met[g] -= 1
                beaten[g] -= int(own < ranks[at]) + int(own <= ranks[at])
        all_beaten = 0
        for g in range(CLUSTERS):
            out[h, g] = beaten[g] / (2.0 * met[g]) if met[g] > 0 else 0.5
            all_beaten += beaten[g]
        out[h, CLUSTERS] = (all_beaten / 1980.0) ** 10
