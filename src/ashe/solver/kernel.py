"""Compiled external-sampling Monte-Carlo CFR (Lanctot et al. 2009) on a flat game.

One traversal, for a deal and a traversing player:
1. At the other player's nodes: play by regret matching, one action sampled; add the strategy, times the iteration's
   weight, to the average (a node is reached as often as its player's own choices lead there, so no further factor).
2. At own nodes: try every action, then regret[a] += weight * (value of a - value of the node's strategy).
3. Pruning (Brown and Sandholm 2015): in most traversals an action whose regret is far below zero is skipped, except
   where it ends the hand; its regret then stays. Traversals that prune nothing let it come back.

Weights grow linearly with the iteration (Linear CFR, Brown and Sandholm 2019), which forgets the bad early play. The
recursion is an explicit stack inside one function, because helpers that take arrays are slow in compiled code.
"""

import numpy as np

from ashe.cards.random import mix64
from ashe.jit import njit
from ashe.solver.tree import MAX_ACTIONS, MAX_DEPTH

_S11, _S13, _S7, _S17 = np.uint64(11), np.uint64(13), np.uint64(7), np.uint64(17)
_UNIT = 2.0**-53


@njit(nogil=True)
def traverse(
    player, rounds, actions, edge, base, child, value, showdown, closed,
    buckets, outcome, regret, average, weight, average_weight, prune_below, prune_share, key,
):  # fmt: skip
    """Both players' traversals of every deal; returns the nodes visited. `regret` and `average` change in place."""
    strategy = np.empty((MAX_DEPTH, MAX_ACTIONS), np.float64)
    values = np.empty((MAX_DEPTH, MAX_ACTIONS), np.float64)
    tried = np.empty((MAX_DEPTH, MAX_ACTIONS), np.bool_)
    at_node = np.empty(MAX_DEPTH, np.int64)
    at_slot = np.empty(MAX_DEPTH, np.int64)
    at_action = np.empty(MAX_DEPTH, np.int64)
    here = np.empty(MAX_ACTIONS, np.float64)
    visited = 0
    for i in range(buckets.shape[0]):
        for me in range(2):
            state = mix64(key, np.uint64(2 * i + me)) | np.uint64(1)
            state ^= state << _S13
            state ^= state >> _S7
            state ^= state << _S17
            prune = np.float64(state >> _S11) * _UNIT < prune_share
            sign = 1.0 if me == 0 else -1.0
            depth = 0
            node = np.int64(0)
            result = 0.0
            while True:
                # Go down from `node` to an end of the hand.
                while node >= 0:
                    visited += 1
                    n = np.int64(actions[node])
                    actor = player[node]
                    slot = base[node] + np.int64(buckets[i, actor, rounds[node]]) * n
                    total = 0.0
                    for a in range(n):
                        r = np.float64(regret[slot + a])
                        here[a] = r if r > 0.0 else 0.0
                        total += here[a]
                    if total > 0.0:
                        scale = 1.0 / total
                        for a in range(n):
                            here[a] *= scale
                    else:
                        for a in range(n):
                            here[a] = 1.0 / n
                    first = np.int64(edge[node])
                    if actor != me:
                        state ^= state << _S13
                        state ^= state >> _S7
                        state ^= state << _S17
                        left = np.float64(state >> _S11) * _UNIT
                        choice = n - 1
                        for a in range(n):
                            average[slot + a] += np.float32(average_weight * here[a])
                        for a in range(n - 1):
                            left -= here[a]
                            if left < 0.0:
                                choice = np.int64(a)
                                break
                        node = np.int64(child[first + choice])
                        continue
                    for a in range(n):
                        strategy[depth, a] = here[a]
                        tried[depth, a] = not (
                            prune and np.float64(regret[slot + a]) < prune_below and child[first + a] >= 0
                        )
                    at_node[depth] = node
                    at_slot[depth] = slot
                    a = 0
                    while a < n and not tried[depth, a]:
                        a += 1
                    if a == n:  # everything pruned: look at everything
                        for a in range(n):
                            tried[depth, a] = True
                        a = 0
                    at_action[depth] = a
                    depth += 1
                    node = np.int64(child[first + a])
                end = -1 - node
                result = sign * np.float64(value[end])
                if showdown[end]:
                    result *= np.float64(outcome[i, closed[end]])
                # Go up until an action is left to try.
                while depth > 0:
                    d = depth - 1
                    node = at_node[d]
                    n = np.int64(actions[node])
                    a = at_action[d]
                    values[d, a] = result
                    a += 1
                    while a < n and not tried[d, a]:
                        a += 1
                    if a < n:
                        at_action[d] = a
                        node = np.int64(child[np.int64(edge[node]) + a])
                        break
                    # Pruned actions have no positive regret, so strategy 0.
                    result = 0.0
                    for a in range(n):
                        if tried[d, a]:
                            result += strategy[d, a] * values[d, a]
                    slot = at_slot[d]
                    for a in range(n):
                        if tried[d, a]:
                            regret[slot + a] += np.float32(weight * (values[d, a] - result))
                    depth = d
                if depth == 0:
                    break
    return visited


@njit(nogil=True)
def probabilities(actions, rounds, base, buckets, sums, floor, out):
    """Probabilities of all information sets from their sums, negative ones counting as 0.

    Probabilities below `floor` are dropped (never the largest). Without any positive sum an information set gets equal
    probabilities.
    """
    for node in range(actions.shape[0]):
        n = np.int64(actions[node])
        for bucket in range(buckets[rounds[node]]):
            slot = base[node] + bucket * n
            total = 0.0
            top = 0.0
            for a in range(n):
                x = max(np.float64(sums[slot + a]), 0.0)
                total += x
                top = max(top, x)
            if total <= 0.0:
                for a in range(n):
                    out[slot + a] = 1.0 / n
                continue
            limit = min(floor * total, top)
            kept = 0.0
            for a in range(n):
                if sums[slot + a] >= limit and sums[slot + a] > 0.0:
                    kept += np.float64(sums[slot + a])
            for a in range(n):
                stays = sums[slot + a] >= limit and sums[slot + a] > 0.0
                out[slot + a] = np.float64(sums[slot + a]) / kept if stays else 0.0
