"""Train agents: `python -m ashe.train +experiment=NAME key=value ...`.

    python -m ashe.train +experiment=sphere                     a toy run of seconds
    python -m ashe.train +experiment=ashe1 seed=3 workers.count=2
    python -m ashe.train resume=runs/ashe1/2030-01-31_12-00-00  continue after an interruption
    python -m ashe.train replay=assets/champions/a4             the same run again from its record, without playing;
                                                                goes on where the record ends

The output folder (runs/<experiment>/<date_time>, or run_dir=...) gets config.yaml, metrics.jsonl, record.jsonl, tb/,
checkpoints/ and champion.npz. Ctrl-C finishes the generation, writes a checkpoint and says how to continue.
"""

import argparse
import contextlib
import fcntl
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from ashe.agents.champions import find_champion
from ashe.cli import run, write_atomic
from ashe.errors import UserError
from ashe.evolution import composing
from ashe.evolution.champion import ChampionReporter, load_champion
from ashe.evolution.checkpoint import Checkpoint, CheckpointStore, refuse_other_settings
from ashe.evolution.config import TrainConfig
from ashe.evolution.events import Reporter, RunEnd
from ashe.evolution.loop import RunPlan, train
from ashe.evolution.protocols import TrainingProblem
from ashe.evolution.ray_workers import RayActors, require_ray
from ashe.evolution.record import Earnings, PlayedBack, RecordReporter, load_record
from ashe.evolution.reporters import ConsoleReporter, JsonlReporter, run_has_ended
from ashe.evolution.settings import from_mapping, to_mapping
from ashe.evolution.toy import SphereConfig, SphereProblem
from ashe.evolution.workers import InProcess, LocalProcesses, Workers


