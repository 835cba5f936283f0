"""Pattern Recognition Trees: edges, growth, counting, saving (spec, sections 5 and 10)."""

import numpy as np
import pytest

from ashe.errors import UserError
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.trees.edges import ALL_IN, BUCKET_EDGES, CALLS, FIRST_RAISE, FOLDS, SLOTS, bucket, slot_of
from ashe.trees.prt import from_arrays, grown, new_node, new_trees, reset, to_arrays, update, visit


@pytest.mark.parametrize(
    ("pots", "expected"),
    [(0.01, 0), (0.125, 0), (0.126, 1), (0.375, 1), (0.376, 2), (0.75, 2), (0.751, 3), (1.25, 3), (1.26, 4), (2.0, 4),
     (2.01, 5), (4.0, 5), (4.01, 6), (50.0, 6)],
)  # fmt: skip
def test_bucket_edges_belong_to_the_lower_bucket(pots, expected):
    assert bucket(pots * 1000, 1000) == expected
    assert len(BUCKET_EDGES) == 6


def test_size_is_that_of_an_x_pot_raise():
    # D 2.3: half-pot bet into 600 is 300; a 3/4-pot raise over it puts in 300 + 900, street total 1,200.
    assert slot_of(False, RAISE, 300, 0, 600, 0, 19_000) == FIRST_RAISE + 2  # 0.5 pot: (.375, .75]
    assert slot_of(False, RAISE, 1200, 300, 900, 300, 19_000) == FIRST_RAISE + 2  # 0.75 pot: the edge
    assert slot_of(False, RAISE, 1201, 300, 900, 300, 19_000) == FIRST_RAISE + 3
    # pot-size open on 50/100 makes 300 from the button
    assert slot_of(False, RAISE, 300, 100, 150, 50, 20_000) == FIRST_RAISE + 3
    assert slot_of(True, RAISE, 300, 100, 150, 50, 20_000) == FIRST_RAISE + 1  # own edge "1 pot"


def test_all_in_is_an_own_edge_but_a_bucket_of_its_size_for_the_opponent():
    assert slot_of(True, RAISE, 20_000, 100, 150, 50, 20_000) == ALL_IN
    assert slot_of(False, RAISE, 20_000, 100, 150, 50, 20_000) == FIRST_RAISE + 6
    assert slot_of(False, RAISE, 5_000, 0, 30_000, 0, 5_000) == FIRST_RAISE + 1  # a sixth of the pot
    assert slot_of(True, FOLD, 0, 100, 150, 50, 20_000) == FOLDS
    assert slot_of(False, CALL, 0, 100, 150, 50, 20_000) == CALLS


def count_hand(trees, path, streets, edges, showdown, folded, ehs):
    update(trees, np.array(path), np.array(streets), np.array(edges), len(path), showdown, folded, np.array(ehs))


def test_hand_worked_counts():
    """Two hands in one tree, the second leaving the first's line on the flop."""
    trees = new_trees(16, next_actions=True)
    root = new_node(trees)
    opened = visit(trees, root, FIRST_RAISE + 1)
    flop = visit(trees, opened, CALLS)
    assert visit(trees, root, FIRST_RAISE + 1) == opened
    # hand 1: open, call; on the flop check, check, ... showdown; the opponent held EHS .4 preflop, .9 on the flop
    checked = visit(trees, flop, CALLS)
    count_hand(
        trees, [root, opened, flop, checked], [0, 0, 1, 1], [-1, CALLS, CALLS, -1], True, False, [0.4, 0.9, 0.1, 0.2]
    )
    # hand 2: open, call; on the flop the opponent bets half a pot, we raise two pots, it folds
    bet = visit(trees, flop, FIRST_RAISE + 2)
    raised = visit(trees, bet, FIRST_RAISE + 3)
    count_hand(
        trees, [root, opened, flop, bet, raised], [0, 0, 1, 1, 1], [-1, CALLS, FIRST_RAISE + 2, -1, FOLDS], False, True,
        [0.0, 0.0, 0.0, 0.0],
    )  # fmt: skip
    assert trees.counts[[root, opened, flop]].tolist() == [[2, 1, 1]] * 3
    assert trees.counts[[checked, bet, raised]].tolist() == [[1, 1, 0], [1, 0, 1], [1, 0, 1]]
    assert trees.strength[[root, opened, flop, checked, bet]].tolist() == pytest.approx([0.4, 0.4, 0.9, 0.9, 0.0])
    assert trees.following[opened].tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 0]
    assert trees.following[flop].tolist() == [0, 1, 0, 0, 1, 0, 0, 0, 0]
    assert trees.following[raised].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert trees.following[root].sum() == 0
    assert trees.counts[0].tolist() == [0, 0, 0]


def test_reset_clears_nodes_when_they_are_handed_out_again():
    trees = new_trees(8, next_actions=True)
    first = visit(trees, new_node(trees), CALLS)
    count_hand(trees, [first], [2], [CALLS], True, False, [0, 0, 0.5, 0])
    reset(trees)
    root = new_node(trees)
    again = visit(trees, root, FOLDS)
    assert again == first
    assert trees.counts[again].tolist() == [0, 0, 0]
    assert trees.child[again].tolist() == [0] * SLOTS
    assert trees.following[again].sum() + trees.strength[again] == 0


def test_growing_and_saving_keep_every_node():
    trees = new_trees(4)
    root = new_node(trees)
    child = visit(trees, root, 5)
    count_hand(trees, [root, child], [0, 1], [-1, -1], True, False, [0.25, 0.75, 0, 0])
    larger = grown(trees, 64)
    assert larger.capacity == 64
    assert visit(larger, root, 5) == child
    assert visit(larger, child, 1) == 3
    back, roots = from_arrays(to_arrays(larger, np.array([[root, 0]], np.int32)))
    assert roots.tolist() == [[root, 0]]
    for a, b in zip(back, larger, strict=True):
        assert (a == b[: len(a)]).all()


def test_damaged_trees_are_refused():
    trees = new_trees(4)
    new_node(trees)
    saved = to_arrays(trees, np.zeros((1, 2), np.int32))
    with pytest.raises(UserError, match="lack roots"):
        from_arrays({name: a for name, a in saved.items() if name != "roots"})
    with pytest.raises(UserError, match="outside"):
        from_arrays({**saved, "child": np.full_like(saved["child"], 9)})
    with pytest.raises(UserError, match="damaged"):
        from_arrays({**saved, "strength": np.zeros(7)})
    with pytest.raises(UserError, match="at least 2"):
        new_trees(1)
