"""What every agent's training evaluator shares: the decks and tables of a generation, and what comes out of them.

All individuals of a generation play the same decks against every opponent; decks change every generation. Table 2j is
the first half match against opponent j, table 2j + 1 the second, with the seats swapped.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.cards.random import derive_key
from ashe.estimators import kernels
from ashe.evaluation import kernel as k
from ashe.evolution.protocols import GenerationTask, Result
from ashe.game.deal import Deal, deal
from ashe.game.rules import Rules
from ashe.jit import source_digest
from ashe.opponents.dispatch import EXTERNAL, RULES
from ashe.trees import defaults

STREETS = ("preflop", "flop", "turn", "river")


DATA = (defaults.FILE, *sorted(Path(kernels.__file__).parent.glob("*.cpp")))  # what agents' code reads besides Python


def player_digest(
    config: Any, genome: NDArray[np.float32], file: str, *trees: Mapping[str, NDArray[Any]] | None
) -> str:
    """Changes when an agent may play differently: its settings, genome and trees, the code (`file` and its imports, the
    LSTM kernel) and the measured default features."""
    digest = hashlib.sha256(repr(config).encode() + genome.tobytes() + source_digest(file).encode())
    for path in DATA:
        digest.update(path.read_bytes())
    for number, arrays in enumerate(trees):
        for name in sorted(arrays or {}):
            assert arrays is not None
            digest.update(f"{number} {name}".encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class GenerationTables:
    """The arrays of `evaluation.kernel` for the tables of one generation."""

    deal: Deal
    codes: NDArray[np.int64]  # [tables, 2] rule numbers; slot 0 is the agent
    meta: NDArray[np.int64]  # [tables, 6]
    blinds: NDArray[np.int64]  # [5]
    style_keys: NDArray[np.uint64]  # [tables, 2]


class TrainingTables:
    """Makes `GenerationTables`, once per generation and worker."""

    def __init__(self, rules: Rules, half: int) -> None:
        self.rules = rules
        self.half = half
        self._key: tuple[int, int, tuple[str, ...]] | None = None
        self._tables: GenerationTables | None = None

    def of(self, task: GenerationTask) -> GenerationTables:
        key = (task.seed, task.generation, task.opponents)
        if self._tables is None or key != self._key:
            self._tables, self._key = self._make(task), key
        return self._tables

    def _make(self, task: GenerationTask) -> GenerationTables:
        tables = 2 * len(task.opponents)
        meta = np.zeros((tables, 6), np.int64)
        meta[:, k.HALF] = np.arange(tables) % 2
        meta[:, k.HANDS] = self.half
        codes = np.full((tables, 2), EXTERNAL, np.int64)
        codes[:, 1] = np.repeat([RULES[name].number for name in task.opponents], 2)
        # A gambler's styles are the same in both halves: that is what makes the halves duplicates.
        style = [derive_key(task.seed, "style", task.generation, name) for name in task.opponents]
        style_keys = np.repeat(np.array(style, np.uint64), 2)[:, None].repeat(2, axis=1)
        r = self.rules
        blinds = np.array([r.small_blind, r.big_blind, r.ante, r.stack, r.stack], np.int64)
        cards = deal(task.seed, task.generation * self.half, self.half, stream="training decks")
        return GenerationTables(cards, codes, meta, blinds, style_keys)

    def result(self, won: NDArray[np.int64], ev: NDArray[np.float64], stats: NDArray[np.int64]) -> Result:
        """From [n, tables, ...] to the arrays of `protocols.Result`, opponents as columns."""

        def per_opponent(a: NDArray[np.generic]) -> NDArray[np.float64]:
            halves = a.reshape(a.shape[0], a.shape[1] // 2, 2, *a.shape[2:])
            return halves.sum(axis=2, dtype=np.float64)

        counts = per_opponent(stats[:, :, 0])  # [n, J, 4, 5]
        out: Result = {"chips": per_opponent(won), "adjusted": per_opponent(ev)}
        for street, name in enumerate(STREETS):
            can, raises = counts[:, :, street, k.CAN_RAISE], counts[:, :, street, k.RAISES]
            out[f"stat/{name}_raise"] = raises / np.maximum(can, 1.0)
        faced, folded = counts[..., k.FACED_RAISE].sum(axis=2), counts[..., k.FOLDED].sum(axis=2)
        out["stat/fold_to_raise"] = folded / np.maximum(faced, 1.0)
        return out
