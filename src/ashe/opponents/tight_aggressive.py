"""TA, the tight aggressive player (D 5.3, spec section 2), on the percentile q of its hand."""

from ashe.cards.random import uniform
from ashe.game.engine import FLOP, PREFLOP, RIVER
from ashe.jit import njit
from ashe.opponents.observation import all_in, call, defend, fold, odds, pot_raise, raise_to, unraised


@njit
def tight_aggressive(o):
    """TA."""
    if o.street == PREFLOP:
        return _preflop_button(o) if o.button else _preflop_big_blind(o)
    if o.street == RIVER:
        return _river_button(o) if o.button else _river_big_blind(o)
    return _middle_button(o) if o.button else _middle_big_blind(o)


@njit
def fold_or_call(o):
    """Fold when q < defend, else call."""
    return fold(o) if o.percentile < defend(o) else call(o)


@njit
def _preflop_button(o):
    if unraised(o):
        return raise_to(o, 2.5 * o.big_blind)
    return fold_or_call(o)


@njit
def _preflop_big_blind(o):
    q = o.percentile
    if o.call == 0:
        if q < 0.625:
            return call(o)
        by = 1.0 if q < 0.75 else 1.5 if q < 0.875 else 2.0
        return raise_to(o, o.bet + by * o.big_blind)
    price, need = odds(o), defend(o)
    if q < price:
        return fold(o)
    if q < need:
        return call(o) if uniform(o.key, 0) < (q - price) / (need - price) else fold(o)
    return raise_to(o, 3 * o.bet) if uniform(o.key, 0) < (q - need) / (1.0 - need) else call(o)


@njit
def _middle_button(o):
    if o.call == 0:
        return pot_raise(o, 0.5) if o.percentile > (0.333 if o.street == FLOP else 0.83) else call(o)
    return fold_or_call(o)


@njit
def _middle_big_blind(o):
    q = o.percentile
    if o.call == 0:
        return pot_raise(o, 1.0) if 0.83 < q < 0.95 else call(o)
    if o.n_bet == 1 and q >= 0.95 and q >= defend(o):
        return raise_to(o, o.pot + 2 * o.bet)
    return fold_or_call(o)


@njit
def _river_button(o):
    q = o.percentile
    if o.call == 0:
        return pot_raise(o, 0.5) if q > 0.9 else call(o)
    if q > 0.95 and q >= defend(o):
        return raise_to(o, o.pot)
    return fold_or_call(o)


@njit
def _river_big_blind(o):
    q = o.percentile
    if o.call == 0:
        return pot_raise(o, 0.5) if q > 0.9 else call(o)
    if o.n_bet >= 2 and q > 0.975 and q >= defend(o):
        return all_in(o)
    return fold_or_call(o)
