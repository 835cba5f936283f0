"""ANE, average normalised earnings (dissertation section 4.3.1), and remedies for its scale.

    ANE_i = 1/m * sum_j e_ij / n_j,        n_j = max(BB, max_i e_ij)

e_ij is what individual i won from opponent j over both half matches. Here it is in mBB/hand, where one big blind per
match is 1000 / hands; the ratio is the same. As printed (`generation`) the scale collapses while nobody beats an
opponent: n_j is then one big blind and losses to j outweigh everything. `running` and `ceiling` keep it apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ashe.errors import UserError
from ashe.evolution.settings import check, setting, suggestion

Array = npt.NDArray[np.float64]
Scale = Mapping[str, float]
"""Largest winnings seen so far per opponent: the only state, part of the checkpoint."""


@dataclass(frozen=True)
class AneConfig:
    scale: str = setting(
        "generation",
        choices=("generation", "running", "ceiling"),
        help="n_j: best of this generation (as printed), best of any generation so far, or a fixed ceiling",
    )
    floor: float | None = setting(None, gt=0.0, help="smallest n_j in mBB/hand; null = one big blind per match")
    start: Mapping[str, float] = setting({}, help="running: n_j to begin with, mBB/hand by opponent")
    ceiling: Mapping[str, float] = setting({}, help="ceiling: the fixed n_j, mBB/hand by opponent")
    losses: str = setting(
        "same",
        choices=("same", "generation", "fixed"),
        help="what losses are divided by: n_j (as printed), the largest loss of this generation, or loss_scale",
    )
    loss_scale: Mapping[str, float] = setting({}, help="losses=fixed: mBB/hand by opponent")
    measure: str = setting(
        "chips", choices=("chips", "adjusted"), help="earnings: realised chips, or without the luck of all-in run-outs"
    )

    def __post_init__(self) -> None:
        check(self)
        for name in ("start", "ceiling", "loss_scale"):
            for opponent, value in getattr(self, name).items():
                if not value > 0.0:
                    raise UserError(f"{name}.{opponent}={value} must be above 0 mBB/hand")

    def check_opponents(self, opponents: Sequence[str], known: Sequence[str]) -> None:
        """Refuse a scale that lacks an opponent of the curriculum or names one that nobody knows."""
        for table in ("start", "ceiling", "loss_scale"):
            for name in getattr(self, table):
                if name not in known:
                    raise UserError(f"unknown opponent {name!r} in fitness.{table}; {suggestion(name, list(known))}")
        for wanted, table in ((self.scale == "ceiling", "ceiling"), (self.losses == "fixed", "loss_scale")):
            missing = sorted(set(opponents) - set(getattr(self, table))) if wanted else []
            if missing:
                raise UserError(f"fitness.{table} has no value for {', '.join(missing)}; add them in mBB/hand")


def mbb_per_hand(chips: Array, big_blind: float, hands: int) -> Array:
    return 1000.0 * chips / (big_blind * hands)


def normalisation(
    earnings: Array, opponents: Sequence[str], config: AneConfig, seen: Scale, one_big_blind: float
) -> tuple[Array, Scale]:
    """n_j for each column of `earnings` [P, J], and the records to carry into the next generation."""
    best = earnings.max(axis=0)
    records = dict(seen)
    for j, name in enumerate(opponents):
        records[name] = max(records.get(name, config.start.get(name, -np.inf)), float(best[j]))
    if config.scale == "generation":
        n = best
    elif config.scale == "running":
        n = np.array([records[name] for name in opponents])
    else:
        n = np.array([config.ceiling[name] for name in opponents])
    return np.maximum(n, one_big_blind if config.floor is None else config.floor), records


def loss_normalisation(earnings: Array, opponents: Sequence[str], config: AneConfig, n: Array) -> Array:
    """What losses to each opponent are divided by."""
    if config.losses == "fixed":
        return np.array([config.loss_scale[name] for name in opponents])
    if config.losses == "generation":
        return np.maximum(-earnings.min(axis=0), n)
    return n


def ane(earnings: Array, n: Array, loss: Array | None = None) -> Array:
    """Average normalised earnings [P]; at most 1 when no earnings exceed `n`."""
    divisor = n if loss is None else np.where(earnings < 0.0, loss, n)
    return (earnings / divisor).mean(axis=1)
