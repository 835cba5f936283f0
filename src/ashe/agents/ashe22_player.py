"""ASHE 2.2 and 2.3 at the table: ASHE 2.1's player with another way of deciding."""

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe2 import NODES_PER_TABLE, new_mind
from ashe.agents.ashe2_mind import Mind
from ashe.agents.ashe2_play import watch
from ashe.agents.ashe2_player import Ashe2Player, SavedTrees
from ashe.agents.ashe22 import Ashe22Config, more_room, search_of
from ashe.agents.ashe22_mind import predicted_ranges
from ashe.agents.ashe22_play import answers, draw_run_outs
from ashe.agents.ranges import RangeRecord
from ashe.agents.training import player_digest
from ashe.cards.tables import equity_tables
from ashe.decision.hand_range import INTERVALS
from ashe.decision.runouts import boards_of, grown, most_samples, new_run_outs
from ashe.errors import UserError
from ashe.game.engine import ACTOR
from ashe.game.rules import HEADS_UP, Rules
from ashe.players.base import DecisionArrays, Decisions, FinishedHands

FIRST_TABLES = 64  # run-outs have room for so many decisions to begin with


class Ashe22Player(Ashe2Player):
    """A `BatchPlayer`. The run-outs it looks at depend on the hand and the street only, as in training."""

    config: Ashe22Config  # type: ignore[assignment]

    def __init__(
        self,
        name: str,
        config: Ashe22Config,
        genome: NDArray[np.float32],
        rules: Rules = HEADS_UP,
        frozen: SavedTrees | None = None,
        default: SavedTrees | None = None,
    ) -> None:
        self.ranges: RangeRecord | None = None  # keeps what HRE predicted before showdowns, where somebody wants it
        self.rue = config.rue_choices()
        self.samples = config.run_outs()
        super().__init__(name, config, genome, rules, frozen, default)  # type: ignore[arg-type]
        self.digest = player_digest(config, self.genome, __file__, frozen, self.saved_default)

    def _new_mind(self, tables: int) -> Mind:
        self.search, self.oare, self.win = search_of(self.config, self.genome, tables)
        if self.ranges is not None:
            self.ranges.hole = np.full((tables, 2), -1, np.int64)
        self.runs = new_run_outs(tables, *(min(tables, FIRST_TABLES) * n for n in most_samples(self.samples, 0)))
        return new_mind(tables, max(tables, 1) * NODES_PER_TABLE, next_actions=True)

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        d = decisions.arrays()
        self._make_room(d.length)
        watch(self.mind, self.settings, d.tables, d.state[:, ACTOR], d.strengths, d.textures, d.history, d.length)
        self._draw(d)
        kinds, totals = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
        while not answers(
            self.mind, self.settings, self.rue, self.search, self.oare, self.win, self.runs, d.tables, kinds, totals
        ):
            self.search, self.oare, self.win = more_room(self.search, self.oare, self.win)
        if self.listener is not None:
            self.listener(self, decisions)
        if self.ranges is not None:
            self.ranges.hole[d.tables] = d.hole
        return kinds, totals

    def hand_over(self, finished: FinishedHands) -> None:
        if self.ranges is None:
            super().hand_over(finished)
            return
        f = finished.arrays()
        self._make_room(f.length)
        watch(self.mind, self.settings, f.tables, f.seats, f.strengths, f.textures, f.history, f.length)
        shown = np.flatnonzero((f.shown[:, 0] >= 0) & (self.ranges.hole[f.tables, 0] >= 0))
        p = np.empty((len(shown), INTERVALS))
        predicted_ranges(self.mind, self.settings, self.win, f.tables[shown], p)
        for i, row in zip(shown, p, strict=True):
            self.ranges.note(finished.result(int(i)), row)
        self.ranges.hole[f.tables] = -1
        super().hand_over(finished)

    def record_ranges(self) -> RangeRecord:
        """Keep HRE's predictions from the next half matches on (ASHE 2.3)."""
        if self.config.kind != "ashe23":
            raise UserError(
                f"{self.name} is of kind {self.config.kind}, without a Hand Range Estimator; name an ashe23"
            )
        self.ranges = RangeRecord(len(self.mind.roots))
        return self.ranges

    def _draw(self, d: DecisionArrays) -> None:
        while not draw_run_outs(
            self.runs, self.samples, d.tables, d.hand_keys, d.hole, d.board, d.state, d.strengths,
            *boards_of(equity_tables()),
        ):  # fmt: skip
            self.runs = grown(self.runs, 2 * len(self.runs.sample), 2 * len(self.runs.group))
