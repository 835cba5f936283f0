"""A toy problem to try and test the whole framework on: climb a sphere.

The genome is cut into J parts, one per pseudo-opponent S0, S1, ...; "winnings" from opponent j are
1000 - scale * |part_j - 1|^2 chips per match, plus a little luck that is the same for all on the same "decks".
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result, Slices
from ashe.evolution.rng import derived_seed, generator
from ashe.evolution.settings import setting


@dataclass(frozen=True)
class SphereConfig:
    kind: str = setting("sphere", choices=("sphere",), help="this problem")
    dimensions: int = setting(24, ge=4, help="genes")
    parts: int = setting(4, ge=1, help="pseudo-opponents S0, S1, ... and modules M0, M1, ...")
    luck: float = setting(1.0, ge=0.0, help="standard deviation of the luck in chips")
    sleep: float = setting(0.0, ge=0.0, help="seconds an evaluation call takes, to test interruptions")


def parts(dimensions: int, count: int) -> dict[str, tuple[int, int]]:
    return {f"S{j}": (dimensions * j // count, dimensions * (j + 1) // count) for j in range(count)}


class SphereEvaluator:
    def __init__(self, dimensions: int, count: int, luck: float, sleep: float) -> None:
        self._parts = parts(dimensions, count)
        self._luck = luck
        self._sleep = sleep

    def evaluate(self, genomes: npt.NDArray[np.float32], task: GenerationTask) -> Result:
        time.sleep(self._sleep)
        chips = np.empty((len(genomes), len(task.opponents)))
        adjusted, near = np.empty_like(chips), np.empty_like(chips)
        for j, name in enumerate(task.opponents):
            a, b = self._parts[name]
            distance = ((genomes[:, a:b].astype(np.float64) - 1.0) ** 2).sum(axis=1)
            luck = np.random.default_rng(derived_seed(task.seed, "decks", task.generation, name)).normal()
            adjusted[:, j] = 1000.0 - 100.0 * distance
            chips[:, j] = adjusted[:, j] + self._luck * luck
            near[:, j] = np.exp(-distance)
        return {"chips": chips, "adjusted": adjusted, "stat/near": near, "stat/far": 1.0 - near}


class SphereProblem:
    """The `TrainingProblem` of kind `sphere`."""

    big_blind = 100.0
    hands = 10

    def __init__(self, config: SphereConfig) -> None:
        self.config = config
        self.slices: Slices = parts(config.dimensions, config.parts)
        self.genome_modules: Slices = {f"M{name[1:]}": where for name, where in self.slices.items()}
        self.opponents_known: Sequence[str] = tuple(self.slices)
        self.evaluator_factory = EvaluatorSpec(
            "ashe.evolution.toy:SphereEvaluator",
            {"dimensions": config.dimensions, "count": config.parts, "luck": config.luck, "sleep": config.sleep},
        )

    def initial(self, seed: int, n: int) -> torch.Tensor:
        return torch.randn((n, self.config.dimensions), generator=generator(seed, "initial"))

    def assets(self, genome: npt.NDArray[np.float32], task: GenerationTask) -> Mapping[str, npt.NDArray[Any]]:
        return {}

    def describe(self) -> str:
        return f"sphere with {self.config.dimensions} genes in {self.config.parts} parts"
