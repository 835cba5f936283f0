"""Features and buckets against slow, obvious twins."""

import numpy as np
import pytest
from phevaluator import evaluate_cards

from ashe.cards.deck import HOLE_A, HOLE_B, hole_index, parse_cards
from ashe.cards.equity import ehs
from ashe.cards.kmeans import columns_of, kmeans, nearest
from ashe.cards.random import mix64, shuffle_deck
from ashe.cards.suits import HOLE_CLASS, turn_index
from ashe.cards.tables import equity_tables
from ashe.solver import features as f
from ashe.solver.abstraction import AbstractionConfig, live_holes
from ashe.solver.dealing import HoldemChance

CLUSTER = (HOLE_CLASS % f.CLUSTERS).astype(np.uint8)  # any grouping will do
RNG = np.random.default_rng(5)


def unused(cards):
    return [c for c in range(52) if c not in cards]


def test_turn_counts_are_the_river_ehs_of_every_river():
    board = parse_cards("7h8hKcKd")
    counts = np.empty((1326, f.N_EDGES + 1), np.int32)
    f.turn_counts(*board, counts)
    for hole in (parse_cards("AhQh"), parse_cards("2c3d"), parse_cards("KsKh")):
        strengths = np.array([ehs(hole, [*board, r]) for r in unused([*board, *hole])])
        expected = np.histogram(strengths, [-1.0, *f.EDGES, 2.0])[0]
        assert counts[hole_index(*hole)].tolist() == expected.tolist()
    assert counts[hole_index(*parse_cards("7hAc"))].sum() == 0
    shares = np.empty((1326, f.N_EDGES), np.float32)
    f.shares(counts, shares)
    live = live_holes(board)
    assert shares[live] == pytest.approx(np.cumsum(counts[live], axis=1)[:, :-1] / 46)


def test_flop_counts_are_those_of_all_run_outs():
    board, hole = parse_cards("2h9hJc"), parse_cards("AhTh")
    known = equity_tables()
    turns = np.zeros((len(known.turn), 1326, f.N_EDGES + 1), np.uint8)  # only this flop's turns are filled
    expected = np.zeros(f.N_EDGES + 1, int)
    from ashe.cards.suits import canonical_boards

    canonical = canonical_boards(4).cards
    for t in unused(board):
        row = known.turn_row[turn_index(*board, t)]
        f.turn_counts(*canonical[row], turns[row])
        if t not in hole:
            strengths = [ehs(hole, [*board, t, r]) for r in unused([*board, *hole, t])]
            expected += np.histogram(strengths, [-1.0, *f.EDGES, 2.0])[0]
    counts = np.empty((1326, f.N_EDGES + 1), np.int32)
    f.flop_counts(*board, known.turn_row, known.turn_perm, turns, counts)
    assert counts[hole_index(*hole)].tolist() == expected.tolist()


@pytest.mark.parametrize("text", ["2h9hJcKdAs", "7c7d7h7s2c", "TcJcQcKc2d"])
def test_river_features_by_brute_force(text):
    board = parse_cards(text)
    place, first = f.by_cluster(CLUSTER)
    live = live_holes(board)
    holes = np.sort(RNG.choice(live, 12, replace=False))
    out = np.empty((len(holes), f.RIVER_FEATURES), np.float32)
    f.river_features(*board, holes, place, first, out)
    rank = {h: evaluate_cards(*board, int(HOLE_A[h]), int(HOLE_B[h])) for h in live}
    for hole, row in zip(holes, out, strict=True):
        own = {int(HOLE_A[hole]), int(HOLE_B[hole])}
        beaten, met = np.zeros(f.CLUSTERS), np.zeros(f.CLUSTERS)
        for other in live:
            if own & {int(HOLE_A[other]), int(HOLE_B[other])}:
                continue
            met[CLUSTER[other]] += 1
            beaten[CLUSTER[other]] += (rank[hole] < rank[other]) + 0.5 * (rank[hole] == rank[other])
        assert row[: f.CLUSTERS] == pytest.approx(np.where(met > 0, beaten / np.maximum(met, 1), 0.5), abs=1e-6)
        assert row[f.CLUSTERS] == pytest.approx((beaten.sum() / 990) ** 10, abs=1e-6)


class FewBuckets:
    """A small abstraction with made-up centroids and tables."""

    cluster = CLUSTER
    river = RNG.random((7, f.RIVER_FEATURES), dtype=np.float32)
    buckets = (169, 5, 6, 7)

    def tables(self):
        known = equity_tables()
        return {
            "flop": (known.flop % 5).astype(np.uint16),  # a function of the canonical holding, as real buckets are
            "turn": (known.turn % 6).astype(np.uint16),
        }


def test_deals_by_hand():
    """Buckets and outcomes of sampled deals, from the cards."""
    chance = HoldemChance(FewBuckets())
    deals = chance.sample(11, 40)
    again = chance.sample(11, 10)
    assert (again.buckets == deals.buckets[:10]).all()
    place, first = f.by_cluster(CLUSTER)
    for i in range(40):
        deck = np.empty(9, np.int64)
        shuffle_deck(np.uint64(mix64(np.uint64(11), np.uint64(i))), 9, deck)
        board = deck[4:].tolist()
        ranks = []
        for seat in (0, 1):
            hole = deck[2 * seat : 2 * seat + 2].tolist()
            index = hole_index(*hole)
            ranks.append(evaluate_cards(*hole, *board))
            flop = round(ehs(hole, board[:3]) * 1081 * 1980)
            turn = round(ehs(hole, board[:4]) * 46 * 1980)
            points, found = np.empty((1, f.RIVER_FEATURES), np.float32), np.empty(1, np.int64)
            f.river_features(*board, np.array([index]), place, first, points)
            nearest(points, *columns_of(FewBuckets.river), found)
            assert deals.buckets[i, seat].tolist() == [HOLE_CLASS[index], flop % 5, turn % 6, found[0]]
        assert deals.outcome[i, 3] == np.sign(ranks[1] - ranks[0])
        scores = []
        for river in unused(deck[:8]):
            a, b = (evaluate_cards(*deck[2 * s : 2 * s + 2].tolist(), *board[:4], river) for s in (0, 1))
            scores.append(np.sign(b - a))
        assert deals.outcome[i, 2] == pytest.approx(np.mean(scores), abs=1e-6)
        assert deals.outcome[i, 1] == deals.outcome[i, 2]


def test_kmeans_finds_separated_groups():
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 9.0]], np.float32)
    points = (centres[RNG.integers(0, 3, 600)] + RNG.normal(0, 0.1, (600, 2))).astype(np.float32)
    found = kmeans(points, 3, seed=1)
    assert np.sort(found.sum(axis=1)) == pytest.approx([0.0, 5.0, 9.0], abs=0.1)
    assigned = np.empty(600, np.int64)
    nearest(points, *columns_of(found), assigned)
    distance = ((points[:, None, :] - found[None]) ** 2).sum(axis=2)
    assert (assigned == distance.argmin(axis=1)).all()


def test_more_buckets_than_boards_are_refused():
    with pytest.raises(Exception, match="give boards=500 or more"):
        AbstractionConfig(flop=500, turn=10, river=10, boards=100)
