"""Speed of Recursive Utility Estimation: `python benchmarks/bench_rue.py [--individuals 2] [--half 250]`.

First whole generations of ASHE 2.0, 2.2 and 2.3 in one process, both sizes and presets: hands/s, decisions/s, nodes/s
(an OARE row or a view is a node), nodes per decision, the LSTM kernel's share of the compiled time, and the memory of
the process. Genomes are drawn at random and mutated, as in a first session. Times are processor time, so that a busy
machine disturbs them less. Then the cost of a decision by its budget of nodes: it should grow linearly.
"""

import argparse
import resource
import time
from dataclasses import replace

import numpy as np

from ashe.agents import ashe2_mind as mind
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_training import Ashe2Evaluator
from ashe.agents.ashe22 import Ashe22Config, RueConfig
from ashe.agents.ashe22_training import Ashe22Evaluator
from ashe.decision import frontier
from ashe.evolution.protocols import GenerationTask
from ashe.game.rules import HEADS_UP

OPPONENTS = ("HM", "CM", "LA", "TA")
PAPER = RueConfig()
DESKTOP = RueConfig(every_river=False, strength_groups=2, min_reach=0.02, budget=96)
SIZES = {"50 x 10": {"blocks": 50, "hidden": 50}, "10 x 10": {"blocks": 10, "hidden": 20}}


def population(config, individuals):
    rng = np.random.default_rng(1)
    genomes = config.spec.sample(1, individuals)
    return genomes + (rng.random(genomes.shape) < 0.25) * rng.normal(0, 0.3, genomes.shape).astype(np.float32)


def played(evaluator, config, individuals):
    """(processor seconds, hands) of a generation, after one that compiles and deals."""
    genomes = population(config, individuals).astype(np.float32)
    task = GenerationTask(1, 0, OPPONENTS)
    evaluator.evaluate(genomes[:1], task)
    evaluator.work[:] = 0
    if isinstance(evaluator, Ashe22Evaluator):
        evaluator.searched[:] = 0
    began = time.process_time()
    evaluator.evaluate(genomes, task)
    return time.process_time() - began, individuals * len(OPPONENTS) * 2 * evaluator.tables.half


def report(name, evaluator, seconds, hands):
    work = evaluator.work
    compiled = work[[mind.THINK, mind.TREES, mind.ENGINE]].sum()
    kernel, nodes = work[mind.KERNEL], work[[mind.SWRE_STEPS, mind.OFRE_STEPS, mind.LOOK_AHEADS]].sum()
    if isinstance(evaluator, Ashe22Evaluator):
        searched = evaluator.searched
        kernel, nodes = (
            kernel + searched[frontier.KERNEL_TICKS],
            searched[[frontier.OARE_STEPS, frontier.WIN_STEPS]].sum(),
        )
    decisions = work[mind.DECISIONS]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:32}{hands / seconds:9,.0f}{decisions / seconds:12,.0f}{nodes / seconds:10,.0f}{nodes / decisions:12.1f}"
        f"{kernel / compiled:8.0%}{memory:8,.0f}"
    )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--individuals", type=int, default=2)
    p.add_argument("--half", type=int, default=250, help="hands of a half match")
    args = p.parse_args()
    print(f"{'':32}{'hands/s':>9}{'decisions/s':>12}{'nodes/s':>10}{'nodes/dec.':>12}{'kernel':>8}{'MiB':>8}")
    for size, sizes in SIZES.items():
        config = Ashe2Config(**sizes, head="odds")
        evaluator = Ashe2Evaluator(config, HEADS_UP, args.half)
        report(f"2.0 {size}", evaluator, *played(evaluator, config, args.individuals))
        for kind in ("ashe22", "ashe23"):
            for preset, rue in (("paper", PAPER), ("desktop", DESKTOP)):
                config22 = Ashe22Config(kind=kind, **sizes, head="odds", rue=rue)
                searching = Ashe22Evaluator(config22, HEADS_UP, args.half)
                seconds, hands = played(searching, config22, args.individuals)
                report(f"2.{kind[-1]} {size} {preset}", searching, seconds, hands)
    print("\ncost by budget, 2.2 10 x 10, every node searched: nodes per decision and microseconds per node")
    for budget in (64, 128, 256, 512, 1024):
        rue = replace(DESKTOP, budget=budget, min_reach=0.0, search_unknown=99)
        config22 = Ashe22Config(blocks=10, hidden=20, head="odds", rue=rue)
        searching = Ashe22Evaluator(config22, HEADS_UP, 50)
        seconds, hands = played(searching, config22, 1)
        nodes = searching.searched[[frontier.OARE_STEPS, frontier.WIN_STEPS]].sum()
        print(f"{budget:6}{nodes / searching.work[mind.DECISIONS]:10.1f}{1e6 * seconds / nodes:10.2f}")


if __name__ == "__main__":
    main()
