"""ASHE 2.0: the compiled training loop against the match player, and that against a slow obvious twin."""

from collections import defaultdict

import numpy as np
import pytest

from ashe.agents.ashe2 import Ashe2Config, Ashe2Evaluator, Ashe2Problem
from ashe.agents.ashe2_player import Ashe2Player
from ashe.cards.clusters import CENTROIDS
from ashe.cards.equity import ehs
from ashe.cards.random import derive_key
from ashe.cards.texture import texture
from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.evolution.composing import compose, default_config_dir, settings_of
from ashe.evolution.protocols import GenerationTask
from ashe.game import engine as e
from ashe.game.deal import deal
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP
from ashe.game.view import BOARD_CARDS, Action
from ashe.players.registry import make_player
from ashe.train import plan_of
from ashe.trees.defaults import street_defaults

SMALL = {"blocks": 3, "size": 4, "hidden": 6}
VARIANTS = {
    "direct": {},
    "modulated": {"head": "modulated"},
    "odds": {"head": "odds"},
    "prototype cells": {"output_tanh": False, "init": "prototype", "reliable": 0},
    "no trees": {"head": "modulated", "trees": False},
    "no state": {"lstm_state": False},
    "no ofre": {"head": "modulated", "ofre": False},
    "board nodes": {"head": "modulated", "board_nodes": True, "reliable": 0},
}
OPPONENTS = ("HM", "CS", "random", "TA", "LA")
SEED, GENERATION = 5, 2


def with_log_odds(guess, a, least):
    def log_odds(p):
        return np.log(p / (1 - p))

    return 1 / (1 + np.exp(-log_odds(min(max(guess, least), 1 - least)) - log_odds(a)))


def genome_of(config, seed):
    """Strong weights, so that outputs differ from one node to the next."""
    return config.spec.sample(seed, 1)[0] * 4


def tables_of(player, opponent, hands, halves=(0,)):
    """The half matches that a training evaluator plays in this generation, by the machinery of matches."""
    cards = deal(SEED, GENERATION * hands, hands, stream="training decks")
    tables = Tables((player, make_player(opponent)), cards, [HalfMatch(0, half, 0, hands) for half in halves], SEED)
    tables.style_keys[:] = np.uint64(derive_key(SEED, "style", GENERATION, opponent))
    return tables


