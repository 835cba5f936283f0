"""Decks whose boards come from every texture cluster as equally often as cards allow, for preliminary sessions.

Exactly equal is impossible: trips on the flop stay trips, so a fifth of flops of that cluster would be more than a
seventh of rivers. What is equal as far as possible is settled once, over the 53 *lines* (flop cluster, turn cluster,
river cluster) that boards can take:

1. `line_counts`: how many boards take each line, exactly.
2. `line_shares`: the distribution p over lines with the largest mean logarithm of its clusters' shares

       (1 - PATHS) / 3 * sum over streets s of mean over clusters c of log p(cluster c on street s)
       + PATHS * mean over lines of log p(line)

   which is uniform on every street wherever that is possible. The last term keeps lines alive that even streets alone
   would never deal (an unpaired flop that pairs): every node of a tree's lines gets hands. The maximum is unique; the
   iteration is expectation maximisation for it.
3. A deck draws a line with its share and a board of that line, all equally likely, then hole cards from the rest.

Random numbers are the deck's own.
"""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.clusters import board_cluster
from ashe.cards.random import bounded, derive_key, uniform
from ashe.cards.suits import CARD_PERM, canonical_boards
from ashe.cards.texture_classes import CLUSTERS
from ashe.errors import UserError
from ashe.game.deal import Deal, deal_of, deck_keys
from ashe.jit import njit

PATHS = 0.02  # weight of even lines beside even streets
FLOPS, TURNS, RIVERS = CLUSTERS["flop"], CLUSTERS["turn"], CLUSTERS["river"]
_ONE = np.uint64(1)


class Lines(NamedTuple):
    """Canonical flops in the order of their clusters, and what boards they grow into."""

    flops: NDArray[np.int64]  # [1755, 3]
    begins: NDArray[np.int64]  # [6] where each cluster begins
    turns: NDArray[np.int8]  # [1755, 52] cluster of the turn with this card, -1 where the card lies
    rivers: NDArray[np.uint8]  # [1755, 52, 7] rivers of each cluster after that turn
    below: NDArray[np.int64]  # [6, 7, 1756] boards of a (turn, river) on flops before this one, suit copies included


@njit
def _grow(flops, cluster, turns, rivers):  # type: ignore[no-untyped-def]
    """The arrays of `Lines` for flops [n, 3], and their clusters."""
    board = np.empty(5, np.int64)
    for n in range(flops.shape[0]):
        board[:3] = flops[n]
        cluster[n] = board_cluster(board, 3)
        for turn in range(52):
            if turn == board[0] or turn == board[1] or turn == board[2]:
                turns[n, turn] = -1
                continue
            board[3] = turn
            turns[n, turn] = board_cluster(board, 4)
            for river in range(52):
                if river != turn and river != board[0] and river != board[1] and river != board[2]:
                    board[4] = river
                    rivers[n, turn, board_cluster(board, 5)] += 1


@cache
def _lines() -> Lines:
    canonical = canonical_boards(3)
    copies = np.bincount(canonical.row)
    n = len(copies)
    cluster, turns = np.empty(n, np.int64), np.empty((n, 52), np.int8)
    rivers = np.zeros((n, 52, RIVERS), np.uint8)
    _grow(canonical.cards, cluster, turns, rivers)
    order = np.argsort(cluster, kind="stable")
    below = np.zeros((TURNS, RIVERS, n + 1), np.int64)
    for j in range(TURNS):
        boards = (rivers * (turns == j)[:, :, None]).sum(axis=1, dtype=np.int64) * copies[:, None]
        np.cumsum(boards[order].T, axis=1, out=below[j, :, 1:])
    begins = np.searchsorted(cluster[order], np.arange(FLOPS + 1))
    return Lines(canonical.cards[order], begins, turns[order], rivers[order], below)


def line_counts() -> NDArray[np.int64]:
    """[5, 6, 7] boards (a flop, then a turn card, then a river card) of every line."""
    lines = _lines()
    return np.stack([lines.below[:, :, b] - lines.below[:, :, a] for a, b in pairwise(lines.begins)])


@cache
def line_shares() -> NDArray[np.float64]:
    """[5, 6, 7] the probability of every line in a textured deck."""
    possible = line_counts() > 0
    even = possible / possible.sum()
    share = even
    for _ in range(20_000):
        new = share * (1.0 - PATHS) / 3.0 * _pull(share) + PATHS * even
        if np.abs(new - share).max() < 1e-12:
            break
        share = new
    return share / share.sum()


def _pull(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over streets of 1 / (K m): above 3 where a line's clusters have less than their part."""
    flop, turn, river = (share.sum(axis=axes) for axes in ((1, 2), (0, 2), (0, 1)))
    return (
        1.0 / (FLOPS * flop[:, None, None]) + 1.0 / (TURNS * turn[None, :, None]) + 1.0 / (RIVERS * river[None, None])
    )


@njit
def _run_out(key, counter, board, turns, rivers, j, k):  # type: ignore[no-untyped-def]
    """A (turn, river) of clusters j and k after the flop in `board`, all equally likely: into `board`."""
    ways = 0
    for turn in range(52):
        if turns[turn] == j:
            ways += rivers[turn, k]
    skip, counter = bounded(key, counter, ways)
    for turn in range(52):
        if turns[turn] == j:
            if skip < rivers[turn, k]:
                board[3] = turn
                break
            skip -= rivers[turn, k]
    for river in range(52):
        if river != board[3] and river != board[0] and river != board[1] and river != board[2]:
            board[4] = river
            if board_cluster(board, 5) == k:
                if skip == 0:
                    break
                skip -= 1
    return counter


@njit
def _fill(keys, flops, begins, turns, rivers, below, ladder, perms, seats, decks):  # type: ignore[no-untyped-def]
    board, rest = np.empty(5, np.int64), np.empty(52, np.int64)
    for d in range(keys.shape[0]):
        line = np.searchsorted(ladder, uniform(keys[d], 0), side="right")
        i, j, k = line // (TURNS * RIVERS), line // RIVERS % TURNS, line % RIVERS
        of_line = below[j, k]
        first, last = of_line[begins[i]], of_line[begins[i + 1]]
        skip, counter = bounded(keys[d], _ONE, last - first)
        flop = np.searchsorted(of_line, first + skip, side="right") - 1
        board[:3] = flops[flop]
        counter = _run_out(keys[d], counter, board, turns[flop], rivers[flop], j, k)
        p, counter = bounded(keys[d], counter, perms.shape[0])
        for c in range(5):
            board[c] = perms[p, board[c]]
        n = 0
        for card in range(52):
            free = True
            for c in range(5):
                free = free and card != board[c]
            if free:
                rest[n] = card
                n += 1
        for c in range(2 * seats):
            x, counter = bounded(keys[d], counter, n - c)
            decks[d, c] = rest[x]
            rest[x] = rest[n - c - 1]
        decks[d, 2 * seats :] = board


def textured_deal(seed: int, first: int, count: int, seats: int = 2, stream: str = "textured deck") -> Deal:
    """Decks number `first` to `first + count - 1` of a seed: the same whoever asks, in whatever portions."""
    if count < 1:
        raise UserError(f"{count} decks asked for; deal at least 1")
    keys = deck_keys(np.uint64(derive_key(seed, stream)), first, count)
    decks = np.empty((count, 2 * seats + 5), np.int64)
    ladder = np.cumsum(line_shares())
    ladder[np.flatnonzero(line_shares().ravel())[-1] :] = 1.0  # the sum's rounding is the last line's
    _fill(keys, *_lines(), ladder, CARD_PERM, seats, decks)
    return deal_of(decks, keys, seats)
