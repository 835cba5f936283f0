"""What the reports of chapters 6 to 8 play: versions of ASHE, their opponents, and the matches of every table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from ashe.evaluation.match import MatchPlan
from ashe.evaluation.protocol import Protocol
from ashe.evaluation.results import ResultStore, StoredMatch
from ashe.evaluation.stats import Estimate
from ashe.reports.chapter5_plan import Done

TRAINING = ("HM", "CM", "SL", "CS", "LA", "LP", "TP", "TA")
HALF = 1_000


@dataclass(frozen=True)
class Version:
    """A version of ASHE: where its champion comes from, and what the published tables call it."""

    label: str
    families: tuple[str, ...]  # shipped champions, the first that is there
    experiment: str  # trains it at the paper's parameters
    row: str = ""  # in Tables 7-2 and 8-2
    player: str = ""  # in Table 8-3


VERSIONS = {
    v.label: v
    for v in (
        Version("2.3", ("ashe23", "ashe23_desktop"), "ashe23", "ASHE 2.3", "AS 2.3"),
        Version("2.2", ("ashe22", "ashe22_desktop"), "ashe22", "ASHE 2.2", "AS 2.2"),
        Version("2.1", ("ashe21", "ashe21_desktop"), "ashe21", "ASHE 2.1", "AS 2.1"),
        Version("2.1-A1", ("ashe21_opponents", "ashe21_opponents_desktop"), "ashe21_opponents"),
        Version("2.0", ("a4_plus", "a4", "a4_small"), "a4", "ASHE 2.0", "AS 2.0"),
        Version("1.0", ("ashe1_ch8", "ashe1"), "ashe1_ch8", "ASHE 1.0", "AS 1.0"),
    )
}


@dataclass(frozen=True)
class Chapter:
    """Versions newest first, the opponents of its table, and whether a tournament follows."""

    title: str
    table: str
    versions: tuple[str, ...]
    published: str
    opponents: tuple[str, ...]
    rivals: tuple[str, ...] = ()  # versions that the newer ones play in the table
    tournament: bool = False


CHAPTERS = {
    "ch6": Chapter(
        "Chapter 6: ASHE 2.1", "Table 6-2", ("2.1", "2.1-A1", "2.0"), "table_7_2", (*TRAINING, "RG", "HP"), ("2.0",)
    ),
    "ch7": Chapter(
        "Chapter 7: ASHE 2.2", "Table 7-2", ("2.2", "2.1", "2.0"), "table_7_2", (*TRAINING, "RG", "HP"), ("2.0",)
    ),
    "ch8": Chapter(
        "Chapter 8: the ASHE series", "Table 8-2", ("2.3", "2.2", "2.1", "2.0", "1.0"), "table_8_2", TRAINING,
        tournament=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class HreAccuracy:
    """How often the interval that the Hand Range Estimator holds likeliest has the opponent's hand."""

    opponent: str
    hands: int  # of the match
    predictions: int
    accuracy: float
    last: float | None  # in the second half of the match's hands
    constant: float  # of always guessing the interval that came most often
    mean: Sequence[float] = ()  # mean distribution over the nine intervals


@dataclass(frozen=True)
class Comparison:
    """What to evaluate: agents by version, newest first."""

    chapter: Chapter
    agents: Mapping[str, str]  # version -> player
    equilibrium: str | None = None  # stands in for Slumbot
    hands: int = 20_000
    decide: int = 100_000  # most hands of a tournament pair whose sign is undecided
    seed: int = 8
    half: int = HALF
    accuracies: Sequence[HreAccuracy] = field(default_factory=tuple)

    @property
    def absent(self) -> list[Version]:
        return [VERSIONS[label] for label in self.chapter.versions if label not in self.agents]

    @property
    def opponents(self) -> list[str]:
        """Everybody in the table but versions of ASHE."""
        others = () if self.chapter.tournament or not self.equilibrium else (self.equilibrium,)
        return [*self.chapter.opponents, *others]

    @property
    def contenders(self) -> dict[str, str]:
        """{label: player} of the tournament."""
        others = ([self.equilibrium] if self.equilibrium else []) + ["HP", "RG"]
        return dict(self.agents) | {name: name for name in others}

    def plan(self, a: str, b: str) -> MatchPlan:
        return MatchPlan(a, b, self.hands, self.half, self.seed)

    def exploitation(self) -> list[MatchPlan]:
        plans = [self.plan(a, b) for a in self.agents.values() for b in self.opponents]
        if self.equilibrium:
            plans += [self.plan(self.equilibrium, b) for b in self.chapter.opponents if b != self.equilibrium]
        for rival in self.chapter.rivals:
            if rival in self.agents:
                plans += [
                    self.plan(a, self.agents[rival]) for v, a in self.agents.items() if v not in self.chapter.rivals
                ]
        return plans

    def pairs(self) -> list[MatchPlan]:
        if not self.chapter.tournament:
            return []
        return [self.plan(a, b) for a, b in combinations(self.contenders.values(), 2)]

    @property
    def protocols(self) -> tuple[Protocol, Protocol]:
        """Of the table and of the tournament (spec section 9), in steps of `hands`."""
        return Protocol(step=self.hands), Protocol(step=self.hands, decide=self.decide)


@dataclass(frozen=True)
class Played:
    """Finished matches by players."""

    table: Mapping[tuple[str, str], StoredMatch]
    tournament: Mapping[tuple[str, str], StoredMatch]

    def of(self, a: str, b: str) -> Estimate | None:
        """a's winnings from b in the table."""
        match = self.table.get((a, b))
        return None if match is None else match.estimate

    def cautious(self, a: str, b: str) -> Estimate | None:
        """a's winnings from b, in the table or else in the tournament, with the wider of two intervals."""
        for matches in (self.table, self.tournament):
            if (a, b) in matches:
                return matches[a, b].cautious
            if (b, a) in matches:
                other = matches[b, a].cautious
                return replace(other, mean=-other.mean)
        return None

    def between(self, a: str, b: str) -> Estimate | None:
        """a's winnings from b in the tournament."""
        match, mirrored = self.tournament.get((a, b)), self.tournament.get((b, a))
        if match is not None:
            return match.estimate
        return None if mirrored is None else replace(mirrored.estimate, mean=-mirrored.estimate.mean)


def play(what: Comparison, store: ResultStore, workers: int, done: Done | None) -> Played:
    """Play what is missing."""
    found = []
    for plans, protocol in zip((what.exploitation(), what.pairs()), what.protocols, strict=True):
        matches = store.play(plans, workers, done, protocol)
        found.append({(plan.a, plan.b): match for plan, match in zip(plans, matches, strict=True)})
    return Played(*found)
