"""Exact EHS of every holding on every preflop, flop and turn board, as integers.

A table entry is 2 * wins + ties over all opponent holdings and run-outs, EHS times its `DENOMINATORS` entry.

1. Turn: for each of the 16,432 canonical boards, the sum of the river numerators (`river_pass`) over all rivers.
2. Flop: half the sum of the turn numerators over all turns, because turn-river and river-turn are one run-out.
3. Preflop: a tenth of the sum over all flops, because a board of five cards contains C(5, 3) = 10 flops.

Holdings that clash with the board hold `EMPTY`, which exceeds every numerator, so that "how many holdings are not above
this one" is a plain count over the row. Rows belong to canonical boards: see `suits` for the renaming. The build takes
seconds, the result (97 MB) lives in the cache folder and is memory-mapped.
"""

import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ashe.cachedir import cache_dir
from ashe.cards import matchups
from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES
from ashe.cards.river import EMPTY, river_pass
from ashe.cards.storage import Arrays, build_threads, load_or_build
from ashe.cards.suits import HOLE_CLASS, HOLE_CLASS_FIRST, HOLE_PERM, canonical_boards, turn_index
from ashe.jit import njit

VERSION = "1"  # raise it whenever the arrays change, the shipped matchups included
_RIVER = 2 * 990
# Preflop, flop, turn, river: 2 * opponents * run-outs. The largest is below 2^32.
DENOMINATORS = np.array([2_118_760 * _RIVER, 1081 * _RIVER, 46 * _RIVER, _RIVER], dtype=np.int64)
# Opponent holdings that clash neither with one's own cards nor with the board.
OPPONENTS = np.array([1225, 1081, 1035, 990], dtype=np.int64)


@dataclass(frozen=True)
class EquityTables:
    """Read-only arrays; `*_row` and `*_perm` lead from a board's index to its row and renaming (see `suits`)."""

    preflop: NDArray[np.uint32]  # [1326] numerators
    preflop_not_above: NDArray[np.uint16]  # [1326] opponent holdings whose EHS is not greater
    flop: NDArray[np.uint32]  # [1755, 1326] numerators
    flop_row: NDArray[np.uint16]  # [22100]
    flop_perm: NDArray[np.uint8]
    turn: NDArray[np.uint32]  # [16432, 1326] numerators
    turn_row: NDArray[np.uint16]  # [270725]
    turn_perm: NDArray[np.uint8]
    matchup: NDArray[np.uint32]  # [169, 1326] preflop hand against hand, see `matchups.expand`


@njit(nogil=True)
def turn_rows(boards: NDArray[np.int64], start: int, stop: int, out: NDArray[np.uint32]) -> None:
    """Step 1 for rows start..stop-1."""
    river, stronger = np.empty(N_HOLES, dtype=np.uint32), np.empty(N_HOLES, dtype=np.int32)
    for row in range(start, stop):
        a, b, c, d = boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3]
        total = np.zeros(N_HOLES, dtype=np.uint32)
        for r in range(52):
            if r != a and r != b and r != c and r != d:
                river_pass(a, b, c, d, r, np.uint32(0), river, stronger)
                for hole in range(N_HOLES):
                    total[hole] += river[hole]
        for hole in range(N_HOLES):
            x, y = HOLE_A[hole], HOLE_B[hole]
            clash = x in (a, b, c, d) or y in (a, b, c, d)
            out[row, hole] = EMPTY if clash else total[hole]


