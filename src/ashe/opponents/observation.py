"""What a compiled rule sees, and the few moves every rule is made of.

A rule is an `@njit` function `rule(o) -> (kind, to, memory)` of an `Observation`: scalars only, no hidden card.
`memory` is an integer the rule may keep until the end of the hand (0 at its start). Chance comes from `o.key`:
`uniform(o.key, n)` is the decision's n-th random number, the same for everyone who plays this deck this way.
"""

from typing import NamedTuple

from ashe.game.engine import CALL, FOLD, RAISE
from ashe.jit import njit


class Observation(NamedTuple):
    """One decision, heads-up."""

    street: int
    button: bool
    ehs: float
    percentile: float
    pot: int  # all chips in the middle, this street included
    call: int  # chips needed to call
    bet: int  # highest street total
    own: int  # own street total
    min_to: int  # raise range as street totals; 0 when raising is illegal
    max_to: int
    min_raise: int  # smallest legal raise above the call
    stack: int  # own chips behind
    full_stack: int  # chips at the start of the hand
    big_blind: int
    n_bet: int  # bets on this street; before the flop the big blind is the first
    led: int  # who bet or raised last on the previous street: 1 own, -1 opponent, 0 nobody
    opened: int  # the same for the street before the flop
    hand: int  # number of the hand in this half match
    memory: int
    key: int  # this decision's random stream
    style_key: int  # this player's random stream for the half match


@njit(inline="always")
def unraised(o):
    """No bet or raise on this street yet (the blinds are not one)."""
    return o.n_bet == (1 if o.street == 0 else 0)


@njit(inline="always")
def odds(o):
    return o.call / (o.pot + o.call)


@njit(inline="always")
def defend(o):
    return (o.pot + o.call) / (2.0 * o.pot)


@njit(inline="always")
def call(o):
    return CALL, 0, o.memory


@njit(inline="always")
def fold(o):
    """Fold, or check when that is free."""
    return (FOLD if o.call > 0 else CALL), 0, o.memory


@njit(inline="always")
def raise_to(o, to):
    """Raise to a street total, moved into the legal range; a call where raising is illegal."""
    if o.max_to == 0:
        return CALL, 0, o.memory
    return RAISE, min(max(int(to), o.min_to), o.max_to), o.memory


@njit(inline="always")
def pot_raise(o, k):
    """Call, then raise by k times the pot after that call."""
    return raise_to(o, int(o.bet + k * (o.pot + o.call) + 0.5))


@njit(inline="always")
def all_in(o):
    return raise_to(o, o.max_to)


@njit(inline="always")
def takes_the_stack(o, k):
    """A k-pot raise would need every chip."""
    return o.call + k * (o.pot + o.call) >= o.stack


@njit
def decision_algorithm(o, score):
    """P algorithm 1: a score is a wish of chips, `y = score * 20000`."""
    y = score * o.full_stack
    if y < o.call:
        return fold(o)
    if y < o.call + o.min_raise:
        return call(o)
    put_in = int(y / o.big_blind + 0.5) * o.big_blind
    return raise_to(o, o.own + put_in)


@njit
def adjusted_decision_algorithm(o, score):
    """D 4.3.3: raises only of 0.5, 1, 1.5, 2 pots or all-in, the nearest in chips; below a quarter pot a check/call."""
    y = score * o.full_stack
    if y < o.call:
        return fold(o)
    pot = o.pot + o.call
    wish = y - o.call
    if wish < 0.25 * pot or y < o.call + o.min_raise:
        return call(o)
    k = min(max(int(2.0 * wish / pot + 0.5), 1), 4)
    size = 0.5 * k * pot
    everything = o.stack - o.call
    if size >= everything or abs(everything - wish) < abs(size - wish):
        return all_in(o)
    return pot_raise(o, 0.5 * k)
