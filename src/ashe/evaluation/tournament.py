"""Round-robin tournaments: ranked by wins, then earnings; a win is a result whose 95 % interval excludes 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, MatchResult, play_match
from ashe.evaluation.stats import Estimate


@dataclass
class Tournament:
    """Results so far; `results[(a, b)]` is from a's side."""

    players: list[str]
    hands: int
    seed: int
    results: dict[tuple[str, str], Estimate] = field(default_factory=dict)

    def cell(self, a: str, b: str) -> Estimate | None:
        if (a, b) in self.results:
            return self.results[a, b]
        if (b, a) in self.results:
            e = self.results[b, a]
            return Estimate(-e.mean, e.half_width, e.pairs)
        return None

    def row(self, a: str) -> list[Estimate]:
        return [e for b in self.players if b != a and (e := self.cell(a, b)) is not None]

    def wins(self, a: str) -> int:
        return sum(e.decided and e.mean > 0 for e in self.row(a))

    def earnings(self, a: str) -> float:
        return sum(e.mean for e in self.row(a))

    def ranking(self) -> list[str]:
        return sorted(self.players, key=lambda a: (-self.wins(a), -self.earnings(a)))

    def as_json(self) -> dict[str, Any]:
        return {
            "players": self.ranking(), "hands": self.hands, "seed": self.seed,
            "wins": {a: self.wins(a) for a in self.ranking()},
            "earnings_mbb": {a: self.earnings(a) for a in self.ranking()},
            "results": [
                {"a": a, "b": b, "mbb": e.mean, "ci95": e.half_width, "pairs": e.pairs}
                for (a, b), e in self.results.items()
            ],
        }  # fmt: skip

    def as_text(self) -> str:
        """The matrix in rank order, mBB/hand from the row player's side; * marks a decided result."""
        order = self.ranking()
        width = max(12, *(len(p) + 2 for p in order))
        lines = [f"{'rank':5}{'player':{width}}{'wins':>5}" + "".join(f"{b:>{width}}" for b in order)]
        for rank, a in enumerate(order, 1):
            cells = []
            for b in order:
                e = self.cell(a, b)
                cells.append("" if e is None else f"{e.mean:,.0f}{'*' if e.decided else ' '}")
            lines.append(f"{rank:<5}{a:{width}}{self.wins(a):>5}" + "".join(f"{c:>{width}}" for c in cells))
        lines.append(
            f"mBB/hand from the row's side over {self.hands:,} duplicate hands a pair; * the 95 % interval excludes 0"
        )
        return "\n".join(lines)


def play_tournament(
    players: list[str],
    hands: int,
    seed: int,
    workers: int = 1,
    done: Callable[[Tournament, MatchResult], None] | None = None,
) -> Tournament:
    """Every pair plays `hands` duplicate hands; `done` is told after each pair."""
    if len(players) < 2 or len(set(players)) != len(players):
        raise UserError(f"players {players}: name at least two, each once")
    plans = [MatchPlan(a, b, hands, seed=seed) for a, b in combinations(players, 2)]
    tournament = Tournament(players, hands, seed)
    for plan in plans:
        result = play_match(plan, workers)
        tournament.results[plan.a, plan.b] = result.estimate
        if done is not None:
            done(tournament, result)
    return tournament
