"""EQ: the solved game as a player, and as a policy that says what it would do with every hand."""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashe.assets import assets_dir
from ashe.cards.deck import N_HOLES
from ashe.exploit.policy import Choices, PublicState, strengths
from ashe.game import engine as e
from ashe.game.view import BOARD_CARDS
from ashe.jit import source_digest
from ashe.players.base import DecisionArrays, Decisions, HandResult
from ashe.solver import play
from ashe.solver.config import RULES
from ashe.solver.dealing import HoldemChance
from ashe.solver.solution import Solution, load_solution

_BLINDS = np.array([RULES.small_blind, RULES.big_blind, RULES.ante], np.int64)
_STACKS = np.full(2, RULES.stack, np.int64)


@cache
def _loaded(folder: Path) -> Solution:
    return load_solution(folder)


@cache
def _digest(folder: Path) -> str:
    """Changes when the solution or the code that plays it does."""
    digest = hashlib.sha256(source_digest(__file__).encode())
    for path in sorted(folder.glob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def make_eq() -> "Equilibrium":
    """The solution that ships with the project."""
    folder = assets_dir() / "eq"
    return Equilibrium("EQ", _loaded(folder), _digest(folder))


def eq_player(folder: str) -> "Equilibrium":
    """EQ@FOLDER: another solution, as written by `python -m ashe.solve`."""
    path = Path(folder).expanduser()
    return Equilibrium(f"EQ@{folder}", _loaded(path), _digest(path))


class Equilibrium:
    """Plays a solution (`BatchPlayer`, and `Policy` of `ashe.exploit`)."""

    learns = False

    def __init__(self, name: str, solution: Solution, digest: str = "") -> None:
        self.name, self.solution, self.digest = name, solution, digest
        tree, abstraction = solution.tree, solution.abstraction
        self._tree = (tree.player, tree.round, tree.actions, tree.edge, tree.base, tree.child)
        self._chance = HoldemChance(abstraction)
        self._cards = self._chance.lookup
        self.buckets_of = lru_cache(maxsize=4096)(self._chance.buckets_of)

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        pass

    def hand_over(self, results: Sequence[HandResult]) -> None:
        pass

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        d: DecisionArrays = decisions.arrays()
        kinds, tos = np.empty(len(d.tables), np.int64), np.empty(len(d.tables), np.int64)
        s = self.solution
        play.answer(
            *self._tree, s.kind, s.fraction, s.strategy, *self._cards, d.tables, d.state, d.hole, d.board, d.ehs,
            d.history, d.length, d.keys, d.hand_keys, _BLINDS, _STACKS, kinds, tos,
        )  # fmt: skip
        return kinds, tos

    def _probabilities(self, node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        """[1326, actions] at a node of the tree."""
        tree = self.solution.tree
        n = int(tree.actions[node])
        slots = int(tree.base[node]) + self.buckets_of(board)[:, None] * n + np.arange(n)
        weights = self.solution.strategy[slots].astype(np.float64)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def choices(self, state: PublicState) -> Choices:
        """What every holding does here.

        The coins of the pseudo-harmonic rule are not public: each raise that lies between two sizes splits the hand
        into two readings, and a holding believes each as far as its own actions so far agree with it.
        """
        seat = state.actor
        table = e.new_tables(1)
        e.start_hand(table, 0, 2, *_BLINDS, _STACKS)
        readings: dict[int, NDArray[np.float64]] = {0: np.ones(N_HOLES)}  # node: belief of every holding
        for actor, street, kind, to in state.history:
            board = state.board[: BOARD_CARDS[street]]
            after: dict[int, NDArray[np.float64]] = {}
            for node, belief in readings.items():
                for child, share in self._read(table, node, int(kind), int(to), actor == seat, board):
                    after[child] = after.get(child, 0.0) + belief * share
            readings = after
            e.act(table, 0, kind, to)
        return self._mixture(table, readings, state.board)

    def _in_tree(self, table: NDArray[np.int64], node: int) -> bool:
        tree = self.solution.tree
        return node >= 0 and tree.round[node] == table[0, e.STREET] and tree.player[node] == table[0, e.ACTOR]

    def _actions_here(
        self, table: NDArray[np.int64], node: int, board: tuple[int, ...]
    ) -> dict[tuple[int, int], NDArray[np.float64]]:
        """{(kind, to): probability of every holding} for one reading of the hand."""
        tree, s = self.solution.tree, self.solution
        out: dict[tuple[int, int], NDArray[np.float64]] = {}
        if self._in_tree(table, node):
            probabilities = self._probabilities(node, board)
            first = int(tree.edge[node])
            for a in range(int(tree.actions[node])):
                kind, to = play.real_action(table, 0, s.kind[first + a], s.fraction[first + a])
                out[(kind, to)] = out.get((kind, to), 0.0) + probabilities[:, a]
        elif node >= 0 and tree.round[node] > table[0, e.STREET]:
            out[(e.CALL, 0)] = np.ones(N_HOLES)
        else:
            ehs = strengths(board).ehs.astype(np.float32)
            for weak in np.unique(ehs):
                kind, to = play.off_tree(table, 0, weak)
                out[(kind, to)] = out.get((kind, to), np.zeros(N_HOLES)) + (ehs == weak)
        return out

    def _read(
        self, table: NDArray[np.int64], node: int, kind: int, to: int, mine: bool, board: tuple[int, ...]
    ) -> list[tuple[int, NDArray[np.float64] | float]]:
        """[(node after the event, how likely every holding finds it)] for one reading before it."""
        tree, s = self.solution.tree, self.solution
        here = (tree.player, tree.round, tree.actions, tree.edge, tree.child, s.kind, s.fraction)
        likely: NDArray[np.float64] | float = 1.0
        if mine:
            likely = self._actions_here(table, node, board).get((kind, to), np.zeros(N_HOLES))
        if (
            self._in_tree(table, node)
            and kind == e.RAISE
            and not (
                mine
                and play.own_raise(table, 0, to, int(tree.edge[node]), int(tree.actions[node]), s.kind, s.fraction) >= 0
            )
        ):
            first = int(tree.edge[node])
            low, high, p = play.taken_for(table, 0, to, first, int(tree.actions[node]), s.kind, s.fraction)
            ends = [(int(tree.child[first + low]), likely * p), (int(tree.child[first + high]), likely * (1.0 - p))]
            return ends if p < 1.0 else ends[:1]
        return [(int(play.follow(table, 0, node, kind, to, mine, 0.0, *here)), likely)]

    def _mixture(
        self, table: NDArray[np.int64], readings: dict[int, NDArray[np.float64]], board: tuple[int, ...]
    ) -> Choices:
        total = np.sum(list(readings.values()), axis=0)
        equal = np.full(N_HOLES, 1.0 / len(readings))
        mixed: dict[tuple[int, int], NDArray[np.float64]] = {}
        for node, belief in readings.items():
            share = np.where(total > 0, belief / np.where(total > 0, total, 1.0), equal)
            for action, probability in self._actions_here(table, node, board).items():
                mixed[action] = mixed.get(action, 0.0) + share * probability
        names = np.array(list(mixed), np.int64)
        return Choices(
            np.tile(names[:, 0], (N_HOLES, 1)),
            np.tile(names[:, 1], (N_HOLES, 1)),
            np.column_stack(list(mixed.values())),
        )
