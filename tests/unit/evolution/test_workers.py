"""Who plays the genomes must not matter: any workers give the same numbers, also when some die."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sphere_runs import ALL, plan, same_result

from ashe.errors import UserError
from ashe.evolution.loop import train
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask
from ashe.evolution.toy import SphereConfig, SphereProblem
from ashe.evolution.workers import EvaluationError, InProcess, LocalProcesses, Shard, join, shards

SPHERE = SphereProblem(SphereConfig()).evaluator_factory
TASK = GenerationTask(seed=5, generation=2, opponents=ALL)


def genomes(n=13):
    return np.random.default_rng(1).standard_normal((n, 24), dtype=np.float32)


@pytest.fixture
def workers():
    """Starts worker pools and stops them however the test ends."""
    started = []

    def start(spec, count, per_worker=2):
        started.append(LocalProcesses(spec, count, per_worker))
        return started[-1]

    yield start
    for pool in started:
        pool.close()


def test_shards_are_consecutive_and_nearly_equal():
    assert shards(10, 4) == [Shard(0, 2), Shard(2, 5), Shard(5, 7), Shard(7, 10)]
    assert shards(3, 8) == [Shard(0, 1), Shard(1, 2), Shard(2, 3)]
    for n, parts in ((50, 4), (50, 7), (1, 1)):
        cut = shards(n, parts)
        assert [i for s in cut for i in range(s.first, s.last)] == list(range(n))
        sizes = [s.last - s.first for s in cut]
        assert max(sizes) - min(sizes) <= 1
    a, b = {"x": np.zeros((2, 3))}, {"x": np.ones((1, 3))}
    assert join([a, b])["x"].sum(axis=1).tolist() == [0, 0, 3]


def test_workers_give_the_same_numbers_and_replace_the_dead(workers):
    """One and two processes against none; then one is killed while idle, and the generation is whole all the same."""
    expected = InProcess(SPHERE).evaluate(genomes(), TASK)
    same_result(workers(SPHERE, 1, 3).evaluate(genomes(), TASK), expected)
    pool = workers(SPHERE, 2)
    same_result(pool.evaluate(genomes(), TASK), expected)
    before = pool.pids
    os.kill(before[0], signal.SIGKILL)
    same_result(pool.evaluate(genomes(), TASK), expected)
    assert pool.losses == 1
    assert len(set(pool.pids) - set(before)) == 1
    pool.close()
    for pid in before:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_worker_killed_at_work_has_its_shard_run_again(workers, tmp_path):
    pool = workers(EvaluatorSpec("sphere_runs:Slow", {"marker": str(tmp_path / "busy"), "seconds": 0.4}), 2)
    expected = InProcess(SPHERE).evaluate(genomes(), TASK)
    killed = []

    def kill_one_at_work():
        while not killed:
            for path in tmp_path.glob("busy.*"):
                killed.append(int(path.suffix[1:]))
                os.kill(killed[0], signal.SIGKILL)
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill_one_at_work)
    thread.start()
    result = pool.evaluate(genomes(), TASK)
    thread.join()
    same_result(result, expected)
    assert pool.losses == 1
    assert killed[0] not in pool.pids


def test_a_shard_that_kills_its_workers_is_named(workers, tmp_path):
    rows = genomes(8)
    rows[5, 0] = 7
    once = EvaluatorSpec("sphere_runs:Fragile", {"marker": str(tmp_path / "died")})
    pool = workers(once, 1, 4)
    same_result(pool.evaluate(rows, TASK), InProcess(SPHERE).evaluate(rows, TASK))
    assert pool.losses == 1
    pool.close()
    pool = workers(EvaluatorSpec("sphere_runs:Fragile", {"always": True}), 1, 4)
    with pytest.raises(UserError, match=r"individuals 4\.\.5 lost their worker 3 times"):
        pool.evaluate(rows, TASK)
    assert pool.pids == []


def test_errors_of_the_evaluator_arrive(workers):
    for kwargs, kind, message in [
        ({"where": "evaluate"}, EvaluationError, "it broke here"),
        ({"where": "init"}, EvaluationError, "it broke here"),
        ({"where": "init", "user": True}, UserError, "^no such deck; use another$"),
    ]:
        pool = workers(EvaluatorSpec("sphere_runs:Broken", kwargs), 1)
        with pytest.raises(kind, match=message):
            pool.evaluate(genomes(), TASK)
        assert pool.pids == []


def test_workers_have_one_thread_and_die_with_the_main_process(workers):
    """Neither Ctrl-C nor a forgotten close leaves processes behind."""
    pool = workers(SPHERE, 1)
    pool.evaluate(genomes(), TASK)
    (pid,) = pool.pids
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        blocked = int(
            next(line for line in status.read_text().splitlines() if line.startswith("SigBlk")).split()[1], 16
        )
        assert blocked & (1 << (signal.SIGINT - 1)), "Ctrl-C is left to the main process"
        assert b"OMP_NUM_THREADS=1" in Path(f"/proc/{pid}/environ").read_bytes()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    connection = pool._workers[0].connection
    connection.close()  # as the end of the main process would
    pool._workers[0].process.join(30)
    assert pool._workers[0].process.exitcode == 0


def test_training_is_the_same_with_any_workers(workers):
    p = plan(generations=4, sessions=[("M0", 2), ("M1", 2)])
    spec = p.problem.evaluator_factory
    ends = [train(p, InProcess(spec)), train(p, workers(spec, 2, 3))]
    assert ends[0].champion.tobytes() == ends[1].champion.tobytes()
    assert ends[0].metrics == ends[1].metrics


def test_refusals():
    with pytest.raises(UserError, match="must be at least 1"):
        LocalProcesses(SPHERE, 0)
    with pytest.raises(UserError, match=r"not of the form package\.module:Name"):
        EvaluatorSpec("ashe.evolution.toy").build()
