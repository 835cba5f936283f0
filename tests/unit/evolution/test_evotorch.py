"""EvoTorch's own searchers behind ask and tell (runs where the extra `ashe[evotorch]` is installed)."""

import copy

import numpy as np
import pytest
import torch
from sphere_runs import plan, reproducible_lines

from ashe.errors import UserError
from ashe.evolution.adapters import EvoTorchConfig
from ashe.evolution.champion import load_champion
from ashe.evolution.checkpoint import CheckpointStore
from ashe.evolution.loop import train
from ashe.evolution.workers import InProcess
from ashe.train import main

pytest.importorskip("evotorch", reason="EvoTorch is not installed (pip install 'ashe[evotorch]')")

ALGORITHMS = ("snes", "pgpe", "cmaes")
QUICK = ["workers=in_process", "logging.console=false", "logging.tensorboard=false"]


def searcher(algorithm, size=20, length=6, seed=1, start=1.0, **settings):
    return EvoTorchConfig(algorithm, **settings).from_champion(torch.full((length,), start), size, seed, 0, 50)


def minus_sphere(genomes):
    return -(genomes.double() ** 2).sum(dim=1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_comes_down_the_sphere(algorithm):
    s = searcher(algorithm)
    first = float(minus_sphere(s.ask()).mean())
    for _ in range(150):
        s.tell(minus_sphere(s.ask()))
    assert s.champion.fitness > (-0.5 if algorithm == "pgpe" else -1e-4)  # of less than -5 at first
    assert first < -5
    assert s.champion.fitness == float(minus_sphere(s.champion.genome[None])[0])


def by_hand(algorithm, size, length, seed, generations, fitness):
    """EvoTorch without the adapter, on the same random numbers: the genomes of every generation."""
    from evotorch import Problem
    from evotorch.algorithms import CMAES, PGPE, SNES

    from ashe.evolution.rng import derived_seed

    problem = Problem("max", fitness, solution_length=length, initial_bounds=(-1.0, 1.0), vectorized=True)
    problem.manual_seed(derived_seed(seed, "evotorch", 0, "start"))
    common = {"popsize": size, "stdev_init": 0.5, "center_init": np.ones(length, np.float32)}
    if algorithm == "snes":
        s = SNES(problem, **common)
    elif algorithm == "pgpe":
        s = PGPE(problem, center_learning_rate=0.2, stdev_learning_rate=0.1, **common)
    else:
        s = CMAES(problem, separable=True, **common)
    seen = []
    for g in range(generations):
        problem.manual_seed(derived_seed(seed, "evotorch", g))
        s.step()
        seen.append(s.population.values.clone())
    return seen


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_asks_for_the_genomes_evotorch_evaluates(algorithm):
    expected = by_hand(algorithm, 20, 6, 1, 8, lambda x: -(x**2).sum(dim=1))
    s = searcher(algorithm)
    for genomes in expected:
        asked = s.ask()
        assert torch.equal(asked, genomes)
        assert s.ask() is asked, "asking again is free"
        s.tell(-(asked**2).sum(dim=1))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_its_state_continues_bit_for_bit(algorithm):
    one = searcher(algorithm)
    for _ in range(5):
        one.tell(minus_sphere(one.ask()))
    state = copy.deepcopy(one.state_dict())
    two = searcher(algorithm, start=7.0)
    two.load_state_dict(state)
    for _ in range(5):
        assert torch.equal(one.ask(), two.ask())
        for s in (one, two):
            s.tell(minus_sphere(s.ask()))
    assert torch.equal(one.champion.genome, two.champion.genome)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_training_loop_resumes_it_bit_for_bit(algorithm, tmp_path):
    p = plan(generations=8, optimiser=EvoTorchConfig(algorithm), dimensions=12)
    whole = train(p, InProcess(p.problem.evaluator_factory))
    store = CheckpointStore(tmp_path)
    stops = iter([False, False, True])
    broken = train(p, InProcess(p.problem.evaluator_factory), checkpoints=store, stop=lambda: next(stops))
    assert broken.done == 3
    end = train(p, InProcess(p.problem.evaluator_factory), checkpoints=store, resume=store.latest(pytest.fail))
    assert end.champion.tobytes() == whole.champion.tobytes()
    assert end.metrics == whole.metrics


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_from_the_command_line(algorithm, tmp_path):
    """A run killed after three of six generations, resumed: the same champion and metrics."""
    given = ["+experiment=sphere", f"evolution={algorithm}", "evolution.population=12", "curriculum.generations=6"]
    assert main([*given, f"run_dir={tmp_path / 'whole'}", *QUICK]) == 0
    assert main([*given, f"run_dir={tmp_path / 'cut'}", "logging.keep_checkpoints=9", *QUICK]) == 0
    cut = tmp_path / "cut"
    for path in (cut / "checkpoints").iterdir():
        if int(path.stem.split("_")[1]) > 3:
            path.unlink()
    (cut / "champion.npz").unlink()
    assert main([f"resume={cut}"]) == 0
    genomes = [load_champion(folder / "champion.npz").genome for folder in (tmp_path / "whole", cut)]
    assert genomes[0].tobytes() == genomes[1].tobytes()
    lines = [reproducible_lines(folder / "metrics.jsonl") for folder in (tmp_path / "whole", cut)]
    assert [x for x in lines[0] if x["event"] == "generation"] == [x for x in lines[1] if x["event"] == "generation"]


def test_bad_fitness_is_refused():
    s = searcher("snes")
    with pytest.raises(UserError, match="fitness must be 20 finite numbers"):
        s.tell(torch.zeros(19))
    with pytest.raises(UserError, match="fitness must be 20 finite numbers"):
        s.tell(torch.full((20,), torch.nan))
    with pytest.raises(RuntimeError, match="no generation has been told"):
        _ = s.champion
