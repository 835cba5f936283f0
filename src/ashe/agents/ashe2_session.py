"""ASHE 2.x in its preliminary session: default trees of a few individuals at a time."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2 import NODES_PER_TABLE, Ashe2Config, banks_of, forget, new_mind, table_arrays
from ashe.agents.ashe2_play import play_pairs, play_tables
from ashe.agents.model_config import ModelConfig
from ashe.agents.preliminary import Block, DefaultTrees, plant, session_of
from ashe.evolution.protocols import GenerationTask
from ashe.evolution.rng import derived_seed
from ashe.game.rules import Rules
from ashe.trees.prt import grown

if TYPE_CHECKING:
    from ashe.game.deal import Deal

Genomes = npt.NDArray[np.float32]
ROOM = 16  # pools begin with this many times NODES_PER_TABLE: sessions are longer than half matches


class Ashe2Session:
    """Plays sessions. The trees depend on the genome and on the task, not on who else is played at the same time."""

    counts_next = False  # whether trees count the opponent's next actions
    config: ModelConfig

    def __init__(self, config: ModelConfig, rules: Rules) -> None:
        assert config.preliminary is not None
        self.config, self.preliminary, self.rules = config, config.preliminary, rules
        self.work = np.zeros(mind.COUNTERS, np.int64)
        self.session = lru_cache(1)(lambda seed, generation: session_of(
            self.preliminary, GenerationTask(seed, generation, ())
        ))  # fmt: skip

    def default_trees(self, genomes: Genomes, task: GenerationTask) -> DefaultTrees:
        session = self.session(task.seed, task.generation)
        n, tables = len(genomes), self.preliminary.tables
        m = self._mind(n * tables, n)
        roots = plant(m, tables)
        rival = None
        if self.preliminary.self_play:
            rival = self._mind(n * tables, n)
            plant(rival, tables)
        for block in session.blocks:
            m, rival = self._play(m, rival, genomes, self.rival_of(task), session.deal, block)
        self.work += m.work + (0 if rival is None else rival.work)
        return DefaultTrees(m.trees, roots)

    def rival_of(self, task: GenerationTask) -> Genomes:
        """The genome that everyone plays in self-play."""
        if task.champion is not None:
            return np.asarray(task.champion, np.float32)[None]
        return self.config.spec.sample(derived_seed(task.seed, "first rival"), 1)

    def _mind(self, tables: int, individuals: int) -> mind.Mind:
        m = new_mind(tables, individuals * ROOM * NODES_PER_TABLE + mind.NEW_NODES, self.counts_next)
        forget(m)
        return m

    def _grown(self, m: mind.Mind) -> mind.Mind:
        return m._replace(trees=grown(m.trees, 2 * m.trees.capacity))

    def _play(
        self, m: mind.Mind, rival: mind.Mind | None, genomes: Genomes, champion: Genomes, deal: "Deal", block: Block
    ) -> tuple[mind.Mind, mind.Mind | None]:
        """One block; pools may have grown in it."""
        n, tables = len(genomes), self.preliminary.tables
        r = self.rules
        blinds = np.array([r.small_blind, r.big_blind, r.ante, r.stack, r.stack], np.int64)
        a = table_arrays(n * tables, block.hands, r.stack)
        meta, codes = np.tile(block.meta, (n, 1)), np.tile(block.codes, (n, 1))
        game = (
            a.state, meta, codes, a.memory, blinds, deal.keys, deal.ehs, deal.percentile, deal.rank, deal.allin,
            deal.clusters, np.tile(block.style_keys, (n, 1)), a.chips, a.adjusted, a.stats, a.history,
        )  # fmt: skip
        m.hand[:] = -1
        if rival is not None:
            rival.hand[:] = -1
        return self._run(m, rival, self.config.settings(blinds), genomes, champion, deal, game)

    def _run(
        self, m: mind.Mind, rival: mind.Mind | None, s: mind.Settings, genomes: Genomes, champion: Genomes,
        deal: "Deal", game: tuple[Any, ...],
    ) -> tuple[mind.Mind, mind.Mind | None]:  # fmt: skip
        assert isinstance(self.config, Ashe2Config)
        tables = self.preliminary.tables
        swre, ofre = banks_of(self.config, genomes, tables)
        if rival is None:
            while not play_tables(m, s, swre, ofre, *game):
                m = self._grown(m)
            return m, None
        others = banks_of(self.config, champion, len(genomes) * tables)
        while not play_pairs(m, rival, s, swre, ofre, *others, *game):
            m, rival = self._grown(m), self._grown(rival)
        return m, rival
