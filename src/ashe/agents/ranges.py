"""How well ASHE 2.3's Hand Range Estimator knows the opponent's hand (D 8.3; spec, sections 8 and 10).

A prediction is HRE's answer after the last node of a hand that came to a showdown; it is right when its most likely
interval contains the rank of the hand that was shown. Guessing the same interval every time is the baseline: on
uniformly random hands 651-990 is right in 34.3 % of cases.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ashe.cards.rank import rank7
from ashe.decision.hand_range import INTERVALS, NAMES, UNIFORM, interval_of, opponent_rank
from ashe.jit import njit
from ashe.players.base import HandResult


@njit
def rank_among(a, b, board, x, y):  # type: ignore[no-untyped-def]
    """1..990: rank of the holding {x, y} at the river, among those that own cards {a, b} and the board leave."""
    shown = rank7(x, y, board[0], board[1], board[2], board[3], board[4])
    stronger, ties = 0, 0
    for i in range(52):
        if i in (a, b) or i in board:
            continue
        for j in range(i):
            if j in (a, b) or j in board:
                continue
            rank = rank7(i, j, board[0], board[1], board[2], board[3], board[4])
            stronger += rank < shown
            ties += rank == shown
    return opponent_rank(stronger, ties)


@dataclass(frozen=True)
class Accuracy:
    """Of `count` showdowns."""

    count: int
    right: float  # share of right predictions
    constant: float  # share that always naming one interval gets right, the best one afterwards
    best_guess: str
    predicted: NDArray[np.float64]  # [9] mean probabilities
    shown: NDArray[np.float64]  # [9] shares of the intervals that were shown

    def table(self) -> str:
        lines = [f"{'rank':>9}{'HRE':>8}{'shown':>8}{'uniform':>9}"]
        for name, p, share, uniform in zip(NAMES, self.predicted, self.shown, UNIFORM, strict=True):
            lines.append(f"{name:>9}{p:8.1%}{share:8.1%}{uniform:9.1%}")
        lines.append(
            f"{self.count:,} showdowns, accuracy {self.right:.1%}; always {self.best_guess}: {self.constant:.1%}"
        )
        return "\n".join(lines)


@dataclass
class RangeRecord:
    """Predictions and what was shown, in the order of the hands."""

    tables: int
    hands: list[int] = field(default_factory=list)  # number of the hand in its half match
    truth: list[int] = field(default_factory=list)  # interval of the shown hand
    p: list[NDArray[np.float64]] = field(default_factory=list)
    hole: NDArray[np.int64] = field(init=False)  # [T, 2] own cards, -1 before the first decision of a hand

    def __post_init__(self) -> None:
        self.hole = np.full((self.tables, 2), -1, np.int64)

    def note(self, result: HandResult, p: NDArray[np.float64]) -> None:
        """A hand that came to a showdown."""
        assert result.shown is not None
        a, b = (int(c) for c in self.hole[result.table])
        rank = rank_among(a, b, np.array(result.board, np.int64), *result.shown)
        self.hands.append(result.hand)
        self.truth.append(int(interval_of(rank)))
        self.p.append(p.copy())

    def accuracy(self, since: int = 0) -> Accuracy:
        """Over the hands number `since` and later of every half match."""
        some = np.array(self.hands, np.int64) >= since
        truth, p = np.array(self.truth, np.int64)[some], np.array(self.p).reshape(-1, INTERVALS)[some]
        n = len(truth)
        if n == 0:
            nothing = np.zeros(INTERVALS)
            return Accuracy(0, 0.0, 0.0, NAMES[-1], nothing, nothing)
        shown = np.bincount(truth, minlength=INTERVALS) / n
        best = int(shown.argmax())
        right = float((p.argmax(axis=1) == truth).mean())
        return Accuracy(n, right, float(shown[best]), NAMES[best], p.mean(axis=0), shown)