def notice(text: str) -> None:
    print(f"notice: {text}", file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code (`ashe.cli.run` makes it 2 for a wrong setting)."""
    parser = argparse.ArgumentParser(
        prog="python -m ashe.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config-dir", type=Path, default=composing.default_config_dir(), help="folder of settings")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings; resume=RUN_DIR or replay=FOLDER")
    arguments = parser.parse_intermixed_args(argv)
    return _run(arguments.config_dir, arguments.overrides)


def _run(config_dir: Path, overrides: Sequence[str]) -> int:
    config_dir = composing.check_config_dir(config_dir)
    resume, replay = (
        [text.removeprefix(key) for text in overrides if text.startswith(key)] for key in ("resume=", "replay=")
    )
    others = [text for text in overrides if not text.startswith(("resume=", "replay="))]
    if resume and replay:
        raise UserError("give either resume=RUN_DIR or replay=FOLDER; a run that is played back resumes like any other")
    record: list[Earnings] = []
    if resume:
        run_dir = Path(resume[-1])
        config, began = _as_begun(run_dir, config_dir, others)
        if config.run_dir != began.run_dir:
            raise UserError("a resumed run stays in its folder; leave run_dir=... away")
    elif replay:
        source = Path(replay[-1])
        config, began = _as_begun(source, config_dir, others)
        elsewhere = config.run_dir != began.run_dir
        run_dir = Path(config.run_dir) if elsewhere and config.run_dir else _dated_folder(config.name)
        config = replace(config, run_dir=str(run_dir))
        record = load_record(source, config.evolution.fitness.measure)
    else:
        config = composing.settings_of(composing.compose(config_dir, others))
        run_dir = Path(config.run_dir) if config.run_dir else _dated_folder(config.name)
    plan = plan_of(config)
    plan.check()
    if config.workers.kind == "ray":
        require_ray()
    if not resume:
        _create(run_dir, config)
    with _locked(run_dir):
        store = CheckpointStore(run_dir / "checkpoints", config.logging.keep_checkpoints)
        checkpoint = store.latest(notice)
        if checkpoint:
            refuse_other_settings(checkpoint.settings, plan.settings)
        if run_has_ended(run_dir / "metrics.jsonl") and (run_dir / "champion.npz").is_file():
            print(f"{run_dir} is already finished; its champion is {run_dir / 'champion.npz'}")
            return 0
        return _train(config, plan, run_dir, store, checkpoint, record)


def _as_begun(run_dir: Path, config_dir: Path, overrides: Sequence[str]) -> tuple[TrainConfig, TrainConfig]:
    """The settings of a run with and without the overrides, which must not change a result."""
    config, began = (composing.settings_of(composing.load_run(run_dir, config_dir, o)) for o in (overrides, []))
    refuse_other_settings(began.effective(), config.effective())
    return config, began


def _train(
    config: TrainConfig,
    plan: RunPlan,
    run_dir: Path,
    store: CheckpointStore,
    checkpoint: Checkpoint | None,
    record: Sequence[Earnings],
) -> int:
    how_to_resume = f"continue with: python -m ashe.train resume={run_dir}"
    workers: Workers | None = None
    with Interruption() as interruption:
        try:
            workers = workers_of(config, plan.problem)
            if record:
                workers = PlayedBack(record, config.evolution.fitness.measure, workers)
            end: RunEnd = train(
                plan,
                workers,
                reporters_of(config, plan.problem, run_dir),
                store,
                config.logging.checkpoint_every,
                checkpoint,
                interruption.requested,
            )
        except KeyboardInterrupt:
            print(f"stopped at once; {how_to_resume}", file=sys.stderr)
            return interruption.exit_code
        finally:
            if workers:
                workers.close()
    if not end.finished:
        print(f"stopped after {end.done} of {end.total} generations; {how_to_resume}", file=sys.stderr)
        return interruption.exit_code
    print(f"champion: {run_dir / 'champion.npz'} (fitness {end.metrics['fitness']['best']:.4f})")
    return 0


def plan_of(config: TrainConfig) -> RunPlan:
    problem = problem_of(config)
    return RunPlan(
        seed=config.seed,
        population=config.evolution.population,
        curriculum=config.curriculum.build(),
        fitness=config.evolution.fitness,
        optimiser=config.evolution.optimiser,
        problem=problem,
        start=None if config.start is None else starting_genome(config.start, problem, config.seed),
        settings=config.effective(),
    )


def problem_of(config: TrainConfig) -> TrainingProblem:
    """The toy problem, or whatever `ashe.agents.registry` knows by this kind."""
    if config.agent["kind"] == "sphere":
        return SphereProblem(from_mapping(SphereConfig, config.agent, "agent."))
    try:
        registry: Any = importlib.import_module("ashe.agents.registry")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("ashe.agents"):
            raise
        raise UserError(f"agent.kind={config.agent['kind']!r} is unknown; known: sphere") from error
    problem: TrainingProblem = registry.training_problem(config.agent, config.game, config.curriculum.build().opponents)
    return problem


def starting_genome(name: str, problem: TrainingProblem, seed: int) -> torch.Tensor:
    """A genome for the problem with the modules of a champion; modules that it lacks are random."""
    path = find_champion(name)
    if path is None:
        raise UserError(f"start={name}: no such champion; name a shipped one, a run's folder or a champion.npz")
    champion = load_champion(path)
    genome, taken = problem.initial(seed, 1)[0].clone(), 0
    for module, (first, last) in problem.genome_modules.items():
        if module not in champion.about["modules"]:
            continue
        theirs = champion.genome[slice(*champion.about["modules"][module])]
        if len(theirs) != last - first:
            raise UserError(
                f"start={name}: its {module.upper()} has {len(theirs):,} genes, this agent's {last - first:,}; "
                "give both the same blocks, size and hidden"
            )
        genome[first:last] = torch.from_numpy(theirs)
        taken += 1
    if taken == 0:
        mine, other = ", ".join(problem.genome_modules), ", ".join(champion.about["modules"])
        raise UserError(f"start={name}: it has {other}, this agent {mine}; choose a champion with one of these")
    return genome


def workers_of(config: TrainConfig, problem: TrainingProblem) -> Workers:
    spec, chosen = problem.evaluator_factory, config.workers
    if chosen.kind == "in_process":
        return InProcess(spec)
    if chosen.kind == "local":
        return LocalProcesses(spec, chosen.count, chosen.shards_per_worker)
    return RayActors(spec, chosen.count, chosen.shards_per_worker, chosen.address)


def reporters_of(config: TrainConfig, problem: TrainingProblem, run_dir: Path) -> list[Reporter]:
    logging, opponents = config.logging, config.curriculum.build().opponents
    reporters: list[Reporter] = []
    if logging.tensorboard:
        from ashe.evolution.tensorboard import TensorBoardReporter

        tb = run_dir / "tb"
        reporters.append(
            TensorBoardReporter(tb, problem.slices, opponents, logging.histogram_every, logging.figure_every)
        )
    if logging.console:
        reporters.append(ConsoleReporter())
    reporters.append(ChampionReporter(run_dir / "champion.npz", problem, to_mapping(config)))
    reporters.append(RecordReporter(run_dir / "record.jsonl", config.evolution.fitness.measure))
    # Last, because its `end` line says that everything else has been written.
    reporters.append(JsonlReporter(run_dir / "metrics.jsonl", notice))
    return reporters


def _dated_folder(name: str) -> Path:
    return Path("runs") / name / datetime.now().strftime("%Y-%m-%d_%H-%M-%S")


def _create(run_dir: Path, config: TrainConfig) -> None:
    if (run_dir / "config.yaml").exists():
        raise UserError(f"{run_dir} already holds a run; continue it with resume={run_dir} or choose another run_dir")
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        write_atomic(run_dir / "config.yaml", composing.as_yaml(to_mapping(config)).encode())
    except OSError as error:
        raise UserError(f"cannot write to run_dir={run_dir}: {error.strerror}") from error


@contextlib.contextmanager
def _locked(run_dir: Path) -> Iterator[None]:
    """One process at a time works on a run; the lock goes with the process, however it ends."""
    try:
        file = open(run_dir / ".lock", "w")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise UserError(f"cannot write to {run_dir}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError(f"another process is training in {run_dir}; wait for it or stop it") from error
        yield


@dataclass
class Interruption:
    """First Ctrl-C (or SIGTERM): stop after this generation. Second: stop at once."""

    signal_number: int = 0

    def requested(self) -> bool:
        return self.signal_number != 0

    @property
    def exit_code(self) -> int:
        return 128 + (self.signal_number or signal.SIGINT)

    def __enter__(self) -> "Interruption":
        self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested():
            raise KeyboardInterrupt
        self.signal_number = number
        # os.write: a signal handler may interrupt a print in progress
        os.write(sys.stderr.fileno(), b"\nfinishing this generation (again: stop at once) ...\n")


if __name__ == "__main__":
    run(main)
