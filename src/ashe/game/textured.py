"""Decks whose boards come from every texture cluster equally often, for preliminary sessions (spec, section 6).

Street by street, from the deck's own random numbers:

1. a cluster of flops, each with probability 1/5, and a flop of it, all equally likely;
2. a cluster of turns among those that some card leads to, each equally likely, and one of the cards that lead there;
3. the river likewise;
4. hole cards from what is left of the deck, all equally likely.

So every flop cluster comes equally often, and later ones as equally as the earlier cards allow (no card makes trips out
of an unpaired flop).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ashe.cards.clusters import MOST, board_cluster
from ashe.cards.random import bounded, derive_key
from ashe.cards.suits import all_boards
from ashe.cards.texture_classes import CLUSTERS
from ashe.errors import UserError
from ashe.game.deal import Deal, deal_of, deck_keys
from ashe.jit import njit


@cache
def _flops_by_cluster() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """([22100, 3] flops in the order of their clusters, [6] where each cluster begins)."""
    flops = all_boards(3)
    cluster = np.array([board_cluster(flop, 3) for flop in flops])
    order = np.argsort(cluster, kind="stable")
    return flops[order], np.searchsorted(cluster[order], np.arange(CLUSTERS["flop"] + 1))


@njit
def _fill(keys, flops, begins, seats, decks):  # type: ignore[no-untyped-def]
    rest, cluster = np.empty(52, np.int64), np.empty(52, np.int64)
    reached = np.empty(MOST, np.int64)
    board = np.empty(5, np.int64)
    for d in range(keys.shape[0]):
        k, counter = bounded(keys[d], np.uint64(0), begins.shape[0] - 1)
        i, counter = bounded(keys[d], counter, begins[k + 1] - begins[k])
        board[:3] = flops[begins[k] + i]
        n = 0
        for card in range(52):
            if card != board[0] and card != board[1] and card != board[2]:
                rest[n] = card
                n += 1
        for size in (4, 5):
            clusters = 0
            for j in range(n):
                board[size - 1] = rest[j]
                cluster[j] = board_cluster(board, size)
                new = True
                for q in range(clusters):
                    new = new and reached[q] != cluster[j]
                if new:
                    reached[clusters] = cluster[j]
                    clusters += 1
            q, counter = bounded(keys[d], counter, clusters)
            wanted, ways = reached[q], 0
            for j in range(n):
                ways += cluster[j] == wanted
            skip, counter = bounded(keys[d], counter, ways)
            for j in range(n):
                if cluster[j] == wanted:
                    if skip == 0:
                        board[size - 1] = rest[j]
                        n -= 1
                        rest[j] = rest[n]
                        break
                    skip -= 1
        for i in range(2 * seats):
            j, counter = bounded(keys[d], counter, n - i)
            decks[d, i] = rest[j]
            rest[j] = rest[n - i - 1]
        decks[d, 2 * seats :] = board


def textured_deal(seed: int, first: int, count: int, seats: int = 2, stream: str = "textured deck") -> Deal:
    """Decks number `first` to `first + count - 1` of a seed: the same whoever asks, in whatever portions."""
    if count < 1:
        raise UserError(f"{count} decks asked for; deal at least 1")
    keys = deck_keys(np.uint64(derive_key(seed, stream)), first, count)
    decks = np.empty((count, 2 * seats + 5), np.int64)
    _fill(keys, *_flops_by_cluster(), seats, decks)
    return deal_of(decks, keys, seats)
