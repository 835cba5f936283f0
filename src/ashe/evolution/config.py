"""The settings of a training run as frozen dataclasses (`conf/` holds their values; see `settings` for refusals)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ashe.errors import UserError
from ashe.evolution.adapters import EvoTorchConfig
from ashe.evolution.checkpoint import flatten
from ashe.evolution.curriculum import Curriculum, Phase, Session
from ashe.evolution.fitness import AneConfig
from ashe.evolution.protocols import OptimiserFactory
from ashe.evolution.settings import check, setting, to_mapping
from ashe.evolution.tser import TserConfig

WITHOUT_EFFECT = ("name", "run_dir", "workers", "logging")
"""Groups that cannot change a result, so a resumed run may change them."""


@dataclass(frozen=True)
class GameConfig:
    small_blind: int = setting(50, ge=1, help="chips")
    big_blind: int = setting(100, ge=1, help="chips")
    stack: int = setting(20_000, ge=1, help="chips of each player at the start of every hand")
    hands: int = setting(500, ge=1, help="hands per half match; the other half replays the decks with seats swapped")

    def __post_init__(self) -> None:
        check(self)
        if not self.small_blind <= self.big_blind <= self.stack:
            raise UserError(
                f"small_blind={self.small_blind} <= big_blind={self.big_blind} <= stack={self.stack} must hold"
            )


@dataclass(frozen=True)
class CurriculumConfig:
    generations: int | None = setting(None, ge=1, help="length of a run with a single phase")
    opponents: tuple[str, ...] | None = setting(None, help="opponents of a run with a single phase")
    phases: tuple[Phase, ...] | None = setting(None, help="several phases, instead of the two settings above")
    sessions: tuple[Session, ...] = setting((), help="module sessions, repeated to the end; none = whole genome")

    def __post_init__(self) -> None:
        single = self.generations is not None and self.opponents is not None
        if self.phases and (self.generations is not None or self.opponents is not None):
            raise UserError("give either phases or generations and opponents, not both")
        if not self.phases and not single:
            raise UserError("give generations and opponents, or phases")

    def build(self) -> Curriculum:
        if self.phases:
            return Curriculum(self.phases, self.sessions)
        assert self.generations is not None
        assert self.opponents is not None
        return Curriculum((Phase(self.generations, self.opponents),), self.sessions)


@dataclass(frozen=True)
class EvolutionConfig:
    fitness: AneConfig = setting(help="average normalised earnings")
    population: int = setting(50, ge=4, help="individuals")
    tser: TserConfig | None = setting(None, help="evolve by TSER")
    evotorch: EvoTorchConfig | None = setting(None, help="or by one of EvoTorch's searchers")

    def __post_init__(self) -> None:
        check(self)
        if (self.tser is None) == (self.evotorch is None):
            raise UserError("exactly one of tser and evotorch must be given (evolution=tser, snes, pgpe or cmaes)")

    @property
    def optimiser(self) -> OptimiserFactory:
        chosen = self.tser or self.evotorch
        assert chosen is not None
        return chosen


@dataclass(frozen=True)
class WorkersConfig:
    kind: str = setting(choices=("in_process", "local", "ray"), help="who plays the genomes")
    count: int | None = setting(None, ge=1, help="workers; null = one per core (of the cluster)")
    shards_per_worker: int = setting(2, ge=1, help="shards per worker and generation; more balance, more overhead")
    address: str | None = setting(None, help="ray: address of the cluster; null = start one on this machine")


@dataclass(frozen=True)
class LoggingConfig:
    console: bool = setting(True, help="progress on the terminal")
    tensorboard: bool = setting(True, help="write TensorBoard events")
    histogram_every: int = setting(10, ge=1, help="generations between weight histograms")
    figure_every: int = setting(25, ge=1, help="generations between figures of the champion's actions")
    checkpoint_every: int = setting(1, ge=1, help="generations between checkpoints")
    keep_checkpoints: int = setting(2, ge=2, help="checkpoints kept; at least 2, in case the newest is damaged")


@dataclass(frozen=True)
class TrainConfig:
    name: str = setting(help="name of the experiment, part of the output folder's name")
    seed: int = setting(ge=0, help="all chance derives from it")
    game: GameConfig = setting(help="the game")
    agent: Mapping[str, Any] = setting(help="kind of agent and its parameters, checked by that kind")
    curriculum: CurriculumConfig = setting(help="opponents by generation, module sessions")
    evolution: EvolutionConfig = setting(help="optimiser and fitness")
    workers: WorkersConfig = setting(help="local processes or Ray")
    logging: LoggingConfig = setting(help="reports and checkpoints")
    start: str | None = setting(None, help="champion whose modules the first population varies; null = random genomes")
    run_dir: str | None = setting(None, help="output folder; null = runs/<name>/<date_time>")

    def __post_init__(self) -> None:
        if not isinstance(self.agent.get("kind"), str):
            raise UserError("agent.kind is missing; it names the kind of agent, such as ashe1")

    def effective(self) -> dict[str, Any]:
        """Every setting that the results depend on, flat: what a checkpoint must agree with."""
        return flatten({key: value for key, value in to_mapping(self).items() if key not in WITHOUT_EFFECT})
