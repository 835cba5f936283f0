"""Average normalised earnings and its scales (dissertation section 4.3.1; spec section 4)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ashe.errors import UserError
from ashe.evolution.fitness import AneConfig, ane, loss_normalisation, mbb_per_hand, normalisation

FOUR = ("HM", "CM", "SL", "CS")
ONE_BB = 1.0  # mBB/hand of one big blind in 1,000 hands


def fitness_of(config, earnings, seen=None, opponents=("A", "B")):
    n, seen = normalisation(np.asarray(earnings, float), opponents[: np.shape(earnings)[1]], config, seen or {}, ONE_BB)
    loss = loss_normalisation(np.asarray(earnings, float), opponents[: np.shape(earnings)[1]], config, n)
    return ane(np.asarray(earnings, float), n, loss), n, seen


def test_one_big_blind_per_match_in_mbb_per_hand():
    assert mbb_per_hand(np.array([100.0]), big_blind=100.0, hands=1000)[0] == ONE_BB
    assert mbb_per_hand(np.array([-20_000.0]), 100.0, 100)[0] == -2000.0


def test_as_printed():
    """n_j is the best of the generation; an individual's fitness is its mean share of the bests."""
    fitness, n, _ = fitness_of(AneConfig(), [[1000.0, 50.0], [500.0, 100.0], [-200.0, 0.0]])
    assert n.tolist() == [1000.0, 100.0]
    assert fitness.tolist() == [(1 + 0.5) / 2, (0.5 + 1) / 2, (-0.2 + 0) / 2]


def test_when_the_maximum_earning_is_less_than_one_big_blind_n_is_one_big_blind():
    fitness, n, _ = fitness_of(AneConfig(), [[-300.0, 0.5], [-100.0, 0.25]])
    assert n.tolist() == [ONE_BB, ONE_BB]
    assert fitness.tolist() == [(-300 + 0.5) / 2, (-100 + 0.25) / 2], "the collapse of the printed scale"


earnings = arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 4)), elements=st.floats(-1e5, 1e5, width=32))


@given(earnings, earnings)
def test_never_above_one(first, second):
    """The maximum fitness is 1.0: the player sets every record. One opponent contributes no more than 1/m."""
    for config in (AneConfig(), AneConfig(scale="running"), AneConfig(floor=3.0), AneConfig(losses="generation")):
        seen = {}
        for e in (first, second):
            fitness, n, seen = fitness_of(config, e, seen, FOUR)
            assert (fitness <= 1.0 + 1e-12).all()
            assert (e / n <= 1.0 + 1e-12).all()
    winner, _, _ = fitness_of(AneConfig(), np.abs(first) + 2.0, opponents=FOUR)
    assert winner.max() <= 1.0 + 1e-12


def test_setting_every_record_is_exactly_one():
    assert fitness_of(AneConfig(), [[7.0, 9.0], [3.0, 1.0]])[0][0] == 1.0


def test_running_keeps_the_largest_winnings_of_any_generation_and_starts_where_it_is_told():
    config = AneConfig(scale="running", start={"A": 400.0})
    fitness, n, seen = fitness_of(config, [[100.0, 50.0], [-200.0, 10.0]])
    assert n.tolist() == [400.0, 50.0], "a start for A, none for B"
    assert fitness[0] == (0.25 + 1.0) / 2
    fitness, n, seen = fitness_of(config, [[800.0, 20.0], [0.0, -20.0]], seen)
    assert n.tolist() == [800.0, 50.0]
    assert fitness.tolist() == [(1 + 0.4) / 2, (0 - 0.4) / 2]
    _, n, seen = fitness_of(config, [[1.0, 1.0]], seen)
    assert n.tolist() == [800.0, 50.0]
    assert seen == {"A": 800.0, "B": 50.0}


def test_running_scale_survives_a_phase_without_the_opponent():
    config = AneConfig(scale="running")
    _, _, seen = fitness_of(config, [[500.0]], opponents=("A",))
    _, _, seen = fitness_of(config, [[5.0]], seen, opponents=("B",))
    _, n, _ = fitness_of(config, [[10.0]], seen, opponents=("A",))
    assert n.tolist() == [500.0]


def test_ceiling_is_fixed():
    config = AneConfig(scale="ceiling", ceiling={"A": 1000.0, "B": 10.0})
    for best in (1.0, 500.0):
        fitness, n, _ = fitness_of(config, [[best, -5.0]])
        assert n.tolist() == [1000.0, 10.0]
        assert fitness[0] == (best / 1000 - 0.5) / 2
    assert fitness_of(config, [[2000.0, 10.0]])[0][0] == 1.5, "what breaks a ceiling counts in full"


def test_floor_is_the_smallest_scale():
    fitness, n, _ = fitness_of(AneConfig(floor=100.0), [[-300.0, 400.0], [-100.0, 20.0]])
    assert n.tolist() == [100.0, 400.0]
    assert fitness.tolist() == [(-3 + 1) / 2, (-1 + 0.05) / 2]


def test_separate_scales_for_losses():
    e = [[-300.0, 400.0], [-100.0, -20.0]]
    fitness, _, _ = fitness_of(AneConfig(losses="generation"), e)
    assert fitness.tolist() == [(-1 + 1) / 2, (-1 / 3 - 20 / 400) / 2], "at most the best winnings weigh a loss"
    fitness, _, _ = fitness_of(AneConfig(losses="fixed", loss_scale={"A": 1000.0, "B": 10.0}), e)
    assert fitness.tolist() == [(-0.3 + 1) / 2, (-0.1 - 2) / 2]


def test_refusals():
    for kwargs, message in [
        ({"scale": "best"}, "scale='best' is not known; allowed: generation, running, ceiling"),
        ({"losses": "none"}, "losses='none' is not known"),
        ({"measure": "winnings"}, "measure='winnings' is not known; allowed: chips, adjusted"),
        ({"floor": 0.0}, "floor=0.0 is out of range"),
        ({"ceiling": {"HM": 0.0}}, r"ceiling\.HM=0\.0 must be above 0 mBB/hand"),
        ({"start": {"HM": -4.0}}, r"start\.HM=-4\.0 must be above 0"),
    ]:
        with pytest.raises(UserError, match=message):
            AneConfig(**kwargs)
    with pytest.raises(UserError, match=r"fitness\.ceiling has no value for CM, CS; add them in mBB/hand"):
        AneConfig(scale="ceiling", ceiling={"HM": 1.0, "SL": 1.0}).check_opponents(FOUR, FOUR)
    with pytest.raises(UserError, match=r"fitness\.loss_scale has no value for CM, CS, HM, SL"):
        AneConfig(losses="fixed").check_opponents(FOUR, FOUR)
    with pytest.raises(UserError, match=r"unknown opponent 'HN' in fitness\.start; did you mean 'HM'"):
        AneConfig(scale="running", start={"HN": 5.0}).check_opponents(FOUR, FOUR)
    AneConfig(scale="running", start={"CS": 5.0}).check_opponents(("HM",), FOUR)
