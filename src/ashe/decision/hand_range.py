"""The Hand Range Estimator's intervals and what they say of a showdown (D 8.2; spec, sections 8 and 10).

The opponent holds one of 990 hands at the river; its rank among them falls into one of nine intervals

    1-25, 26-50, 51-100, 101-150, 151-250, 251-350, 351-500, 501-650, 651-990

HRE predicts p_i for each. With r_A hands stronger than ASHE's own (half of the ties count as stronger),

    p_win = 1 - sum_i p_i * delta(r_A, a_i, b_i)
    delta = 0 if r_A <= a,  (r_A - a) / (b - a) if a < r_A <= b,  1 if r_A > b

where interval i is (a_i, b_i]. Averaging over boards needs only the mean of delta per interval. The opponent's rank is
stronger + (ties + 1) / 2, rounded down, ties counting its own hand among them: the middle place of equals.
"""

import numpy as np
from numpy.typing import NDArray

from ashe.jit import njit

INTERVALS = 9
LOWER = np.array([0, 25, 50, 100, 150, 250, 350, 500, 650], np.float64)  # a_i
UPPER = np.array([25, 50, 100, 150, 250, 350, 500, 650, 990], np.float64)  # b_i
HANDS = 990
NAMES = tuple(f"{int(a) + 1}-{int(b)}" for a, b in zip(LOWER, UPPER, strict=True))
UNIFORM: NDArray[np.float64] = (UPPER - LOWER) / HANDS  # an opponent of whom nothing is known


@njit(counted=False)
def delta(r, a, b):
    """Share of the interval (a, b] that beats a hand which r hands beat."""
    if r <= a:
        return 0.0
    return (r - a) / (b - a) if r <= b else 1.0


@njit(counted=False)
def stronger_hands(stronger, ties, printed):
    """r_A: hands that beat one's own; half of the ties count, unless as printed."""
    return np.float64(stronger) if printed else stronger + ties / 2.0


@njit(counted=False)
def opponent_rank(stronger, ties):
    """1..990: the rank of a hand that `stronger` hands beat and `ties` equal, itself included."""
    return np.int64(stronger + (ties + 1) // 2)


@njit(counted=False)
def interval_of(rank):
    """0..8 for a rank of 1..990."""
    for i in range(INTERVALS):
        if rank <= UPPER[i]:
            return i
    return INTERVALS - 1


@njit(counted=False)
def showdown_equity(p, deltas):
    """p_win from the intervals' probabilities and (mean) deltas."""
    beaten = 0.0
    for i in range(INTERVALS):
        beaten += p[i] * deltas[i]
    return 1.0 - beaten
