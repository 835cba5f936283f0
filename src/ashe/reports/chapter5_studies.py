"""Chapter 5's looks inside ASHE 2.0: snapshots against RG (Table 5-7), ablations, learning within a match."""

import numpy as np
from numpy.typing import NDArray

from ashe.evaluation.results import BLOCK
from ashe.evaluation.stats import Z95
from ashe.reports.chapter5_plan import ABLATIONS, OPPONENTS, RECORD, Chapter5, Results
from ashe.reports.document import Block, Figure, Table, Text
from ashe.reports.figures import learning_curves
from ashe.reports.published import cell, estimate_cell, published
from ashe.reports.shares import share_text


def table_5_7(what: Chapter5, matches: Results) -> list[Block]:
    if not what.snapshots:
        return []
    reference = published()["table_5_7"]
    rows = []
    for s in what.snapshots:
        recent, gambler = (matches[what.short(s.player, b)].estimate for b in (s.style, "RG"))
        theirs = ["-", "-", "-"]
        if s.hand in reference["hand"]:
            k = reference["hand"].index(s.hand)
            theirs = [reference["recent"][k], cell(reference["vs_recent"][k]), cell(reference["vs_RG"][k])]
        rows.append(
            [
                str(s.hand),
                s.style,
                estimate_cell(recent),
                share_text(recent.mean, s.style),
                estimate_cell(gambler),
                *theirs,
            ]
        )
    header = ["hand", "RG played", "against that", "share", "against RG", "published: RG played", "against that", "RG"]
    return [Table(f"Table 5-7: snapshots of {RECORD} in one match against RG", header, rows, what.snapshots_note)]


def ablation(what: Chapter5, matches: Results) -> Table:
    """The champion's own genome with a part switched off; not trained anew."""
    assert what.record
    players = [what.record, *(what.variant(v) for v in ABLATIONS.values())]
    rows = []
    for b in OPPONENTS:
        estimates = [matches[what.long(a, b)].estimate for a in players]
        rows.append([b, *(f"{estimate_cell(e)} {share_text(e.mean, b)}" for e in estimates)])
    note = (
        f"{RECORD} with one part switched off, not trained anew, with shares of the ceiling. Without trees every node "
        "counts as never visited; without LSTM state estimators start afresh at every step; without OFRE the fold "
        "probability is the observed rate blended with a prior."
    )
    return Table("Ablations", ["opponent", RECORD, *ABLATIONS], rows, note)


def learning(what: Chapter5, matches: Results) -> list[Block]:
    """mBB/hand per 100-hand block; intervals over matches, so two matches are needed at least."""
    assert what.record
    curves, rows, least = {}, [], 0
    for b in what.opponents:
        blocks = np.array(matches[what.long(what.record, b)].blocks, float)
        if blocks.ndim != 2 or len(blocks) < 2 or blocks.shape[1] < 2:
            continue
        least = min(least or len(blocks), len(blocks))
        mean, width = over_matches(blocks)
        curves[b] = (mean, width)
        change, changed = over_matches(blocks[:, -1:] - blocks[:, :1])
        verdict = "yes" if change[0] > changed[0] else "no" if change[0] < -changed[0] else "undecided"
        ends = [cell([float(mean[k]), float(width[k])]) for k in (0, -1)]
        rows.append([b, *ends, cell([float(change[0]), float(changed[0])]), verdict])
    if not curves:
        return [
            Text(f"Learning within a match needs two matches of 2 x {what.half:,} hands at least: use more --hands.")
        ]
    note = f"All-in-adjusted mBB/hand; 95 % intervals over matches, {least} or more of 2 x {what.half:,} hands."
    return [
        Table(
            f"Learning within a match: the first and the last {BLOCK} hands of {RECORD}",
            ["opponent", "first block", "last block", "change", "rises"],
            rows,
            note,
        ),
        Figure(
            "learning",
            f"{RECORD} in blocks of {BLOCK} hands. {note}",
            learning_curves(curves, BLOCK, f"{RECORD} learns within a match"),
        ),
    ]


def over_matches(values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Column means of [matches, columns] with 95 % half-widths."""
    width = Z95 * values.std(axis=0, ddof=1) / len(values) ** 0.5
    return values.mean(axis=0).tolist(), width.tolist()
