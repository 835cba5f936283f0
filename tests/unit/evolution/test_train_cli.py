"""`python -m ashe.train`: what it refuses, what it writes, how it resumes."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sphere_runs import reproducible_lines

from ashe.errors import UserError
from ashe.evolution.champion import load_champion
from ashe.evolution.composing import compose, default_config_dir, options, settings_of
from ashe.train import main, plan_of

QUICK = ["workers=in_process", "logging.console=false", "logging.tensorboard=false"]
SPHERE = ["+experiment=sphere", "curriculum.generations=4", "evolution.population=8", *QUICK]


def run(folder, *overrides, sphere=SPHERE):
    return main([*sphere, f"run_dir={folder}", *overrides])


def refused(*arguments):
    with pytest.raises(UserError) as error:
        main(list(arguments))
    assert "\n" not in str(error.value)
    return str(error.value)


# ---------------------------------------------------------------- refusals, before any work
@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("evolution.tser.survivall=0.2", "unknown setting evolution.tser.survivall; did you mean 'evolution.tser.surv"),
        ("+evolution.tser.elitism=2", "unknown setting evolution.tser.elitism; known: rate, strength, survival"),
        ("evolutoin.population=8", "unknown setting evolutoin.population; did you mean 'evolution.population'?"),
        ("populaton=8", "unknown setting populaton; did you mean"),
        ("+experiment=spere", "there is no experiment 'spere'; did you mean 'sphere'?"),
        ("evolution=tsr", "there is no evolution 'tsr'; did you mean 'tser'?"),
        ("workers=threads", "there is no workers 'threads'; known: in_process, local, ray"),
        ("evolution.population=3", "evolution.population=3 is out of range: it must be >= 4"),
        ("evolution.population=many", "evolution.population='many' must be a whole number"),
        ("evolution.tser.rate.start=1.5", "evolution.tser: rate 1.5 -> 0.05: a probability is at most 1"),
        ("curriculum.generations=0", "curriculum.generations=0 is out of range"),
        ("curriculum.opponents=[S0,S9]", "unknown opponent 'S9' in the curriculum; did you mean"),
        ("curriculum.sessions=[{module:M9,generations:2}]", "unknown module 'M9' in sessions; did you mean"),
        ("evolution.fitness.scale=ceiling", "fitness.ceiling has no value for S0, S1, S2, S3; add them in mBB/hand"),
        ("evolution.fitness.scale=best", "evolution.fitness.scale='best' is not known"),
        ("evolution.fitness.measure=ev", "evolution.fitness.measure='ev' is not known; allowed: chips, adjusted"),
        ("agent.dimensions=2", "agent.dimensions=2 is out of range"),
        ("+agent.colour=red", "unknown setting agent.colour"),
        ("agent.kind=ashe9", "agent.kind='ashe9' is unknown"),
        ("workers.count=0", "workers.count=0 is out of range"),
        ("seed=-1", "seed=-1 is out of range"),
        ("logging.keep_checkpoints=1", "logging.keep_checkpoints=1 is out of range"),
        ("game.big_blind=10", "game: small_blind=50 <= big_blind=10 <= stack=20000 must hold"),
        ("evolution.tser=null", "exactly one of tser and evotorch must be given"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_before_work_starts(tmp_path, override, message):
    others = [o for o in SPHERE if o.partition("=")[0] != override.partition("=")[0]]
    assert message in refused(*others, override, f"run_dir={tmp_path / 'run'}")
    assert not (tmp_path / "run").exists()


def test_what_is_not_installed_is_said_before_work_starts(tmp_path, monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "ray" else found(name, *rest))
    monkeypatch.setitem(sys.modules, "evotorch", None)
    given = [*SPHERE, f"run_dir={tmp_path / 'run'}"]
    assert "pip install 'ashe[ray]'" in refused(*given, "workers=ray")
    assert "pip install 'ashe[evotorch]'" in refused(*given, "evolution=snes")
    assert "evolution.population=9 must be even" in refused(*given, "evolution=pgpe", "evolution.population=9")
    full = ["evolution=cmaes", "evolution.evotorch.separable=false", "agent.dimensions=4000"]
    assert "impractical for 4000 genes" in refused(*given, *full)
    assert not (tmp_path / "run").exists()


def test_folders_that_cannot_be_used(tmp_path):
    run(tmp_path / "run")
    assert "already holds a run; continue it with resume=" in refused(*SPHERE, f"run_dir={tmp_path / 'run'}")
    (tmp_path / "file").write_text("")
    assert "cannot write to run_dir=" in refused(*SPHERE, f"run_dir={tmp_path / 'file' / 'run'}")
    assert "there is no run in that folder" in refused(f"resume={tmp_path / 'nothing'}")
    assert "config.yaml is missing" in refused("--config-dir", str(tmp_path), *SPHERE)


def test_bad_input_is_one_line_and_exit_code_2(tmp_path):
    command = [sys.executable, "-m", "ashe.train", *SPHERE, "evolution.populaton=5", f"run_dir={tmp_path / 'run'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: unknown setting evolution.populaton; did you mean 'evolution.population'?\n"
    assert done.stdout == ""


@pytest.mark.parametrize("experiment", options(default_config_dir(), "experiment"))
def test_every_shipped_experiment_can_start(experiment):
    config = settings_of(compose(default_config_dir(), [f"+experiment={experiment}"]))
    plan_of(config).check()
    assert config.name == experiment


def test_published_parameters():
    """Dissertation Table 4-1."""
    plan = plan_of(settings_of(compose(default_config_dir(), ["+experiment=ashe1"])))
    assert (plan.population, plan.curriculum.generations, plan.problem.hands) == (50, 250, 1000)
    assert plan.curriculum.opponents == ("HM", "CM", "SL", "CS")
    tser = plan.optimiser
    assert (tser.survival, tser.rate.start, tser.rate.end) == (0.30, 0.25, 0.05)
    assert (tser.strength.start, tser.strength.end) == (0.50, 0.10)
    assert plan.fitness.scale == "generation"


# ---------------------------------------------------------------- what a run leaves behind
def test_output_folder(tmp_path, capsys):
    assert run(tmp_path, "logging.tensorboard=true", "seed=11") == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != ".") == [
        "champion.npz", "checkpoints", "config.yaml", "metrics.jsonl", "record.jsonl", "tb",
    ]  # fmt: skip
    lines = reproducible_lines(tmp_path / "metrics.jsonl")
    assert [line["event"] for line in lines] == ["start", "phase", *["generation"] * 4, "end"]
    assert lines[0]["settings"]["seed"] == 11
    assert lines[2]["mbb"].keys() == {"S0", "S1", "S2", "S3"}
    champion = load_champion(tmp_path / "champion.npz")
    assert champion.about["config"]["evolution"]["population"] == 8
    assert champion.about["config"]["seed"] == 11
    assert "champion: " in capsys.readouterr().out
    assert run_again_is_refused(tmp_path)


def run_again_is_refused(folder):
    return "already holds a run" in refused(*SPHERE, f"run_dir={folder}")


def test_a_finished_run_is_not_run_again(tmp_path, capsys):
    run(tmp_path)
    before = (tmp_path / "metrics.jsonl").read_bytes()
    assert main([f"resume={tmp_path}"]) == 0
    assert "is already finished" in capsys.readouterr().out
    assert (tmp_path / "metrics.jsonl").read_bytes() == before


def test_a_lost_champion_is_written_again(tmp_path):
    run(tmp_path)
    whole, lines = (tmp_path / "champion.npz").read_bytes(), reproducible_lines(tmp_path / "metrics.jsonl")
    (tmp_path / "champion.npz").unlink()
    assert main([f"resume={tmp_path}"]) == 0
    assert (tmp_path / "champion.npz").read_bytes() == whole
    assert reproducible_lines(tmp_path / "metrics.jsonl") == lines


# ---------------------------------------------------------------- resuming
def cut_back(folder, generations):
    """As if the process had been killed after some generations."""
    for path in (folder / "checkpoints").iterdir():
        if int(path.stem.split("_")[1]) > generations:
            path.unlink()
    lines = (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_bytes(b"".join(lines[: 2 + generations + 1]))
    (folder / "champion.npz").unlink()


@pytest.fixture
def whole(tmp_path):
    """A finished run that kept all its checkpoints, its champion and its metrics."""
    run(tmp_path / "run", "logging.keep_checkpoints=9")
    folder = tmp_path / "run"
    return folder, load_champion(folder / "champion.npz").genome, reproducible_lines(folder / "metrics.jsonl")


def finished_alike(whole):
    folder, genome, lines = whole
    assert np.array_equal(load_champion(folder / "champion.npz").genome, genome)
    assert reproducible_lines(folder / "metrics.jsonl") == lines


def test_a_damaged_newest_checkpoint_costs_a_generation_and_a_notice(whole, capsys):
    folder = whole[0]
    cut_back(folder, 3)
    newest = folder / "checkpoints" / "generation_000003.ckpt"
    newest.write_bytes(newest.read_bytes()[:-20])
    assert main([f"resume={folder}"]) == 0
    notices = [line for line in capsys.readouterr().err.splitlines() if line.startswith("notice")]
    assert len(notices) == 1
    assert "generation_000003.ckpt is damaged" in notices[0]
    assert "using the one before it" in notices[0]
    finished_alike(whole)


def test_only_damaged_checkpoints_end_in_a_refusal(whole):
    folder = whole[0]
    cut_back(folder, 2)
    for path in (folder / "checkpoints").iterdir():
        path.write_bytes(b"")
    assert "are damaged; start the run anew" in refused(f"resume={folder}")


def test_killed_before_the_first_checkpoint(whole):
    cut_back(whole[0], 0)
    assert main([f"resume={whole[0]}"]) == 0
    finished_alike(whole)


@pytest.mark.parametrize("generations", [0, 2])
@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed=2", "cannot resume with seed=2: the run began with seed=1"),
        ("evolution.population=10", "cannot resume with evolution.population=10: the run began with"),
        ("curriculum.opponents=[S0]", "cannot resume with curriculum.opponents=['S0']"),
        ("agent.luck=0.5", "cannot resume with agent.luck=0.5"),
        ("+agent.new=1", "cannot resume with agent.new=1"),
        ("evolution=snes", "a resumed run keeps its evolution"),
        ("+experiment=quick", "a resumed run keeps its experiment"),
        ("run_dir=elsewhere", "a resumed run stays in its folder"),
    ],
)
def test_resuming_with_other_settings_is_refused(whole, generations, override, message):
    """Also before the first checkpoint, when only config.yaml knows them."""
    cut_back(whole[0], generations)
    assert message in refused(f"resume={whole[0]}", override)


def test_what_cannot_change_the_result_may_change(whole):
    cut_back(whole[0], 2)
    assert main([f"resume={whole[0]}", "workers=local", "workers.count=1", "logging.checkpoint_every=3"]) == 0
    finished_alike(whole)


def test_a_hand_edited_config_does_not_slip_past_the_checkpoint(whole):
    cut_back(whole[0], 2)
    config = whole[0] / "config.yaml"
    config.write_text(config.read_text().replace("seed: 1", "seed: 5"))
    assert "cannot resume with seed=5: the run began with seed=1" in refused(f"resume={whole[0]}")


# ---------------------------------------------------------------- signals and locks
def start(folder, *overrides):
    command = [sys.executable, "-m", "ashe.train", "+experiment=sphere", f"run_dir={folder}", *QUICK, *overrides]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_generations(folder, count, process):
    for _ in range(3000):
        path = folder / "metrics.jsonl"
        if path.exists() and sum(b'"generation", "gen' in line for line in path.read_bytes().splitlines()) >= count:
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    pytest.fail("the run does not get on")


def test_ctrl_c_finishes_the_generation_and_a_second_process_is_kept_out(tmp_path):
    slow = ["agent.sleep=0.2", "curriculum.generations=60", "evolution.population=8"]
    process = start(tmp_path / "run", *slow)
    try:
        wait_for_generations(tmp_path / "run", 1, process)
        assert "another process is training in" in refused(f"resume={tmp_path / 'run'}")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGINT
    assert "finishing this generation" in errors
    assert f"continue with: python -m ashe.train resume={tmp_path / 'run'}" in errors
    stopped = load_champion(tmp_path / "run" / "champion.npz").about
    assert 1 <= stopped["generations"] < 60
    assert not stopped["finished"]
    done = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])
    assert done["generation"] + 1 == stopped["generations"]
    assert os.path.exists(tmp_path / "run" / "checkpoints" / f"generation_{stopped['generations']:06d}.ckpt")
