"""Best responses inside the abstract game of hold'em, learned board by board with all hands at once.

`respond` walks the whole tree for one sampled board. The solved strategy plays one seat; every hand it may hold keeps
its own probability of having come this way (`reach`). The responder, in the other seat, learns the value of each action
for every hand it may hold, at once and exactly for this board: its regrets then concern its buckets, as in the solver.
Compared with single deals, a board says a million times as much and costs ten thousand times as much.

The responder sees buckets only and bets only the tree's sizes, so the result is a statement about the abstract game.
Branches that no hand of the strategy plays are skipped: they are worth nothing to anybody.
"""

import numpy as np

from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.jit import njit
from ashe.solver.tree import MAX_ACTIONS

DEPTH = 48  # decisions on a path


@njit(nogil=True)
def fold_values(reach, low, high, value, out):
    """value * probability that the other hand is possible, for every hand."""
    total = 0.0
    with_card = np.zeros(52)
    for h in range(reach.shape[0]):
        total += reach[h]
        with_card[low[h]] += reach[h]
        with_card[high[h]] += reach[h]
    for h in range(reach.shape[0]):
        out[h] = value * (total - with_card[low[h]] - with_card[high[h]] + reach[h])


@njit(nogil=True)
def showdown_values(reach, low, high, order, group, value, out):
    """value * (hands beaten - hands that beat it), for every hand.

    `order` sorts the hands from the strongest to the weakest; `group[i]` is the end of the i-th one's group of equals.
    """
    n = reach.shape[0]
    total = 0.0
    with_card, passed_with = np.zeros(52), np.zeros(52)
    for h in range(n):
        total += reach[h]
        with_card[low[h]] += reach[h]
        with_card[high[h]] += reach[h]
    passed = 0.0  # the hands stronger than the present group
    start = 0
    while start < n:
        end = group[start]
        for i in range(start, end):
            h = order[i]
            out[h] = -(passed - passed_with[low[h]] - passed_with[high[h]])
        for i in range(start, end):
            h = order[i]
            passed += reach[h]
            passed_with[low[h]] += reach[h]
            passed_with[high[h]] += reach[h]
        for i in range(start, end):
            h = order[i]
            a, b = low[h], high[h]
            beaten = (total - passed) - (with_card[a] - passed_with[a]) - (with_card[b] - passed_with[b])
            out[h] = value * (out[h] + beaten)
        start = end


@njit(nogil=True)
def respond(
    player, rounds, actions, edge, base, child, value, showdown, closed,
    me, buckets, low, high, order, group, strategy, regret, weight, greedy,
):  # fmt: skip
    """What player `me` wins per hand on this board; with a weight, `regret` learns as well.

    `buckets` [4, hands]; `me` plays by regret matching on `regret`, greedily if `greedy`.
    """
    H = low.shape[0]
    reach = np.zeros((DEPTH, H), np.float64)
    values = np.zeros((DEPTH, H), np.float64)  # value of the node at a depth, per hand of `me`
    kept = np.zeros((DEPTH, MAX_ACTIONS, H), np.float64)  # value of each action at own nodes
    mix = np.zeros((DEPTH, MAX_ACTIONS, H), np.float64)  # own probabilities
    at_node, at_action = np.zeros(DEPTH, np.int64), np.zeros(DEPTH, np.int64)
    reach[0, :] = 1.0 / (1081 * 990)
    sign = 1.0 if me == 0 else -1.0
    depth = 0
    at_node[0] = 0
    at_action[0] = -1
    while depth >= 0:
        node = at_node[depth]
        n = np.int64(actions[node])
        own = player[node] == me
        a = at_action[depth]
        if a < 0:  # the first visit
            values[depth, :] = 0.0
            if own:
                for h in range(H):
                    slot = base[node] + np.int64(buckets[rounds[node], h]) * n
                    total, best = 0.0, 0
                    for k in range(n):
                        total += max(np.float64(regret[slot + k]), 0.0)
                        if regret[slot + k] > regret[slot + best]:
                            best = k
                    for k in range(n):
                        if greedy:
                            mix[depth, k, h] = np.float64(k == best)
                        elif total > 0.0:
                            mix[depth, k, h] = max(np.float64(regret[slot + k]), 0.0) / total
                        else:
                            mix[depth, k, h] = 1.0 / n
        a += 1
        if a == n:
            if own and weight > 0.0:
                for h in range(H):
                    slot = base[node] + np.int64(buckets[rounds[node], h]) * n
                    for k in range(n):
                        gain = kept[depth, k, h] - values[depth, h]
                        regret[slot + k] += np.float32(weight * gain)
            depth -= 1
            if depth >= 0:  # hand the value up
                _give(values[depth], kept[depth], mix[depth], at_action[depth], player[at_node[depth]] == me,
                      values[depth + 1])  # fmt: skip
            continue
        at_action[depth] = a
        after = np.int64(child[np.int64(edge[node]) + a])
        below = depth + 1
        left = 0.0
        if own:
            for h in range(H):
                reach[below, h] = reach[depth, h]
                left += mix[depth, a, h]
            if weight == 0.0 and left == 0.0:  # not played, and nothing to learn
                continue
        else:
            for h in range(H):
                slot = base[node] + np.int64(buckets[rounds[node], h]) * n
                reach[below, h] = reach[depth, h] * np.float64(strategy[slot + a])
                left += reach[below, h]
            if left <= 1e-12:
                continue
        if after >= 0:
            at_node[below] = after
            at_action[below] = -1
            depth = below
            continue
        end = -1 - after
        if showdown[end]:
            showdown_values(reach[below], low, high, order, group, np.float64(value[end]), values[below])
        else:
            fold_values(reach[below], low, high, sign * np.float64(value[end]), values[below])
        _give(values[depth], kept[depth], mix[depth], a, own, values[below])
    won = 0.0
    for h in range(H):
        won += values[0, h]
    return won


@njit(nogil=True)
def _give(node_values, kept, mix, a, own, found):
    """Add an action's values to those of its node: times the own probability, or as they are (the reach has it)."""
    if own:
        for h in range(found.shape[0]):
            kept[a, h] = found[h]
            node_values[h] += mix[a, h] * found[h]
    else:
        for h in range(found.shape[0]):
            node_values[h] += found[h]


@njit(nogil=True)
def river_order(ranks, order, group):
    """Hands from the strongest on, and the end of each place's group of equals."""
    order[:] = np.argsort(ranks)
    n = ranks.shape[0]
    start = 0
    while start < n:
        end = start + 1
        while end < n and ranks[order[end]] == ranks[order[start]]:
            end += 1
        for i in range(start, end):
            group[i] = end
        start = end


@njit(nogil=True)
def hand_ranks(b0, b1, b2, b3, b4, low, high, out):
    """Showdown rank of each hand, lower is better."""
    key = START_KEY + CARD_KEY[b0] + CARD_KEY[b1] + CARD_KEY[b2] + CARD_KEY[b3] + CARD_KEY[b4]
    mask = CARD_MASK[b0] + CARD_MASK[b1] + CARD_MASK[b2] + CARD_MASK[b3] + CARD_MASK[b4]
    for h in range(low.shape[0]):
        out[h] = rank_of(key + CARD_KEY[low[h]] + CARD_KEY[high[h]], mask + CARD_MASK[low[h]] + CARD_MASK[high[h]])
