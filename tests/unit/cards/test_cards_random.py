"""Counter-based random numbers: reproducible, well spread, unbiased."""

import numpy as np
import pytest

from ashe.cards.random import bounded, derive_key, finalise, mix64, shuffle_deck, shuffle_decks, uniform
from ashe.errors import UserError


def keys(n: int, *labels: int | str) -> np.ndarray:
    return np.array([derive_key(*labels, i) for i in range(n)], dtype=np.uint64)


def test_finaliser_is_splitmix64() -> None:
    # First two outputs of the reference generator seeded with 0 (Vigna, https://prng.di.unimi.it/splitmix64.c).
    golden = np.uint64(0x9E3779B97F4A7C15)
    assert finalise(golden) == 0xE220A8397B1DCDAF
    with np.errstate(over="ignore"):
        assert finalise(golden + golden) == 0x6E789E6AA1B965F4


def test_same_key_same_deck_for_ever() -> None:
    deck = np.zeros(9, dtype=np.int8)
    shuffle_deck(derive_key(2), 9, deck)
    assert deck.tolist() == [31, 42, 49, 22, 29, 33, 19, 16, 46]


def test_longer_deal_starts_with_the_same_cards() -> None:
    short, long = np.zeros(9, dtype=np.int64), np.zeros(52, dtype=np.int64)
    shuffle_deck(derive_key("x"), 9, short)
    shuffle_deck(derive_key("x"), 52, long)
    assert np.array_equal(short, long[:9])
    assert sorted(long) == list(range(52))


def test_labels_are_told_apart() -> None:
    made = [derive_key(1, 2), derive_key(12), derive_key("1", 2), derive_key("1", "2"), derive_key(2, 1), derive_key()]
    assert len(set(made)) == len(made)
    assert derive_key(np.int64(5)) == derive_key(5)
    for wrong in (1.5, True, None):
        with pytest.raises(UserError, match="labels are integers or strings"):
            derive_key(wrong)  # type: ignore[arg-type]


def test_every_input_bit_reaches_every_output_bit() -> None:
    rng = np.random.default_rng(0)
    flips = np.zeros((2, 64, 64))
    n = 200
    for a, b in rng.integers(0, 2**64, (n, 2), dtype=np.uint64):
        base = int(mix64(a, b))
        for bit in range(64):
            one = np.uint64(1 << bit)
            for which, changed in enumerate((mix64(a ^ one, b), mix64(a, b ^ one))):
                flips[which, bit] += [(base ^ int(changed)) >> i & 1 for i in range(64)]
    # 8,192 binomial frequencies with standard deviation 0.035: six of them is beyond chance.
    assert abs(flips / n - 0.5).max() < 0.21


def test_uniform_is_in_the_unit_interval_with_the_right_moments() -> None:
    key = derive_key("uniform")
    x = np.array([uniform(key, i) for i in range(100_000)])
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 1 / 2) < 5 * (1 / 12 / len(x)) ** 0.5
    assert abs(x.var() - 1 / 12) < 0.002
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.02


def test_bounded_draws_and_their_counter() -> None:
    key = derive_key("bounded")
    counter = 0
    seen = np.zeros(7)
    for _ in range(7000):
        value, following = bounded(key, counter, 7)
        assert following > counter
        counter = int(following)
        seen[value] += 1
    assert ((seen - 1000) ** 2 / 1000).sum() < 27.9  # chi-square, 6 degrees of freedom, p = 1e-4


def test_each_card_is_equally_likely_at_each_place() -> None:
    n = 52_000
    decks = np.zeros((n, 9), dtype=np.int8)
    shuffle_decks(keys(n, "deck"), 9, decks)
    for place in range(9):
        counts = np.bincount(decks[:, place], minlength=52)
        assert ((counts - 1000) ** 2 / 1000).sum() < 97.0  # chi-square, 51 degrees of freedom, p = 1e-4
    assert all(len(set(row)) == 9 for row in decks[:1000].tolist())
    pairs = decks[:, 0].astype(int) * 52 + decks[:, 1]
    assert len(np.unique(pairs)) == 52 * 51
