"""ASHE 2.0: the compiled training loop against the match player, and that against a slow obvious twin."""

import numpy as np
import pytest
from ashe2_twin import GENERATION, SEED, Checked, Twin, genome_of, stats_of, stats_of_twin, tables_of
from tests.habits_twin import same_habits

from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.ashe2_training import Ashe2Evaluator, Ashe2Problem
from ashe.errors import UserError
from ashe.evolution.composing import compose, default_config_dir, settings_of
from ashe.evolution.protocols import GenerationTask
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.rules import HEADS_UP
from ashe.train import plan_of

SMALL = {"blocks": 3, "size": 4, "hidden": 6}
VARIANTS = {
    "direct": {},
    "modulated": {"head": "modulated"},
    "odds": {"head": "odds"},
    "prototype cells": {"output_tanh": False, "init": "prototype", "reliable": 0},
    "no trees": {"head": "modulated", "trees": False},
    "no state": {"lstm_state": False},
    "no ofre": {"head": "modulated", "ofre": False},
    "board nodes": {"head": "modulated", "board_nodes": True, "reliable": 0},
    "habits": {"head": "odds", "habit_visits": 5.0, "selective": True},
    "habits, direct": {"habit_visits": 5.0, "selective": True, "board_nodes": True},
    "habits alone": {"head": "modulated", "habit_visits": 2.5, "prior_visits": 30.0},
    "selective alone": {"head": "odds", "selective": True, "ofre": False},
}
OPPONENTS = ("HM", "CS", "random", "TA", "LA")


