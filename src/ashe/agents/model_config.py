"""The settings that the agents of the ASHE 2.x series have in common."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ashe.agents.ashe2_mind import Settings
from ashe.agents.preliminary import PreliminaryConfig
from ashe.decision.utility import HEADS
from ashe.errors import UserError
from ashe.estimators.estimator import EstimatorConfig
from ashe.estimators.genome import PRINTED, PROTOTYPE, GenomeSpec
from ashe.evolution.settings import check, setting
from ashe.trees.defaults import next_action_defaults, street_defaults


@dataclass(frozen=True)
class ModelConfig:
    """Trees, habits and the sizes of estimators; the agents add how they decide."""

    kind: str = setting(help="which agent")
    blocks: int = setting(50, ge=1, help="LSTM blocks of each estimator")
    size: int = setting(10, ge=1, help="cells of a block")
    hidden: int = setting(50, ge=1, help="hidden units between the LSTM and the output")
    output_tanh: bool = setting(True, help="block output o * tanh(c) as printed; false: o * c, as the prototype")
    head: str = setting("direct", choices=tuple(HEADS), help="outputs are probabilities, or bend a sound first guess")
    reliable: int = setting(4, ge=0, help="a node counts as reliable with more visits than this")
    prior_visits: float = setting(
        10.0, gt=0.0, help="2.2: imagined visits behind a node's first guess; 2.0: visits until it stands alone"
    )
    habit_visits: float = setting(
        0.0,
        ge=0.0,
        help="imagined visits of street defaults behind the opponent's habits; 0: none, as printed",
    )
    selective: bool = setting(
        False,
        help="who folds to a raise folds its weakest hands, so that a caller is stronger; false as printed",
    )
    lambdas: tuple[float, ...] = setting((50.0, 20.0, 10.0, 5.0), help="visits of full confidence, by street")
    street_defaults: str = setting("training8", help="name of the default features in trees/defaults.json")
    trees: bool = setting(True, help="false: every node is taken as never visited (ablation)")
    board_nodes: bool = setting(False, help="trees have a node per texture cluster when community cards come (2.1)")
    preliminary: PreliminaryConfig | None = setting(None, help="session that builds default trees (2.1); null: none")
    init: str = setting("printed", choices=("printed", "prototype"), help="standard deviations of the first genes")

    def __post_init__(self) -> None:
        check(self)
        if len(self.lambdas) != 4 or min(self.lambdas) <= 0:
            raise UserError(f"lambdas={list(self.lambdas)} must be four positive numbers, one per street")
        street_defaults(self.street_defaults)

    @property
    def modules(self) -> tuple[str, str]:
        """The estimators, in the order of the genome."""
        raise NotImplementedError

    def estimator(self, name: str) -> EstimatorConfig:
        """One of them in these sizes."""
        raise NotImplementedError

    @cached_property
    def spec(self) -> GenomeSpec:
        std = PRINTED if self.init == "printed" else PROTOTYPE
        return GenomeSpec.join({name: self.estimator(name).spec(std) for name in self.modules})

    def settings(self, blinds: npt.NDArray[np.int64], use_default: bool = False) -> Settings:
        """For compiled code; `use_default` where default trees are there to be read."""
        return Settings(
            head=HEADS[self.head],
            reliable=self.reliable,
            use_trees=int(self.trees),
            use_state=1,
            use_ofre=0,
            board_nodes=int(self.board_nodes),
            use_default=int(use_default),
            prior_visits=float(self.prior_visits),
            habit_visits=float(self.habit_visits),
            selective=int(self.selective),
            imagined=0,
            blinds=blinds,
            lambdas=np.array(self.lambdas, np.float64),
            defaults=street_defaults(self.street_defaults),
            next_defaults=next_action_defaults(self.street_defaults),
        )
