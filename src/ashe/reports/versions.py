"""Dissertation chapters 6 to 8: what each version of ASHE wins, and what each of its new parts adds.

One implementation for the three chapters (`versions_plan.CHAPTERS`). Versions without a champion are left out and named
with the command that trains them. EQ, our equilibrium player, stands in for Slumbot.
"""

from collections.abc import Sequence

from ashe.evaluation.results import ResultStore
from ashe.evaluation.stats import Estimate
from ashe.reports.chapter5_plan import Done
from ashe.reports.document import Block, Figure, Report, Table, Text
from ashe.reports.figures import share_bars
from ashe.reports.published import beside, cell, estimate_cell, published, published_cell, published_pair
from ashe.reports.shares import ceiling_of, origin, share_text
from ashe.reports.versions_plan import TRAINING, VERSIONS, Comparison, Played, Version, play
from ashe.reports.versions_tournament import tournament

# The parts that one version has and the one before it has not: (part, newer, older).
STEPS = (
    ("H: Hand Range Estimator", "2.3", "2.2"),
    ("R: Recursive Utility Estimation", "2.2", "2.1"),
    ("P+: board nodes and default trees", "2.1", "2.0"),
)
SLUMBOT = "Slumbot 2017"
CAUTIOUS = "intervals here are the wider of those over duplicate pairs and over whole matches"


def report(what: Comparison, store: ResultStore, command: str, workers: int = 1, done: Done | None = None) -> Report:
    """Play what is missing and make the report."""
    played = play(what, store, workers, done)
    out = Report(what.chapter.title, command)
    agents = ", ".join(f"{label} is {player}" for label, player in what.agents.items())
    out.add(
        Text(
            f"{what.hands:,} fresh duplicate hands a pair, twice that where the 95 % half-width exceeds 20 % of the "
            f"mean; matches of 2 x {what.half:,} hands, seed {what.seed}. mBB/hand with 95 % intervals over duplicate "
            f"pairs; published numbers in brackets. Versions: {agents}."
        ),
        *missing(what),
        exploitation(what, played),
        *shares(what, played),
        *steps(what, played),
        *(tournament(what, played) if what.chapter.tournament else []),
        *goals(what, played),
        *accuracies(what),
    )
    return out


def how_to_train(version: Version) -> str:
    return (
        f"python -m ashe.train +experiment={version.experiment} seed=1, "
        f"then python -m ashe.champions add RUN_DIR {version.experiment}"
    )


def missing(what: Comparison) -> list[Block]:
    lines = [
        f"No champion yet of ASHE {version.label}: left out. To add one: {how_to_train(version)}."
        for version in what.absent
    ]
    if not what.equilibrium:
        lines.append("EQ is left out: its solution is missing (python -m ashe.solve +experiment=eq makes one).")
    return [Text(line) for line in lines]


def exploitation(what: Comparison, played: Played) -> Table:
    """Rows are opponents; the equilibrium player's column has Slumbot's published numbers."""
    table, eq = what.chapter.published, what.equilibrium
    rows = []
    for b in what.opponents:
        theirs = "SB" if b == eq else b
        row = [b]
        for label, a in what.agents.items():
            row.append(beside(played.of(a, b), published_cell(table, VERSIONS[label].row, theirs)))
        slumbot = published_cell("table_8_2", SLUMBOT, b) or published_pair("SB", b)
        rows.append([*row, *([beside(played.of(eq, b), slumbot) if b != eq else "-"] if eq else [])])
    for rival in what.chapter.rivals:
        if rival in what.agents:
            cells = [
                "-" if label == rival else
                beside(played.of(a, what.agents[rival]), published_cell(table, VERSIONS[label].row, f"ASHE {rival}"))
                for label, a in what.agents.items()
            ]  # fmt: skip
            rows.append([f"ASHE {rival}", *cells, *(["-"] if eq else [])])
    note = "In brackets: published. EQ's row and column: published for Slumbot 2017."
    if "2.1-A1" in what.agents:
        note += " Of Table 6-2 only the self-playing 2.1 and 2.0 are known (from Table 7-2)."
    header = ["opponent", *(f"ASHE {label}" for label in what.agents), *([eq] if eq else [])]
    return Table(f"{what.chapter.table}: evaluation", header, rows, note)


