"""Training speed of ASHE 2.0: `python benchmarks/bench_ashe2.py [--workers 2] [--individuals 8]`.

Plays generations of `a4` as training does, in spawned single-threaded processes: for both opponent groups, both module
sessions and both heads. Genomes are drawn at random and mutated as in a first session, so that they are lively; the
estimator that the session freezes is the same for all. Prints hands/s, LSTM steps per hand, where the compiled time
goes, what is left for Python, and the largest memory of a worker.
"""

import argparse
import resource
import time

import numpy as np

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_training import Ashe2Evaluator, Ashe2Problem
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask
from ashe.evolution.workers import LocalProcesses
from ashe.game.rules import HEADS_UP

HIGH, LOW = ("HM", "CM", "SL", "CS"), ("LA", "LP", "TP", "TA")


class Measured(Ashe2Evaluator):
    """Reports its counters with every shard."""

    def evaluate(self, genomes, task):
        before, began = self.work.copy(), time.perf_counter()
        result = super().evaluate(genomes, task)
        n = len(genomes)
        result["work"] = np.repeat([(self.work - before) / n], n, axis=0)
        result["seconds"] = np.full(n, (time.perf_counter() - began) / n)
        result["memory"] = np.full(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return result


def population(config, module, individuals):
    """Random genomes, mutated; the module that does not evolve is the same for all."""
    rng = np.random.default_rng(1)
    genomes = Ashe2Problem(config, HEADS_UP, 1).initial(1, individuals).numpy()
    genomes += (rng.random(genomes.shape) < 0.25) * rng.normal(0, 0.5, genomes.shape).astype(np.float32)
    frozen = slice(*config.spec.part("swre" if module == "ofre" else "ofre"))
    genomes[:, frozen] = genomes[0, frozen]
    return genomes.astype(np.float32)


def measure(head, module, opponents, workers, individuals, half):
    config = Ashe2Config(head=head)
    spec = EvaluatorSpec("bench_ashe2:Measured", {"config": config, "rules": HEADS_UP, "half": half})
    genomes = population(config, module, individuals)
    crew = LocalProcesses(spec, workers)
    try:
        crew.evaluate(genomes[:workers], GenerationTask(1, 0, opponents))  # start, load compiled code, deal
        began = time.perf_counter()
        result = crew.evaluate(genomes, GenerationTask(1, 0, opponents))
        seconds = time.perf_counter() - began
    finally:
        crew.close()
    hands = individuals * len(opponents) * 2 * half
    work = result["work"].sum(axis=0)
    steps = work[[mind.SWRE_STEPS, mind.OFRE_STEPS, mind.LOOK_AHEADS]] / hands
    compiled = work[[mind.THINK, mind.TREES, mind.ENGINE]].sum()
    kernel = work[mind.KERNEL] / compiled
    shares = [kernel, work[mind.THINK] / compiled - kernel, work[mind.TREES] / compiled, work[mind.ENGINE] / compiled]
    idle = 1 - result["seconds"].sum() / (seconds * workers)
    print(
        f"{head:10}{module:6}{' '.join(opponents):14}{hands / seconds:10,.0f}{work[mind.DECISIONS] / hands:8.2f}"
        + "".join(f"{s:7.2f}" for s in (*steps, steps.sum()))
        + "".join(f"{s:8.1%}" for s in shares)
        + f"{idle:8.1%}{result['memory'].max():9,.0f}"
    )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--individuals", type=int, default=8)
    p.add_argument("--half", type=int, default=1000, help="hands of a half match")
    args = p.parse_args()
    print(
        f"{'head':10}{'module':6}{'opponents':14}{'hands/s':>10}{'decide':>8}{'SWRE':>7}{'OFRE':>7}{'ahead':>7}{'steps':>7}"
        f"{'kernel':>8}{'decide':>8}{'trees':>8}{'engine':>8}{'outside':>8}{'MiB':>9}"
    )
    for head in ("direct", "modulated"):
        for module in ("ofre", "swre"):
            for opponents in (HIGH, LOW):
                measure(head, module, opponents, args.workers, args.individuals, args.half)


if __name__ == "__main__":
    main()
