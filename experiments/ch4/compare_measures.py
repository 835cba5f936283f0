"""Does evolution learn faster on all-in-adjusted chips? Compares finished runs of the two measures, seed by seed.

    python experiments/ch4/compare_measures.py chips RUN... -- adjusted RUN...

A run's progress is the earnings of its *whole population* in a generation (which no selection of lucky individuals can
inflate, and which both measures estimate without bias), averaged over opponents on one fixed scale.
"""

import json
import sys
from pathlib import Path

import numpy as np

SCALE = {"HM": 40_000, "CM": 40_000, "SL": 1_000, "CS": 10_000}  # mBB/hand, as in conf/evolution/tser_running.yaml
WINDOW = 10  # generations averaged at each point


def curve(run: Path) -> np.ndarray:
    """Normalised earnings of the population by generation."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    entries = [row["mbb"] for row in rows if row.get("event") == "generation"]
    return np.array([np.mean([e[b]["mean"] / n for b, n in SCALE.items()]) for e in entries])


def main() -> None:
    names = sys.argv[1:]
    cut = names.index("--")
    groups = {g[0]: [curve(Path(run)) for run in g[1:]] for g in (names[:cut], names[cut + 1 :])}
    length = min(len(c) for curves in groups.values() for c in curves)
    points = [g for g in (50, 100, 150, 200, 250) if g <= length]
    print("| measure | runs | " + " | ".join(f"generation {g}" for g in points) + " | mean of all generations |")
    print("|---|---|" + "---|" * (len(points) + 1))
    for name, curves in groups.items():
        cells = []
        for g in points:
            values = [c[g - WINDOW : g].mean() for c in curves]
            cells.append(f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
        whole = [c[:length].mean() for c in curves]
        cells.append(f"{np.mean(whole):.3f} ({min(whole):.3f} to {max(whole):.3f})")
        print(f"| {name} | {len(curves)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
