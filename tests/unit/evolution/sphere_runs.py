"""Training runs on the sphere problem, for tests: plans, recording workers, evaluators that misbehave."""

import json
import os
import time

import numpy as np

from ashe.evolution.curriculum import Curriculum, Phase, Session
from ashe.evolution.events import Reporter
from ashe.evolution.fitness import AneConfig
from ashe.evolution.loop import RunPlan
from ashe.evolution.toy import SphereConfig, SphereEvaluator, SphereProblem
from ashe.evolution.tser import TserConfig
from ashe.evolution.workers import InProcess

ALL = ("S0", "S1", "S2", "S3")


def plan(generations=12, population=14, phases=None, sessions=(), optimiser=None, fitness=None, seed=3, **sphere):
    phases = phases or [(generations, ALL)]
    curriculum = Curriculum(tuple(Phase(*p) for p in phases), tuple(Session(*s) for s in sessions))
    problem = SphereProblem(SphereConfig(**sphere))
    settings = {"seed": seed, "population": population}
    return RunPlan(seed, population, curriculum, fitness or AneConfig(), optimiser or TserConfig(), problem, settings)


class Recorder(InProcess):
    """Remembers every population and task."""

    def __init__(self, spec):
        super().__init__(spec)
        self.genomes, self.tasks = [], []

    def evaluate(self, genomes, task):
        self.genomes.append(genomes.copy())
        self.tasks.append(task)
        return super().evaluate(genomes, task)


class Listener(Reporter):
    name = "listener"

    def __init__(self):
        self.events, self.closed = [], 0

    def run_start(self, event):
        self.events.append(event)

    phase_change = generation_end = run_end = run_start

    def close(self):
        self.closed += 1

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


def reproducible_lines(path):
    """The metrics without what the clock says."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        assert line.pop("wall")
    return lines


class Fragile:
    """A sphere whose worker dies, once or always, when it meets a marked genome (first gene 7)."""

    def __init__(self, marker=None, always=False):
        self.sphere = SphereEvaluator(24, 4, 1.0, 0.0)
        self.marker, self.always = marker, always

    def evaluate(self, genomes, task):
        if (genomes[:, 0] == 7).any() and (self.always or not os.path.exists(self.marker)):
            if self.marker:
                with open(self.marker, "w"):
                    pass
            os._exit(1)
        return self.sphere.evaluate(genomes, task)


class Slow:
    """Takes its time and says so with a file."""

    def __init__(self, marker, seconds):
        self.sphere = SphereEvaluator(24, 4, 1.0, 0.0)
        self.marker, self.seconds = marker, seconds

    def evaluate(self, genomes, task):
        with open(f"{self.marker}.{os.getpid()}", "w"):
            time.sleep(self.seconds)
        return self.sphere.evaluate(genomes, task)


class Broken:
    def __init__(self, where="evaluate", user=False):
        from ashe.errors import UserError

        self.error = UserError("no such deck; use another") if user else RuntimeError("it broke here")
        if where == "init":
            raise self.error

    def evaluate(self, genomes, task):
        raise self.error


def same_result(a, b):
    assert a.keys() == b.keys()
    for key in a:
        assert np.array_equal(a[key], b[key]), key
