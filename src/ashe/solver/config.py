"""The settings of a solution (`conf/solve` holds their values)."""

from dataclasses import dataclass
from typing import Any

from ashe.evolution.settings import check, setting, to_mapping
from ashe.game.rules import HEADS_UP, Rules
from ashe.solver.abstraction import AbstractionConfig
from ashe.solver.betting import BettingConfig
from ashe.solver.mccfr import MccfrConfig

RULES: Rules = HEADS_UP  # the only stakes that are solved


@dataclass(frozen=True)
class MeasureConfig:
    """How exploitability inside the abstract game is followed (see `exploited.py`)."""

    times: int = setting(5, ge=0, help="measurements, evenly spread over the run; the last one is of the result")
    learn: int = setting(200, ge=1, help="boards on which the responses learn")
    play: int = setting(100, ge=2, help="boards on which they are played")


@dataclass(frozen=True)
class SolveConfig:
    name: str = setting(help="name of the experiment, part of the output folder's name")
    seed: int = setting(ge=0, help="all chance derives from it")
    abstraction: AbstractionConfig = setting(help="card buckets")
    betting: BettingConfig = setting(help="raise sizes")
    mccfr: MccfrConfig = setting(help="the solver")
    measure: MeasureConfig = setting(help="the exploitability curve")
    floor: float = setting(0.03, ge=0, le=0.5, help="probabilities below this are dropped from the result")
    workers: int = setting(1, ge=1, help="threads; with more than one the result is not the same to the last bit")
    checkpoint_minutes: float = setting(5.0, gt=0, help="time between checkpoints")
    run_dir: str | None = setting(None, help="output folder; null = runs/<name>/<date_time>")

    def __post_init__(self) -> None:
        check(self)

    def effective(self) -> dict[str, Any]:
        """The settings a solution depends on: what a checkpoint must agree with."""
        keys = ("seed", "abstraction", "betting", "mccfr")
        return {key: to_mapping(getattr(self, key)) for key in keys}
