"""Players, batched: one object plays many tables at once and answers for all that wait.

A rule player is only a number of the compiled loop. Every other player implements `BatchPlayer`; `PlainPlayer` turns
an ordinary class with `act(view)` into one.
"""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ashe.errors import IllegalActionError
from ashe.game.view import Action, View


class DecisionArrays(NamedTuple):
    """n waiting decisions as arrays, for players that answer them all in compiled code. Nothing hidden, as in `View`.

    `history` belongs to all tables: the actions of decision i are `history[tables[i], :length[i]]`.
    """

    tables: NDArray[np.int64]  # [n]
    state: NDArray[np.int64]  # [n, engine.WIDTH] rows of the engine; the seat to act is state[:, ACTOR]
    hole: NDArray[np.int64]  # [n, 2] own cards
    board: NDArray[np.int64]  # [n, 5] -1 where no card lies yet
    ehs: NDArray[np.float32]  # [n]
    percentile: NDArray[np.float32]  # [n]
    strengths: NDArray[np.float32]  # [n, 4] EHS by street, -1 on streets to come
    textures: NDArray[np.int8]  # [n, 4] texture cluster of the board by street, -1 on streets to come
    history: NDArray[Any]  # [all tables, MAX_ACTIONS, 4] seat, street, kind, street total
    length: NDArray[np.int64]  # [n]
    keys: NDArray[np.uint64]  # [n] the decision's random stream: `uniform(keys[i], 0)` is its first number
    hand_keys: NDArray[np.uint64]  # [n] the seat's random stream for the whole hand


class Decisions(Protocol):
    """The waiting decisions of one player: `len(d)` of them, at tables `d.tables`."""

    tables: NDArray[np.int64]

    def __len__(self) -> int: ...

    def view(self, i: int) -> View:
        """The i-th decision as its player sees it."""
        ...

    def arrays(self) -> DecisionArrays:
        """All of them as arrays."""
        ...


@dataclass(frozen=True)
class HandResult:
    """A finished hand as one player learns of it: `shown` is the opponent's hand, only after a showdown."""

    table: int
    hand: int
    seat: int
    chips: int
    board: tuple[int, ...]
    shown: tuple[int, int] | None


class FinishedArrays(NamedTuple):
    """n finished hands as arrays: what `HandResult` says, and the whole betting."""

    tables: NDArray[np.int64]  # [n]
    seats: NDArray[np.int64]  # [n] own seat
    state: NDArray[np.int64]  # [n, engine.WIDTH] final rows of the engine
    chips: NDArray[np.int64]  # [n] won
    strengths: NDArray[np.float32]  # [n, 4] own EHS by street, -1 on streets that were not seen
    textures: NDArray[np.int8]  # [n, 4] texture cluster of the board by street, -1 on streets that were not seen
    shown: NDArray[np.int64]  # [n, 2] the opponent's cards after a showdown, else -1
    shown_strengths: NDArray[np.float32]  # [n, 4] EHS of those cards by street, else -1
    history: NDArray[Any]  # [all tables, MAX_ACTIONS, 4] as in `DecisionArrays`
    length: NDArray[np.int64]  # [n]


class FinishedHands(Protocol):
    """Hands of one player that ended: `len(f)` of them, at tables `f.tables`."""

    tables: NDArray[np.int64]

    def __len__(self) -> int: ...

    def result(self, i: int) -> HandResult:
        """The i-th hand as its player learns of it."""
        ...

    def arrays(self) -> FinishedArrays:
        """All of them as arrays."""
        ...


class BatchPlayer(Protocol):
    """Plays any number of tables. A table is one half match: forget everything at `begin`, nothing between hands."""

    name: str
    learns: bool  # False: `hand_over` is never called, which saves making the results (taken as True where missing)

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        """Half matches start at tables 0..tables-1; `keys[t]` is the random stream for table t."""
        ...

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(kinds, street totals of raises), one per waiting decision."""
        ...

    def hand_over(self, finished: FinishedHands) -> None:
        """Hands that ended since the last call."""
        ...


@dataclass(frozen=True)
class RulePlayer:
    """A built-in rule: played inside the compiled loop."""

    name: str
    number: int
    title: str
    static: bool


def _source_of(factory: Callable[[], Any]) -> str:
    """Digest of the file that a plain player's class is written in; empty for one typed at a prompt."""
    try:
        file = inspect.getsourcefile(factory)
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else ""
    except (OSError, TypeError):
        return ""


class PlainPlayer:
    """Adapter: an ordinary Python object per table, made by `factory()`.

    The object needs `act(view) -> Action`; `hand_over(result)` is called where it exists. `begin(rng)` likewise, with
    a generator of its own, so that even a random player gives the same match for the same seed.
    """

    def __init__(self, name: str, factory: Callable[[], Any]) -> None:
        self.name = name
        self.learns = True
        self.factory = factory
        self.digest = _source_of(factory)
        self.minds: list[Any] = []

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        self.minds = [self.factory() for _ in range(tables)]
        for mind, key in zip(self.minds, keys, strict=True):
            if hasattr(mind, "begin"):
                mind.begin(np.random.default_rng(int(key)))

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        kinds = np.zeros(len(decisions), np.int64)
        totals = np.zeros(len(decisions), np.int64)
        for i, table in enumerate(decisions.tables):
            view = decisions.view(i)
            action = self.minds[table].act(view)
            if not isinstance(action, Action):
                raise IllegalActionError(
                    f"player {self.name} answered {action!r} to '{view}'; return view.fold(), view.call(), "
                    "view.raise_to(n), view.pot_raise(k) or view.all_in()"
                )
            kinds[i], totals[i] = action
        return kinds, totals

    def hand_over(self, finished: FinishedHands) -> None:
        for i, table in enumerate(finished.tables):
            mind = self.minds[table]
            if hasattr(mind, "hand_over"):
                mind.hand_over(finished.result(i))


Player = RulePlayer | BatchPlayer
