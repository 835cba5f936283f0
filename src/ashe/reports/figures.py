"""Figures as PNG bytes: drawn without a display, written by the caller."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    out = BytesIO()
    figure.savefig(out, format="png", dpi=110)
    plt.close(figure)
    return out.getvalue()