def mean_share(estimates: Sequence[tuple[Estimate, float]]) -> Estimate:
    """Of (winnings, ceiling): the mean share and its 95 % half-width, both in percent."""
    n = len(estimates)
    mean = sum(e.mean / ceiling for e, ceiling in estimates) / n
    width = sum((e.half_width / ceiling) ** 2 for e, ceiling in estimates) ** 0.5 / n
    return Estimate(100 * mean, 100 * width, sum(e.pairs for e, _ in estimates))


def shares_of(what: Comparison, played: Played, player: str) -> dict[str, tuple[Estimate, float]]:
    """Winnings and ceilings by training opponent."""
    found = {}
    for b in TRAINING:
        e, ceiling = played.cautious(player, b), ceiling_of(b)
        if e is not None and ceiling is not None:
            found[b] = (e, ceiling)
    return found


def percent(e: Estimate) -> str:
    return f"{e.mean:.1f}% +- {e.half_width:.1f}"


def shares(what: Comparison, played: Played) -> list[Block]:
    """Winnings as shares of what a best response wins."""
    players = dict(what.agents) | ({what.equilibrium: what.equilibrium} if what.equilibrium else {})
    if not players:
        return []
    names = [b for b in TRAINING if ceiling_of(b) is not None]
    rows, bars = [], {}
    for b in TRAINING:
        row = [b, cell(ceiling_of(b))]
        for label, a in players.items():
            e = played.of(a, b)
            theirs = published_cell("table_8_2", VERSIONS[label].row if label in VERSIONS else SLUMBOT, b)
            row.append(
                "-" if e is None else share_text(e.mean, b) + (f" ({share_text(theirs[0], b)})" if theirs else "")
            )
        rows.append(row)
    last = ["mean share", ""]
    for label, a in players.items():
        values = shares_of(what, played, a)
        last.append(percent(mean_share(list(values.values()))))
        bars[label if label not in VERSIONS else f"ASHE {label}"] = [
            100 * values[b][0].mean / values[b][1] if b in values else float("nan") for b in names
        ]
    rows.append(last)
    header = ["opponent", "ceiling", *(f"ASHE {label}" if label in VERSIONS else label for label in players)]
    note = (
        f"Ceilings: lower bounds ({origin()}), so a share may exceed 100 %. In brackets: the published winnings over "
        f"our ceiling. {CAUTIOUS[0].upper()}{CAUTIOUS[1:]}."
    )
    table = Table("Exploitation: shares of the ceiling", header, rows, note)
    figure = share_bars(names, bars, "Share of what a best response wins at least")
    return [table, Figure("shares", f"Shares of the ceiling by version. {note}", figure)]


def difference(a: Estimate, b: Estimate) -> Estimate:
    return Estimate(a.mean - b.mean, (a.half_width**2 + b.half_width**2) ** 0.5, min(a.pairs, b.pairs))


def verdict(e: Estimate) -> str:
    return "undecided" if not e.decided else "more" if e.mean > 0 else "less"


def steps(what: Comparison, played: Played) -> list[Block]:
    """The ablation of the series: each version is the one before it with one part more."""
    found = [s for s in STEPS if s[1] in what.agents and s[2] in what.agents]
    if not found:
        return []
    rows = []
    for b in what.opponents:
        row = [b]
        for _, newer, older in found:
            now, before = (played.cautious(what.agents[v], b) for v in (newer, older))
            if now is None or before is None:
                row.append("-")
                continue
            change = difference(now, before)
            name = "SB" if b == what.equilibrium else b
            theirs = [published_cell(what.chapter.published, VERSIONS[v].row, name) for v in (newer, older)]
            known = theirs[0] is not None and theirs[1] is not None
            row.append(
                beside(change, theirs[0][0] - theirs[1][0] if known else None) + f" {verdict(change)}"  # type: ignore[index]
            )
        rows.append(row)
    row = ["mean share"]
    for _, newer, older in found:
        change = difference(
            *(mean_share(list(shares_of(what, played, what.agents[v]).values())) for v in (newer, older))
        )
        row.append(f"{percent(change)} points {verdict(change)}")
    rows.append(row)
    header = ["opponent", *(f"{part} ({newer} - {older})" for part, newer, older in found)]
    note = (
        "The newer version's winnings less the older's, trained independently, one run each. `more` or `less`: the "
        f"95 % interval excludes 0; {CAUTIOUS}. In brackets: the published difference."
    )
    return [Table("What each part adds", header, rows, note)]


