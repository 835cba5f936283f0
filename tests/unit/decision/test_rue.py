"""RUE against its slow twin, at decisions of real hands: preflop to river, unknown nodes, all-ins, board nodes."""

from dataclasses import replace

import numpy as np
import pytest
from rue_twin import Twin, copy
from tests.habits_twin import same_habits

from ashe.agents.ashe22 import Ashe22Config, RueConfig
from ashe.agents.ashe22_player import Ashe22Player
from ashe.agents.preliminary import PreliminaryConfig
from ashe.decision.frontier import OARE_STEPS
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.game.hand import Hand
from ashe.game.view import Action
from ashe.players.registry import make_player
from ashe.trees.edges import slot_of
from ashe.trees.prt import to_arrays

SMALL = {"blocks": 2, "size": 3, "hidden": 5}
FULL = RueConfig(samples=12)  # the paper's search on fewer run-outs
PRUNED = RueConfig(samples=16, every_river=False, strength_groups=2, min_reach=0.02, budget=40)
HABITS = {"habit_visits": 5.0, "selective": True}
VARIANTS = {
    "2.2 paper": {"head": "direct", "rue": FULL},
    "2.2 desktop": {"head": "odds", "rue": PRUNED},
    "2.2 modulated, no board nodes": {"head": "modulated", "board_nodes": False, "rue": PRUNED},
    "2.3 paper": {"kind": "ashe23", "head": "direct", "rue": FULL},
    "2.3 printed rank": {"kind": "ashe23", "printed_rank": True, "rue": FULL},
    "2.3 desktop": {"kind": "ashe23", "head": "odds", "rue": PRUNED},
    "2.2 habits": {"head": "odds", "rue": PRUNED, **HABITS},
    "2.2 habits, direct": {"head": "direct", "board_nodes": False, "rue": PRUNED, **HABITS},
    "2.3 habits": {"kind": "ashe23", "head": "odds", "rue": PRUNED, **HABITS},
    "2.2 first unknown": {"head": "odds", "rue": replace(PRUNED, search_unknown=1), **HABITS},
    "2.3 unknown": {"kind": "ashe23", "head": "odds", "rue": replace(PRUNED, search_unknown=99), **HABITS},
}
OPPONENTS = ("HM", "LA", "CM", "random", "TA")


def genome_of(config, seed):
    """Lively: answers differ from node to node."""
    return config.spec.sample(seed, 1)[0] * 3


class Compared(Ashe22Player):
    """Asks the twin at every `every`-th decision."""

    def attach(self, source, every):
        self.source, self.every, self.asked, self.worst = source, every, 0, 0.0
        self.twin = Twin(self.config, self.genome[0], self.mind, self.settings.use_default == 1)
        self.count, self.depths, self.streets = 0, [], []

    def act(self, decisions):
        nodes = self.search.work[OARE_STEPS]
        answer = super().act(decisions)
        self.count += 1
        self.depths.append(int(self.search.work[OARE_STEPS] - nodes))
        if self.count % self.every == 0:
            self.compare(decisions)
        return answer

    def hand_over(self, finished):
        super().hand_over(finished)
        result = finished.result(0)
        self.twin.habits.learn(result.seat, self.source.events(0), result.shown, result.board)

    def path(self, view):
        """[(node, default node, hand there)] from the root, and where the next action leads on from."""
        m, hand = self.mind, Hand()
        nodes = [(int(m.roots[0, view.seat]), int(m.default_roots[0, view.seat]), copy(hand))]
        at = nodes[-1][:2]
        for event in view.history:
            own, street = event.seat == view.seat, hand.street
            most = hand.bets[event.seat] + hand.stacks[event.seat]
            slot = slot_of(own, event.kind, event.to, max(hand.bets), hand.pot, hand.call_cost, most)
            hand.act(Action(event.kind, event.to))
            at = int(m.trees.child[at[0], slot]), int(m.default.child[at[1], slot])
            nodes.append((*at, copy(hand)))
            if hand.street != street and self.config.board_nodes:
                cluster = int(m.cluster[0, hand.street])
                at = int(m.trees.child[at[0], cluster]), int(m.default.child[at[1], cluster])
        return nodes, at

    def compare(self, decisions):
        view, arrays = decisions.view(0), decisions.arrays()
        self.twin.mind = self.mind
        path, at = self.path(view)
        known = [float(x) for x in arrays.strengths[0]]
        expected = self.twin.utilities(view, arrays.hand_keys[0], known, path, *at)
        ours = {slot: float(u) for slot, u in enumerate(self.mind.u[0]) if np.isfinite(u)}
        assert ours.keys() == expected.keys()
        for slot, u in expected.items():
            # utilities are chips: 1e-4 of what is at stake
            assert ours[slot] == pytest.approx(u, abs=1e-4 * 20_000, rel=1e-4), (slot, view)
            self.worst = max(self.worst, abs(ours[slot] - u))
        self.asked += 1
        self.streets.append(view.street)


def play(config, seed, opponent, hands, every, default=None):
    """One half match; trees grow as it goes."""
    player = Compared("hero", config, genome_of(config, seed), default=default)
    cards = deal(seed, 0, hands)
    tables = Tables((player, make_player(opponent)), cards, [HalfMatch(0, 0, 0, hands)], seed)
    player.attach(tables, every)
    tables.run()
    same_habits(player.mind.habits, player.twin.habits)
    return player


def check(variant, hands, every, default=None):
    config = Ashe22Config(**{**SMALL, "reliable": 1, **VARIANTS[variant]})
    if default is not None:
        config = Ashe22Config(**{**SMALL, "reliable": 1, **VARIANTS[variant], "preliminary": PreliminaryConfig(10)})
    players = [play(config, seed, name, hands, every, default) for seed, name in enumerate(OPPONENTS)]
    seen = {key: sum(p.twin.seen[key] for p in players) for key in players[0].twin.seen}
    assert len({s for p in players for s in p.streets}) >= 3
    everything = config.rue.search_unknown > 9  # then no node is taken for unknown
    assert min(seen["nodes"], everything or seen["unknown"], seen["splits"], seen["all-in"]) > 0, seen
    assert config.rue.budget == 0 or seen["cut"] > 0
    return players


@pytest.mark.parametrize("variant", VARIANTS)
def test_twin(variant):
    players = check(variant, 60, 11)
    assert sum(p.asked for p in players) >= 30


def left_by(variant):
    """The trees of another match."""
    other = play(Ashe22Config(**{**SMALL, "reliable": 1, **VARIANTS[variant]}), 7, "LA", 150, 10**9)
    return to_arrays(other.mind.trees, other.mind.roots[0])


def test_twin_with_default_trees_and_habits():
    """Habits stand in where the default trees know nothing, and the other way round."""
    players = check("2.2 habits", 60, 11, left_by("2.2 habits"))
    assert sum(p.asked for p in players) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_twin_at_500_situations(variant):
    """Half of them with default trees, which another match has left."""
    players = check(variant, 150, 5) + check(variant, 150, 5, left_by(variant))
    assert sum(p.asked for p in players) >= 500
