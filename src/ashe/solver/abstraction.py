"""The card abstraction: which hands the solved game cannot tell apart.

Before the flop the 169 starting hands; after it, clusters by k-means over the features of `features.py`, on each street
anew (imperfect recall). What ships is the centroids; the tables of all flops and turns are built from them once, into
the cache folder. River buckets are computed when they are needed.
"""

import sys
import zlib
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ashe.cachedir import cache_dir
from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES
from ashe.cards.equity import board_numerators
from ashe.cards.kmeans import columns_of, kmeans, nearest
from ashe.cards.random import derive_key, shuffle_decks
from ashe.cards.storage import Arrays, build_threads, load_or_build
from ashe.cards.suits import HOLE_CLASS, HOLE_PERM, canonical_boards, turn_index
from ashe.cards.tables import equity_tables
from ashe.errors import UserError
from ashe.evolution.settings import check, setting
from ashe.jit import njit
from ashe.solver import features as f

VERSION = "1"  # raise it when the features change
_PER_BOARD = 120  # holdings of a sampled board that take part in the clustering


@dataclass(frozen=True)
class AbstractionConfig:
    flop: int = setting(ge=2, le=60_000, help="buckets on the flop")
    turn: int = setting(ge=2, le=60_000, help="buckets on the turn")
    river: int = setting(ge=2, le=60_000, help="buckets on the river")
    boards: int = setting(2_000, ge=10, help="random boards per street that are clustered")
    iterations: int = setting(20, ge=1, help="of k-means")

    def __post_init__(self) -> None:
        check(self)
        most = max(self.flop, self.turn, self.river)
        if most > self.boards:
            raise UserError(f"{most} buckets from boards={self.boards} are too many; give boards={most} or more")


@dataclass(frozen=True)
class Abstraction:
    """Centroids, and the tables of flop and turn buckets made from them."""

    cluster: NDArray[np.uint8]  # [1326] group of every starting hand, for the river features
    flop: NDArray[np.float32]  # [buckets, N_EDGES]
    turn: NDArray[np.float32]
    river: NDArray[np.float32]  # [buckets, RIVER_FEATURES]

    @property
    def buckets(self) -> tuple[int, int, int, int]:
        return 169, len(self.flop), len(self.turn), len(self.river)

    def arrays(self) -> Arrays:
        return {"cluster": self.cluster, "flop": self.flop, "turn": self.turn, "river": self.river}

    def tables(self) -> Arrays:
        """`flop` [1755, 1326] and `turn` [16432, 1326]: the bucket of every holding on every canonical board."""
        digest = 0
        for array in self.arrays().values():
            digest = zlib.crc32(np.ascontiguousarray(array).tobytes(), digest)
        path = cache_dir() / f"buckets-{digest:08x}.tables"
        what = "flop and turn buckets (48 MB, about a minute)"
        return load_or_build(path, VERSION, lambda: _assign(self), what)


def build_abstraction(config: AbstractionConfig, seed: int) -> Abstraction:
    """Cluster each street."""
    cluster = _starting_groups(seed)
    turns = _all_turn_counts()
    points = {
        name: _sampled_points(cards, config.boards, derive_key(seed, "boards", name), turns, cluster)
        for name, cards in (("flop", 3), ("turn", 4), ("river", 5))
    }
    centroids = {
        name: kmeans(points[name], buckets, derive_key(seed, name), config.iterations)
        for name, buckets in (("flop", config.flop), ("turn", config.turn), ("river", config.river))
    }
    return Abstraction(cluster, **centroids)


def _starting_groups(seed: int) -> NDArray[np.uint8]:
    """The 169 starting hands in `CLUSTERS` groups by the distribution of their flop EHS."""
    flop = equity_tables().flop
    boards = canonical_boards(3)
    weight = np.bincount(boards.row)
    _, most = board_numerators(tuple(int(c) for c in boards.cards[0]))
    points = np.zeros((169, f.N_EDGES), np.float64)
    for hand in range(169):
        holes = np.flatnonzero(hand == HOLE_CLASS)
        values = flop[:, holes]
        live = values != np.uint32(0xFFFFFFFF)
        mass = live * weight[:, None]
        for j, mark in enumerate(f.EDGES):
            points[hand, j] = (mass * (values < mark * most)).sum() / mass.sum()
    groups = kmeans(points.astype(np.float32), f.CLUSTERS, seed, 50)
    out = np.empty(169, np.int64)
    nearest(points.astype(np.float32), *columns_of(groups), out)
    return out.astype(np.uint8)[HOLE_CLASS]


