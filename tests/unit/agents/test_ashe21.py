"""ASHE 2.1: preliminary sessions, default trees in training and in matches, champion files with trees."""

from dataclasses import replace

import numpy as np
import pytest
from ashe2_twin import GENERATION, SEED, Checked, Twin, genome_of, stats_of, stats_of_twin, tables_of
from tests.habits_twin import same_habits

from ashe import inspect
from ashe.agents import training
from ashe.agents.ashe2 import DEFAULT, Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.ashe2_session import Ashe2Session
from ashe.agents.ashe2_training import Ashe2Evaluator, Ashe2Problem
from ashe.agents.champions import player_of, with_settings
from ashe.agents.preliminary import PreliminaryConfig, session_of
from ashe.errors import UserError
from ashe.evaluation import kernel as k
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.evolution.champion import load_champion
from ashe.evolution.checkpoint import CheckpointStore
from ashe.evolution.composing import compose, default_config_dir, settings_of
from ashe.evolution.protocols import GenerationTask
from ashe.game.rules import HEADS_UP
from ashe.opponents.dispatch import RULES
from ashe.players.registry import make_player
from ashe.train import main, plan_of
from ashe.trees.prt import VISITS

OPPONENTS = ("LP", "LA", "TP", "TA")
BASE = Ashe2Config(blocks=3, size=4, hidden=6, head="modulated", board_nodes=True, reliable=1)
AGAINST = {"default opponents": OPPONENTS, "self-play": ()}
HABITS = {"habit_visits": 5.0, "selective": True}


def config_of(against, hands=120, tables=1, **settings):
    return replace(BASE, preliminary=PreliminaryConfig(hands, AGAINST[against], tables), **settings)


def task_of(config, opponents=("CM", "TA"), generation=GENERATION):
    return GenerationTask(SEED, generation, opponents, champion=genome_of(config, 77))


def trees_of(config, genomes, task=None):
    """Per individual: {path: counts} of both trees after a session."""
    built = Ashe2Session(config, HEADS_UP).default_trees(np.stack(genomes), task or task_of(config))
    return [stats_of(built.trees, roots) for roots in built.roots]


class Persistent(Checked):
    """Never reset: one match over all blocks."""

    begun = False

    def begin(self, tables, keys):
        if not self.begun:
            super().begin(tables, keys)
        self.begun = hasattr(self, "twin")


def replay(config, genome, task):
    """A session, one hand after the other through the machinery of matches; returns the twin that saw it all."""
    plain = replace(config, preliminary=None)
    session = session_of(config.preliminary, task)
    hero, rival = Persistent("hero", plain, genome), None
    twin = Twin(plain, genome)
    for number, block in enumerate(session.blocks):
        name = None if config.preliminary.self_play else config.preliminary.opponents[number]
        rival = make_player(name) if name else Ashe2Player("rival", plain, task.champion)
        (row,) = block.meta
        half = HalfMatch(0, int(row[k.HALF]), int(row[k.FIRST_DECK]), int(row[k.HANDS]))
        tables = Tables((hero, rival), session.deal, [half], SEED)
        hero.attach(twin, tables)
        tables.run()
    return twin


def same_counts(ours, expected):
    assert ours.keys() == expected.keys()
    for path, stats in expected.items():
        assert ours[path] == pytest.approx(stats, abs=1e-3)


# ---------------------------------------------------------------- sessions
def test_blocks_are_equal_and_the_button_alternates():
    config = PreliminaryConfig(103, OPPONENTS, tables=3)
    session = session_of(config, GenerationTask(1, 2, ()))
    assert session.deal.size == 103
    seen = []
    for name, block in zip(OPPONENTS, session.blocks, strict=True):
        assert (block.codes[:, 1] == RULES[name].number).all()
        assert 25 <= block.meta[:, k.HANDS].sum() <= 26
        for first, half, _, hands, _, _ in block.meta:
            seen += [(first + hand, (half + hand) % 2) for hand in range(hands)]
    assert seen == [(deck, deck % 2) for deck in range(103)]
    other = session_of(config, GenerationTask(1, 3, ()))
    assert (session_of(config, GenerationTask(1, 2, ("HM",))).deal.decks == session.deal.decks).all()
    assert (other.deal.decks != session.deal.decks).any()


@pytest.mark.parametrize(
    ("against", "settings"), [*((name, {}) for name in AGAINST), *((name, HABITS) for name in AGAINST)]
)
def test_session_equals_a_slow_replay(against, settings):
    """The twin checks every decision of the replay, and counts by itself. Habits last as long as the trees."""
    config = config_of(against, **settings)
    genomes = [genome_of(config, seed) for seed in (1, 2)]
    for genome, ours in zip(genomes, trees_of(config, genomes), strict=True):
        twin = replay(config, genome, task_of(config))
        assert twin.default is None
        same_counts(ours, stats_of_twin(twin))
        assert ours[0,][VISITS] == ours[1,][VISITS] == 60
        assert len(ours) > 60


