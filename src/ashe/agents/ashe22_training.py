"""ASHE 2.2 and 2.3 in training: ASHE 2.1's generations and sessions with the search of `decision.rue`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2 import DEFAULT, NODES_PER_TABLE, forget, new_mind, table_arrays
from ashe.agents.ashe2_session import ROOM, Ashe2Session
from ashe.agents.ashe2_training import Ashe2Evaluator
from ashe.agents.ashe22 import Ashe22Config, more_room, search_of
from ashe.agents.ashe22_play import DONE, GROW_TREES, play_pairs, play_tables
from ashe.agents.preliminary import Block, DefaultTrees
from ashe.agents.training import GenerationTables
from ashe.cards.tables import equity_tables
from ashe.decision import frontier
from ashe.decision.runouts import RunOuts, run_outs_of
from ashe.evaluation import kernel as k
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result, Slices
from ashe.evolution.rng import derived_seed
from ashe.game.deal import Deal
from ashe.game.rules import Rules
from ashe.opponents.dispatch import RULES
from ashe.trees.prt import grown, pruned, to_arrays

Genomes = npt.NDArray[np.float32]


def cheats(config: Ashe22Config, task: GenerationTask) -> bool:
    """Whether p_win is the true result: in the first session, which evolves OARE (D 8.3.1)."""
    return config.truth_first and task.session == 0 and task.module == "oare"


class Ashe22Problem:
    """ASHE 2.2 or 2.3 as a `TrainingProblem`."""

    def __init__(self, config: Ashe22Config, rules: Rules, hands: int) -> None:
        self.config = config
        self.rules = rules
        self.half = hands
        self.hands = 2 * hands
        self.big_blind = float(rules.big_blind)
        spec = config.spec
        self.genome_modules: Slices = {name: spec.part(name) for name in config.modules}
        self.slices: Slices = {s.name: (s.start, s.stop) for s in spec.slices}
        self.opponents_known: Sequence[str] = tuple(RULES)

    @property
    def evaluator_factory(self) -> EvaluatorSpec:
        return EvaluatorSpec(
            "ashe.agents.ashe22_training:Ashe22Evaluator",
            {"config": self.config, "rules": self.rules, "half": self.half},
        )

    def initial(self, seed: int, n: int) -> torch.Tensor:
        return torch.from_numpy(self.config.spec.sample(derived_seed(seed, "initial"), n))

    def assets(self, genome: Genomes, task: GenerationTask) -> Mapping[str, npt.NDArray[Any]]:
        """The default trees that the champion of a generation played with, without nodes that are never used.

        A match is played with the estimators, so the trees of a first session that used true results are built anew.
        """
        if self.config.preliminary is None:
            return {}
        config = replace(self.config, truth_first=False)
        built = Ashe22Session(config, self.rules).default_trees(genome.reshape(1, -1), task)
        trees, roots = pruned(built.trees, built.roots[0], self.config.reliable)
        return {f"{DEFAULT}{name}": array for name, array in to_arrays(trees, roots).items()}

    def describe(self) -> str:
        c = self.config
        version, win = ("2.2", "SWRE") if c.kind == "ashe22" else ("2.3", "HRE")
        return (
            f"ASHE {version}, head {c.head}: OARE and {win} of {c.blocks} x {c.size} cells and {c.hidden} hidden "
            f"units, {c.spec.length:,} genes; {c.rue.samples} run-outs, reach {c.rue.min_reach}, "
            f"budget {c.rue.budget or 'none'}; 2 x {self.half} hands per opponent"
        )


def run_outs(config: Ashe22Config, d: Deal) -> RunOuts:
    """What searches look at on these decks: shared by all individuals."""
    return run_outs_of(d.keys, d.decks, d.ehs, config.run_outs(), equity_tables())


class Ashe22Session(Ashe2Session):
    """Preliminary sessions; the agent searches in them as it does in matches."""

    config: Ashe22Config  # type: ignore[assignment]

    def __init__(self, config: Ashe22Config, rules: Rules) -> None:
        super().__init__(config, rules)  # type: ignore[arg-type]
        self.truth = False
        self._runs: tuple[Deal, RunOuts] | None = None

    def default_trees(self, genomes: Genomes, task: GenerationTask) -> DefaultTrees:
        self.truth = cheats(self.config, task)
        return super().default_trees(genomes, task)

    def _mind(self, tables: int, individuals: int) -> mind.Mind:
        m = new_mind(tables, individuals * ROOM * NODES_PER_TABLE + mind.NEW_NODES, next_actions=True)
        forget(m)
        return m

    def _play(
        self, m: mind.Mind, rival: mind.Mind | None, genomes: Genomes, champion: Genomes, deal: Deal, block: Block
    ) -> tuple[mind.Mind, mind.Mind | None]:
        n, tables = len(genomes), self.preliminary.tables
        r = self.rules
        blinds = np.array([r.small_blind, r.big_blind, r.ante, r.stack, r.stack], np.int64)
        s, rue = self.config.settings(blinds), self.config.rue_choices(self.truth)
        a = table_arrays(n * tables, block.hands, r.stack)
        meta, codes = np.tile(block.meta, (n, 1)), np.tile(block.codes, (n, 1))
        common = (
            a.state, meta, codes, a.memory, blinds, deal.keys, deal.ehs, deal.percentile, deal.rank, deal.allin,
            deal.clusters, np.tile(block.style_keys, (n, 1)), a.chips, a.adjusted, a.stats, a.history,
        )  # fmt: skip
        if self._runs is None or self._runs[0] is not deal:
            self._runs = deal, run_outs(self.config, deal)
        runs = self._runs[1]
        q, oare, win = search_of(self.config, genomes, tables)
        others = None if rival is None else search_of(self.config, champion, n * tables)[1:]
        m.hand[:] = -1
        if rival is not None:
            rival.hand[:] = -1
        while True:
            if rival is None or others is None:
                status = play_tables(m, s, rue, q, oare, win, runs, *common)
            else:
                status = play_pairs(m, rival, s, rue, q, oare, win, *others, runs, *common)
            if status == DONE:
                return m, rival
            if status == GROW_TREES:
                m = m._replace(trees=grown(m.trees, 2 * m.trees.capacity))
                if rival is not None:
                    rival = rival._replace(trees=grown(rival.trees, 2 * rival.trees.capacity))
            else:
                if others is not None:
                    others = more_room(q, *others)[1:]
                q, oare, win = more_room(q, oare, win)


class Ashe22Evaluator(Ashe2Evaluator):
    """Plays genomes against rule players; see `Ashe2Evaluator`."""

    config: Ashe22Config  # type: ignore[assignment]

    def __init__(self, config: Ashe22Config, rules: Rules, half: int, group: int = 2) -> None:
        super().__init__(config, rules, half, group)  # type: ignore[arg-type]
        self.session = None if config.preliminary is None else Ashe22Session(config, rules)
        self.searched = np.zeros(frontier.COUNTERS, np.int64)
        self.truth = False
        self._runs: tuple[Deal, RunOuts] | None = None

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        self.truth = cheats(self.config, task)
        return super().evaluate(genomes, task)

    def _play(
        self,
        genomes: Genomes,
        t: GenerationTables,
        won: npt.NDArray[np.int64],
        ev: npt.NDArray[np.float64],
        stats: npt.NDArray[np.int64],
        default: DefaultTrees | None,
    ) -> None:
        n, tables = won.shape
        T = n * tables
        m = self._mind
        if m is None or len(m.hand) != T:
            m = new_mind(T, T * NODES_PER_TABLE, next_actions=True)
        forget(m)
        if default is not None:
            m = m._replace(default=default.trees)
            m.default_roots[:] = default.roots.repeat(tables, axis=0)
        s, rue = self.config.settings(t.blinds, default is not None), self.config.rue_choices(self.truth)
        q, oare, win = search_of(self.config, genomes, tables)
        d = t.deal
        if self._runs is None or self._runs[0] is not d:
            self._runs = d, run_outs(self.config, d)
        meta, codes = np.tile(t.meta, (n, 1)), np.tile(t.codes, (n, 1))
        a = table_arrays(T, int(t.meta[0, k.HANDS]), int(t.blinds[3]))
        while True:
            status = play_tables(
                m, s, rue, q, oare, win, self._runs[1], a.state, meta, codes, a.memory, t.blinds, d.keys, d.ehs,
                d.percentile, d.rank, d.allin, d.clusters, np.tile(t.style_keys, (n, 1)), a.chips, a.adjusted,
                stats.reshape(T, 2, 4, 5), a.history,
            )  # fmt: skip
            if status == DONE:
                break
            if status == GROW_TREES:
                m = m._replace(trees=grown(m.trees, 2 * m.trees.capacity))
            else:
                q, oare, win = more_room(q, oare, win)
        won[:], ev[:] = a.chips.sum(axis=1).reshape(n, tables), a.adjusted.sum(axis=1).reshape(n, tables)
        self.nodes = max(self.nodes, int(m.trees.used[0]))
        self.work += m.work
        self.searched += q.work
        m.work[:] = 0
        self._mind = m
