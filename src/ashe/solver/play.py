"""Playing a solved game at a real table, in compiled code: from the hand's history to a node, from a node to a raise.

The hand is replayed from its start for every decision, so a player needs no memory:
1. A check or call follows the tree's. A raise of one's own is the tree's raise whose amount here equals it.
2. A raise x of the opponent (in pots) between the tree's sizes A and B, the call counting as A = 0, is taken for A with
   probability (B - x)(1 + A) / ((B - A)(1 + x)): the pseudo-harmonic rule (Ganzfried and Sandholm 2013). The coin
   belongs to the hand, so it falls the same way whenever the hand is replayed.
3. Raises of the tree become amounts by their share of the real pot, moved into the legal range.

Tree and table may part: a small raise taken for a call ends the street in the tree; then the raise is called and both
meet on the next street. A large one taken for an all-in ends the tree's hand while chips are left; then `off_tree`
decides by pot odds.
"""

import numpy as np

from ashe.cards.deck import hole_index
from ashe.cards.kmeans import nearest
from ashe.cards.random import uniform
from ashe.cards.suits import HOLE_CLASS, HOLE_PERM, flop_index, turn_index
from ashe.game.engine import ACTOR, BET, CALL, FOLD, POT, RAISE, STREET, WIDTH, act, call_cost, raise_range, start_hand
from ashe.jit import njit
from ashe.solver.betting import ALL_IN
from ashe.solver.features import RIVER_FEATURES, river_features

OFF_TREE = -1_000_000  # the node of a hand that the tree does not know
BOLD = 0.75  # EHS from which the rest of the stack goes in off the tree
_FIRST_COIN = 1000  # numbers of the hand's stream from here on are for step 2


@njit
def raise_amount(S, t, fraction):
    """The street total of a tree's raise at this table; 0 where no raise is legal."""
    low, high = raise_range(S, t)
    if low == 0:
        return 0
    if fraction == ALL_IN:
        return high
    to = int(S[t, BET] + fraction * (S[t, POT] + call_cost(S, t)) + 0.5)
    return min(max(to, low), high)


@njit
def taken_for(S, t, to, first, n, kind, fraction):
    """(action A, action B, probability of A) for a raise to `to` at a node whose edges are first..first+n-1."""
    _, high = raise_range(S, t)
    pot = np.float64(S[t, POT] + call_cost(S, t))
    x = (to - S[t, BET]) / pot
    most = (high - S[t, BET]) / pot
    below, above = -1, -1
    A, B = -1.0, 1e9
    for a in range(n):
        k = kind[first + a]
        if k == FOLD:
            continue
        size = 0.0 if k == CALL else most if fraction[first + a] == ALL_IN else min(fraction[first + a], most)
        if k == RAISE and to == high and fraction[first + a] == ALL_IN:
            return a, a, 1.0
        if size <= x and size > A:
            below, A = a, size
        if size >= x and size < B:
            above, B = a, size
    if above < 0 or A == B:
        return below, below, 1.0
    return below, above, (B - x) * (1.0 + A) / ((B - A) * (1.0 + x))


@njit
def own_raise(S, t, to, first, n, kind, fraction):
    """The action that raises to `to` here, -1 if none does."""
    for a in range(n):
        if kind[first + a] == RAISE and raise_amount(S, t, fraction[first + a]) == to:
            return a
    return -1


@njit
def call_edge(first, kind):
    return first if kind[first] == CALL else first + 1


@njit
def off_tree(S, t, ehs):
    """(kind, to): pot odds against a random hand, and all-in with a good one."""
    cost = call_cost(S, t)
    if cost > 0:
        return (CALL if ehs >= cost / (S[t, POT] + cost) else FOLD), 0
    low, high = raise_range(S, t)
    if low > 0 and ehs >= BOLD:
        return RAISE, high
    return CALL, 0


