"""Players by name. `register` adds one; every command takes a registered name, a champion's name (or the path of its
file or run folder), or `module.path:ClassName`."""

import difflib
import importlib
from collections.abc import Callable
from typing import Any

from ashe.errors import UserError
from ashe.opponents.dispatch import RULES
from ashe.players.base import PlainPlayer, Player, RulePlayer

_FACTORIES: dict[str, Callable[[], Player]] = {}
# FAMILY@ARGUMENT is made by module:function(argument), imported when first asked for.
_FAMILIES = {
    "LBR": "ashe.exploit.lbr:lbr_player",
    "BR": "ashe.exploit.best_response:best_response",
    "EQ": "ashe.solver.player:eq_player",
    "FROZEN": "ashe.agents.snapshots:frozen_player",
}
# Names that mean something, but not a player of our matches.
_ELSEWHERE = {
    "SB": "SB (Slumbot) deals its own cards on its own server, so it cannot play duplicate matches; run "
    "python -m ashe.slumbot HERO --hands N instead"
}


def register(name: str) -> Callable[[Any], Any]:
    """Class decorator: an ordinary class with `act(view)` becomes a player of this name."""

    def add(cls: Any) -> Any:
        add_factory(name, lambda: PlainPlayer(name, cls))
        return cls

    return add


def add_factory(name: str, factory: Callable[[], Player]) -> None:
    """Register a player made by `factory()`; batched players come this way."""
    if name in _FACTORIES:
        raise UserError(f"player {name!r} is registered already; choose another name")
    _FACTORIES[name] = factory


def player_names() -> list[str]:
    """Registered players, then the champions that ship with the project."""
    return [*_FACTORIES, *_champions().champion_names()]


def _champions() -> Any:
    # Trained agents stand above players in the import table, so they are looked up only when a name asks for them.
    return importlib.import_module("ashe.agents.champions")


def make_player(name: str) -> Player:
    """A fresh player: by registered name, champion, or `package.module:ClassName` for a class with `act(view)`."""
    if name in _FACTORIES:
        return _FACTORIES[name]()
    if name in _ELSEWHERE:
        raise UserError(_ELSEWHERE[name])
    family, at, argument = name.partition("@")
    if at and family in _FAMILIES:
        module, _, function = _FAMILIES[family].partition(":")
        player: Player = getattr(importlib.import_module(module), function)(argument)
        return player
    champion: Player | None = _champions().champion_player(name)
    if champion is not None:
        return champion
    if ":" in name:
        module, _, attribute = name.partition(":")
        try:
            cls = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise UserError(f"player {name!r} cannot be loaded: {error}; write package.module:ClassName") from error
        if not hasattr(cls, "act"):
            raise UserError(f"player {name!r} has no act(view) method; see 'Add a player' in the README")
        return PlainPlayer(name, cls)
    known = player_names()
    near = difflib.get_close_matches(name.upper(), known, 1) or difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise UserError(
        f"unknown player {name!r}{hint} Known: {', '.join(known)}, a champion.npz, or module:ClassName of your own"
    )


for _info in RULES.values():
    add_factory(_info.code, lambda i=_info: RulePlayer(i.code, i.number, i.title, i.static))  # type: ignore[misc]
# Imported only when asked for: the solver stands above players in the import table.
add_factory("EQ", lambda: importlib.import_module("ashe.solver.player").make_eq())
