"""ASHE 2.2 and 2.3 in training: ASHE 2.1's generations and sessions with the search of `decision.rue`."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2_session import Ashe2Session
from ashe.agents.ashe2_training import Ashe2Evaluator, Ashe2Problem
from ashe.agents.ashe22 import Ashe22Config, more_room, search_of
from ashe.agents.ashe22_play import DONE, GROW_TREES, play_pairs, play_tables
from ashe.agents.preliminary import DefaultTrees
from ashe.cards.tables import equity_tables
from ashe.decision import frontier
from ashe.decision.runouts import RunOuts, run_outs_of
from ashe.evolution.protocols import GenerationTask, Result
from ashe.game.deal import Deal
from ashe.game.rules import Rules
from ashe.trees.prt import grown

Genomes = npt.NDArray[np.float32]


def cheats(config: Ashe22Config, task: GenerationTask) -> bool:
    """Whether p_win is the true result: in the first session, which evolves OARE (D 8.3.1)."""
    return config.truth_first and task.session == 0 and task.module == "oare"


class Ashe22Problem(Ashe2Problem):
    """ASHE 2.2 or 2.3 as a `TrainingProblem`."""

    evaluator = "ashe.agents.ashe22_training:Ashe22Evaluator"
    config: Ashe22Config

    def session(self) -> Ashe2Session:
        """A match is played with the estimators, so champions' trees of a first session with true results are, too."""
        return Ashe22Session(replace(self.config, truth_first=False), self.rules)

    def describe(self) -> str:
        c = self.config
        version, win = ("2.2", "SWRE") if c.kind == "ashe22" else ("2.3", "HRE")
        return (
            f"ASHE {version}, head {c.head}: OARE and {win} of {c.blocks} x {c.size} cells and {c.hidden} hidden "
            f"units, {c.spec.length:,} genes; {c.rue.samples} run-outs, reach {c.rue.min_reach}, "
            f"budget {c.rue.budget or 'none'}; 2 x {self.half} hands per opponent"
        )


class RunOutsOfDeal:
    """What searches look at on a generation's decks: shared by all individuals, kept for the decks asked of last."""

    def __init__(self, config: Ashe22Config) -> None:
        self.config = config
        self._kept: tuple[Deal, RunOuts] | None = None

    def of(self, d: Deal) -> RunOuts:
        if self._kept is None or self._kept[0] is not d:
            self._kept = d, run_outs_of(d.keys, d.decks, d.ehs, self.config.run_outs(), equity_tables())
        return self._kept[1]


class Ashe22Session(Ashe2Session):
    """Preliminary sessions; the agent searches in them as it does in matches."""

    counts_next = True
    config: Ashe22Config

    def __init__(self, config: Ashe22Config, rules: Rules) -> None:
        super().__init__(config, rules)
        self.truth = False
        self.run_outs = RunOutsOfDeal(config)

    def default_trees(self, genomes: Genomes, task: GenerationTask) -> DefaultTrees:
        self.truth = cheats(self.config, task)
        return super().default_trees(genomes, task)

    def _run(
        self, m: mind.Mind, rival: mind.Mind | None, s: mind.Settings, genomes: Genomes, champion: Genomes, deal: Deal,
        game: tuple[Any, ...],
    ) -> tuple[mind.Mind, mind.Mind | None]:  # fmt: skip
        tables = self.preliminary.tables
        rue, runs = self.config.rue_choices(self.truth), self.run_outs.of(deal)
        q, oare, win = search_of(self.config, genomes, tables)
        others = None if rival is None else search_of(self.config, champion, len(genomes) * tables)[1:]
        while True:
            if rival is None or others is None:
                status = play_tables(m, s, rue, q, oare, win, runs, *game)
            else:
                status = play_pairs(m, rival, s, rue, q, oare, win, *others, runs, *game)
            if status == DONE:
                return m, rival
            if status == GROW_TREES:
                m, rival = self._grown(m), None if rival is None else self._grown(rival)
            else:
                if others is not None:
                    others = more_room(q, *others)[1:]
                q, oare, win = more_room(q, oare, win)


class Ashe22Evaluator(Ashe2Evaluator):
    """Plays genomes against rule players; see `Ashe2Evaluator`."""

    counts_next = True
    config: Ashe22Config

    def __init__(self, config: Ashe22Config, rules: Rules, half: int, group: int = 2) -> None:
        super().__init__(config, rules, half, group)
        self.searched = np.zeros(frontier.COUNTERS, np.int64)
        self.truth = False
        self.run_outs = RunOutsOfDeal(config)

    def _session(self, rules: Rules) -> Ashe2Session:
        return Ashe22Session(self.config, rules)

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        self.truth = cheats(self.config, task)
        return super().evaluate(genomes, task)

    def _run(
        self, m: mind.Mind, s: mind.Settings, genomes: Genomes, tables: int, deal: Deal, game: tuple[Any, ...]
    ) -> mind.Mind:
        rue, runs = self.config.rue_choices(self.truth), self.run_outs.of(deal)
        q, oare, win = search_of(self.config, genomes, tables)
        while (status := play_tables(m, s, rue, q, oare, win, runs, *game)) != DONE:
            if status == GROW_TREES:
                m = m._replace(trees=grown(m.trees, 2 * m.trees.capacity))
            else:
                q, oare, win = more_room(q, oare, win)
        self.searched += q.work
        return m
