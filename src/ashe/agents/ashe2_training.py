"""ASHE 2.0 and 2.1 in training: a generation is the preliminary session, where there is one, then the half matches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2 import DEFAULT, NODES_PER_TABLE, Ashe2Config, banks_of, forget, new_mind, table_arrays
from ashe.agents.ashe2_play import play_tables
from ashe.agents.ashe2_session import Ashe2Session
from ashe.agents.model_config import ModelConfig
from ashe.agents.preliminary import DefaultTrees
from ashe.agents.problem import AgentProblem
from ashe.agents.training import GenerationTables, TrainingTables
from ashe.errors import UserError
from ashe.evaluation import kernel as k
from ashe.evolution.protocols import GenerationTask, Result
from ashe.game.deal import Deal
from ashe.game.rules import Rules
from ashe.trees.prt import grown, pruned, to_arrays

Genomes = npt.NDArray[np.float32]


class Ashe2Problem(AgentProblem):
    """ASHE 2.0 or 2.1 as a `TrainingProblem`."""

    evaluator = "ashe.agents.ashe2_training:Ashe2Evaluator"
    config: ModelConfig

    def __init__(self, config: ModelConfig, rules: Rules, hands: int) -> None:
        super().__init__(config, rules, hands, {name: config.spec.part(name) for name in config.modules})
        self.config = config

    def session(self) -> Ashe2Session:
        return Ashe2Session(self.config, self.rules)

    def assets(self, genome: Genomes, task: GenerationTask) -> Mapping[str, npt.NDArray[Any]]:
        """The default trees that the champion of a generation played with, without nodes that are never used."""
        if self.config.preliminary is None:
            return {}
        built = self.session().default_trees(genome.reshape(1, -1), task)
        trees, roots = pruned(built.trees, built.roots[0], self.config.reliable)
        return {f"{DEFAULT}{name}": array for name, array in to_arrays(trees, roots).items()}

    def describe(self) -> str:
        c = self.config
        version = "2.0" if c.preliminary is None else "2.1"
        return (
            f"ASHE {version}, head {c.head}: SWRE and OFRE of {c.blocks} x {c.size} cells and {c.hidden} hidden units, "
            f"{c.spec.length:,} genes; 2 x {self.half} hands per opponent"
        )


class Ashe2Evaluator:
    """Plays genomes against rule players, a few individuals at a time; all their tables are lanes.

    An estimator that all individuals of the group share (the frozen one of a module session) steps for all their
    tables in one call.
    """

    counts_next = False  # whether trees count the opponent's next actions
    config: ModelConfig

    def __init__(self, config: ModelConfig, rules: Rules, half: int, group: int = 2) -> None:
        self.config = config
        self.tables = TrainingTables(rules, half)
        self.group = group
        self.session = None if config.preliminary is None else self._session(rules)
        self.work = np.zeros(mind.COUNTERS, np.int64)
        self.nodes = 0  # of the largest trees so far
        self._mind: mind.Mind | None = None

    def _session(self, rules: Rules) -> Ashe2Session:
        return Ashe2Session(self.config, rules)

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        if genomes.ndim != 2 or genomes.shape[1] != self.config.spec.length:
            raise UserError(f"genomes of shape {genomes.shape}: this agent has {self.config.spec.length} genes")
        t = self.tables.of(task)
        n, tables = len(genomes), len(t.codes)
        won, ev = np.zeros((n, tables), np.int64), np.zeros((n, tables), np.float64)
        stats = np.zeros((n, tables, 2, 4, 5), np.int64)
        for first, last in self._parts(0, n, self._session_group()):
            default = None if self.session is None else self.session.default_trees(genomes[first:last], task)
            for a, b in self._parts(first, last, self.group):
                part = None if default is None else default.part(a - first, b - first)
                self._play(genomes[a:b], t, won[a:b], ev[a:b], stats[a:b], part)
        return self.tables.result(won, ev, stats)

    def _session_group(self) -> int:
        """Individuals in one session call: enough to fill the lanes of an estimator that they share."""
        if self.config.preliminary is None:
            return self.group
        return max(self.group, mind.LANES // self.config.preliminary.tables)

    def _parts(self, first: int, last: int, size: int) -> list[tuple[int, int]]:
        return [(a, min(a + size, last)) for a in range(first, last, size)]

    def _play(
        self,
        genomes: Genomes,
        t: GenerationTables,
        won: npt.NDArray[np.int64],
        ev: npt.NDArray[np.float64],
        stats: npt.NDArray[np.int64],
        default: DefaultTrees | None,
    ) -> None:
        """One group: the arrays [n, tables, ...] are filled."""
        n, tables = won.shape
        T = n * tables
        m = self._mind
        if m is None or len(m.hand) != T:
            m = new_mind(T, T * NODES_PER_TABLE, self.counts_next)
        forget(m)
        if default is not None:
            m = m._replace(default=default.trees)
            m.default_roots[:] = default.roots.repeat(tables, axis=0)
        settings = self.config.settings(t.blinds, use_default=default is not None)
        meta, codes = np.tile(t.meta, (n, 1)), np.tile(t.codes, (n, 1))
        a = table_arrays(T, int(t.meta[0, k.HANDS]), int(t.blinds[3]))
        d = t.deal
        game = (
            a.state, meta, codes, a.memory, t.blinds, d.keys, d.ehs, d.percentile, d.rank, d.allin, d.clusters,
            np.tile(t.style_keys, (n, 1)), a.chips, a.adjusted, stats.reshape(T, 2, 4, 5), a.history,
        )  # fmt: skip
        m = self._run(m, settings, genomes, tables, d, game)
        won[:], ev[:] = a.chips.sum(axis=1).reshape(n, tables), a.adjusted.sum(axis=1).reshape(n, tables)
        self.nodes = max(self.nodes, int(m.trees.used[0]))
        self.work += m.work
        m.work[:] = 0
        self._mind = m

    def _run(
        self, m: mind.Mind, s: mind.Settings, genomes: Genomes, tables: int, deal: Deal, game: tuple[Any, ...]
    ) -> mind.Mind:
        """Play the tables to their end; the pool of nodes may have grown in it."""
        assert isinstance(self.config, Ashe2Config)
        swre, ofre = banks_of(self.config, genomes, tables)
        while not play_tables(m, s, swre, ofre, *game):
            m = m._replace(trees=grown(m.trees, 2 * m.trees.capacity))
        return m
