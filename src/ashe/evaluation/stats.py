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
