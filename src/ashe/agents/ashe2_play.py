"""Half matches of ASHE 2.x minds, in one compiled loop: one in slot 0 against rule players, or one in each slot."""

import numpy as np

from ashe.agents.ashe2_mind import ENGINE, NEW_NODES, TREES, answer, begin_hand, follow, learn, think
from ashe.evaluation.kernel import (
    ASKS_0,
    DONE,
    FIRST_DECK,
    HALF,
    HAND,
    HAND_OVER,
    HIST_LEN,
    STATUS,
    advance,
    play,
)
from ashe.game.engine import STREET
from ashe.jit import njit
from ashe.ticks import ticks


@njit(counted=False)
def catch_up(m, s, t, slot, S, meta, ehs, clusters, history):
    """Tell the mind in `slot` what has happened at table `t` since it last looked."""
    seat = (slot + meta[t, HAND] + meta[t, HALF]) & 1
    deck = meta[t, FIRST_DECK] + meta[t, HAND]
    street = min(S[t, STREET], 3)
    m.ehs[t, 0] = ehs[deck, seat, 0]
    m.ehs[t, street] = ehs[deck, seat, street]
    for k in range(street + 1):
        m.cluster[t, k] = clusters[deck, k]
    if m.hand[t] != meta[t, HAND]:
        begin_hand(m, s, t, meta[t, HAND], seat)
    follow(m, s, t, history[t], meta[t, HIST_LEN])
    return seat, deck


@njit(counted=False)
def next_decisions(
    m, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won, ev, stats,
    history, waiting,
):  # fmt: skip
    """Play every table on until ASHE must act: these tables into `waiting`; returns how many they are.

    -1: the pool of nodes must grow first. Calling again changes nothing for tables that wait already.
    """
    count = 0
    for t in range(S.shape[0]):
        while meta[t, STATUS] != DONE:
            if m.trees.used[0] + NEW_NODES > m.trees.child.shape[0]:
                return -1
            began = ticks()
            status = advance(
                S, t, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats,
                history, True,
            )  # fmt: skip
            advanced = ticks()
            m.work[ENGINE] += advanced - began
            if status == DONE:
                break
            seat, deck = catch_up(m, s, t, 0, S, meta, ehs, clusters, history)
            if status == HAND_OVER:
                learn(m, s, t, ehs[deck, 1 - seat])
            m.work[TREES] += ticks() - advanced
            if status == HAND_OVER:
                continue
            waiting[count] = t
            count += 1
            break
    return count


@njit
def apply_choices(m, slot, S, meta, history, stats, waiting, count):
    """Play what the mind in `slot` has chosen at the waiting tables."""
    for i in range(count):
        t = waiting[i]
        kind, to = answer(m, t)
        play(S, t, slot, kind, to, meta, history, stats)
        meta[t, STATUS] = ASKS_0


@njit(nogil=True)
def play_tables(
    m, s, swre, ofre, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won, ev,
    stats, history,
):  # fmt: skip
    """Play all tables to their end: True when done, False when the pool of nodes must grow first (then call again)."""
    waiting = np.empty(S.shape[0], np.int64)
    while True:
        count = next_decisions(
            m, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won, ev,
            stats, history, waiting,
        )  # fmt: skip
        if count <= 0:
            return count == 0
        think(m, s, swre, ofre, waiting, count)
        apply_choices(m, 0, S, meta, history, stats, waiting, count)


@njit
def next_pair_decisions(
    m, other, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won, ev,
    stats, history, waiting, asked,
):  # fmt: skip
    """`next_decisions` with minds in both slots: tables where slot k must act into `waiting[k, :asked[k]]`.

    False: a pool of nodes must grow first.
    """
    asked[:] = 0
    for t in range(S.shape[0]):
        while meta[t, STATUS] != DONE:
            full = m.trees.used[0] + NEW_NODES > m.trees.child.shape[0]
            if full or other.trees.used[0] + NEW_NODES > other.trees.child.shape[0]:
                return False
            status = advance(
                S, t, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats,
                history, True,
            )  # fmt: skip
            if status == DONE:
                break
            if status != ASKS_0 + 1:
                seat, deck = catch_up(m, s, t, 0, S, meta, ehs, clusters, history)
                if status == HAND_OVER:
                    learn(m, s, t, ehs[deck, 1 - seat])
            if status != ASKS_0:
                seat, deck = catch_up(other, s, t, 1, S, meta, ehs, clusters, history)
                if status == HAND_OVER:
                    learn(other, s, t, ehs[deck, 1 - seat])
                    continue
            slot = status - ASKS_0
            waiting[slot, asked[slot]] = t
            asked[slot] += 1
            break
    return True


@njit(nogil=True)
def play_pairs(
    m, other, s, swre, ofre, other_swre, other_ofre, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin,
    clusters, style_keys, won, ev, stats, history,
):  # fmt: skip
    """`play_tables` with minds in both slots: `other`, with estimators of its own, sits in slot 1."""
    waiting, asked = np.empty((2, S.shape[0]), np.int64), np.empty(2, np.int64)
    while True:
        room = next_pair_decisions(
            m, other, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won,
            ev, stats, history, waiting, asked,
        )  # fmt: skip
        if not room:
            return False
        if asked[0] + asked[1] == 0:
            return True
        think(m, s, swre, ofre, waiting[0], asked[0])
        apply_choices(m, 0, S, meta, history, stats, waiting[0], asked[0])
        think(other, s, other_swre, other_ofre, waiting[1], asked[1])
        apply_choices(other, 1, S, meta, history, stats, waiting[1], asked[1])


@njit(counted=False)
def watch(m, s, tables, seats, strengths, textures, history, length):
    """Tell the mind of new actions at `tables`, for a player that hears of a hand when it must act and at its end.

    `strengths` [n, 4] is the own EHS, `textures` [n, 4] the board's cluster by street, as far as the board lies.
    """
    for i in range(tables.shape[0]):
        t = tables[i]
        for street in range(4):
            m.ehs[t, street] = strengths[i, street]
            m.cluster[t, street] = textures[i, street]
        if m.hand[t] < 0:
            begin_hand(m, s, t, 0, seats[i])
        follow(m, s, t, history[t], length[i])


@njit(counted=False)
def answers(m, s, swre, ofre, tables, kinds, totals):
    """Think at the waiting tables and write the actions."""
    think(m, s, swre, ofre, tables, tables.shape[0])
    for i in range(tables.shape[0]):
        kinds[i], totals[i] = answer(m, tables[i])


@njit(counted=False)
def finish(m, s, tables, shown_strengths):
    """The hands at `tables` are over; `shown_strengths` [n, 4] is the opponent's EHS by street after a showdown."""
    for i in range(tables.shape[0]):
        learn(m, s, tables[i], shown_strengths[i])
        m.hand[tables[i]] = -1
