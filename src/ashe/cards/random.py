"""Random numbers that are a function of (key, counter): no state, no order, no global generator.

A key names a stream, e.g. `derive_key(seed, "deck", 17)`; the n-th number of the stream is `draw(key, n)`. Results
therefore do not depend on batch size, worker count or the order in which decks are dealt. The mixer is splitmix64's
(Steele, Lea & Flood 2014, variant 13 of Stafford), applied after each of the two words is added in.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError
from ashe.jit import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)
_LOW32 = np.uint64(0xFFFFFFFF)
_TWO32 = np.uint64(1 << 32)
_ONE = np.uint64(1)
_UNIT = 2.0**-53


@njit(inline="always")
def finalise(x: np.uint64) -> np.uint64:
    """Splitmix64's output function: a bijection of uint64 in which every input bit reaches every output bit."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@njit
def mix64(a: int, b: int) -> np.uint64:
    """64 well-mixed bits of the pair (a, b); `mix64(key, label)` is also how a key gets a sub-key."""
    return finalise(finalise(np.uint64(a) + _GOLDEN) + np.uint64(b) * _GOLDEN + _GOLDEN)


@njit
def uniform(key: int, counter: int) -> float:
    """The counter-th number of the key's stream, a multiple of 2^-53 in [0, 1)."""
    return np.float64(mix64(key, counter) >> _S11) * _UNIT


@njit
def bounded(key: int, counter: int, n: int) -> tuple[np.int64, np.uint64]:
    """(unbiased integer in 0..n-1, next free counter), n < 2^32, by Lemire's method with rejection."""
    bound = np.uint64(n)
    threshold = _TWO32 % bound
    c = np.uint64(counter)
    while True:
        product = (mix64(key, c) >> _S32) * bound
        c += _ONE
        if (product & _LOW32) >= threshold:
            return np.int64(product >> _S32), c


@njit
def shuffle_deck(key: int, n_cards: int, out: NDArray[Any]) -> None:
    """The first `n_cards` of a shuffled deck of 52 into `out`, by a partial Fisher-Yates shuffle with this key.

    A longer deal with the same key starts with the same cards.
    """
    deck = np.arange(52)
    counter = np.uint64(0)
    for i in range(n_cards):
        j, counter = bounded(key, counter, 52 - i)
        out[i] = deck[i + j]
        deck[i + j] = deck[i]


@njit(nogil=True)
def shuffle_decks(keys: NDArray[np.uint64], n_cards: int, out: NDArray[Any]) -> None:
    """`shuffle_deck` of each key into the rows of `out`."""
    for d in range(keys.shape[0]):
        shuffle_deck(keys[d], n_cards, out[d])


def derive_key(*labels: int | str) -> int:
    """A uint64 key from labels such as (seed, "deck", 17); different label lists give unrelated keys."""
    digest = hashlib.blake2b(digest_size=8)
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, int | str | np.integer):
            raise UserError(f"key label {label!r} is a {type(label).__name__}: labels are integers or strings")
        text = f"s{label}" if isinstance(label, str) else f"i{int(label)}"
        raw = text.encode()
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return int.from_bytes(digest.digest(), "little")
