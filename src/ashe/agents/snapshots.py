"""Snapshots of an ASHE 2.0 agent (D Table 5-7): its trees at some hand of a match, kept to be played frozen.

1. `take_snapshots` plays one half match and saves the trees every so many hands.
2. `save_snapshot` writes one to a small file: the trees, the champion they belong to, and when they were taken.
3. The player `FROZEN@FILE` plays that champion from these trees without learning more.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe2_player import Ashe2Player, SavedTrees
from ashe.agents.champions import named_champion, player_of
from ashe.cards.random import derive_key
from ashe.cli import write_atomic
from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.opponents.exploitable import gambler_style
from ashe.players.base import BatchPlayer, Decisions, FinishedHands
from ashe.players.registry import make_player

STYLES = ("HM", "CM", "SL", "CS")  # by the number of `gambler_style`


@dataclass(frozen=True)
class About:
    """Whose trees, after which hand of which match. `digest` is the champion's, so that trees never meet another."""

    champion: str
    digest: str
    opponent: str
    seed: int
    hand: int


@dataclass(frozen=True)
class Snapshot:
    about: About
    trees: SavedTrees


class _Moment(NamedTuple):
    """What `gambler_style` reads of an observation."""

    style_key: np.uint64
    hand: int


def gambler_styles(seed: int, hands: int, every: int, match: int = 0, slot: int = 1) -> list[str]:
    """What RG plays in the last hand before hand number `every`, 2 * `every`, ... of a match."""
    key = np.uint64(derive_key(seed, "style", match, slot))
    return [STYLES[gambler_style(_Moment(key, hand - 1))] for hand in range(every, hands + 1, every)]


class _Recorder:
    """Plays as an `Ashe2Player` at one table, and saves its trees every `every` hands."""

    learns = True

    def __init__(self, player: Ashe2Player, every: int) -> None:
        self.name, self.player, self.every = player.name, player, every
        self.hands = 0
        self.saved: dict[int, SavedTrees] = {}

    def begin(self, tables: int, keys: NDArray[np.uint64]) -> None:
        self.player.begin(tables, keys)

    def act(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.player.act(decisions)

    def hand_over(self, finished: FinishedHands) -> None:
        self.player.hand_over(finished)
        self.hands += 1
        if self.hands % self.every == 0:
            self.saved[self.hands] = self.player.saved_trees()


def take_snapshots(champion: str, opponent: str, hands: int, every: int, seed: int) -> Iterator[Snapshot]:
    """The trees of `champion` after every `every` hands of a half match of `hands` hands."""
    player = make_player(champion)
    if not isinstance(player, Ashe2Player):
        raise UserError(f"{champion} has no trees to take snapshots of; name an ASHE 2.0 champion")
    recorder = _Recorder(player, every)
    Tables((recorder, make_player(opponent)), deal(seed, 0, hands), [HalfMatch(0, 0, 0, hands)], seed).run()
    for hand, trees in recorder.saved.items():
        yield Snapshot(About(champion, player.digest, opponent, seed, hand), trees)


def save_snapshot(path: Path, snapshot: Snapshot) -> None:
    buffer = io.BytesIO()
    about = np.array(json.dumps(asdict(snapshot.about)))
    np.savez_compressed(buffer, about=about, **snapshot.trees)  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def load_snapshot(path: Path) -> Snapshot:
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = dict(data)
            return Snapshot(About(**json.loads(str(arrays.pop("about")))), arrays)
    except FileNotFoundError as error:
        raise UserError(f"there is no snapshot at {path}; FROZEN@FILE needs one saved by save_snapshot") from error
    except (KeyError, TypeError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is not a snapshot or is damaged ({error}); take it again") from error


def frozen_player(file: str) -> BatchPlayer:
    """FROZEN@FILE: the champion of a snapshot, playing from its trees without learning."""
    snapshot = load_snapshot(Path(file))
    about = snapshot.about
    champion = named_champion(about.champion)
    if champion is None:
        raise UserError(f"{file} is a snapshot of {about.champion!r}, which is no champion here")
    if getattr(player_of(about.champion, champion), "digest", None) != about.digest:
        raise UserError(f"{file} was taken when {about.champion!r} played differently; take the snapshot again")
    return player_of(f"FROZEN@{file}", champion, snapshot.trees)
