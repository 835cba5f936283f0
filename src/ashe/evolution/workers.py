"""Who plays the genomes: this process, local processes, or Ray actors (`ray_workers`).

The population is cut into shards of consecutive individuals; idle workers take the next shard; results are put
together by index. Every row's result depends on the row and the task only, so the number of workers, their speed and
their deaths cannot change it. A shard whose worker is lost is run again by a new one.
"""

import contextlib
import itertools
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from ashe.errors import UserError
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result

Genomes = npt.NDArray[np.float32]
W = TypeVar("W")

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment of a worker: one thread each, or they fight over the cores."""

MAX_LOSSES = 3
"""A shard that loses its worker this often is taken to be the cause."""


class Workers(Protocol):
    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result: ...

    def close(self) -> None: ...


class EvaluationError(RuntimeError):
    """The evaluator raised an error in a worker; the text is that worker's traceback."""


class InProcess:
    """Everything in this process, with one torch thread as in a worker, so that sums round alike."""

    def __init__(self, spec: EvaluatorSpec) -> None:
        self._evaluator = spec.build()

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return self._evaluator.evaluate(genomes, task)
        finally:
            torch.set_num_threads(threads)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Shard:
    first: int
    last: int


class Lost:
    """The worker is gone, its shard undone."""


Outcome = Result | Lost | Exception


class ShardedWorkers(ABC, Generic[W]):
    """The scheduling common to local processes and Ray; a subclass starts, feeds, awaits and stops workers."""

    def __init__(self, count: int, shards_per_worker: int = 2) -> None:
        if count < 1:
            raise UserError(f"workers.count={count} must be at least 1")
        self.count = count
        self.shards_per_worker = shards_per_worker
        self.losses = 0
        self._workers: list[W] = []

    @abstractmethod
    def _start(self) -> W: ...

    @abstractmethod
    def _submit(self, worker: W, genomes: Genomes, task: GenerationTask) -> bool:
        """Hand over a shard; false if the worker is gone."""

    @abstractmethod
    def _wait(self, busy: list[W]) -> list[tuple[W, Outcome]]:
        """Block until at least one has an outcome."""

    @abstractmethod
    def _stop(self, worker: W) -> None: ...

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        while len(self._workers) < self.count:
            self._workers.append(self._start())
        todo = deque(shards(len(genomes), self.count * self.shards_per_worker))
        losses: dict[Shard, int] = {}
        done: dict[Shard, Result] = {}
        idle, busy = list(self._workers), dict[int, tuple[W, Shard]]()
        while todo or busy:
            while todo and idle:
                worker, shard = idle.pop(), todo.popleft()
                part = genomes[shard.first : shard.last]
                if self._submit(worker, part, replace(task, first=task.first + shard.first)):
                    busy[id(worker)] = (worker, shard)
                else:
                    self._replace(worker, shard, todo, losses, idle)
            for worker, outcome in self._wait([worker for worker, _ in busy.values()]):
                _, shard = busy.pop(id(worker))
                if isinstance(outcome, Lost):
                    self._replace(worker, shard, todo, losses, idle)
                elif isinstance(outcome, Exception):
                    self.close()  # others are still at work on this generation
                    raise outcome
                else:
                    done[shard] = outcome
                    idle.append(worker)
        return join([done[shard] for shard in sorted(done, key=lambda s: s.first)])

    def _replace(self, worker: W, shard: Shard, todo: deque[Shard], losses: dict[Shard, int], idle: list[W]) -> None:
        self.losses += 1
        losses[shard] = losses.get(shard, 0) + 1
        if losses[shard] >= MAX_LOSSES:
            self.close()
            raise UserError(
                f"individuals {shard.first}..{shard.last - 1} lost their worker {MAX_LOSSES} times; "
                "is the memory enough? Try fewer workers (workers.count=1) or workers=in_process to see the error"
            )
        self._stop(worker)
        fresh = self._start()
        self._workers[self._workers.index(worker)] = fresh
        idle.append(fresh)
        todo.appendleft(shard)

    def close(self) -> None:
        for worker in self._workers:
            self._stop(worker)
        self._workers = []


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS


def shards(individuals: int, parts: int) -> list[Shard]:
    """Consecutive shards of nearly equal size, none empty."""
    parts = min(parts, individuals)
    edges = [individuals * i // parts for i in range(parts + 1)]
    return [Shard(a, b) for a, b in itertools.pairwise(edges)]


def join(results: list[Result]) -> Result:
    return {key: np.concatenate([result[key] for result in results]) for key in results[0]}


@dataclass(eq=False)
class LocalWorker:
    process: BaseProcess
    connection: Connection


class LocalProcesses(ShardedWorkers[LocalWorker]):
    """Spawned processes (forking after OpenMP or numba threads have run would hang), one thread each."""

    def __init__(self, spec: EvaluatorSpec, count: int | None = None, shards_per_worker: int = 2) -> None:
        super().__init__(cores() if count is None else count, shards_per_worker)
        self._spec = spec
        self._context = multiprocessing.get_context("spawn")

    @property
    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self._workers if worker.process.pid]

    def _start(self) -> LocalWorker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._spec), daemon=True)
        with _worker_environment():
            process.start()
        theirs.close()
        return LocalWorker(process, ours)

    def _submit(self, worker: LocalWorker, genomes: Genomes, task: GenerationTask) -> bool:
        try:
            worker.connection.send((genomes, task))
        except OSError:
            return False
        return True

    def _wait(self, busy: list[LocalWorker]) -> list[tuple[LocalWorker, Outcome]]:
        ready = wait([worker.connection for worker in busy])
        return [(worker, _receive(worker)) for worker in busy if worker.connection in ready]

    def _stop(self, worker: LocalWorker) -> None:
        worker.connection.close()
        worker.process.kill()
        worker.process.join()


def _receive(worker: LocalWorker) -> Outcome:
    try:
        outcome: Outcome = worker.connection.recv()
    except (EOFError, OSError):
        return Lost()
    return outcome


@contextlib.contextmanager
def _worker_environment() -> Iterator[None]:
    """One thread each, and Ctrl-C left to the main process: a spawned child inherits both."""
    multiprocessing.resource_tracker.ensure_running()  # started here, else it would unblock the signal below
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def run_guarded(evaluator: Any, genomes: Genomes, task: GenerationTask) -> Result | Exception:
    """An error the user can mend travels as it is, any other as its traceback."""
    try:
        result: Result = evaluator.evaluate(genomes, task)
    except UserError as error:
        return UserError(str(error))
    except Exception:
        return EvaluationError(traceback.format_exc())
    return result


class _Unbuilt:
    """Stands in for an evaluator that could not be built, to report why at the first shard."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result:
        raise self._error


def build_guarded(spec: EvaluatorSpec) -> Any:
    torch.set_num_threads(1)
    try:
        return spec.build()
    except Exception as error:
        return _Unbuilt(error)


def _serve(connection: Connection, spec: EvaluatorSpec) -> None:
    """A worker's life: it ends when the main process closes the pipe or dies."""
    evaluator = build_guarded(spec)
    with contextlib.suppress(EOFError, OSError):
        while True:
            genomes, task = connection.recv()
            connection.send(run_guarded(evaluator, genomes, task))
