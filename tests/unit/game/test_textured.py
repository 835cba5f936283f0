"""Decks with equally likely texture clusters (spec, section 6)."""

import numpy as np

from ashe.cards.clusters import board_cluster
from ashe.game.textured import textured_deal

DECKS = 4_000


def test_every_cluster_is_equally_likely():
    cards = textured_deal(1, 0, DECKS)
    flops = np.bincount(cards.clusters[:, 1], minlength=5) / DECKS
    assert np.abs(flops - 0.2).max() < 4 * np.sqrt(0.2 * 0.8 / DECKS)
    # Later streets: given the board so far, each cluster that some card leads to.
    for street in (2, 3):
        expected, seen = np.zeros(7), np.zeros(7)
        for d in range(600):
            board = np.array(cards.board(d))
            left = [c for c in range(52) if c not in board[: street + 1]]
            reached = {int(board_cluster(np.array([*board[: street + 1], c]), street + 2)) for c in left}
            expected[list(reached)] += 1 / len(reached)
            seen[cards.clusters[d, street]] += 1
            assert int(cards.clusters[d, street]) in reached
        assert (np.abs(seen - expected) <= 4 * np.sqrt(np.maximum(expected, 1))).all()
        assert (expected > 0).sum() == (6 if street == 2 else 7)


def test_cards_are_distinct_and_hole_cards_uniform():
    cards = textured_deal(2, 0, DECKS)
    assert all(len(set(deck)) == 9 for deck in cards.decks.tolist())
    # A card in the first hand is equally likely to be any that is not on the board.
    chance = np.zeros(52)
    for board in cards.decks[:, 4:]:
        chance[np.setdiff1d(np.arange(52), board)] += 1 / 47
    for column in range(4):
        dealt = np.bincount(cards.decks[:, column], minlength=52)
        assert (np.abs(dealt - chance) < 5 * np.sqrt(chance)).all()


def test_same_decks_in_any_portions():
    whole = textured_deal(3, 10, 20)
    parts = [textured_deal(3, 10, 7), textured_deal(3, 17, 13)]
    assert (np.concatenate([p.decks for p in parts]) == whole.decks).all()
    assert (textured_deal(4, 10, 20).decks != whole.decks).any()
