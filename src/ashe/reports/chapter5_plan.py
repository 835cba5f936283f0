"""What chapter 5's report plays: the agents, the opponents, and the matches of every table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ashe.evaluation.match import MatchPlan
from ashe.evaluation.protocol import Protocol
from ashe.evaluation.results import ResultStore, StoredMatch

OPPONENTS = ("HM", "CM", "SL", "CS", "LA", "LP", "TP", "TA", "RG", "HP")
CURRICULA = ("a1", "a2", "a3", "a4")
RECORD = "a4"
HALF, SHORT_HALF = 1_000, 500  # 2 x 500 hands in Tables 5-5 (ASHE 1.0), 5-6 and 5-7
ABLATIONS = {"without trees": "trees=false", "without LSTM state": "lstm_state=false", "without OFRE": "ofre=false"}

Results = Mapping[MatchPlan, StoredMatch]


@dataclass(frozen=True)
class FrozenAgent:
    """A snapshot as a player: trees after `hand` hands, when RG had just played `style`."""

    hand: int
    style: str
    player: str


@dataclass(frozen=True)
class Chapter5:
    """What to evaluate. Agents are {label: player}; labels begin with the curriculum: a1, a4, a4_s2, a4_plus."""

    agents: Mapping[str, str]
    older: Mapping[str, str] = field(default_factory=dict)  # ASHE 1.0
    equilibrium: str | None = None  # stands in for Slumbot
    snapshots: Sequence[FrozenAgent] = ()
    snapshots_note: str = ""
    hands: int = 20_000
    seed: int = 5
    half: int = HALF

    @property
    def protocol(self) -> Protocol:
        """The evaluation protocol (spec section 9) in steps of `hands`."""
        return Protocol(step=self.hands)

    @property
    def record(self) -> str | None:
        """The player of the agent of record."""
        return self.agents.get(RECORD)

    @property
    def opponents(self) -> tuple[str, ...]:
        return (*OPPONENTS, self.equilibrium) if self.equilibrium else OPPONENTS

    @property
    def contenders(self) -> dict[str, str]:
        """{label: player} of Table 5-6."""
        others = {"RG": "RG"} | ({self.equilibrium: self.equilibrium} if self.equilibrium else {})
        return ({RECORD: self.record} if self.record else {}) | dict(self.older) | others

    def long(self, a: str, b: str) -> MatchPlan:
        return MatchPlan(a, b, self.hands, self.half, self.seed)

    def short(self, a: str, b: str) -> MatchPlan:
        return MatchPlan(a, b, self.hands, min(SHORT_HALF, self.half), self.seed)

    def variant(self, settings: str) -> str:
        """The agent of record with other settings."""
        return f"{self.record}[{settings}]"

    def pairs(self) -> list[MatchPlan]:
        """Matches of Tables 5-4 to 5-6."""
        plans = [self.long(a, b) for a in self.agents.values() for b in self.opponents]
        if self.equilibrium:
            plans += [self.long(self.equilibrium, b) for b in OPPONENTS]
        if self.record:
            plans += [self.short(a, b) for a in self.older.values() for b in self.sound]
            players = list(self.contenders.values())
            plans += [self.short(a, b) for i, a in enumerate(players) for b in players[i + 1 :]]
        return list(dict.fromkeys(plans))

    @property
    def sound(self) -> tuple[str, ...]:
        """The opponents of Table 5-5."""
        return ("TA", "HP", self.equilibrium) if self.equilibrium else ("TA", "HP")

    def studies(self) -> list[MatchPlan]:
        """Matches of Table 5-7 and of the ablations."""
        plans = [self.short(s.player, b) for s in self.snapshots for b in (s.style, "RG")]
        if self.record:
            plans += [self.long(self.variant(v), b) for v in ABLATIONS.values() for b in OPPONENTS]
        return list(dict.fromkeys(plans))


Done = Callable[[StoredMatch], None]


def play(what: Chapter5, store: ResultStore, workers: int, done: Done | None) -> Results:
    """Play what is missing; pairs of Tables 5-4 to 5-6 that the protocol finds imprecise play on, once."""
    pairs, studies = what.pairs(), what.studies()
    found = dict(zip([*pairs, *studies], store.play([*pairs, *studies], workers, done), strict=True))
    again = {p: what.protocol.more(p.hands, found[p].estimate) for p in pairs}
    longer = {p: replace(p, hands=p.hands + more) for p, more in again.items() if more}
    return found | dict(zip(longer, store.play(list(longer.values()), workers, done), strict=True))
