"""The same as `LocalProcesses` over a Ray cluster (`workers=ray`, optional extra `ashe[ray]`)."""

import contextlib
import importlib
from typing import Any

from ashe.errors import UserError
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result
from ashe.evolution.workers import ONE_THREAD, Genomes, Lost, Outcome, ShardedWorkers, build_guarded, run_guarded


class _Actor:
    """Lives in a Ray worker process."""

    def __init__(self, spec: EvaluatorSpec) -> None:
        self._evaluator = build_guarded(spec)

    def evaluate(self, genomes: Genomes, task: GenerationTask) -> Result | Exception:
        return run_guarded(self._evaluator, genomes, task)


class _RayWorker:
    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.pending: Any = None


class RayActors(ShardedWorkers[_RayWorker]):
    """One actor per CPU of the cluster; ashe must be installed on every node."""

    def __init__(
        self,
        spec: EvaluatorSpec,
        count: int | None = None,
        shards_per_worker: int = 2,
        address: str | None = None,
    ) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise UserError("workers=ray needs Ray: pip install 'ashe[ray]'") from error
        self._ray = ray
        self._own_cluster = not ray.is_initialized()
        if self._own_cluster:
            local = {} if address else {"num_cpus": count, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, runtime_env={"env_vars": ONE_THREAD}, **local)
        super().__init__(count or max(1, int(ray.cluster_resources().get("CPU", 1))), shards_per_worker)
        self._spec = spec
        self._remote = ray.remote(num_cpus=1, max_restarts=0)(_Actor)

    def _start(self) -> _RayWorker:
        return _RayWorker(self._remote.remote(self._spec))

    def _submit(self, worker: _RayWorker, genomes: Genomes, task: GenerationTask) -> bool:
        worker.pending = worker.actor.evaluate.remote(genomes, task)
        return True

    def _wait(self, busy: list[_RayWorker]) -> list[tuple[_RayWorker, Outcome]]:
        ready, _ = self._ray.wait([worker.pending for worker in busy], num_returns=1)
        return [(worker, self._receive(worker)) for worker in busy if worker.pending in ready]

    def _receive(self, worker: _RayWorker) -> Outcome:
        lost = (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError)
        try:
            outcome: Outcome = self._ray.get(worker.pending)
        except lost:
            return Lost()
        return outcome

    def _stop(self, worker: _RayWorker) -> None:
        with contextlib.suppress(Exception):  # it may be gone already
            self._ray.kill(worker.actor)

    def close(self) -> None:
        super().close()
        if self._own_cluster:
            self._ray.shutdown()
