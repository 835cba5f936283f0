"""How many hands a pair plays (spec section 9).

1. At least 20,000 hands, as duplicate matches.
2. Once another 20,000 if the 95 % half-width exceeds 20 % of the mean.
3. In tournaments on to 100,000, 20,000 at a time, until the sign is decided.

Decks are numbered, so a pair that plays on continues where it stopped: the result is that of one longer match.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace

from ashe.errors import UserError
from ashe.evaluation.match import BATCH, MatchPlan, MatchResult, OnHand, play_match
from ashe.evaluation.pool import worker_pool
from ashe.evaluation.stats import Estimate
from ashe.evaluation.tables import Tables


@dataclass(frozen=True)
class Protocol:
    """When to stop. `decide` is the most hands played for the sign's sake; 0: rule 3 does not apply."""

    step: int = 20_000
    precision: float = 0.20
    decide: int = 0

    def more(self, hands: int, estimate: Estimate) -> int:
        """Hands to add after `hands`, 0 when the pair is done."""
        imprecise = estimate.half_width > self.precision * abs(estimate.mean)
        undecided = not estimate.decided and estimate.half_width > 0  # a certain 0 stays 0
        if hands < self.step:
            return self.step - hands
        if (hands < 2 * self.step and imprecise) or (hands < self.decide and undecided):
            return self.step
        return 0


PAPER = Protocol()
TOURNAMENT = Protocol(decide=100_000)
PROTOCOLS = {"paper": (PAPER, TOURNAMENT)}  # for a match, for a tournament's pairs


def protocol_of(name: str | None, tournament: bool = False) -> Protocol | None:
    """The protocol a command line names; None for none."""
    if name is None:
        return None
    if name not in PROTOCOLS:
        raise UserError(f"unknown protocol {name!r}; known: {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name][tournament]


def play_protocol(
    plan: MatchPlan,
    protocol: Protocol,
    workers: int = 1,
    batch: int = BATCH,
    on_hand: OnHand | None = None,
    progress: Callable[[int], None] | None = None,
    on_start: Callable[[Tables], None] | None = None,
    *,
    extended: Callable[[int], None] | None = None,
    pool: Executor | None = None,
) -> MatchResult:
    """Play `plan`'s pair, whatever its hands, until the protocol is content; `extended` hears of hands added."""
    if protocol.step % (2 * plan.half):
        raise UserError(
            f"half is {plan.half}; the protocol plays {protocol.step:,} hands at a time, so 2 x half must divide that"
        )
    with nullcontext(pool) if pool is not None else worker_pool(workers) as executor:
        first = replace(plan, hands=protocol.step)
        result = play_match(first, workers, batch, on_hand, progress, on_start, pool=executor)
        while hands := protocol.more(result.plan.hands, result.estimate):
            if extended is not None:
                extended(hands)
            longer = replace(plan, hands=result.plan.hands + hands)
            result = play_match(longer, workers, batch, on_hand, progress, on_start, after=result, pool=executor)
    return result
