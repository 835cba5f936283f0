"""ASHE 2.2 and 2.3: training equals match play, sessions, settings, champions by name."""

from dataclasses import replace

import numpy as np
import pytest
from ashe2_twin import GENERATION, SEED, genome_of, tables_of

from ashe.agents.ashe2_explain import Explainer, as_text
from ashe.agents.ashe22 import Ashe22Config, RueConfig
from ashe.agents.ashe22_player import Ashe22Player
from ashe.agents.ashe22_training import Ashe22Evaluator, Ashe22Problem, Ashe22Session
from ashe.agents.champions import player_of
from ashe.agents.preliminary import PreliminaryConfig
from ashe.agents.ranges import rank_among
from ashe.cards.deck import parse_cards
from ashe.decision.hand_range import UNIFORM
from ashe.errors import UserError
from ashe.evolution.champion import ChampionFile
from ashe.evolution.composing import compose, default_config_dir, settings_of
from ashe.evolution.protocols import GenerationTask
from ashe.evolution.settings import to_mapping
from ashe.game.rules import HEADS_UP
from ashe.train import plan_of
from ashe.trees.prt import VISITS

RUE = RueConfig(samples=8, every_river=False, strength_groups=2, min_reach=0.02, budget=24)
SMALL = {"blocks": 2, "size": 3, "hidden": 4, "head": "odds", "reliable": 1, "rue": RUE}
KINDS = ("ashe22", "ashe23")
OPPONENTS = ("HM", "LA", "TA")


@pytest.mark.parametrize("kind", KINDS)
def test_training_equals_match_play(kind):
    """With default trees from self-play and without, habits; shared and own estimators; the room for nodes grows."""
    hands, preliminary = 40, PreliminaryConfig(60, (), 2)
    config = Ashe22Config(kind=kind, **SMALL)
    with_trees = Ashe22Config(kind=kind, **SMALL, preliminary=preliminary)
    genomes = np.stack([genome_of(config, i) for i in range(3)])
    frozen = slice(*config.spec.part(config.modules[1]))
    genomes[:, frozen] = genomes[0, frozen]
    task = GenerationTask(SEED, GENERATION, OPPONENTS, champion=genome_of(config, 9))
    habits = replace(config if kind == "ashe23" else with_trees, habit_visits=5.0, selective=True)
    for c in (config, with_trees, habits):
        result = Ashe22Evaluator(c, HEADS_UP, hands).evaluate(genomes, task)
        assert len(np.unique(result["chips"])) > 3
        problem = Ashe22Problem(c, HEADS_UP, hands)
        agent = {"kind": kind, **{k: v for k, v in to_mapping(c).items() if k != "kind"}}
        game = {"small_blind": 50, "big_blind": 100, "stack": 20_000}
        for i, genome in enumerate(genomes[:2]):
            champion = ChampionFile(genome, {"config": {"agent": agent, "game": game}}, problem.assets(genome, task))
            for j, opponent in enumerate(OPPONENTS):
                tables = tables_of(player_of("hero", champion), opponent, hands, (0, 1))
                tables.run()
                assert result["chips"][i, j] == tables.won.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_group_size_changes_nothing(kind):
    config = Ashe22Config(kind=kind, **SMALL)
    genomes = np.stack([genome_of(config, i) for i in range(3)])
    task = GenerationTask(SEED, GENERATION, OPPONENTS)
    one, all_ = (Ashe22Evaluator(config, HEADS_UP, 20, group).evaluate(genomes, task)["chips"] for group in (1, 3))
    assert (one == all_).all()


def test_true_results_in_the_first_session_only():
    """Knowing the result of every showdown, even a random genome wins from a player that never folds."""
    config = Ashe22Config(kind="ashe23", **SMALL, truth_first=True)
    genome = genome_of(config, 1)[None]
    evaluator = Ashe22Evaluator(config, HEADS_UP, 60)

    def chips(**moment):
        return evaluator.evaluate(genome, GenerationTask(SEED, GENERATION, ("CM",), **moment))["chips"][0, 0]

    first = chips(session=0, module="oare")
    assert first / 120 > 2_000
    assert chips(session=1, module="hre") == chips(session=2, module="oare") < first


def test_default_trees_count_next_actions():
    config = Ashe22Config(**SMALL, preliminary=PreliminaryConfig(80, ("LA", "TP"), 2))
    built = Ashe22Session(config, HEADS_UP).default_trees(genome_of(config, 1)[None], GenerationTask(SEED, 0, ("CM",)))
    trees, used = built.trees, int(built.trees.used[0])
    assert trees.counts[built.roots[0], VISITS].sum() == 80
    assert trees.following[:used].sum() > 40
    assert (trees.following[:used].sum(axis=1) <= trees.counts[:used, VISITS]).all()


