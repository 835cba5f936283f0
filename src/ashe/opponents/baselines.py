"""Plain baselines: fold, random, minraise."""

from ashe.cards.random import uniform
from ashe.jit import njit
from ashe.opponents.observation import call, fold, raise_to, unraised


@njit
def folder(o):
    """Check when free, else fold."""
    return fold(o)


@njit
def random_player(o):
    """Any legal kind of action, equally likely; a raise to any legal total, equally likely."""
    kinds = 1 + (1 if o.call > 0 else 0) + (1 if o.max_to > 0 else 0)
    pick = int(uniform(o.key, 0) * kinds)
    if pick == 0:
        return call(o)
    if pick == 1 and o.max_to > 0:
        return raise_to(o, o.min_to + int(uniform(o.key, 1) * (o.max_to - o.min_to + 1)))
    return fold(o)


@njit
def minimum_raiser(o):
    """Always the minimum raise, but folds to a raise."""
    return raise_to(o, o.min_to) if unraised(o) else fold(o)
