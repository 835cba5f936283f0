"""EQ at the table: off-tree bets, a solution of its own making, and what it says it would do."""

import json

import numpy as np
import pytest

from ashe.cards.deck import hole_index
from ashe.cards.tables import equity_tables
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.exploit.policy import Choices, Policy, PublicState
from ashe.game import engine as e
from ashe.game.deal import deal
from ashe.game.hand import Hand
from ashe.game.view import BOARD_CARDS
from ashe.players.registry import make_player
from ashe.solver import play
from ashe.solver.abstraction import Abstraction
from ashe.solver.betting import ALL_IN, BettingConfig, betting_tree
from ashe.solver.features import CLUSTERS, N_EDGES, RIVER_FEATURES
from ashe.solver.player import Equilibrium
from ashe.solver.solution import Solution, edge_arrays, load_solution, quantise, write_solution

BETTING = {"preflop": [[0.5, 1.0, 4.0], [1.0]], "flop": [[0.5, 2.0], [1.0]], "turn": [[1.0]], "river": [[1.0], []]}
CONFIG = BettingConfig(**{k: tuple(tuple(level) for level in v) for k, v in BETTING.items()})


def made_up():
    """A random strategy on a coarse abstraction: whatever is true of EQ is true of it."""
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, CLUSTERS, 1326).astype(np.uint8)
    points = [np.sort(rng.random((n, N_EDGES), dtype=np.float32), axis=1) for n in (4, 5)]
    abstraction = Abstraction(cluster, *points, rng.random((6, RIVER_FEATURES), dtype=np.float32))
    tree, labels = betting_tree(CONFIG, abstraction.buckets)
    strategy = rng.integers(1, 256, tree.places(abstraction.buckets)).astype(np.uint8)
    return Solution(tree, *edge_arrays(labels), abstraction, strategy, {"betting": BETTING})


@pytest.fixture(autouse=True, scope="module")
def quick_tables():
    """Any function of canonical board and holding will do as buckets; the real tables take long to build."""
    known = equity_tables()
    with pytest.MonkeyPatch.context() as patch:
        tables = {"flop": (known.flop % 4).astype(np.uint16), "turn": (known.turn % 5).astype(np.uint16)}
        patch.setattr(Abstraction, "tables", lambda self: tables)
        yield


@pytest.fixture(scope="module")
def player(quick_tables):
    return Equilibrium("made up", made_up())


def node_of(solution, hand):
    """Where a hand stands, by the compiled replay with a fixed coin."""
    tree = solution.tree
    arrays = (tree.player, tree.round, tree.actions, tree.edge, tree.child, solution.kind, solution.fraction)
    table, node = Hand(), 0
    for event in hand.history:
        node = play.follow(table.row, 0, node, event.kind, event.to, False, 0.0, *arrays)
        table.act(event)
    return node


@pytest.mark.parametrize(
    ("to", "sizes", "probability"),
    [
        (300, (1.0, 1.0), 1.0),  # on the tree: one pot
        (20_000, (ALL_IN, ALL_IN), 1.0),
        (200, (0.5, 0.5), 1.0),
        (500, (1.0, 4.0), (4 - 2) * (1 + 1) / ((4 - 1) * (1 + 2))),  # two pots between one and four
        (10_100, (4.0, ALL_IN), (99.5 - 50) * (1 + 4) / ((99.5 - 4) * (1 + 50))),
    ],
)
def test_pseudo_harmonic_mapping(player, to, sizes, probability):
    """Ganzfried and Sandholm 2013, section 5; the pot after the small blind's call is 200."""
    s, hand = player.solution, Hand()
    n = int(s.tree.actions[0])
    low, high, p = play.taken_for(hand.row, 0, to, 0, n, s.kind, s.fraction)
    assert (s.fraction[low], s.fraction[high]) == sizes
    assert p == pytest.approx(probability, abs=1e-6)


def test_a_tiny_raise_is_taken_for_a_call_at_times(player):
    """120 into a pot of 1,200, where the tree's smallest bet is half the pot."""
    s, hand = player.solution, Hand()
    hand.raise_to(600)
    hand.call()
    node = node_of(s, hand)
    first, n = int(s.tree.edge[node]), int(s.tree.actions[node])
    low, high, p = play.taken_for(hand.row, 0, 120, first, n, s.kind, s.fraction)
    assert s.kind[first + low] == e.CALL
    assert s.fraction[first + high] == 0.5
    assert p == pytest.approx((0.5 - 0.1) / (0.5 * 1.1))


def test_choices_are_what_it_plays(player):
    """Play many hands against wild opponents; the stated probabilities predict the actions."""
    cards = deal(5, 0, 600)
    tables = Tables((player, make_player("random")), cards, [HalfMatch(0, 0, 0, 600)], 5)
    expected, variance, seen, decisions = 0.0, 0.0, 0, 0
    log = []

    def note(tables, ended):
        for t in ended:
            log.append((tables.deck_row(t), tables.seat_of(t, 0), tables.events(t)))

    tables.run(note)
    for deck, seat, events in log[:250]:
        hand = Hand()
        for i, event in enumerate(events):
            if event.seat == seat:
                board = cards.board(deck, BOARD_CARDS[event.street])
                history = np.array(events[:i], np.int64).reshape(-1, 4)
                choices = player.choices(PublicState(hand.row[0], board, history))
                assert isinstance(choices, Choices)
                hole = hole_index(*cards.hole(deck, seat))
                row = choices.prob[hole]
                assert row.sum() == pytest.approx(1.0)
                exact = row[(choices.kind[hole] == event.kind) & (choices.to[hole] == event.to)]
                assert exact.sum() > 0.0  # what was played was possible
                raising = row[choices.kind[hole] == e.RAISE].sum()
                expected += raising
                variance += raising * (1 - raising)
                seen += event.kind == e.RAISE
                decisions += 1
            hand.act(event)
    assert decisions > 300
    assert abs(seen - expected) < 4 * np.sqrt(variance)


def test_it_is_a_policy(player):
    assert isinstance(player, Policy)


def test_solutions_are_written_and_checked(tmp_path):
    made = made_up()
    write_solution(tmp_path, {"betting": BETTING}, made.abstraction, made.strategy, {"command": "test"})
    loaded = load_solution(tmp_path)
    assert (loaded.strategy == made.strategy).all()
    assert (loaded.abstraction.river == made.abstraction.river).all()
    plan = MatchPlan(f"EQ@{tmp_path}", "CM", hands=40, half=10)
    assert play_match(plan).chips.shape == (2, 20)
    damaged = bytearray((tmp_path / "centroids.npz").read_bytes())
    damaged[50] ^= 1
    (tmp_path / "centroids.npz").write_bytes(damaged)
    with pytest.raises(UserError, match="damaged"):
        load_solution(tmp_path)
    data = json.loads((tmp_path / "solution.json").read_text())
    del data["crc32"]
    (tmp_path / "solution.json").write_text(json.dumps(data))
    with pytest.raises(UserError, match="damaged"):
        load_solution(tmp_path)
    with pytest.raises(UserError, match="no solution in"):
        make_player("EQ@/nowhere")


def test_unreached_buckets_copy_their_neighbours():
    actions, rounds = np.array([2, 3], np.int8), np.array([0, 0], np.int8)
    base = np.array([0, 6])
    sums = np.array([0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], np.float32)
    out = np.zeros(15, np.uint8)
    missing = quantise(actions, rounds, base, np.array([3]), sums, 0.0, out)
    assert missing == 5
    assert out[:6].tolist() == [255, 85] * 3
    assert out[6:].tolist() == [255, 0, 0] * 3
