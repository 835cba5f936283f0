"""Builds the evaluator's tables from the rules of poker (run by `python -m ashe.cards.build rank`).

1. Every multiset of 5, 6 or 7 ranks (at most four alike) gets a score: hand category, then the ranks that break ties.
   Every set of 5 to 7 suited ranks likewise.
2. The 7,462 distinct scores of five-card hands, best first, are numbered 1..7462. Phevaluator numbers hands the same
   way, but nothing here asks it: the tests can then compare two independent derivations.
3. A multiset's key is the sum of its ranks' `RANK_KEYS`; the sums are all different. The keys reach 33 million, so
   they are packed by row displacement: a key's upper bits name a row, each row is shifted to where its
   entries fall into free places of one short array, and `LOOKUP[key + OFFSET[key >> 12]]` is the number.

The rank keys are those of OMPEval (https://github.com/zekyll/OMPEval), chosen so that the rows pack tightly.
"""

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROW_SHIFT = 12
RANK_KEYS = (
    0x2000, 0x8001, 0x11000, 0x3A000, 0x91000, 0x176005, 0x366000,
    0x41A013, 0x47802E, 0x479068, 0x48C0E4, 0x48F211, 0x494493,
)  # fmt: skip

Score = tuple[int, ...]


def straight_top(ranks: set[int]) -> int:
    """Highest rank of the best straight in the set, -1 if there is none; the ace also plays below the deuce."""
    for top in range(12, 2, -1):
        if all((top - i) % 13 in ranks for i in range(5)):
            return top
    return -1


def suited_score(ranks: set[int]) -> Score:
    """Score of five or more cards of one suit."""
    top = straight_top(ranks)
    return (8, top) if top >= 0 else (5, *sorted(ranks, reverse=True)[:5])


def unsuited_score(counts: list[int]) -> Score:
    """Score of the best five cards when no suit comes five times; `counts[r]` cards have rank r."""
    by_count: dict[int, list[int]] = {n: [r for r in range(12, -1, -1) if counts[r] >= n] for n in (1, 2, 3, 4)}

    def kickers(used: tuple[int, ...], n: int) -> list[int]:
        return [r for r in by_count[1] if r not in used][:n]

    if by_count[4]:
        quad = by_count[4][0]
        return (7, quad, *kickers((quad,), 1))
    if by_count[3] and len(by_count[2]) > 1:
        trip = by_count[3][0]
        return (6, trip, next(r for r in by_count[2] if r != trip))
    top = straight_top(set(by_count[1]))
    if top >= 0:
        return (4, top)
    if by_count[3]:
        trip = by_count[3][0]
        return (3, trip, *kickers((trip,), 2))
    if len(by_count[2]) > 1:
        high, low = by_count[2][:2]
        return (2, high, low, *kickers((high, low), 1))
    if by_count[2]:
        pair = by_count[2][0]
        return (1, pair, *kickers((pair,), 3))
    return (0, *by_count[1][:5])


def pack_rows(keys: NDArray[np.int64], values: NDArray[np.uint16]) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """First-fit row displacement, fullest rows first: (OFFSET, LOOKUP)."""
    columns = 1 << ROW_SHIFT
    rows = keys >> ROW_SHIFT
    n_rows = int(rows.max()) + 1
    limit = 2 * len(keys)
    taken = np.zeros(limit + columns, dtype=bool)
    lookup = np.zeros(limit + columns, dtype=np.uint16)
    offset = np.zeros(n_rows, dtype=np.int32)
    for row in np.argsort(-np.bincount(rows, minlength=n_rows), kind="stable"):
        members = np.nonzero(rows == row)[0]
        if len(members) == 0:
            break
        column = keys[members] & (columns - 1)
        clash = np.zeros(limit, dtype=bool)
        for c in column:
            clash |= taken[c : c + limit]
        start = int(np.argmin(clash))
        taken[column + start] = True
        lookup[column + start] = values[members]
        offset[row] = start - (int(row) << ROW_SHIFT)
    return offset, lookup[: int(np.nonzero(taken)[0].max()) + 1]


def build_rank_tables() -> dict[str, NDArray[Any]]:
    """`offset`, `lookup` for hands without a flush and `flush[mask of suited ranks]`."""
    unsuited: dict[int, Score] = {}
    five_card: set[Score] = set()
    for size in (5, 6, 7):
        for ranks in combinations_with_replacement(range(13), size):
            counts = [0] * 13
            for r in ranks:
                counts[r] += 1
            if max(counts) > 4:
                continue
            score = unsuited_score(counts)
            unsuited[sum(RANK_KEYS[r] for r in ranks)] = score
            if size == 5:
                five_card.add(score)
    suited = {
        sum(1 << r for r in ranks): suited_score(set(ranks))
        for size in (5, 6, 7)
        for ranks in combinations(range(13), size)
    }
    five_card.update(suited.values())
    number = {score: i + 1 for i, score in enumerate(sorted(five_card, reverse=True))}
    flush = np.zeros(1 << 13, dtype=np.uint16)
    for mask, score in suited.items():
        flush[mask] = number[score]
    keys = np.array(list(unsuited), dtype=np.int64)
    values = np.array([number[s] for s in unsuited.values()], dtype=np.uint16)
    offset, lookup = pack_rows(keys, values)
    return {"offset": offset, "lookup": lookup, "flush": flush}
