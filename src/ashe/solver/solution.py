"""A solved game on disk: settings, centroids and the average strategy in bytes.

A folder with `solution.json` (settings, how it was solved, checksums), `centroids.npz` and `strategy.xz` (one byte per
action of each information set, compressed). What is needed to play is unpacked from it once, into the cache folder.
"""

import io
import json
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cachedir import cache_dir
from ashe.cards.storage import Arrays, load_or_build
from ashe.cli import write_atomic
from ashe.errors import UserError
from ashe.evolution.settings import from_mapping
from ashe.jit import njit
from ashe.solver.abstraction import Abstraction
from ashe.solver.betting import BettingConfig, Move, betting_tree
from ashe.solver.config import RULES
from ashe.solver.tree import Tree

VERSION = "1"  # of the unpacked form
SETTINGS, CENTROIDS, STRATEGY = "solution.json", "centroids.npz", "strategy.xz"


@dataclass(frozen=True)
class Solution:
    """Everything a player needs."""

    tree: Tree
    kind: NDArray[np.int8]  # [edges] FOLD, CALL or RAISE
    fraction: NDArray[np.float32]  # [edges] size of a raise in pots, betting.ALL_IN
    abstraction: Abstraction
    strategy: NDArray[np.uint8]  # weights of the actions; those of an information set need not have the same sum
    settings: dict[str, Any]


@njit
def quantise(actions, rounds, base, buckets, sums, floor, out):  # type: ignore[no-untyped-def]
    """One byte per action from the sums of the average strategy; returns how many information sets were never reached.

    Those copy the nearest bucket of their node that was (buckets are numbered by strength); where the whole node was
    never reached the hand is given up: check, or fold.
    """
    missing = 0
    for node in range(actions.shape[0]):
        n = np.int64(actions[node])
        count = buckets[rounds[node]]
        reached = np.zeros(count, np.bool_)
        for bucket in range(count):
            slot = base[node] + bucket * n
            total, top = 0.0, 0.0
            for a in range(n):
                total += np.float64(sums[slot + a])
                top = max(top, np.float64(sums[slot + a]))
            reached[bucket] = total > 0.0
            if total > 0.0:
                limit = min(floor * total, top)
                for a in range(n):
                    x = np.float64(sums[slot + a])
                    out[slot + a] = np.uint8(255.0 * x / top + 0.5) if x >= limit else 0
        for bucket in range(count):
            if reached[bucket]:
                continue
            missing += 1
            source = -1
            for distance in range(1, count):
                if bucket >= distance and reached[bucket - distance]:
                    source = bucket - distance
                elif bucket + distance < count and reached[bucket + distance]:
                    source = bucket + distance
                if source >= 0:
                    break
            slot = base[node] + bucket * n
            for a in range(n):
                out[slot + a] = out[base[node] + source * n + a] if source >= 0 else np.uint8(255 * (a == 0))
    return missing


def write_solution(
    folder: Path,
    settings: dict[str, Any],
    abstraction: Abstraction,
    strategy: NDArray[np.uint8],
    about: dict[str, Any],
) -> None:
    """Write a solution; `about` says how it came to be."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = lzma.compress(strategy.tobytes(), preset=6)
    write_atomic(folder / STRATEGY, packed)
    write_centroids(folder / CENTROIDS, abstraction)
    data = {
        "settings": settings,
        "bytes": len(strategy),
        "crc32": {name: zlib.crc32((folder / name).read_bytes()) for name in (CENTROIDS, STRATEGY)},
        **about,
    }
    write_atomic(folder / SETTINGS, json.dumps(data, indent=1) + "\n")


def load_solution(folder: Path) -> Solution:
    """The solution in a folder, unpacked into the cache at first use."""
    try:
        data = json.loads((folder / SETTINGS).read_text())
        crc = data["crc32"]
        settings: dict[str, Any] = data["settings"]
    except FileNotFoundError as error:
        raise UserError(
            f"no solution in {folder} ({SETTINGS} is missing); solve one with python -m ashe.solve +experiment=eq"
        ) from error
    except (ValueError, KeyError) as error:
        raise UserError(f"{folder / SETTINGS} is damaged ({error}); restore it or solve again") from error
    _checked(folder / CENTROIDS, crc[CENTROIDS])
    abstraction = read_centroids(folder / CENTROIDS)
    tree, labels = betting_tree(from_mapping(BettingConfig, settings["betting"]), abstraction.buckets, RULES)

    def unpack() -> Arrays:
        packed = _checked(folder / STRATEGY, crc[STRATEGY])
        return {"strategy": np.frombuffer(lzma.decompress(packed), np.uint8)}

    path = cache_dir() / f"strategy-{crc[STRATEGY]:08x}.tables"
    strategy = load_or_build(path, VERSION, unpack, "the strategy of EQ")["strategy"]
    if len(strategy) != tree.places(abstraction.buckets):
        raise UserError(f"the strategy in {folder} does not fit its settings; restore the folder or solve again")
    return Solution(tree, *edge_arrays(labels), abstraction, strategy, settings)


def edge_arrays(labels: list[Move]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    return np.array([m.kind for m in labels], np.int8), np.array([m.fraction for m in labels], np.float32)


def _checked(path: Path, crc: int) -> bytes:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; restore it or solve again") from error
    if zlib.crc32(raw) != crc:
        raise UserError(f"{path} is damaged (checksum); restore it or solve again")
    return raw


def write_centroids(path: Path, abstraction: Abstraction) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **abstraction.arrays())  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def read_centroids(path: Path) -> Abstraction:
    with np.load(path) as file:
        return Abstraction(file["cluster"], file["flop"], file["turn"], file["river"])
