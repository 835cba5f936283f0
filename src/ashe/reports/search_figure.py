"""What ASHE 2.2 or 2.3 looked at before one decision, as a figure: actions with probabilities and values.

Drawn from plain data (`searched` of the agents' explanations): a state's actions, the states they lead to, the actions
there. Bold is the line ASHE hopes for: its own best actions, the opponent's likeliest, the commonest boards.
"""

from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.colors import SymLogNorm

from ashe.reports.figures import png

COLUMN, ROW = 2.4, 0.42  # inches
OWN = 3  # own actions shown at later states, the best ones
Found = dict[str, Any]


class _Layout:
    """Boxes from left to right: every leaf has a row of its own, the others stand at the mean of what follows."""

    def __init__(self, least: float, states: int) -> None:
        self.least, self.states = least, states
        self.boxes: list[tuple[int, float, str, float, bool]] = []  # column, row, text, value, bold
        self.lines: list[tuple[int, float, float, bool]] = []  # column, row here, row in the next column, bold
        self.leaves = 0

    def state(self, found: Found, text: str, value: float, column: int, bold: bool) -> float:
        """A state and its actions; the opponent's unlikely ones and, later on, ASHE's worst are left out."""
        likely = [a for a in found["actions"] if a.get("probability", 1.0) >= self.least]
        best = sorted(likely, key=lambda a: -a["value"])[:OWN]
        shown = [a for a in likely if column == 0 or a["who"] != "own" or a in best]
        hoped = max(shown, key=lambda a: a.get("probability", a["value"]), default=None)
        below = [(self.action(a, column + 1, bold and a is hoped), bold and a is hoped) for a in shown]
        return self.box(text, value, column, bold, below)

    def action(self, found: Found, column: int, bold: bool) -> float:
        """An action and the commonest states it leads to."""
        states = sorted(found.get("states", []), key=lambda s: -s["run_outs"])
        below = []
        for number, s in enumerate(states[: self.states]):
            where = s["street"] + ("" if s["street"] == "preflop" else f" {s['cluster']}")
            text = f"{where}, EHS {s['ehs']:.2f}\np {s['p_win']:.2f}, {s['value']:+,.0f}"
            strong = bold and number == 0
            below.append((self.state(s, text, s["value"], column + 1, strong), strong))
        return self.box(_words(found, len(states) - self.states), found["value"], column, bold, below)

    def box(self, text: str, value: float, column: int, bold: bool, below: list[tuple[float, bool]]) -> float:
        if below:
            row = sum(there for there, _ in below) / len(below)
        else:
            row = float(self.leaves)
            self.leaves += 1
        self.boxes.append((column, row, text, value, bold))
        self.lines += [(column, row, there, strong) for there, strong in below]
        return row


def _words(action: Found, hidden: int) -> str:
    """`opponent <= .75 to 300, 41 %`, the value, and what becomes of it."""
    text = action["action"] if action["who"] == "own" else f"opp. {action['action']}"
    text += f" to {action['to']:,}" if "to" in action else ""
    text += f", {action['probability']:.0%}" if "probability" in action else ""
    text += f"\nU {action['value']:+,.0f}"
    if action["then"] not in ("searched", "hand over"):
        text += f", {action['then']}"
    return text + (f" (+{hidden} boards)" if hidden > 0 else "")


def search_figure(found: Found, title: str, least: float = 0.05, states: int = 2) -> bytes:
    """`found` has `views` and `actions`; opponents' actions below `least` and all but `states` boards are left out.

    Colours are on a signed logarithmic scale: red loses chips, blue wins them.
    """
    layout = _Layout(least, states)
    best = max(action["value"] for action in found["actions"])
    layout.state(found, f"to act\n{found['views']:,} states", best, 0, True)
    columns, rows = 1 + max(column for column, *_ in layout.boxes), max(layout.leaves, 3)
    limit = max(abs(value) for _, _, _, value, _ in layout.boxes) or 1.0
    colours, norm = matplotlib.colormaps["RdYlBu"], SymLogNorm(100.0, vmin=-2.0 * limit, vmax=2.0 * limit)
    figure, axes = plt.subplots(figsize=(COLUMN * columns, 0.6 + ROW * rows), layout="constrained")
    for column, here, there, bold in layout.lines:
        axes.plot([column, column + 1], [here, there], color="#333333" if bold else "#bbbbbb", lw=2 if bold else 0.8)
    for column, row, text, value, bold in layout.boxes:
        box: dict[str, Any] = {"boxstyle": "round,pad=0.25", "facecolor": colours(norm(value)), "edgecolor": "#555555"}
        box["lw"] = 1.6 if bold else 0.4
        weight = "bold" if bold else "normal"
        axes.text(column, row, text, ha="center", va="center", fontsize=6.5, weight=weight, bbox=box)
    axes.set_xlim(-0.45, columns - 0.45)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_axis_off()
    axes.set_title(title, fontsize=10, loc="left")
    return png(figure)
