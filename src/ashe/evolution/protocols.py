"""What the parts of a training run ask of each other.

Optimiser         proposes genomes (`ask`) and learns from their fitness (`tell`)
OptimiserFactory  starts an optimiser for a module session
Evaluator         plays genomes against opponents; one is built per worker from a picklable `EvaluatorSpec`
TrainingProblem   a kind of agent: genome layout, first genomes, evaluator
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import torch

from ashe.errors import UserError

Slices = Mapping[str, tuple[int, int]]
"""Named parts of a genome: name -> (first gene, one past the last)."""

Result = dict[str, npt.NDArray[Any]]
"""What an evaluation returns: arrays whose first axis is the individual. `chips` [n, J] float64 is required (chips won
from each opponent over both half matches), `adjusted` [n, J] is the same without the luck of all-in run-outs;
`stat/NAME` [n, J] are action statistics, shown for the champion; other arrays are carried along."""


class Champion(NamedTuple):
    """Best of a generation: its genome, its fitness and its row in the population."""

    genome: torch.Tensor
    fitness: float
    row: int


@runtime_checkable
class Optimiser(Protocol):
    """Ask for a population [P, D] float32, tell its fitness [P] (higher is better), repeat."""

    def ask(self) -> torch.Tensor: ...

    def tell(self, fitness: torch.Tensor) -> None: ...

    @property
    def champion(self) -> Champion:
        """Best of the generation told last."""
        ...

    @property
    def elites(self) -> list[int]:
        """Rows of the generation told last that reproduce; empty for optimisers that have no such thing."""
        ...

    def settings(self) -> dict[str, float]:
        """Numbers worth plotting (mutation rate, step size) as used in the generation told last."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Tensors and plain values; only complete between `tell` and the next `ask`."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...


class OptimiserFactory(Protocol):
    """Starts an optimiser at `generation` of a run of `total` generations (schedules span the whole run)."""

    def check_size(self, population: int, length: int) -> None:
        """Refuse a population of genomes of that length that cannot work."""
        ...

    def from_population(self, population: torch.Tensor, seed: int, generation: int, total: int) -> Optimiser: ...

    def from_champion(self, champion: torch.Tensor, size: int, seed: int, generation: int, total: int) -> Optimiser:
        """A later module session: everyone starts as a varied copy of `champion` [D]."""
        ...


@dataclass(frozen=True)
class GenerationTask:
    """All that an evaluator may depend on besides the genomes: same task, same decks, whatever the worker."""

    seed: int
    generation: int
    opponents: tuple[str, ...]
    phase: int = 0
    """Number of the curriculum phase, from 0."""
    session: int = 0
    """Number of the module session, from 0."""
    module: str = ""
    """The module that evolves in this session."""
    population: int = 0
    first: int = 0
    """Index within the population of the first genome handed over (a worker gets a shard)."""
    champion: npt.NDArray[np.float32] | None = None
    """Champion of the previous generation (self-play); none in the first."""


class Evaluator(Protocol):
    def evaluate(self, genomes: npt.NDArray[np.float32], task: GenerationTask) -> Result:
        """Play genomes [n, D] as the task says. Each row's result depends on that row and the task only."""
        ...


@dataclass(frozen=True)
class EvaluatorSpec:
    """How to build an evaluator in another process: `package.module:Name` called with keyword arguments."""

    target: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Evaluator:
        module, _, name = self.target.partition(":")
        if not name:
            raise UserError(f"evaluator {self.target!r} is not of the form package.module:Name")
        evaluator: Evaluator = getattr(importlib.import_module(module), name)(**self.kwargs)
        return evaluator


class TrainingProblem(Protocol):
    """A kind of agent with its settings, ready to be trained."""

    @property
    def genome_modules(self) -> Slices:
        """The modules that sessions evolve in turn; together they cover the genome without a gap."""
        ...

    @property
    def slices(self) -> Slices:
        """Finer parts (layers) for weight histograms."""
        ...

    @property
    def evaluator_factory(self) -> EvaluatorSpec: ...

    @property
    def opponents_known(self) -> Sequence[str]:
        """Names that a curriculum may use."""
        ...

    @property
    def big_blind(self) -> float:
        """In the unit of `chips`."""
        ...

    @property
    def hands(self) -> int:
        """Hands an individual plays against one opponent in a generation, both half matches together."""
        ...

    def initial(self, seed: int, n: int) -> torch.Tensor:
        """Random genomes [n, D] float32."""
        ...

    def assets(self, genome: npt.NDArray[np.float32], task: GenerationTask) -> Mapping[str, npt.NDArray[Any]]:
        """What the champion file needs besides the genome; `task` is that of the champion's generation."""
        ...

    def describe(self) -> str:
        """One line for the console."""
        ...
