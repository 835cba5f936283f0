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
NOTHING = np.zeros(0, np.float32)


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
            visited = kernel.traverse(*self.tree, *deals, self.regret, self.average, *weights, key, NOTHING)
            return count, int(visited)

        for count, visited in _run(work, range(first, last, c.batch), workers):
            self.visited += visited
            if progress is not None:
                progress(count)
        self.interval += 1

    def strategy(self, floor: float = 0.0) -> NDArray[np.float32]:
        """The average strategy: probabilities of every information set, those below `floor` dropped."""
        return probabilities(self.tree, self.chance, self.average, floor)

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


def probabilities(
    tree: Tree, chance: Sampler, sums: NDArray[np.float32], floor: float = 0.0, greedy: bool = False
) -> NDArray[np.float32]:
    out = np.empty_like(sums)
    counts = np.array(chance.buckets, np.int64)
    kernel.probabilities(tree.actions, tree.round, tree.base, counts, sums, floor, greedy, out)
    return out


@dataclass(frozen=True)
class Exploited:
    """What learned best responses win, per hand: a lower bound of the exploitability inside the abstract game."""

    value: float
    half_width: float  # of the 95 % interval
    by_player: tuple[float, float]


def learned_exploitability(
    tree: Tree,
    chance: Sampler,
    strategy: NDArray[np.float32],
    seed: int,
    learn: int,
    play: int,
    workers: int = 1,
    batch: int = 1000,
) -> Exploited:
    """Learn a response of either player in `learn` deals (the same traversal, the other player fixed), then play it.

    It plays greedily, on `play` fresh deals in either role. A better response may exist, so the value is a lower bound
    (within its interval); it grows with `learn`. Cards outside the abstraction are not looked at.
    """
    regret = np.zeros_like(strategy)

    def teach(start: int) -> int:
        count = min(batch, learn - start)
        deals = chance.sample(derive_key(seed, "respond", "deal", start), count)
        key = np.uint64(derive_key(seed, "respond", "play", start))
        # Later deals weigh more, as in the solver, because early ones met an untaught player.
        weight = 1.0 + 10.0 * start / learn
        return int(kernel.traverse(*tree, *deals, regret, NOTHING, weight, 0.0, 0.0, 0.0, key, strategy))

    for _ in _run(teach, range(0, learn, batch), workers):
        pass
    response = probabilities(tree, chance, regret, greedy=True)

    def test(start: int) -> NDArray[np.float64]:
        count = min(batch, play - start)
        deals = chance.sample(derive_key(seed, "respond", "test deal", start), count)
        key = np.uint64(derive_key(seed, "respond", "test play", start))
        won = np.empty((2, count))
        kernel.play_out(*tree, *deals, response, strategy, key, won[0])
        kernel.play_out(*tree, *deals, strategy, response, key, won[1])
        won[1] *= -1.0
        return won

    won = np.concatenate(list(_run(test, range(0, play, batch), workers)), axis=1)
    hands = won.mean(axis=0)
    means = won.mean(axis=1)
    width = 1.96 * float(hands.std(ddof=1)) / np.sqrt(play)
    return Exploited(float(hands.mean()), float(width), (float(means[0]), float(means[1])))


def _run(work: Callable[[int], T], starts: Iterable[int], workers: int) -> Iterator[T]:
    """Results of `work(start)`, on as many threads as workers (the compiled code releases the interpreter's lock)."""
    if workers == 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, starts)
