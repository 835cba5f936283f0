"""Two constructed opponents (D 7.1): against one slow-playing is right, against the other floating. RUE finds both.

The agent's genome is silent (all genes 0) and its head `odds`, so it believes what the trees have counted and its own
EHS. Sixty scripted hands fill the trees; then it is asked once.
"""

import numpy as np
import pytest

from ashe.agents.ashe22 import Ashe22Config, RueConfig
from ashe.agents.ashe22_player import Ashe22Player
from ashe.cards.deck import parse_cards
from ashe.decision.utility import best, utilities
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal, deal_of
from ashe.players.base import PlainPlayer
from ashe.trees.edges import CALLS, FIRST_RAISE, FOLDS

HANDS = 60


class Scripted(Ashe22Player):
    """Plays `script(view)` where that is an action, thinks where it is None, and notes that once."""

    noted = None

    def act(self, decisions):
        super().act(decisions)
        view = decisions.view(0)
        action = self.script(view)
        if action is None and self.noted is None:
            self.noted = view, self.mind.u[0].copy(), int(self.mind.choice[0]), float(self.mind.p[0])
        if action is None:
            action = view.call() if view.call_cost == 0 else view.fold()
        return np.array([action.kind]), np.array([action.to])


def ask(opponent, script, deck, seat, rue):
    """The agent's view, utilities and choice in the last hand, whose deck is given (its seat first, then the board)."""
    config = Ashe22Config(blocks=1, size=1, hidden=1, head="odds", board_nodes=False, prior_visits=3.0, rue=rue)
    player = Scripted("hero", config, np.zeros(config.spec.length, np.float32))
    player.script = script
    cards = deal(3, 0, 2 * HANDS + 2)
    decks = cards.decks.copy()
    last = 2 * HANDS + seat  # slot 0 sits in seat hand % 2
    decks[last, 2 * seat : 2 * seat + 2] = parse_cards(deck[0])
    decks[last, 2 - 2 * seat : 4 - 2 * seat] = parse_cards(deck[1])
    decks[last, 4:9] = parse_cards(deck[2])
    Tables(
        (player, PlainPlayer("scripted", opponent)), deal_of(decks, cards.keys), [HalfMatch(0, 0, 0, last + 1)], 1
    ).run()
    return player.noted


def by_the_old_rule(view, p, phi):
    """ASHE 2.0's choice with the same p_win and the given fold probability for every raise."""
    to = np.zeros(5, np.int64)
    for i, x in enumerate((0.5, 1, 1.5, 2)):
        to[i] = int(view.bet + x * (view.pot + view.call_cost) + 0.5)
    to[4] = view.max_raise_to
    own, other = (20_000 - view.stacks[s] for s in (view.seat, 1 - view.seat))
    u = np.zeros(7)
    utilities(
        p, np.full(5, phi), to, own, other, view.call_cost, view.stacks[view.seat], view.bets[view.seat],
        view.stacks[1 - view.seat], 0, u,
    )  # fmt: skip
    return best(u)


class Trapped:
    """Calls down to the river; there it folds to any bet and bets the pot whenever it is checked to."""

    def act(self, view):
        if view.street < 3 or (view.call_cost and view.bets[view.seat]):
            return view.call()
        return view.fold() if view.call_cost else view.pot_raise(1.0)


@pytest.mark.parametrize("rue", [RueConfig(), RueConfig(every_river=False, min_reach=0.02, budget=96)])
def test_slow_playing(rue):
    """With the nuts out of position, after three bets: a fourth wins the pot, a check the bet that follows as well."""

    def script(view):
        if view.street < 3:
            return view.pot_raise(1.0)
        if view.hand == 2 * HANDS:
            return None
        if view.call_cost:
            return view.call()
        return view.call() if view.hand % 4 < 2 else view.pot_raise(1.0)

    deck = "AsAh", "7c2d", "AcAdKs9h4c"
    view, u, choice, p = ask(Trapped, script, deck, 0, rue)
    assert (view.street, view.call_cost, view.seat, view.pot) == (3, 0, 0, 5_400)
    assert p > 0.9
    assert choice == CALLS
    # half of the pot and the bet of 5,400 or more, against half of the pot
    assert u[CALLS] > 5_000 > u[FIRST_RAISE:].max()
    assert 2_500 < u[FIRST_RAISE + 1] < 4_500
    assert by_the_old_rule(view, p, 0.9) >= FIRST_RAISE


class GivesUp:
    """Bets the flop and moves all-in over a raise; then checks, and folds to a bet, on the turn."""

    def act(self, view):
        if view.street in (0, 3):
            return view.call()
        if view.street == 1:
            return view.all_in() if view.call_cost else view.pot_raise(1.0)
        return view.fold() if view.call_cost else view.call()


@pytest.mark.parametrize("rue", [RueConfig(), RueConfig(samples=32, every_river=False, min_reach=0.02, budget=96)])
def test_floating(rue):
    """In position with nothing: a call on the flop is paid back by a bluff on the turn."""

    def script(view):
        if view.street == 0:
            return view.call()
        if view.street == 1:
            if view.hand == 2 * HANDS + 1:
                return None
            if view.bets[view.seat]:
                return view.fold()
            return view.call() if view.hand % 4 < 2 else view.pot_raise(1.0)
        return view.pot_raise(0.5) if view.street == 2 else view.call()

    deck = "7c2d", "KhQh", "AsKdQc4h5s"
    view, u, choice, p = ask(GivesUp, script, deck, 1, rue)
    assert (view.street, view.seat) == (1, 1)
    assert view.call_cost == 200
    assert p < 0.3
    assert choice == CALLS
    assert u[CALLS] > 100 > u[FOLDS] == -100
    assert by_the_old_rule(view, p, 0.05) == FOLDS
