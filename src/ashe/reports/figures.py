"""Figures as PNG bytes: drawn without a display, written by the caller."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence


def png(figure: Any) -> bytes:
    """A finished figure as a PNG file."""
    out = BytesIO()
    figure.savefig(out, format="png", dpi=110)
    plt.close(figure)
    return out.getvalue()


def heat_map(names: "Sequence[str]", cells: "Sequence[Sequence[float | None]]", title: str) -> bytes:
    """A matrix of mBB/hand; colours on a signed logarithmic scale, since results span five orders of magnitude."""
    values: Any = np.array([[np.nan if c is None else c for c in row] for row in cells], float)
    shade = np.sign(values) * np.log10(1 + np.abs(values))
    n = len(names)
    figure, axes = plt.subplots(figsize=(2.5 + 0.85 * n, 1.8 + 0.6 * n), layout="constrained")
    axes.imshow(shade, cmap="RdYlGn", vmin=-5, vmax=5, aspect="auto")
    for i in range(n):
        for j in range(n):
            if not np.isnan(values[i, j]):
                axes.text(j, i, f"{values[i, j]:,.0f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(n), names)
    axes.set_yticks(range(n), names)
    axes.set_xlabel("opponent")
    axes.set_title(title)
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
        margin = 0.15 * (high - low) or 0.05 * abs(high) or 1.0
        axes.set_ylim(low - margin, high + margin)
        axes.set_xticks([1], [name])
        axes.yaxis.set_major_formatter(lambda v, _: f"{v:,.0f}")
    figure.suptitle(title, fontsize=11)
    return png(figure)
