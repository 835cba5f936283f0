"""Solve heads-up no-limit hold'em approximately: `python -m ashe.solve +experiment=NAME key=value ...`.

    python -m ashe.solve +experiment=eq_small                    a coarse solution in a few minutes
    python -m ashe.solve +experiment=eq workers=2                the solution that ships as EQ
    python -m ashe.solve resume=runs/eq/2030-01-31_12-00-00      continue after an interruption
    python -m ashe.solve --export resume=runs/eq/2030-...        write the solution of the last checkpoint as it is
    python -m ashe.solve --measure resume=runs/eq/2030-...       log the exploitability of the last checkpoint

The output folder (runs/<name>/<date_time>, or run_dir=...) gets config.yaml, log.jsonl (speed, exploitability in the
abstract game), a checkpoint, and at the end the folder `solution`, which plays as EQ@<that folder>.
"""

import argparse
import hashlib
import json
import resource
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ashe.cli import run, write_atomic
from ashe.errors import UserError
from ashe.evolution import composing
from ashe.evolution.settings import from_mapping, to_mapping
from ashe.solver.abstraction import Abstraction, build_abstraction
from ashe.solver.betting import betting_tree
from ashe.solver.config import RULES, SolveConfig
from ashe.solver.dealing import HoldemChance
from ashe.solver.exploited import abstract_exploitability, start_of_response
from ashe.solver.mccfr import Solver
from ashe.solver.solution import CENTROIDS, quantise, read_centroids, write_centroids, write_solution

CONF, COMMAND = "solve", "command.txt"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ashe.solve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config-dir", type=Path, default=composing.default_config_dir(), help="folder of settings")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--export", action="store_true", help="solve no further: write the last checkpoint's solution")
    only.add_argument("--measure", action="store_true", help="solve no further: measure the last checkpoint")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings; resume=RUN_DIR continues a run")
    arguments = parser.parse_intermixed_args(argv)
    folder = arguments.config_dir / CONF
    resume = [text.partition("=")[2] for text in arguments.overrides if text.startswith("resume=")]
    others = [text for text in arguments.overrides if not text.startswith("resume=")]
    if (arguments.export or arguments.measure) and not resume:
        raise UserError("--export and --measure need a run: add resume=RUN_DIR")
    if resume:
        run_dir = Path(resume[-1])
        config = from_mapping(SolveConfig, composing.load_run(run_dir, folder, others))
    else:
        config = from_mapping(SolveConfig, composing.compose(folder, others))
        run_dir = Path(config.run_dir or f"runs/{config.name}/{datetime.now():%Y-%m-%d_%H-%M-%S}")
        _create(run_dir, config, shlex.join(["python", "-m", "ashe.solve", *others]))
    return solve(config, run_dir, "export" if arguments.export else "measure" if arguments.measure else "all")


def _create(run_dir: Path, config: SolveConfig, command: str) -> None:
    if (run_dir / "config.yaml").exists():
        raise UserError(f"{run_dir} already holds a run; continue it with resume={run_dir} or choose another run_dir")
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        write_atomic(run_dir / COMMAND, command + "\n")
        write_atomic(run_dir / "config.yaml", composing.as_yaml(to_mapping(config)))
    except OSError as error:
        raise UserError(f"cannot write to run_dir={run_dir}: {error.strerror}") from error


