"""Decks with texture clusters as equally likely as cards allow (spec, section 6)."""

import numpy as np

from ashe.cards.clusters import clusters_of
from ashe.game.deal import deal
from ashe.game.textured import PATHS, line_counts, line_shares, textured_deal

DECKS = 20_000


def marginals(share):
    return [share.sum(axis=axes) for axes in ((1, 2), (0, 2), (0, 1))]


def lines_of(clusters):
    """How many rows [n, 4] of clusters take each line."""
    seen = np.zeros((5, 6, 7), int)
    np.add.at(seen, tuple(clusters[:, 1:].T), 1)
    return seen


def test_every_street_is_nearly_uniform():
    """What the module promises, and that decks are dealt like it."""
    seen = marginals(lines_of(textured_deal(1, 0, DECKS).clusters) / DECKS)
    for dealt, promised in zip(seen, marginals(line_shares()), strict=True):
        even = 1 / len(promised)
        assert np.abs(dealt - promised).max() < 4 * np.sqrt(0.25 * 0.75 / DECKS)
        assert promised.min() > 0.75 * even
        assert promised.max() < 1.3 * even
        assert abs(promised.sum() - 1) < 1e-12


def test_no_other_shares_are_more_even():
    """The optimum's conditions: no line would gain from more weight, and none that has it from less."""
    share, possible = line_shares(), line_counts() > 0
    assert ((share > 0) == possible).all()
    flop, turn, river = marginals(share)
    pull = 1 / (5 * flop[:, None, None]) + 1 / (6 * turn[None, :, None]) + 1 / (7 * river[None, None])
    gain = (1 - PATHS) / 3 * pull[possible] + PATHS / possible.sum() / share[possible]
    assert np.abs(gain - 1).max() < 1e-4
    # A tree's rarest line still gets ten of a session's 5,000 hands.
    assert share[possible].min() * 5_000 > 10


def test_counts_of_lines():
    """Against ordinary decks, whose boards take a line as often as there are boards of it."""
    counts = line_counts()
    assert counts.sum() == 22_100 * 49 * 48
    share, n = counts / counts.sum(), 40_000
    seen = lines_of(deal(1, 0, n).clusters)
    assert (np.abs(seen - n * share) <= 4 * np.sqrt(np.maximum(n * share, 1))).all()
    assert seen[counts == 0].sum() == 0


def test_boards_of_a_line_are_equally_likely():
    """Trips on the flop: 52 flops; then all 49 turn cards and 48 river cards."""
    boards = textured_deal(2, 0, DECKS).decks[:, 4:]
    trips = boards[(boards[:, 0] >> 2 == boards[:, 1] >> 2) & (boards[:, 1] >> 2 == boards[:, 2] >> 2)]
    flops = np.array([sorted(b) for b in trips[:, :3].tolist()]) @ [1, 64, 4096]
    _, seen = np.unique(flops, return_counts=True)
    assert len(seen) == 52
    expected = len(trips) / 52
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected)).all()
    for street in (3, 4):
        per_card = np.bincount(trips[:, street], minlength=52)
        assert (np.abs(per_card - expected) < 5 * np.sqrt(expected)).all()
    assert (clusters_of(boards) == textured_deal(2, 0, DECKS).clusters).all()


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
