"""ASHE 1.0: from the aggression score o in (-1, 1) to an action (D 4.1.2, P algorithm 1; spec sections 2, 3, 10).

| rule | what it does |
|---|---|
| printed | the Decision Algorithm: willing to put in o * 20,000 chips, raises to multiples of the big blind |
| adjusted | D 4.3.3: raises only of 0.5, 1, 1.5 or 2 pots, or all-in |
| sign | the author's 2016 prototype: below 0 check or fold, else at least call; target = o * (street bet + stack) |

What becomes of a raise before the flop (docs/ashe1.md says why this matters):

| preflop | |
|---|---|
| free | any size, as printed |
| small_ball | the minimum raise, also against a raise |
| flat | who opens raises the minimum (if the wish is at least `open_from` of all chips, or limps); raises are called |

With `slow_play` the first bet of the flop and of the turn is left to the opponent: a wish to bet there is a check. Bets
on flop and turn are raised if the wish is at least `raise_from` of all chips, or called.
"""

import numpy as np

from ashe.game.engine import CALL, FLOP, RAISE, TURN
from ashe.jit import njit
from ashe.opponents.observation import adjusted_decision_algorithm, decision_algorithm, fold, unraised

RULES = {"printed": 0, "adjusted": 1, "sign": 2}
PREFLOP = {"free": 0, "small_ball": 1, "flat": 2}


@njit(counted=False)
def wish(score, power):
    """The score with its size raised to `power`. Calls and small raises need scores below 0.03 when the wish is linear
    (as printed): a band so narrow that evolution keeps missing it; with 3 the same calls reach up to 0.3."""
    return score if power == 1.0 else np.sign(score) * abs(score) ** power


@njit(counted=False)
def sign_rule(o, score):
    """A negative score gives up, any other at least calls; the street total wished for is a share of all chips."""
    if score < 0.0:
        return fold(o)
    target = int(score * (o.own + o.stack) + 0.5)
    if o.max_to > 0 and target >= o.min_to:
        return RAISE, min(target, o.max_to), o.memory
    return CALL, 0, o.memory


@njit(counted=False)
def threshold_action(rule, power, preflop, open_from, slow_play, raise_from, o, score):
    """(kind, street total) for an aggression score, by the numbers of the rule and of `preflop`.

    With free raises before the flop evolution is caught by CS, which folds every hand to a large one, and never meets
    the much better play after it; with small ball it loses itself in raising wars with HM. Betting first on flop and
    turn is the next such trap: CS folds to it, but a raise would have won CS's own bet as well.
    """
    w = wish(score, power)
    if rule == 0:
        kind, to, _ = decision_algorithm(o, w)
    elif rule == 1:
        kind, to, _ = adjusted_decision_algorithm(o, w)
    else:
        kind, to, _ = sign_rule(o, w)
    if preflop > 0 and kind == RAISE and o.street == 0:
        if preflop == 2 and (not unraised(o) or w < open_from):
            return CALL, 0
        to = o.min_to
    elif kind == RAISE and o.street in (FLOP, TURN) and (slow_play == 1 if unraised(o) else w < raise_from):
        return CALL, 0
    return kind, to