class Log:
    """log.jsonl: one line per event, with the seconds spent solving (interruptions not counted)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.before = float(json.loads(lines[-1])["seconds"]) if lines else 0.0
        self.began = time.perf_counter()

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self.began

    def write(self, **event: Any) -> None:
        with open(self.path, "a") as file:
            file.write(json.dumps({"seconds": round(self.seconds, 1), **event}) + "\n")


def solve(config: SolveConfig, run_dir: Path, what: str = "all") -> int:
    """Run to the end; or only `export` or `measure` the last checkpoint."""
    abstraction = _abstraction(config, run_dir)
    chance = HoldemChance(abstraction)
    tree, _ = betting_tree(config.betting, chance.buckets, RULES)
    solver = Solver(tree, chance, config.mccfr, config.seed)
    checkpoint = Checkpoint(run_dir / "checkpoint", config)
    if what != "all" or checkpoint.path.exists():
        checkpoint.load(solver)
    log = Log(run_dir / "log.jsonl")
    if not solver.interval:
        log.write(
            event="start", nodes=tree.nodes, buckets=chance.buckets, places=len(solver.regret), workers=config.workers
        )
    if what == "measure":
        _measure(config, solver, chance, log)
        return 0
    if what == "all":
        try:
            _iterate(config, solver, chance, log, checkpoint)
        except KeyboardInterrupt:
            # The arrays hold half an interval, so the last checkpoint counts, not they.
            print(
                f"stopped; go on from the last checkpoint with: python -m ashe.solve resume={run_dir}", file=sys.stderr
            )
            return 130
        checkpoint.save(solver)
    _write(config, solver, abstraction, log, run_dir / "solution")
    return 0


class Checkpoint:
    """The solver's state in one file, with the settings it belongs to."""

    def __init__(self, path: Path, config: SolveConfig) -> None:
        self.path = path
        self.every = 60 * config.checkpoint_minutes
        self.settings = hashlib.sha256(json.dumps(config.effective(), sort_keys=True).encode()).hexdigest()[:16]
        self.saved = time.monotonic()

    def load(self, solver: Solver) -> None:
        solver.load(self.path, self.settings)

    def save(self, solver: Solver) -> None:
        solver.save(self.path, self.settings)
        self.saved = time.monotonic()

    @property
    def due(self) -> bool:
        return time.monotonic() - self.saved > self.every


def _iterate(config: SolveConfig, solver: Solver, chance: HoldemChance, log: Log, checkpoint: Checkpoint) -> None:
    intervals, times = config.mccfr.intervals, config.measure.times
    measured = {intervals * (i + 1) // times for i in range(times)}
    with tqdm(
        total=config.mccfr.deals, initial=solver.deals_done, unit="deal", unit_scale=True, mininterval=1.0
    ) as bar:
        while not solver.done:
            deals, visited, began = solver.deals_done, solver.visited, time.perf_counter()
            solver.step(config.workers, bar.update)
            took = time.perf_counter() - began
            if solver.interval % max(intervals // 50, 1) == 0:
                log.write(
                    event="progress",
                    deals=solver.deals_done,
                    deals_per_second=round((solver.deals_done - deals) / took),
                    nodes_per_second=round((solver.visited - visited) / took),
                    memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                )
            if checkpoint.due:
                checkpoint.save(solver)
            if solver.interval in measured:
                _measure(config, solver, chance, log)


def _write(config: SolveConfig, solver: Solver, abstraction: Abstraction, log: Log, folder: Path) -> None:
    tree = solver.tree
    strategy = np.zeros(len(solver.average), np.uint8)
    counts = np.array(solver.chance.buckets, np.int64)
    missing = quantise(tree.actions, tree.round, tree.base, counts, solver.average, config.floor, strategy)
    log.write(event="end", deals=solver.deals_done, never_reached=int(missing))
    about = {
        "command": (folder.parent / COMMAND).read_text().strip(),
        "log": [json.loads(line) for line in log.path.read_text().splitlines()],
    }
    write_solution(folder, {**config.effective(), "floor": config.floor}, abstraction, strategy, about)
    print(f"solution of {solver.deals_done:,} deals: {folder} (it plays as EQ@{folder})")


def _measure(config: SolveConfig, solver: Solver, chance: HoldemChance, log: Log) -> None:
    m = config.measure
    start = start_of_response(solver.regret, solver.deals_done, solver.interval, m.learn)
    found = abstract_exploitability(
        solver.tree, chance, solver.strategy(config.floor), start, config.seed, m.learn, m.play, config.workers
    )
    value, width = 1000 * found.value, 1000 * found.half_width
    log.write(
        event="exploitability", deals=solver.deals_done, mbb_per_hand=round(value, 1), ci95=round(width, 1),
        boards=m.learn,
    )  # fmt: skip
    tqdm.write(
        f"{solver.deals_done:,} deals: responses win {value:.0f} +- {width:.0f} mBB/hand in the abstract game",
        file=sys.stderr,
    )


def _abstraction(config: SolveConfig, run_dir: Path) -> Abstraction:
    """Clustered once per run, then kept."""
    path = run_dir / CENTROIDS
    if not path.exists():
        write_centroids(path, build_abstraction(config.abstraction, config.seed))
    return read_centroids(path)


if __name__ == "__main__":
    run(main)
