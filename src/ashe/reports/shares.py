"""Ceilings for reports: what a best response wins at least, so that a result can be read as a share of it.

The share of the possible winnings that an agent takes is its *exploitation ratio*. The numbers are data, made by
`python -m ashe.ceilings`.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "data" / "ceilings.json"


class Ceiling(NamedTuple):
    """mBB/hand that can be won from a player at least."""

    mbb: float
    ci95: float
    source: str

    @property
    def exact(self) -> bool:
        """No player wins more."""
        return self.source == "exact"


@cache
def ceilings() -> dict[str, Ceiling]:
    """By rule player."""
    players = json.loads(FILE.read_text())["players"]
    return {name: Ceiling(c["mbb"], c["ci95"], c["source"]) for name, c in players.items()}


def ceiling_of(player: str) -> float | None:
    """mBB/hand that can be won from `player` at least; None where nobody knows."""
    known = ceilings().get(player)
    return None if known is None else known.mbb


def share_text(mbb: float, player: str) -> str:
    """The exploitation ratio: `mbb` as a share of the ceiling."""
    ceiling = ceiling_of(player)
    return "-" if ceiling is None else f"{mbb / ceiling:.0%}"


def origin() -> str:
    """Where the ceilings come from, for the note under a table."""
    by_source: dict[str, list[str]] = {}
    for name, c in ceilings().items():
        by_source.setdefault(c.source.partition("@")[0], []).append(name)
    words = {"exact": "exact", "BR": "learned best response", "LBR": "local best response"}
    return "; ".join(f"{words.get(source, source)}: {', '.join(names)}" for source, names in by_source.items())
