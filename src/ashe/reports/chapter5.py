"""Dissertation chapter 5: ASHE 2.0 (Tables 5-4 to 5-7, the ablations, and learning within a match).

What is missing (a champion, the equilibrium player) is left out and named in a note; A4 is the agent of record, which
Tables 5-5 to 5-7, the ablations and the learning curves look at.
"""

import re

from ashe.evaluation.results import ResultStore
from ashe.evaluation.stats import Estimate
from ashe.reports import chapter5_studies as studies
from ashe.reports.chapter5_plan import CURRICULA, RECORD, Chapter5, Done, Results, play
from ashe.reports.document import Block, Report, Table, Text
from ashe.reports.published import cell, estimate_cell, published, published_cell, published_pair
from ashe.reports.shares import ceiling_of, origin, share_text


def report(what: Chapter5, store: ResultStore, command: str, workers: int = 1, done: Done | None = None) -> Report:
    """Play what is missing and make the report."""
    matches = play(what, store, workers, done)
    out = Report("Chapter 5: ASHE 2.0", command)
    out.add(
        Text(
            f"{what.hands:,} fresh duplicate hands a pair, twice that where the 95 % half-width exceeds "
            f"{what.protocol.precision:.0%} of the mean (Tables 5-4 to 5-6); seed {what.seed}; matches of "
            f"2 x {what.half:,} hands, 2 x {what.short('', '').half:,} in ASHE 1.0's column of Table 5-5 and in "
            "Tables 5-6 and 5-7. mBB/hand with 95 % intervals over duplicate pairs. EQ, our equilibrium player, "
            "stands in for Slumbot (SB)."
        ),
        *missing(what),
        *([of_record(what, matches)] if what.record else []),
        table_5_4(what, matches),
        *ordering(what, matches),
    )
    if what.record:
        out.add(table_5_5(what, matches), table_5_6(what, matches))
        out.add(*studies.table_5_7(what, matches), studies.ablation(what, matches), *studies.learning(what, matches))
    return out


def missing(what: Chapter5) -> list[Block]:
    """Which champions are not there, what is left out for it, and how to get them."""
    lines = []
    absent = [c for c in CURRICULA if not any(re.fullmatch(rf"{c}(_.*)?", label) for label in what.agents)]
    if absent:
        lines.append(f"No champion yet of {', '.join(absent)}: left out. {how_to_train(absent[0])}")
    if not what.record:
        lines.append(f"Without {RECORD} there are no Tables 5-5 to 5-7, no ablations and no learning curves.")
    if not what.older:
        lines.append(f"No champion yet of ASHE 1.0: left out of Tables 5-5 and 5-6. {how_to_train('ashe1')}")
    if not what.equilibrium:
        lines.append("EQ is left out: its solution is missing (python -m ashe.solve +experiment=eq makes one).")
    return [Text(line) for line in lines]


def how_to_train(experiment: str) -> str:
    return (
        f"To add one: python -m ashe.train +experiment={experiment} seed=1, "
        f"then python -m ashe.champions add RUN_DIR {experiment}."
    )


def of_record(what: Chapter5, matches: Results) -> Table:
    assert what.record
    rows = []
    for b in what.opponents:
        match, theirs, ceiling = matches[what.long(what.record, b)], published_2_0(b), ceiling_of(b)
        mean = match.estimate.mean
        rows.append(
            [
                b,
                f"{match.hands:,}",
                estimate_cell(match.estimate),
                estimate_cell(match.adjusted),
                cell(ceiling),
                share_text(mean, b),
                cell(theirs),
                f"{mean / theirs[0]:.2f}" if theirs and theirs[0] >= 100 else "-",
            ]
        )
    header = ["opponent", "hands", "mBB/hand", "all-in adjusted", "ceiling", "share", "published A4", "ratio"]
    note = f"Ceilings are lower bounds of the best response ({origin()}). Published for EQ: against Slumbot."
    return Table(f"{RECORD}, the agent of record", header, rows, note)


def table_5_4(what: Chapter5, matches: Results) -> Table:
    rows = []
    for b in what.opponents:
        row = [b, *(estimate_cell(matches[what.long(a, b)].estimate) for a in what.agents.values())]
        if what.equilibrium:
            e = what.equilibrium
            row.append("-" if b == e else estimate_cell(matches[what.long(e, b)].estimate))
        rows.append([*row, cell(published_2_0(b)), cell(published_slumbot(b))])
    header = ["opponent", *what.agents, *([what.equilibrium] if what.equilibrium else [])]
    note = "Published: A4 from Table 7-2, Slumbot from Tables 8-2 and 8-3; the rows of A1 to A3 are lost."
    return Table("Table 5-4: evaluation", [*header, "A4 published", "SB published"], rows, note)


