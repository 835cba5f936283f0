"""Betting games as flat arrays: all the solver knows of Kuhn, Leduc and no-limit hold'em.

A game here is two players, zero-sum, with betting that does not depend on the cards. Its *tree* is that of the public
actions only. What the cards decide is given per deal (see `Deals`): the bucket of either player's cards in each round,
and what player 0 wins of the matched chips at a showdown. An information set is a (node, bucket of the player to act);
its actions have consecutive places in one long array, starting at `base[node] + bucket * actions`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

MAX_ACTIONS = 12  # at one node
MAX_DEPTH = 128  # decisions of one player on a path


class Terminal(NamedTuple):
    """The end of a hand: player 0 gets `value` when somebody folded, `value` times the deal's outcome at a showdown."""

    value: float
    showdown: bool
    round: int  # in which the betting ended


class Decision(NamedTuple):
    player: int
    round: int
    actions: Sequence[tuple[Any, Any]]  # (label, next state)


class Tree(NamedTuple):
    """Arrays over decision nodes (0 is the root), over edges and over terminals."""

    player: NDArray[np.int8]  # [nodes]
    round: NDArray[np.int8]  # [nodes]
    actions: NDArray[np.int8]  # [nodes] how many
    edge: NDArray[np.int32]  # [nodes] first edge; edge[n] + a is action a
    base: NDArray[np.int64]  # [nodes] first place of the node's information sets
    child: NDArray[np.int32]  # [edges] node, or -1 - terminal
    value: NDArray[np.float32]  # [terminals]
    showdown: NDArray[np.int8]  # [terminals] 1: times the outcome of `closed`
    closed: NDArray[np.int8]  # [terminals] round in which the betting ended

    @property
    def nodes(self) -> int:
        return len(self.player)

    def places(self, buckets: Sequence[int]) -> int:
        """Length of an array over all information sets and their actions."""
        last = self.nodes - 1
        return int(self.base[last]) + int(self.actions[last]) * buckets[int(self.round[last])]


class Deals(NamedTuple):
    """What chance decides, for n hands."""

    buckets: NDArray[np.int32]  # [n, 2, rounds]
    outcome: NDArray[np.float32]  # [n, rounds] player 0's share of the matched chips, -1 to 1, by round of the last bet


class Sampler(Protocol):
    """The chance of a game."""

    @property
    def buckets(self) -> tuple[int, ...]:
        """Per round."""
        ...

    def sample(self, key: int, count: int) -> Deals:
        """`count` deals, a function of the key."""
        ...


def grow(root: Any, expand: Callable[[Any], Decision | Terminal], buckets: Sequence[int]) -> tuple[Tree, list[Any]]:
    """The tree of all states that `expand` reaches from `root`, in depth-first order, and the labels of its edges."""
    player: list[int] = []
    rounds: list[int] = []
    count: list[int] = []
    edge: list[int] = []
    child: list[int] = []
    labels: list[Any] = []
    ends: list[Terminal] = []
    todo: list[tuple[Any, int]] = [(root, -1)]  # a state and the edge that leads to it
    while todo:
        state, via = todo.pop()
        found = expand(state)
        if isinstance(found, Terminal):
            ends.append(found)
            child[via] = -len(ends)
            continue
        if via >= 0:
            child[via] = len(player)
        player.append(found.player)
        rounds.append(found.round)
        count.append(len(found.actions))
        edge.append(len(child))
        first = len(child)
        child += [0] * len(found.actions)
        labels += [label for label, _ in found.actions]
        todo += [(after, first + a) for a, (_, after) in reversed(list(enumerate(found.actions)))]
    if max(count) > MAX_ACTIONS:
        raise ValueError(f"a node has {max(count)} actions; at most {MAX_ACTIONS} are supported")
    sizes = np.array(count, np.int64) * np.array(buckets, np.int64)[rounds]
    tree = Tree(
        player=np.array(player, np.int8),
        round=np.array(rounds, np.int8),
        actions=np.array(count, np.int8),
        edge=np.array(edge, np.int32),
        base=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
        child=np.array(child, np.int32),
        value=np.array([t.value for t in ends], np.float32),
        showdown=np.array([t.showdown for t in ends], np.int8),
        closed=np.array([t.round for t in ends], np.int8),
    )
    return tree, labels
