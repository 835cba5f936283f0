"""Table 8-3: everybody against everybody, ranked by wins, then earnings; undecided results are ties."""

from ashe.evaluation.tournament import Tournament
from ashe.reports.document import Block, Figure, Table
from ashe.reports.figures import heat_map
from ashe.reports.published import published, published_pair
from ashe.reports.versions_plan import VERSIONS, Comparison, Played


def published_name(label: str, equilibrium: str | None) -> str:
    """What Table 8-3 calls a contender."""
    if label in VERSIONS:
        return VERSIONS[label].player
    return "SB" if label == equilibrium else label


def standings(what: Comparison, played: Played) -> Tournament:
    """The matches as a tournament of labels."""
    label_of = {player: label for label, player in what.contenders.items()}
    results = {(label_of[a], label_of[b]): match.estimate for (a, b), match in played.tournament.items()}
    return Tournament(list(what.contenders), what.hands, what.seed, results)


def counts(t: Tournament, name: str) -> tuple[int, int, int]:
    """(wins, ties, losses)."""
    row = t.row(name)
    wins = t.wins(name)
    losses = sum(e.decided and e.mean < 0 for e in row)
    return wins, len(row) - wins - losses, losses


def tournament(what: Comparison, played: Played) -> list[Block]:
    t = standings(what, played)
    reference = published()["table_8_3"]
    ranks = dict(zip(reference["players"], reference["rank"], strict=True))
    order = t.ranking()
    rows = []
    for rank, a in enumerate(order, 1):
        name = published_name(a, what.equilibrium)
        cells = []
        for b in order:
            e, theirs = t.cell(a, b), published_pair(name, published_name(b, what.equilibrium))
            if e is None:
                cells.append("-")
                continue
            mark = "" if e.decided else " tie"
            cells.append(
                f"{e.mean:,.0f} +- {e.half_width:,.0f}{mark}" + (f" ({theirs:,.0f})" if theirs is not None else "")
            )
        wins, ties, losses = counts(t, a)
        record = f"{wins}-{ties}-{losses}"
        rows.append([_title(a), str(rank), str(ranks.get(name, "-")), record, f"{t.earnings(a):,.0f}", *cells])
    header = ["row wins from column", "rank", "published", "won-tied-lost", "earnings", *(_title(b) for b in order)]
    note = (
        f"{t.hands_text()} duplicate hands a pair. Ranked by wins, then earnings; a tie's 95 % interval includes 0. In "
        "brackets: published."
    )
    cells_of = [[None if a == b else t.cell(a, b) for b in order] for a in order]
    figure = heat_map(
        [_title(a) for a in order],
        [[None if e is None else e.mean for e in row] for row in cells_of],
        [[None if e is None else e.half_width for e in row] for row in cells_of],
        "mBB/hand from the row's side",
    )
    return [
        Table("Table 8-3: tournament", header, rows, note),
        Figure("tournament", f"The tournament; grey results are ties. {note}", figure),
    ]


def _title(label: str) -> str:
    return f"ASHE {label}" if label in VERSIONS else label
