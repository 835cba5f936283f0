"""`python -m ashe.ranges NAME CM HM CS`: what ASHE 2.3 believes of its opponents' hands, and how often it is right.

Plays duplicate matches and prints, per opponent, HRE's mean prediction beside the hands that were shown, its accuracy,
that of a constant guess, and the accuracy in the last half of the half matches.
"""

import argparse

from ashe.agents.ashe22_player import Ashe22Player
from ashe.agents.champions import champion_names, champion_player
from ashe.agents.ranges import RangeRecord
from ashe.cli import run
from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.players.base import Player
from ashe.players.registry import make_player


def watched(player: Player, opponent: str, matches: int, half: int, seed: int) -> RangeRecord:
    """What HRE predicted in duplicate matches of 2 x `half` hands, and what was shown."""
    if not isinstance(player, Ashe22Player):
        raise UserError(f"{player.name!r} has no Hand Range Estimator; name an ASHE 2.3 champion")
    record = player.record_ranges()
    halves = [HalfMatch(m, side, m * half, half) for m in range(matches) for side in (0, 1)]
    Tables((player, make_player(opponent)), deal(seed, 0, matches * half), halves, seed).run()
    return record


def main() -> int:
    p = argparse.ArgumentParser(prog="python -m ashe.ranges", description=__doc__)
    p.add_argument("champion", help="an ASHE 2.3 champion by name, run folder or file")
    p.add_argument("opponents", nargs="+", help="players to watch, such as CM HM CS")
    p.add_argument("--hands", type=int, default=4_000, help="hands per opponent, both halves together (default 4000)")
    p.add_argument("--match-hands", type=int, default=500, help="hands of a half match (default 500)")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    matches = args.hands // (2 * max(args.match_hands, 1))
    if args.match_hands < 1 or matches < 1:
        raise UserError(f"--hands {args.hands} with --match-hands {args.match_hands} makes no match; give more hands")
    player = champion_player(args.champion)
    if player is None:
        known = ", ".join(champion_names()) or "none"
        raise UserError(f"there is no champion {args.champion!r}; shipped are: {known}; or give a run folder")
    for name in args.opponents:
        make_player(name)  # refuses an unknown one before anything is played
    for name in args.opponents:
        record = watched(player, name, matches, args.match_hands, args.seed)
        late = record.accuracy(args.match_hands // 2)
        print(f"{player.name} against {name}, {2 * matches * args.match_hands:,} hands")
        print(record.accuracy().table())
        print(f"from hand {args.match_hands // 2 + 1:,} on: {late.count:,} showdowns, accuracy {late.right:.1%}\n")
    return 0


if __name__ == "__main__":
    run(main)
