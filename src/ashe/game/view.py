"""What a player may see when it must act: its own cards, the board so far, the betting. Nothing hidden.

`View` is one decision at one table. Its `fold`, `call`, `raise_to`, `pot_raise` and `all_in` make actions; illegal
ones are refused with the amount that came and the range that is allowed.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ashe.cards.deck import card_names, hand_name
from ashe.cards.equity import percentile
from ashe.errors import IllegalActionError
from ashe.game.engine import CALL, FOLD, RAISE

STREET_NAMES = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)


class Action(NamedTuple):
    """A decision: kind FOLD, CALL (also check) or RAISE; `to` is the street total of a raise."""

    kind: int
    to: int = 0


class Event(NamedTuple):
    """An action of the hand's history."""

    seat: int
    street: int
    kind: int
    to: int


@dataclass(frozen=True)
class View:
    """One decision as its player sees it. All amounts are chips; seats in postflop order, the last is the button."""

    seat: int
    seats: int
    street: int
    hole: tuple[int, ...]
    board: tuple[int, ...]
    ehs: float
    pot: int  # all chips in the middle
    call_cost: int  # 0: checking is free
    min_raise_to: int  # 0: raising is illegal
    max_raise_to: int
    bet: int  # highest street total
    big_blind: int
    stacks: tuple[int, ...]
    bets: tuple[int, ...]  # street totals
    n_bet: int  # bets on this street; before the flop the big blind is the first
    history: tuple[Event, ...]
    hand: int  # number of the hand in this half match

    @property
    def button(self) -> bool:
        return self.seat == self.seats - 1

    @property
    def percentile(self) -> float:
        """Share of the holdings the opponent may have that are not stronger than ours on this board."""
        return percentile(self.hole, self.board)

    @property
    def odds(self) -> float:
        """Pot odds: what a call costs as a share of the pot after it."""
        return self.call_cost / (self.pot + self.call_cost)

    def fold(self) -> Action:
        """Fold; checks when that is free."""
        return Action(FOLD if self.call_cost else CALL)

    def call(self) -> Action:
        """Check or call."""
        return Action(CALL)

    def raise_to(self, to: int) -> Action:
        """Raise to the street total `to`."""
        if not self.min_raise_to:
            raise IllegalActionError(f"raise to {to}: raising is not allowed here, only fold and call")
        if not self.min_raise_to <= to <= self.max_raise_to:
            raise IllegalActionError(
                f"raise to {to}: the legal range is {self.min_raise_to} to {self.max_raise_to} (street totals)"
            )
        return Action(RAISE, int(to))

    def pot_raise(self, times: float) -> Action:
        """Call, then raise by `times` the pot after that call, moved into the legal range; a call if none is legal."""
        if not self.min_raise_to:
            return self.call()
        to = int(self.bet + times * (self.pot + self.call_cost) + 0.5)
        return Action(RAISE, min(max(to, self.min_raise_to), self.max_raise_to))

    def all_in(self) -> Action:
        """Raise everything; a call where raising is illegal."""
        return Action(RAISE, self.max_raise_to) if self.min_raise_to else self.call()

    def __str__(self) -> str:
        made = f" ({hand_name(self.hole + self.board)})" if len(self.board) >= 3 else ""
        return (
            f"{STREET_NAMES[self.street]}: {card_names(self.hole)} on {card_names(self.board) or 'no board'}{made}, "
            f"pot {self.pot}, to call {self.call_cost}"
        )


def legal_error(kind: int, to: int, call_cost: int, min_to: int, max_to: int) -> str | None:
    """Why an action is illegal, with the amount and what is allowed; None when it is legal."""
    if kind == FOLD:
        return None if call_cost > 0 else "fold: checking is free, so folding is not allowed; check instead"
    if kind == CALL:
        return None
    if kind != RAISE:
        return f"action kind {kind}: allowed are {FOLD} (fold), {CALL} (check or call) and {RAISE} (raise)"
    if min_to == 0:
        return f"raise to {to}: raising is not allowed here, only fold and call"
    if not min_to <= to <= max_to:
        return f"raise to {to}: the legal range is {min_to} to {max_to} (street totals)"
    return None
