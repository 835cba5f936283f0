"""The numbers of one generation, as a plain dictionary that is the same for the same seed."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ashe.evolution.curriculum import Moment
from ashe.evolution.protocols import Result

Floats = npt.NDArray[np.float64]


def diversity(genomes: npt.NDArray[np.float32]) -> float:
    """Standard deviation of a gene over the population, averaged over genes."""
    return float(genomes.std(axis=0, dtype=np.float64).mean())


def champion_stats(result: Result, opponents: Sequence[str], champion: int) -> dict[str, dict[str, float]]:
    """The champion's row of every `stat/NAME` array, as opponent -> NAME -> value; what is not a number is left out."""
    stats = {key.removeprefix("stat/"): array for key, array in result.items() if key.startswith("stat/")}
    if not stats:
        return {}
    rows = {name: {key: float(a[champion, j]) for key, a in stats.items()} for j, name in enumerate(opponents)}
    return {name: {key: value for key, value in row.items() if np.isfinite(value)} for name, row in rows.items()}


def summary(
    generation: int,
    moment: Moment,
    genomes: npt.NDArray[np.float32],
    mbb: Floats,
    fitness: Floats,
    n: Floats,
    champion: int,
    elites: Sequence[int],
    optimiser: dict[str, float],
) -> dict[str, Any]:
    best: dict[str, float] = {"best": float(fitness[champion]), "mean": float(fitness.mean())}
    if elites:
        best["elites"] = float(fitness[list(elites)].mean())
    against: dict[str, dict[str, float]] = {}
    for j, name in enumerate(moment.opponents):
        against[name] = {"champion": float(mbb[champion, j]), "mean": float(mbb[:, j].mean()), "scale": float(n[j])}
        if elites:
            against[name]["elites"] = float(mbb[list(elites), j].mean())
    return {
        "generation": generation,
        "phase": moment.phase,
        "session": moment.session,
        "module": moment.module,
        "fitness": best,
        "mbb": against,
        "optimiser": dict(optimiser),
        "diversity": diversity(genomes),
        "elites": len(elites),
        "champion_sha256": hashlib.sha256(genomes[champion].tobytes()).hexdigest(),
    }
