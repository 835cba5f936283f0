"""Duplicate matches: H hands, then the same H decks with the seats swapped.

An adaptive player forgets everything between the two halves, never between hands. `hands` always counts both halves.
The work is cut into whole matches, each with random streams of its own, so results do not depend on how many are
played at once or by how many processes.
"""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError
from ashe.evaluation.pool import in_order, worker_pool
from ashe.evaluation.stats import Estimate, action_statistics, mbb_estimate
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.game.rules import HEADS_UP, Rules
from ashe.players.base import RulePlayer
from ashe.players.registry import make_player

BATCH = 20  # matches on the tables at once


@dataclass(frozen=True)
class MatchPlan:
    """Who plays how much: `hands` in duplicate matches of 2 x `half` hands; the last match may be shorter."""

    a: str
    b: str
    hands: int = 20_000
    half: int = 1_000
    seed: int = 1
    rules: Rules = HEADS_UP

    def __post_init__(self) -> None:
        if self.hands < 2 or self.hands % 2:
            raise UserError(f"hands is {self.hands}; a duplicate match needs an even number of at least 2 hands")
        if self.half < 1:
            raise UserError(f"half is {self.half}; a half match has at least 1 hand")
        if not 0 <= self.seed < 2**63:
            raise UserError(f"seed is {self.seed}; seeds are integers from 0 to 2**63 - 1")

    @property
    def decks(self) -> int:
        return self.hands // 2

    @property
    def matches(self) -> int:
        return -(-self.decks // self.half)


@dataclass
class MatchResult:
    """Chips of player A, [decks] for each half, in deck order."""

    plan: MatchPlan
    chips: NDArray[np.int64]  # [2, decks]
    adjusted: NDArray[np.float64]  # [2, decks]
    counts: NDArray[np.int64]  # [2 players, 4 streets, 5]
    seconds: float = 0.0
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate:
        return mbb_estimate(self.chips.sum(axis=0).astype(np.float64), self.plan.rules.big_blind)

    @property
    def adjusted_estimate(self) -> Estimate:
        return mbb_estimate(self.adjusted.sum(axis=0), self.plan.rules.big_blind)

    def blocks(self, size: int = 100, adjusted: bool = False) -> NDArray[np.float64]:
        """mBB/hand in each block of `size` hands of a half match, [whole matches, blocks], both halves together.

        An adaptive player's blocks show how it learns. A block that `half` cuts short counts its own hands.
        """
        half = self.plan.half
        whole = self.plan.decks // half
        pairs = (self.adjusted if adjusted else self.chips).sum(axis=0)[: whole * half].reshape(whole, half)
        edges = [*range(0, half, size), half]
        sums = [pairs[:, a:b].mean(axis=1) for a, b in pairwise(edges)]
        return np.stack(sums, axis=1) * (1000.0 / (2 * self.plan.rules.big_blind))

    def statistics(self, slot: int) -> dict[str, Any]:
        return action_statistics(self.counts[slot], self.plan.rules.big_blind)

    def as_json(self, with_ev: bool = False) -> dict[str, Any]:
        plan, e = self.plan, self.estimate
        out: dict[str, Any] = {
            "a": plan.a, "b": plan.b, "hands": plan.hands, "mbb": e.mean, "ci95": e.half_width, "pairs": e.pairs,
            "half_match": plan.half, "seed": plan.seed, "seconds": round(self.seconds, 3),
            "hands_per_second": round(plan.hands / self.seconds) if self.seconds else None,
            "statistics": {"a": self.statistics(0), "b": self.statistics(1)},
        }  # fmt: skip
        if with_ev:
            ev = self.adjusted_estimate
            out["ev_mbb"], out["ev_ci95"] = ev.mean, ev.half_width
        return out


OnHand = Callable[[Tables, "NDArray[np.int64]"], None]


def play_portion(
    plan: MatchPlan,
    first_match: int,
    last_match: int,
    on_hand: OnHand | None = None,
    progress: Callable[[int], None] | None = None,
    on_start: Callable[[Tables], None] | None = None,
) -> MatchResult:
    """Matches `first_match` to `last_match - 1` of a plan; `on_start` sees the tables before the first hand."""
    start = first_match * plan.half
    stop = min(last_match * plan.half, plan.decks)
    cards = deal(plan.seed, start, stop - start)
    halves = []
    for match in range(first_match, last_match):
        row = match * plan.half - start
        hands = min(plan.half, stop - match * plan.half)
        halves += [HalfMatch(match, half, row, hands) for half in (0, 1)]
    players = (make_player(plan.a), make_player(plan.b))
    tables = Tables(players, cards, halves, plan.seed, plan.rules)
    if on_start is not None:
        on_start(tables)
    compiled = all(isinstance(p, RulePlayer) for p in players)
    tables.run(on_hand, None if compiled else progress)
    if compiled and progress is not None:
        progress(2 * (stop - start))
    chips = np.zeros((2, stop - start), np.int64)
    adjusted = np.zeros((2, stop - start), np.float64)
    for t, half in enumerate(halves):
        chips[half.half, half.first : half.first + half.hands] = tables.won[t, : half.hands]
        adjusted[half.half, half.first : half.first + half.hands] = tables.adjusted[t, : half.hands]
    return MatchResult(plan, chips, adjusted, tables.stats.sum(axis=0))


def play_match(
    plan: MatchPlan,
    workers: int = 1,
    batch: int = BATCH,
    on_hand: OnHand | None = None,
    progress: Callable[[int], None] | None = None,
    on_start: Callable[[Tables], None] | None = None,
    *,
    after: MatchResult | None = None,
    pool: Executor | None = None,
) -> MatchResult:
    """Play a plan. The result is the same for every `workers` and `batch`.

    `after` is the result of a shorter plan of the same match: only what it lacks is played. `pool` are worker
    processes to share between matches (see `worker_pool`); `workers` then says how many pieces to cut.
    """
    if workers < 1 or batch < 1:
        raise UserError(f"workers is {workers} and batch is {batch}; both are at least 1")
    make_player(plan.a), make_player(plan.b)  # an unknown name is refused before any work
    first = 0 if after is None else _whole_matches(after.plan, plan)
    began = time.perf_counter()
    size = min(batch, -(-(plan.matches - first) // workers))
    pieces = list(pairwise([*range(first, plan.matches, size), plan.matches]))
    if workers == 1 or len(pieces) == 1:
        parts = [play_portion(plan, a, b, on_hand, progress, on_start) for a, b in pieces]
    else:
        if on_hand is not None or on_start is not None:
            raise UserError("logs and explanations are written by one process: use workers=1 with them")
        with nullcontext(pool) if pool is not None else worker_pool(workers) as executor:
            assert executor is not None
            parts = []
            for part in in_order(executor, workers, play_portion, ((plan, a, b) for a, b in pieces)):
                parts.append(part)
                if progress is not None:
                    progress(part.chips.size)
    if after is not None:
        parts.insert(0, after)
    return MatchResult(
        plan,
        np.concatenate([p.chips for p in parts], axis=1),
        np.concatenate([p.adjusted for p in parts], axis=1),
        np.sum([p.counts for p in parts], axis=0),
        time.perf_counter() - began + (after.seconds if after is not None else 0.0),
    )


def _whole_matches(done: MatchPlan, plan: MatchPlan) -> int:
    """How many matches of `plan` the shorter plan `done` has played."""
    if replace(done, hands=plan.hands) != plan or done.hands >= plan.hands or done.decks % done.half:
        raise UserError(f"{plan} does not continue {done}: only hands may differ, by whole matches")
    return done.matches
