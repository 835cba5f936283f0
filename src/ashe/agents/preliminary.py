"""Preliminary sessions (D 6.1): before a generation is evaluated, everybody builds default trees against the same
opponents on the same decks. Which hands they are; the agents play them with their own compiled loops.

1. `hands` textured decks of this generation, each played once, the button alternating from deck to deck.
2. Given opponents get equal blocks of them, one after the other; in self-play all are played with the champion of the
   generation before, in the first generation with a random genome.
3. The session is one match: trees are never reset. The default features are those of ASHE 2.0, by street.
4. With `tables` > 1 a block is cut among that many tables, which play at the same time and share the trees: the same
   hands in another order, for the price of a fraction (tables are the lanes of the kernel). Each table has habits of
   its own.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.random import derive_key
from ashe.errors import UserError
from ashe.evaluation import kernel as k
from ashe.evolution.protocols import GenerationTask
from ashe.evolution.settings import check, setting, suggestion
from ashe.game.deal import Deal
from ashe.game.textured import textured_deal
from ashe.opponents.dispatch import EXTERNAL, RULES
from ashe.trees.prt import Trees, new_node


@dataclass(frozen=True)
class PreliminaryConfig:
    hands: int = setting(5_000, ge=2, help="hands of a session")
    opponents: tuple[str, ...] = setting((), help="default opponents, in blocks; none: the champion before (self-play)")
    tables: int = setting(1, ge=1, help="tables that share the trees and play at the same time; printed: 1")

    def __post_init__(self) -> None:
        check(self)
        for name in self.opponents:
            if name not in RULES:
                raise UserError(f"preliminary.opponents: unknown opponent {name!r}; {suggestion(name, list(RULES))}")
        least = self.blocks * self.tables
        if self.hands < least:
            raise UserError(f"preliminary.hands={self.hands} must be at least {least}, one per opponent and table")

    @property
    def self_play(self) -> bool:
        return not self.opponents

    @property
    def blocks(self) -> int:
        return max(len(self.opponents), 1)


class DefaultTrees(NamedTuple):
    """What sessions leave: one pool, and for each individual its two roots, by seat."""

    trees: Trees
    roots: NDArray[np.int32]  # [n, 2]

    def part(self, first: int, last: int) -> "DefaultTrees":
        return DefaultTrees(self.trees, self.roots[first:last])


@dataclass(frozen=True)
class Block:
    """The hands against one opponent: arrays of `evaluation.kernel` for one individual's tables."""

    codes: NDArray[np.int64]  # [tables, 2]
    meta: NDArray[np.int64]  # [tables, 6]
    style_keys: NDArray[np.uint64]  # [tables, 2]

    @cached_property
    def hands(self) -> int:
        """Of the table that plays most."""
        return int(self.meta[:, k.HANDS].max())


@dataclass(frozen=True)
class Session:
    deal: Deal
    blocks: tuple[Block, ...]


def session_of(config: PreliminaryConfig, task: GenerationTask) -> Session:
    """The decks and blocks of a generation's session: of (seed, generation) only."""
    cards = textured_deal(task.seed, task.generation * config.hands, config.hands, stream="preliminary decks")
    edges = [config.hands * i // (config.blocks * config.tables) for i in range(config.blocks * config.tables + 1)]
    pieces = list(pairwise(edges))
    blocks = []
    for b in range(config.blocks):
        mine = pieces[b * config.tables : (b + 1) * config.tables]
        meta = np.zeros((config.tables, 6), np.int64)
        for t, (first, last) in enumerate(mine):
            meta[t, k.FIRST_DECK], meta[t, k.HANDS] = first, last - first
            meta[t, k.HALF] = first & 1  # seats by deck number: the button alternates through the whole session
        codes = np.full((config.tables, 2), EXTERNAL, np.int64)
        name = "self-play" if config.self_play else config.opponents[b]
        if not config.self_play:
            codes[:, 1] = RULES[name].number
        key = derive_key(task.seed, "preliminary style", task.generation, name)
        blocks.append(Block(codes, meta, np.full((config.tables, 2), key, np.uint64)))
    return Session(cards, tuple(blocks))


def plant(mind: Any, tables: int) -> NDArray[np.int32]:
    """Two empty trees per individual, shared by its `tables` tables; returns their roots [n, 2]."""
    for first in range(0, len(mind.roots), tables):
        mind.roots[first : first + tables] = [new_node(mind.trees), new_node(mind.trees)]
    return mind.roots[::tables].copy()