def kinds_played(tables, ended):
    return {a.kind for t in ended for a in tables.events(t) if a.seat == tables.seat_of(t, 0)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_training_equals_match_play(variant):
    hands, kinds = 60, set()
    config = Ashe2Config(**SMALL, **VARIANTS[variant])
    genomes = np.stack([genome_of(config, i) for i in range(5)])
    result = Ashe2Evaluator(config, HEADS_UP, hands).evaluate(genomes, GenerationTask(SEED, GENERATION, OPPONENTS))
    for i, genome in enumerate(genomes):
        for j, opponent in enumerate(OPPONENTS):
            tables = tables_of(Ashe2Player("hero", config, genome), opponent, hands, (0, 1))
            tables.run(lambda t, ended: kinds.update(kinds_played(t, ended)))
            assert result["chips"][i, j] == tables.won.sum()
            assert result["adjusted"][i, j] == pytest.approx(tables.adjusted.sum())
    assert kinds == {FOLD, CALL, RAISE}  # the genomes are lively enough for the comparison to mean something


def test_shared_estimator_and_group_size_change_nothing():
    """The frozen estimator of a session steps for several individuals at once."""
    config = Ashe2Config(**SMALL)
    genomes = np.stack([genome_of(config, i) for i in range(5)])
    genomes[:, slice(*config.spec.part("swre"))] = genomes[0, slice(*config.spec.part("swre"))]
    task = GenerationTask(SEED, GENERATION, OPPONENTS)
    results = [Ashe2Evaluator(config, HEADS_UP, 30, group).evaluate(genomes, task)["chips"] for group in (1, 2, 3, 5)]
    for other in results[1:]:
        assert (other == results[0]).all()
    alone = Ashe2Evaluator(config, HEADS_UP, 30).evaluate(genomes[3:4], GenerationTask(SEED, GENERATION, ("LA",)))
    assert alone["chips"][0, 0] == results[0][3, 4]


def test_trees_grow_beyond_the_pool(monkeypatch):
    config = Ashe2Config(**SMALL)
    genomes, task = genome_of(config, 2)[None], GenerationTask(SEED, GENERATION, OPPONENTS)
    expected = Ashe2Evaluator(config, HEADS_UP, 60).evaluate(genomes, task)["chips"]
    monkeypatch.setattr("ashe.agents.ashe2_training.NODES_PER_TABLE", 1)
    evaluator = Ashe2Evaluator(config, HEADS_UP, 60)
    assert (evaluator.evaluate(genomes, task)["chips"] == expected).all()
    assert evaluator.nodes > 10


# ---------------------------------------------------------------- the twin
@pytest.mark.parametrize("variant", VARIANTS)
def test_twin_makes_the_same_decisions(variant):
    """2,000 hands for each of the three heads and for habits, fewer for the others: actions, trees and habits."""
    config = Ashe2Config(**SMALL, **VARIANTS[variant])
    hands = 400 if variant in ("direct", "modulated", "odds", "habits") else 60
    kinds, ties, decisions = [], 0, 0
    for seed, opponent in enumerate(OPPONENTS):
        genome = genome_of(config, seed)
        player = Checked("hero", config, genome)
        tables = tables_of(player, opponent, hands)
        player.attach(Twin(config, genome), tables)
        tables.run()
        kinds, ties, decisions = kinds + player.kinds, ties + player.ties, decisions + player.decisions
        ours = stats_of(player.mind.trees, player.mind.roots[0])
        expected = stats_of_twin(player.twin)
        assert ours.keys() == expected.keys()
        for path, stats in expected.items():
            assert ours[path] == pytest.approx(stats, abs=1e-3)
        same_habits(player.mind.habits, player.twin.habits)
    assert ties <= decisions // 1000, (ties, decisions)
    assert len(set(kinds)) >= (3 if hands == 400 else 2)
    assert len(kinds) > 5 * hands


# ---------------------------------------------------------------- settings
def test_published_sizes():
    """D 5.2: 50 blocks of 10, 500-50-1; 14 and 13 inputs."""
    config = Ashe2Config()

    def estimator(inputs):
        return 500 * (4 * inputs + 40 + 4 + 3 + 2) + 500 * 50 + 50 + 50 + 1

    assert config.spec.length == estimator(14) + estimator(13)
    problem = Ashe2Problem(config, HEADS_UP, 1000)
    assert problem.initial(1, 3).shape == (3, config.spec.length)
    assert problem.hands == 2_000
    assert problem.genome_modules == {"swre": (0, estimator(14)), "ofre": (estimator(14), config.spec.length)}


def test_bad_settings_are_refused():
    with pytest.raises(UserError, match="allowed: direct, modulated, odds"):
        Ashe2Config(head="sideways")
    with pytest.raises(UserError, match="four positive numbers"):
        Ashe2Config(lambdas=(1.0, 2.0))
    with pytest.raises(UserError, match="stored: training8"):
        Ashe2Config(street_defaults="nobody")
    with pytest.raises(UserError, match="genes"):
        Ashe2Player("x", Ashe2Config(**SMALL), np.zeros(7, np.float32))
    with pytest.raises(UserError, match="genes"):
        Ashe2Evaluator(Ashe2Config(**SMALL), HEADS_UP, 5).evaluate(
            np.zeros((2, 3), np.float32), GenerationTask(1, 0, ("CM",))
        )


@pytest.mark.parametrize("name", ["a1", "a2", "a3", "a4"])
def test_experiments_have_the_published_parameters(name):
    """D Table 5-2 and the curricula of spec section 4."""
    config = settings_of(compose(default_config_dir(), [f"+experiment={name}", "agent.trees=false"]))
    plan = plan_of(config)
    plan.check()
    assert (plan.curriculum.generations, plan.population, plan.problem.hands) == (500, 50, 2_000)
    assert [plan.curriculum.at(g).module for g in (0, 49, 50, 99, 100, 499)] == [
        "ofre", "ofre", "swre", "swre", "ofre", "swre",
    ]  # fmt: skip
    at = {g: plan.curriculum.at(g).opponents for g in (0, 199, 200)}
    high, low = ("HM", "CM", "SL", "CS"), ("LA", "LP", "TP", "TA")
    mixed = ("HM", "SL", "LA", "TP")
    first, last = {"a1": (high, high), "a2": (low, low), "a3": (mixed, mixed), "a4": (high, low)}[name]
    assert (at[0], at[199], at[200]) == (first, first, last)
