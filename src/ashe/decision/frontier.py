"""Working memory of Recursive Utility Estimation: what is searched at one time, as flat arrays (see `rue`).

*Lines* are betting states: a table, an engine row, the tree nodes from which the next action leads on. *Views* are
lines with a group of run-outs: what ASHE would know of the cards there; only SWRE and HRE, which see EHS, tell views of
a line apart. *Rows* are OARE's steps; lines that differ only in the board's cluster share one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.game.engine import WIDTH
from ashe.jit import njit
from ashe.trees.edges import SLOTS
from ashe.trees.features import WIDE_ROW

CLUSTERS = 7  # most clusters of a street

# What an action leads to (`CODE`).
ABSENT = 0  # not to be had
FIXED = 1  # somebody folded: CHIPS
SHARE = 2  # a showdown, or taken for one: (2p - 1) * CHIPS
RAISED = 3  # an own raise to a node that nothing is known of: the 2.0 rule, with OARE's fold output
NODE = 4  # a node to visit

# `Search.used`
LINES, VIEWS, ROWS = 0, 1, 2
# `Search.work`
SEARCHES, OARE_STEPS, WIN_STEPS, OARE_CALLS, WIN_CALLS, KERNEL_TICKS, DEPTHS = 0, 1, 2, 3, 4, 5, 6
COUNTERS = 7


class RueChoices(NamedTuple):
    """Choices of ASHE 2.2 and 2.3 that compiled code reads, besides `ashe2_mind.Settings`."""

    hre: int  # 1: HRE instead of SWRE
    min_reach: float  # nodes reached with less probability are not visited
    budget: int  # nodes visited per decision; 0: no limit
    search_unknown: int  # so many actions ahead nodes that no tree knows are visited, too
    use_truth: int  # 1: p_win is the hand's true result


# Columns of `Search.line` after those of an engine row.
TABLE, SEAT, AT, DEFAULT_AT, ROW = WIDTH, WIDTH + 1, WIDTH + 2, WIDTH + 3, WIDTH + 4
LINE_WIDTH = WIDTH + 5
# Of `Search.act`: what a line's action leads to.
CODE = 0
TO = 1  # street total of a raise
THERE, DEFAULT_THERE = 2, 3  # nodes
DEALS = 4  # 1: cards come and the node is known, so its views split
CHILD_ROW = 5  # OARE's row there, -1: none
CHILD_LINE = 6  # + cluster: the line there, -1: none
ACT_WIDTH = CHILD_LINE + CLUSTERS
# Of `Search.worth`, floats of the same.
CHIPS = 0
OTHER = 1  # own raise: won by a fold; otherwise what ASHE's folding there costs
GUESS = 2  # own raise: fold probability by counts
# Of `Search.views`.
LINE, GROUP = 0, 1
# Of `Search.belief`, floats of the same.
REACH, P, VALUE = 0, 1, 2
# Of `Search.next`: views that an action of a view leads to.
FIRST_VIEW = 0
VIEW_COUNT = 1  # 0: cut, -1: a RAISED node whose fold probability OARE tells
# Of `Search.candidate`, with their reach in `candidate_reach`.
OF_VIEW, OF_SLOT, COST, KEEP = 0, 1, 2, 3
# Of `Search.at_table`.
STEM = 0  # entry of the run-outs of the table's decision, set by the caller
LEFT = 1  # nodes that may still be visited


class Search(NamedTuple):
    """N lines, M views, R rows of a depth, O rows in all. Few arrays: compiled functions pay for each they pass on."""

    at_table: NDArray[np.int64]  # [T, 2]
    truth: NDArray[np.float64]  # [T] 1, 0 or 0.5: who would win a showdown, set by the caller, for `use_truth`
    used: NDArray[np.int64]  # [3]
    work: NDArray[np.int64]  # [COUNTERS]
    line: NDArray[np.int64]  # [N, LINE_WIDTH]; the last one is working memory
    act: NDArray[np.int64]  # [N, 9, ACT_WIDTH]
    worth: NDArray[np.float64]  # [N, 9, 3]
    views: NDArray[np.int64]  # [M, 2]
    belief: NDArray[np.float64]  # [M, 3]
    next: NDArray[np.int64]  # [M, 9, 2]
    prob: NDArray[np.float64]  # [O, 9] OARE's answers
    wide: NDArray[np.float32]  # [R, WIDE_ROW] features of the rows of one depth
    legal: NDArray[np.int64]  # [R, 10] legal actions; in the last column, whether the opponent acts, so OARE is asked
    base: NDArray[np.float64]  # [R, 9] first guesses
    candidate: NDArray[np.int64]  # [C, 4] of one depth
    candidate_reach: NDArray[np.float64]  # [C]


ASKS = SLOTS  # the last column of `Search.legal`


def new_search(tables: int, nodes: int) -> Search:
    """Room for `nodes` views, rows and lines each."""
    return Search(
        at_table=np.zeros((tables, 2), np.int64),
        truth=np.zeros(tables, np.float64),
        used=np.zeros(3, np.int64),
        work=np.zeros(COUNTERS, np.int64),
        line=np.zeros((nodes, LINE_WIDTH), np.int64),
        act=np.zeros((nodes, SLOTS, ACT_WIDTH), np.int64),
        worth=np.zeros((nodes, SLOTS, 3)),
        views=np.zeros((nodes, 2), np.int64),
        belief=np.zeros((nodes, 3)),
        next=np.zeros((nodes, SLOTS, 2), np.int64),
        prob=np.zeros((nodes, SLOTS)),
        wide=np.zeros((nodes, WIDE_ROW), np.float32),
        legal=np.zeros((nodes, SLOTS + 1), np.int64),
        base=np.zeros((nodes, SLOTS)),
        candidate=np.zeros((SLOTS * nodes, 4), np.int64),
        candidate_reach=np.zeros(SLOTS * nodes),
    )


def larger(q: Search, nodes: int) -> Search:
    """More room; only what belongs to tables is kept."""
    new = new_search(len(q.truth), nodes)
    for name in ("at_table", "truth", "work"):
        getattr(new, name)[:] = getattr(q, name)
    return new


def nodes_of(q: Search) -> int:
    return len(q.line)


@njit(counted=False)
def has_room(q, oare, win, n, cost):
    """Whether n more candidates with so many views fit."""
    most = min(oare.state.shape[1], win.state.shape[1], q.wide.shape[0])
    return (
        max(n, cost) <= most
        and q.used[ROWS] + n <= q.prob.shape[0]
        and q.used[VIEWS] + cost <= q.views.shape[0]
        and q.used[LINES] + cost + 1 <= q.line.shape[0]
    )


@njit(counted=False)
def next_depth(q, bounds):
    """The depth just made becomes the last one."""
    for k in range(3):
        bounds[k] = bounds[k + 3]
    bounds[3], bounds[4], bounds[5] = q.used[ROWS], q.used[VIEWS], q.used[LINES]
