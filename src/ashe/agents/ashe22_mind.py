"""The mind of ASHE 2.2 and 2.3, compiled: the trees and paths of `ashe2_mind`, OARE and SWRE or HRE, and RUE.

A mind follows hands and learns as ASHE 2.0's does (`begin_hand`, `follow`, `learn`). To think is (1) to bring both
estimators up to the current node at all waiting tables, (2) to search, a few tables at a time so that the states of
one depth stay in the cache (`decision.rue`), and (3) to take the action of highest utility.
"""

import numpy as np

from ashe.agents.ashe2_mind import DECISIONS, KERNEL, THINK
from ashe.decision.beliefs import range_probabilities
from ashe.decision.frontier import ABSENT, CODE, STEM, TO
from ashe.decision.rue import equity, search
from ashe.decision.runouts import ROOT
from ashe.decision.utility import best
from ashe.estimators.rows import ORDER, SOURCE, WHO, initial_path, step_paths
from ashe.game.engine import STREET
from ashe.jit import njit
from ashe.ticks import ticks
from ashe.trees.edges import FIRST_RAISE, OWN_RAISES, SLOTS
from ashe.trees.features import STRENGTH

WIN, OARE = 0, 1  # columns of `Mind.done`
BATCH = 8  # tables searched together


@njit(counted=False)
def _advance(m, bank, e, tables, count, outputs):
    """Bring estimator `e` up to the current node at the waiting tables."""
    while True:
        n = 0
        for i in range(count):
            t = tables[i]
            k = m.done[t, e]
            if k >= m.length[t]:
                continue
            if k == 0:
                initial_path(bank, t // bank.lanes, t)
            for j in range(bank.inputs):
                bank.path_x[t, j] = m.rows[t, k, bank.features[j]]
            bank.numbers[WHO, t] = t // bank.lanes
            bank.numbers[SOURCE, t] = t
            bank.numbers[ORDER, n] = t
            m.done[t, e] = k + 1
            n += 1
        if n == 0:
            return
        began = ticks()
        step_paths(bank, n, outputs)
        m.work[KERNEL] += ticks() - began
        m.work[e + 1] += n


@njit
def think(m, s, r, q, oare, win, runs, tables, count):
    """Decide at the waiting `tables[:count]` (ascending) with the run-outs `STEM`; False: `q` needs more room first.

    Then call again; nothing has been decided.
    """
    began = ticks()
    _advance(m, win, WIN, tables, count, True)
    _advance(m, oare, OARE, tables, count, False)
    work = np.empty(SLOTS)
    for i in range(count):
        t = tables[i]
        group, strength = runs.entry[q.at_table[t, STEM], ROOT], np.float64(m.rows[t, m.length[t] - 1, STRENGTH])
        m.p[t] = equity(s, r, q, runs, t, group, m.V[t, STREET], strength, win.path_out[t], work)
        m.output[t, 0] = win.path_out[t, 0]
    for first in range(0, count, BATCH):
        n = min(BATCH, count - first)
        if not search(m, s, r, q, oare, win, runs, tables[first : first + n], n):
            return False
        for i in range(n):
            t = tables[first + i]
            for k in range(OWN_RAISES):
                m.to[t, k] = q.act[i, FIRST_RAISE + k, TO] if q.act[i, FIRST_RAISE + k, CODE] != ABSENT else 0
            m.choice[t] = best(m.u[t])
    m.work[DECISIONS] += count
    m.work[THINK] += ticks() - began
    return True


@njit(counted=False)
def predicted_ranges(m, s, win, tables, out):
    """HRE's interval probabilities after the whole path so far at `tables`, into `out` [n, 9]."""
    _advance(m, win, WIN, tables, tables.shape[0], True)
    for i in range(tables.shape[0]):
        t = tables[i]
        range_probabilities(s.head, win.path_out[t], np.float64(m.rows[t, m.length[t] - 1, STRENGTH]), out[i])
