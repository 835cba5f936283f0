"""`python -m ashe.report ch4` (or ch5, ... ch8): published tables and figures beside ours, from the shipped champions.

Writes results.json (every finished match, so an interrupted report goes on where it stopped), report.md, report.html
and the figures into experiments/<chapter>/, and prints the tables.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.champions import champion_family, champion_names
from ashe.agents.snapshots import gambler_styles, save_snapshot, take_snapshots
from ashe.assets import assets_dir
from ashe.cli import output_folder, run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.results import ResultStore, StoredMatch, player_digest
from ashe.players.registry import make_player
from ashe.ranges import watched
from ashe.reports import chapter4, chapter5, versions
from ashe.reports.chapter5_plan import CURRICULA, RECORD, Chapter5, FrozenAgent
from ashe.reports.document import Report
from ashe.reports.versions_plan import CHAPTERS as VERSION_CHAPTERS
from ashe.reports.versions_plan import VERSIONS, Comparison, HreAccuracy

CHAPTERS = ("ch4", "ch5", *VERSION_CHAPTERS)
# In this match RG plays the ten styles of the published Table 5-7 (`gambler_styles`).
SNAPSHOT_SEED, SNAPSHOT_HANDS, SNAPSHOT_EVERY = 102_704, 500, 50
SNAPSHOT_NOTE = (
    f"Trees saved every {SNAPSHOT_EVERY} hands of one match of {SNAPSHOT_HANDS} (seed {SNAPSHOT_SEED}, at which RG "
    "plays the published styles), then frozen while evaluated. Published without intervals."
)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.report", description=__doc__)
    p.add_argument("chapter", choices=CHAPTERS)
    p.add_argument("--hands", type=int, default=20_000, help="fresh duplicate hands a pair (default 20000)")
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument(
        "--champions",
        nargs="+",
        metavar="NAME",
        help="champions or run folders instead of the shipped ones; ch5 takes LABEL=NAME too, e.g. a4=runs/mine, and "
        "ch6 to ch8 VERSION=NAME, e.g. 2.1=runs/mine, for the versions it names",
    )
    p.add_argument(
        "--decide", type=int, metavar="N", help="ch8: most hands of an undecided tournament pair (default 100000)"
    )
    p.add_argument("--ashe1", metavar="NAME", help="ch5: the ASHE 1.0 to compare with (default: shipped champions)")
    p.add_argument("--out", type=Path, help="folder (default experiments/<chapter>)")
    return p


def equilibrium() -> str | None:
    """EQ, where its solution is there."""
    return "EQ" if (assets_dir() / "eq" / "solution.json").is_file() else None


@contextmanager
def progress(matches: int) -> Iterator[Callable[[StoredMatch], None]]:
    """A bar that hears of finished matches."""
    with tqdm(total=matches, unit="match", leave=False) as bar:

        def done(match: StoredMatch) -> None:
            bar.set_postfix_str(f"{match.a} - {match.b} {match.estimate}")
            bar.update()

        yield done


def chapter_4(args: argparse.Namespace, folder: Path, command: str) -> Report:
    champions = champion_family(*(args.champions or ["ashe1_plus"]))
    what = chapter4.Chapter4(
        champions=[c.name for c in champions],
        fitness=[c.fitness for c in champions],
        hands=args.hands,
        equilibrium=equilibrium(),
        adjusted="ashe1_adjusted" if "ashe1_adjusted" in champion_names() else None,
    )
    with progress(len(what.plans())) as done:
        return chapter4.report(what, ResultStore(folder / "results.json"), command, args.workers, done)


def shipped(family: str) -> list[str]:
    """The shipped champions of a family, by name; none is no error."""
    return [n for n in champion_names() if re.fullmatch(rf"{family}(_s\d+)?", n)]


def ashe2_agents(given: Sequence[str] | None) -> dict[str, str]:
    """{label: player}: the shipped a1 to a4 with all their seeds, or the given `LABEL=NAME` (or `.../LABEL`)."""
    if given is None:
        agents = {n: n for family in (*CURRICULA, "a4_plus") for n in shipped(family)}
    else:
        agents = {}
        for text in given:
            label, equals, name = text.partition("=")
            if not equals:
                label, name = Path(text).name, text
            if not re.fullmatch(r"a[1-4](_\w+)?", label) or label in agents:
                raise UserError(
                    f"--champions {text}: give every champion its own label that begins with its curriculum "
                    f"({', '.join(CURRICULA)}), e.g. a4={text}"
                )
            agents[label] = name
    if not agents:
        raise UserError(f"there is no champion of ASHE 2.0 yet. {chapter5.how_to_train(RECORD)}")
    for name in agents.values():
        if not isinstance(make_player(name), Ashe2Player):
            raise UserError(f"{name} is no champion of ASHE 2.0; {chapter5.how_to_train(RECORD)}")
    return agents


def ashe1_agents(given: str | None) -> dict[str, str]:
    """{label: player}: the given one, or the fittest shipped champion of each preset."""
    if given is not None:
        make_player(given)
        return {"ASHE 1.0": given}
    best = {}
    for family in ("ashe1", "ashe1_plus"):
        if shipped(family):
            name = champion_family(family)[0].name
            best[name] = name
    return best


def chapter_5(args: argparse.Namespace, folder: Path, command: str) -> Report:
    agents, older = ashe2_agents(args.champions), ashe1_agents(args.ashe1)
    what = Chapter5(agents, older, equilibrium(), hands=args.hands)
    what.pairs()  # refuses an impossible number of hands before any is played
    if what.record:
        what = replace(what, snapshots=snapshots_of(what.record, folder), snapshots_note=SNAPSHOT_NOTE)
    with progress(len(what.pairs()) + len(what.studies())) as done:
        return chapter5.report(what, ResultStore(folder / "results.json"), command, args.workers, done)


def version_agents(chapter: str, given: Sequence[str] | None) -> dict[str, str]:
    """{version: player}, newest first: the given one, or the fittest shipped champion of the first family there is."""
    wanted = VERSION_CHAPTERS[chapter].versions
    agents = {}
    for label in wanted:
        for family in VERSIONS[label].families:
            if shipped(family):
                agents[label] = champion_family(family)[0].name
                break
    for text in given or ():
        label, equals, name = text.partition("=")
        if not equals or label not in wanted:
            raise UserError(f"--champions {text}: write VERSION=NAME; {chapter} has the versions {', '.join(wanted)}")
        make_player(name)
        agents[label] = name
    if len(set(agents.values())) < len(agents):
        raise UserError(f"--champions {' '.join(given or ())}: two versions are the same player")
    return {label: agents[label] for label in wanted if label in agents}


def range_accuracies(what: Comparison, folder: Path) -> list[HreAccuracy]:
    """Chapter 8: how often ASHE 2.3's Hand Range Estimator is right; kept in `folder`/accuracies.json like results."""
    if "2.3" not in what.agents or not what.chapter.tournament:
        return []
    opponents = {name: name for name in ("CS", "HM", "CM")}
    if "2.2" in what.agents:
        opponents["ASHE 2.2"] = what.agents["2.2"]
    matches = max(1, what.hands // (10 * what.half))
    file = folder / "accuracies.json"
    kept: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.is_file() else {}
    found = []
    for label, name in tqdm(opponents.items(), unit="opponent", leave=False):
        digests = [player_digest(player) for player in (what.agents["2.3"], name)]
        key = f"{label} {' '.join(digests)} {matches} x {what.half}, seed {what.seed}"
        if key not in kept:
            record = watched(make_player(what.agents["2.3"]), name, matches, what.half, what.seed)
            whole, late = record.accuracy(), record.accuracy(what.half // 2)
            kept[key] = {
                "hands": 2 * matches * what.half,
                "predictions": whole.count,
                "accuracy": whole.right,
                "last": late.right if late.count else None,
                "constant": whole.constant,
                "mean": whole.predicted.tolist(),
            }
            write_atomic(file, json.dumps(kept, indent=1) + "\n")
        found.append(HreAccuracy(label, **kept[key]))
    return found


def version_chapter(args: argparse.Namespace, folder: Path, command: str) -> Report:
    what = Comparison(
        VERSION_CHAPTERS[args.chapter],
        version_agents(args.chapter, args.champions),
        equilibrium(),
        hands=args.hands,
        decide=100_000 if args.decide is None else args.decide,
    )
    what = replace(what, accuracies=range_accuracies(what, folder))
    with progress(len(what.exploitation()) + len(what.pairs())) as done:
        return versions.report(what, ResultStore(folder / "results.json"), command, args.workers, done)


def snapshots_of(champion: str, folder: Path) -> list[FrozenAgent]:
    """Table 5-7's players: trees saved in `folder`/snapshots, taken anew since that costs only 500 hands."""
    output_folder(folder / "snapshots")
    frozen = []
    styles = gambler_styles(SNAPSHOT_SEED, SNAPSHOT_HANDS, SNAPSHOT_EVERY)
    taken = take_snapshots(champion, "RG", SNAPSHOT_HANDS, SNAPSHOT_EVERY, SNAPSHOT_SEED)
    for snapshot, style in zip(taken, styles, strict=True):
        file = folder / "snapshots" / f"hand_{snapshot.about.hand:03}.npz"
        save_snapshot(file, snapshot)
        frozen.append(FrozenAgent(snapshot.about.hand, style, f"FROZEN@{file}"))
    return frozen


def main() -> int:
    args = parser().parse_args()
    if args.ashe1 is not None and args.chapter != "ch5":
        raise UserError(f"--ashe1 {args.ashe1}: only ch5 compares with an ASHE 1.0; leave it out for {args.chapter}")
    if args.decide is not None and args.chapter != "ch8":
        raise UserError(f"--decide {args.decide}: only ch8 has a tournament; leave it out for {args.chapter}")
    folder = output_folder(args.out or Path("experiments") / args.chapter)
    command = " ".join(["python -m ashe.report", *sys.argv[1:]])
    make = {"ch4": chapter_4, "ch5": chapter_5}.get(args.chapter, version_chapter)
    made = make(args, folder, command)
    made.save(folder)
    print(made.as_text())
    print(f"saved in {folder}/report.md and report.html")
    return 0


if __name__ == "__main__":
    run(main)
