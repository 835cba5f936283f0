"""`python -m ashe.inspect tree A B`: what A's Pattern Recognition Trees know of B after one half match.
`python -m ashe.inspect default NAME`: the default trees that a champion of ASHE 2.1 or later brings to every match.

Any player may be A: the trees are built from what its seat sees, as ASHE 2.x builds its own.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe2 import Ashe2Config, forget, new_mind
from ashe.agents.ashe2_play import finish, watch
from ashe.agents.ashe2_player import Ashe2Player
from ashe.cli import output_folder, run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.tables import Finished, HalfMatch, Tables
from ashe.game.deal import deal
from ashe.game.rules import HEADS_UP
from ashe.players.registry import make_player
from ashe.reports.tree_figure import tree_figure
from ashe.trees.dump import Node, lines, read_tree
from ashe.trees.prt import grown


class TreeBuilder:
    """Grows the trees of the player in slot 0 while a half match is played (`OnHand`)."""

    def __init__(self) -> None:
        self.mind = new_mind(1, 4096, next_actions=True)
        forget(self.mind)
        r = HEADS_UP
        self.settings = Ashe2Config().settings(np.array([r.small_blind, r.big_blind, r.ante, r.stack, r.stack]))

    def __call__(self, tables: Tables, ended: NDArray[np.int64]) -> None:
        f = Finished(tables, 0, ended).arrays()
        trees = self.mind.trees
        needed = int(trees.used[0] + f.length.sum()) + 4 * len(ended)
        if needed > trees.capacity:
            self.mind = self.mind._replace(trees=grown(trees, 2 * needed))
        watch(self.mind, self.settings, f.tables, f.seats, f.strengths, f.textures, f.history, f.length)
        finish(self.mind, self.settings, f.tables, f.shown_strengths)


def trees_of_match(a: str, b: str, hands: int, seed: int, min_visits: int) -> dict[int, Node]:
    """{seat: tree} after a half match of `hands` hands."""
    builder = TreeBuilder()
    players = (make_player(a), make_player(b))
    Tables(players, deal(seed, 0, hands), [HalfMatch(0, 0, 0, hands)], seed).run(builder)
    roots = builder.mind.roots[0]
    return {seat: read_tree(builder.mind.trees, int(roots[seat]), seat, min_visits) for seat in (0, 1) if roots[seat]}


def default_trees_of(name: str, min_visits: int) -> dict[int, Node]:
    """{seat: tree} that a champion starts every match with."""
    player = make_player(name)
    if not isinstance(player, Ashe2Player) or player.default is None:
        raise UserError(f"{name} has no default trees; name a champion of ASHE 2.1 or later")
    trees, roots = player.default
    board_nodes = player.config.board_nodes
    return {seat: read_tree(trees, int(roots[seat]), seat, min_visits, board_nodes) for seat in (0, 1) if roots[seat]}


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m ashe.inspect", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = p.add_subparsers(dest="command", required=True)
    tree = commands.add_parser("tree", help="the trees of A about B after a half match")
    tree.add_argument("a", metavar="A", help="whose trees: a champion or any other player")
    tree.add_argument("b", metavar="B", help="its opponent")
    tree.add_argument("--hands", type=int, default=1_000, help="hands of the half match (default 1000)")
    tree.add_argument("--seed", type=int, default=1)
    default = commands.add_parser("default", help="the default trees of a champion")
    default.add_argument("a", metavar="NAME", help="a champion of ASHE 2.1 or later")
    for command in (tree, default):
        command.add_argument("--min-visits", type=int, default=10, help="leave out rarer nodes (default 10)")
        command.add_argument("--depth", type=int, default=8, help="actions shown in the figure (default 8)")
        command.add_argument("--out", metavar="FOLDER", help="also write tree.txt, tree.json and tree.png there")
    return p


def main() -> int:
    args = parser().parse_args()
    for name in ("hands", "min_visits", "depth"):
        if getattr(args, name, 1) < 1:
            raise UserError(f"--{name.replace('_', '-')} {getattr(args, name)}: give at least 1")
    folder = None if args.out is None else output_folder(Path(args.out))
    if args.command == "tree":
        trees = trees_of_match(args.a, args.b, args.hands, args.seed, args.min_visits)
        title = f"What {Path(args.a).name} knows of {args.b} after {args.hands:,} hands"
        command = f"tree {args.a} {args.b} --hands {args.hands} --seed {args.seed}"
    else:
        trees = default_trees_of(args.a, args.min_visits)
        title, command = f"Default trees of {Path(args.a).name}", f"default {args.a}"
    text = "\n\n".join("\n".join(lines(tree, seat)) for seat, tree in sorted(trees.items(), reverse=True))
    print(text)
    if folder is not None:
        write_atomic(folder / "tree.txt", text + "\n")
        data = {
            "command": f"python -m ashe.inspect {command} --min-visits {args.min_visits}",
            "trees": {("button" if seat else "big blind"): tree.as_json() for seat, tree in trees.items()},
        }
        write_atomic(folder / "tree.json", json.dumps(data, indent=1) + "\n")
        write_atomic(folder / "tree.png", tree_figure(trees, title, args.depth))
    return 0


if __name__ == "__main__":
    run(main)
