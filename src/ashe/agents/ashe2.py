"""ASHE 2.0 (D chapter 5): Pattern Recognition Trees, SWRE, OFRE and the utility rule put together (spec, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2_play import play_tables
from ashe.agents.training import GenerationTables, TrainingTables
from ashe.decision.utility import ACTIONS, HEADS
from ashe.errors import UserError
from ashe.estimators.estimator import EstimatorConfig
from ashe.estimators.genome import PRINTED, PROTOTYPE, GenomeSpec
from ashe.evaluation import kernel as k
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result, Slices
from ashe.evolution.rng import derived_seed
from ashe.evolution.settings import check, setting
from ashe.game.engine import WIDTH
from ashe.game.rules import Rules
from ashe.opponents.dispatch import RULES
from ashe.trees.defaults import next_action_defaults, street_defaults
from ashe.trees.edges import OWN_RAISES
from ashe.trees.features import ROW, WIDE_ROW, inputs_of
from ashe.trees.prt import grown, new_trees, reset

Genomes = npt.NDArray[np.float32]
NODES_PER_TABLE = 1024  # to begin with; the pool grows


@dataclass(frozen=True)
class Ashe2Config:
    kind: str = setting("ashe2", choices=("ashe2",), help="this agent")
    blocks: int = setting(50, ge=1, help="LSTM blocks of each estimator")
    size: int = setting(10, ge=1, help="cells of a block")
    hidden: int = setting(50, ge=1, help="hidden units between the LSTM and the output")
    output_tanh: bool = setting(True, help="block output o * tanh(c) as printed; false: o * c, as the prototype")
    head: str = setting("direct", choices=tuple(HEADS), help="outputs are probabilities, or bend a sound first guess")
    reliable: int = setting(4, ge=0, help="a node counts as reliable with more visits than this")
    prior_visits: float = setting(10.0, gt=0.0, help="visits until a node's fold rate stands alone in the first guess")
    lambdas: tuple[float, ...] = setting((50.0, 20.0, 10.0, 5.0), help="visits of full confidence, by street")
    street_defaults: str = setting("training8", help="name of the default features in trees/defaults.json")
    trees: bool = setting(True, help="false: every node is taken as never visited (ablation)")
    lstm_state: bool = setting(True, help="false: estimators start afresh at every step (ablation)")
    ofre: bool = setting(True, help="false: fold probability from counts alone (ablation)")
    board_nodes: bool = setting(False, help="trees have a node per texture cluster when community cards come (2.1)")
    init: str = setting("printed", choices=("printed", "prototype"), help="standard deviations of the first genes")

    def __post_init__(self) -> None:
        check(self)
        if len(self.lambdas) != 4 or min(self.lambdas) <= 0:
            raise UserError(f"lambdas={list(self.lambdas)} must be four positive numbers, one per street")
        street_defaults(self.street_defaults)

    def estimator(self, name: str) -> EstimatorConfig:
        """SWRE or OFRE in these sizes."""
        return EstimatorConfig(
            len(inputs_of(name)), 1, "sigmoid", self.blocks, self.size, (self.hidden,), self.output_tanh
        )

    @cached_property
    def spec(self) -> GenomeSpec:
        """The genome: `swre`, then `ofre`."""
        std = PRINTED if self.init == "printed" else PROTOTYPE
        return GenomeSpec.join({name: self.estimator(name).spec(std) for name in ("swre", "ofre")})

    def settings(self, blinds: npt.NDArray[np.int64]) -> mind.Settings:
        return mind.Settings(
            head=HEADS[self.head],
            reliable=self.reliable,
            use_trees=int(self.trees),
            use_state=int(self.lstm_state),
            use_ofre=int(self.ofre),
            board_nodes=int(self.board_nodes),
            use_default=0,
            prior_visits=float(self.prior_visits),
            blinds=blinds,
            lambdas=np.array(self.lambdas, np.float64),
            defaults=street_defaults(self.street_defaults),
            next_defaults=next_action_defaults(self.street_defaults),
        )


def new_mind(tables: int, nodes: int, next_actions: bool = False) -> mind.Mind:
    """A mind for `tables` tables with room for `nodes` nodes."""
    T = tables
    return mind.Mind(
        V=np.zeros((T, WIDTH), np.int64),
        hand=np.full(T, -1, np.int64),
        seat=np.zeros(T, np.int64),
        seen=np.zeros(T, np.int64),
        ehs=np.zeros((T, 4), np.float32),
        roots=np.zeros((T, 2), np.int32),
        trees=new_trees(nodes, next_actions),
        cluster=np.zeros((T, 4), np.int64),
        at=np.zeros(T, np.int64),
        default=new_trees(2, next_actions),
        default_roots=np.zeros((T, 2), np.int32),
        default_at=np.zeros(T, np.int64),
        length=np.zeros(T, np.int64),
        path=np.zeros((T, mind.PATH), np.int64),
        street=np.zeros((T, mind.PATH), np.int64),
        edge=np.zeros((T, mind.PATH), np.int64),
        rows=np.zeros((T, mind.PATH, WIDE_ROW if next_actions else ROW), np.float32),
        done=np.zeros((T, 2), np.int64),
        p=np.zeros(T, np.float64),
        phi=np.zeros((T, OWN_RAISES), np.float64),
        guess=np.zeros((T, OWN_RAISES), np.float64),
        output=np.zeros((T, 1 + OWN_RAISES), np.float32),
        to=np.zeros((T, OWN_RAISES), np.int64),
        u=np.zeros((T, ACTIONS), np.float64),
        choice=np.zeros(T, np.int64),
        lane=np.zeros((T, OWN_RAISES), np.int64),
        need=np.zeros(T, np.uint8),
        work=np.zeros(mind.COUNTERS, np.int64),
    )


def forget(m: mind.Mind) -> None:
    """New half matches begin at all tables."""
    reset(m.trees)
    m.roots[:] = 0
    m.hand[:] = -1


def new_bank(config: EstimatorConfig, name: str, weights: Genomes, lanes: int) -> mind.Bank:
    """Working memory of an estimator: weights [W, D], `lanes` tables for each of the W sets."""
    cells, hidden = config.blocks * config.size, config.hidden[0]
    most = -(-OWN_RAISES * lanes // mind.LANES) * mind.LANES
    return mind.Bank(
        w=np.ascontiguousarray(weights, np.float32),
        inputs=config.inputs,
        blocks=config.blocks,
        size=config.size,
        hidden=hidden,
        output_tanh=int(config.output_tanh),
        features=np.array(inputs_of(name), np.int64),
        state=np.zeros((len(weights), 2 * cells, lanes), np.float32),
        x=np.zeros(config.inputs * most, np.float32),
        ahead=np.zeros(2 * cells * most, np.float32),
        h=np.zeros(hidden * most, np.float32),
        out=np.zeros(most, np.float32),
        mask=np.zeros(lanes, np.uint8),
    )


class Ashe2Problem:
    """ASHE 2.0 as a `TrainingProblem`."""

    def __init__(self, config: Ashe2Config, rules: Rules, hands: int) -> None:
        self.config = config
        self.rules = rules
        self.half = hands
        self.hands = 2 * hands
        self.big_blind = float(rules.big_blind)
        spec = config.spec
        self.genome_modules: Slices = {name: spec.part(name) for name in ("swre", "ofre")}
        self.slices: Slices = {s.name: (s.start, s.stop) for s in spec.slices}
        self.opponents_known: Sequence[str] = tuple(RULES)

    @property
    def evaluator_factory(self) -> EvaluatorSpec:
        return EvaluatorSpec(
            "ashe.agents.ashe2:Ashe2Evaluator", {"config": self.config, "rules": self.rules, "half": self.half}
        )

    def initial(self, seed: int, n: int) -> torch.Tensor:
        return torch.from_numpy(self.config.spec.sample(derived_seed(seed, "initial"), n))

    def describe(self) -> str:
        c = self.config
        return (
            f"ASHE 2.0, head {c.head}: SWRE and OFRE of {c.blocks} x {c.size} cells and {c.hidden} hidden units, "
            f"{c.spec.length:,} genes; 2 x {self.half} hands per opponent"
        )


class Ashe2Evaluator:
    """Plays genomes against rule players, a few individuals at a time; all their tables are lanes.

    An estimator that all individuals of the group share (the frozen one of a module session) steps for all their
    tables in one call.
    """

    def __init__(self, config: Ashe2Config, rules: Rules, half: int, group: int = 2) -> None:
        self.config = config
        self.tables = TrainingTables(rules, half)
        self.group = group
        self.work = np.zeros(mind.COUNTERS, np.int64)
        self.nodes = 0  # of the largest trees so far
        self._mind: mind.Mind | None = None

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        if genomes.ndim != 2 or genomes.shape[1] != self.config.spec.length:
            raise UserError(f"genomes of shape {genomes.shape}: this agent has {self.config.spec.length} genes")
        t = self.tables.of(task)
        n, tables = len(genomes), len(t.codes)
        won, ev = np.zeros((n, tables), np.int64), np.zeros((n, tables), np.float64)
        stats = np.zeros((n, tables, 2, 4, 5), np.int64)
        for first in range(0, n, self.group):
            last = min(first + self.group, n)
            self._play(genomes[first:last], t, won[first:last], ev[first:last], stats[first:last])
        return self.tables.result(won, ev, stats)

    def _play(
        self,
        genomes: Genomes,
        t: GenerationTables,
        won: npt.NDArray[np.int64],
        ev: npt.NDArray[np.float64],
        stats: npt.NDArray[np.int64],
    ) -> None:
        """One group: the arrays [n, tables, ...] are filled."""
        n, tables = won.shape
        T = n * tables
        m = self._mind
        if m is None or len(m.hand) != T:
            m = new_mind(T, T * NODES_PER_TABLE)
        forget(m)
        settings = self.config.settings(t.blinds)
        banks = [self._bank(name, genomes, tables) for name in ("swre", "ofre")]
        state, memory = np.zeros((T, WIDTH), np.int64), np.zeros((T, 2), np.int64)
        meta, codes = np.tile(t.meta, (n, 1)), np.tile(t.codes, (n, 1))
        hands = int(t.meta[0, k.HANDS])
        chips, adjusted = np.zeros((T, hands), np.int64), np.zeros((T, hands), np.float64)
        history = np.zeros((T, k.MAX_ACTIONS, 4), np.int16 if t.blinds[3] < 32_000 else np.int64)
        d = t.deal
        while not play_tables(
            m, settings, banks[0], banks[1], state, meta, codes, memory, t.blinds, d.keys, d.ehs, d.percentile, d.rank,
            d.allin, d.clusters, np.tile(t.style_keys, (n, 1)), chips, adjusted, stats.reshape(T, 2, 4, 5), history,
        ):  # fmt: skip
            m = m._replace(trees=grown(m.trees, 2 * m.trees.capacity))
        won[:], ev[:] = chips.sum(axis=1).reshape(n, tables), adjusted.sum(axis=1).reshape(n, tables)
        self.nodes = max(self.nodes, int(m.trees.used[0]))
        self.work += m.work
        m.work[:] = 0
        self._mind = m

    def _bank(self, name: str, genomes: Genomes, tables: int) -> mind.Bank:
        first, last = self.config.spec.part(name)
        w = genomes[:, first:last]
        shared = len(w) == 1 or bool((w[1:] == w[0]).all())
        config = self.config.estimator(name)
        return new_bank(config, name, w[:1], tables * len(w)) if shared else new_bank(config, name, w, tables)
