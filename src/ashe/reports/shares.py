"""Ceilings for reports: what a best response wins at least, so that a result can be read as a share of it."""

# mBB/hand, found by Q-learning against the rules (spec section 2).
CEILINGS = {"HM": 38_957, "CM": 51_183, "SL": 2_065, "CS": 16_621, "LA": 95_001, "LP": 14_005, "TP": 991, "TA": 3_202}
ORIGIN = "lower bounds found by Q-learning"


def ceiling_of(player: str) -> float | None:
    """mBB/hand that can be won from `player` at least; None where nobody knows."""
    return CEILINGS.get(player)


def share_text(mbb: float, player: str) -> str:
    """`mbb` as a share of the ceiling."""
    ceiling = ceiling_of(player)
    return "-" if ceiling is None else f"{mbb / ceiling:.0%}"