def kinds_played(tables, ended):
    return {a.kind for t in ended for a in tables.events(t) if a.seat == tables.seat_of(t, 0)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_training_equals_match_play(variant):
    hands, kinds = 60, set()
    config = Ashe2Config(**SMALL, **VARIANTS[variant])
    genomes = np.stack([genome_of(config, i) for i in range(5)])
    result = Ashe2Evaluator(config, HEADS_UP, hands).evaluate(genomes, GenerationTask(SEED, GENERATION, OPPONENTS))
    for i, genome in enumerate(genomes):
        for j, opponent in enumerate(OPPONENTS):
            tables = tables_of(Ashe2Player("hero", config, genome), opponent, hands, (0, 1))
            tables.run(lambda t, ended: kinds.update(kinds_played(t, ended)))
            assert result["chips"][i, j] == tables.won.sum()
            assert result["adjusted"][i, j] == pytest.approx(tables.adjusted.sum())
    assert kinds == {FOLD, CALL, RAISE}  # the genomes are lively enough for the comparison to mean something


def test_shared_estimator_and_group_size_change_nothing():
    """The frozen estimator of a session steps for several individuals at once."""
    config = Ashe2Config(**SMALL)
    genomes = np.stack([genome_of(config, i) for i in range(5)])
    genomes[:, slice(*config.spec.part("swre"))] = genomes[0, slice(*config.spec.part("swre"))]
    task = GenerationTask(SEED, GENERATION, OPPONENTS)
    results = [Ashe2Evaluator(config, HEADS_UP, 30, group).evaluate(genomes, task)["chips"] for group in (1, 2, 3, 5)]
    for other in results[1:]:
        assert (other == results[0]).all()
    alone = Ashe2Evaluator(config, HEADS_UP, 30).evaluate(genomes[3:4], GenerationTask(SEED, GENERATION, ("LA",)))
    assert alone["chips"][0, 0] == results[0][3, 4]


def test_trees_grow_beyond_the_pool(monkeypatch):
    config = Ashe2Config(**SMALL)
    genomes, task = genome_of(config, 2)[None], GenerationTask(SEED, GENERATION, OPPONENTS)
    expected = Ashe2Evaluator(config, HEADS_UP, 60).evaluate(genomes, task)["chips"]
    monkeypatch.setattr("ashe.agents.ashe2.NODES_PER_TABLE", 1)
    evaluator = Ashe2Evaluator(config, HEADS_UP, 60)
    assert (evaluator.evaluate(genomes, task)["chips"] == expected).all()
    assert evaluator.nodes > 10


# ---------------------------------------------------------------- the twin
def logistic(v):
    return 1 / (1 + np.exp(-v))


class TwinEstimator:
    """Spec section 3's equations and section 5's net, in double precision, from the root every time."""

    def __init__(self, config, genome, name):
        parts = {k.removeprefix(name + "."): v.astype(float) for k, v in config.spec.unflatten(genome).items()
                 if k.startswith(name + ".")}  # fmt: skip
        self.w, self.config = parts, config

    def step(self, state, x):
        c, y = state
        w, g = self.w, self.config
        own_block = y.reshape(g.blocks, 1, g.size).repeat(g.size, axis=1).reshape(len(y), g.size)
        gates = w["lstm.W"] @ x + np.einsum("kgj,kj->kg", w["lstm.R"], own_block) + w["lstm.bias"]
        p_i, p_f, p_o = w["lstm.peephole"].T
        z, i, f, o = gates.T
        c = logistic(i + p_i * c) * np.tanh(z) + logistic(f + p_f * c) * c
        return c, logistic(o + p_o * c) * (np.tanh(c) if g.output_tanh else c)

    def output(self, rows):
        """After one step per row, from the initial state."""
        if not self.config.lstm_state:
            rows = rows[-1:]
        state = self.w["lstm.c0"], self.w["lstm.y0"]
        for x in rows:
            state = self.step(state, np.array(x, float))
        hidden = np.tanh(self.w["net.layer0.W"] @ state[1] + self.w["net.layer0.bias"])
        return logistic((self.w["net.layer1.W"] @ hidden + self.w["net.layer1.bias"])[0])


def new_stats():
    return {"f": 0, "sd": 0, "of": 0, "s": []}


class Twin:
    """One table, one opponent: plain dictionaries and lists, everything recomputed at every decision."""

    def __init__(self, config, genome):
        self.config = config
        self.swre, self.ofre = TwinEstimator(config, genome, "swre"), TwinEstimator(config, genome, "ofre")
        self.tree = defaultdict(new_stats)  # (seat, edge, edge, ...) -> stats

    def edge(self, hand, seat, kind, to):
        if kind == FOLD:
            return "fold"
        if kind == CALL:
            return "call"
        if hand.actor == seat:
            if to == hand.bets[seat] + hand.stacks[seat]:
                return "all-in"
            pots = (to - max(hand.bets)) / (hand.pot + hand.call_cost)
            return min((0.5, 1.0, 1.5, 2.0), key=lambda x: abs(x - pots))
        pots = (to - max(hand.bets)) / (hand.pot + hand.call_cost)
        return "b" + str(sum(pots > x for x in (0.125, 0.375, 0.75, 1.25, 2, 4)) + 1)

    def walk(self, seat, events, board):
        """The path of a hand: (node, hand there) for the root and every action that does not end it; where it goes on.

        After a call that brings cards it goes on from the node of the board's cluster.
        """
        hand, after = Hand(), (seat,)
        path = [(after, self.copy(hand))]
        for event in events:
            node, street = (*after, self.edge(hand, seat, event.kind, event.to)), hand.street
            hand.act(Action(event.kind, event.to))
            if not hand.over:
                path.append((node, self.copy(hand)))
                after = node
                if self.config.board_nodes and hand.street > street:
                    after = (*node, self.cluster(board[: BOARD_CARDS[hand.street]]))
        return path, hand, after

    def cluster(self, board):
        centres = CENTROIDS[("", "flop", "turn", "river")[len(board) - 2]]
        return f"board {((centres - np.array(texture(board))) ** 2).sum(axis=1).argmin()}"

    def copy(self, hand):
        other = Hand()
        other.row = hand.row.copy()
        return other

    def features(self, node, hand, seat, strength):
        stats = self.tree[node] if self.config.trees else new_stats()
        showdown, fold, s = street_defaults(self.config.street_defaults)[hand.street]
        if stats["f"] > self.config.reliable:
            showdown, fold = stats["sd"] / stats["f"], stats["of"] / stats["f"]
            s = np.mean(stats["s"]) if stats["s"] else s
        confidence = min(1, stats["f"] / self.config.lambdas[hand.street])
        odds = hand.call_cost / (hand.pot + hand.call_cost)
        own, other = 20_000 - hand.stacks[seat], 20_000 - hand.stacks[1 - seat]
        raises = int(hand.row[0, e.N_BET]) - (hand.street == 0)
        return [
            showdown, fold, s, confidence, *np.eye(4)[hand.street], strength, odds, own / 20_000, other / 20_000,
            min(1, raises / 4), seat,
        ]  # fmt: skip

    def utilities(self, view):
        """{(kind, to): utility}."""
        seat = view.seat
        path, hand, at = self.walk(seat, view.history, view.board)
        strengths = [ehs(view.hole, view.board[: BOARD_CARDS[h.street]]) for _, h in path]
        rows = [self.features(node, h, seat, s) for (node, h), s in zip(path, strengths, strict=True)]
        a = self.swre.output(rows)
        p = {
            "direct": lambda: a,
            "modulated": lambda: strengths[-1] ** (1 / a),
            "odds": lambda: with_log_odds(strengths[-1], a, 0.02),
        }[self.config.head]()
        own, other = 20_000 - hand.stacks[seat], 20_000 - hand.stacks[1 - seat]
        u = {(CALL, 0): (2 * p - 1) * min(other, own + hand.stacks[seat])}
        if view.call_cost:
            u[FOLD, 0] = -own
        low, high = hand.raise_range
        war = view.call_cost and view.n_bet >= (3 if view.button else 4)
        wishes = [] if war else [int(view.bet + x * (view.pot + view.call_cost) + 0.5) for x in (0.5, 1, 1.5, 2)]
        for to in [w for w in wishes if low <= w < high] + [high] * (low > 0):
            after = self.copy(hand)
            node = (*at, self.edge(hand, seat, RAISE, to))
            after.raise_to(to)
            phi = self.fold_probability(rows, node, after, seat)
            stake = min(own + to - hand.bets[seat], 20_000)
            u[RAISE, to] = phi * other + (1 - phi) * (2 * p - 1) * stake
        return u

    def fold_probability(self, rows, node, after, seat):
        stats = self.tree[node] if self.config.trees else new_stats()
        odds = after.call_cost / (after.pot + after.call_cost)
        prior = odds * (1 + BOARD_CARDS[after.street] / 5)
        share = min(1, stats["f"] / 10)
        guess = share * stats["of"] / max(stats["f"], 1) + (1 - share) * prior
        if not self.config.ofre:
            return guess
        ahead = [*rows, self.features(node, after, seat, 0.0)]
        a = self.ofre.output([[*row[:8], *row[9:]] for row in ahead])
        return {"direct": a, "modulated": guess**a, "odds": with_log_odds(guess, a, 0.1)}[self.config.head]

    def learn(self, seat, events, shown, board):
        path, hand, _ = self.walk(seat, events, board)
        folded = shown is None and (int(hand.row[0, e.LIVE]) >> seat) & 1
        for node, there in path:
            stats = self.tree[node]
            stats["f"] += 1
            stats["sd"] += shown is not None
            stats["of"] += folded
            if shown is not None:
                stats["s"].append(ehs(shown, board[: BOARD_CARDS[there.street]]))


class Checked(Ashe2Player):
    """Asks the twin at every decision. Single and double precision may choose differently between equal utilities."""

    def attach(self, twin, source):
        self.twin, self.source, self.kinds, self.ties, self.decisions = twin, source, [], 0, 0

    def act(self, decisions):
        kinds, totals = super().act(decisions)
        u = self.twin.utilities(decisions.view(0))
        chosen, expected = (int(kinds[0]), int(totals[0])), max(u.values())
        if u[chosen] != expected:
            self.ties += 1
            assert u[chosen] == pytest.approx(expected, rel=1e-4, abs=1e-2)
        self.decisions += 1
        self.kinds.append(chosen[0])
        return kinds, totals

    def hand_over(self, finished):
        super().hand_over(finished)
        result = finished.result(0)
        self.twin.learn(result.seat, self.source.events(0), result.shown, result.board)


SLOTS = {"fold": 0, "call": 1, 0.5: 2, 1.0: 3, 1.5: 4, 2.0: 5, "all-in": 6, **{f"b{i}": 1 + i for i in range(1, 8)},
         **{f"board {i}": i for i in range(7)}}  # fmt: skip


def stats_of(player):
    """{(seat, slot, slot, ...): [f, c_sd, c_of, sum of s]} of the compiled trees."""
    trees, out = player.mind.trees, {}

    def visit(node, path):
        if trees.counts[node, 0]:
            out[path] = [*trees.counts[node].tolist(), float(trees.strength[node])]
        for slot, child in enumerate(trees.child[node]):
            if child:
                visit(child, (*path, slot))

    for seat, root in enumerate(player.mind.roots[0]):
        visit(root, (seat,))
    return out


def stats_of_twin(twin):
    return {
        (path[0], *(SLOTS[edge] for edge in path[1:])): [s["f"], s["sd"], s["of"], sum(s["s"])]
        for path, s in twin.tree.items()
        if s["f"]
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_twin_makes_the_same_decisions(variant):
    """2,000 hands for each of the two heads, fewer for the others: actions and trees."""
    config = Ashe2Config(**SMALL, **VARIANTS[variant])
    hands = 400 if variant in ("direct", "modulated", "odds") else 60
    kinds, ties, decisions = [], 0, 0
    for seed, opponent in enumerate(OPPONENTS):
        genome = genome_of(config, seed)
        player = Checked("hero", config, genome)
        tables = tables_of(player, opponent, hands)
        player.attach(Twin(config, genome), tables)
        tables.run()
        kinds, ties, decisions = kinds + player.kinds, ties + player.ties, decisions + player.decisions
        ours, expected = stats_of(player), stats_of_twin(player.twin)
        assert ours.keys() == expected.keys()
        for path, stats in expected.items():
            assert ours[path] == pytest.approx(stats, abs=1e-3)
    assert ties <= decisions // 1000, (ties, decisions)
    assert len(set(kinds)) >= (3 if hands == 400 else 2)
    assert len(kinds) > 5 * hands


# ---------------------------------------------------------------- settings
def test_published_sizes():
    """D 5.2: 50 blocks of 10, 500-50-1; 14 and 13 inputs."""
    config = Ashe2Config()

    def estimator(inputs):
        return 500 * (4 * inputs + 40 + 4 + 3 + 2) + 500 * 50 + 50 + 50 + 1

    assert config.spec.length == estimator(14) + estimator(13)
    problem = Ashe2Problem(config, HEADS_UP, 1000)
    assert problem.initial(1, 3).shape == (3, config.spec.length)
    assert problem.hands == 2_000
    assert problem.genome_modules == {"swre": (0, estimator(14)), "ofre": (estimator(14), config.spec.length)}


def test_bad_settings_are_refused():
    with pytest.raises(UserError, match="allowed: direct, modulated, odds"):
        Ashe2Config(head="sideways")
    with pytest.raises(UserError, match="four positive numbers"):
        Ashe2Config(lambdas=(1.0, 2.0))
    with pytest.raises(UserError, match="stored: training8"):
        Ashe2Config(street_defaults="nobody")
    with pytest.raises(UserError, match="genes"):
        Ashe2Player("x", Ashe2Config(**SMALL), np.zeros(7, np.float32))
    with pytest.raises(UserError, match="genes"):
        Ashe2Evaluator(Ashe2Config(**SMALL), HEADS_UP, 5).evaluate(
            np.zeros((2, 3), np.float32), GenerationTask(1, 0, ("CM",))
        )


@pytest.mark.parametrize("name", ["a1", "a2", "a3", "a4"])
def test_experiments_have_the_published_parameters(name):
    """D Table 5-2 and the curricula of spec section 4."""
    config = settings_of(compose(default_config_dir(), [f"+experiment={name}", "agent.trees=false"]))
    plan = plan_of(config)
    plan.check()
    assert (plan.curriculum.generations, plan.population, plan.problem.hands) == (500, 50, 2_000)
    assert [plan.curriculum.at(g).module for g in (0, 49, 50, 99, 100, 499)] == [
        "ofre", "ofre", "swre", "swre", "ofre", "swre",
    ]  # fmt: skip
    at = {g: plan.curriculum.at(g).opponents for g in (0, 199, 200)}
    high, low = ("HM", "CM", "SL", "CS"), ("LA", "LP", "TP", "TA")
    mixed = ("HM", "SL", "LA", "TP")
    first, last = {"a1": (high, high), "a2": (low, low), "a3": (mixed, mixed), "a4": (high, low)}[name]
    assert (at[0], at[199], at[200]) == (first, first, last)
