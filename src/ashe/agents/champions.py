"""Trained agents as players: by name from `assets/champions/NAME/champion.npz`, or by the path of such a file or run.

The file says which agent it is for (`about.config.agent`), so nothing else is needed to play it.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ashe.agents.ashe1 import Ashe1Config
from ashe.agents.ashe1_player import Ashe1Player
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player
from ashe.assets import assets_dir
from ashe.errors import UserError
from ashe.evolution.champion import ChampionFile, load_champion
from ashe.evolution.settings import from_mapping
from ashe.game.rules import Rules
from ashe.players.base import BatchPlayer

FILE = "champion.npz"
KINDS = ("ashe1", "ashe2")


@dataclass(frozen=True)
class Entry:
    """A champion and the fitness it ended with."""

    name: str
    fitness: float


def champion_names() -> list[str]:
    """Champions that ship with the project."""
    return sorted(path.parent.name for path in (assets_dir() / "champions").glob(f"*/{FILE}"))


def find_champion(name: str) -> Path | None:
    """The file behind a champion's name, a run folder or the path of a champion file; None if it is none of them."""
    shipped = assets_dir() / "champions" / name / FILE
    if "/" not in name and "\\" not in name and shipped.is_file():
        return shipped
    path = Path(name)
    if path.is_dir() and (path / FILE).is_file():
        return path / FILE
    return path if path.suffix == ".npz" and path.is_file() else None


def champion_family(*names: str) -> list[Entry]:
    """The champions of these experiments, best fitness first: `ashe1` stands for ashe1, ashe1_s2, ashe1_s3, ..."""
    found: list[Entry] = []
    for name in names:
        members = [m for m in champion_names() if m == name or re.fullmatch(rf"{re.escape(name)}_s\d+", m)]
        for member in members or [name]:
            path = find_champion(member)
            if path is None:
                raise UserError(
                    f"there is no champion {member!r}; shipped are: {', '.join(champion_names()) or 'none'}"
                )
            found.append(Entry(member, float(load_champion(path).about["metrics"]["fitness"]["best"])))
    return sorted(found, key=lambda entry: -entry.fitness)


def make_champion(name: str, path: Path) -> BatchPlayer:
    return player_of(name, load_champion(path))


def player_of(name: str, champion: ChampionFile) -> BatchPlayer:
    """The player that a champion file describes."""
    config: Any = champion.about.get("config", {})
    agent, game = config.get("agent", {}), config.get("game", {})
    kind = agent.get("kind")
    if kind not in KINDS:
        raise UserError(f"champion {name!r} is of kind {kind!r}, which cannot play; known: {', '.join(KINDS)}")
    rules = Rules(small_blind=game["small_blind"], big_blind=game["big_blind"], stack=game["stack"])
    if kind == "ashe2":
        return Ashe2Player(name, from_mapping(Ashe2Config, agent, "agent."), champion.genome, rules)
    return Ashe1Player(name, from_mapping(Ashe1Config, agent, "agent."), champion.genome, rules)
