"""Training throughput of ASHE 1.0: `python benchmarks/bench_training.py [--quick]`.

1. hands/s of `ashe1_2017` and `ashe1` with two local workers, and where a worker's time goes: the LSTM kernel (the same
   number of calls timed alone), the engine and rules (the rest of the compiled loop), decks, and Python around it.
2. One worker against two.
3. Seconds a generation as population and hands grow.

Compilation and start-up are not counted: every line follows a warm-up generation. On a busy machine read the figures
per CPU second (this process and its workers, user and system time): they are what one free core would do, and the
shares and the growth are taken from them.
"""

import argparse
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

from ashe.agents.ashe1 import Ashe1Config, Ashe1Evaluator, Ashe1Problem
from ashe.agents.ashe1_kernel import scores, step_modules
from ashe.evolution.protocols import GenerationTask
from ashe.evolution.workers import InProcess, LocalProcesses, Workers
from ashe.game.rules import HEADS_UP
from ashe.jit import njit

OPPONENTS = ("HM", "CM", "SL", "CS")
SIZES = {"ashe1_2017": Ashe1Config(game_size=5, opponent_size=10, hidden=30), "ashe1": Ashe1Config()}


@njit
def kernel_only(w, a, x, c, y, mask, hidden, out, ticks, decisions):
    for k in range(ticks):
        step_modules(w, a, x, c, y, mask)
        if k < decisions:
            scores(w, a, y, hidden, out)


def kernel_seconds(config: Ashe1Config, genome: np.ndarray, lanes: int, ticks: int, decisions: int) -> float:
    a = config.layout
    cells = a.game_blocks * a.game_size + a.opponent_blocks * a.opponent_size
    x, mask = np.random.default_rng(0).random((a.inputs, lanes), np.float32), np.ones(lanes, np.uint8)
    c, y = np.zeros((cells, lanes), np.float32), np.zeros((cells, lanes), np.float32)
    hidden, out = np.zeros((a.hidden, lanes), np.float32), np.zeros((1, lanes), np.float32)
    kernel_only(genome, a, x, c, y, mask, hidden, out, 10, 10)
    start = time.process_time()
    kernel_only(genome, a, x, c, y, mask, hidden, out, ticks, decisions)
    return time.process_time() - start


def lively(problem: Ashe1Problem, n: int) -> np.ndarray:
    """Random genomes with strong weights: they call and raise, as trained agents do."""
    return problem.initial(1, n).numpy() * np.float32(10)


def cpu_seconds() -> float:
    """Spent so far by this process and the workers it has running."""
    total = time.process_time()
    for child in multiprocessing.active_children():
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def generations(workers: Workers, genomes: np.ndarray, count: int) -> tuple[float, float]:
    """Seconds a generation: by the clock, and of CPU time."""
    workers.evaluate(genomes, GenerationTask(1, 0, OPPONENTS))
    start, spent = time.perf_counter(), cpu_seconds()
    for g in range(1, count + 1):
        workers.evaluate(genomes, GenerationTask(1, g, OPPONENTS))
    return (time.perf_counter() - start) / count, (cpu_seconds() - spent) / count


def shares(config: Ashe1Config, half: int, population: int) -> str:
    problem = Ashe1Problem(config, HEADS_UP, half)
    genomes = lively(problem, population)
    evaluator = Ashe1Evaluator(config, HEADS_UP, half)
    evaluator.evaluate(genomes[:1], GenerationTask(1, 0, OPPONENTS))
    evaluator.work[:] = 0
    task = GenerationTask(1, 1, OPPONENTS)
    start = time.process_time()
    evaluator.tables.of(task)
    decks = time.process_time() - start
    start = time.process_time()
    evaluator.evaluate(genomes, task)
    loop = time.process_time() - start
    steps, ticks, decisions = (int(v) for v in evaluator.work)
    kernel = kernel_seconds(config, genomes[0], 2 * len(OPPONENTS), ticks, decisions)
    hands = population * len(OPPONENTS) * 2 * half
    _, whole = generations(InProcess(problem.evaluator_factory), genomes, 2)
    python = max(0.0, whole - decks - loop)
    parts = {"kernel": kernel, "engine and rules": loop - kernel, "decks": decks, "Python": python}
    text = ", ".join(f"{name} {seconds / whole:.0%}" for name, seconds in parts.items())
    return f"{text}; {steps / hands:.1f} LSTM steps a hand, {steps / ticks / 8:.0%} of the lanes busy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer generations")
    quick = parser.parse_args().quick
    count, half, population = (1, 100, 20) if quick else (5, 500, 50)
    for name, config in SIZES.items():
        problem = Ashe1Problem(config, HEADS_UP, half)
        genomes = lively(problem, population)
        hands = population * len(OPPONENTS) * 2 * half
        seconds = {}
        for n in (1, 2):
            workers = LocalProcesses(problem.evaluator_factory, n)
            try:
                seconds[n] = generations(workers, genomes, count)
            finally:
                workers.close()
        (clock1, cpu1), (clock2, cpu2) = seconds[1], seconds[2]
        print(
            f"{name}: {hands / clock2:,.0f} hands/s on two workers, {hands / clock1:,.0f} on one: "
            f"{clock1 / clock2:.2f} times as fast; per CPU second {hands / cpu2:,.0f} and {hands / cpu1:,.0f}, so two "
            f"free cores would be {2 * cpu1 / cpu2:.2f} times as fast as one"
        )
        print(f"  one worker's time: {shares(config, half, population)}")
    config = SIZES["ashe1_2017"]
    print("CPU seconds a generation, ashe1_2017, one process (and hands per CPU second):")
    for p, h in ((25, 250), (50, 250), (100, 250), (50, 500), (50, 1000)):
        problem = Ashe1Problem(config, HEADS_UP, h)
        _, seconds_each = generations(InProcess(problem.evaluator_factory), lively(problem, p), count)
        rate = p * len(OPPONENTS) * 2 * h / seconds_each
        print(f"  population {p:3d}, 2 x {h:4d} hands: {seconds_each:6.2f} s ({rate:,.0f})")


if __name__ == "__main__":
    main()
