"""Deals: decks together with everything the cards alone decide, computed once and shared.

Both halves of a duplicate match and all individuals of a population play the same decks, so the playing loop never
evaluates a card: it looks up.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ashe.cards.clusters import clusters_of
from ashe.cards.knowledge import deck_knowledge
from ashe.cards.random import derive_key, mix64, shuffle_decks
from ashe.errors import UserError
from ashe.jit import njit


@dataclass(frozen=True)
class Deal:
    """`D` decks for `N` seats. Deck d: seat i holds decks[d, 2i:2i+2], the board is decks[d, 2N:2N+5]."""

    decks: NDArray[np.int64]  # [D, 2N+5]
    keys: NDArray[np.uint64]  # [D] names the deck's coin flips
    ehs: NDArray[np.float32]  # [D, N, 4] expected hand strength by street
    percentile: NDArray[np.float32]  # [D, N, 4]
    rank: NDArray[np.int16]  # [D, N] showdown rank, 1 is the best
    stronger: NDArray[np.int16]  # [D, N] holdings that beat the seat's at the river, of 990
    ties: NDArray[np.int16]  # [D, N]
    allin: NDArray[np.float64]  # [D, 4] two seats only: seat 0's share against seat 1's cards, by street
    clusters: NDArray[np.int8]  # [D, 4] texture cluster of the board by street, 0 before the flop

    @property
    def size(self) -> int:
        return int(self.decks.shape[0])

    @property
    def seats(self) -> int:
        return int(self.ehs.shape[1])

    def hole(self, deck: int, seat: int) -> tuple[int, int]:
        return int(self.decks[deck, 2 * seat]), int(self.decks[deck, 2 * seat + 1])

    def board(self, deck: int, cards: int = 5) -> tuple[int, ...]:
        first = 2 * self.seats
        return tuple(int(c) for c in self.decks[deck, first : first + cards])


@njit
def deck_keys(key, first, count):  # type: ignore[no-untyped-def]
    """The keys of decks `first` to `first + count - 1` of a stream."""
    keys = np.empty(count, np.uint64)
    for i in range(count):
        keys[i] = mix64(key, np.uint64(first + i))
    return keys


def deal(seed: int, first: int, count: int, seats: int = 2, stream: str = "deck") -> Deal:
    """Decks number `first` to `first + count - 1` of a seed: the same whoever asks, in whatever portions."""
    if count < 1:
        raise UserError(f"{count} decks asked for; deal at least 1")
    keys = deck_keys(np.uint64(derive_key(seed, stream)), first, count)
    decks = np.empty((count, 2 * seats + 5), np.int64)
    shuffle_decks(keys, 2 * seats + 5, decks)
    return deal_of(decks, keys, seats)


def deal_of(decks: NDArray[np.int64], keys: NDArray[np.uint64], seats: int = 2) -> Deal:
    """The knowledge of given decks (tests and set-up situations)."""
    known = deck_knowledge(decks, seats)
    clusters = clusters_of(decks[:, 2 * seats : 2 * seats + 5])
    return Deal(decks, keys, known.ehs, known.pct, known.rank, known.stronger, known.ties, known.allin, clusters)
