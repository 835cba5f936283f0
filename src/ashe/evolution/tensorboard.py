"""TensorBoard: scalars grouped by a custom layout, weight histograms, the champion's action statistics.

Events are flushed before each checkpoint, and after a resume everything from the resumed generation on is purged
(`purge_step`), so no step appears twice and none is missing.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from ashe.evolution.events import GenerationEnd, Reporter, RunStart
from ashe.evolution.protocols import Slices


class TensorBoardReporter(Reporter):
    name = "tensorboard"

    def __init__(
        self, folder: Path, slices: Slices, opponents: Sequence[str], histogram_every: int = 10, figure_every: int = 25
    ) -> None:
        self._folder = folder
        self._slices = slices
        self._opponents = opponents
        self._histogram_every = histogram_every
        self._figure_every = figure_every
        self._writer: Any = None

    def run_start(self, event: RunStart) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._writer = SummaryWriter(str(self._folder), purge_step=event.first)

    def generation_end(self, event: GenerationEnd) -> None:
        step, writer = event.generation, self._writer
        tags = scalars(event)
        if step == 0:
            writer.add_custom_scalars(layout(self._opponents, tags))
        for tag, value in tags.items():
            writer.add_scalar(tag, value, step)
        last = step + 1 == event.total
        if step % self._histogram_every == 0 or last:
            self._histograms(event)
        stats = event.extras.get("champion_stats")
        if stats and (step % self._figure_every == 0 or last):
            writer.add_figure("champion/actions", statistics_figure(stats), step)

    def _histograms(self, event: GenerationEnd) -> None:
        champion = event.genomes[event.champion]
        self._writer.add_histogram("genome/champion", champion, event.generation)
        self._writer.add_histogram("genome/population", event.genomes, event.generation)
        for name, (a, b) in self._slices.items():
            self._writer.add_histogram(f"weights/{name}", champion[a:b], event.generation)

    def position(self) -> int:
        self._writer.flush()
        return 0

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def scalars(event: GenerationEnd) -> dict[str, float]:
    """Every curve of one generation, by tag."""
    metrics = event.metrics
    tags = {f"fitness/{name}": value for name, value in metrics["fitness"].items()}
    for opponent, values in metrics["mbb"].items():
        for name in ("champion", "elites", "scale"):
            if name in values:
                tags[f"mbb_{name}/{opponent}"] = values[name]
    tags.update({f"optimiser/{name}": value for name, value in metrics["optimiser"].items()})
    tags["population/diversity"] = metrics["diversity"]
    tags["population/elites"] = metrics["elites"]
    tags["curriculum/phase"] = metrics["phase"]
    tags["curriculum/session"] = metrics["session"]
    tags["speed/hands_per_second"] = event.hands / max(event.seconds, 1e-9)
    tags["speed/seconds_per_generation"] = event.seconds
    return tags


def layout(opponents: Sequence[str], tags: Collection[str]) -> dict[str, dict[str, list[Any]]]:
    """The custom-scalars dashboard: what one wants to see first, grouped.

    `tags` are those of the first generation: a chart of which the optimiser has nothing is left out. Opponents of a
    later phase have charts from the start.
    """
    charts = {
        "Learning": {
            "fitness (ANE)": ["Multiline", ["fitness/best", "fitness/elites", "fitness/mean"]],
            "champion, mBB/hand": ["Multiline", [f"mbb_champion/{name}" for name in opponents]],
            "elites, mBB/hand": ["Multiline", [f"mbb_elites/{name}" for name in opponents]],
        },
        "Each opponent": {
            name: ["Multiline", [f"mbb_champion/{name}", f"mbb_elites/{name}", f"mbb_scale/{name}"]]
            for name in opponents
        },
        "Search": {
            "mutation": ["Multiline", ["optimiser/mutation_rate", "optimiser/mutation_strength"]],
            "step size": ["Multiline", ["optimiser/step_size"]],
            "diversity": ["Multiline", ["population/diversity"]],
            "curriculum": ["Multiline", ["curriculum/phase", "curriculum/session"]],
            "hands per second": ["Multiline", ["speed/hands_per_second"]],
        },
    }
    kinds = {tag.partition("/")[0] for tag in tags}
    wanted: dict[str, dict[str, list[Any]]] = {}
    for group, members in charts.items():
        for title, (chart, curves) in members.items():
            shown = [tag for tag in curves if tag in tags or (tag[:4] == "mbb_" and tag.partition("/")[0] in kinds)]
            if shown:
                wanted.setdefault(group, {})[title] = [chart, shown]
    return wanted


def statistics_figure(stats: Mapping[str, Mapping[str, float]]) -> Any:
    """A panel per opponent, a bar per statistic; all panels share the axis, so that adaptation is visible."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for values in stats.values() for name in values))
    figure = Figure(figsize=(1.2 + 1.9 * len(stats), 1.2 + 0.35 * len(names)), layout="constrained")
    FigureCanvasAgg(figure)  # a canvas without a window, whatever the user's backend
    panels = figure.subplots(1, len(stats), sharex=True, sharey=True, squeeze=False)[0]
    for axes, (opponent, values) in zip(panels, stats.items(), strict=True):
        bars = axes.barh(range(len(names)), [values.get(name, 0.0) for name in names])
        axes.bar_label(bars, [f"{values[name]:.2f}" if name in values else "-" for name in names], padding=2)
        axes.set_title(opponent)
        axes.margins(x=0.3)
        axes.grid(axis="x", alpha=0.3)
    panels[0].set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    panels[0].invert_yaxis()
    return figure
