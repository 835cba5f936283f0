"""Published numbers (dissertation and 2017 paper) that reports print beside ours."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from ashe.evaluation.stats import Estimate

FILE = Path(__file__).parent / "data" / "published.json"


@cache
def published() -> dict[str, Any]:
    """Tables by name, as in `data/published.json`: mBB/hand, `[mean, 95 % half-width]` where both are known."""
    data: dict[str, Any] = json.loads(FILE.read_text())
    return data


def cell(value: float | list[float] | None, digits: int = 0) -> str:
    """A published entry as text: `40,368 +- 1,989`."""
    if value is None:
        return "-"
    if isinstance(value, list):
        return f"{value[0]:,.{digits}f} +- {value[1]:,.{digits}f}"
    return f"{value:,.{digits}f}"


def published_cell(table: str, row: str, column: str) -> list[float] | None:
    """An entry of Table 7-2 or 8-2, `[mean, half-width]`; None where it has no such row, column or number."""
    reference = published()[table]
    columns: list[str] = reference["columns"]
    if row not in reference or column not in columns:
        return None
    found: list[float] | None = reference[row][columns.index(column)]
    return found


def published_pair(a: str, b: str) -> float | None:
    """a against b in Table 8-3's matrix."""
    reference = published()["table_8_3"]
    players: list[str] = reference["players"]
    if a not in players or b not in players:
        return None
    value: float | None = reference["matrix"][players.index(a)][players.index(b)]
    return value


def estimate_cell(e: Estimate) -> str:
    """Ours in the same form."""
    return cell([e.mean, e.half_width])


def beside(ours: Estimate | None, theirs: list[float] | float | None) -> str:
    """`ours (published)`; the published interval is left to the paper."""
    text = "-" if ours is None else estimate_cell(ours)
    mean = theirs[0] if isinstance(theirs, list) else theirs
    return text if mean is None else f"{text} ({cell(mean)})"
