"""ASHE 1.0 at the table: one genome that plays any number of half matches at once."""

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe1 import Ashe1Config
from ashe.agents.ashe1_kernel import answer, follow, reset_opponent, scores
from ashe.agents.training import player_digest
from ashe.game.engine import WIDTH
from ashe.game.rules import HEADS_UP, Rules
from ashe.players.base import Decisions, FinishedHands


class Ashe1Player:
    """A `BatchPlayer`; tables are the lanes of the kernel, so many tables cost little more than few."""

    learns = True

    def __init__(self, name: str, config: Ashe1Config, genome: NDArray[np.float32], rules: Rules = HEADS_UP) -> None:
        config.spec.check(genome)
        self.name = name
        self.config = config
        self.genome = np.ascontiguousarray(genome, np.float32).reshape(-1)
        self.digest = player_digest(config, self.genome, __file__)
        self.blinds = np.array([rules.small_blind, rules.big_blind, rules.ante, rules.stack, rules.stack], np.int64)
        self.begin(0, np.empty(0, np.uint64))

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        a = self.config.layout
        cells = a.game_blocks * a.game_size + a.opponent_blocks * a.opponent_size
        self.rows = np.zeros((tables, WIDTH), np.int64)
        self.meta = np.zeros((tables, 6), np.int64)
        self.consumed = np.full(tables, -1, np.int64)
        self.x, self.mask = np.zeros((a.inputs, tables), np.float32), np.zeros(tables, np.uint8)
        self.c, self.y = np.zeros((cells, tables), np.float32), np.zeros((cells, tables), np.float32)
        self.hidden, self.out = np.zeros((a.hidden, tables), np.float32), np.zeros((1, tables), np.float32)
        for t in range(tables):
            reset_opponent(self.genome, a, self.c, self.y, t)

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        a, d = self.config.layout, decisions.arrays()
        actor = d.state[:, 1]
        follow(
            self.rows, d.tables, d.history, d.length, actor, d.strengths, self.consumed, self.blinds, self.genome, a,
            self.x, self.c, self.y, self.mask,
        )  # fmt: skip
        scores(self.genome, a, self.y, self.hidden, self.out)
        kinds, totals = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
        answer(self.rows, d.tables, a, self.out, self.blinds[3], self.meta, kinds, totals)
        return kinds, totals

    def hand_over(self, finished: FinishedHands) -> None:
        f = finished.arrays()
        follow(
            self.rows, f.tables, f.history, f.length, f.seats, f.strengths, self.consumed, self.blinds, self.genome,
            self.config.layout, self.x, self.c, self.y, self.mask,
        )  # fmt: skip
        self.consumed[f.tables] = -1
