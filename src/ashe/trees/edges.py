"""The edges of a Pattern Recognition Tree (spec, sections 5 and 10).

| slot | own action | opponent's action |
|---|---|---|
| 0 | fold | fold |
| 1 | check or call | check or call |
| 2..5 | raise of 0.5, 1, 1.5, 2 pots | bucket 1..4: up to .125, .375, .75, 1.25 pots |
| 6 | all-in | bucket 5: up to 2 pots |
| 7, 8 | - | bucket 6: up to 4 pots; bucket 7: more |

The size of a raise is that of an x-pot raise: call first, then raise by x times the pot after that call. An opponent's
all-in falls into the bucket of its size.
"""

from ashe.game.engine import FOLD, RAISE
from ashe.jit import njit

SLOTS = 9
FOLDS, CALLS, FIRST_RAISE = 0, 1, 2

OWN_SIZES = (0.5, 1.0, 1.5, 2.0)  # pots; the fifth own raise is all-in
OWN_RAISES = 5
ALL_IN = FIRST_RAISE + 4

BUCKET_EDGES = (0.125, 0.375, 0.75, 1.25, 2.0, 4.0)  # upper edges, in the bucket; the seventh is open
BUCKETS = 7

OWN_NAMES = ("fold", "call", "0.5 pot", "1 pot", "1.5 pot", "2 pot", "all-in")
OPPONENT_NAMES = ("fold", "call", "<= .125", "<= .375", "<= .75", "<= 1.25", "<= 2", "<= 4", "> 4 pot")


@njit(counted=False)
def bucket(size, pot):
    """0..6 for a raise of `size` chips above the call into `pot`, the pot after that call."""
    for i in range(6):
        if size <= BUCKET_EDGES[i] * pot:
            return i
    return 6


@njit(counted=False)
def own_raise(size, pot, all_in):
    """0..4: the nearest of the own sizes, or all-in."""
    if all_in:
        return 4
    return min(max(int(2.0 * size / pot + 0.5), 1), 4) - 1


@njit(counted=False)
def slot_of(own, kind, to, bet, pot, call, most):
    """Edge of an action; `bet`, `pot` and `call` are those before it, `most` is the actor's largest street total."""
    if kind == FOLD:
        return FOLDS
    if kind != RAISE:
        return CALLS
    size = to - bet
    after = pot + call
    return FIRST_RAISE + (own_raise(size, after, to == most) if own else bucket(size, after))
