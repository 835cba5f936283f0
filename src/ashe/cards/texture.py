"""Features of a board (spec section 6): how paired, suited and connected it is. All exact.

- pairedness: 0, 0.5 or 1 for no, one, and two or more pairs; three of a kind counts as two pairs.
- suitedness: probability that a random hand (two unseen cards) has a flush by the river, the board's own included.
- connectivity: likewise for a straight; a straight flush counts for both.

The two hole cards and the board cards to come are together a uniformly random set of m = 7 - n unseen cards. Flush: at
most one suit can come five times among seven cards, so suits add up, each a hypergeometric tail. Straight: only ranks
matter, so sum over the multisets of m ranks (at most 1,820), weighted by the number of ways to draw their cards.
"""

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import check_cards
from ashe.errors import UserError
from ashe.jit import njit

CHOOSE = np.array([[comb(n, k) for k in range(5)] for n in range(53)], dtype=np.int64)
# Does this 13-bit set of ranks contain five in a row (ace high or low)?
_masks = np.arange(1 << 13)
_wheel = _masks << 1 | _masks >> 12
HAS_STRAIGHT = (_wheel & _wheel >> 1 & _wheel >> 2 & _wheel >> 3 & _wheel >> 4) != 0
RANK_BIT = np.array([0, *(1 << r for r in range(13))], dtype=np.int64)  # of rank + 1, so that "no card" adds nothing


class Texture(NamedTuple):
    """Features of one board, each in [0, 1]."""

    pairedness: float
    suitedness: float
    connectivity: float


@njit
def _suit_ways(have: int, unseen: int, draws: int) -> int:
    """Sets of `draws` unseen cards that bring a suit the board has `have` times to five or more."""
    ways = 0
    in_suit = 13 - have
    for k in range(max(0, 5 - have), draws + 1):
        ways += CHOOSE[in_suit, k] * CHOOSE[unseen - in_suit, draws - k]
    return ways


@njit
def _straight_ways(counts: NDArray[np.int64], mask: np.int64, draws: int) -> int:
    """Sets of `draws` unseen cards with which the board's ranks contain five in a row."""
    ways = 0
    left = np.empty(13, dtype=np.int64)
    for r in range(13):
        left[r] = 4 - counts[r]
    # Ranks x >= y >= z >= w of the drawn cards; with fewer than four draws the missing ones are -1.
    for x in range(13):
        for y in range(x + 1):
            for z in range(0 if draws > 2 else -1, y + 1 if draws > 2 else 0):
                for w in range(0 if draws > 3 else -1, z + 1 if draws > 3 else 0):
                    if HAS_STRAIGHT[mask | RANK_BIT[x + 1] | RANK_BIT[y + 1] | RANK_BIT[z + 1] | RANK_BIT[w + 1]]:
                        ways += _draw_ways(left, x, y, z, w)
    return ways


@njit
def _draw_ways(left: NDArray[np.int64], x: int, y: int, z: int, w: int) -> int:
    """Ways to draw cards of the ranks x >= y >= z >= w (-1: no such card) when `left[r]` of each are unseen."""
    ways = 1
    run = 1
    previous = x
    for rank in (y, z, w):
        if rank == previous:
            run += 1
        else:
            ways *= CHOOSE[left[previous], run]
            previous, run = rank, 1
        if rank < 0:
            return ways
    return ways * CHOOSE[left[previous], run]


@njit(nogil=True)
def fill_textures(boards: NDArray[Any], out: NDArray[np.float64]) -> None:
    """Features of `boards` [n, 3, 4 or 5] into `out` [n, 3]: pairedness, suitedness, connectivity."""
    size = boards.shape[1]
    draws, unseen = 7 - size, 52 - size
    total = CHOOSE[unseen, draws]
    for i in range(boards.shape[0]):
        ranks, suits = np.zeros(13, dtype=np.int64), np.zeros(4, dtype=np.int64)
        mask = np.int64(0)
        for j in range(size):
            card = np.int64(boards[i, j])
            ranks[card >> 2] += 1
            suits[card & 3] += 1
            mask |= RANK_BIT[(card >> 2) + 1]
        pairs = 0
        for r in range(13):
            pairs += max(0, ranks[r] - 1)
        flush = 0
        for s in range(4):
            flush += _suit_ways(suits[s], unseen, draws)
        out[i, 0] = 0.5 * min(pairs, 2)
        out[i, 1] = flush / total
        out[i, 2] = _straight_ways(ranks, mask, draws) / total


def textures(boards: NDArray[Any]) -> NDArray[np.float64]:
    """[n, 3] features of n boards of equal size (integer array [n, 3], [n, 4] or [n, 5])."""
    boards = np.asarray(boards)
    if boards.ndim != 2 or boards.shape[1] not in (3, 4, 5):
        raise UserError(f"boards have shape {boards.shape}: [number of boards, 3, 4 or 5 cards] is needed")
    out = np.empty((len(boards), 3), dtype=np.float64)
    fill_textures(np.ascontiguousarray(boards, dtype=np.int64), out)
    return out


def texture(board: Sequence[int]) -> Texture:
    """Pairedness, suitedness and connectivity of a board of 3, 4 or 5 cards."""
    if len(board) not in (3, 4, 5):
        raise UserError(f"the board has {len(board)} cards, texture is defined for 3, 4 or 5")
    check_cards(board)
    return Texture(*(float(x) for x in textures(np.array([board]))[0]))