@pytest.mark.parametrize("against", AGAINST)
def test_tables_share_the_trees(against):
    """Play that does not look at trees is the same in any order, so the trees must be."""
    config, task = config_of(against, trees=False), task_of(BASE)
    genomes = [genome_of(BASE, seed) for seed in (1, 2, 3)]
    alone = trees_of(config, genomes, task)
    for tables in (2, 7):
        shared = trees_of(config_of(against, tables=tables, trees=False), genomes, task)
        for ours, expected in zip(shared, alone, strict=True):
            same_counts(ours, expected)


def test_trees_depend_on_seed_generation_and_champion():
    genomes = [genome_of(BASE, 1)]
    for against in AGAINST:
        config = config_of(against, hands=40)
        here = trees_of(config, genomes)
        assert here == trees_of(config, genomes)
        assert here != trees_of(config, genomes, task_of(config, generation=GENERATION + 1))
        other = replace(task_of(config), champion=genome_of(config, 78))
        assert (here == trees_of(config, genomes, other)) == (against == "default opponents")
    # The first generation has no champion: the rival is random, and the same for all.
    first = GenerationTask(SEED, 0, ())
    assert trees_of(config, genomes, first) == trees_of(config, [*genomes, genome_of(BASE, 2)], first)[:1]


# ---------------------------------------------------------------- default trees in play
@pytest.mark.parametrize(
    "settings", [{"head": "direct"}, {"head": "modulated"}, {"head": "odds", **HABITS}, {"head": "direct", **HABITS}]
)
def test_twin_blends_alike(settings):
    """Features with default trees against the twin, whose default trees are those of its own replay."""
    config = config_of("default opponents", hands=300, **settings)
    genome, task = genome_of(config, 3), task_of(config)
    default = replay(config, genome, task).tree
    trees = Ashe2Problem(config, HEADS_UP, 10).assets(genome, task)
    saved = {name.removeprefix(DEFAULT): array for name, array in trees.items()}
    blended = 0
    for opponent in ("TA", "LA", "CS"):
        player = Checked("hero", config, genome, default=saved)
        tables = tables_of(player, opponent, 60)
        player.attach(Twin(config, genome, default), tables)
        tables.run()
        assert player.ties <= 1 + player.decisions // 1000
        same_counts(stats_of(player.mind.trees, player.mind.roots[0]), stats_of_twin(player.twin))
        same_habits(player.mind.habits, player.twin.habits)
        known = {path for path, s in default.items() if s["f"] > config.reliable}
        blended += sum(0 < s["f"] < 20 and path in known for path, s in player.twin.tree.items())
    assert blended > 20


@pytest.mark.parametrize(("against", "settings"), [*((name, {}) for name in AGAINST), ("self-play", HABITS)])
def test_training_equals_match_play(against, settings):
    """Evaluation reads the whole trees, a match the pruned ones of the champion file; shards and groups vary."""
    hands, opponents = 40, ("CS", "LA", "TA")
    config = config_of(against, hands=400, **settings)
    genomes = np.stack([genome_of(config, seed) for seed in range(3)])
    task = task_of(config, opponents)
    result = Ashe2Evaluator(config, HEADS_UP, hands).evaluate(genomes, task)
    without = Ashe2Evaluator(replace(config, preliminary=None), HEADS_UP, hands).evaluate(genomes, task)
    assert (result["chips"] != without["chips"]).any()
    for group in (1, 3):
        assert (
            Ashe2Evaluator(config, HEADS_UP, hands, group).evaluate(genomes, task)["chips"] == result["chips"]
        ).all()
    alone = Ashe2Evaluator(config, HEADS_UP, hands).evaluate(genomes[2:], replace(task, first=2))
    assert (alone["chips"] == result["chips"][2:]).all()
    built = Ashe2Session(config, HEADS_UP).default_trees(genomes[:1], task)
    for i, genome in enumerate(genomes):
        assets = Ashe2Problem(config, HEADS_UP, hands).assets(genome, task)
        saved = {name.removeprefix(DEFAULT): array for name, array in assets.items()}
        if i == 0:
            assert len(saved["child"]) < 0.8 * built.trees.used[0]
        for j, opponent in enumerate(opponents):
            tables = tables_of(Ashe2Player("hero", config, genome, default=saved), opponent, hands, (0, 1))
            tables.run()
            assert result["chips"][i, j] == tables.won.sum()


def test_pruned_trees_keep_every_reliable_node():
    config = config_of("default opponents", hands=400)
    genome, task = genome_of(config, 1), task_of(config)
    whole = trees_of(config, [genome], task)[0]
    assets = Ashe2Problem(config, HEADS_UP, 10).assets(genome, task)
    player = Ashe2Player("hero", config, genome, default={n.removeprefix(DEFAULT): a for n, a in assets.items()})
    kept = stats_of(*player.default)
    assert {path for path, s in whole.items() if s[VISITS] > config.reliable} <= kept.keys()
    assert all(whole[path] == stats for path, stats in kept.items())
    assert len(kept) < len(whole)


