"""Pattern Recognition Trees (D 5.1) as one pool of nodes in flat arrays.

Every table has two trees, one per position. A node is a sequence of actions after which somebody must act; actions
that end the hand lead nowhere, so leaves are not stored. Node 0 is "not visited yet": all its counts are 0.

After a hand each node on its path counts (spec, section 5)

    f      visits
    c_sd   of these, hands that went to a showdown
    c_of   of these, hands in which the opponent folded later
    s      mean EHS of the opponent's revealed cards over the showdowns, on the board of the node's street
    next   what the opponent did next, by edge (c_f, c_c, c_b1..c_b7 of ASHE 2.2; kept where the opponent is to act)

Resetting all trees is setting `used` to 1: a node is cleared when it is handed out again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError
from ashe.jit import njit
from ashe.trees.edges import SLOTS

NONE = 0  # no such node
VISITS, SHOWDOWNS, FOLDS_LATER = 0, 1, 2


class Trees(NamedTuple):
    """The pool: `used[0]` nodes are taken."""

    child: NDArray[np.int32]  # [N, 9]
    counts: NDArray[np.int32]  # [N, 3]: f, c_sd, c_of
    strength: NDArray[np.float64]  # [N]: sum of the opponent's EHS over showdowns
    following: NDArray[np.int32]  # [N, 9], or [0, 9] where next actions are not counted
    used: NDArray[np.int64]  # [1]

    @property
    def capacity(self) -> int:
        return len(self.child)


def new_trees(capacity: int, next_actions: bool = False) -> Trees:
    """An empty pool; `next_actions` keeps the counters of ASHE 2.2."""
    if capacity < 2:
        raise UserError(f"a pool of {capacity} nodes holds no tree; give at least 2")
    return Trees(
        np.zeros((capacity, SLOTS), np.int32),
        np.zeros((capacity, 3), np.int32),
        np.zeros(capacity, np.float64),
        np.zeros((capacity if next_actions else 0, SLOTS), np.int32),
        np.ones(1, np.int64),
    )


def grown(trees: Trees, capacity: int) -> Trees:
    """A larger pool with the same nodes."""
    larger = new_trees(capacity, len(trees.following) > 0)
    n = int(trees.used[0])
    larger.child[:n], larger.counts[:n], larger.strength[:n] = trees.child[:n], trees.counts[:n], trees.strength[:n]
    larger.following[:n] = trees.following[:n]
    larger.used[0] = n
    return larger


@njit(counted=False)
def reset(trees):
    """Forget everything, at once for all tables."""
    trees.used[0] = 1


@njit(counted=False)
def new_node(trees):
    """An empty node; the caller has seen to it that there is room."""
    node = trees.used[0]
    trees.used[0] = node + 1
    for slot in range(SLOTS):
        trees.child[node, slot] = NONE
    for k in range(3):
        trees.counts[node, k] = 0
    trees.strength[node] = 0.0
    if trees.following.shape[0] > 0:
        for slot in range(SLOTS):
            trees.following[node, slot] = 0
    return node


@njit(counted=False)
def visit(trees, node, slot):
    """The child of `node` along an edge, added when first visited."""
    child = np.int64(trees.child[node, slot])
    if child == NONE:
        child = new_node(trees)
        trees.child[node, slot] = child
    return child


@njit
def update(trees, nodes, streets, slots, length, showdown, folded, opponent_ehs):
    """Count a finished hand on its path of `length` nodes.

    `streets[k]` is node k's street, `slots[k]` the edge the opponent took from it (-1: it was not the opponent's turn),
    `opponent_ehs` [4] the revealed hand's EHS by street (read after a showdown only).
    """
    for k in range(length):
        node = nodes[k]
        trees.counts[node, VISITS] += 1
        if showdown:
            trees.counts[node, SHOWDOWNS] += 1
            trees.strength[node] += opponent_ehs[streets[k]]
        if folded:
            trees.counts[node, FOLDS_LATER] += 1
        if slots[k] >= 0 and trees.following.shape[0] > 0:
            trees.following[node, slots[k]] += 1


def pruned(trees: Trees, roots: NDArray[np.int32], reliable: int) -> tuple[Trees, NDArray[np.int32]]:
    """The trees of `roots` [2] without what no reader of default trees can tell from a missing node.

    Nodes with at most `reliable` visits count as never visited, and nodes below them have no more visits. Board nodes
    count nothing themselves, so a node stays if it or any node below it is reliable. Roots stay.
    """
    order = [int(root) for root in roots if root != NONE]
    for node in order:  # parents before children; the list grows as it is read
        order += [int(child) for child in trees.child[node] if child != NONE]
    keep = np.zeros(trees.capacity, bool)
    keep[[int(root) for root in roots if root != NONE]] = True
    for node in reversed(order):
        keep[node] |= trees.counts[node, VISITS] > reliable or keep[trees.child[node]].any()
    kept = np.array([NONE, *(node for node in order if keep[node])], np.int64)
    number = np.zeros(trees.capacity, np.int32)
    number[kept] = np.arange(len(kept))
    following = trees.following[kept] if len(trees.following) else trees.following
    smaller = Trees(
        number[trees.child[kept]], trees.counts[kept], trees.strength[kept], following, np.array([len(kept)], np.int64)
    )
    return smaller, number[roots]


def to_arrays(trees: Trees, roots: NDArray[np.int32]) -> dict[str, NDArray[np.generic]]:
    """What to save of a pool and its roots; `from_arrays` reads it."""
    n = int(trees.used[0])
    return {
        "child": trees.child[:n].copy(),
        "counts": trees.counts[:n].copy(),
        "strength": trees.strength[:n].copy(),
        "following": trees.following[:n].copy(),
        "roots": roots.copy(),
    }


def from_arrays(arrays: dict[str, NDArray[np.generic]]) -> tuple[Trees, NDArray[np.int32]]:
    """(pool, roots) of saved arrays, refused when they do not fit together."""
    missing = {"child", "counts", "strength", "following", "roots"} - arrays.keys()
    if missing:
        raise UserError(f"saved trees lack {', '.join(sorted(missing))}; write them with ashe.trees.prt.to_arrays")
    child = np.asarray(arrays["child"], np.int32)
    n = len(child)
    count, following = np.asarray(arrays["counts"], np.int32), np.asarray(arrays["following"], np.int32)
    strength, roots = np.asarray(arrays["strength"], np.float64), np.asarray(arrays["roots"], np.int32)
    fits = child.shape == (n, SLOTS) and count.shape == (n, 3) and strength.shape == (n,)
    if not fits or following.shape not in ((n, SLOTS), (0, SLOTS)) or not n:
        raise UserError(f"saved trees are damaged: {n} nodes, but counts {count.shape}, strengths {strength.shape}")
    if min(child.min(), roots.min()) < 0 or max(child.max(), roots.max()) >= n:
        raise UserError(f"saved trees are damaged: they name nodes outside 0..{n - 1}")
    return Trees(child, count, strength, following, np.array([n], np.int64)), roots
