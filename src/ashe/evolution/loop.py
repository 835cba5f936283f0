"""The training loop.

For each generation: (1) open a module session or a phase if one begins here, (2) ask the optimiser for genomes,
(3) let the workers play them all on the decks of this generation, (4) ANE, (5) tell, (6) announce, (7) checkpoint.
Same seed, same bytes: nothing in here depends on the clock, the number of workers or an earlier interruption.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ashe.errors import UserError
from ashe.evolution import fitness as ane
from ashe.evolution.checkpoint import Checkpoint, CheckpointStore
from ashe.evolution.curriculum import WHOLE, Curriculum, Moment, assemble, evolving_slice
from ashe.evolution.events import GenerationEnd, PhaseChange, Reporter, RunEnd, RunStart
from ashe.evolution.metrics import champion_stats, summary
from ashe.evolution.protocols import GenerationTask, Optimiser, OptimiserFactory, Result, TrainingProblem
from ashe.evolution.workers import Workers


@dataclass(frozen=True)
class RunPlan:
    """Everything the results depend on."""

    seed: int
    population: int
    curriculum: Curriculum
    fitness: ane.AneConfig
    optimiser: OptimiserFactory
    problem: TrainingProblem
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The same as flat plain values, for checkpoints and reports."""
    start: torch.Tensor | None = None
    """A genome to begin with, as a module session begins with the champion of the one before."""

    def check(self) -> None:
        """Refuse what cannot work before any work starts."""
        modules, known = self.problem.genome_modules, self.problem.opponents_known
        self.curriculum.check(modules, known)
        self.fitness.check_opponents(self.curriculum.opponents, known)
        length = max(stop for _, stop in modules.values())
        for module in {session.module for session in self.curriculum.sessions} or {WHOLE}:
            evolving = evolving_slice(module, modules, length)
            self.optimiser.check_size(self.population, evolving.stop - evolving.start)


@dataclass
class _State:
    """Between two generations."""

    done: int
    optimiser: Optimiser
    frozen: torch.Tensor
    champion: torch.Tensor | None
    scale: ane.Scale
    metrics: Mapping[str, Any]
    previous: torch.Tensor | None = None  # champion of the generation before the last one


