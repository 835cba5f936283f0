"""`python -m ashe.tournament PLAYER... --hands N`: everyone against everyone, ranked by wins, then earnings."""

import argparse
import json
import sys
from pathlib import Path

from tqdm import tqdm

from ashe.cli import run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, MatchResult
from ashe.evaluation.tournament import Tournament, play_tournament
from ashe.players.registry import make_player
from ashe.reports.figures import heat_map


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.tournament", description=__doc__)
    p.add_argument("players", metavar="PLAYER", nargs="+")
    p.add_argument("--hands", type=int, default=20_000, help="duplicate hands a pair, both halves (default 20000)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument("--out", metavar="FOLDER", default="runs/tournament", help="matrix as .txt, .json and .png")
    return p


def save(tournament: Tournament, folder: Path) -> None:
    order = tournament.ranking()
    cells = [[e.mean if (e := tournament.cell(a, b)) else None for b in order] for a in order]
    write_atomic(folder / "tournament.json", json.dumps(tournament.as_json(), indent=1) + "\n")
    write_atomic(folder / "tournament.txt", tournament.as_text() + "\n")
    title = f"mBB/hand from the row's side, {tournament.hands:,} duplicate hands a pair"
    write_atomic(folder / "tournament.png", heat_map(order, cells, title))


def main() -> int:
    args = parser().parse_args()
    for name in args.players:
        make_player(name)
    MatchPlan(args.players[0], args.players[-1], args.hands, seed=args.seed)
    folder = Path(args.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {folder}: {error.strerror}; choose another --out") from error
    pairs = len(args.players) * (len(args.players) - 1) // 2
    latest: list[Tournament] = []
    with tqdm(total=pairs, unit="pair", leave=False) as bar:

        def done(tournament: Tournament, result: MatchResult) -> None:
            latest[:] = [tournament]
            write_atomic(folder / "tournament.json", json.dumps(tournament.as_json(), indent=1) + "\n")
            bar.set_postfix_str(f"{result.plan.a}-{result.plan.b} {result.estimate}")
            bar.update()

        try:
            tournament = play_tournament(args.players, args.hands, args.seed, args.workers, done)
        except KeyboardInterrupt:
            if latest:
                save(latest[0], folder)
                print(latest[0].as_text())
            print(f"interrupted after {len(latest[0].results) if latest else 0} of {pairs} pairs", file=sys.stderr)
            return 130
    save(tournament, folder)
    print(tournament.as_text())
    print(f"saved in {folder}/tournament.{{txt,json,png}}")
    return 0


if __name__ == "__main__":
    run(main)
