"""HP, Half-a-Pro (D 5.3.3, 8.3.3): TA with floats, pot control, barrels and continuation bets, and one leak.

The tactics' constants are ours (spec section 2): tuned until HP beats TA, RG, HM, CM, SL, CS and LP heads-up.
"""

from ashe.cards.random import uniform
from ashe.game.engine import FLOP, PREFLOP, RIVER, TURN
from ashe.jit import njit
from ashe.opponents.observation import call, defend, fold, pot_raise
from ashe.opponents.tight_aggressive import tight_aggressive

FLOAT_MARGIN, FLOAT_RATE = 0.30, 1.0
CONTROL_LOW, CONTROL_HIGH = 0.75, 0.83
BLUFF_BELOW, BARREL_RATE, RIVER_BARREL_RATE = 0.25, 0.35, 0.25
CONTINUATION_RATE = 1.0
RIVER_LEAK = 0.05

FLOATED, CONTROLLED = 1, 2  # bits of the memory


@njit
def half_a_pro(o):
    """HP."""
    if o.street == PREFLOP:
        return tight_aggressive(o)
    if o.call > 0:
        return _facing_a_bet(o)
    return _free_to_act(o)


@njit
def _facing_a_bet(o):
    q, need = o.percentile, defend(o)
    at_most_one_pot = o.bet <= o.pot - o.bet
    in_position = o.street == FLOP and o.button and o.n_bet == 1
    if in_position and at_most_one_pot and need - FLOAT_MARGIN <= q < need and uniform(o.key, 1) < FLOAT_RATE:
        kind, to, memory = call(o)
        return kind, to, memory | FLOATED
    if o.street == RIVER and o.n_bet >= 2 and q < need + RIVER_LEAK:
        return fold(o)
    return tight_aggressive(o)


@njit
def _free_to_act(o):
    q = o.percentile
    if o.street == TURN and o.button and o.memory & FLOATED:
        return pot_raise(o, 0.5)
    if o.street == FLOP and o.opened == 1 and uniform(o.key, 2) < CONTINUATION_RATE:
        return pot_raise(o, 0.5)
    if o.led == 1 and q < BLUFF_BELOW:
        rate = RIVER_BARREL_RATE if o.street == RIVER else BARREL_RATE
        if uniform(o.key, 3) < rate:
            return pot_raise(o, 0.5)
    kind, to, memory = tight_aggressive(o)
    if o.street != RIVER and CONTROL_LOW <= q < CONTROL_HIGH and not memory & CONTROLLED and to > 0:
        return 1, 0, memory | CONTROLLED  # check once instead of betting
    return kind, to, memory
