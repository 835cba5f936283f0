"""The training loop on the sphere problem: convergence, sessions, phases, events, resuming."""

import numpy as np
import pytest
import torch
from sphere_runs import ALL, Listener, Recorder, plan, reproducible_lines

from ashe.errors import UserError
from ashe.evolution.champion import ChampionReporter, load_champion, save_champion
from ashe.evolution.checkpoint import CheckpointStore
from ashe.evolution.curriculum import WHOLE
from ashe.evolution.events import GenerationEnd, PhaseChange, RunEnd, RunStart
from ashe.evolution.fitness import AneConfig
from ashe.evolution.loop import train
from ashe.evolution.reporters import JsonlReporter, run_has_ended
from ashe.evolution.workers import InProcess


def run(p, **options):
    workers = Recorder(p.problem.evaluator_factory)
    listener = Listener()
    end = train(p, workers, [listener, *options.pop("reporters", [])], **options)
    return end, workers, listener


def test_a_sphere_run_converges():
    """Everyone starts about 24 + 24 away from the top (24 genes of variance 1 around 0, the top at 1)."""
    p = plan(generations=150, population=50)
    end, workers, _ = run(p)
    distance = ((end.champion - 1.0) ** 2).sum()
    first = ((workers.genomes[0] - 1.0) ** 2).sum(axis=1)
    assert first.mean() == pytest.approx(48, rel=0.15)
    assert distance < 0.03 * first.min()
    assert end.finished
    assert end.metrics["fitness"]["best"] > 0.95


@pytest.mark.parametrize("fitness", [AneConfig(scale="running", start={"S0": 900.0}), AneConfig(losses="generation")])
def test_other_fitness_scales_converge_too(fitness):
    end, workers, _ = run(plan(generations=80, population=40, fitness=fitness))
    first = ((workers.genomes[0] - 1.0) ** 2).sum(axis=1)
    assert ((end.champion - 1.0) ** 2).sum() < 0.15 * first.min()


def test_all_individuals_play_the_same_decks_and_decks_change():
    p = plan(generations=4)
    _, workers, _ = run(p)
    assert [t.generation for t in workers.tasks] == [0, 1, 2, 3]
    assert {t.seed for t in workers.tasks} == {3}
    twice = np.repeat(workers.genomes[0][:1], 3, axis=0)
    evaluator = p.problem.evaluator_factory.build()
    rows = [evaluator.evaluate(twice, t)["chips"] for t in workers.tasks[:2]]
    assert (rows[0] == rows[0][0]).all()
    assert (rows[0] != rows[1]).all()


def test_measure_chooses_the_earnings():
    _, _, realised = run(plan(generations=1))
    _, _, adjusted = run(plan(generations=1, fitness=AneConfig(measure="adjusted")))
    (a,), (b,) = realised.of(GenerationEnd), adjusted.of(GenerationEnd)
    assert (a.mbb != b.mbb).any()
    # 1,000 mBB/hand are one big blind a hand: 100 chips in each of 10 hands
    np.testing.assert_allclose(a.mbb, a.result["chips"])
    np.testing.assert_allclose(b.mbb, a.result["adjusted"])


# ---------------------------------------------------------------- module sessions
def test_module_sessions_freeze_the_remainder_bit_for_bit():
    p = plan(population=10, phases=[(11, ALL)], sessions=[("M0", 3), ("M2", 2)], dimensions=160)
    end, workers, listener = run(p)
    modules = p.problem.genome_modules
    part = {name: slice(*where) for name, where in modules.items()}
    ends = listener.of(GenerationEnd)
    evolving = ["M0"] * 3 + ["M2"] * 2 + ["M0"] * 3 + ["M2"] * 2 + ["M0"]
    assert [t.module for t in workers.tasks] == evolving
    assert [t.session for t in workers.tasks] == [0] * 3 + [1] * 2 + [2] * 3 + [3] * 2 + [4]
    starts = [0, 3, 5, 8, 10]
    for begin, until in zip(starts, [*starts[1:], 11], strict=True):
        module = evolving[begin]
        others = np.ones(160, bool)
        others[part[module]] = False
        # first session: one shared random remainder; later: the champion of the session before
        shared = (
            p.problem.initial(p.seed, p.population)[0].numpy()
            if begin == 0
            else ends[begin - 1].genomes[ends[begin - 1].champion]
        )
        for g in range(begin, until):
            assert (workers.genomes[g][:, others] == shared[others]).all(), f"generation {g}"
        now = workers.genomes[begin][:, part[module]]
        if begin == 0:
            initial = p.problem.initial(p.seed, p.population).numpy()
            assert (now == initial[:, part[module]]).all(), "random for each individual"
        else:
            assert (workers.genomes[begin][0] == shared).all(), "one unmutated copy"
            assert (now[1:] != shared[part[module]]).any(axis=1).all(), "the others are mutated"
    assert (end.champion == workers.genomes[10][ends[10].champion]).all(), "best fitness of the last generation"


