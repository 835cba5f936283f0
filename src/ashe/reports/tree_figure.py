"""The most visited lines of Pattern Recognition Trees as a figure: a box per node, width by visits, colour by folds."""

from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from ashe.reports.figures import png
from ashe.trees.dump import POSITIONS, Node

MIN_LABEL = 0.05  # narrower boxes carry no text


def tree_figure(trees: dict[int, Node], title: str, depth: int = 8) -> bytes:
    """Trees by seat side by side; a node's children divide its width by their visits, hands that end leave a gap."""
    colours = matplotlib.colormaps["viridis"]
    figure, axes = plt.subplots(
        1, len(trees), figsize=(9 * len(trees), 1 + 0.7 * (depth + 1)), squeeze=False, layout="constrained"
    )
    for ax, (seat, tree) in zip(axes[0], sorted(trees.items(), reverse=True), strict=True):
        _box(ax, tree, 0.0, 1.0, 0, depth, colours)
        ax.set_xlim(0, 1)
        ax.set_ylim(depth + 1, 0)
        ax.set_axis_off()
        ax.set_title(f"on the {POSITIONS[seat]}, {tree.visits:,} hands")
    figure.suptitle(title)
    bar = figure.colorbar(ScalarMappable(Normalize(0, 1), colours), ax=axes, shrink=0.6)
    bar.set_label("share of visits after which the opponent folded")
    return png(figure)


def _box(ax: Any, node: Node, left: float, width: float, level: int, depth: int, colours: Any) -> None:
    share = node.folds / max(node.visits, 1)
    ax.add_patch(Rectangle((left, level), width, 0.96, facecolor=colours(share), edgecolor="white"))
    if width >= MIN_LABEL:
        who = "" if not node.edge else "own " if node.own else "opp "
        lines = [f"{who}{node.edge}" if node.edge else "start", f"f {node.visits}"]
        if width >= 0.13:
            lines.append(f"showdown {node.showdowns / max(node.visits, 1):.0%}, folds {share:.0%}")
        ink = "white" if share < 0.6 else "black"
        ax.text(left + width / 2, level + 0.48, "\n".join(lines), ha="center", va="center", fontsize=6, color=ink)
    if level == depth:
        return
    for child in node.children:
        part = width * child.visits / max(node.visits, 1)
        _box(ax, child, left, part, level + 1, depth, colours)
        left += part
