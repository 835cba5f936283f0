"""The abstract betting tree against the engine, and the settings it refuses."""

import numpy as np
import pytest

from ashe.errors import UserError
from ashe.evolution.settings import from_mapping
from ashe.game import engine as e
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP
from ashe.game.view import Action
from ashe.solver.betting import ALL_IN, BettingConfig, betting_tree
from ashe.solver.play import raise_amount

SIZES = {
    "preflop": ((0.5, 1.0, 5.0), (1.0,)),
    "flop": ((0.5, 2.0), (1.0,)),
    "turn": ((1.0,),),
    "river": ((1.0, 4.0), ()),
}
CONFIG = BettingConfig(**SIZES)
BUCKETS = (3, 4, 5, 6)
TREE, MOVES = betting_tree(CONFIG, BUCKETS)


@pytest.mark.parametrize("seed", range(300))
def test_random_lines_agree_with_the_engine(seed):
    """Who acts, on which street, what a fold or a showdown is worth: the engine says the same."""
    rng = np.random.default_rng(seed)
    hand, node = Hand(), 0
    while node >= 0:
        assert hand.actor == TREE.player[node]
        assert hand.street == TREE.round[node]
        first, n = int(TREE.edge[node]), int(TREE.actions[node])
        moves = MOVES[first : first + n]
        assert (moves[0].kind == e.FOLD) == (hand.call_cost > 0)
        assert (moves[-1].fraction == ALL_IN) == (hand.raise_range != (0, 0))
        totals = [raise_amount(hand.row, 0, m.fraction) for m in moves if m.kind == e.RAISE]
        assert totals == sorted(set(totals))
        a = int(rng.integers(n)) if rng.random() < 0.5 else int(moves[0].kind == e.FOLD)
        move = moves[a]
        hand.act(Action(move.kind, raise_amount(hand.row, 0, move.fraction) if move.kind == e.RAISE else 0))
        node = int(TREE.child[first + a])
    end = -1 - node
    assert hand.over
    assert TREE.closed[end] == hand.row[0, e.CLOSED]
    assert bool(TREE.showdown[end]) == (hand.street == e.SHOWDOWN)
    assert TREE.value[end] == pytest.approx(hand.payoffs([1, 2])[0] / HEADS_UP.big_blind)


def test_places_do_not_overlap():
    sizes = TREE.actions.astype(int) * np.array(BUCKETS)[TREE.round]
    assert TREE.base[0] == 0
    assert (np.diff(TREE.base) == sizes[:-1]).all()
    assert TREE.places(BUCKETS) == sizes.sum()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flop": []}, "flop=\\[\\] is empty"),
        ({"flop": [[1.0, 0.5]]}, "positive and ascending"),
        ({"turn": [[0.0]]}, "positive and ascending"),
        ({"river": [[float(i) for i in range(1, 12)]]}, "at most 9 are supported"),
        ({"all_in_from": 0.0}, "must be > 0"),
        ({"rivers": [[1.0]]}, "did you mean 'river'"),
    ],
)
def test_nonsense_is_refused(change, message):
    data = {name: [list(level) for level in levels] for name, levels in SIZES.items()}
    with pytest.raises(UserError, match=message):
        from_mapping(BettingConfig, {**data, **change})
