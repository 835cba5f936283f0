"""ASHE 1.0: the compiled training loop against the match player, and both against a plain Python twin."""

import numpy as np
import pytest

from ashe.agents.ashe1 import Ashe1Config, Ashe1Evaluator, Ashe1Problem
from ashe.agents.ashe1_player import Ashe1Player
from ashe.cards.equity import ehs
from ashe.cards.random import derive_key
from ashe.decision.threshold import PREFLOP, RULES, threshold_action
from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.evolution.protocols import GenerationTask
from ashe.game import engine as e
from ashe.game.deal import deal
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP
from ashe.game.view import BOARD_CARDS, Action
from ashe.opponents.observation import Observation
from ashe.players.registry import make_player

SMALL = {"game_blocks": 2, "game_size": 3, "opponent_blocks": 1, "opponent_size": 4, "hidden": 5}
PROTOTYPE = {
    "inputs": "prototype", "output_tanh": False, "step": "own_decisions", "end_step": False, "decision": "sign",
    "init": "prototype",
}  # fmt: skip
VARIANTS = {
    "printed": {},
    "adjusted": {"decision": "adjusted", "end_step": False},
    "own decisions": {"step": "own_decisions"},
    "prototype": PROTOTYPE,
    "plus": {
        "decision": "sign",
        "power": 3.0,
        "preflop": "flat",
        "open_from": 0.05,
        "slow_play": True,
        "raise_from": 0.2,
        "chips_power": 1 / 3,
    },
    "small ball": {"decision": "sign", "power": 3.0, "preflop": "small_ball"},
}
HANDS = 40
OPPONENTS = ("HM", "CS", "random", "TA")


def genome_of(config, seed):
    """Strong weights, so that the agents do more than fold."""
    return config.spec.sample(seed, 1)[0] * 3


def match(config, genome, opponent, half, seed=5, generation=2):
    """The half match that a training evaluator plays in this generation, by the machinery of matches."""
    cards = deal(seed, generation * HANDS, HANDS, stream="training decks")
    player = Ashe1Player("hero", config, genome)
    tables = Tables((player, make_player(opponent)), cards, [HalfMatch(0, half, 0, HANDS)], seed)
    style = derive_key(seed, "style", generation, opponent)
    tables.style_keys[:] = np.uint64(style)
    return tables


@pytest.mark.parametrize("variant", VARIANTS)
def test_training_equals_match_play(variant):
    config = Ashe1Config(**SMALL, **VARIANTS[variant])
    genomes = np.stack([genome_of(config, i) for i in range(6)])
    result = Ashe1Evaluator(config, HEADS_UP, HANDS).evaluate(genomes, GenerationTask(5, 2, OPPONENTS))
    kinds = set()
    for i, genome in enumerate(genomes):
        for j, opponent in enumerate(OPPONENTS):
            chips = adjusted = 0.0
            for half in (0, 1):
                tables = match(config, genome, opponent, half)
                tables.run(lambda t, ended: kinds.update(a.kind for a in t.events(0) if a.seat == t.seat_of(0, 0)))
                chips += tables.won.sum()
                adjusted += tables.adjusted.sum()
            assert result["chips"][i, j] == chips
            assert result["adjusted"][i, j] == pytest.approx(adjusted)
    assert kinds == {FOLD, CALL, RAISE}  # the genomes are lively enough for the comparison to mean something


def logistic(v):
    return 1 / (1 + np.exp(-v))


