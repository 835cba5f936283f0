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


def estimate_cell(e: Estimate) -> str:
    """Ours in the same form."""
    return cell([e.mean, e.half_width])
