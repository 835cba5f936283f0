"""Kuhn and Leduc, solved by the code that solves no-limit hold'em, judged by OpenSpiel."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import expected_game_score
from open_spiel.python.algorithms import exploitability as spiel_exploitability

from ashe.solver.mccfr import MccfrConfig, Solver
from ashe.solver.response import best_response_value, expected_value, exploitability
from ashe.solver.small_games import CALL, FOLD, KUHN_VALUE, RAISE, kuhn, leduc


def solve(game, deals, workers=1, intervals=100):
    solver = Solver(game.tree, game.chance, MccfrConfig(deals=deals, intervals=intervals, prune_share=0.0), seed=1)
    while not solver.done:
        solver.step(workers)
    return solver.strategy()


def exported(game, strategy):
    """The strategy as OpenSpiel's tabular policy: walk its game and ours side by side."""
    spiel = pyspiel.load_game(game.name)
    table = spiel_policy.TabularPolicy(spiel)
    tree = game.tree

    def spiel_action(label, labels):
        if game.name == "kuhn_poker":  # 0 passes, which is also the fold; 1 bets, which is also the call
            return int(label == RAISE or (label == CALL and FOLD in labels))
        return {FOLD: 0, CALL: 1, RAISE: 2}[label]

    def walk(state, node, cards):
        if state.is_terminal():
            assert node < 0
            return
        if state.is_chance_node():
            for action, _ in state.chance_outcomes():
                walk(state.child(action), node, [*cards, action])
            return
        assert node >= 0
        player, n, first = int(tree.player[node]), int(tree.actions[node]), int(tree.edge[node])
        assert state.current_player() == player
        if game.name == "kuhn_poker":
            bucket = cards[player]
        else:
            bucket = cards[player] // 2 if len(cards) == 2 else 3 * (cards[player] // 2) + cards[2] // 2
        slot = int(tree.base[node]) + bucket * n
        row = table.policy_for_key(state.information_state_string())
        row[:] = 0.0
        labels = game.labels[first : first + n]
        for a, label in enumerate(labels):
            action = spiel_action(label, labels)
            row[action] = strategy[slot + a]
            walk(state.child(action), int(tree.child[first + a]), cards)

    walk(spiel.new_initial_state(), 0, [])
    return spiel, table


@pytest.mark.parametrize(("game", "deals"), [(kuhn(), 1_000_000), (leduc(), 3_000_000)], ids=["kuhn", "leduc"])
def test_solved_below_a_hundredth_of_a_chip(game, deals):
    strategy = solve(game, deals)
    ours = exploitability(game.tree, game.chance.deals, strategy)
    spiel, table = exported(game, strategy)
    assert ours < 0.01
    assert ours == pytest.approx(spiel_exploitability.exploitability(spiel, table), abs=1e-5)
    value = expected_value(game.tree, game.chance.deals, strategy)
    score = expected_game_score.policy_value(spiel.new_initial_state(), [table, table])
    assert value == pytest.approx(score[0], abs=1e-5)
    known = KUHN_VALUE if game.name == "kuhn_poker" else -0.0856
    assert value == pytest.approx(known, abs=0.002)


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
def test_exploitability_of_any_strategy_agrees(game):
    """Not only where it is almost 0."""
    rng = np.random.default_rng(3)
    size = game.tree.places(game.chance.buckets)
    strategy = np.zeros(size, np.float32)
    for node in range(game.tree.nodes):
        n, first = int(game.tree.actions[node]), int(game.tree.base[node])
        for bucket in range(game.chance.buckets[game.tree.round[node]]):
            strategy[first + bucket * n : first + (bucket + 1) * n] = rng.dirichlet(np.ones(n))
    ours = exploitability(game.tree, game.chance.deals, strategy)
    assert ours == pytest.approx(spiel_exploitability.exploitability(*exported(game, strategy)), abs=1e-5)
    assert ours > 0.1


def test_two_workers_solve_as_well():
    game = kuhn()
    strategy = solve(game, 400_000, workers=2)
    assert exploitability(game.tree, game.chance.deals, strategy) < 0.01
    assert best_response_value(game.tree, game.chance.deals, strategy, 0) >= KUHN_VALUE - 1e-6


def test_one_worker_is_reproducible():
    game = leduc()
    assert (solve(game, 20_000) == solve(game, 20_000)).all()
