"""What training asks of every agent (`protocols.TrainingProblem`), as far as it is the same for all."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy.typing as npt
import torch

from ashe.estimators.genome import GenomeSpec
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Slices
from ashe.evolution.rng import derived_seed
from ashe.game.rules import Rules
from ashe.opponents.dispatch import RULES


class AgentConfig(Protocol):
    @property
    def spec(self) -> GenomeSpec: ...


class AgentProblem:
    """Half matches of `hands` hands against rule players; `modules` are the parts that sessions evolve."""

    evaluator: str  # package.module:Name of the evaluator

    def __init__(self, config: AgentConfig, rules: Rules, hands: int, modules: Slices) -> None:
        self.rules = rules
        self.half = hands
        self.hands = 2 * hands
        self.big_blind = float(rules.big_blind)
        self.genome_modules = modules
        self.slices: Slices = {s.name: (s.start, s.stop) for s in config.spec.slices}
        self.opponents_known: Sequence[str] = tuple(RULES)
        self.evaluator_factory = EvaluatorSpec(self.evaluator, {"config": config, "rules": rules, "half": hands})
        self._spec = config.spec

    def initial(self, seed: int, n: int) -> torch.Tensor:
        return torch.from_numpy(self._spec.sample(derived_seed(seed, "initial"), n))

    def assets(self, genome: npt.NDArray[Any], task: GenerationTask) -> Mapping[str, npt.NDArray[Any]]:
        """What a champion plays with besides its genome."""
        return {}