def train(
    plan: RunPlan,
    workers: Workers,
    reporters: Sequence[Reporter] = (),
    checkpoints: CheckpointStore | None = None,
    every: int = 1,
    resume: Checkpoint | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> RunEnd:
    """Run the plan to its end, or until `stop()` is true after a generation (a checkpoint is then written)."""
    plan.check()
    total = plan.curriculum.generations
    state = _restore(plan, resume) if resume else _first(plan)
    positions = resume.positions if resume else {}
    _announce(reporters, "run_start", RunStart(plan.settings, total, state.done, positions, plan.problem.describe()))
    try:
        while state.done < total:
            _generation(plan, state, workers, reporters)
            stopping = stop()
            if checkpoints and (stopping or state.done % every == 0 or state.done == total):
                checkpoints.save(_checkpoint(plan, state, reporters))
            if stopping:
                break
        assert state.champion is not None
        end = RunEnd(state.done, total, state.champion.numpy(), _last_task(plan, state), state.metrics)
        _announce(reporters, "run_end", end)
        return end
    finally:
        for reporter in reporters:
            reporter.close()


def _announce(reporters: Sequence[Reporter], what: str, event: Any) -> None:
    for reporter in reporters:
        getattr(reporter, what)(event)


def _first(plan: RunPlan) -> _State:
    """First session: everyone's evolving module is random, the frozen remainder is individual 0's for all.

    With a genome to start from both are its own, the evolving module varied.
    """
    if plan.start is not None:
        where = evolving_slice(plan.curriculum.at(0).module, plan.problem.genome_modules, len(plan.start))
        total = plan.curriculum.generations
        varied = plan.optimiser.from_champion(plan.start[where], plan.population, plan.seed, 0, total)
        return _State(0, varied, plan.start.clone(), None, {}, {})
    genomes = plan.problem.initial(plan.seed, plan.population).to(torch.float32)
    moment = plan.curriculum.at(0)
    where = evolving_slice(moment.module, plan.problem.genome_modules, genomes.shape[1])
    optimiser = plan.optimiser.from_population(genomes[:, where], plan.seed, 0, plan.curriculum.generations)
    return _State(0, optimiser, genomes[0].clone(), None, {}, {})


def _next_session(plan: RunPlan, state: _State, moment: Moment) -> None:
    assert state.champion is not None
    where = evolving_slice(moment.module, plan.problem.genome_modules, len(state.champion))
    state.frozen = state.champion
    state.optimiser = plan.optimiser.from_champion(
        state.champion[where], plan.population, plan.seed, state.done, plan.curriculum.generations
    )


def _generation(plan: RunPlan, state: _State, workers: Workers, reporters: Sequence[Reporter]) -> None:
    generation, moment = state.done, plan.curriculum.at(state.done)
    if moment.starts_session and generation > 0:
        _next_session(plan, state, moment)
    if moment.starts_phase or moment.starts_session:
        change = PhaseChange(generation, moment.phase, moment.opponents, moment.session, moment.module)
        _announce(reporters, "phase_change", change)

    begun = time.perf_counter()
    where = evolving_slice(moment.module, plan.problem.genome_modules, len(state.frozen))
    genomes = assemble(state.frozen, state.optimiser.ask(), where)
    rows = genomes.numpy()
    result = workers.evaluate(rows, _task(plan, generation, state.champion, len(rows)))
    mbb = _earnings(plan, result, len(rows), moment)
    one_big_blind = 1000.0 / plan.problem.hands
    n, state.scale = ane.normalisation(mbb, moment.opponents, plan.fitness, state.scale, one_big_blind)
    loss = ane.loss_normalisation(mbb, moment.opponents, plan.fitness, n)
    fitness = ane.ane(mbb, n, loss)
    state.optimiser.tell(torch.from_numpy(fitness))
    champion, elites = state.optimiser.champion.row, state.optimiser.elites
    state.previous, state.champion = state.champion, genomes[champion].clone()
    state.metrics = metrics = summary(
        generation, moment, rows, mbb, fitness, n, champion, elites, state.optimiser.settings()
    )
    state.done += 1
    stats = champion_stats(result, moment.opponents, champion)
    end = GenerationEnd(
        generation=generation,
        total=plan.curriculum.generations,
        opponents=moment.opponents,
        genomes=rows,
        result=result,
        mbb=mbb,
        fitness=fitness,
        champion=champion,
        elites=elites,
        metrics=metrics,
        hands=len(rows) * len(moment.opponents) * plan.problem.hands,
        seconds=time.perf_counter() - begun,
        extras={"champion_stats": stats} if stats else {},
    )
    _announce(reporters, "generation_end", end)


def _task(plan: RunPlan, generation: int, rival: torch.Tensor | None, population: int) -> GenerationTask:
    """`rival` is the champion of the generation before."""
    moment = plan.curriculum.at(generation)
    return GenerationTask(
        seed=plan.seed,
        generation=generation,
        opponents=moment.opponents,
        phase=moment.phase,
        session=moment.session,
        module=moment.module,
        population=population,
        champion=None if rival is None else rival.numpy(),
    )


def _last_task(plan: RunPlan, state: _State) -> GenerationTask:
    return _task(plan, state.done - 1, state.previous, plan.population)


def _earnings(plan: RunPlan, result: Result, rows: int, moment: Moment) -> npt.NDArray[np.float64]:
    measure = plan.fitness.measure
    if measure not in result:
        raise UserError(f"fitness.measure={measure!r} is not what the evaluator returns: {', '.join(sorted(result))}")
    chips = np.asarray(result[measure], dtype=np.float64)
    wanted = (rows, len(moment.opponents))
    if chips.shape != wanted or not np.isfinite(chips).all():
        raise UserError(f"the evaluator's {measure!r} must be finite numbers of shape {wanted}, got {chips.shape}")
    return ane.mbb_per_hand(chips, plan.problem.big_blind, plan.problem.hands)


def _checkpoint(plan: RunPlan, state: _State, reporters: Sequence[Reporter]) -> Checkpoint:
    assert state.champion is not None
    return Checkpoint(
        done=state.done,
        settings=dict(plan.settings),
        optimiser=state.optimiser.state_dict(),
        frozen=state.frozen,
        champion=state.champion,
        scale=dict(state.scale),
        metrics=dict(state.metrics),
        positions={reporter.name: reporter.position() for reporter in reporters},
        previous=state.previous,
    )


def _restore(plan: RunPlan, saved: Checkpoint) -> _State:
    """The state after generation `done - 1`, whose session the optimiser belongs to."""
    module = plan.curriculum.at(saved.done - 1).module
    where = evolving_slice(module, plan.problem.genome_modules, len(saved.frozen))
    total = plan.curriculum.generations
    optimiser = plan.optimiser.from_champion(saved.champion[where], plan.population, plan.seed, saved.done - 1, total)
    optimiser.load_state_dict(saved.optimiser)
    return _State(saved.done, optimiser, saved.frozen, saved.champion, saved.scale, saved.metrics, saved.previous)
