"""Champions as assets and players; stored results; chapter 4's report on two tiny champions."""

import json

import numpy as np
import pytest

from ashe import champions as command
from ashe import report as report_command
from ashe.agents import champions
from ashe.agents.ashe1 import Ashe1Config
from ashe.agents.champions import with_settings
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan
from ashe.evaluation.results import ResultStore
from ashe.evolution.champion import ChampionFile, load_champion, save_champion
from ashe.evolution.settings import to_mapping
from ashe.players.registry import make_player, player_names

TINY = Ashe1Config(game_blocks=1, game_size=2, opponent_blocks=1, opponent_size=2, hidden=3)


@pytest.fixture
def assets(tmp_path, monkeypatch):
    folder = tmp_path / "assets"
    folder.mkdir()
    monkeypatch.setenv("ASHE_ASSETS", str(folder))
    return folder


def finished_run(folder, seed, fitness):
    folder.mkdir()
    about = {
        "config": {
            "name": "tiny", "agent": to_mapping(TINY), "game": {"small_blind": 50, "big_blind": 100, "stack": 20_000},
        },
        "seed": seed, "generations": 3, "finished": True, "commit": "0123456789abcdef",
        "metrics": {"fitness": {"best": fitness}, "mbb": {"CM": {"champion": 12.0}}},
    }  # fmt: skip
    save_champion(folder / "champion.npz", TINY.spec.sample(seed, 1)[0] * 3, about)
    (folder / "config.yaml").write_text("name: tiny\n")
    (folder / "metrics.jsonl").write_text("{}\n")
    (folder / "record.jsonl").write_text("{}\n")
    return folder


def test_a_run_becomes_a_player_by_name(assets, tmp_path, capsys):
    run_dir = finished_run(tmp_path / "run", 1, 0.5)
    command.add(run_dir, "tiny")
    assert "tiny" in player_names()
    assert (
        make_player("tiny").digest == make_player(str(run_dir)).digest == make_player(f"{run_dir}/champion.npz").digest
    )
    assert {p.name for p in (assets / "champions" / "tiny").iterdir()} == {
        "champion.npz", "config.yaml", "metrics.jsonl.gz", "record.jsonl.gz", "README.md",
    }  # fmt: skip
    with pytest.raises(UserError, match="already"):
        command.add(run_dir, "tiny")


def test_derived_champion_keeps_the_genome(assets, tmp_path):
    command.add(finished_run(tmp_path / "run", 1, 0.5), "tiny")
    command.derive("tiny", "tiny_adjusted", ["decision=adjusted"])
    a, b = (load_champion(champions.find_champion(name)) for name in ("tiny", "tiny_adjusted"))
    assert (a.genome == b.genome).all()
    assert b.about["config"]["agent"]["decision"] == "adjusted"
    assert make_player("tiny").digest != make_player("tiny_adjusted").digest
    with pytest.raises(UserError, match="unknown agent setting 'decisions'"):
        command.derive("tiny", "tiny_x", ["decisions=adjusted"])


def test_unfinished_run_is_refused(assets, tmp_path):
    run_dir = finished_run(tmp_path / "run", 1, 0.5)
    champion = load_champion(run_dir / "champion.npz")
    save_champion(run_dir / "champion.npz", champion.genome, {**champion.about, "finished": False})
    with pytest.raises(UserError, match=r"resume=.*--early"):
        command.add(run_dir, "tiny")
    assert command.add(run_dir, "tiny", early=True) == 0
    assert "stopped early, after 3 generations" in (assets / "champions" / "tiny" / "README.md").read_text()


def test_damaged_champion_is_refused(tmp_path):
    run_dir = finished_run(tmp_path / "run", 1, 0.5)
    data = (run_dir / "champion.npz").read_bytes()
    (run_dir / "champion.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match="damaged"):
        make_player(str(run_dir))


def test_results_are_played_once_and_follow_the_champion(tmp_path):
    path = str(finished_run(tmp_path / "run", 1, 0.5))
    plan = MatchPlan(path, "CM", 40, half=10)
    store = ResultStore(tmp_path / "results.json")
    first = store.play([plan])[0]
    entries = json.loads((tmp_path / "results.json").read_text())
    entries[next(iter(entries))]["mbb"] = 123_456.0  # a stored result is taken as it is ...
    (tmp_path / "results.json").write_text(json.dumps(entries))
    assert ResultStore(tmp_path / "results.json").play([plan])[0].estimate.mean == 123_456.0
    champion = load_champion(tmp_path / "run" / "champion.npz")
    save_champion(tmp_path / "run" / "champion.npz", champion.genome + np.float32(1), champion.about)
    again = ResultStore(tmp_path / "results.json")
    assert again.get(plan) is None  # ... unless the champion has changed
    assert first.estimate.pairs == again.play([plan])[0].estimate.pairs == 20


def test_two_workers_store_the_same_results(tmp_path):
    plans = [MatchPlan("CM", b, 40, half=10) for b in ("HM", "SL", "TA")]
    one = ResultStore(tmp_path / "one.json").play(plans)
    two = ResultStore(tmp_path / "two.json").play(plans, workers=2)
    assert [m.estimate for m in one] == [m.estimate for m in two]


def test_chapter_4(assets, tmp_path, monkeypatch, capsys):
    for seed, name in ((1, "ashe1_plus"), (2, "ashe1_plus_s2")):
        command.add(finished_run(tmp_path / name, seed, 0.1 * seed), name)
    out = tmp_path / "ch4"
    monkeypatch.setattr("sys.argv", ["report", "ch4", "--hands", "40", "--out", str(out)])
    assert report_command.main() == 0
    text = capsys.readouterr().out
    assert "40,368 +- 1,989" in text  # published, beside ours
    assert "what ashe1_plus_s2 does" in text  # the fitter of the two
    assert {p.name for p in out.iterdir()} == {"report.md", "report.html", "figure_4_4.png", "results.json"}
    assert "data:image/png" in (out / "report.html").read_text()


def test_a_family_is_listed_best_first_and_nobody_twice(assets, tmp_path):
    for name, fitness in (("tiny", 0.5), ("tiny_s2", 0.7), ("tiny_s3", 0.6), ("tinyish", 0.9)):
        command.add(finished_run(tmp_path / name, 1, fitness), name)
    assert [c.name for c in champions.champion_family("tiny", "tiny_s2")] == ["tiny_s2", "tiny_s3", "tiny"]


def test_settings_within_a_group():
    """`group.key=value`, as on the command line of training."""
    genome, agent = np.zeros(3, np.float32), {"kind": "ashe23", "rue": {"samples": 100, "search_unknown": 1}}
    champion = ChampionFile(genome, {"config": {"agent": agent}})
    changed = with_settings(champion, "x", ["rue.search_unknown=0"]).about["config"]["agent"]
    assert changed == {"kind": "ashe23", "rue": {"samples": 100, "search_unknown": 0}}
    assert agent["rue"]["search_unknown"] == 1
    for wrong in ("rue.unknown=0", "kind.x=1", "rules.samples=5"):
        with pytest.raises(UserError, match=f"unknown agent setting '{wrong.split('=')[0]}'; known: "):
            with_settings(champion, "x", [wrong])
