"""Intervals: over duplicate pairs, and over whole matches where pairs are not independent."""

import numpy as np
import pytest

from ashe.evaluation.results import StoredMatch
from ashe.evaluation.stats import Estimate, match_half_width, mbb_estimate, t95


@pytest.mark.parametrize(("freedom", "quantile"), [(4, 2.7764), (9, 2.2622), (19, 2.0930), (99, 1.9842)])
def test_quantiles_of_student(freedom, quantile):
    """Printed tables of the t distribution."""
    assert t95(freedom) == pytest.approx(quantile, rel=3e-3)


def test_intervals_over_whole_matches_cover():
    """What a player has learned in a match is shared by its pairs, so only matches are independent."""
    rng = np.random.default_rng(1)
    covered, over_pairs = 0, 0
    for _ in range(500):
        learned = rng.normal(0, 10, 10)
        pairs = learned[:, None] * 200 + rng.normal(0, 2_000, (10, 100))  # chips; the true mean is 0
        means = pairs.mean(axis=1) * 5  # mBB/hand
        covered += abs(means.mean()) <= match_half_width(means)
        e = mbb_estimate(pairs.ravel(), 100)
        over_pairs += abs(e.mean) <= e.half_width
    assert 0.92 <= covered / 500 <= 0.98
    assert over_pairs / 500 < 0.4


def stored(half_width, blocks):
    estimate = Estimate(50.0, half_width, 100)
    return StoredMatch("A", "B", 200, 50, 1, estimate, estimate, {}, blocks)


def test_the_wider_interval_is_the_cautious_one():
    blocks = [[10.0, 30.0], [60.0, 80.0], [100.0, 20.0]]  # matches of 20, 70 and 60
    over_matches = t95(2) * np.std([20, 70, 60], ddof=1) / 3**0.5
    assert stored(5.0, blocks).cautious == Estimate(50.0, pytest.approx(over_matches), 100)
    assert stored(500.0, blocks).cautious.half_width == 500.0
    for few in ([], [[1.0, 2.0]]):
        assert stored(5.0, few).cautious == stored(5.0, few).estimate
