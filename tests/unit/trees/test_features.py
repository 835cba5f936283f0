"""Features of a node (spec, section 5's table) and their defaults."""

import numpy as np
import pytest

from ashe.errors import UserError
from ashe.estimators.estimator import HRE, OARE, OFRE, SWRE
from ashe.game.hand import Hand
from ashe.trees.defaults import next_action_defaults, street_defaults
from ashe.trees.features import ROW, blended_rates, inputs_of, node_rates, raised_odds, raised_row, state_row
from ashe.trees.prt import new_node, new_trees, update

LAMBDAS = np.array([50.0, 20.0, 10.0, 5.0])
UNKNOWN = (0.4, 0.5, 0.6)


def test_estimators_read_as_many_features_as_the_table_says():
    assert [len(inputs_of(name)) for name in ("swre", "hre", "ofre", "oare")] == [14, 14, 13, 21]
    assert [c.inputs for c in (SWRE, HRE, OFRE, OARE)] == [14, 14, 13, 21]
    assert 8 not in inputs_of("ofre")
    assert not {1, 8} & set(inputs_of("oare"))
    with pytest.raises(UserError, match="there are: swre"):
        inputs_of("xre")


def node_with(trees, hands):
    """A node with (showdown, folded, ehs) hands."""
    node = new_node(trees)
    for showdown, folded, ehs in hands:
        update(trees, np.array([node]), np.array([1]), np.array([-1]), 1, showdown, folded, np.array([0, ehs, 0, 0]))
    return node


def test_rates_become_reliable_above_the_threshold():
    trees = new_trees(16)
    four = node_with(trees, [(True, False, 0.5)] * 4)
    assert node_rates(trees, four, 4, UNKNOWN) == (4, 0.4, 0.5, 0.6)
    five = node_with(
        trees, [(True, False, 0.5), (True, False, 0.9), (False, True, 0), (False, True, 0), (False, False, 0)]
    )
    assert node_rates(trees, five, 4, UNKNOWN) == pytest.approx((5, 0.4, 0.4, 0.7))
    unseen = node_with(trees, [(False, True, 0)] * 6)
    assert node_rates(trees, unseen, 4, UNKNOWN) == (6, 0.0, 1.0, 0.6)  # no showdown: unknown strength
    assert node_rates(trees, 0, 4, UNKNOWN) == (0, 0.4, 0.5, 0.6)  # not visited yet


def test_default_trees_fill_in_for_few_visits():
    """D 6.1 on the flop, lambda 20: v = (f / 20) v_R + (1 - f / 20) v_D, and the rates of the unknown where D is
    unreliable."""
    trees, default = new_trees(16), new_trees(16)
    known = node_with(default, [(True, False, 0.8)] * 5 + [(False, True, 0)] * 5)  # 0.5, 0.5, 0.8
    rare = node_with(default, [(True, False, 0.8)] * 4)

    def blend(node, default_node):
        return pytest.approx(blended_rates(trees, node, default, default_node, 1, 4, LAMBDAS, UNKNOWN))

    assert blend(0, known) == (0, 0.5, 0.5, 0.8)
    assert blend(0, rare) == (0, 0.4, 0.5, 0.6)
    assert blend(0, 0) == (0, 0.4, 0.5, 0.6)
    four = node_with(trees, [(True, False, 0.3)] * 4)
    assert blend(four, known) == (4, 0.2 + 0.8 * 0.5, 0.8 * 0.5, 0.2 * 0.3 + 0.8 * 0.8)
    assert blend(four, rare) == (4, 0.4, 0.5, 0.6)  # both unreliable
    ten = node_with(trees, [(False, True, 0)] * 10)
    assert blend(ten, known) == (10, 0.25, 0.75, 0.8)  # no showdown yet: the default node's strength
    assert blend(ten, 0) == (10, 0.2, 0.75, 0.6)  # nothing known for v_D
    many = node_with(trees, [(True, False, 0.3)] * 20)
    assert blend(many, known) == (20, 1.0, 0.0, 0.3)


def test_row_of_a_worked_state():
    """The button opens to 300, the big blind calls and bets 300 into 600 on the flop: 300 to call into 900."""
    hand = Hand()
    hand.raise_to(300)
    hand.call()
    hand.raise_to(300)
    row = np.zeros(ROW, np.float32)
    state_row(row, hand.row, 0, 1, (10, 0.25, 0.5, 0.75), LAMBDAS, 0.625, 20_000)
    expected = [0.25, 0.5, 0.75, 0.5, 0, 1, 0, 0, 0.625, 300 / 1200, 300 / 20_000, 600 / 20_000, 0.25, 1]
    assert row == pytest.approx(expected)


@pytest.mark.parametrize("to", [600, 1500, 19_700])
def test_look_ahead_row_is_the_row_of_the_state_it_leads_to(to):
    hand = Hand()
    hand.raise_to(300)
    hand.call()
    hand.raise_to(300)
    ahead, there = np.zeros(ROW, np.float32), np.zeros(ROW, np.float32)
    stats = (3, 0.1, 0.2, 0.3)
    odds = raised_odds(hand.row, 0, 1, to)
    raised_row(ahead, hand.row, 0, 1, to, odds, stats, LAMBDAS, 0.5, 20_000)
    hand.raise_to(to)
    state_row(there, hand.row, 0, 1, stats, LAMBDAS, 0.5, 20_000)
    assert (ahead == there).all()
    assert odds == hand.call_cost / (hand.pot + hand.call_cost)


def test_stored_defaults():
    rates_by_street = street_defaults("training8")
    assert rates_by_street.shape == (4, 3)
    assert ((rates_by_street > 0) & (rates_by_street < 1)).all()
    assert (np.diff(rates_by_street[:, 0]) > 0).all()  # the later the street, the likelier a showdown
    assert next_action_defaults("training8").sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(UserError, match="stored: training8"):
        street_defaults("nobody")
