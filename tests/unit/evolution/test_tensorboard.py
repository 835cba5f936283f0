"""The TensorBoard events hold what the dashboard promises."""

import io

import numpy as np
import pytest
from PIL import Image
from sphere_runs import ALL, plan
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2

from ashe.evolution.checkpoint import CheckpointStore
from ashe.evolution.events import GenerationEnd
from ashe.evolution.loop import train
from ashe.evolution.tensorboard import TensorBoardReporter, layout, statistics_figure
from ashe.evolution.workers import InProcess


def reporter(folder, p, histogram_every=2, figure_every=3):
    return TensorBoardReporter(folder, p.problem.slices, p.curriculum.opponents, histogram_every, figure_every)


def read(folder):
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0, "images": 0, "tensors": 0})
    events.Reload()
    return events


def recorded(folder, p, **options):
    train(p, InProcess(p.problem.evaluator_factory), [reporter(folder, p)], **options)
    return read(folder)


def steps(events):
    return [event.step for event in events]


def dashboard(events):
    """Titles of the categories and, by chart, the tags."""
    proto = layout_pb2.Layout()
    proto.ParseFromString(events.Tensors("custom_scalars__config__")[0].tensor_proto.string_val[0])
    return {c.title: {chart.title: list(chart.multiline.tag) for chart in c.chart} for c in proto.category}


def test_scalars_histograms_and_figures(tmp_path):
    p = plan(phases=[(5, ALL), (3, ALL[:2])], sessions=[("M0", 3)])
    events = recorded(tmp_path, p)
    tags = events.Tags()
    every = {
        *(f"fitness/{name}" for name in ("best", "mean", "elites")),
        *(f"mbb_{who}/{name}" for who in ("champion", "elites", "scale") for name in ALL),
        "optimiser/mutation_rate", "optimiser/mutation_strength",
        "population/diversity", "population/elites", "curriculum/phase", "curriculum/session",
        "speed/hands_per_second", "speed/seconds_per_generation",
    }  # fmt: skip
    assert set(tags["scalars"]) == every
    assert steps(events.Scalars("fitness/best")) == list(range(8))
    assert steps(events.Scalars("mbb_champion/S3")) == list(range(5)), "S3 leaves in the second phase"
    assert [e.value for e in events.Scalars("curriculum/phase")] == [0] * 5 + [1] * 3
    assert [e.value for e in events.Scalars("curriculum/session")] == [0, 0, 0, 1, 1, 1, 2, 2]
    np.testing.assert_allclose(
        [e.value for e in events.Scalars("optimiser/mutation_rate")], np.linspace(0.25, 0.05, 8), rtol=1e-6
    )
    assert set(tags["histograms"]) == {"genome/champion", "genome/population", *(f"weights/{name}" for name in ALL)}
    assert steps(events.Histograms("weights/S1")) == [0, 2, 4, 6, 7], "every second and the last"
    assert events.Histograms("genome/population")[0].histogram_value.num == 14 * 24
    assert events.Histograms("weights/S1")[0].histogram_value.num == 6
    assert tags["images"] == ["champion/actions"]
    assert steps(events.Images("champion/actions")) == [0, 3, 6, 7]
    picture = Image.open(io.BytesIO(events.Images("champion/actions")[0].encoded_image_string))
    assert picture.width > 400


def test_values_are_those_of_the_run(tmp_path):
    p = plan(generations=3)
    heard = []

    class Ear(TensorBoardReporter):
        def generation_end(self, event: GenerationEnd):
            heard.append(event)
            super().generation_end(event)

    ear = Ear(tmp_path, p.problem.slices, p.curriculum.opponents)
    train(p, InProcess(p.problem.evaluator_factory), [ear])
    events = read(tmp_path)
    for g, event in enumerate(heard):
        value = {tag: events.Scalars(tag)[g].value for tag in events.Tags()["scalars"]}
        assert value["fitness/best"] == pytest.approx(event.fitness.max())
        assert value["fitness/mean"] == pytest.approx(event.fitness.mean())
        assert value["fitness/elites"] == pytest.approx(event.fitness[event.elites].mean())
        assert value["mbb_champion/S2"] == pytest.approx(event.mbb[event.champion, 2])
        assert value["mbb_elites/S2"] == pytest.approx(event.mbb[event.elites, 2].mean())
        assert value["mbb_scale/S2"] == pytest.approx(max(event.mbb[:, 2].max(), 100.0))
        assert value["population/diversity"] == pytest.approx(event.genomes.std(axis=0).mean(), rel=1e-5)
        assert value["population/elites"] == len(event.elites)
        assert value["speed/hands_per_second"] == pytest.approx(event.hands / event.seconds)


def test_the_dashboard_is_grouped_and_shows_only_what_there_is(tmp_path):
    events = recorded(tmp_path, plan(phases=[(1, ALL[:2]), (1, ALL[2:])]))
    board = dashboard(events)
    assert list(board) == ["Learning", "Each opponent", "Search"]
    assert board["Learning"]["fitness (ANE)"] == ["fitness/best", "fitness/elites", "fitness/mean"]
    assert board["Learning"]["champion, mBB/hand"] == [f"mbb_champion/{name}" for name in ALL]
    assert set(board["Each opponent"]) == set(ALL), "later opponents have their charts from the start"
    assert set(board["Search"]) == {"mutation", "diversity", "curriculum", "hands per second"}
    scalars = set(events.Tags()["scalars"])
    assert all(tag in scalars for group in board.values() for chart in group.values() for tag in chart)
    without_elites = layout(
        ("A",), {"fitness/best": 1, "fitness/mean": 1, "mbb_champion/A": 1, "optimiser/step_size": 1}
    )
    assert without_elites["Learning"]["fitness (ANE)"][1] == ["fitness/best", "fitness/mean"]
    assert "elites, mBB/hand" not in without_elites["Learning"]
    assert list(without_elites["Search"]) == ["step size"]


def test_after_a_resume_no_step_is_missing_or_doubled(tmp_path):
    p = plan(generations=6)
    store = CheckpointStore(tmp_path / "checkpoints")

    class Dying(InProcess):
        def evaluate(self, genomes, task):
            if task.generation == 4:
                raise KeyboardInterrupt
            return super().evaluate(genomes, task)

    workers = Dying(p.problem.evaluator_factory)
    with pytest.raises(KeyboardInterrupt):
        train(p, workers, [reporter(tmp_path / "tb", p)], store, every=3)
    events = recorded(tmp_path / "tb", p, checkpoints=store, resume=store.latest(pytest.fail))
    assert steps(events.Scalars("fitness/best")) == list(range(6))
    assert steps(events.Histograms("genome/champion")) == [0, 2, 4, 5]
    assert "Learning" in dashboard(events)


def test_the_figure_has_a_panel_per_opponent_and_bears_missing_values():
    figure = statistics_figure({"HM": {"preflop_raise": 0.5, "fold": 0.1}, "SL": {"fold": 0.9}})
    assert [axes.get_title() for axes in figure.axes] == ["HM", "SL"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["preflop raise", "fold"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["-", "0.90"]
    statistics_figure({"HM": {"fold": 0.1}}).savefig(io.BytesIO())
