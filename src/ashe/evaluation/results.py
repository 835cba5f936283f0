"""Results that outlive the process: every finished match is saved at once, and a report that is run again plays only
what is missing.

A result is filed under everything it depends on: both players (a champion by the digest of its file, a rule by the
digest of the rules' source), hands, half, seed. Retrain a champion or change a rule, and its matches are played anew.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ashe.cli import write_atomic
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.protocol import Protocol, play_protocol
from ashe.evaluation.stats import Estimate, match_half_width
from ashe.jit import source_digest
from ashe.opponents import dispatch
from ashe.players.base import RulePlayer
from ashe.players.registry import make_player

BLOCK = 100  # hands of `StoredMatch.blocks`


@dataclass(frozen=True)
class StoredMatch:
    """What a report needs of a finished match, from A's side."""

    a: str
    b: str
    hands: int
    half: int
    seed: int
    estimate: Estimate
    adjusted: Estimate
    statistics: dict[str, Any]  # A's actions, see `stats.action_statistics`
    blocks: list[list[float]]  # [whole matches][blocks of BLOCK hands] all-in-adjusted mBB/hand; empty where not stored

    @property
    def cautious(self) -> Estimate:
        """The estimate with the wider of its intervals over pairs and over whole (all-in-adjusted) matches."""
        if len(self.blocks) < 2:
            return self.estimate
        over_matches = match_half_width(np.mean(self.blocks, axis=1))
        return replace(self.estimate, half_width=max(self.estimate.half_width, over_matches))

    @staticmethod
    def of_json(data: dict[str, Any]) -> "StoredMatch":
        pairs = data["pairs"]
        return StoredMatch(
            data["a"], data["b"], data["hands"], data["half_match"], data["seed"],
            Estimate(data["mbb"], data["ci95"], pairs), Estimate(data["ev_mbb"], data["ev_ci95"], pairs),
            data["statistics"]["a"], data.get("ev_blocks", []),
        )  # fmt: skip


def player_digest(name: str) -> str:
    """Changes when the player may play differently."""
    player = make_player(name)
    if isinstance(player, RulePlayer):
        return source_digest(dispatch.__file__)
    digest = getattr(player, "digest", "")
    if not digest:
        raise UserError(f"results of {name!r} cannot be filed: the player has no `digest` that changes when it does")
    return str(digest)


def _play(plan: MatchPlan, protocol: Protocol | None) -> dict[str, Any]:
    if protocol is None:
        result = play_match(plan, batch=plan.matches)
    else:
        result = play_protocol(plan, protocol)
    return {**result.as_json(with_ev=True), "ev_blocks": result.blocks(BLOCK, adjusted=True).round(1).tolist()}


class ResultStore:
    """Finished matches in one JSON file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, dict[str, Any]] = {}
        if path.exists():
            try:
                self.entries = json.loads(path.read_text())
            except json.JSONDecodeError as error:
                raise UserError(f"{path} is damaged ({error}); delete it to play its matches again") from error
        self._digests: dict[str, str] = {}

    def _key(self, plan: MatchPlan, protocol: Protocol | None = None) -> str:
        for name in (plan.a, plan.b):
            if name not in self._digests:
                self._digests[name] = player_digest(name)
        hands = plan.hands if protocol is None else protocol
        parts = (hands, plan.half, plan.seed, plan.rules, self._digests[plan.a], self._digests[plan.b])
        return f"{plan.a} - {plan.b} - {hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"

    def get(self, plan: MatchPlan, protocol: Protocol | None = None) -> StoredMatch | None:
        entry = self.entries.get(self._key(plan, protocol))
        return None if entry is None else StoredMatch.of_json(entry)

    def _add(self, plan: MatchPlan, protocol: Protocol | None, entry: dict[str, Any]) -> None:
        self.entries[self._key(plan, protocol)] = entry
        write_atomic(self.path, json.dumps(self.entries, indent=1, sort_keys=True) + "\n")

    def play(
        self,
        plans: Sequence[MatchPlan],
        workers: int = 1,
        done: Callable[[StoredMatch], None] | None = None,
        protocol: Protocol | None = None,
    ) -> list[StoredMatch]:
        """The results of all plans, playing those that are not stored yet, one match per worker at a time.

        With a protocol a pair plays as many hands as it asks for, whatever its plan says.
        """
        missing = [plan for plan in dict.fromkeys(plans) if self.get(plan, protocol) is None]
        for plan in plans:
            stored = self.get(plan, protocol)
            if stored is not None and done is not None:
                done(stored)

        def finish(plan: MatchPlan, entry: dict[str, Any]) -> None:
            self._add(plan, protocol, entry)
            if done is not None:
                done(StoredMatch.of_json(entry))

        if workers == 1:
            for plan in missing:
                finish(plan, _play(plan, protocol))
        elif missing:
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                running = {pool.submit(_play, plan, protocol): plan for plan in missing}
                try:
                    while running:
                        for future in wait(running, return_when=FIRST_COMPLETED).done:
                            finish(running.pop(future), future.result())
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        found = [self.get(plan, protocol) for plan in plans]
        return [match for match in found if match is not None]
