"""The record of a run and runs that are played back from it."""

import gzip
import json

import numpy as np
import pytest

from ashe.errors import UserError
from ashe.evolution.champion import load_champion
from ashe.evolution.record import PlayedBack, load_record
from ashe.evolution.workers import InProcess
from ashe.train import main

QUICK = ["workers=in_process", "logging.console=false", "logging.tensorboard=false"]
SPHERE = ["+experiment=sphere", "curriculum.generations=8", "evolution.population=8", *QUICK]
SESSIONS = "curriculum.sessions=[{module: M0, generations: 2},{module: M1, generations: 1}]"


@pytest.fixture
def whole(tmp_path):
    folder = tmp_path / "whole"
    assert main([*SPHERE, SESSIONS, f"run_dir={folder}"]) == 0
    return folder


def truth(folder):
    """Generation lines without the clock and without statistics, which a record does not hold."""
    lines = [json.loads(text) for text in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{k: v for k, v in x.items() if k not in ("wall", "champion_stats")} for x in lines if "fitness" in x]


def forbid_playing(monkeypatch):
    def play(self, genomes, task):
        raise AssertionError("a recorded generation was played")

    monkeypatch.setattr("ashe.evolution.toy.SphereEvaluator.evaluate", play)


def test_a_record_rebuilds_the_run_without_playing(whole, tmp_path, monkeypatch):
    forbid_playing(monkeypatch)
    assert main([f"replay={whole}", f"run_dir={tmp_path / 'again'}"]) == 0
    champion = load_champion(whole / "champion.npz").genome
    assert np.array_equal(load_champion(tmp_path / "again" / "champion.npz").genome, champion)
    assert truth(tmp_path / "again") == truth(whole)
    assert (tmp_path / "again" / "record.jsonl").read_bytes() == (whole / "record.jsonl").read_bytes()


@pytest.mark.parametrize("cut", [b"", b'{"generation":5,"meas'])
def test_where_the_record_ends_the_run_goes_on(whole, tmp_path, cut, monkeypatch):
    part = tmp_path / "part"
    part.mkdir()
    (part / "config.yaml").write_bytes((whole / "config.yaml").read_bytes())
    lines = (whole / "record.jsonl").read_bytes().splitlines(keepends=True)
    (part / "record.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[:5]) + cut))
    played = []
    evaluate = InProcess.evaluate
    monkeypatch.setattr(
        InProcess, "evaluate", lambda self, g, task: played.append(task.generation) or evaluate(self, g, task)
    )
    assert main([f"replay={part}", f"run_dir={tmp_path / 'again'}"]) == 0
    assert played == [5, 6, 7]
    assert np.array_equal(
        load_champion(tmp_path / "again" / "champion.npz").genome, load_champion(whole / "champion.npz").genome
    )


def test_what_cannot_be_played_back_is_refused(whole, tmp_path):
    def refused(*arguments):
        with pytest.raises(UserError) as error:
            main(list(arguments))
        assert not (tmp_path / "again").exists()
        return str(error.value)

    to = f"run_dir={tmp_path / 'again'}"
    assert "cannot resume with seed=9" in refused(f"replay={whole}", "seed=9", to)
    assert "give either resume=RUN_DIR or replay=FOLDER" in refused(f"replay={whole}", f"resume={whole}")
    lines = (whole / "record.jsonl").read_text().splitlines(keepends=True)
    (whole / "record.jsonl").write_text("".join(lines[1:]))
    assert "line 1 of" in refused(f"replay={whole}", to)
    (whole / "record.jsonl").unlink()
    assert "there is no record of a run" in refused(f"replay={whole}", to)


def test_a_record_of_another_population_is_refused(whole):
    record = load_record(whole, "chips")
    with pytest.raises(UserError, match="measured in 'adjusted'"):
        load_record(whole, "adjusted")

    class Task:
        generation = 0
        opponents = ("S0",)

    with pytest.raises(UserError, match=r"has shape \(8, 4\), the run \(8, 1\)"):
        PlayedBack(record, "chips", None).evaluate(np.zeros((8, 3), np.float32), Task())
