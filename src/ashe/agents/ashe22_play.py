"""Half matches of an ASHE 2.2 or 2.3 mind in slot 0 against rule players, in one compiled loop; and match play."""

import numpy as np

from ashe.agents.ashe2_mind import answer
from ashe.agents.ashe2_play import apply_choices, next_decisions, next_pair_decisions
from ashe.agents.ashe22_mind import think
from ashe.decision.frontier import STEM
from ashe.decision.runouts import fill, run_out_key
from ashe.evaluation.kernel import FIRST_DECK, HALF, HAND
from ashe.game.engine import STREET
from ashe.jit import njit

DONE, GROW_TREES, GROW_SEARCH = 0, 1, 2


@njit
def _situate(q, slot, S, meta, rank, waiting, count):
    """Where the run-outs of the waiting decisions of `slot` are, and how their showdowns would end."""
    for i in range(count):
        t = waiting[i]
        deck, seat = meta[t, FIRST_DECK] + meta[t, HAND], (slot + meta[t, HAND] + meta[t, HALF]) & 1
        q.at_table[t, STEM] = 8 * deck + 4 * seat + S[t, STREET]
        own, other = rank[deck, seat], rank[deck, 1 - seat]
        q.truth[t] = 1.0 if own < other else 0.0 if own > other else 0.5


@njit(nogil=True)
def play_tables(
    m, s, r, q, oare, win, runs, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters,
    style_keys, won, ev, stats, history,
):  # fmt: skip
    """Play all tables to their end: DONE, or what must grow first (then call again)."""
    waiting = np.empty(S.shape[0], np.int64)
    while True:
        count = next_decisions(
            m, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won, ev,
            stats, history, waiting,
        )  # fmt: skip
        if count <= 0:
            return DONE if count == 0 else GROW_TREES
        _situate(q, 0, S, meta, rank, waiting, count)
        if not think(m, s, r, q, oare, win, runs, waiting, count):
            return GROW_SEARCH
        apply_choices(m, 0, S, meta, history, stats, waiting, count)


@njit(nogil=True)
def play_pairs(
    m, other, s, r, q, oare, win, other_oare, other_win, runs, S, meta, codes, memory, blinds, keys, ehs, percentile,
    rank, allin, clusters, style_keys, won, ev, stats, history,
):  # fmt: skip
    """`play_tables` with minds in both slots: `other`, with estimators of its own, sits in slot 1."""
    waiting, asked = np.empty((2, S.shape[0]), np.int64), np.empty(2, np.int64)
    while True:
        room = next_pair_decisions(
            m, other, s, S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, clusters, style_keys, won,
            ev, stats, history, waiting, asked,
        )  # fmt: skip
        if not room:
            return GROW_TREES
        if asked[0] + asked[1] == 0:
            return DONE
        _situate(q, 0, S, meta, rank, waiting[0], asked[0])
        if not think(m, s, r, q, oare, win, runs, waiting[0], asked[0]):
            return GROW_SEARCH
        _situate(q, 1, S, meta, rank, waiting[1], asked[1])
        if not think(other, s, r, q, other_oare, other_win, runs, waiting[1], asked[1]):
            return GROW_SEARCH
        # only now, so that nobody's table runs ahead when a search has to be repeated with more room
        apply_choices(m, 0, S, meta, history, stats, waiting[0], asked[0])
        apply_choices(other, 1, S, meta, history, stats, waiting[1], asked[1])


@njit(counted=False)
def draw_run_outs(
    runs, c, tables, hand_keys, hole, board, state, strengths, flop, flop_row, flop_perm, turn, turn_row, turn_perm
):  # fmt: skip
    """Run-outs of waiting decisions as entries 0, 1, ...; False when there is no room."""
    runs.used[:] = 0
    for i in range(tables.shape[0]):
        street = state[i, STREET]
        key = run_out_key(hand_keys[i], street)
        if not fill(
            runs, c, i, key, hole[i, 0], hole[i, 1], board[i], street, strengths[i], flop, flop_row, flop_perm, turn,
            turn_row, turn_perm,
        ):  # fmt: skip
            return False
    return True


@njit(counted=False)
def answers(m, s, r, q, oare, win, runs, tables, kinds, totals):
    """Think at the waiting tables and write the actions; False when `q` must grow first."""
    for i in range(tables.shape[0]):
        q.at_table[tables[i], STEM] = i
    if not think(m, s, r, q, oare, win, runs, tables, tables.shape[0]):
        return False
    for i in range(tables.shape[0]):
        kinds[i], totals[i] = answer(m, tables[i])
    return True
