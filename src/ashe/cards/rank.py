"""Strength of five to seven cards as phevaluator's number: 1 (royal flush) to 7462 (seven-high), lower is better.

A hand is two sums over its cards. `CARD_KEY` adds up to the rank multiset's key (low 32 bits, see `rank_tables`) and
four suit counters above it; `CARD_MASK` adds up to one 13-bit set of ranks per suit. Both are plain
additions, so a loop over holdings on a fixed board adds two keys to the board's and looks the number up:

    key, mask = START_KEY + keys of the board, masks of the board
    rank = rank_of(key + CARD_KEY[a] + CARD_KEY[b], mask + CARD_MASK[a] + CARD_MASK[b])

The suit counters start at 3, so a counter's top bit is set exactly when five or more cards share the suit. Seven cards
with a flush hold neither quads nor a full house, so a flush is looked up without regard to the rest.
"""

import zlib
from pathlib import Path

import numpy as np

from ashe.cards.rank_tables import RANK_KEYS, ROW_SHIFT
from ashe.jit import njit

WORST_RANK = 7462
DATA = Path(__file__).parent / "data"
# Numba freezes the tables below into compiled code whose cache is keyed by this source file: a new table must change
# this line, and `python -m ashe.cards.build rank` prints what to write here.
TABLES_CRC = 0xFB158E9E

with np.load(DATA / "rank_tables.npz") as _npz:
    OFFSET = _npz["offset"]
    LOOKUP = _npz["lookup"]
    FLUSH = _npz["flush"]
if zlib.crc32(LOOKUP.tobytes(), zlib.crc32(OFFSET.tobytes(), zlib.crc32(FLUSH.tobytes()))) != TABLES_CRC:
    raise ImportError(f"{DATA / 'rank_tables.npz'} does not belong to this version of ashe: install the package again")

_SUIT_SHIFT = 32
START_KEY = np.int64(0x3333 << _SUIT_SHIFT)
FLUSH_BITS = np.int64(0x8888 << _SUIT_SHIFT)
KEY_BITS = np.int64((1 << _SUIT_SHIFT) - 1)
CARD_KEY = np.array([RANK_KEYS[c >> 2] + (1 << (_SUIT_SHIFT + 4 * (c & 3))) for c in range(52)], dtype=np.int64)
CARD_MASK = np.array([1 << ((c >> 2) + 16 * (c & 3)) for c in range(52)], dtype=np.int64)


@njit(inline="always")
def flush_rank(key: int, mask: int) -> np.int64:
    """Rank number when `key & FLUSH_BITS` is set."""
    hit = key & FLUSH_BITS
    if hit & (np.int64(0x8) << 32):
        return np.int64(FLUSH[mask & 0x1FFF])
    if hit & (np.int64(0x80) << 32):
        return np.int64(FLUSH[(mask >> 16) & 0x1FFF])
    if hit & (np.int64(0x800) << 32):
        return np.int64(FLUSH[(mask >> 32) & 0x1FFF])
    return np.int64(FLUSH[(mask >> 48) & 0x1FFF])


@njit(inline="always")
def plain_rank(key: int) -> np.int64:
    """Rank number when no suit comes five times."""
    low = key & KEY_BITS
    return np.int64(LOOKUP[low + OFFSET[low >> ROW_SHIFT]])


@njit(inline="always")
def rank_of(key: int, mask: int) -> np.int64:
    """Rank number of `START_KEY` + the cards' `CARD_KEY`s and the sum of their `CARD_MASK`s (5 to 7 cards)."""
    if key & FLUSH_BITS:
        return flush_rank(key, mask)
    return plain_rank(key)


@njit
def rank5(a: int, b: int, c: int, d: int, e: int) -> np.int64:
    """Rank number of five cards."""
    key = START_KEY + CARD_KEY[a] + CARD_KEY[b] + CARD_KEY[c] + CARD_KEY[d] + CARD_KEY[e]
    return rank_of(key, CARD_MASK[a] + CARD_MASK[b] + CARD_MASK[c] + CARD_MASK[d] + CARD_MASK[e])


@njit
def rank6(a: int, b: int, c: int, d: int, e: int, f: int) -> np.int64:
    """Rank number of the best five of six cards."""
    key = START_KEY + CARD_KEY[a] + CARD_KEY[b] + CARD_KEY[c] + CARD_KEY[d] + CARD_KEY[e] + CARD_KEY[f]
    return rank_of(key, CARD_MASK[a] + CARD_MASK[b] + CARD_MASK[c] + CARD_MASK[d] + CARD_MASK[e] + CARD_MASK[f])


@njit
def rank7(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> np.int64:
    """Rank number of the best five of seven cards."""
    key = START_KEY + CARD_KEY[a] + CARD_KEY[b] + CARD_KEY[c] + CARD_KEY[d] + CARD_KEY[e] + CARD_KEY[f] + CARD_KEY[g]
    mask = CARD_MASK[a] + CARD_MASK[b] + CARD_MASK[c] + CARD_MASK[d] + CARD_MASK[e] + CARD_MASK[f] + CARD_MASK[g]
    return rank_of(key, mask)
