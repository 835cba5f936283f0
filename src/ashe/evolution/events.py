"""What the training loop announces. Reporters listen; the loop knows nothing about files or screens."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ashe.evolution.protocols import GenerationTask, Result


@dataclass(frozen=True)
class RunStart:
    settings: Mapping[str, Any]
    total: int
    first: int
    """Generation to run first: above 0 when the run is resumed."""
    positions: Mapping[str, int]
    """Where each reporter's file stood at the checkpoint, by `Reporter.name`."""
    description: str = ""


@dataclass(frozen=True)
class PhaseChange:
    """A curriculum phase or a module session begins."""

    generation: int
    phase: int
    opponents: tuple[str, ...]
    session: int
    module: str


@dataclass(frozen=True)
class GenerationEnd:
    generation: int
    total: int
    opponents: tuple[str, ...]
    genomes: npt.NDArray[np.float32]
    """[P, D], as evaluated."""
    result: Result
    mbb: npt.NDArray[np.float64]
    """[P, J] mBB/hand."""
    fitness: npt.NDArray[np.float64]
    champion: int
    """Row of the best fitness."""
    elites: list[int]
    metrics: dict[str, Any]
    """Summary of all this (see `metrics.summary`): reproducible, no clock in it."""
    hands: int
    """Hands played by the whole population."""
    seconds: float
    extras: dict[str, Any] = field(default_factory=dict)
    """`champion_stats`: opponent -> statistic -> value, when the evaluation carries `stat/...` arrays."""


@dataclass(frozen=True)
class RunEnd:
    done: int
    total: int
    champion: npt.NDArray[np.float32]
    task: GenerationTask
    """Of the last generation, in which the champion played."""
    metrics: Mapping[str, Any]

    @property
    def finished(self) -> bool:
        return self.done >= self.total


class Reporter:
    """Listens to a run; override what is of interest. `name` keys its file position in checkpoints."""

    name = "reporter"

    def run_start(self, event: RunStart) -> None: ...

    def phase_change(self, event: PhaseChange) -> None: ...

    def generation_end(self, event: GenerationEnd) -> None: ...

    def run_end(self, event: RunEnd) -> None: ...

    def position(self) -> int:
        """How far this reporter's output has grown; everything up to here is on disk when this returns."""
        return 0

    def close(self) -> None:
        """Called once, also after an error."""
