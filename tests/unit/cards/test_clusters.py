"""Texture clusters against features and centroids computed the slow way (spec, section 6)."""

from functools import cache

import numpy as np
import pytest

from ashe.cards.clusters import CENTROIDS, TABLES, board_cluster, clusters_of, clusters_so_far, summary
from ashe.cards.kmeans import kmeans
from ashe.cards.suits import CARD_PERM, canonical_boards
from ashe.cards.texture import textures
from ashe.cards.texture_classes import CLUSTERS, EMPTY, SIZES, board_class, build_street, classes
from ashe.game.deal import deal

BOARDS = {"flop": 22_100, "turn": 270_725, "river": 2_598_960}


canonical = cache(canonical_boards)


def some_boards(street):
    """Canonical flops and turns, all of them; a spread of rivers."""
    size = SIZES[street]
    if size < 5:
        return canonical(size).cards
    rng = np.random.default_rng(1)
    return np.array([rng.permutation(52)[:5] for _ in range(4_000)])


@pytest.mark.parametrize("street", SIZES)
def test_classes_cover_all_boards(street):
    found = classes(street)
    assert found.weight.sum() == BOARDS[street]
    assert sum(row["boards"] for row in summary(street)) == BOARDS[street]
    table = TABLES[street]
    assert (table[found.place[:, 0], found.place[:, 1]] < CLUSTERS[street]).all()
    assert (table != EMPTY).sum() == len(found.weight)  # and nothing else has a cluster


def test_class_weights_are_those_of_canonical_boards():
    boards = canonical(3)
    weight = {}
    for board, n in zip(boards.cards, np.bincount(boards.row), strict=True):
        place = board_class(board, 3)
        weight[place] = weight.get(place, 0) + int(n)
    found = classes("flop")
    assert weight == {tuple(p): int(w) for p, w in zip(found.place.tolist(), found.weight, strict=True)}


@pytest.mark.parametrize("street", SIZES)
def test_a_board_belongs_to_its_nearest_centroid(street):
    boards = some_boards(street)
    features = textures(boards)
    distance = ((features[:, None] - CENTROIDS[street][None]) ** 2).sum(axis=2)
    ours = np.array([board_cluster(board, SIZES[street]) for board in boards])
    least = distance.min(axis=1)
    assert (distance[np.arange(len(boards)), ours] == least).all()
    assert set(ours) == set(range(CLUSTERS[street]))


@pytest.mark.parametrize("street", SIZES)
def test_names_of_suits_and_order_of_cards_do_not_matter(street):
    rng = np.random.default_rng(2)
    for board in some_boards(street)[::20]:
        expected = board_cluster(board, SIZES[street])
        for perm in CARD_PERM:
            assert board_cluster(rng.permutation(perm[board]), SIZES[street]) == expected


@pytest.mark.parametrize("street", ["flop", "turn"])
def test_centroids_are_the_means_of_their_boards(street):
    """The run had converged: the shipped clusters are a fixed point of k-means over all boards."""
    boards = canonical(SIZES[street])
    features = textures(boards.cards)[boards.row]
    ours = np.array([board_cluster(b, SIZES[street]) for b in boards.cards])[boards.row]
    assert len(ours) == BOARDS[street]
    means = [features[ours == k].mean(axis=0) for k in range(CLUSTERS[street])]
    assert np.allclose(means, CENTROIDS[street], atol=1e-6)


def test_the_shipped_table_is_what_the_build_makes():
    built = build_street("flop")
    assert (built["flop"] == TABLES["flop"]).all()
    assert np.allclose(built["flop_centroids"], CENTROIDS["flop"], atol=1e-9)


def test_weights_stand_for_copies():
    rng = np.random.default_rng(3)
    groups = np.concatenate([rng.normal(m, 0.1, (40, 2)) for m in (0, 4, 9)]).astype(np.float32)
    weights = rng.integers(1, 5, len(groups))
    weighted = kmeans(groups, 3, seed=1, weights=weights.astype(float))
    assert np.allclose(weighted, kmeans(groups.repeat(weights, axis=0), 3, seed=1), atol=1e-4)


def test_deals_know_their_clusters():
    cards = deal(3, 0, 50)
    for d in range(50):
        assert cards.clusters[d].tolist() == [0, *(board_cluster(np.array(cards.board(d)), n) for n in (3, 4, 5))]
    assert (clusters_of(cards.decks[:, 4:9]) == cards.clusters).all()
    on_the_turn = clusters_so_far(cards.board(0, 4))[0].tolist()
    assert on_the_turn == [*cards.clusters[0, :3].tolist(), -1]
    assert clusters_so_far(())[0].tolist() == [0, -1, -1, -1]
