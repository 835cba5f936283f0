"""`make demo` in seconds: two generations of a small population."""

import pytest

from ashe import demo
from ashe.errors import UserError

SMALL = ["curriculum.generations=2", "evolution.population=6", "game.hands=10", "workers=in_process"]


def test_demo_trains_and_compares(tmp_path, monkeypatch, capsys):
    run_dir = tmp_path / "run"
    monkeypatch.setattr("sys.argv", ["demo", "--hands", "20", "--run-dir", str(run_dir), *SMALL])
    assert demo.main() == 0
    text = capsys.readouterr().out
    assert "best of the first generation" in text
    for opponent in ("HM", "CM", "SL", "CS"):
        assert f"\n{opponent} " in text
    assert {"config.yaml", "metrics.jsonl", "champion.npz", "tb", "checkpoints"} <= {p.name for p in run_dir.iterdir()}


def test_impossible_hands_are_refused_before_training(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["demo", "--hands", "7", "--run-dir", str(tmp_path / "run")])
    with pytest.raises(UserError, match="hands is 7"):
        demo.main()
    assert not (tmp_path / "run").exists()