class TwinModule:
    """Spec section 3, one cell at a time."""

    def __init__(self, parts, prefix, blocks, size, output_tanh):
        self.w = {k.removeprefix(prefix + "."): v.astype(float) for k, v in parts.items() if k.startswith(prefix + ".")}
        self.blocks, self.size, self.output_tanh = blocks, size, output_tanh
        self.reset()

    def reset(self):
        self.c, self.y = self.w["c0"].copy(), self.w["y0"].copy()

    def step(self, x):
        before = self.y.copy()
        for cell in range(self.blocks * self.size):
            block = slice(cell // self.size * self.size, (cell // self.size + 1) * self.size)
            z, i, f, o = self.w["W"][cell] @ x + self.w["R"][cell] @ before[block] + self.w["bias"][cell]
            p_i, p_f, p_o = self.w["peephole"][cell]
            c = self.c[cell]
            new = logistic(i + p_i * c) * np.tanh(z) + logistic(f + p_f * c) * c
            self.c[cell] = new
            self.y[cell] = logistic(o + p_o * new) * (np.tanh(new) if self.output_tanh else new)


class Twin:
    """ASHE 1.0 as a plain player: replays each hand with `Hand`, steps on every event, computes EHS from the cards."""

    def __init__(self, config, genome, source):
        self.config, self.source = config, source
        parts = config.spec.unflatten(genome)
        self.game = TwinModule(parts, "game", config.game_blocks, config.game_size, config.output_tanh)
        self.opponent = TwinModule(parts, "opponent", config.opponent_blocks, config.opponent_size, config.output_tanh)
        self.net = {k: v.astype(float) for k, v in parts.items() if k.startswith("net.")}
        self.hand, self.ehs = None, {}

    def features(self, seat):
        hand, odds = self.hand, 0.0
        street = hand.street
        if hand.over:
            street = int(hand.row[0, e.CLOSED])
        else:
            odds = hand.call_cost / (hand.pot + hand.call_cost)
        own, other = (
            (1 - stack / 20_000) ** self.config.chips_power for stack in (hand.stacks[seat], hand.stacks[1 - seat])
        )
        if self.config.inputs == "printed":
            return np.array([*np.eye(4)[street], self.ehs[street], other, own, odds])
        cards = BOARD_CARDS[street]
        return np.array([2 * cards / 5 - 1, 2 * own - 1, 2 * other - 1, 2 * self.ehs[street] - 1, 4 * (odds - 0.25)])

    def step(self, seat):
        x = self.features(seat)
        self.game.step(x)
        self.opponent.step(x)

    def follow(self, seat, history):
        if self.hand is None:
            self.hand = Hand()
            self.game.reset()
            if self.hand.actor == seat:
                self.step(seat)
        for event in history[len(self.hand.history) :]:
            self.hand.act(Action(event.kind, event.to))
            if self.hand.over:
                if self.config.end_step:
                    self.step(seat)
            elif self.config.step == "every_action" or self.hand.actor == seat:
                self.step(seat)

    def act(self, view):
        for street in range(view.street + 1):
            self.ehs[street] = ehs(view.hole, view.board[: BOARD_CARDS[street]])
        self.follow(view.seat, view.history)
        y = np.concatenate([self.game.y, self.opponent.y])
        hidden = np.tanh(self.net["net.layer0.W"] @ y + self.net["net.layer0.bias"])
        score = float(np.tanh(self.net["net.layer1.W"] @ hidden + self.net["net.layer1.bias"])[0])
        given = {
            "street": view.street, "pot": view.pot, "call": view.call_cost, "bet": view.bet,
            "own": view.bets[view.seat],
            "min_to": view.min_raise_to, "max_to": view.max_raise_to, "min_raise": int(self.hand.row[0, e.MIN_RAISE]),
            "stack": view.stacks[view.seat], "full_stack": 20_000, "big_blind": 100,
            "n_bet": (view.street == 0) + sum(x.kind == RAISE and x.street == view.street for x in view.history),
        }  # fmt: skip
        o = Observation(**(dict.fromkeys(Observation._fields, 0) | given))
        c = self.config
        choices = c.open_from, int(c.slow_play), c.raise_from
        return Action(*threshold_action(RULES[c.decision], c.power, PREFLOP[c.preflop], *choices, o, score))

    def hand_over(self, result):
        if self.hand is None:  # the opponent folded before we could act: our cards do not matter, but EHS is an input
            hole = self.source.deal.hole(result.hand, result.seat)
            self.ehs[0] = ehs(hole, ())
        self.follow(result.seat, self.source.events(0))
        self.hand = None


class Checked(Ashe1Player):
    """Asks the twin at every decision; single and double precision drift apart by a few chips over a half match."""

    def attach(self, twin):
        self.twin, self.kinds = twin, set()

    def act(self, decisions):
        kinds, totals = super().act(decisions)
        expected = self.twin.act(decisions.view(0))
        assert kinds[0] == expected.kind
        assert abs(totals[0] - expected.to) <= (100 if self.config.decision == "printed" else 20)
        self.kinds.add(expected.kind)
        return kinds, totals

    def hand_over(self, finished):
        super().hand_over(finished)
        self.twin.hand_over(finished.result(0))


@pytest.mark.parametrize("variant", VARIANTS)
def test_twin_makes_the_same_decisions(variant):
    config = Ashe1Config(**SMALL, **VARIANTS[variant])
    kinds = set()
    for seed, opponent in ((0, "HM"), (1, "CS"), (2, "random"), (3, "TA"), (4, "CS")):
        genome = genome_of(config, seed)
        player = Checked("hero", config, genome)
        tables = match(config, genome, opponent, 0)
        tables.players = (player, tables.players[1])
        player.attach(Twin(config, genome, tables))
        tables.run()
        kinds |= player.kinds
    assert kinds == {FOLD, CALL, RAISE}


def test_every_table_is_independent_of_the_others():
    config = Ashe1Config(**SMALL)
    genomes = np.stack([genome_of(config, i) for i in range(3)])
    evaluator = Ashe1Evaluator(config, HEADS_UP, HANDS)
    both = evaluator.evaluate(genomes, GenerationTask(5, 2, OPPONENTS))
    for j, opponent in enumerate(OPPONENTS):
        alone = evaluator.evaluate(genomes[1:2], GenerationTask(5, 2, (opponent,)))
        assert alone["chips"][0, 0] == both["chips"][1, j]


def test_generations_have_their_own_decks():
    config = Ashe1Config(**SMALL)
    evaluator = Ashe1Evaluator(config, HEADS_UP, HANDS)
    genome = genome_of(config, 1)[None]
    a, b = (evaluator.evaluate(genome, GenerationTask(5, g, OPPONENTS))["chips"] for g in (0, 1))
    assert (a != b).any()


@pytest.mark.parametrize(
    ("score", "given", "expected"),
    [
        (-0.01, {"call": 300}, (FOLD, 0)),
        (-0.9, {"call": 0}, (CALL, 0)),
        (0.0, {"call": 300}, (CALL, 0)),
        (0.05, {"call": 300, "min_to": 1_100}, (CALL, 0)),  # target 1,000 of 20,000
        (0.05, {"call": 300, "min_to": 1_000}, (RAISE, 1_000)),
        (1.0, {"call": 300, "min_to": 600}, (RAISE, 20_000)),
        (0.9, {"call": 300, "min_to": 0, "max_to": 0}, (CALL, 0)),
    ],
)
def test_sign_rule(score, given, expected):
    base = dict.fromkeys(Observation._fields, 0) | {
        "own": 500, "stack": 19_500, "min_to": 600, "max_to": 20_000, "full_stack": 20_000, "big_blind": 100,
    }  # fmt: skip
    assert threshold_action(2, 1.0, 0, 0.0, 0, 0, Observation(**(base | given)), score) == expected


@pytest.mark.parametrize(
    ("preflop", "open_from", "street", "n_bet", "score", "expected"),
    [
        ("free", 0.0, 0, 1, 0.9, (RAISE, 14_580)),  # 0.9 ** 3 of 20,000 chips
        ("free", 0.0, 0, 3, 0.9, (RAISE, 14_580)),
        ("small_ball", 0.0, 0, 1, 0.9, (RAISE, 600)),
        ("small_ball", 0.0, 0, 3, 0.9, (RAISE, 600)),
        ("flat", 0.0, 0, 1, 0.9, (RAISE, 600)),
        ("flat", 0.0, 0, 2, 0.9, (CALL, 0)),
        ("flat", 0.0, 0, 3, 0.9, (CALL, 0)),
        ("flat", 0.25, 0, 1, 0.62, (CALL, 0)),  # 0.238 of all chips: limps
        ("flat", 0.25, 0, 1, 0.64, (RAISE, 600)),
        ("flat", 0.25, 1, 2, 0.62, (RAISE, 4_767)),  # before the flop only
        *((preflop, 0.25, 1, 2, 0.9, (RAISE, 14_580)) for preflop in PREFLOP),  # after the flop any size
        *((preflop, 0.0, 0, 1, 0.2, (CALL, 0)) for preflop in PREFLOP),
        *((preflop, 0.0, 0, 2, -0.2, (FOLD, 0)) for preflop in PREFLOP),
    ],
)
def test_raises_before_the_flop_and_cubic_wish(preflop, open_from, street, n_bet, score, expected):
    given = {
        "street": street, "call": 300, "own": 500, "stack": 19_500, "min_to": 600, "max_to": 20_000,
        "full_stack": 20_000, "big_blind": 100, "n_bet": n_bet,
    }  # fmt: skip
    o = Observation(**(dict.fromkeys(Observation._fields, 0) | given))
    assert threshold_action(2, 3.0, PREFLOP[preflop], open_from, 0, 0, o, score) == expected


@pytest.mark.parametrize(
    ("raise_from", "street", "n_bet", "score", "expected"),
    [
        *((0, street, 0, 0.9, (CALL, 0)) for street in (1, 2)),  # nobody has bet: a check
        *((0, street, 1, 0.9, (RAISE, 14_580)) for street in (1, 2)),
        *((0.8, street, n_bet, 0.9, (CALL, 0)) for street in (1, 2) for n_bet in (0, 1)),
        *((0.7, street, 1, 0.9, (RAISE, 14_580)) for street in (1, 2)),
        *((share, 3, n_bet, 0.9, (RAISE, 14_580)) for share in (0, 0.8) for n_bet in (0, 1)),
        (0.8, 0, 1, 0.9, (RAISE, 14_580)),
        (0, 1, 1, 0.2, (CALL, 0)),
        (0.8, 1, 1, -0.2, (FOLD, 0)),
    ],
)
def test_slow_play_and_raise_from_leave_bets_to_the_opponent(raise_from, street, n_bet, score, expected):
    given = {
        "street": street, "call": 300 if n_bet else 0, "own": 500, "stack": 19_500, "min_to": 600, "max_to": 20_000,
        "full_stack": 20_000, "big_blind": 100, "n_bet": n_bet,
    }  # fmt: skip
    o = Observation(**(dict.fromkeys(Observation._fields, 0) | given))
    assert threshold_action(2, 3.0, PREFLOP["free"], 0.0, 1, raise_from, o, score) == expected


def test_published_sizes():
    """D Table 4-1: 10 blocks of 10, one of 50, net 150-75-1. Input, recurrent, bias, peephole and initial values."""
    cells = 100 * (4 * 8 + 4 * 10 + 4 + 3 + 2) + 50 * (4 * 8 + 4 * 50 + 4 + 3 + 2)
    assert Ashe1Config().spec.length == cells + 150 * 75 + 75 + 75 + 1
    problem = Ashe1Problem(Ashe1Config(), HEADS_UP, 500)
    assert problem.initial(1, 3).shape == (3, Ashe1Config().spec.length)
    assert problem.hands == 1_000


def test_wrong_genome_is_refused():
    with pytest.raises(UserError, match="genes"):
        Ashe1Player("x", Ashe1Config(**SMALL), np.zeros(7, np.float32))
