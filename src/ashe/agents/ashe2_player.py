"""ASHE 2.0 and 2.1 at the table: one genome that plays any number of half matches at once.

ASHE 2.1 brings its `default` trees, which are only read.

With `frozen` trees it starts every half match from these (`saved_trees` of a player at some hand) and learns no more:
lines it has not seen yet get empty nodes, which count as never visited, and no count ever changes.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe2 import NODES_PER_TABLE, Ashe2Config, banks_of, forget, new_mind
from ashe.agents.ashe2_mind import Mind
from ashe.agents.ashe2_play import answers, finish, watch
from ashe.agents.training import player_digest
from ashe.errors import UserError
from ashe.game.engine import ACTOR
from ashe.game.rules import HEADS_UP, Rules
from ashe.players.base import Decisions, FinishedHands
from ashe.trees.habits import restore_habits, saved_habits
from ashe.trees.prt import from_arrays, grown, to_arrays

SavedTrees = Mapping[str, NDArray[Any]]  # as `trees.prt.to_arrays` makes them, of one table
Listener = Callable[["Ashe2Player", Decisions], None]


class Ashe2Player:
    """A `BatchPlayer`; tables are the lanes of the kernel, so many tables cost little more than few."""

    learns = True

    def __init__(
        self,
        name: str,
        config: Ashe2Config,
        genome: NDArray[np.float32],
        rules: Rules = HEADS_UP,
        frozen: SavedTrees | None = None,
        default: SavedTrees | None = None,
    ) -> None:
        config.spec.check(genome)
        if config.preliminary is None:
            default = None
        elif default is None:
            raise UserError(
                f"{name} plays with default trees, and has none; take the champion.npz of its run, or play it without: "
                f"'{name}[preliminary=null]'"
            )
        self.name = name
        self.config = config
        self.genome = np.ascontiguousarray(genome, np.float32).reshape(1, -1)
        self.saved_frozen: SavedTrees = frozen or {}
        self.frozen = None if frozen is None else from_arrays(dict(frozen))
        self.saved_default = default
        self.default = None if default is None else from_arrays(dict(default))
        self.digest = player_digest(config, self.genome, __file__, frozen, default)
        blinds = np.array([rules.small_blind, rules.big_blind, rules.ante, rules.stack, rules.stack], np.int64)
        self.settings = config.settings(blinds, use_default=default is not None)
        self.listener: Listener | None = None  # told after every round of decisions, when beliefs can be read
        self.begin(1, np.empty(0, np.uint64))

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        self.mind = self._new_mind(tables)
        forget(self.mind)
        if self.frozen is not None:  # nothing is counted, so all tables share one pair of trees
            trees, roots = self.frozen
            self.mind = self.mind._replace(trees=grown(trees, trees.capacity + self.mind.trees.capacity))
            self.mind.roots[:] = roots
            if self.config.habit_visits > 0.0:
                restore_habits(self.mind.habits, self.saved_frozen)
        if self.default is not None:
            self.mind = self.mind._replace(default=self.default[0])
            self.mind.default_roots[:] = self.default[1]

    def _new_mind(self, tables: int) -> Mind:
        """And the estimators' working memory."""
        self.swre, self.ofre = banks_of(self.config, self.genome, tables)
        return new_mind(tables, max(tables, 1) * NODES_PER_TABLE)

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        d = decisions.arrays()
        self._make_room(d.length)
        watch(self.mind, self.settings, d.tables, d.state[:, ACTOR], d.strengths, d.textures, d.history, d.length)
        kinds, totals = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
        answers(self.mind, self.settings, self.swre, self.ofre, d.tables, kinds, totals)
        if self.listener is not None:
            self.listener(self, decisions)
        return kinds, totals

    def hand_over(self, finished: FinishedHands) -> None:
        if self.frozen is not None:
            self.mind.hand[finished.tables] = -1
            return
        f = finished.arrays()
        self._make_room(f.length)
        watch(self.mind, self.settings, f.tables, f.seats, f.strengths, f.textures, f.history, f.length)
        finish(self.mind, self.settings, f.tables, f.shown_strengths)

    def saved_trees(self) -> SavedTrees:
        """The trees as they are now, for a player that plays one table."""
        tables = len(self.mind.roots)
        if tables != 1:
            raise UserError(f"{self.name} plays {tables} tables; trees are saved of a player with one")
        habits = saved_habits(self.mind.habits) if self.config.habit_visits > 0.0 else {}
        return to_arrays(self.mind.trees, self.mind.roots[0]) | habits

    def _make_room(self, length: NDArray[np.int64]) -> None:
        """At most one node per action, a root and three board nodes."""
        trees = self.mind.trees
        needed = int(trees.used[0]) + int(length.sum()) + 4 * len(length)
        if needed > trees.capacity:
            self.mind = self.mind._replace(trees=grown(trees, 2 * needed))