# What the project asks of its 2.3: (opponent, mBB/hand or None for nine tenths of the ceiling).
GOALS = (
    ("HM", None), ("CM", None), ("LP", None), ("TP", None), ("CS", 14_000), ("LA", 24_600), ("TA", 626), ("HP", 500),
    ("RG", 9_200), ("SL", 990),
)  # fmt: skip


def goals(what: Comparison, played: Played) -> list[Block]:
    """What the project asks of its versions, and whether ours do it."""
    if not what.chapter.tournament:
        return []
    rows = []

    def add(label: str, b: str, least: float, goal: str, proof: bool = False, no_loss: bool = False) -> None:
        e = played.cautious(what.agents[label], what.agents.get(b, b))
        if e is not None:
            met = e.low > least if proof else e.high >= least if no_loss else e.mean >= least
            reached = "yes" if met else "within the interval" if e.high >= least else "no"
            rows.append([f"{label} against {b}", estimate_cell(e), goal, reached])

    if "2.3" in what.agents:
        for b, wanted in GOALS:
            ceiling = ceiling_of(b)
            if wanted is not None:
                add("2.3", b, wanted, f"{wanted:,}")
            elif ceiling is not None:
                add("2.3", b, 0.9 * ceiling, f"{0.9 * ceiling:,.0f} (90 % of the ceiling)")
    for newer in ("2.3", "2.2"):
        for older in ("2.0", "1.0"):
            if newer in what.agents and older in what.agents:
                add(newer, older, 0.0, "above 0, with its interval", proof=True)
    if what.equilibrium:
        for label in what.agents:
            add(label, what.equilibrium, 0.0, "no decided loss", no_loss=True)
    rows += order_of_shares(what, played)
    rows += [
        ["HRE against CS", f"{a.accuracy:.1%}", "78 %", "yes" if a.accuracy >= 0.78 else "no"]
        for a in what.accuracies
        if a.opponent == "CS"
    ]
    if not rows:
        return []
    note = f"{CAUTIOUS[0].upper()}{CAUTIOUS[1:]}."
    return [Table("What was asked, and what is reached", ["match", "mBB/hand", "goal", "reached"], rows, note)]


def order_of_shares(what: Comparison, played: Played) -> list[list[str]]:
    """Rows for the goal 2.3 >= 2.2 >= 2.1 >= 2.0 on the mean share."""
    rows = []
    for _, newer, older in STEPS:
        if newer in what.agents and older in what.agents:
            now, before = (mean_share(list(shares_of(what, played, what.agents[v]).values())) for v in (newer, older))
            change = difference(now, before)
            reached = "no" if change.high < 0 else "within the interval" if change.mean < 0 else "yes"
            rows.append([f"mean share of {newer} less {older}'s", f"{percent(change)} points", "at least 0", reached])
    return rows


def accuracies(what: Comparison) -> list[Block]:
    """How often HRE's likeliest interval is right."""
    if not what.accuracies:
        return []
    reference, rows = published()["hre_accuracy"], []
    for a in what.accuracies:
        theirs = [reference.get(a.opponent), reference.get(f"{a.opponent}_last_500")]
        shown = ["-" if x is None else f"{x:.1%}" for x in (a.last, a.constant, *theirs)]
        likely = " ".join(f"{x:.0%}" for x in a.mean)
        rows.append([a.opponent, f"{a.hands:,}", f"{a.predictions:,}", f"{a.accuracy:.1%}", *shown, likely])
    header = [
        "opponent", "hands", "predictions", "accuracy", "second half", "constant guess", "published",
        "last 500 published", "mean distribution, strongest interval first",
    ]  # fmt: skip
    note = (
        "A prediction is right when the likeliest of nine intervals has the opponent's hand at the river; all "
        "showdowns count, also of hands all-in before."
    )
    return [Table("Hand Range Estimator: accuracy", header, rows, note)]