def published_2_0(opponent: str) -> list[float] | None:
    """ASHE 2.0 (A4) in Table 7-2; EQ takes Slumbot's place."""
    return published_cell("table_7_2", "ASHE 2.0", "SB" if opponent == "EQ" else opponent)


def published_slumbot(opponent: str) -> list[float] | float | None:
    return published_cell("table_8_2", "Slumbot 2017", opponent) or published_pair("SB", opponent)


# What the dissertation found (5.4): (claim, opponents, better agents, worse agents).
CLAIMS = (
    ("A4 and A2 above A1 and A3 on opponents nobody trained on", ("RG", "HP"), ("a4", "a2"), ("a1", "a3")),
    ("A3 worst against CM and CS", ("CM", "CS"), ("a1", "a2", "a4"), ("a3",)),
    ("A4 above A2 on opponents neither trained on", ("RG", "HP"), ("a4",), ("a2",)),
    ("A4 and A2 beat TA and HP", ("TA", "HP"), ("a4", "a2"), ()),
)


def ordering(what: Chapter5, matches: Results) -> list[Block]:
    """Whether the dissertation's findings hold for ours; a comparison is decided when its interval excludes 0."""
    if not all(c in what.agents for c in CURRICULA):
        return []
    rows = []
    for claim, opponents, better, worse in CLAIMS:
        signs, words = [], []
        for b in opponents:
            est = {c: matches[what.long(what.agents[c], b)].estimate for c in CURRICULA}
            signs += [sign(est[x], est[y]) for x in better for y in worse] if worse else [sign(est[x]) for x in better]
            ranked = sorted({*better, *worse}, key=lambda c: -est[c].mean)
            words.append(f"{b}: {', '.join(f'{c} {est[c].mean:,.0f}' for c in ranked)}")
        verdict = "no" if -1 in signs else "yes" if all(s == 1 for s in signs) else "undecided"
        rows.append([claim, verdict, "; ".join(words)])
    note = "no: some comparison has the opposite sign with an interval that excludes 0."
    return [Table("What the dissertation found, and ours", ["finding", "holds", "ours, best first"], rows, note)]


def sign(a: Estimate, b: Estimate | None = None) -> int:
    """Of a - b (or of a): +1 or -1 where the 95 % interval excludes 0, else 0."""
    difference = a.mean - (b.mean if b else 0.0)
    width = (a.half_width**2 + (b.half_width**2 if b else 0.0)) ** 0.5
    return 1 if difference > width else -1 if difference < -width else 0


def table_5_5(what: Chapter5, matches: Results) -> Table:
    assert what.record
    reference = published()["table_5_5"]
    rows = []
    for b in what.sound:
        theirs = reference["SB" if b == what.equilibrium else b]
        row = [b]
        row += [estimate_cell(matches[what.short(a, b)].estimate) for a in what.older.values()]
        ours = estimate_cell(matches[what.long(what.record, b)].estimate)
        rows.append([*row, cell(theirs[0]), ours, cell(theirs[1])])
    header = ["opponent", *what.older, "1.0 published", RECORD, "2.0 published"]
    return Table("Table 5-5: ASHE 1.0 and 2.0 against sound opponents", header, rows)


def table_5_6(what: Chapter5, matches: Results) -> Table:
    """Rows against columns; each pair is played once, so the lower triangle mirrors the upper."""
    published_name = {RECORD: "AS 2.0", "RG": "RG"} | dict.fromkeys(what.older, "AS 1.0")
    if what.equilibrium:
        published_name[what.equilibrium] = "SB"
    rows = []
    for x, a in what.contenders.items():
        row = [x]
        for y, b in what.contenders.items():
            played, mirrored = matches.get(what.short(a, b)), matches.get(what.short(b, a))
            if x == y or (played is None and mirrored is None):
                row.append("-")
                continue
            e = played.estimate if played else mirrored.estimate  # type: ignore[union-attr]
            theirs = published_pair(published_name[x], published_name[y])
            beside = f" ({theirs:,.0f})" if theirs is not None else ""
            row.append(cell([e.mean if played else -e.mean, e.half_width]) + beside)
        rows.append(row)
    note = "In brackets: Table 8-3, where ASHE 1.0 had been retrained; the numbers of Table 5-6 itself are lost."
    return Table("Table 5-6: everybody against everybody", ["row wins from", *what.contenders], rows, note)
