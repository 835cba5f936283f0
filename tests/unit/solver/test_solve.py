"""`python -m ashe.solve` from settings to a solution, with a tiny game."""

import json

import numpy as np
import pytest

from ashe import solve as command
from ashe.cards.tables import equity_tables
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.solver.abstraction import Abstraction
from ashe.solver.features import CLUSTERS, N_EDGES, RIVER_FEATURES
from ashe.solver.solution import load_solution

TINY = [
    "+experiment=eq_small", "workers=1", "betting.preflop=[[2],[]]", "betting.flop=[[1],[]]", "betting.turn=[[]]",
    "betting.river=[[1],[]]", "mccfr.deals=600", "mccfr.intervals=6", "mccfr.batch=50", "measure.times=2",
    "measure.learn=2", "measure.play=2",
]  # fmt: skip


@pytest.fixture(autouse=True)
def quick_cards(monkeypatch):
    """Made-up clusters: building real ones takes half a minute."""
    rng = np.random.default_rng(1)
    known = equity_tables()
    tables = {"flop": (known.flop % 4).astype(np.uint16), "turn": (known.turn % 5).astype(np.uint16)}

    def build(config, seed):
        points = [rng.random((n, N_EDGES), dtype=np.float32) for n in (4, 5)]
        cluster = rng.integers(0, CLUSTERS, 1326).astype(np.uint8)
        return Abstraction(cluster, *points, rng.random((6, RIVER_FEATURES), dtype=np.float32))

    monkeypatch.setattr(Abstraction, "tables", lambda self: tables)
    monkeypatch.setattr(command, "build_abstraction", build)


def events(run, kind):
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    return [line for line in lines if line["event"] == kind]


def test_a_run_from_start_to_player(tmp_path, capsys):
    run = tmp_path / "run"
    assert command.main([*TINY, f"run_dir={run}"]) == 0
    assert f"EQ@{run / 'solution'}" in capsys.readouterr().out
    assert [e["deals"] for e in events(run, "exploitability")] == [300, 600]
    solution = load_solution(run / "solution")
    about = json.loads((run / "solution" / "solution.json").read_text())
    assert about["command"].startswith("python -m ashe.solve +experiment=eq_small workers=1")
    assert about["settings"]["mccfr"]["deals"] == 600
    assert solution.strategy.any()
    assert play_match(MatchPlan(f"EQ@{run / 'solution'}", "HM", hands=40, half=10)).chips.shape == (2, 20)
    assert command.main(["--measure", f"resume={run}"]) == 0
    assert len(events(run, "exploitability")) == 3


def test_an_interrupted_run_ends_the_same(tmp_path, monkeypatch):
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
    built = command.build_abstraction(None, 1)
    monkeypatch.setattr(command, "build_abstraction", lambda config, seed: built)
    assert command.main([*TINY, f"run_dir={tmp_path / 'whole'}", "measure.times=0"]) == 0
    step, done = command.Solver.step, []

    def stop_at_three(self, *args):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(1)
        step(self, *args)

    broken = tmp_path / "broken"
    with monkeypatch.context() as patch:
        patch.setattr(command.Solver, "step", stop_at_three)
        assert command.main([*TINY, f"run_dir={broken}", "measure.times=0", "checkpoint_minutes=0.0000001"]) == 130
    assert not (broken / "solution").exists()
    assert command.main(["--export", f"resume={broken}"]) == 0
    assert command.main([f"resume={broken}"]) == 0
    ends = [load_solution(tmp_path / name / "solution").strategy for name in ("whole", "broken")]
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["mccfr.deal=5"], "unknown setting mccfr.deal; did you mean 'mccfr.deals'"),
        (["+experiment=equ"], "there is no experiment 'equ'; did you mean 'eq'"),
        (["floor=0.9"], "floor=0.9 is out of range"),
        (["betting.flop=[[2,1]]"], "positive and ascending"),
        (["resume=nowhere"], "there is no run in that folder"),
        (["--export"], "need a run"),
    ],
)
def test_bad_input_is_refused_before_any_work(overrides, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        command.main(overrides)
    assert not list(tmp_path.iterdir())
