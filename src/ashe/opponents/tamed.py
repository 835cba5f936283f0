"""The less exploitable players of ASHE 2.0 (D 5.3): tamed versions of HM, CM and SL."""

from ashe.cards.random import uniform
from ashe.jit import njit
from ashe.opponents.observation import all_in, call, defend, fold, odds, pot_raise, takes_the_stack, unraised


@njit
def loose_aggressive(o):
    """LA: bets and raises the pot with anything that has the price to continue."""
    if o.call == 0:
        if takes_the_stack(o, 0.5):
            return all_in(o) if o.ehs >= 0.9 else call(o)
        if o.button or uniform(o.key, 0) < o.ehs:
            return pot_raise(o, 1.0)
        return call(o)
    if takes_the_stack(o, 0.5):
        return fold(o) if o.ehs < defend(o) else call(o)
    return fold(o) if o.ehs < odds(o) else pot_raise(o, 1.0)


@njit
def loose_passive(o):
    """LP: calls whenever the pot odds are right, never raises."""
    return fold(o) if o.call > 0 and o.ehs < odds(o) else call(o)


@njit
def tight_passive(o):
    """TP: calls with hands above the minimum defence frequency, never raises."""
    if o.call == 0 or (o.street == 0 and unraised(o)):
        return call(o)
    need = min(defend(o), 0.80) if o.street == 0 else defend(o)
    return call(o) if o.ehs > need else fold(o)
