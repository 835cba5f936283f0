"""One hand as an object: for scripts, tests and set-up situations. Matches use the kernels directly."""

from collections.abc import Sequence

import numpy as np

from ashe.errors import IllegalActionError, UserError
from ashe.game import engine as e
from ashe.game.rules import HEADS_UP, Rules
from ashe.game.view import Action, Event, legal_error


class Hand:
    """A hand in progress.

    >>> hand = Hand()                    # heads-up, 50/100, 20,000 chips
    >>> hand.actor, hand.call_cost, hand.raise_range
    (1, 50, (200, 20000))
    >>> hand.raise_to(300); hand.fold()  # the button opens to 300, the big blind folds
    >>> hand.payoffs([1, 2])
    (-100, 100)
    """

    def __init__(self, rules: Rules = HEADS_UP, stacks: Sequence[int] | None = None) -> None:
        given = [rules.stack] * rules.seats if stacks is None else [int(s) for s in stacks]
        if len(given) != rules.seats or min(given) <= 0:
            raise UserError(f"stacks {given}: need {rules.seats} positive numbers of chips, one per seat")
        self.rules = rules
        self.row = e.new_tables(1)
        self.history: list[Event] = []
        e.start_hand(
            self.row, 0, rules.seats, rules.small_blind, rules.big_blind, rules.ante, np.array(given, np.int64)
        )

    def _field(self, column: int) -> int:
        return int(self.row[0, column])

    def _per_seat(self, column: int) -> tuple[int, ...]:
        return tuple(int(x) for x in self.row[0, column : column + self.rules.seats])

    @property
    def over(self) -> bool:
        return self._field(e.ACTOR) < 0

    @property
    def actor(self) -> int:
        """Seat to act, -1 when the hand is over."""
        return self._field(e.ACTOR)

    @property
    def street(self) -> int:
        return self._field(e.STREET)

    @property
    def pot(self) -> int:
        return self._field(e.POT)

    @property
    def stacks(self) -> tuple[int, ...]:
        return self._per_seat(e.STACKS)

    @property
    def bets(self) -> tuple[int, ...]:
        return self._per_seat(e.BETS)

    @property
    def call_cost(self) -> int:
        return int(e.call_cost(self.row, 0))

    @property
    def raise_range(self) -> tuple[int, int]:
        """Street totals the actor may raise to; (0, 0) when it may not."""
        low, high = e.raise_range(self.row, 0)
        return int(low), int(high)

    def act(self, action: Action) -> None:
        if self.over:
            raise IllegalActionError(f"{action}: the hand is over")
        error = legal_error(action.kind, action.to, self.call_cost, *self.raise_range)
        if error:
            raise IllegalActionError(f"seat {self.actor}, {error}")
        self.history.append(Event(self.actor, self.street, action.kind, action.to))
        e.act(self.row, 0, action.kind, action.to)

    def fold(self) -> None:
        self.act(Action(e.FOLD))

    def call(self) -> None:
        """Check or call."""
        self.act(Action(e.CALL))

    def raise_to(self, to: int) -> None:
        self.act(Action(e.RAISE, to))

    def payoffs(self, ranks: Sequence[int]) -> tuple[int, ...]:
        """Net chips per seat of a finished hand; `ranks` are showdown ranks, the lowest wins."""
        if not self.over:
            raise UserError(f"the hand is not over: seat {self.actor} must act on street {self.street}")
        won = np.zeros((1, self.rules.seats), np.int64)
        e.settle(self.row, 0, np.asarray(ranks, np.int64).reshape(1, -1), 0, won)
        return tuple(int(x) for x in won[0])
