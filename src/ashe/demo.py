"""`python -m ashe.demo`: evolve a small ASHE 1.0 agent in about two minutes and show what it learned.

Trains `+experiment=quick`, then plays its champion and the best random agent of its first generation against the same
opponents on fresh decks.
"""

import argparse
import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ashe import train
from ashe.cli import run
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evolution import composing
from ashe.evolution.champion import load_champion, save_champion
from ashe.reports.document import Table, table_text


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.demo", description=__doc__)
    p.add_argument("--hands", type=int, default=10_000, help="duplicate hands per match of the final table")
    p.add_argument("--run-dir", type=Path, help="where the run goes (default runs/demo/<date_time>)")
    p.add_argument("settings", nargs="*", metavar="key=value", help="changes to the experiment, e.g. seed=2")
    return p


def first_champion(run_dir: Path, folder: Path) -> Path:
    """The best of the run's first generation: random genomes are made again and found by their digest."""
    config = composing.settings_of(composing.load_run(run_dir, folder, []))
    plan = train.plan_of(config)
    genomes = plan.problem.initial(config.seed, config.evolution.population).numpy()
    digest = first_generation(run_dir)["champion_sha256"]
    for genome in genomes:
        if hashlib.sha256(genome.tobytes()).hexdigest() == digest:
            path = run_dir / "first_generation.npz"
            save_champion(path, np.asarray(genome), load_champion(run_dir / "champion.npz").about)
            return path
    raise UserError(f"the first generation of {run_dir} cannot be made again: was it trained by another version?")


def first_generation(run_dir: Path) -> dict[str, Any]:
    for line in (run_dir / "metrics.jsonl").read_text().splitlines():
        entry: dict[str, Any] = json.loads(line)
        if entry.get("generation") == 0 and "champion_sha256" in entry:
            return entry
    raise UserError(f"{run_dir}/metrics.jsonl has no first generation; start the demo anew")


def table(run_dir: Path, opponents: list[str], hands: int, folder: Path) -> Table:
    first = first_champion(run_dir, folder)
    rows = []
    for opponent in tqdm(opponents, unit="opponent", leave=False):
        before, after = (
            play_match(MatchPlan(str(path), opponent, hands, half=500, seed=7)).estimate
            for path in (first, run_dir / "champion.npz")
        )
        rows.append([opponent, str(before), str(after)])
    return Table(
        "What evolution changed",
        ["opponent", "best of the first generation", "champion"],
        rows,
        f"mBB/hand over {hands:,} duplicate hands on fresh decks, with 95 % intervals.",
    )


def main() -> int:
    args = parser().parse_args()
    MatchPlan("CM", "CM", args.hands)  # an impossible number of hands is refused before training
    run_dir = args.run_dir or Path("runs") / "demo" / datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    code = train.main(["+experiment=quick", f"run_dir={run_dir}", *args.settings])
    if code:
        return code
    folder = composing.default_config_dir()
    opponents = composing.settings_of(composing.load_run(run_dir, folder, [])).curriculum.build().opponents
    print(table_text(table(run_dir, list(opponents), args.hands, folder)))
    print(f"\nthe dashboard: .venv/bin/tensorboard --logdir {run_dir}/tb")
    print(f"more matches:  .venv/bin/python -m ashe.match {run_dir} HP --hands 20000")
    return 0


if __name__ == "__main__":
    run(main)