@pytest.mark.parametrize("name", ["ashe22", "ashe23"])
def test_experiments_have_the_published_parameters(name):
    """D Tables 7-1 and 8-1."""
    config = settings_of(compose(default_config_dir(), [f"+experiment={name}"]))
    plan = plan_of(config)
    plan.check()
    agent = plan.problem.config
    assert (agent.blocks, agent.size, agent.hidden, agent.head) == (50, 10, 50, "direct")
    assert (agent.rue.samples, agent.rue.min_reach, agent.rue.budget, agent.rue.every_river) == (100, 0, 0, True)
    assert agent.preliminary == PreliminaryConfig(10_000, (), 1)
    generations, population, first, lengths = {
        "ashe22": (750, 50, 300, (100, 50)), "ashe23": (1_200, 80, 400, (100, 100)),
    }[name]  # fmt: skip
    assert (plan.curriculum.generations, plan.population, plan.problem.hands) == (generations, population, 2_000)
    assert plan.curriculum.at(first - 1).opponents == ("HM", "CM", "SL", "CS")
    assert plan.curriculum.at(first).opponents == ("LA", "LP", "TP", "TA")
    assert tuple(s.generations for s in plan.curriculum.sessions) == lengths
    assert tuple(s.module for s in plan.curriculum.sessions) == agent.modules
    assert agent.truth_first == (name == "ashe23")


@pytest.mark.parametrize("name", ["ashe22_desktop", "ashe23_desktop"])
def test_desktop_experiments_are_complete(name):
    plan_of(settings_of(compose(default_config_dir(), [f"+experiment={name}"]))).check()


def test_bad_settings_are_refused():
    with pytest.raises(UserError, match="allowed: ashe22, ashe23"):
        Ashe22Config(kind="ashe24")
    with pytest.raises(UserError, match="four positive numbers"):
        Ashe22Config(lambdas=(1.0, 2.0))
    with pytest.raises(UserError, match="samples=0"):
        RueConfig(samples=0)
    with pytest.raises(UserError, match="min_reach=2"):
        RueConfig(min_reach=2.0)
    with pytest.raises(UserError, match="genes"):
        Ashe22Player("x", Ashe22Config(**SMALL), np.zeros(7, np.float32))
    config = Ashe22Config(**SMALL, preliminary=PreliminaryConfig(10))
    with pytest.raises(UserError, match="default trees"):
        Ashe22Player("x", config, genome_of(config, 1))


def test_range_record():
    """Every showdown is noted once; ranks among the 990 hands that own cards and the board leave."""
    config = Ashe22Config(kind="ashe23", **SMALL)
    player = Ashe22Player("hero", config, np.zeros(config.spec.length, np.float32))
    record = player.record_ranges()
    tables, shown = tables_of(player, "CM", 30, (0, 1)), []
    tables.run(lambda t, ended: shown.extend(t.result(int(i), 0).shown is not None for i in ended))
    found = record.accuracy()
    assert found.count == sum(shown) > 10
    # a silent genome whose head bends a range of the shown strength: about uniform against CM
    assert found.predicted.sum() == pytest.approx(1)
    assert found.predicted == pytest.approx(UNIFORM, abs=0.15)
    assert found.right == pytest.approx(found.shown[-1], abs=0.1)
    assert f"{found.count:,} showdowns" in found.table()
    assert record.accuracy(since=10**6).count == 0
    # four aces on the board: the 170 hands with a king share the best rank, the 85th place; then 44 royal flushes
    board = np.array(parse_cards("AsAhAdAc2d"))
    assert rank_among(*parse_cards("3c4c"), board, *parse_cards("KsKh")) == 85
    assert rank_among(*parse_cards("3c4c"), np.array(parse_cards("TsJsQsKs2d")), *parse_cards("As3d")) == 22
    with pytest.raises(UserError, match="without a Hand Range Estimator"):
        Ashe22Player("x", Ashe22Config(**SMALL), genome_of(Ashe22Config(**SMALL), 1)).record_ranges()


def test_explained_search():
    """Values of the printed tree are those of the decision; probabilities add up."""
    config = Ashe22Config(**SMALL)
    player = Ashe22Player("hero", config, genome_of(config, 2))
    tables = tables_of(player, "LA", 30)
    explainer = Explainer(30)
    explainer.start(tables)
    tables.run(explainer)
    decisions = [d for hand in explainer.hands for d in hand["decisions"]]
    assert max(d["searched"]["views"] for d in decisions) > 1
    for d in decisions:
        actions = {a["action"]: a for a in d["searched"]["actions"]}
        assert max(a["value"] for a in actions.values()) == pytest.approx(d["utility"], abs=0.02)
        for action in actions.values():
            for state in action.get("states", []):
                p = [a["probability"] for a in state["actions"] if a["who"] == "opponent"]
                assert not p or sum(p) == pytest.approx(1, abs=1e-3)
    text = as_text(explainer.hands)
    assert "searched" in text
    assert "chosen: " in text
