"""What every registered player must do: legal moves, chips conserved, reproducible, blind to hidden cards."""

import numpy as np
import pytest

from ashe.errors import IllegalActionError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game import engine as e
from ashe.game.deal import deal, deal_of
from ashe.game.rules import HEADS_UP
from ashe.game.view import Action, legal_error
from ashe.players.base import PlainPlayer
from ashe.players.registry import make_player, player_names

NAMES = player_names()
HANDS = 60


def one_table(a, b, cards=None, on_hand=None):
    tables = Tables((a, b), cards or deal(3, 0, HANDS), [HalfMatch(0, 0, 0, HANDS)], 3)
    tables.run(on_hand)
    return tables


@pytest.mark.parametrize("name", NAMES)
def test_moves_are_legal_and_chips_conserved(name):
    """Replay every hand with the checking engine."""

    def replay(tables, ended):
        for t in ended:
            hand = e.new_tables(1)
            e.start_hand(hand, 0, 2, 50, 100, 0, np.array([20_000, 20_000]))
            for event in tables.events(t):
                low, high = e.raise_range(hand, 0)
                assert hand[0, e.ACTOR] == event.seat
                assert legal_error(event.kind, event.to, e.call_cost(hand, 0), low, high) is None
                e.act(hand, 0, event.kind, event.to)
                assert hand[0, e.STACKS : e.STACKS + 2].sum() + hand[0, e.POT] == 40_000
            assert hand[0, e.ACTOR] == -1

    for opponent in ("random", "HM"):
        one_table(make_player(name), make_player(opponent), on_hand=replay)


@pytest.mark.parametrize("name", NAMES)
def test_reproducible(name):
    first, second = (one_table(make_player(name), make_player("random")) for _ in range(2))
    assert (first.won == second.won).all()
    assert (first.stats == second.stats).all()


@pytest.mark.parametrize("name", NAMES)
def test_many_tables_equal_one(name):
    plan = MatchPlan(name, "random", hands=400, half=50)
    assert (play_match(plan, batch=4).chips == play_match(plan, batch=1).chips).all()


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_do_not_matter(name):
    """Exchange the opponent's cards and the unseen board for other unseen cards: the first move stays the same."""
    cards = deal(9, 0, HANDS)
    rng = np.random.default_rng(1)
    decks = cards.decks.copy()
    for d in range(HANDS):
        button_hole = decks[d, 2:4].copy()
        rest = np.setdiff1d(np.arange(52), button_hole)
        other = rng.permutation(rest)[:7]
        decks[d] = [other[0], other[1], *button_hole, *other[2:]]
    changed = deal_of(decks, cards.keys)
    moves = []
    for source in (cards, changed):
        seen = []
        player = make_player(name)

        def note(tables, ended, seen=seen):
            for t in ended:
                first = tables.events(t)[0]
                seen.append((first.kind, first.to) if tables.seat_of(t, 0) == 1 else None)

        one_table(player, make_player("CM"), source, note)
        moves.append(seen)
    assert moves[0] == moves[1]


class Checker:
    """A plain player that copies CM."""

    def act(self, view):
        assert len(view.board) == (0, 3, 4, 5)[view.street]
        assert str(view)
        return view.call()


class Cheat:
    def act(self, view):
        return Action(2, 10)


def test_plain_python_player_equals_the_compiled_rule():
    plan = MatchPlan(f"{__name__}:Checker", "HP", hands=200, half=50)
    compiled = MatchPlan("CM", "HP", hands=200, half=50)
    assert (play_match(plan).chips == play_match(compiled).chips).all()


class Arrays:
    """A batched player that compares each view with its row of the arrays, then plays as the plain one."""

    name, learns = "arrays", False

    def begin(self, tables, keys):
        self.seen = 0

    def act(self, decisions):
        a = decisions.arrays()
        for i in range(len(decisions)):
            view = decisions.view(i)
            self.seen += 1
            assert tuple(a.hole[i]) == view.hole
            assert tuple(c for c in a.board[i] if c >= 0) == view.board
            assert a.ehs[i] == np.float32(view.ehs)
            assert a.percentile[i] == pytest.approx(view.percentile, abs=1e-6)
            assert [tuple(x) for x in a.history[a.tables[i], : a.length[i]]] == [tuple(x) for x in view.history]
            assert (a.state[i, e.ACTOR], a.state[i, e.POT]) == (view.seat, view.pot)
        assert len(set(a.keys.tolist())) == len(a.keys)
        return np.full(len(a.keys), e.CALL), np.zeros(len(a.keys), np.int64)


def test_arrays_show_what_views_show():
    player = Arrays()
    tables = one_table(player, make_player("HM"))
    assert player.seen > HANDS
    assert (tables.won == one_table(make_player("CM"), make_player("HM")).won).all()


def test_illegal_action_is_named():
    with pytest.raises(IllegalActionError, match="raise to 10: the legal range is 200 to 20000"):
        one_table(PlainPlayer("cheat", Cheat), make_player("CM"))


def test_rules_are_the_papers():
    assert (HEADS_UP.small_blind, HEADS_UP.big_blind, HEADS_UP.stack) == (50, 100, 20_000)
