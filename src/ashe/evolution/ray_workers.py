"""The same as `LocalProcesses` over a Ray cluster (`workers=ray`, optional extra `ashe[ray]`)."""

import contextlib
import importlib
import importlib.util
from typing import Any, cast

from ashe.errors import UserError
from ashe.evolution.protocols import EvaluatorSpec, GenerationTask, Result
from ashe.evolution.workers import ONE_THREAD, Genomes, Lost, Outcome, ShardedWorkers, build_guarded, run_guarded


def require_ray() -> None:
    """One clear line instead of an import error."""
    if importlib.util.find_spec("ray") is None:
        raise UserError("workers=ray needs Ray: pip install 'ashe[ray]'")


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
        require_ray()
        self._ray = ray = cast(Any, importlib.import_module("ray"))
        self._own_cluster = not ray.is_initialized()
        if self._own_cluster:
            local = {} if address else {"num_cpus": count, "include_dashboard": False}
            try:
                ray.init(address=address, log_to_driver=False, runtime_env={"env_vars": ONE_THREAD}, **local)
            except (ConnectionError, ValueError) as error:
                raise UserError(f"workers.address={address}: cannot join that Ray cluster ({error})") from error
        available = max(1, int(ray.cluster_resources().get("CPU", 1)))
        if count is not None and count > available:  # an actor without a CPU would wait for ever
            self._shutdown()
            raise UserError(f"workers.count={count}: the Ray cluster has {available} CPUs; give at most that many")
        super().__init__(count or available, shards_per_worker)
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
        known = self._ray.exceptions
        lost = (known.RayActorError, known.ObjectLostError, known.WorkerCrashedError, known.OutOfMemoryError)
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
        self._shutdown()

    def _shutdown(self) -> None:
        if self._own_cluster:
            self._ray.shutdown()
