"""The texture cluster of a board: sort its ranks, one table access (`texture_classes` says what the clusters are).

`data/textures.npz` ships the cluster of every class of boards and the centroids; `python -m ashe.cards.build textures`
makes it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cards.texture_classes import CLUSTERS, SIZES, board_class, checksum, classes, squared_distances
from ashe.jit import njit

FILE = Path(__file__).parent / "data" / "textures.npz"
# Numba freezes the tables below into compiled code whose cache is keyed by this source file: a new table must change
# this line, and `python -m ashe.cards.build textures` prints what to write here.
TABLES_CRC = 0x5C756732

with np.load(FILE, allow_pickle=False) as _npz:
    TABLES: dict[str, NDArray[Any]] = {name: _npz[name] for name in _npz.files}
if checksum(TABLES) != TABLES_CRC:
    raise ImportError(f"{FILE} does not belong to this version of ashe: install the package again")
FLOP, TURN, RIVER = TABLES["flop"], TABLES["turn"], TABLES["river"]
CENTROIDS: dict[str, NDArray[np.float64]] = {street: TABLES[f"{street}_centroids"] for street in SIZES}
MOST = max(CLUSTERS.values())


@njit
def board_cluster(cards, size):  # type: ignore[no-untyped-def]
    """The texture cluster of a board: the first `size` (3, 4 or 5) of `cards`."""
    number, pattern = board_class(cards, size)
    if size == 3:
        return np.int64(FLOP[number, pattern])
    if size == 4:
        return np.int64(TURN[number, pattern])
    return np.int64(RIVER[number, pattern])


@njit(nogil=True)
def fill_clusters(boards, out):  # type: ignore[no-untyped-def]
    """Clusters of `boards` [n, 5] into `out` [n, 4] by street; 0 before the flop."""
    for i in range(boards.shape[0]):
        out[i, 0] = 0
        for street in range(1, 4):
            out[i, street] = board_cluster(boards[i], street + 2)


def clusters_so_far(board: Sequence[int]) -> NDArray[np.int8]:
    """[1, 4] by street of the cards that lie, -1 on streets to come."""
    out = np.full((1, 4), -1, np.int8)
    out[0, 0] = 0
    cards = np.array(board, np.int64)
    for size in range(3, len(cards) + 1):
        out[0, size - 2] = board_cluster(cards, size)
    return out


def clusters_of(boards: NDArray[Any]) -> NDArray[np.int8]:
    """[n, 4] by street of n full boards [n, 5]."""
    out = np.empty((len(boards), 4), np.int8)
    fill_clusters(boards, out)
    return out


def summary(street: str, examples: int = 4) -> list[dict[str, Any]]:
    """For people: boards, share, mean features and the most typical boards of every cluster."""
    found = classes(street)
    cluster = TABLES[street][found.place[:, 0], found.place[:, 1]]
    distance = squared_distances(found.features, CENTROIDS[street])
    rows = []
    for k in range(CLUSTERS[street]):
        mine = np.flatnonzero(cluster == k)
        weight = found.weight[mine]
        typical = mine[np.lexsort((-weight, distance[mine, k]))][:examples]
        rows.append(
            {
                "boards": int(weight.sum()),
                "share": float(weight.sum() / found.weight.sum()),
                "features": (weight @ found.features[mine] / weight.sum()).tolist(),
                "examples": found.board[typical].tolist(),
            }
        )
    return rows
