"""Checkpoints of the solver, and what it refuses."""

import numpy as np
import pytest

from ashe.errors import UserError
from ashe.solver.mccfr import MccfrConfig, Solver
from ashe.solver.small_games import kuhn, leduc

CONFIG = MccfrConfig(deals=5_000, intervals=10, batch=100)


def test_a_resumed_run_ends_with_the_same_bytes(tmp_path):
    game = leduc()
    whole = Solver(game.tree, game.chance, CONFIG, 7)
    half = Solver(game.tree, game.chance, CONFIG, 7)
    for _ in range(4):
        half.step()
    half.save(tmp_path / "checkpoint", "settings")
    resumed = Solver(game.tree, game.chance, CONFIG, 7)
    resumed.load(tmp_path / "checkpoint", "settings")
    assert resumed.deals_done == 2_000
    for solver in (whole, resumed):
        while not solver.done:
            solver.step()
    assert (whole.regret == resumed.regret).all()
    assert (whole.average == resumed.average).all()
    assert whole.visited == resumed.visited


def test_wrong_checkpoints_are_refused(tmp_path):
    game = kuhn()
    solver = Solver(game.tree, game.chance, CONFIG, 7)
    with pytest.raises(UserError, match="there is no checkpoint"):
        solver.load(tmp_path / "missing", "settings")
    solver.save(tmp_path / "checkpoint", "settings")
    with pytest.raises(UserError, match="has version settings, this program needs others"):
        solver.load(tmp_path / "checkpoint", "others")
    with pytest.raises(UserError, match="it belongs to other settings"):
        Solver(leduc().tree, leduc().chance, CONFIG, 7).load(tmp_path / "checkpoint", "settings")
    data = (tmp_path / "checkpoint").read_bytes()
    (tmp_path / "checkpoint").write_bytes(data[:-50])
    with pytest.raises(UserError, match="start a new run"):
        solver.load(tmp_path / "checkpoint", "settings")


def test_every_information_set_has_probabilities():
    game = leduc()
    solver = Solver(game.tree, game.chance, MccfrConfig(deals=10, intervals=1), 1)
    solver.step()
    for floor in (0.0, 0.2):
        strategy = solver.strategy(floor)
        for node in range(game.tree.nodes):
            n = int(game.tree.actions[node])
            rows = strategy[game.tree.base[node] :][: n * game.chance.buckets[game.tree.round[node]]].reshape(-1, n)
            assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
            assert ((rows == 0) | (rows >= min(floor, 1 / n))).all()


def test_settings_are_checked():
    with pytest.raises(UserError, match="at least one deal each"):
        MccfrConfig(deals=5, intervals=10)
    with pytest.raises(UserError, match="must be >= 1"):
        MccfrConfig(deals=0)
    assert np.isfinite(CONFIG.prune_below)
