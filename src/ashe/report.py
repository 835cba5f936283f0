"""`python -m ashe.report ch4`: published tables and figures beside ours, from the champions that ship with the project.

Writes results.json (every finished match, so an interrupted report goes on where it stopped), report.md, report.html
and the figures into experiments/<chapter>/, and prints the tables.
"""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from ashe.agents.champions import champion_family, champion_names
from ashe.assets import assets_dir
from ashe.cli import run
from ashe.errors import UserError
from ashe.evaluation.results import ResultStore, StoredMatch
from ashe.reports import chapter4
from ashe.reports.document import Report

CHAPTERS = ("ch4",)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.report", description=__doc__)
    p.add_argument("chapter", choices=CHAPTERS)
    p.add_argument("--hands", type=int, default=20_000, help="fresh duplicate hands a pair (default 20000)")
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument(
        "--champions", nargs="+", metavar="NAME", help="champions or run folders instead of the shipped ones"
    )
    p.add_argument("--out", type=Path, help="folder (default experiments/<chapter>)")
    return p


def chapter_4(args: argparse.Namespace, store: ResultStore, command: str) -> Report:
    champions = champion_family("ashe1") if args.champions is None else champion_family(*args.champions)
    what = chapter4.Chapter4(
        champions=[c.name for c in champions],
        fitness=[c.fitness for c in champions],
        hands=args.hands,
        equilibrium="EQ" if (assets_dir() / "eq" / "solution.json").is_file() else None,
        adjusted="ashe1_adjusted" if "ashe1_adjusted" in champion_names() else None,
    )
    with tqdm(total=len(what.plans()), unit="match", leave=False) as bar:

        def done(match: StoredMatch) -> None:
            bar.set_postfix_str(f"{match.a} - {match.b} {match.estimate}")
            bar.update()

        return chapter4.report(what, store, command, args.workers, done)


def main() -> int:
    args = parser().parse_args()
    folder = args.out or Path("experiments") / args.chapter
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {folder}: {error.strerror}; choose another --out") from error
    command = " ".join(["python -m ashe.report", *sys.argv[1:]])
    made = chapter_4(args, ResultStore(folder / "results.json"), command)
    made.save(folder)
    print(made.as_text())
    print(f"saved in {folder}/report.md and report.html")
    return 0


if __name__ == "__main__":
    run(main)
