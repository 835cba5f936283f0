"""Ask and tell for a searcher that wants to evaluate inside its own `step()`.

A step is deterministic given the searcher's state and the generator's seed, so it can be run twice:

 1. ask: a copy of the searcher takes the step with a problem that, when asked to evaluate, hands out the genomes and
    breaks off. The copy is thrown away.
 2. tell: the searcher itself takes the step; the problem now answers with the fitness told.

No threads, and between two steps the searcher is a plain picklable object. Only sampling is done twice, which is
nothing beside an evaluation.
"""

import logging
import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from evotorch import Problem
from evotorch.algorithms import CMAES, PGPE, SNES

from ashe.errors import UserError
from ashe.evolution.protocols import Champion
from ashe.evolution.rng import derived_seed

if TYPE_CHECKING:
    from ashe.evolution.adapters import EvoTorchConfig

logging.getLogger("evotorch").setLevel(logging.WARNING)


class _AskedError(Exception):
    """Breaks off a step at the point where it wants to know the fitness of `genomes`."""

    def __init__(self, genomes: torch.Tensor) -> None:
        super().__init__()
        self.genomes = genomes


class _ToldProblem(Problem):  # type: ignore[misc]
    """Maximise a fitness that is told from outside."""

    def __init__(self, length: int) -> None:
        super().__init__("max", solution_length=length, initial_bounds=(-1.0, 1.0), dtype=torch.float32)
        self.told: torch.Tensor | None = None

    def _evaluate_batch(self, batch: Any) -> None:
        if self.told is None:
            raise _AskedError(batch.values.clone())
        batch.set_evals(self.told)


class EvoTorchOptimiser:
    def __init__(self, config: "EvoTorchConfig", center: torch.Tensor, size: int, seed: int, generation: int) -> None:
        self.seed = seed
        self._generation = generation
        self._asked: torch.Tensor | None = None
        self._champion: Champion | None = None
        self._settings: dict[str, float] = {}
        problem = _ToldProblem(len(center))
        problem.manual_seed(derived_seed(seed, "evotorch", generation, "start"))
        common = {"popsize": size, "stdev_init": config.stdev, "center_init": center.to(torch.float32).numpy()}
        if config.algorithm == "snes":
            self._searcher: Any = SNES(problem, **common)
        elif config.algorithm == "pgpe":
            rates = {"center_learning_rate": config.center_learning_rate}
            self._searcher = PGPE(problem, stdev_learning_rate=config.stdev_learning_rate, **rates, **common)
        else:
            self._searcher = CMAES(problem, separable=config.separable, **common)

    def ask(self) -> torch.Tensor:
        if self._asked is None:
            probe = pickle.loads(pickle.dumps(self._searcher))
            self._asked = self._step(probe)
        return self._asked

    def tell(self, fitness: torch.Tensor) -> None:
        asked = self.ask()
        if fitness.shape != (len(asked),) or not bool(torch.isfinite(fitness).all()):
            raise UserError(f"fitness must be {len(asked)} finite numbers, got {list(fitness.shape)}: {fitness}")
        problem = self._searcher.problem
        problem.told = fitness.to(torch.float32)
        self._step(self._searcher)
        problem.told = None
        if not torch.equal(self._searcher.population.values, asked):
            raise RuntimeError("the searcher did not repeat its step: its genomes differ from those asked for")
        best = int(torch.argmax(fitness))
        self._champion = Champion(asked[best].clone(), float(fitness[best]), best)
        self._settings = {"step_size": _step_size(self._searcher)}
        self._generation += 1
        self._asked = None

    def _step(self, searcher: Any) -> torch.Tensor:
        """One step with the random numbers of this generation; returns the genomes it evaluates."""
        searcher.problem.manual_seed(derived_seed(self.seed, "evotorch", self._generation))
        try:
            searcher.step()
        except _AskedError as asked:
            return asked.genomes
        genomes: torch.Tensor = searcher.population.values
        return genomes

    @property
    def champion(self) -> Champion:
        if self._champion is None:
            raise RuntimeError("no generation has been told yet, so there is no champion")
        return self._champion

    @property
    def elites(self) -> list[int]:
        return []

    def settings(self) -> dict[str, float]:
        return self._settings

    def state_dict(self) -> dict[str, Any]:
        data = np.frombuffer(pickle.dumps(self._searcher), dtype=np.uint8)
        return {"generation": self._generation, "searcher": torch.from_numpy(data.copy())}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._generation = int(state["generation"])
        self._searcher = pickle.loads(state["searcher"].numpy().tobytes())
        self._asked = None


def _step_size(searcher: Any) -> float:
    """Mean standard deviation of the search distribution (CMA-ES: its global step size)."""
    status = searcher.status
    return float(torch.as_tensor(status["stdev"] if "stdev" in status else status["stepsize"]).mean())
