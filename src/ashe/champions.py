"""`python -m ashe.champions`: list the champions that ship with the project, or add one from a finished run.

python -m ashe.champions                         name, fitness, how it was trained
python -m ashe.champions add RUN_DIR NAME        copy a run's champion, config and log to assets/champions/NAME
                                                 (--early: also of a run that was stopped before its end)
python -m ashe.champions derive NAME NEW key=value ...   the same genome with other agent settings
"""

import argparse
import gzip
from pathlib import Path

from ashe.agents.champions import FILE, champion_names, find_champion, player_of, with_settings
from ashe.assets import assets_dir
from ashe.cli import run, write_atomic
from ashe.errors import UserError
from ashe.evolution import composing
from ashe.evolution.champion import ChampionFile, load_champion, save_champion


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m ashe.champions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = p.add_subparsers(dest="action")
    add = actions.add_parser("add", help="ship a finished run's champion")
    add.add_argument("run_dir", type=Path)
    add.add_argument("name")
    add.add_argument("--early", action="store_true", help="also of a run that was stopped before its last generation")
    derive = actions.add_parser("derive", help="the same genome with other agent settings, e.g. decision=adjusted")
    derive.add_argument("source")
    derive.add_argument("name")
    derive.add_argument("settings", nargs="+", metavar="key=value")
    return p


def folder_for(name: str) -> Path:
    if not name.replace("_", "").isalnum():
        raise UserError(f"champion name {name!r}: use letters, digits and underscores")
    folder = assets_dir() / "champions" / name
    if (folder / FILE).exists():
        raise UserError(f"there is a champion {name!r} already; choose another name or delete {folder}")
    return folder


def describe(name: str, champion: ChampionFile) -> str:
    about = champion.about
    fitness = about["metrics"]["fitness"]["best"]
    mbb = ", ".join(f"{b} {v['champion']:,.0f}" for b, v in about["metrics"]["mbb"].items())
    config = about["config"]
    return (
        f"{name}: experiment {config['name']}, seed {about['seed']}, {about['generations']} generations, "
        f"fitness {fitness:.3f}, last generation {mbb} mBB/hand; commit {about['commit'][:10]}"
    )


def add(run_dir: Path, name: str, early: bool = False) -> int:
    champion = load_champion(run_dir / FILE)
    finished = bool(champion.about.get("finished"))
    if not finished and not early:
        raise UserError(
            f"{run_dir} is not finished; continue it with: python -m ashe.train resume={run_dir}, or add it as it is "
            "with --early"
        )
    player_of(name, champion)  # refuses what cannot play
    folder = folder_for(name)
    folder.mkdir(parents=True, exist_ok=True)
    # Where the run's folder was says nothing to others.
    about = {**champion.about, "config": {**champion.about["config"], "run_dir": None}}
    save_champion(folder / FILE, champion.genome, about, champion.assets)
    write_atomic(folder / "config.yaml", composing.as_yaml(about["config"]).encode())
    logs = [log for log in ("metrics.jsonl", "record.jsonl") if (run_dir / log).is_file()]
    for log in logs:
        write_atomic(folder / f"{log}.gz", gzip.compress((run_dir / log).read_bytes(), mtime=0))
    experiment, seed = champion.about["config"]["name"], champion.about["seed"]
    text = (
        f"# {name}\n\n{describe(name, champion)}\n\nTrained by `python -m ashe.train +experiment={experiment} "
        f"seed={seed}` (every setting: config.yaml; every generation: metrics.jsonl.gz).\n"
    )
    if not finished:
        text += f"\nThe run was stopped early, after {champion.about['generations']} generations.\n"
    if "record.jsonl" in logs:
        text += (
            f"\n`python -m ashe.train replay=assets/champions/{name}` rebuilds it from what every individual earned "
            "(record.jsonl.gz), without playing.\n"
        )
    write_atomic(folder / "README.md", text)
    print(f"added {folder}")
    return 0


def derive(source: str, name: str, settings: list[str]) -> int:
    path = find_champion(source)
    if path is None:
        raise UserError(f"there is no champion {source!r}; shipped are: {', '.join(champion_names()) or 'none'}")
    derived = with_settings(load_champion(path), source, settings)
    player_of(name, derived)
    folder = folder_for(name)
    folder.mkdir(parents=True, exist_ok=True)
    save_champion(folder / FILE, derived.genome, derived.about, derived.assets)
    changed = " ".join(settings)
    write_atomic(
        folder / "README.md",
        f"# {name}\n\nThe genome of {source}, played with {changed}: made by "
        f"`python -m ashe.champions derive {source} {name} {changed}`.\n",
    )
    print(f"added {folder}")
    return 0


def main() -> int:
    args = parser().parse_args()
    if args.action == "add":
        return add(args.run_dir, args.name, args.early)
    if args.action == "derive":
        return derive(args.source, args.name, args.settings)
    for name in champion_names():
        path = find_champion(name)
        assert path is not None
        print(describe(name, load_champion(path)))
    return 0


if __name__ == "__main__":
    run(main)