@njit
def follow(S, t, node, event_kind, to, mine, coin, player, rounds, actions, edge, child, kind, fraction):
    """The node after an event; `S[t]` is the table before it."""
    if node < 0 or rounds[node] > S[t, STREET]:
        return node  # the tree's hand is over, or it waits on the next street
    if rounds[node] != S[t, STREET] or player[node] != S[t, ACTOR]:
        return OFF_TREE
    first, n = np.int64(edge[node]), np.int64(actions[node])
    if event_kind == CALL:
        return np.int64(child[call_edge(first, kind)])
    if mine:
        a = own_raise(S, t, to, first, n, kind, fraction)
        if a >= 0:
            return np.int64(child[first + a])
    low, high, p = taken_for(S, t, to, first, n, kind, fraction)
    return np.int64(child[first + (low if coin < p else high)])


@njit
def bucket(street, hole, board, flop_row, flop_perm, turn_row, turn_perm, flop, turn, place, starts, columns, norms):
    """The bucket of one holding; `board` holds at least the street's cards."""
    if street == 0:
        return np.int64(HOLE_CLASS[hole])
    if street == 1:
        index = flop_index(board[0], board[1], board[2])
        return np.int64(flop[flop_row[index], HOLE_PERM[flop_perm[index], hole]])
    if street == 2:
        index = turn_index(board[0], board[1], board[2], board[3])
        return np.int64(turn[turn_row[index], HOLE_PERM[turn_perm[index], hole]])
    points, found = np.empty((1, RIVER_FEATURES), np.float32), np.empty(1, np.int64)
    holes = np.empty(1, np.int64)
    holes[0] = hole
    river_features(board[0], board[1], board[2], board[3], board[4], holes, place, starts, points)
    nearest(points, columns, norms, found)
    return found[0]


@njit(nogil=True)
def answer(
    player, rounds, actions, edge, base, child, kind, fraction, strategy,
    flop_row, flop_perm, turn_row, turn_perm, flop, turn, place, starts, columns, norms,
    tables, state, hole, board, ehs, history, length, keys, hand_keys, blinds, stacks, kinds, tos,
):  # fmt: skip
    """Fill `kinds` and `tos` for the decisions of `DecisionArrays`."""
    S = np.zeros((1, WIDTH), np.int64)
    for i in range(tables.shape[0]):
        seat, street = state[i, ACTOR], state[i, STREET]
        start_hand(S, 0, 2, blinds[0], blinds[1], blinds[2], stacks)
        node = np.int64(0)
        for j in range(length[i]):
            event_kind, to = np.int64(history[tables[i], j, 2]), np.int64(history[tables[i], j, 3])
            mine = history[tables[i], j, 0] == seat
            coin = uniform(hand_keys[i], np.uint64(_FIRST_COIN + j))
            node = follow(
                S, 0, node, event_kind, to, mine, coin, player, rounds, actions, edge, child, kind, fraction
            )  # fmt: skip
            act(S, 0, event_kind, to)
        tos[i] = 0
        if node < 0 or rounds[node] < street or (rounds[node] == street and player[node] != seat):
            kinds[i], tos[i] = off_tree(S, 0, ehs[i])
            continue
        if rounds[node] > street:
            kinds[i] = CALL
            continue
        n, first = int(actions[node]), int(edge[node])
        held = hole_index(hole[i, 0], hole[i, 1])
        own = bucket(
            street, held, board[i], flop_row, flop_perm, turn_row, turn_perm, flop, turn, place, starts, columns, norms
        )
        slot = base[node] + own * n
        total = 0
        for a in range(n):
            total += int(strategy[slot + a])
        left = uniform(keys[i], np.uint64(0)) * total
        choice = n - 1
        for a in range(n):
            left -= np.float64(strategy[slot + a])
            if left < 0.0:
                choice = a
                break
        kinds[i], tos[i] = real_action(S, 0, kind[first + choice], fraction[first + choice])


@njit
def real_action(S, t, kind, fraction):
    """(kind, to) of a tree's action at this table: no fold where checking is free, no raise where none is legal."""
    if kind == RAISE:
        to = raise_amount(S, t, fraction)
        return (RAISE, to) if to > 0 else (CALL, 0)
    if kind == FOLD and call_cost(S, t) > 0:
        return FOLD, 0
    return CALL, 0
