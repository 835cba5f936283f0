"""`python -m ashe.slumbot HERO --hands N`: a player of ours against Slumbot's public web service.

The service deals the cards, so hands are not duplicates and intervals are wider than in our matches. Be considerate: it
is somebody's machine, and the settings keep requests apart.
"""

import argparse
import json
import sys
from pathlib import Path

from tqdm import tqdm

from ashe.cli import check_writable, run, write_atomic
from ashe.errors import UserError
from ashe.players.registry import make_player
from ashe.slumbot.client import Client, load_config
from ashe.slumbot.session import Session


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.slumbot", description=__doc__)
    p.add_argument("hero", metavar="HERO", help="any player of ours, e.g. EQ, a champion or module:ClassName")
    p.add_argument("--hands", type=int, default=1_000, help="hands of the whole session (default 1000)")
    p.add_argument("--seed", type=int, default=1, help="of our player's coin flips")
    p.add_argument("--session", metavar="FILE", type=Path, help="keep every hand; an existing file is continued")
    p.add_argument("--json", metavar="FILE", help="write the result as JSON")
    p.add_argument("--config", metavar="FILE", type=Path, help="settings (default conf/slumbot.yaml)")
    p.add_argument("--base", metavar="URL", help="address of the service, instead of the settings'")
    p.add_argument("--quiet", action="store_true", help="no progress bar")
    return p


def main() -> int:
    args = parser().parse_args()
    if args.hands < 1:
        raise UserError(f"hands is {args.hands}; play at least 1")
    make_player(args.hero)
    config = load_config(args.config, args.base)
    check_writable((args.session, args.json))
    client = Client(config, notice=lambda text: print(f"notice: {text}", file=sys.stderr))
    session = Session(args.hero, client, args.seed, args.session)
    try:
        with tqdm(total=args.hands, unit="hand", disable=args.quiet or None, leave=False) as bar:
            bar.update(sum(r.void is None for r in session.records))
            session.play(args.hands, lambda record: bar.update(int(record.void is None)))
    finally:
        print(report(session, args.hero, config.base))
    if args.json:
        e = session.estimate()
        void = sum(r.void is not None for r in session.records)
        out = {
            "hero": args.hero, "service": config.base, "hands": e.pairs, "mbb": e.mean, "ci95": e.half_width,
            "void": void, "seed": args.seed,
        }  # fmt: skip
        write_atomic(args.json, json.dumps(out, indent=1) + "\n")
    return 0


def report(session: Session, hero: str, base: str) -> str:
    e = session.estimate()
    void = sum(r.void is not None for r in session.records)
    line = f"{hero} against {base}: {e} mBB/hand (95 % interval over {e.pairs:,} single hands)"
    return line + (f"; {void} hands void because an answer got lost" if void else "")


if __name__ == "__main__":
    run(main)
