"""What a table is played for: seats, blinds, antes, stacks."""

from dataclasses import dataclass

from ashe.errors import UserError

MIN_SEATS, MAX_SEATS = 2, 6


@dataclass(frozen=True)
class Rules:
    """No-limit hold'em stakes. Seats are numbered in postflop order, so the last seat is the button.

    Heads-up that makes seat 0 the big blind and seat 1 the button, who posts the small blind and acts first before
    the flop (the order of the Annual Computer Poker Competition); with more seats, seat 0 is the small blind.
    """

    seats: int = 2
    small_blind: int = 50
    big_blind: int = 100
    ante: int = 0
    stack: int = 20_000

    def __post_init__(self) -> None:
        if not MIN_SEATS <= self.seats <= MAX_SEATS:
            raise UserError(f"seats is {self.seats}; a table has {MIN_SEATS} to {MAX_SEATS} seats")
        if not 0 < self.small_blind <= self.big_blind:
            raise UserError(
                f"blinds are {self.small_blind}/{self.big_blind}; need 0 < small blind <= big blind, as in 50/100"
            )
        if self.ante < 0:
            raise UserError(f"ante is {self.ante}; it cannot be negative (0 means no ante)")
        if self.stack <= self.ante:
            raise UserError(f"stack is {self.stack}; it must exceed the ante of {self.ante}")


HEADS_UP = Rules()
"""The game of every ASHE paper: 50/100 blinds and 20,000 chips, reset before every hand."""
