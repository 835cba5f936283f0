"""A live table shows a player what a match shows it: the same hands, the same decisions."""

import pytest

from ashe.errors import UserError
from ashe.evaluation.live import LiveTable
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.game.view import BOARD_CARDS, Action
from ashe.players.registry import make_player

HANDS = 40


class Learner:
    """A plain player whose moves depend on everything it has been told."""

    def __init__(self):
        self.told = 0

    def act(self, view):
        if (self.told + len(view.history)) % 3 == 0:
            return view.pot_raise(1.0)
        return view.call() if view.ehs > 0.4 else view.fold()

    def hand_over(self, result):
        self.told += result.chips + len(result.board) + sum(result.shown or ())


@pytest.mark.parametrize("name", ["HP", "TA", "LA", "CS", "LBR@HP", f"{__name__}:Learner"])
def test_decides_as_in_a_match(name):
    cards = deal(6, 0, HANDS)
    live = LiveTable(make_player(name), 6)

    def follow(tables, ended):
        for t in ended:
            deck, seat = tables.deck_row(t), tables.seat_of(t, 0)
            live.start(int(tables.meta[t, 2]), seat, cards.hole(deck, seat))
            live.key = cards.keys[deck]
            for event in tables.events(t):
                live.deal(cards.board(deck, BOARD_CARDS[event.street]))
                if event.seat == seat:
                    assert live.decide() == Action(event.kind, event.to)
                live.act(Action(event.kind, event.to))
            result = tables.result(t, 0)
            live.deal(result.board)
            live.finish(result.chips, result.shown)

    Tables((make_player(name), make_player("HM")), cards, [HalfMatch(0, 0, 0, HANDS)], 6).run(follow)


def test_misuse_is_named():
    live = LiveTable(make_player("CM"), 1)
    live.start(0, 0, (0, 1))
    with pytest.raises(UserError, match="seat 0 is not to act"):
        live.decide()
    live.act(Action(1))
    live.act(Action(1))
    with pytest.raises(UserError, match="the board has 0 cards"):
        live.decide()
    live.deal((5, 6, 7))
    with pytest.raises(UserError, match="does not continue"):
        live.deal((8, 6, 7, 9))