@njit(nogil=True)
def flop_rows(
    boards: NDArray[np.int64],
    turn: NDArray[np.uint32],
    turn_row: NDArray[np.uint16],
    turn_perm: NDArray[np.uint8],
    out: NDArray[np.uint32],
) -> None:
    """Step 2."""
    for row in range(boards.shape[0]):
        a, b, c = boards[row, 0], boards[row, 1], boards[row, 2]
        total = np.zeros(N_HOLES, dtype=np.int64)
        for t in range(52):
            if t != a and t != b and t != c:
                index = turn_index(a, b, c, t)
                source, perm = turn_row[index], turn_perm[index]
                for hole in range(N_HOLES):
                    value = turn[source, HOLE_PERM[perm, hole]]
                    if value != EMPTY:
                        total[hole] += np.int64(value)
        for hole in range(N_HOLES):
            x, y = HOLE_A[hole], HOLE_B[hole]
            clash = x in (a, b, c) or y in (a, b, c)
            out[row, hole] = EMPTY if clash else np.uint32(total[hole] // 2)


def preflop_row(flop: NDArray[np.uint32], row: NDArray[Any], perm: NDArray[Any]) -> NDArray[np.uint32]:
    """Step 3, for one holding of each of the 169 classes and then spread to all."""
    total = np.empty(len(HOLE_CLASS_FIRST), dtype=np.int64)
    for i, hole in enumerate(HOLE_CLASS_FIRST):
        value = flop[row, HOLE_PERM[perm, hole]]
        total[i] = value[value != EMPTY].sum(dtype=np.int64)
    return (total // 10).astype(np.uint32)[HOLE_CLASS]


@njit
def count_not_above(row: NDArray[np.uint32], a: int, b: int, value: int) -> np.int64:
    """How many of a row's holdings without the cards a and b have a numerator of at most `value`."""
    limit = np.uint32(value)
    count = np.int32(0)
    for hole in range(N_HOLES):
        count += np.int32(row[hole] <= limit)
    # Take back those with a or b; {a, b} itself is met at both cards and taken back at the first only.
    shared = np.int32(0)
    for card in range(52):
        if card < a:
            shared += np.int32(row[(a * (a - 1) >> 1) + card] <= limit)
        elif card > a:
            shared += np.int32(row[(card * (card - 1) >> 1) + a] <= limit)
        if card < b:
            shared += np.int32(card != a and row[(b * (b - 1) >> 1) + card] <= limit)
        elif card > b:
            shared += np.int32(card != a and row[(card * (card - 1) >> 1) + b] <= limit)
    return np.int64(count - shared)


def build_tables() -> Arrays:
    """All arrays of `EquityTables`, on one thread per available core."""
    flops, turns = canonical_boards(3), canonical_boards(4)
    turn = np.empty((len(turns.cards), N_HOLES), dtype=np.uint32)
    flop = np.empty((len(flops.cards), N_HOLES), dtype=np.uint32)
    chunk = 128
    starts = range(0, len(turn), chunk)
    turn_rows(turns.cards, 0, 0, turn)  # compile before the clock of the progress bar starts
    with ThreadPoolExecutor(build_threads()) as pool:
        jobs = [pool.submit(turn_rows, turns.cards, s, min(s + chunk, len(turn)), turn) for s in starts]
        for job in tqdm(as_completed(jobs), total=len(jobs), desc="EHS tables", file=sys.stderr):
            job.result()
    flop_rows(flops.cards, turn, turns.row, turns.perm, flop)
    preflop = preflop_row(flop, flops.row, flops.perm)
    not_above = [
        count_not_above(preflop, int(HOLE_A[h]), int(HOLE_B[h]), int(preflop[h])) for h in HOLE_CLASS_FIRST.tolist()
    ]
    return {
        "preflop": preflop,
        "preflop_not_above": np.array(not_above, dtype=np.uint16)[HOLE_CLASS],
        "flop": flop,
        "flop_row": flops.row,
        "flop_perm": flops.perm,
        "turn": turn,
        "turn_row": turns.row,
        "turn_perm": turns.perm,
        "matchup": matchups.expand(),
    }


_loaded: dict[Path, EquityTables] = {}


def equity_tables(rebuild: bool = False) -> EquityTables:
    """The tables of this user's cache folder: loaded once per process, built when missing or damaged."""
    path = cache_dir() / "equity.tables"
    if rebuild or path not in _loaded:
        arrays = load_or_build(path, VERSION, build_tables, "exact equity tables (97 MB)", rebuild)
        _loaded[path] = EquityTables(**{field.name: arrays[field.name] for field in fields(EquityTables)})
    return _loaded[path]
