"""Suit isomorphism: boards and holdings that differ only by renaming suits share one table row.

`SUIT_PERMS[p, s]` is the new name of suit s. Every set of 3 or 4 board cards has a canonical form, the renaming whose
sorted cards come first in colexicographic order; `canonical_boards` lists, for every board, the row of its canonical
form and the renaming p that leads there. A player's holding is then looked up as `HOLE_PERM[p, holding]`: one lookup
for the board, one for each holding, and no row is ever rearranged.
"""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import HOLE_A, HOLE_B, N_CARDS
from ashe.jit import njit

N_FLOPS, N_TURNS = 22_100, 270_725
N_CANONICAL_FLOPS, N_CANONICAL_TURNS, N_HOLE_CLASSES = 1755, 16_432, 169

SUIT_PERMS = np.array(list(permutations(range(4))), dtype=np.int64)
CARD_PERM = np.array([[c & ~3 | p[c & 3] for c in range(N_CARDS)] for p in SUIT_PERMS], dtype=np.int64)


def _permuted_holes() -> NDArray[np.uint16]:
    a, b = CARD_PERM[:, HOLE_A], CARD_PERM[:, HOLE_B]
    low, high = np.minimum(a, b), np.maximum(a, b)
    return (high * (high - 1) // 2 + low).astype(np.uint16)


HOLE_PERM = _permuted_holes()  # [24, 1326]: the holding after renaming the suits
# The 169 starting hands: first holding of each class, class of each holding, a renaming that leads to the first.
HOLE_CLASS_FIRST, _classes = np.unique(HOLE_PERM.min(axis=0), return_inverse=True)
HOLE_CLASS = _classes.astype(np.uint8)
HOLE_CLASS_PERM = HOLE_PERM.argmin(axis=0).astype(np.uint8)


@njit
def flop_index(a: int, b: int, c: int) -> int:
    """Index 0..22099 of three distinct cards in any order."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return c * (c - 1) * (c - 2) // 6 + (b * (b - 1) >> 1) + a


@njit
def turn_index(a: int, b: int, c: int, d: int) -> int:
    """Index 0..270724 of four distinct cards in any order."""
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    return d * (d - 1) * (d - 2) * (d - 3) // 24 + c * (c - 1) * (c - 2) // 6 + (b * (b - 1) >> 1) + a


class CanonicalBoards(NamedTuple):
    """For each board index: row of its canonical form and the renaming to it. `cards` are the canonical boards."""

    row: NDArray[Any]
    perm: NDArray[np.uint8]
    cards: NDArray[np.int64]


def all_boards(size: int) -> NDArray[np.int64]:
    """All boards in index (colexicographic) order, each with ascending cards."""
    boards = np.arange(N_CARDS)[:, None]
    for _ in range(size - 1):
        grown = []
        for card in range(N_CARDS):
            lower = boards[boards[:, -1] < card]
            grown.append(np.column_stack([lower, np.full(len(lower), card)]))
        boards = np.concatenate(grown)
    return boards


def colex_index(cards: NDArray[Any]) -> NDArray[np.int64]:
    """Index of boards with ascending cards in the last axis."""
    index = np.zeros(cards.shape[:-1], dtype=np.int64)
    for i in range(cards.shape[-1]):
        choose = np.ones(cards.shape[:-1], dtype=np.int64)
        for j in range(i + 1):
            choose = choose * (cards[..., i] - j) // (j + 1)
        index += choose
    return index


def canonical_boards(size: int) -> CanonicalBoards:
    """Canonical forms of all boards of 3, 4 or 5 cards."""
    boards = all_boards(size)
    best = np.arange(len(boards))
    perm = np.zeros(len(boards), dtype=np.uint8)
    for p in range(1, 24):
        index = colex_index(np.sort(CARD_PERM[p][boards], axis=1))
        better = index < best
        best[better] = index[better]
        perm[better] = p
    first, row = np.unique(best, return_inverse=True)
    return CanonicalBoards(row.astype(np.uint16 if len(first) <= 1 << 16 else np.uint32), perm, boards[first])
