"""Dissertation chapter 4: ASHE 1.0 (Tables 4-2 and 4-3, Figure 4-4, the challenge of an equilibrium player).

Each champion (one per training run) plays duplicate matches against HM, CM, SL and CS on fresh decks. Table 4-2 is the
mean over champions with a 95 % interval over champions, as published; Table 4-3 looks at the champion with the highest
fitness of all runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ashe.evaluation.match import MatchPlan
from ashe.evaluation.results import ResultStore, StoredMatch
from ashe.evaluation.stats import STREETS, Z95
from ashe.reports.document import Figure, Report, Table, Text
from ashe.reports.figures import box_plot
from ashe.reports.published import cell, published
from ashe.reports.shares import origin, share_text

OPPONENTS = ("SL", "CM", "HM", "CS")
HALF = 500  # chapter 4 plays 2 x 500 hands


@dataclass(frozen=True)
class Chapter4:
    """What to evaluate: champions by name, best fitness first."""

    champions: Sequence[str]
    fitness: Sequence[float]
    hands: int = 20_000
    seed: int = 4
    equilibrium: str | None = None  # stands in for Slumbot
    adjusted: str | None = None  # a champion with the adjusted decision algorithm

    def plans(self) -> list[MatchPlan]:
        plans = [self._plan(a, b) for a in self.champions for b in OPPONENTS]
        if self.equilibrium:
            plans += [self._plan(self.equilibrium, b) for b in OPPONENTS]
            plans += [self._plan(a, self.equilibrium) for a in (self.champions[0], self.adjusted) if a]
        return plans

    def _plan(self, a: str, b: str) -> MatchPlan:
        return MatchPlan(a, b, self.hands, HALF, self.seed)


def report(
    what: Chapter4,
    store: ResultStore,
    command: str,
    workers: int = 1,
    done: Callable[[StoredMatch], None] | None = None,
) -> Report:
    """Play what is missing and make the report."""
    matches = {(m.a, m.b): m for m in store.play(what.plans(), workers, done)}
    out = Report("Chapter 4: ASHE 1.0", command)
    out.add(
        Text(
            f"{len(what.champions)} independently evolved champions, each {what.hands:,} fresh duplicate hands per "
            f"opponent (matches of 2 x {HALF} hands, seed {what.seed}). mBB/hand. Published: 21 runs, 500 games each."
        ),
        exploitation(what, matches),
        Figure(
            "figure_4_4",
            f"Figure 4-4: winnings of {len(what.champions)} champions against each opponent; diamonds: published mean.",
            box_plot(
                OPPONENTS,
                [[matches[a, b].estimate.mean for a in what.champions] for b in OPPONENTS],
                [published()["table_4_2"][b][0][0] for b in OPPONENTS],
                "mBB/hand of champions from independent runs",
            ),
        ),
        per_champion(what, matches),
        actions(what, matches),
    )
    if what.equilibrium:
        out.add(challenge(what, matches))
    return out


def over_champions(values: Sequence[float]) -> tuple[float, float]:
    """Mean and 95 % half-width over champions."""
    n = len(values)
    width = Z95 * float(np.std(values, ddof=1)) / n**0.5 if n > 1 else float("nan")
    return float(np.mean(values)), width


def exploitation(what: Chapter4, matches: dict[tuple[str, str], StoredMatch]) -> Table:
    reference = published()["table_4_2"]
    rows = []
    for b in OPPONENTS:
        mean, width = over_champions([matches[a, b].estimate.mean for a in what.champions])
        theirs, slumbot = reference[b]
        row = [b, cell([mean, width]), share_text(mean, b), cell(theirs), f"{mean / theirs[0]:.2f}"]
        if what.equilibrium:
            e = matches[what.equilibrium, b].estimate
            row.append(cell([e.mean, e.half_width]))
        rows.append([*row, cell(slumbot)])
    header = ["opponent", "ASHE 1.0", "share", "published", "ratio"]
    header += [what.equilibrium] if what.equilibrium else []
    return Table(
        "Table 4-2: opponent exploitation",
        [*header, "Slumbot 2016"],
        rows,
        f"Mean over {len(what.champions)} champions; 95 % interval over champions. Share: of what a best response wins "
        f"at least ({origin()}).",
    )


def per_champion(what: Chapter4, matches: dict[tuple[str, str], StoredMatch]) -> Table:
    rows = []
    for name, fitness in zip(what.champions, what.fitness, strict=True):
        cells = [matches[name, b].estimate for b in OPPONENTS]
        rows.append([name, f"{fitness:.3f}", *(cell([e.mean, e.half_width]) for e in cells)])
    return Table(
        "Every champion",
        ["champion", "fitness", *OPPONENTS],
        rows,
        "95 % interval over duplicate pairs of one champion.",
    )


def actions(what: Chapter4, matches: dict[tuple[str, str], StoredMatch]) -> Table:
    """Frequencies given availability; a fold counts only after an opponent's raise."""
    reference = published()["table_4_3"]
    columns: list[str] = reference["columns"]
    best = what.champions[0]
    rows = []

    def row(label: str, key: str, percent: bool) -> None:
        cells = []
        for k, b in enumerate(columns):
            ours, theirs = matches[best, b].statistics[key], reference[key][k]
            cells += [_action_cell(ours, percent), _action_cell(theirs, percent)]
        rows.append([label, *cells])

    for street in STREETS:
        row(f"{street}: mean raise to (BB)", f"{street}_avg_raise", False)
        row(f"{street}: raises", f"{street}_raise_freq", True)
    row("folds to a raise", "fold_freq", True)
    header = ["", *(text for b in columns for text in (b, f"{b} published"))]
    return Table(f"Table 4-3: what {best} does", header, rows, "The champion with the highest fitness of all runs.")


def _action_cell(value: float | None, percent: bool) -> str:
    if value is None:
        return "-"
    return f"{value:.1%}" if percent else f"{value:.2f}"


def challenge(what: Chapter4, matches: dict[tuple[str, str], StoredMatch]) -> Table:
    reference = published()["slumbot_2016_challenge"]
    assert what.equilibrium
    rows = []
    for label, name in (("ASHE 1.0", what.champions[0]), ("ASHE 1.0 adjusted", what.adjusted)):
        if name:
            e = matches[name, what.equilibrium].estimate
            rows.append([label, cell([e.mean, e.half_width]), cell(reference[label], 1)])
    return Table(
        f"Challenge: against {what.equilibrium}, our equilibrium player",
        ["agent", f"against {what.equilibrium}", "published, against Slumbot 2016"],
        rows,
    )
