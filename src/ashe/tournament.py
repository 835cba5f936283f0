"""`python -m ashe.tournament PLAYER... --hands N`: everyone against everyone, ranked by wins, then earnings."""

import argparse
import json
import sys
from pathlib import Path

from tqdm import tqdm

from ashe.cli import check_counts, output_folder, run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, MatchResult
from ashe.evaluation.protocol import PROTOCOLS, protocol_of
from ashe.evaluation.tournament import Tournament, play_tournament
from ashe.interrupt import insistent_interrupts
from ashe.players.registry import make_player
from ashe.reports.figures import heat_map


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.tournament", description=__doc__)
    p.add_argument("players", metavar="PLAYER", nargs="+", help="e.g. HM CM TA HP, or module:ClassName")
    p.add_argument("--hands", type=int, help="duplicate hands a pair, both halves together (default 20000)")
    p.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        help="instead of --hands: 20000, another 20000 if imprecise, up to 100000 until the sign is decided",
    )
    p.add_argument("--seed", type=int, default=1, help="decks and coin flips (default 1)")
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument("--out", metavar="FOLDER", default="runs/tournament", help="matrix as .txt, .json and .png")
    p.add_argument(
        "--quiet", action="store_true", help="no progress bar (there is none either when stderr is not a terminal)"
    )
    return p


def save(tournament: Tournament, folder: Path) -> None:
    order = tournament.ranking()
    cells = [[tournament.cell(a, b) for b in order] for a in order]
    write_atomic(folder / "tournament.json", json.dumps(tournament.as_json(), indent=1) + "\n")
    write_atomic(folder / "tournament.txt", tournament.as_text() + "\n")
    picture = heat_map(
        [f"{rank}  {name}" for rank, name in enumerate(order, 1)],
        [[e.mean if e else None for e in row] for row in cells],
        [[e.half_width if e else None for e in row] for row in cells],
        f"mBB/hand from the row's side with 95 % intervals, {tournament.hands_text()} duplicate hands a pair\n"
        "grey: the interval includes 0",
        [f"wins {tournament.wins(a)}, {tournament.earnings(a):+,.0f}" for a in order],
    )
    write_atomic(folder / "tournament.png", picture)


def main() -> int:
    args = parser().parse_args()
    if args.hands is not None and args.protocol:
        raise UserError(f"--hands {args.hands} and --protocol {args.protocol}: the protocol decides, give only one")
    check_counts(workers=args.workers)
    if len(args.players) < 2 or len(set(args.players)) < len(args.players):
        raise UserError(f"players {', '.join(args.players)}: name at least two, each once")
    protocol = protocol_of(args.protocol, tournament=True)
    hands = protocol.step if protocol else 20_000 if args.hands is None else args.hands
    for name in args.players:
        make_player(name)
    MatchPlan(args.players[0], args.players[-1], hands, seed=args.seed)
    pairs = len(args.players) * (len(args.players) - 1) // 2
    folder = output_folder(args.out)
    latest: list[Tournament] = []
    with tqdm(total=pairs * hands, unit="hand", unit_scale=True, leave=False, disable=args.quiet or None) as bar:

        def done(tournament: Tournament, result: MatchResult) -> None:
            latest[:] = [tournament]
            write_atomic(folder / "tournament.json", json.dumps(tournament.as_json(), indent=1) + "\n")
            bar.set_description_str(f"{len(tournament.results)}/{pairs} pairs", refresh=False)
            bar.set_postfix_str(f"{result.plan.a}-{result.plan.b} {result.estimate}")

        def extended(more: int) -> None:
            bar.total += more

        try:
            with insistent_interrupts():
                tournament = play_tournament(
                    args.players, hands, args.seed, args.workers, done, bar.update, extended, protocol
                )
        except KeyboardInterrupt:
            bar.close()
            kept = ""
            if latest:
                save(latest[0], folder)
                print(latest[0].as_text())
                kept = f"; they are saved in {folder}/tournament.{{txt,json,png}}"
            finished = len(latest[0].results) if latest else 0
            print(f"interrupted after {finished} of {pairs} pairs{kept}", file=sys.stderr)
            return 130
    save(tournament, folder)
    print(tournament.as_text())
    print(f"saved in {folder}/tournament.{{txt,json,png}}")
    return 0


if __name__ == "__main__":
    run(main)
