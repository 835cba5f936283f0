"""Means with intervals, and the action statistics of D Table 4-3."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.evaluation import kernel as k

Z95 = 1.959963984540054
STREETS = ("preflop", "flop", "turn", "river")


@dataclass(frozen=True)
class Estimate:
    """A mean in mBB/hand with its 95 % half-width, from `pairs` independent duplicate pairs."""

    mean: float
    half_width: float
    pairs: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    @property
    def decided(self) -> bool:
        """The interval excludes 0."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:,.1f} +- {self.half_width:,.1f}"


def mbb_estimate(pair_chips: NDArray[np.float64], big_blind: int) -> Estimate:
    """From the chips of duplicate pairs (the sum of the two hands on one deck)."""
    mbb = np.asarray(pair_chips, np.float64) * (1000.0 / (2 * big_blind))
    n = len(mbb)
    width = Z95 * float(mbb.std(ddof=1)) / n**0.5 if n > 1 else float("inf")
    return Estimate(float(mbb.mean()), width, n)


def t95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by its expansion around the normal one (Abramowitz and Stegun 26.7.5)."""
    z, n = Z95, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def match_half_width(means: NDArray[np.float64]) -> float:
    """95 % half-width of the mean of whole matches; infinite for a single one.

    Pairs of one match share what a player has learned in it. Where that differs much from match to match, an interval
    over pairs is too narrow; whole matches are independent whatever happens in them.
    """
    n = len(means)
    return t95(n - 1) * float(np.std(means, ddof=1)) / n**0.5 if n > 1 else float("inf")


def action_statistics(counts: NDArray[np.int64], big_blind: int) -> dict[str, Any]:
    """Frequencies given availability, mean raise as street total in big blinds; None where it never came up.

    `counts` is [4 streets, 5] as in `ashe.evaluation.kernel`. Folds count only after an opponent's bet or raise.
    """
    out: dict[str, Any] = {}
    for street, name in enumerate(STREETS):
        can, raises, total, _, _ = (int(x) for x in counts[street])
        out[f"{name}_raise_freq"] = raises / can if can else None
        out[f"{name}_avg_raise"] = total / raises / big_blind if raises else None
    faced = int(counts[:, k.FACED_RAISE].sum())
    out["fold_freq"] = int(counts[:, k.FOLDED].sum()) / faced if faced else None
    out["opponent_raises"] = faced
    return out
