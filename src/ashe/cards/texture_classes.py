"""Classes of boards and their clusters by texture (D 6.2; spec, section 6): 5 of flops, 6 of turns, 7 of rivers.

A board's features (`texture`) depend on two things only: which ranks lie how often, and how often each suit comes,
whatever its name. Boards that agree in both are one *class*: 455 x 3 classes of flops, 1,820 x 5 of turns, 6,188 x 6 of
rivers, some of them empty. Suit-isomorphic boards are in one class, so clustering classes weighted by their boards is
clustering all boards.

1. Features of every class that has boards, and how many boards it has.
2. k-means weighted by boards, `RESTARTS` seeded runs; the one with the least sum of squared distances is kept.
3. Every class goes to its nearest centroid. Clusters are in the order of their centroids' mean coordinate.
"""

import zlib
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.kmeans import columns_of, kmeans, nearest
from ashe.cards.texture import textures
from ashe.errors import UserError
from ashe.jit import njit

SIZES = {"flop": 3, "turn": 4, "river": 5}
CLUSTERS = {"flop": 5, "turn": 6, "river": 7}  # ceil(log10 of the number of boards)
PATTERNS = {"flop": 3, "turn": 5, "river": 6}
EMPTY = 255  # no such board: five cards of one suit cannot hold a pair
RESTARTS = 50

# How often the suits come, by the sum of the squares of their counts (flop: 9 is 3, 5 is 2 + 1, 3 is 1 + 1 + 1; ...).
_PATTERN = np.full((6, 26), -1, np.int64)
for _size, _sums in {3: (9, 5, 3), 4: (16, 10, 8, 6, 4), 5: (25, 17, 13, 11, 9, 7)}.items():
    _PATTERN[_size, list(_sums)] = np.arange(len(_sums))
SUIT_COUNT = np.array([1 << 8 * (c & 3) for c in range(52)], np.int64)  # four counters in one number
# RANKS_BELOW[i, r]: multisets of i + 1 ranks below r, to number multisets.
RANKS_BELOW = np.array(
    [[len(list(combinations_with_replacement(range(r), i + 1))) for r in range(13)] for i in range(5)], np.int64
)


@njit
def _pattern(size, suits):  # type: ignore[no-untyped-def]
    squares = 0
    for k in range(4):
        count = suits >> 8 * k & 255
        squares += count * count
    return _PATTERN[size, squares]


@njit
def board_class(cards, size):  # type: ignore[no-untyped-def]
    """(number of the multiset of ranks, suit pattern) of the first `size` of `cards`."""
    ranks = np.empty(5, np.int64)
    suits = np.int64(0)
    for i in range(size):
        card = np.int64(cards[i])
        suits += SUIT_COUNT[card]
        rank = card >> 2
        j = i
        while j > 0 and ranks[j - 1] > rank:
            ranks[j] = ranks[j - 1]
            j -= 1
        ranks[j] = rank
    number = np.int64(0)
    for i in range(size):
        number += RANKS_BELOW[i, ranks[i]]
    return number, _pattern(size, suits)


class Classes(NamedTuple):
    """The classes of one street that have boards."""

    place: NDArray[np.int64]  # [n, 2] where in the table: rank multiset, suit pattern
    weight: NDArray[np.int64]  # [n] boards
    board: NDArray[np.int64]  # [n, size] one of them, the first in colexicographic order
    features: NDArray[np.float64]  # [n, 3]


@njit
def _count(size, weight, board):  # type: ignore[no-untyped-def]
    """Boards and the first board of every class, over all boards of `size` cards in colexicographic order."""
    cards = np.arange(5)
    while True:
        number, pattern = board_class(cards, size)
        if weight[number, pattern] == 0:
            board[number, pattern, :size] = cards[:size]
        weight[number, pattern] += 1
        i = 0
        while i < size and cards[i] + 1 == (cards[i + 1] if i + 1 < size else 52):
            cards[i] = i
            i += 1
        if i == size:
            return
        cards[i] += 1


def classes(street: str) -> Classes:
    """All classes of boards of a street."""
    size = SIZES[street]
    multisets = len(list(combinations_with_replacement(range(13), size)))
    weight = np.zeros((multisets, PATTERNS[street]), np.int64)
    board = np.zeros((*weight.shape, size), np.int64)
    _count(size, weight, board)
    place = np.argwhere(weight > 0)
    boards = board[place[:, 0], place[:, 1]]
    return Classes(place, weight[place[:, 0], place[:, 1]], boards, textures(boards))


def squared_distances(features: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, K]"""
    distances: NDArray[np.float64] = ((features[:, None, :] - centres[None]) ** 2).sum(axis=2)
    return distances


def build_street(street: str, seed: int = 1) -> dict[str, NDArray[Any]]:
    """The class table and the centroids of one street."""
    found = classes(street)
    K, weight = CLUSTERS[street], found.weight.astype(np.float64)
    points = found.features.astype(np.float32)
    best, least = np.empty((K, 3)), np.inf
    assigned = np.empty(len(points), np.int64)
    for run in range(RESTARTS):
        rough = kmeans(points, K, seed * RESTARTS + run, 100, weight)
        nearest(points, *columns_of(rough), assigned)
        full = np.bincount(assigned, weight, K)
        if full.min() == 0:
            continue
        centres = np.stack([np.bincount(assigned, weight * x, K) / full for x in found.features.T], axis=1)
        error = float((weight * squared_distances(found.features, centres).min(axis=1)).sum())
        if error < least:
            best, least = centres, error
    if not np.isfinite(least):
        raise UserError(f"k-means found no {K} clusters of {street}s; build with another seed")
    table = np.full((int(found.place[:, 0].max()) + 1, PATTERNS[street]), EMPTY, np.uint8)
    table[found.place[:, 0], found.place[:, 1]] = squared_distances(found.features, best).argmin(axis=1)
    return {street: table, f"{street}_centroids": best}


def build_textures(seed: int = 1) -> dict[str, NDArray[Any]]:
    """Everything in `data/textures.npz`."""
    return {name: array for street in SIZES for name, array in build_street(street, seed).items()}


def checksum(tables: dict[str, NDArray[Any]]) -> int:
    crc = 0
    for street in SIZES:
        crc = zlib.crc32(np.ascontiguousarray(tables[street]).tobytes(), crc)
    return crc
