"""Default features by street, for nodes that were visited too rarely (spec, section 5).

`defaults.json` holds averages measured over the eight training opponents and the command that measured them
(`python -m ashe.evaluation.street_defaults`).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError

FILE = Path(__file__).with_name("defaults.json")


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(FILE.read_text())
    return stored


def _streets(name: str) -> list[dict[str, Any]]:
    stored = _stored()
    if name not in stored:
        raise UserError(f"there are no default features {name!r}; stored: {', '.join(stored)}")
    streets: list[dict[str, Any]] = stored[name]["streets"]
    return streets


def street_defaults(name: str) -> NDArray[np.float64]:
    """[4, 3] by street: showdown rate, eventual fold rate, showdown strength."""
    return np.array([[s["showdown_rate"], s["fold_rate"], s["strength"]] for s in _streets(name)], np.float64)


def next_action_defaults(name: str) -> NDArray[np.float64]:
    """[4, 9] by street: what opponents do next, by edge (ASHE 2.2)."""
    return np.array([s["next"] for s in _streets(name)], np.float64)
