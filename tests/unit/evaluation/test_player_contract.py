"""What every registered player must do: legal moves, chips conserved, reproducible, blind to hidden cards."""

import numpy as np
import pytest

from ashe.errors import IllegalActionError
from ashe.evaluation import kernel as k
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game import engine as e
from ashe.game.deal import deal, deal_of
from ashe.game.rules import HEADS_UP
from ashe.game.view import BOARD_CARDS, Action, legal_error
from ashe.opponents.dispatch import RULES
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
    """Replay every hand with the checking engine, and settle it with the general rule for many seats."""

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
            payoffs = np.zeros((1, 2), np.int64)
            e.settle(hand, 0, tables.deal.rank, tables.deck_row(t), payoffs)
            assert payoffs.sum() == 0
            assert payoffs[0, tables.seat_of(t, 0)] == tables.won[t, tables.meta[t, k.HAND]]

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


def with_other_hidden_cards(cards, street):
    """The same decks as the player of each sees them on `street`, with all it cannot see drawn anew.

    The player sits in seat d % 2 of deck d. Returns the new deal; the deck's coin flips stay.
    """
    rng = np.random.default_rng(street)
    decks = cards.decks.copy()
    for d in range(cards.size):
        seat = d % 2
        seen = [2 * seat, 2 * seat + 1, *range(4, 4 + BOARD_CARDS[street])]
        hidden = [i for i in range(9) if i not in seen]
        decks[d, hidden] = rng.permutation(np.setdiff1d(np.arange(52), decks[d, seen]))[: len(hidden)]
    return deal_of(decks, cards.keys)


def moves_of(name, cards, opponent):
    """Every deck as a half match of one hand, the player in seat d % 2: its events, whole hands."""
    halves = [HalfMatch(d, d % 2, d, 1) for d in range(cards.size)]
    tables = Tables((make_player(name), make_player(opponent)), cards, halves, 9)
    seen = {}

    def note(tables, ended):
        for t in ended:
            assert tables.seat_of(t, 0) == t % 2
            seen[int(t)] = tables.events(t)

    tables.run(note)
    return [seen[t] for t in range(len(halves))]


@pytest.mark.parametrize("street", range(4))
@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_do_not_matter(name, street):
    """Draw the opponent's cards and the board to come anew: everything up to this street stays as it was.

    The opponents do not look at their cards (`random` flips the deck's coins), so any difference is the player's.
    """
    cards = deal(9, 0, HANDS)
    changed = with_other_hidden_cards(cards, street)
    reached = {0: 0, 1: 0}
    for opponent in ("random", "CM"):
        before, after = (moves_of(name, source, opponent) for source in (cards, changed))
        for d, (one, two) in enumerate(zip(before, after, strict=True)):
            known = [event for event in one if event.street <= street]
            assert known == [event for event in two if event.street <= street]
            reached[d % 2] += any(event.street == street and event.seat == d % 2 for event in known)
    # Champions go where their genomes lead, and these rules end most hands, or their decisions, before the river.
    if name in RULES and name not in ("fold", "minraise", "HM"):
        assert min(reached.values()) > 0


class Peeker:
    """Looks at the river card before it is dealt, as a player could if a view leaked the deal."""

    deal = None

    def act(self, view):
        row = next(d for d in range(HANDS) if self.deal.hole(d, view.seat) == view.hole)
        return view.all_in() if self.deal.board(row)[4] % 2 else view.call()


def test_the_hidden_card_test_notices_a_cheat():
    found = []
    for source in (cards := deal(9, 0, HANDS), with_other_hidden_cards(cards, 2)):
        halves = [HalfMatch(d, d % 2, d, 1) for d in range(HANDS)]
        cheat = type("Cheat", (Peeker,), {"deal": source})
        tables = Tables((PlainPlayer("peeker", cheat), make_player("CM")), source, halves, 9)
        firsts = {}
        tables.run(lambda tables, ended, firsts=firsts: firsts.update({int(t): tables.events(t)[:2] for t in ended}))
        found.append(firsts)
    assert found[0] != found[1]


def test_the_opponents_cards_are_shown_only_after_a_showdown():
    cards = deal(3, 0, HANDS)
    results, finals = [], []

    class Nosy:
        def act(self, view):
            return view.call()

        def hand_over(self, result):
            results.append(result)

    def note(tables, ended):
        finals.extend((int(tables.state[t, e.STREET]), int(tables.state[t, e.CLOSED])) for t in ended)

    one_table(PlainPlayer("nosy", Nosy), make_player("fold"), cards, note)
    one_table(PlainPlayer("nosy", Nosy), make_player("random"), cards, note)
    assert {street for street, _ in finals} == {e.SHOWDOWN, e.FOLDED_OUT}
    for result, (street, closed) in zip(results, finals, strict=True):
        if street == e.SHOWDOWN:
            assert result.shown == cards.hole(result.hand, 1 - result.seat)
            assert result.board == cards.board(result.hand)
        else:
            assert result.shown is None
            assert result.board == cards.board(result.hand, BOARD_CARDS[closed])


@pytest.mark.parametrize(("a", "b"), [("HP", "TA"), ("LA", "random"), ("CS", "SL")])
def test_changing_sides_mirrors_the_result(a, b):
    """Static players: A's first half is B's second half, with the other sign."""
    one, two = (play_match(MatchPlan(*pair, hands=400, half=100)) for pair in ((a, b), (b, a)))
    assert (one.chips == -two.chips[::-1]).all()
    assert (one.counts == two.counts[::-1]).all()


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
