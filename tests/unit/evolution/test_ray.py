"""Ray actors in the place of local processes (runs where the extra `ashe[ray]` is installed)."""

import importlib.util
import os
import signal
import threading
import time

import numpy as np
import pytest
from sphere_runs import ALL, plan, same_result

from ashe.errors import UserError
from ashe.evolution.loop import train
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask
from ashe.evolution.ray_workers import RayActors, require_ray
from ashe.evolution.toy import SphereConfig, SphereProblem
from ashe.evolution.workers import EvaluationError, InProcess

HAVE_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAVE_RAY, reason="Ray is not installed")
SPHERE = SphereProblem(SphereConfig()).evaluator_factory
TASK = GenerationTask(seed=5, generation=2, opponents=ALL)
HERE = os.path.dirname(__file__)


@pytest.mark.skipif(HAVE_RAY, reason="Ray is installed")
def test_without_ray_one_line_says_what_to_install():
    with pytest.raises(UserError, match=r"workers=ray needs Ray: pip install 'ashe\[ray\]'"):
        require_ray()


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    path = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield ray
    ray.shutdown()


@pytest.fixture
def actors(cluster):
    started = []

    def start(spec, count):
        started.append(RayActors(spec, count))
        return started[-1]

    yield start
    for pool in started:
        pool.close()


@needs_ray
def test_ray_gives_the_same_numbers_as_one_process(actors):
    rows = np.random.default_rng(1).standard_normal((13, 24), dtype=np.float32)
    expected = InProcess(SPHERE).evaluate(rows, TASK)
    for count in (1, 3):
        pool = actors(SPHERE, count)
        same_result(pool.evaluate(rows, TASK), expected)
        pool.close()
    p = plan(generations=3)
    ends = [train(p, InProcess(SPHERE)), train(p, actors(SPHERE, 2))]
    assert ends[0].champion.tobytes() == ends[1].champion.tobytes()
    assert ends[0].metrics == ends[1].metrics


@needs_ray
def test_a_killed_actor_has_its_shard_run_again(actors, cluster, tmp_path):
    rows = np.random.default_rng(1).standard_normal((13, 24), dtype=np.float32)
    pool = actors(EvaluatorSpec("sphere_runs:Slow", {"marker": str(tmp_path / "busy"), "seconds": 0.5}), 2)
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
    result = pool.evaluate(rows, TASK)
    thread.join()
    same_result(result, InProcess(SPHERE).evaluate(rows, TASK))
    assert pool.losses == 1
    cluster.kill(pool._workers[0].actor)  # and one while idle
    same_result(pool.evaluate(rows, TASK), result)
    assert pool.losses == 2


@needs_ray
def test_errors_and_refusals(actors, cluster):
    rows = np.zeros((2, 24), np.float32)
    with pytest.raises(EvaluationError, match="it broke here"):
        actors(EvaluatorSpec("sphere_runs:Broken", {}), 1).evaluate(rows, TASK)
    with pytest.raises(UserError, match=r"workers\.count=9: the Ray cluster has 3 CPUs"):
        RayActors(SPHERE, 9)
    assert cluster.is_initialized(), "a cluster that others started stays"
