"""`ashe.inspect tree` and the readable dump."""

import json
import sys

import numpy as np
import pytest

from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player
from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.game.hand import Hand
from ashe.game.view import Action
from ashe.inspect import TreeBuilder, main
from ashe.players.registry import make_player
from ashe.trees.dump import read_tree
from ashe.trees.edges import OPPONENT_NAMES, OWN_NAMES, slot_of

HANDS = 150


def names_of(hand, seat, action):
    own = hand.actor == seat
    most = hand.bets[hand.actor] + hand.stacks[hand.actor]
    slot = slot_of(own, action.kind, action.to, max(hand.bets), hand.pot, hand.call_cost, most)
    return (OWN_NAMES if own else OPPONENT_NAMES)[slot]


class Replay:
    """Walks every hand through the engine and keeps, per line, who acts on which street and how often it was seen."""

    def __init__(self):
        self.seen, self.builder = {}, TreeBuilder()

    def __call__(self, tables, ended):
        self.builder(tables, ended)
        seat, hand = tables.seat_of(0, 0), Hand()
        line = (seat,)
        for event in [None, *tables.events(0)]:
            if event is not None:
                line = (*line, names_of(hand, seat, event))
                hand.act(Action(event.kind, event.to))
            if not hand.over:
                visits = self.seen.get(line, (0,))[0]
                self.seen[line] = (visits + 1, hand.street, hand.actor == seat)


def test_dump_knows_streets_and_who_acts():
    replay = Replay()
    players = (make_player("random"), make_player("HP"))
    Tables(players, deal(3, 0, HANDS), [HalfMatch(0, 0, 0, HANDS)], 3).run(replay)
    found = {}

    def walk(node, line):
        found[line] = (node.visits, node.street, node.owner_acts)
        if any(node.following):
            assert not node.owner_acts
            assert sum(node.following) == node.visits
        for child in node.children:
            assert child.own == node.owner_acts
            walk(child, (*line, child.edge))

    for seat in (0, 1):
        walk(read_tree(replay.builder.mind.trees, int(replay.builder.mind.roots[0, seat]), seat), (seat,))
    assert found == replay.seen
    assert {street for _, street, _ in found.values()} == {0, 1, 2, 3}


def test_built_trees_are_the_agents_own():
    config = Ashe2Config(blocks=3, size=4, hidden=6, head="modulated")
    player = Ashe2Player("hero", config, config.spec.sample(1, 1)[0] * 4)
    builder = TreeBuilder()
    Tables((player, make_player("random")), deal(3, 0, HANDS), [HalfMatch(0, 0, 0, HANDS)], 3).run(builder)
    ours, built = player.mind.trees, builder.mind.trees
    n = int(ours.used[0])
    assert n == built.used[0] > 10
    # nodes are numbered by first visit: during a hand for the agent, after it for the builder, which is the same order
    assert (ours.child[:n] == built.child[:n]).all()
    assert (ours.counts[:n] == built.counts[:n]).all()
    assert np.allclose(ours.strength[:n], built.strength[:n])


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["ashe.inspect", *map(str, arguments)])
    return main()


def test_command_writes_text_data_and_figure(tmp_path, monkeypatch, capsys):
    run(monkeypatch, "tree", "TA", "CM", "--hands", 100, "--out", tmp_path / "new")
    text = capsys.readouterr().out
    assert text.startswith("button: 50 hands\n")
    assert (tmp_path / "new" / "tree.txt").read_text() == text
    data = json.loads((tmp_path / "new" / "tree.json").read_text())
    button = data["trees"]["button"]
    assert (button["f"], button["to_act"], data["trees"]["big blind"]["to_act"]) == (50, "owner", "opponent")
    # TA opens to 2.5 big blinds (0.75 pots, nearest own size 1 pot); CM always calls.
    (opened,) = button["children"]
    assert (opened["edge"], opened["next"]["call"]) == ("1 pot", 50)
    assert (tmp_path / "new" / "tree.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tree", "TA", "CM", "--hands", 0), "give at least 1"),
        (("tree", "TA", "nobody"), "unknown player 'nobody'"),
        (("tree", "TA", "CM", "--out", "/dev/null/x"), "choose another --out"),
    ],
)
def test_bad_input(arguments, message, monkeypatch):
    with pytest.raises(UserError, match=message):
        run(monkeypatch, *arguments)