def live_holes(board: Any) -> NDArray[np.int64]:
    """Holdings that share no card with the board."""
    return np.flatnonzero(~(np.isin(HOLE_A, board) | np.isin(HOLE_B, board)))


def _sampled_points(
    cards: int, boards: int, key: int, turns: NDArray[np.uint8], cluster: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Features of some holdings on random boards."""
    decks = np.empty((boards, cards), np.int64)
    keys = np.array([derive_key(key, i) for i in range(boards)], np.uint64)
    shuffle_decks(keys, cards, decks)
    place, first = f.by_cluster(cluster)
    known = equity_tables()
    rng = np.random.default_rng(key)
    counts, full = np.empty((N_HOLES, f.N_EDGES + 1), np.int32), np.empty((N_HOLES, f.N_EDGES), np.float32)
    out = []
    for board in decks:
        chosen = np.sort(rng.choice(live_holes(board), _PER_BOARD, replace=False))
        if cards == 5:
            points = np.empty((_PER_BOARD, f.RIVER_FEATURES), np.float32)
            f.river_features(*board, chosen, place, first, points)
            out.append(points)
            continue
        if cards == 3:
            f.flop_counts(*board, known.turn_row, known.turn_perm, turns, counts)
            f.shares(counts, full)
            out.append(full[chosen])
        else:
            index = turn_index(*board)
            f.shares(turns[known.turn_row[index]], full)
            out.append(full[HOLE_PERM[known.turn_perm[index]][chosen]])
    return np.concatenate(out)


def _all_turn_counts() -> NDArray[np.uint8]:
    """`turn_counts` of all canonical turns [16432, 1326, N_EDGES + 1], 435 MB for as long as it is needed."""
    boards = canonical_boards(4).cards
    counts = np.zeros((len(boards), N_HOLES, f.N_EDGES + 1), np.uint8)
    _count(boards, 0, 0, counts)  # compile before the progress bar's clock starts
    starts = range(0, len(boards), 64)
    with ThreadPoolExecutor(build_threads()) as pool:
        jobs = [pool.submit(_count, boards, s, min(s + 64, len(boards)), counts) for s in starts]
        for job in tqdm(
            as_completed(jobs), total=len(jobs), desc="equity distributions", file=sys.stderr, mininterval=1
        ):
            job.result()
    return counts


@njit(nogil=True)
def _count(boards, start, stop, counts):  # type: ignore[no-untyped-def]
    for row in range(start, stop):
        f.turn_counts(boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3], counts[row])


def _assign(abstraction: Abstraction) -> Arrays:
    """Buckets of all flops and turns; holdings that clash with the board get some bucket."""
    turns, known = _all_turn_counts(), equity_tables()
    flops = canonical_boards(3).cards
    flop = np.zeros((len(flops), N_HOLES), np.uint16)
    turn = np.zeros((len(turns), N_HOLES), np.uint16)
    _fill_flops(flops, known.turn_row, known.turn_perm, turns, *columns_of(abstraction.flop), flop)
    _fill_turns(turns, *columns_of(abstraction.turn), turn)
    return {"flop": flop, "turn": turn}


@njit(nogil=True)
def _fill_flops(boards, row, perm, turns, columns, norms, table):  # type: ignore[no-untyped-def]
    counts, points = np.empty((N_HOLES, f.N_EDGES + 1), np.int32), np.empty((N_HOLES, f.N_EDGES), np.float32)
    for i in range(boards.shape[0]):
        f.flop_counts(boards[i, 0], boards[i, 1], boards[i, 2], row, perm, turns, counts)
        f.shares(counts, points)
        nearest(points, columns, norms, table[i])


@njit(nogil=True)
def _fill_turns(turns, columns, norms, table):  # type: ignore[no-untyped-def]
    points = np.empty((N_HOLES, f.N_EDGES), np.float32)
    for i in range(turns.shape[0]):
        f.shares(turns[i], points)
        nearest(points, columns, norms, table[i])
