"""Kinds of agents by the name in `agent.kind`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ashe.agents.ashe1 import Ashe1Config, Ashe1Problem
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_training import Ashe2Problem
from ashe.agents.ashe22 import Ashe22Config
from ashe.agents.ashe22_training import Ashe22Problem
from ashe.errors import UserError
from ashe.evolution.config import GameConfig
from ashe.evolution.protocols import TrainingProblem
from ashe.evolution.settings import from_mapping, suggestion
from ashe.game.rules import Rules

KINDS = ("ashe1", "ashe2", "ashe22", "ashe23")


def training_problem(agent: Mapping[str, Any], game: GameConfig, opponents: Sequence[str]) -> TrainingProblem:
    """The agent of a configuration, ready to be trained against `opponents`."""
    kind = agent["kind"]
    if kind not in KINDS:
        raise UserError(f"agent.kind={kind!r} is unknown; {suggestion(str(kind), [*KINDS, 'sphere'])}")
    rules = Rules(small_blind=game.small_blind, big_blind=game.big_blind, stack=game.stack)
    if kind == "ashe2":
        return Ashe2Problem(from_mapping(Ashe2Config, agent, "agent."), rules, game.hands)
    if kind in ("ashe22", "ashe23"):
        return Ashe22Problem(from_mapping(Ashe22Config, agent, "agent."), rules, game.hands)
    return Ashe1Problem(from_mapping(Ashe1Config, agent, "agent."), rules, game.hands)