def test_mutation_schedules_span_the_run_not_the_session():
    _, _, listener = run(plan(population=10, phases=[(6, ALL), (5, ALL[:2])], sessions=[("M0", 2), ("M1", 2)]))
    rates = [e.metrics["optimiser"]["mutation_rate"] for e in listener.of(GenerationEnd)]
    np.testing.assert_allclose(rates, np.linspace(0.25, 0.05, 11))


def test_a_change_of_phase_changes_the_opponents_and_nothing_else():
    one = run(plan(generations=3))
    two = run(plan(phases=[(3, ALL), (4, ("S1",))]))
    assert [t.opponents for t in two[1].tasks] == [ALL] * 3 + [("S1",)] * 4
    changes = [(c.generation, c.phase, c.opponents, c.module) for c in two[2].of(PhaseChange)]
    assert changes == [(0, 0, ALL, WHOLE), (3, 1, ("S1",), WHOLE)]
    survivors = two[2].of(GenerationEnd)[2]
    first_of_phase = two[1].genomes[3]
    for row, elite in enumerate(survivors.elites):
        assert (first_of_phase[row] == survivors.genomes[elite]).all(), "the population lives on"
    assert (one[1].genomes[0] == two[1].genomes[0]).all()
    assert two[2].of(GenerationEnd)[4].mbb.shape == (14, 1)


def test_the_champion_of_the_generation_before_is_handed_to_the_evaluator():
    _, workers, listener = run(plan(generations=3))
    assert workers.tasks[0].champion is None
    for g in (1, 2):
        before = listener.of(GenerationEnd)[g - 1]
        assert (workers.tasks[g].champion == before.genomes[before.champion]).all()


# ---------------------------------------------------------------- events, refusals
def test_reporters_hear_everything_and_are_closed_also_after_an_error():
    p = plan(generations=3)
    end, _, listener = run(p)
    kinds = [type(e) for e in listener.events]
    assert kinds == [RunStart, PhaseChange, GenerationEnd, GenerationEnd, GenerationEnd, RunEnd]
    assert listener.closed == 1
    last = listener.of(GenerationEnd)[-1]
    assert last.hands == 14 * 4 * 10
    assert last.extras["champion_stats"]["S0"]["near"] == last.result["stat/near"][last.champion, 0]
    assert end.metrics is last.metrics

    class Failing(InProcess):
        def evaluate(self, genomes, task):
            raise RuntimeError("power cut")

    listener = Listener()
    with pytest.raises(RuntimeError, match="power cut"):
        train(p, Failing(p.problem.evaluator_factory), [listener])
    assert listener.closed == 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda chips: chips[:, :3], r"'chips' must be finite numbers of shape \(14, 4\), got \(14, 3\)"),
        (lambda chips: np.where(chips < 1e9, np.nan, chips), "must be finite"),
        (lambda chips: None, "fitness.measure='chips' is not what the evaluator returns: adjusted"),
    ],
)
def test_an_evaluator_that_returns_nonsense_is_refused(spoil, message):
    class Spoiled(InProcess):
        def evaluate(self, genomes, task):
            result = super().evaluate(genomes, task)
            chips = spoil(result.pop("chips"))
            return result if chips is None else {**result, "chips": chips}

    p = plan()
    with pytest.raises(UserError, match=message):
        train(p, Spoiled(p.problem.evaluator_factory))


def test_statistics_that_are_not_numbers_do_not_stop_a_run(tmp_path):
    class NoData(InProcess):
        def evaluate(self, genomes, task):
            result = super().evaluate(genomes, task)
            result["stat/near"][:, 0] = np.nan
            return result

    p = plan(generations=2)
    train(p, NoData(p.problem.evaluator_factory), [JsonlReporter(tmp_path / "metrics.jsonl")])
    stats = reproducible_lines(tmp_path / "metrics.jsonl")[2]["champion_stats"]
    assert "near" not in stats["S0"]
    assert "near" in stats["S1"]


# ---------------------------------------------------------------- resuming
CASES = {
    "whole": {"generations": 7},
    "sessions": {"phases": [(4, ALL), (4, ALL[:3])], "sessions": [("M0", 3), ("M2", 2)]},
    "running": {"generations": 7, "fitness": AneConfig(scale="running")},
}


def stored_run(folder, p, resume=False, stop_after=None, every=1):
    store = CheckpointStore(folder / "checkpoints")
    reporters = [ChampionReporter(folder / "champion.npz", p.problem, {}), JsonlReporter(folder / "metrics.jsonl")]
    count = 0

    def stop():
        nonlocal count
        count += 1
        return count == stop_after

    saved = store.latest(pytest.fail) if resume else None
    return train(p, InProcess(p.problem.evaluator_factory), reporters, store, every, saved, stop)


