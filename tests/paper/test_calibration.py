"""The rule players against the calibration values of spec section 2 (mBB/hand, 95 % intervals)."""

import pytest

from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.stats import Estimate
from ashe.game.engine import CALL
from ashe.players.registry import player_names, register

BEATEN_BY_HP = ("TA", "RG", "HM", "CM", "SL", "CS", "LP")


class RiverAllIn:
    """Checks and calls, all-in on the river when EHS > 0.5."""

    def act(self, view):
        return view.all_in() if view.street == 3 and view.ehs > 0.5 else view.call()


class CardBlindThief:
    """Limps and checks; raises every bet of CS by one big blind more than CS just put in, so that CS folds.

    CS's wish y does not change within a street. Without the chips for such a raise the thief folds.
    """

    def act(self, view):
        theirs = [event for event in view.history if event.seat != view.seat and event.street == view.street]
        if not view.call_cost or not view.min_raise_to or not theirs or theirs[-1].kind == CALL:
            return view.call()
        before = max((e.to for e in theirs[:-1] if e.kind != CALL), default=0)
        posted = 0 if view.street else (view.big_blind // 2 if view.seat == 0 else view.big_blind)
        put_in = view.bet - max(before, posted)
        to = view.bet + put_in + view.big_blind
        return view.raise_to(to) if to <= view.max_raise_to else view.fold()


for name, player in (("river-all-in", RiverAllIn), ("thief", CardBlindThief)):
    if name not in player_names():
        register(name)(player)


def close(estimate: Estimate, value: float, half_width: float) -> bool:
    """Two independent estimates agree: their difference is within its own 99.9 % interval."""
    return abs(estimate.mean - value) < 3.29 / 1.96 * (estimate.half_width**2 + half_width**2) ** 0.5


@pytest.mark.parametrize("opponent", BEATEN_BY_HP)
def test_half_a_pro_wins(opponent):
    """HP beats seven of the others over 20,000 duplicate hands, the lower bound above 0."""
    assert play_match(MatchPlan("HP", opponent, hands=20_000, seed=1)).estimate.low > 0


@pytest.mark.slow
@pytest.mark.parametrize("opponent", BEATEN_BY_HP)
def test_half_a_pro_wins_with_most_seeds(opponent):
    """Not the luck of one seed: of 20 seeds at most one may leave the 95 % interval touching 0."""
    lows = [play_match(MatchPlan("HP", opponent, hands=20_000, seed=100 + s)).estimate.low for s in range(20)]
    assert sum(low > 0 for low in lows) >= 19, lows


def test_river_all_in_against_the_calling_machine():
    """About the ceiling, 200 BB x E[(2 EHS - 1)+]: 51,183 +- 1,950."""
    result = play_match(MatchPlan("river-all-in", "CM", hands=20_000))
    assert close(result.estimate, 51_183, 1_950)


def test_card_blind_thief_against_the_statistician():
    """6,038 +- 243."""
    result = play_match(MatchPlan("thief", "CS", hands=20_000))
    assert close(result.estimate, 6_038, 243)
