"""Exact values and best responses in games whose deals can be listed.

The best response maximises at every information set of its player, so it needs perfect recall; Kuhn and Leduc with
their buckets have it. Values are chips per hand.
"""

import numpy as np
from numpy.typing import NDArray

from ashe.solver.tree import Deals, Tree

Strategy = NDArray[np.float32]


def expected_value(tree: Tree, deals: Deals, strategy: Strategy) -> float:
    """What player 0 wins when both play `strategy`."""
    reach = np.full(len(deals.outcome), 1.0 / len(deals.outcome))

    def visit(node: int, reach: NDArray[np.float64]) -> float:
        if node < 0:
            return float((reach * terminal_values(tree, deals, node)).sum())
        n, first = int(tree.actions[node]), int(tree.edge[node])
        slots = slots_of(tree, deals, node)
        return sum(visit(int(tree.child[first + a]), reach * strategy[slots + a]) for a in range(n))

    return visit(0, reach)


def best_response_value(tree: Tree, deals: Deals, strategy: Strategy, player: int) -> float:
    """What `player` wins at most against the other's part of `strategy`."""
    sign = 1.0 if player == 0 else -1.0

    def visit(node: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value per deal, weighted by chance and by the other player's choices."""
        if node < 0:
            return sign * reach * terminal_values(tree, deals, node)
        n, first = int(tree.actions[node]), int(tree.edge[node])
        slots = slots_of(tree, deals, node)
        if tree.player[node] != player:
            parts = [visit(int(tree.child[first + a]), reach * strategy[slots + a]) for a in range(n)]
            return np.sum(parts, axis=0)
        parts = [visit(int(tree.child[first + a]), reach) for a in range(n)]
        sets, member = np.unique(slots, return_inverse=True)
        sums = np.array([np.bincount(member, part, len(sets)) for part in parts])
        return np.array(parts)[sums.argmax(axis=0)[member], np.arange(len(slots))]

    count = len(deals.outcome)
    return float(visit(0, np.full(count, 1.0 / count)).sum())


def exploitability(tree: Tree, deals: Deals, strategy: Strategy) -> float:
    """Half of what both best responses win in total (OpenSpiel's definition)."""
    return (best_response_value(tree, deals, strategy, 0) + best_response_value(tree, deals, strategy, 1)) / 2


def slots_of(tree: Tree, deals: Deals, node: int) -> NDArray[np.int64]:
    """Place of the actor's information set, per deal."""
    buckets = deals.buckets[:, tree.player[node], tree.round[node]].astype(np.int64)
    return int(tree.base[node]) + buckets * int(tree.actions[node])


def terminal_values(tree: Tree, deals: Deals, node: int) -> NDArray[np.float64]:
    end = -1 - node
    value = float(tree.value[end])
    if not tree.showdown[end]:
        return np.full(len(deals.outcome), value)
    return value * deals.outcome[:, int(tree.closed[end])].astype(np.float64)
