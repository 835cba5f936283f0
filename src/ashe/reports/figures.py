"""Figures as PNG bytes: drawn without a display, written by the caller."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def png(figure: Any) -> bytes:
    """A finished figure as a PNG file."""
    out = BytesIO()
    figure.savefig(out, format="png", dpi=110)
    plt.close(figure)
    return out.getvalue()


def heat_map(
    names: "Sequence[str]",
    means: "Sequence[Sequence[float | None]]",
    half_widths: "Sequence[Sequence[float | None]]",
    title: str,
    notes: "Sequence[str] | None" = None,
) -> bytes:
    """A matrix of mBB/hand with 95 % half-widths, blue where the row wins; results that are not decided stay grey.

    Colours are on a signed logarithmic scale from 10 mBB/hand on, since results span five orders of magnitude. `notes`
    stand at the right end of the rows.
    """
    values: Any = np.array([[np.nan if c is None else c for c in row] for row in means], float)
    widths: Any = np.array([[np.nan if c is None else c for c in row] for row in half_widths], float)
    n = len(names)
    decided = np.abs(values) > widths
    shade = np.where(decided, np.sign(values) * np.log10(np.maximum(np.abs(values), 10.0) / 10.0), 0.0)
    limit = 4.0  # 100,000 mBB/hand: every hand for 100 big blinds
    longest = max(len(name) for name in names)
    figure, axes = plt.subplots(figsize=(3.2 + 0.09 * longest + 0.92 * n, 1.9 + 0.62 * n), layout="constrained")
    colours = plt.get_cmap("RdBu")
    image = axes.imshow(np.where(np.isnan(values), np.nan, shade), cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    for i in range(n):
        for j in range(n):
            if np.isnan(values[i, j]):
                continue
            dark = abs(shade[i, j]) > 0.62 * limit
            colour = "white" if dark else "black" if decided[i, j] else "#777777"
            axes.text(j, i - 0.1, f"{round(values[i, j]):,}", ha="center", va="center", fontsize=9.5, color=colour)
            axes.text(j, i + 0.24, f"\u00b1{round(widths[i, j]):,}", ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(range(n), names, rotation=0 if longest <= 8 else 30, ha="center" if longest <= 8 else "left")
    axes.set_yticks(range(n), names)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    axes.set_facecolor("#eeeeee")
    if notes is not None:
        for i, note in enumerate(notes):
            axes.text(n - 0.4, i, note, ha="left", va="center", fontsize=8.5, color="#333333")
    bar = figure.colorbar(image, ax=axes, fraction=0.035, pad=0.02)
    ticks = [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    bar.set_ticks(ticks, labels=[f"{int(np.sign(x) * 10 ** (1 + abs(x))):,}" for x in ticks])
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, length=0)
    axes.set_title(title, fontsize=10.5, loc="left", pad=26)
    return png(figure)


def box_plot(
    names: "Sequence[str]", samples: "Sequence[Sequence[float]]", published: "Sequence[float]", title: str
) -> bytes:
    """One panel per opponent, since winnings span two orders of magnitude; outliers beyond 1.5 IQR are marked +."""
    figure, panels = plt.subplots(1, len(names), figsize=(2.3 * len(names), 3.6), layout="constrained")
    rng = np.random.default_rng(0)
    for axes, name, values, reference in zip(np.atleast_1d(panels), names, samples, published, strict=True):
        axes.boxplot([list(values)], widths=0.5, sym="+", medianprops={"color": "#c0392b"})
        axes.plot(1 + rng.uniform(-0.08, 0.08, len(values)), values, "o", color="#2c5f8a", alpha=0.6, markersize=4)
        axes.plot([1], [reference], "D", color="#e08e0b", markersize=7)
        low, high = min(*values, reference), max(*values, reference)
        margin = max(0.15 * (high - low), 0.05 * abs(high), 2.0)  # ticks are whole numbers and must differ
        axes.set_ylim(low - margin, high + margin)
        axes.set_xticks([1], [name])
        axes.yaxis.set_major_formatter(lambda v, _: f"{v:,.0f}")
    figure.suptitle(title, fontsize=11)
    return png(figure)


def share_bars(names: "Sequence[str]", bars: "Mapping[str, Sequence[float]]", title: str) -> bytes:
    """Percent of the ceiling, a group of bars per opponent, one colour per player; 100 % is marked."""
    figure, axes = plt.subplots(figsize=(1.5 + 1.2 * len(names), 3.8), layout="constrained")
    width = 0.8 / max(len(bars), 1)
    colours = plt.get_cmap("viridis")(np.linspace(0.05, 0.9, len(bars)))
    for k, (label, values) in enumerate(bars.items()):
        places = np.arange(len(names)) + (k - (len(bars) - 1) / 2) * width
        axes.bar(places, values, width, label=label, color=colours[k])
    axes.axhline(100, color="#c0392b", linewidth=0.9, linestyle="--")
    axes.axhline(0, color="#888888", linewidth=0.8)
    axes.set_xticks(range(len(names)), names)
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:.0f}%")
    axes.legend(frameon=False, fontsize=8, ncols=min(len(bars), 6))
    axes.set_title(title, fontsize=10.5, loc="left")
    return png(figure)


def learning_curves(curves: "Mapping[str, tuple[Sequence[float], Sequence[float]]]", block: int, title: str) -> bytes:
    """One panel per opponent: mBB/hand in every block of a match with 95 % intervals, from 0 or below."""
    columns = min(5, len(curves))
    rows = -(-len(curves) // columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(2.6 * columns, 0.5 + 2.2 * rows), layout="constrained", squeeze=False
    )
    for axes in panels.flat[len(curves) :]:
        axes.axis("off")
    for axes, (name, (means, widths)) in zip(panels.flat, curves.items(), strict=False):
        hands = block * (np.arange(len(means)) + 0.5)
        low, high = np.subtract(means, widths), np.add(means, widths)
        axes.fill_between(hands, low, high, color="#2c5f8a", alpha=0.25, linewidth=0)
        axes.plot(hands, means, "o-", color="#2c5f8a", markersize=3.5)
        axes.axhline(0, color="#888888", linewidth=0.8)
        axes.set_xlim(0, block * len(means))
        axes.set_title(name, fontsize=10)
        axes.yaxis.set_major_formatter(lambda v, _: f"{v:,.0f}")
        axes.tick_params(labelsize=8)
    figure.supxlabel("hands of the half match played", fontsize=9)
    figure.supylabel("mBB/hand", fontsize=9)
    figure.suptitle(title, fontsize=11)
    return png(figure)
