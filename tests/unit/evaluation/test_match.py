"""Duplicate matches: calibration values of spec section 2, determinism, logs, refusals."""

import numpy as np
import pytest

from ashe.cards.random import derive_key
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.stats import STREETS, Estimate, mbb_estimate
from ashe.evaluation.tournament import Tournament
from ashe.game.engine import FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.rules import Rules
from ashe.game.view import Action


def test_maniac_against_calling_machine_is_zero_in_duplicate():
    result = play_match(MatchPlan("HM", "CM", hands=2_000))
    assert np.abs(result.chips).sum() > 0
    assert (result.chips.sum(axis=0) == 0).all()


def test_minimum_raises_steal_every_blind_from_the_limper():
    assert play_match(MatchPlan("minraise", "SL", hands=4_000)).estimate == Estimate(1000.0, 0.0, 2_000)


@pytest.mark.parametrize("pair", [("HP", "RG"), ("random", "LA")])
def test_batch_and_workers_do_not_matter(pair):
    plan = MatchPlan(*pair, hands=1_200, half=100)
    results = [play_match(plan, workers=1, batch=20), play_match(plan, workers=1, batch=1), play_match(plan, 2, 3)]
    for other in results[1:]:
        assert (other.chips == results[0].chips).all()
        assert (other.adjusted == results[0].adjusted).all()
        assert (other.counts == results[0].counts).all()


def test_all_in_adjustment_is_unbiased_and_steadier():
    result = play_match(MatchPlan("random", "HM", hands=20_000))
    plain, adjusted = result.estimate, result.adjusted_estimate
    assert adjusted.half_width < plain.half_width
    assert abs(plain.mean - adjusted.mean) < 2 * plain.half_width


def test_interval_over_pairs():
    """Two pairs of +200 and 0 chips at a big blind of 100: 1,000 and 0 mBB/hand."""
    estimate = mbb_estimate(np.array([200.0, 0.0]), 100)
    assert estimate.mean == 500
    assert estimate.half_width == pytest.approx(1.96 * np.std([1000, 0], ddof=1) / 2**0.5, rel=1e-3)


@pytest.mark.parametrize("hands", [0, -2, 7])
def test_bad_hands_are_refused(hands):
    with pytest.raises(UserError, match=f"hands is {hands}"):
        MatchPlan("CM", "HM", hands=hands)


def test_ranking_by_wins_then_earnings():
    t = Tournament(["a", "b", "c"], 100, 1)
    t.results = {("a", "b"): Estimate(10, 1, 9), ("a", "c"): Estimate(-1, 5, 9), ("b", "c"): Estimate(900, 1, 9)}
    assert t.wins("a") == t.wins("b") == 1
    assert t.ranking() == ["b", "a", "c"]


def test_seeds_differ():
    assert derive_key(1, "deck") != derive_key(2, "deck")
    a, b = (play_match(MatchPlan("random", "CM", hands=20, seed=s)).chips for s in (1, 2))
    assert (a != b).any()


def test_statistics_against_counting_the_logged_hands():
    """D Table 4-3: frequencies where the action was available, folds only after an opponent's bet or raise."""
    raises, sizes, chances = ([[] for _ in range(4)] for _ in range(3))
    folds = faced = 0

    def count(tables, ended):
        nonlocal folds, faced
        for t in ended:
            hand, seat, last_raiser = Hand(), tables.seat_of(t, 1), None
            for event in tables.events(t):
                if event.street != (hand.history[-1].street if hand.history else 0):
                    last_raiser = None
                if event.seat == seat:
                    if hand.raise_range[0]:
                        chances[event.street].append(1)
                    if event.kind == RAISE:
                        raises[event.street].append(1)
                        sizes[event.street].append(event.to / 100)
                    if last_raiser == 1 - seat:
                        faced += 1
                        folds += event.kind == FOLD
                hand.act(Action(event.kind, event.to))
                if event.kind == RAISE:
                    last_raiser = event.seat

    result = play_match(MatchPlan("random", "TA", hands=2_000, half=200), on_hand=count)
    found = result.statistics(1)
    for street, name in enumerate(STREETS):
        assert found[f"{name}_raise_freq"] == len(raises[street]) / len(chances[street])
        assert found[f"{name}_avg_raise"] == pytest.approx(sum(sizes[street]) / len(sizes[street]))
    assert found["opponent_raises"] == faced
    assert found["fold_freq"] == folds / faced


def test_statistics_that_never_came_up_are_none():
    found = play_match(MatchPlan("CM", "CM", hands=20)).statistics(0)
    assert found["flop_raise_freq"] == 0.0
    assert found["flop_avg_raise"] is None
    assert found["fold_freq"] is None


def test_stakes_too_deep_for_a_hands_history_are_refused():
    with pytest.raises(UserError, match="stack is 20000 with a big blind of 2"):
        play_match(MatchPlan("CM", "HM", hands=2, rules=Rules(small_blind=1, big_blind=2)))
