"""Spec section 9: how many hands a pair plays, and how a tournament ranks."""

import pytest

from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.protocol import PAPER, TOURNAMENT, Protocol, play_protocol
from ashe.evaluation.stats import Estimate
from ashe.evaluation.tournament import Tournament, play_tournament
from ashe.reports.published import published


@pytest.mark.parametrize(
    ("hands", "mean", "half_width", "paper", "tournament"),
    [
        (20_000, 100, 20, 0, 0),  # precise: 20 % of the mean
        (20_000, -100, 21, 20_000, 20_000),  # imprecise, though decided
        (40_000, 100, 21, 0, 0),  # only once
        (20_000, 100, 101, 20_000, 20_000),
        (40_000, 100, 101, 0, 20_000),  # the sign is open: tournaments go on
        (80_000, -100, 101, 0, 20_000),
        (100_000, 100, 101, 0, 0),  # to 100,000
        (20_000, 0, 0, 0, 0),  # HM against CM is 0 for certain
    ],
)
def test_when_to_play_on(hands, mean, half_width, paper, tournament):
    estimate = Estimate(mean, half_width, hands // 2)
    assert PAPER.more(hands, estimate) == paper
    assert TOURNAMENT.more(hands, estimate) == tournament


def test_playing_on_equals_one_longer_match():
    plan = MatchPlan("HP", "RG", hands=400, half=50)
    longer = MatchPlan("HP", "RG", hands=1_000, half=50)
    continued, straight = play_match(longer, after=play_match(plan)), play_match(longer, batch=3)
    assert (continued.chips == straight.chips).all()
    assert (continued.adjusted == straight.adjusted).all()
    assert (continued.counts == straight.counts).all()


@pytest.mark.parametrize(
    "shorter",
    [
        MatchPlan("HP", "TA", 400, 50), MatchPlan("HP", "RG", 400, 50, 2), MatchPlan("HP", "RG", 1_000, 50),
        MatchPlan("HP", "RG", 440, 50),
    ],
)  # fmt: skip
def test_only_the_same_match_is_continued(shorter):
    with pytest.raises(UserError, match="does not continue"):
        play_match(MatchPlan("HP", "RG", 1_000, 50), after=play_match(shorter))


def test_a_pair_plays_until_the_protocol_is_content():
    told = []
    protocol = Protocol(step=200, precision=0.0, decide=600)
    result = play_protocol(MatchPlan("CS", "HP", half=50), protocol, extended=told.append)
    assert told == [200] * (result.plan.hands // 200 - 1)
    assert result.plan.hands == 600 or (result.estimate.decided and result.plan.hands == 400)
    same = play_match(MatchPlan("CS", "HP", result.plan.hands, 50))
    assert (result.chips == same.chips).all()
    certain = play_protocol(MatchPlan("minraise", "SL", half=50), protocol)
    assert certain.plan.hands == 200  # exactly 1,000 mBB/hand after the first hand


def test_a_half_that_does_not_fit_is_refused():
    with pytest.raises(UserError, match="half is 300; the protocol plays 20,000 hands at a time"):
        play_protocol(MatchPlan("CM", "HM", half=300), PAPER)


def test_tournament_pairs_follow_the_protocol():
    played = []
    protocol = Protocol(step=2_000, precision=0.2, decide=6_000)
    players = ["HM", "CM", "CS", "HP"]
    tournament = play_tournament(
        players, 2_000, 1, done=lambda _, result: played.append(result.plan.hands), protocol=protocol
    )
    assert played == [2 * tournament.results[pair].pairs for pair in tournament.results]
    for (a, b), e in tournament.results.items():
        hands = 2 * e.pairs
        assert protocol.more(hands, e) == 0, (a, b)
    assert min(played) == 2_000
    assert "2,000 to" in tournament.as_text()


def test_published_matrix_gives_the_published_ranks():
    """D Table 8-3, with the ties 2.3-2.2, 2.0-SB and HP-1.0 (spec section 10)."""
    table = published()["table_8_3"]
    players = table["players"]
    ties = [{"AS 2.3", "AS 2.2"}, {"AS 2.0", "SB"}, {"HP", "AS 1.0"}]
    tournament = Tournament(players, 20_000, 1)
    for i, a in enumerate(players):
        for j, b in enumerate(players[:i]):
            mean = table["matrix"][i][j]
            tournament.results[a, b] = Estimate(mean, 2 * abs(mean) if {a, b} in ties else 0.5 * abs(mean), 10_000)
    ranking = tournament.ranking()
    assert [ranking.index(player) + 1 for player in players] == table["rank"]


def test_text_shows_results_with_their_intervals():
    tournament = Tournament(["a", "b"], 200, 1)
    tournament.results = {("a", "b"): Estimate(-1234.4, 56.5, 100)}
    lines = tournament.as_text().splitlines()
    assert lines[1].split() == ["1", "b", "1", "1,234", "1,234*"]
    assert lines[2].split() == ["+-56"]
    assert lines[3].split() == ["2", "a", "0", "-1,234", "-1,234*"]
    assert "200 duplicate hands" in lines[-1]
