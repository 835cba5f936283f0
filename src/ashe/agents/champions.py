"""Trained agents as players: by name from `assets/champions/NAME/champion.npz`, or by the path of such a file or run.

The file says which agent it is for (`about.config.agent`), so nothing else is needed to play it. `NAME[key=value,...]`
is the same genome with other agent settings, e.g. `a4[trees=false]`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ashe.agents.ashe1 import Ashe1Config
from ashe.agents.ashe1_player import Ashe1Player
from ashe.agents.ashe2 import DEFAULT, Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player, SavedTrees
from ashe.agents.ashe22 import Ashe22Config
from ashe.agents.ashe22_player import Ashe22Player
from ashe.assets import assets_dir
from ashe.errors import UserError
from ashe.evolution.champion import ChampionFile, load_champion
from ashe.evolution.settings import from_mapping
from ashe.game.rules import Rules
from ashe.players.base import BatchPlayer

FILE = "champion.npz"
KINDS = ("ashe1", "ashe2", "ashe22", "ashe23")


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
    return sorted(dict.fromkeys(found), key=lambda entry: -entry.fitness)


def named_champion(name: str) -> ChampionFile | None:
    """The champion behind a name, a path, or either with `[key=value,...]`; None if it is none of them."""
    path = find_champion(name)
    if path is not None:
        return load_champion(path)
    found = re.fullmatch(r"(.+)\[([^\[\]]+)\]", name)
    path = find_champion(found[1]) if found else None
    if found is None or path is None:
        return None
    return with_settings(load_champion(path), found[1], found[2].split(","))


def with_settings(champion: ChampionFile, source: str, settings: Sequence[str]) -> ChampionFile:
    """The same genome, played with other agent settings (`key=value`; `group.key=value` within a group)."""
    about = json.loads(json.dumps(champion.about))
    for text in settings:
        path, _, value = text.partition("=")
        *groups, key = path.split(".")
        group = about["config"]["agent"]
        for name in groups:
            group = group.get(name) if isinstance(group, dict) else None
        if not isinstance(group, dict) or key not in group:
            known = ", ".join(group if isinstance(group, dict) else about["config"]["agent"])
            raise UserError(f"unknown agent setting {path!r}; known: {known}")
        try:
            group[key] = json.loads(value)
        except json.JSONDecodeError:
            group[key] = value
    about["derived_from"] = {"champion": source, "settings": list(settings)}
    return ChampionFile(champion.genome, about, champion.assets)


def champion_player(name: str) -> BatchPlayer | None:
    """The player of a champion's name, as `named_champion` understands it."""
    champion = named_champion(name)
    return None if champion is None else player_of(name, champion)


def default_trees(champion: ChampionFile) -> SavedTrees | None:
    """The default trees that came with a champion; None where it has none."""
    found = {key.removeprefix(DEFAULT): array for key, array in champion.assets.items() if key.startswith(DEFAULT)}
    return found or None


def player_of(name: str, champion: ChampionFile, frozen: SavedTrees | None = None) -> BatchPlayer:
    """The player that a champion file describes; `frozen` trees are for ASHE 2.0 only."""
    config: Any = champion.about.get("config", {})
    agent, game = config.get("agent", {}), config.get("game", {})
    kind = agent.get("kind")
    if kind not in KINDS:
        raise UserError(f"champion {name!r} is of kind {kind!r}, which cannot play; known: {', '.join(KINDS)}")
    rules = Rules(small_blind=game["small_blind"], big_blind=game["big_blind"], stack=game["stack"])
    if kind == "ashe2":
        settings = from_mapping(Ashe2Config, agent, "agent.")
        return Ashe2Player(name, settings, champion.genome, rules, frozen, default_trees(champion))
    if kind in ("ashe22", "ashe23"):
        choices = from_mapping(Ashe22Config, agent, "agent.")
        return Ashe22Player(name, choices, champion.genome, rules, frozen, default_trees(champion))
    if frozen is not None:
        raise UserError(f"champion {name!r} is of kind {kind!r}, without trees to freeze; name an ASHE 2.0 champion")
    return Ashe1Player(name, from_mapping(Ashe1Config, agent, "agent."), champion.genome, rules)
