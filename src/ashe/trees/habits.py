"""Habits (ours): what the opponent does in situations of one kind, whatever line led there.

A tree needs several visits of the very same line before it knows anything of it. Habits pool the same counts over all
lines of a half match, so that after a few dozen hands a line never seen before is met with what *this* opponent does in
such a situation instead of what opponents do on average. They are kept as nodes of `prt.Trees` without edges: table t's
kind c is node 1 + t * KINDS + c, and node 0 knows nothing, as in a tree.

Kinds of a *pool* lend each other their rates: a raise of a size that this opponent has never faced is met with how
it took others in such a pot (`pool_of`). Odds up to .2, which of ASHE's raises only an all-in offers, are a pool of
their own: who has most of the chips in does not fold as usual.

A *place* is a street and what the pot was before it: 0 before the flop, then for each later street 1 to 3: chips of
each player from the streets before at most a big blind, at most four, more. Who has called large bets folds less and
shows stronger hands than who has not. Kinds of a pool have the same of these four pots.

| kind | the player to act | told apart by |
|---|---|---|
| 0-119 | opponent | place; nothing to call, or odds up to .2, .29, .36, .42, more; whether it raised on this street |
| 120-299 | ASHE | place; the opponent has not acted, checked or called, raised by bucket 1-7; whether ASHE raised |
| 300-319 | pools | pot; ASHE acts, opponent with nothing to call, odds up to .2, or more before or after its raise |
| 320-324 | pools of all pots | as the pools |

Before the flop blinds are no raises: who acts on a limp or first has nothing to call.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError
from ashe.game.engine import ACTOR, BET, BETS, BIG_BLIND, N_BET, POT, STACKS, STREET, TOTALS
from ashe.jit import njit
from ashe.trees.edges import bucket
from ashe.trees.prt import Trees, new_trees

ODDS_EDGES = (0.2, 0.29, 0.36, 0.42)
FACING, LAST = 6, 9
POTS = 4  # before the flop, then by what each player has put in before this street
PLACES = 1 + 3 * (POTS - 1)
SMALL_POT, LARGE_POT = 1, 4  # big blinds
POT_POOLS = 5
OWN = PLACES * FACING * 2  # first kind in which ASHE acts
POOLS = OWN + PLACES * LAST * 2  # first pool
GLOBAL = POOLS + POTS * POT_POOLS  # first pool over all pots
KINDS = GLOBAL + POT_POOLS
COUNTS = ("counts", "strength", "following")
SAVED = "habit_"


def new_habits(tables: int, next_actions: bool) -> Trees:
    return new_trees(1 + max(tables, 1) * KINDS, next_actions)


def clear_habits(habits: Trees) -> None:
    for name in COUNTS:
        getattr(habits, name)[:] = 0


def saved_habits(habits: Trees) -> dict[str, NDArray[np.generic]]:
    """What to save of the only table's habits; `restore_habits` reads it."""
    return {f"{SAVED}{name}": getattr(habits, name).copy() for name in COUNTS}


def restore_habits(habits: Trees, saved: Mapping[str, NDArray[Any]]) -> None:
    """The saved habits at all tables."""
    for name in COUNTS:
        array = getattr(habits, name)
        if f"{SAVED}{name}" not in saved:
            raise UserError("saved trees of an agent with habits lack them; save them again")
        found = saved[f"{SAVED}{name}"]
        rows = min(len(array), 1 + KINDS)  # none where next actions are not counted
        if found.shape != (rows, *array.shape[1:]):
            raise UserError(f"saved habits are damaged: {name} {found.shape} instead of {(rows, *array.shape[1:])}")
        if rows:
            array[1:] = np.tile(found[1:], (len(array) // KINDS, *[1] * (array.ndim - 1)))


@njit(counted=False)
def place_of(S, t):
    """The place that row `t`, where somebody must act, is at."""
    street, actor = S[t, STREET], S[t, ACTOR]
    if street == 0:
        return 0
    before = S[t, TOTALS + actor] - S[t, BETS + actor]
    blind = S[t, BIG_BLIND]
    return 1 + (street - 1) * (POTS - 1) + (before > SMALL_POT * blind) + (before > LARGE_POT * blind)


@njit(counted=False)
def _pot_at(place):
    return 0 if place == 0 else 1 + (place - 1) % (POTS - 1)


@njit(counted=False)
def facing_kind(place, odds, raised):
    """The kind in which the opponent acts on a raise that offers these odds (0: nothing to call)."""
    facing = 0
    if odds > 0.0:
        facing = 1
        for edge in ODDS_EDGES:
            facing += odds > edge
    return (place * FACING + facing) * 2 + (1 if raised else 0)


@njit(counted=False)
def habit_node(t, kind):
    return 1 + t * KINDS + kind


@njit(counted=False)
def pool_of(habit):
    """The node of the pool that a habit's kind belongs to."""
    kind = (habit - 1) % KINDS
    if kind >= OWN:
        pool = _pot_at((kind - OWN) // (2 * LAST)) * POT_POOLS
    else:
        facing = kind // 2 % FACING
        pool = _pot_at(kind // (2 * FACING)) * POT_POOLS + (1 + facing if facing < 2 else 3 + kind % 2)
    return habit - kind + POOLS + pool


@njit(counted=False)
def all_pots_of(pool):
    """The node of the pool over all pots that a pot's pool belongs to."""
    kind = (pool - 1) % KINDS
    return pool - kind + GLOBAL + (kind - POOLS) % POT_POOLS


@njit(counted=False)
def has_raised(S, t, seat):
    """Whether the player in `seat`, who is to act again or for the first time, has raised on this street."""
    return S[t, BETS + seat] > (S[t, BIG_BLIND] if S[t, STREET] == 0 else 0)


@njit(counted=False)
def kind_of(S, t, seat):
    """The kind of situation that row `t` is in, as the player in `seat` sees it."""
    street, actor, place = S[t, STREET], S[t, ACTOR], place_of(S, t)
    call = min(S[t, BET] - S[t, BETS + actor], S[t, STACKS + actor])
    limped = street == 0 and S[t, N_BET] == 1
    if actor != seat:
        odds = 0.0 if limped else call / (S[t, POT] + call)
        return facing_kind(place, odds, has_raised(S, t, actor))
    if limped or call == 0:
        last = 1 if (seat == 0) == (street == 0) else 0  # the big blind acts last before the flop, first after it
    else:
        last = 2 + bucket(call, S[t, POT] - call)
    return OWN + (place * LAST + last) * 2 + (1 if has_raised(S, t, seat) else 0)