@pytest.mark.parametrize("case", CASES)
def test_a_run_stopped_after_any_generation_resumes_to_the_same_bytes(case, tmp_path):
    p = plan(**CASES[case])
    (tmp_path / "whole").mkdir()
    whole = stored_run(tmp_path / "whole", p)
    expected = reproducible_lines(tmp_path / "whole" / "metrics.jsonl")
    for stop_after in range(1, p.curriculum.generations):
        folder = tmp_path / str(stop_after)
        folder.mkdir()
        first = stored_run(folder, p, stop_after=stop_after)
        assert (first.done, first.finished) == (stop_after, False)
        assert not run_has_ended(folder / "metrics.jsonl")
        second = stored_run(folder, p, resume=True)
        assert second.finished
        assert second.champion.tobytes() == whole.champion.tobytes()
        assert reproducible_lines(folder / "metrics.jsonl") == expected
        assert (folder / "champion.npz").read_bytes() == (tmp_path / "whole" / "champion.npz").read_bytes()
        assert run_has_ended(folder / "metrics.jsonl")


def test_lines_after_the_checkpoint_are_written_anew(tmp_path):
    """Checkpoints every third generation; the run dies in the seventh, after a line that no checkpoint knows."""
    p = plan(generations=9)

    class Dying(InProcess):
        def evaluate(self, genomes, task):
            if task.generation == 7:
                raise KeyboardInterrupt
            return super().evaluate(genomes, task)

    (tmp_path / "whole").mkdir()
    stored_run(tmp_path / "whole", p)
    folder = tmp_path / "broken"
    folder.mkdir()
    store = CheckpointStore(folder / "checkpoints")
    with pytest.raises(KeyboardInterrupt):
        train(p, Dying(p.problem.evaluator_factory), [JsonlReporter(folder / "metrics.jsonl")], store, 3)
    assert [path.name for path in store.paths()] == ["generation_000006.ckpt", "generation_000003.ckpt"]
    with open(folder / "metrics.jsonl", "a") as file:
        file.write('{"event": "genera')  # cut off in the middle of a line
    stored_run(folder, p, resume=True)
    assert reproducible_lines(folder / "metrics.jsonl") == reproducible_lines(tmp_path / "whole" / "metrics.jsonl")


def test_metrics_that_were_lost_are_noticed(tmp_path):
    p = plan(generations=4)
    stored_run(tmp_path, p, stop_after=2)
    (tmp_path / "metrics.jsonl").write_text("")
    notices = []
    store = CheckpointStore(tmp_path / "checkpoints")
    reporter = JsonlReporter(tmp_path / "metrics.jsonl", notices.append)
    train(p, InProcess(p.problem.evaluator_factory), [reporter], store, resume=store.latest(pytest.fail))
    assert len(notices) == 1
    assert "earlier lines are missing" in notices[0]
    assert len(reproducible_lines(tmp_path / "metrics.jsonl")) == 3


def test_the_result_does_not_depend_on_global_generators():
    ends = []
    for noise in (1, 2):
        torch.manual_seed(noise)
        np.random.seed(noise)
        ends.append(run(plan(generations=3))[0].champion.tobytes())
    assert ends[0] == ends[1]
    assert run(plan(generations=3, seed=4))[0].champion.tobytes() != ends[0]


# ---------------------------------------------------------------- champion files
def test_a_champion_file_says_where_it_came_from(tmp_path):
    p = plan(generations=2)
    reporter = ChampionReporter(tmp_path / "champion.npz", p.problem, {"seed": 3, "name": "test"})
    end = train(p, InProcess(p.problem.evaluator_factory), [reporter])
    champion = load_champion(tmp_path / "champion.npz")
    assert champion.genome.tobytes() == end.champion.tobytes()
    about = champion.about
    assert about["config"] == {"seed": 3, "name": "test"}
    assert (about["seed"], about["generations"], about["finished"]) == (3, 2, True)
    assert about["slices"]["S1"] == [6, 12]
    assert about["modules"]["M1"] == [6, 12]
    assert about["metrics"]["champion_sha256"] == end.metrics["champion_sha256"]
    assert about["commit"]


def test_damaged_champion_files_are_refused(tmp_path):
    path = tmp_path / "champion.npz"
    with pytest.raises(UserError, match="there is no champion at"):
        load_champion(path)
    save_champion(path, np.zeros(3, np.float32), {})
    whole = path.read_bytes()
    for damaged in (b"", b"hello", whole[:100], whole[:-30]):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="is not a champion file or is damaged"):
            load_champion(path)
    np.savez(path, genome=np.zeros(3))
    with pytest.raises(UserError, match="is not a champion file"):
        load_champion(path)