# ---------------------------------------------------------------- settings and files
def test_bad_settings_are_refused():
    with pytest.raises(UserError, match=r"unknown opponent 'LX'.*LA|unknown opponent 'LX'"):
        PreliminaryConfig(100, ("LP", "LX"))
    with pytest.raises(UserError, match="at least 12, one per opponent and table"):
        PreliminaryConfig(11, OPPONENTS, tables=3)
    with pytest.raises(UserError, match=r"has none.*preliminary=null"):
        Ashe2Player("x", config_of("self-play"), genome_of(BASE, 1))


TRAINING = [
    "+experiment=ashe21_opponents", "workers=in_process", "agent.blocks=1", "agent.size=2", "agent.hidden=3",
    "agent.preliminary.hands=200", "agent.preliminary.tables=2", "evolution.population=4", "game.hands=5",
    "curriculum.phases=[{generations: 3, opponents: [CM]}]", "logging.tensorboard=false", "logging.console=false",
]  # fmt: skip


@pytest.mark.parametrize("against", [(), ("agent.preliminary.opponents=[]",)])
def test_a_run_leaves_a_champion_with_its_trees(against, tmp_path, monkeypatch, capsys):
    """Its trees are those it was evaluated with: against the champion before it, also after an interruption."""
    run_dir = tmp_path / "run"
    assert main([*TRAINING, *against, f"run_dir={run_dir}"]) == 0
    champion = load_champion(run_dir / "champion.npz")
    config = settings_of(compose(default_config_dir(), [*TRAINING, *against]))
    plan = plan_of(config)
    saved = CheckpointStore(run_dir / "checkpoints").latest(print)
    assert saved.done == 3
    task = GenerationTask(config.seed, 2, ("CM",), champion=saved.previous.numpy())
    expected = plan.problem.assets(saved.champion.numpy(), task)
    assert champion.assets.keys() == expected.keys()
    assert all((champion.assets[name] == expected[name]).all() for name in expected)

    player = make_player(str(run_dir))
    assert player.default is not None
    assert player.settings.use_default == 1
    monkeypatch.setattr("sys.argv", ["inspect", "default", str(run_dir), "--out", str(tmp_path / "out")])
    capsys.readouterr()
    assert inspect.main() == 0
    shown = capsys.readouterr().out
    visits = player.default[0].counts[player.default[1], VISITS]
    assert f"button: {visits[1]} hands" in shown
    assert f"big blind: {visits[0]} hands" in shown
    assert visits.sum() == 200
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"tree.txt", "tree.json", "tree.png"}
    monkeypatch.setattr("sys.argv", ["inspect", "default", "CM"])
    with pytest.raises(UserError, match="no default trees"):
        inspect.main()

    file = run_dir / "champion.npz"
    file.unlink()  # as if killed before it was written
    (run_dir / "metrics.jsonl").write_text("".join((run_dir / "metrics.jsonl").read_text().splitlines(True)[:-1]))
    assert main([f"resume={run_dir}"]) == 0
    again = load_champion(file)
    assert all((again.assets[name] == expected[name]).all() for name in expected)

    # Other trees are another player; without them it is ASHE 2.0 with board nodes.
    fewer = {**champion.assets, f"{DEFAULT}counts": champion.assets[f"{DEFAULT}counts"] // 2}
    assert player_of("x", replace(champion, assets=fewer)).digest != player.digest
    plain = with_settings(champion, "x", ["preliminary=null"])
    assert player_of("x", plain).settings.use_default == 0
    with pytest.raises(UserError, match="has none"):
        player_of("x", replace(champion, assets={}))


@pytest.mark.parametrize("name", ["ashe21", "ashe21_opponents"])
def test_experiments_have_the_published_parameters(name):
    """D 6.3: Table 5-2, curriculum A4, 5,000 hands, both variants of default opponents."""
    config = settings_of(compose(default_config_dir(), [f"+experiment={name}"]))
    plan = plan_of(config)
    plan.check()
    agent = plan.problem.config
    assert (plan.curriculum.generations, plan.population, plan.problem.hands) == (500, 50, 2_000)
    assert agent.board_nodes
    assert agent.preliminary == PreliminaryConfig(5_000, () if name == "ashe21" else ("LP", "LA", "TP", "TA"), 1)
    assert agent.lambdas == (50, 20, 10, 5)
    assert [plan.curriculum.at(g).module for g in (0, 50, 100)] == ["ofre", "swre", "ofre"]
    assert {g: plan.curriculum.at(g).opponents[0] for g in (199, 200)} == {199: "HM", 200: "LA"}


def test_digest_covers_more_than_python(monkeypatch, tmp_path):
    """Stored results are played anew when the LSTM kernel or the measured default features change."""
    names = {path.name for path in training.DATA}
    assert {"defaults.json", "kernel.cpp", "simd.cpp", "tiles.cpp"} <= names
    before = Ashe2Player("x", BASE, genome_of(BASE, 1)).digest
    assert Ashe2Player("y", BASE, genome_of(BASE, 1)).digest == before
    changed = tmp_path / "kernel.cpp"
    changed.write_bytes(b"// other")
    data = tuple(changed if path.name == "kernel.cpp" else path for path in training.DATA)
    monkeypatch.setattr(training, "DATA", data)
    assert Ashe2Player("x", BASE, genome_of(BASE, 1)).digest != before
