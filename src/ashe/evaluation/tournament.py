"""Round-robin tournaments: ranked by wins, then earnings; a win is a result whose 95 % interval excludes 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, MatchResult, play_match
from ashe.evaluation.pool import worker_pool
from ashe.evaluation.protocol import Protocol, play_protocol
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
            return Estimate(0.0 - e.mean, e.half_width, e.pairs)  # not -0.0
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
                {"a": a, "b": b, "hands": 2 * e.pairs, "mbb": e.mean, "ci95": e.half_width, "pairs": e.pairs}
                for (a, b), e in self.results.items()
            ],
        }  # fmt: skip

    def as_text(self) -> str:
        """The matrix in rank order, mBB/hand from the row player's side, each result over its 95 % half-width."""
        order = self.ranking()
        width = max(10, *(len(p) + 2 for p in order))
        name = max(8, *(len(p) + 2 for p in order))
        lines = [f"{'rank':5}{'player':{name}}{'wins':>5}{'earnings':>11}" + "".join(f"{b:>{width}}" for b in order)]
        for rank, a in enumerate(order, 1):
            means, widths = "", ""
            for b in order:
                e = self.cell(a, b)
                mean = "" if e is None else f"{_whole(e.mean)}{'*' if e.decided else ' '}"
                means += f"{mean:>{width}}"
                widths += f"{'' if e is None else f'+-{_whole(e.half_width)} ':>{width}}"
            lines.append(f"{rank:<5}{a:{name}}{self.wins(a):>5}{_whole(self.earnings(a)):>11}{means}")
            lines.append(f"{'':{5 + name + 16}}{widths}".rstrip())
        lines.append(
            f"mBB/hand from the row's side, {self.hands_text()} duplicate hands a pair; below it the half-width of the "
            "95 % interval, * where that excludes 0"
        )
        return "\n".join(lines)

    def hands_text(self) -> str:
        """'20,000', or '20,000 to 100,000' where pairs played different numbers of hands."""
        played = [2 * e.pairs for e in self.results.values()] or [self.hands]
        low, high = min(played), max(played)
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _whole(value: float) -> str:
    return f"{round(value):,}"


def play_tournament(
    players: list[str],
    hands: int,
    seed: int,
    workers: int = 1,
    done: Callable[[Tournament, MatchResult], None] | None = None,
    progress: Callable[[int], None] | None = None,
    extended: Callable[[int], None] | None = None,
    protocol: Protocol | None = None,
) -> Tournament:
    """Every pair plays `hands` duplicate hands, or as many as `protocol` asks; `done` is told after each pair."""
    if len(players) < 2 or len(set(players)) != len(players):
        raise UserError(f"players {', '.join(players)}: name at least two, each once")
    plans = [MatchPlan(a, b, hands, seed=seed) for a, b in combinations(players, 2)]
    tournament = Tournament(players, hands, seed)
    with worker_pool(workers) as pool:
        for plan in plans:
            if protocol is None:
                result = play_match(plan, workers, progress=progress, pool=pool)
            else:
                result = play_protocol(plan, protocol, workers, progress=progress, extended=extended, pool=pool)
            tournament.results[plan.a, plan.b] = result.estimate
            if done is not None:
                done(tournament, result)
    return tournament
