"""A tree for people: its nodes in words, most visited first, as text or plain data."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ashe.game.view import STREET_NAMES
from ashe.trees.edges import CALLS, OPPONENT_NAMES, OWN_NAMES, SLOTS
from ashe.trees.prt import FOLDS_LATER, NONE, SHOWDOWNS, VISITS, Trees

POSITIONS = ("big blind", "button")  # by seat


@dataclass
class Node:
    """A node with what it counted; `edge` is the action that leads to it, `own` whether the tree's owner took it."""

    edge: str
    own: bool
    street: int
    owner_acts: bool
    visits: int
    showdowns: int
    folds: int
    strength: float | None
    following: list[int]
    children: list["Node"] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "edge": self.edge,
            "by": ("owner" if self.own else "opponent") if self.edge else None,
            "street": STREET_NAMES[self.street],
            "to_act": "owner" if self.owner_acts else "opponent",
            "f": self.visits,
            "c_sd": self.showdowns,
            "c_of": self.folds,
            "s": self.strength,
            "next": dict(zip(OPPONENT_NAMES, self.following, strict=True)) if any(self.following) else None,
            "children": [child.as_json() for child in self.children],
        }


def read_tree(trees: Trees, root: int, seat: int, min_visits: int = 1, board_nodes: bool = False) -> Node:
    """The tree of the owner's `seat` (0 big blind, 1 button) from node `root`; rarer nodes are left out.

    Who acts where follows from the edges: a call ends a street unless it is the street's first action. With
    `board_nodes` the actions after it hang from the texture clusters of the board, which their edges then name.
    """
    return _read(trees, root, seat, "", False, 0, 1, True, min_visits, board_nodes)


def _read(
    trees: Trees, node: int, seat: int, edge: str, own: bool, street: int, actor: int, opens: bool, min_visits: int,
    board_nodes: bool,
) -> Node:  # fmt: skip
    f, shown, folds = (int(trees.counts[node, k]) for k in (VISITS, SHOWDOWNS, FOLDS_LATER))
    following = trees.following[node].tolist() if len(trees.following) else [0] * SLOTS
    strength = float(trees.strength[node]) / shown if shown else None
    here = Node(edge, own, street, actor == seat, f, shown, folds, strength, following)
    names = OWN_NAMES if here.owner_acts else OPPONENT_NAMES
    split = board_nodes and opens and street > 0
    boards = [(int(b), f" on board {k}") for k, b in enumerate(trees.child[node]) if b] if split else [(node, "")]
    for parent, board in boards:
        for slot in range(SLOTS):
            child = int(trees.child[parent, slot])
            if child == NONE or trees.counts[child, VISITS] < min_visits:
                continue
            closes = slot == CALLS and not opens
            where = (street + 1, 0, True) if closes else (street, 1 - actor, False)
            name = names[slot] + board
            here.children.append(_read(trees, child, seat, name, here.owner_acts, *where, min_visits, board_nodes))
    here.children.sort(key=lambda n: -n.visits)
    return here


def lines(tree: Node, seat: int) -> Iterator[str]:
    """The tree as an indented list."""
    yield f"{POSITIONS[seat]}: {tree.visits} hands"
    yield from _lines(tree, 0)


def _lines(node: Node, depth: int) -> Iterator[str]:
    for child in node.children:
        who = "own" if child.own else "opponent"
        street = f"[{STREET_NAMES[child.street]}] " if child.street != node.street else ""
        yield f"{'  ' * (depth + 1)}{who} {child.edge} {street}- {stats_text(child)}"
        yield from _lines(child, depth + 1)


def stats_text(node: Node) -> str:
    """What a node counted, in words."""
    f = max(node.visits, 1)
    text = f"{node.visits} visits, showdown {node.showdowns / f:.0%}, opponent folds later {node.folds / f:.0%}"
    if node.strength is not None:
        text += f", shown EHS {node.strength:.2f}"
    taken = [(count, name) for count, name in zip(node.following, OPPONENT_NAMES, strict=True) if count]
    if taken:
        total = sum(count for count, _ in taken)
        text += "; next " + ", ".join(f"{name} {count / total:.0%}" for count, name in sorted(taken, reverse=True))
    return text
