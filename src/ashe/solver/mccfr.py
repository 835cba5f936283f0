"""Solving a flat game: Monte-Carlo CFR in intervals of growing weight, on one or more threads.

An interval is a fixed number of deals; interval k weighs k + 1 in the regrets and (k + 1) ** `average_power` in the
average strategy, which is the result. Threads share the arrays without locks: updates that collide are lost now and
then, which the averaging does not notice. One worker gives the same bytes for the same seed; several do not promise it.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ashe.cards.random import derive_key
from ashe.cards.storage import DamagedFileError, read_arrays, write_arrays
from ashe.errors import UserError
from ashe.evolution.settings import check, setting
from ashe.solver import kernel
from ashe.solver.tree import Sampler, Tree

T = TypeVar("T")


@dataclass(frozen=True)
class MccfrConfig:
    deals: int = setting(ge=1, help="deals in all; each is traversed for both players")
    intervals: int = setting(100, ge=1, help="steps of the weights")
    batch: int = setting(1000, ge=1, help="deals a worker takes at a time")
    average_power: float = setting(1.0, ge=0, help="weight of interval k in the average strategy: (k + 1) ** power")
    prune_after: float = setting(0.1, ge=0, le=1, help="share of the intervals after which actions are pruned")
    prune_below: float = setting(1000.0, gt=0, help="pruned when the regret is below -this times the interval's weight")
    prune_share: float = setting(0.95, ge=0, le=1, help="share of the traversals that prune")

    def __post_init__(self) -> None:
        check(self)
        if self.deals < self.intervals:
            raise UserError(f"deals={self.deals} is less than intervals={self.intervals}; give at least one deal each")


class Solver:
    """The state of a solution: regrets and average strategy after `interval` intervals."""

    def __init__(self, tree: Tree, chance: Sampler, config: MccfrConfig, seed: int) -> None:
        self.tree, self.chance, self.config, self.seed = tree, chance, config, seed
        self.interval = 0
        self.visited = 0
        self.regret: NDArray[np.float32] = np.zeros(tree.places(chance.buckets), np.float32)
        self.average: NDArray[np.float32] = np.zeros_like(self.regret)

    @property
    def done(self) -> bool:
        return self.interval >= self.config.intervals

    @property
    def deals_done(self) -> int:
        return self.config.deals * self.interval // self.config.intervals

    def step(self, workers: int = 1, progress: Callable[[int], None] | None = None) -> None:
        """One interval."""
        c, k = self.config, self.interval
        first, last = c.deals * k // c.intervals, c.deals * (k + 1) // c.intervals
        share = c.prune_share if k >= c.prune_after * c.intervals else 0.0
        weights = (float(k + 1), float(k + 1) ** c.average_power, -c.prune_below * (k + 1), share)

        def work(start: int) -> tuple[int, int]:
            count = min(c.batch, last - start)
            deals = self.chance.sample(derive_key(self.seed, "solve", "deal", start), count)
            key = np.uint64(derive_key(self.seed, "solve", "play", start))
            visited = kernel.traverse(*self.tree, *deals, self.regret, self.average, *weights, key)
            return count, int(visited)

        for count, visited in _run(work, range(first, last, c.batch), workers):
            self.visited += visited
            if progress is not None:
                progress(count)
        self.interval += 1

    def strategy(self, floor: float = 0.0) -> NDArray[np.float32]:
        """The average strategy: probabilities of every information set, those below `floor` dropped."""
        out = np.empty_like(self.average)
        counts = np.array(self.chance.buckets, np.int64)
        kernel.probabilities(self.tree.actions, self.tree.round, self.tree.base, counts, self.average, floor, out)
        return out

    def save(self, path: Path, settings: str) -> None:
        """Write a checkpoint, atomically; `settings` names what the run must not change when it goes on."""
        state = np.array([self.interval, self.visited], np.int64)
        write_arrays(path, settings, {"state": state, "regret": self.regret, "average": self.average})

    def load(self, path: Path, settings: str) -> None:
        try:
            arrays = read_arrays(path, settings)
        except FileNotFoundError as error:
            raise UserError(f"there is no checkpoint {path}; start a new run") from error
        except DamagedFileError as problem:
            raise UserError(f"the checkpoint {path} {problem}; start a new run or use its settings") from problem
        if arrays["regret"].shape != self.regret.shape:
            raise UserError(
                f"the checkpoint {path} has {arrays['regret'].size} places, this game has {self.regret.size}; "
                "it belongs to other settings"
            )
        self.interval, self.visited = (int(x) for x in arrays["state"])
        self.regret[:], self.average[:] = arrays["regret"], arrays["average"]


def _run(work: Callable[[int], T], starts: Iterable[int], workers: int) -> Iterator[T]:
    """Results of `work(start)`, on as many threads as workers (the compiled code releases the interpreter's lock)."""
    if workers == 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, starts)
