"""Builds what this package looks things up in.

- `python -m ashe.cards.build tables [--force]`: EHS tables into the cache folder (seconds; also built on demand)
- `python -m ashe.cards.build matchups`: all preflop matchups, shipped with the package (minutes)
- `python -m ashe.cards.build rank`: the evaluator's tables, shipped with the package (seconds)
- `python -m ashe.cards.build textures`: the texture clusters of boards, shipped with the package (seconds)
"""

import argparse
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ashe.cli import run

DATA = Path(__file__).parent / "data"


def _rank() -> None:
    from ashe.cards.rank_tables import build_rank_tables  # not at the top: `rank` cannot be imported without its data

    tables = build_rank_tables()
    np.savez_compressed(
        DATA / "rank_tables.npz", flush=tables["flush"], offset=tables["offset"], lookup=tables["lookup"]
    )
    crc = 0
    for name in ("flush", "offset", "lookup"):
        crc = zlib.crc32(tables[name].tobytes(), crc)
    print(f"wrote {DATA / 'rank_tables.npz'}; rank.py must say: TABLES_CRC = 0x{crc:08X}", file=sys.stderr)


def _textures() -> None:
    from ashe.cards.texture_classes import build_textures, checksum

    tables = build_textures()
    np.savez_compressed(DATA / "textures.npz", allow_pickle=False, **tables)
    crc = checksum(tables)
    print(f"wrote {DATA / 'textures.npz'}; clusters.py must say: TABLES_CRC = 0x{crc:08X}", file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ashe.cards.build", description="Build ashe's card tables.")
    parser.add_argument("what", choices=("tables", "matchups", "rank", "textures"), help="which tables")
    parser.add_argument("--force", action="store_true", help="rebuild EHS tables that are already there")
    args = parser.parse_args(argv)
    if args.what == "rank":
        _rank()
    elif args.what == "textures":
        _textures()
    elif args.what == "matchups":
        from ashe.cards.matchups import build_matchups
        from ashe.cards.storage import build_threads

        build_matchups(threads=build_threads())
    else:
        from ashe.cards.tables import equity_tables

        equity_tables(rebuild=args.force)
    return 0


if __name__ == "__main__":
    run(main)
