"""ASHE 2.0 and 2.1 (D chapters 5 and 6): Pattern Recognition Trees, SWRE, OFRE and the utility rule put together.

ASHE 2.1 is the same with board nodes and a preliminary session, whose trees are the agent's default trees (spec,
sections 5, 6 and 10).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ashe.agents import ashe2_mind as mind
from ashe.agents.model_config import ModelConfig
from ashe.decision.utility import ACTIONS
from ashe.estimators.estimator import EstimatorConfig
from ashe.evaluation import kernel as k
from ashe.evolution.settings import setting
from ashe.game.engine import WIDTH
from ashe.trees.edges import OWN_RAISES
from ashe.trees.features import ROW, WIDE_ROW, inputs_of
from ashe.trees.habits import clear_habits, new_habits
from ashe.trees.prt import new_trees, reset

Genomes = npt.NDArray[np.float32]
NODES_PER_TABLE = 1024  # to begin with; the pool grows
DEFAULT = "default_"  # arrays of a champion file that are its default trees


@dataclass(frozen=True)
class Ashe2Config(ModelConfig):
    kind: str = setting("ashe2", choices=("ashe2",), help="this agent")
    lstm_state: bool = setting(True, help="false: estimators start afresh at every step (ablation)")
    ofre: bool = setting(True, help="false: fold probability from counts alone (ablation)")

    @property
    def modules(self) -> tuple[str, str]:
        return "swre", "ofre"

    def estimator(self, name: str) -> EstimatorConfig:
        return EstimatorConfig(
            len(inputs_of(name)), 1, "sigmoid", self.blocks, self.size, (self.hidden,), self.output_tanh
        )

    def settings(self, blinds: npt.NDArray[np.int64], use_default: bool = False) -> mind.Settings:
        shared = super().settings(blinds, use_default)
        return shared._replace(use_state=int(self.lstm_state), use_ofre=int(self.ofre))


def new_mind(tables: int, nodes: int, next_actions: bool = False) -> mind.Mind:
    """A mind for `tables` tables with room for `nodes` nodes."""
    T = tables
    return mind.Mind(
        V=np.zeros((T, WIDTH), np.int64),
        hand=np.full(T, -1, np.int64),
        seat=np.zeros(T, np.int64),
        seen=np.zeros(T, np.int64),
        ehs=np.zeros((T, 4), np.float32),
        roots=np.zeros((T, 2), np.int32),
        trees=new_trees(nodes, next_actions),
        cluster=np.zeros((T, 4), np.int64),
        at=np.zeros(T, np.int64),
        default=new_trees(2, next_actions),
        default_roots=np.zeros((T, 2), np.int32),
        default_at=np.zeros(T, np.int64),
        habits=new_habits(T, next_actions),
        habit=np.zeros((T, mind.PATH), np.int64),
        length=np.zeros(T, np.int64),
        path=np.zeros((T, mind.PATH), np.int64),
        street=np.zeros((T, mind.PATH), np.int64),
        edge=np.zeros((T, mind.PATH), np.int64),
        rows=np.zeros((T, mind.PATH, WIDE_ROW if next_actions else ROW), np.float32),
        done=np.zeros((T, 2), np.int64),
        p=np.zeros(T, np.float64),
        phi=np.zeros((T, OWN_RAISES), np.float64),
        guess=np.zeros((T, OWN_RAISES), np.float64),
        output=np.zeros((T, 1 + OWN_RAISES), np.float32),
        to=np.zeros((T, OWN_RAISES), np.int64),
        u=np.zeros((T, ACTIONS), np.float64),
        choice=np.zeros(T, np.int64),
        lane=np.zeros((T, OWN_RAISES), np.int64),
        need=np.zeros(T, np.uint8),
        work=np.zeros(mind.COUNTERS, np.int64),
    )


def forget(m: mind.Mind) -> None:
    """New half matches begin at all tables."""
    reset(m.trees)
    clear_habits(m.habits)
    m.roots[:] = 0
    m.hand[:] = -1


def new_bank(config: EstimatorConfig, name: str, weights: Genomes, lanes: int) -> mind.Bank:
    """Working memory of an estimator: weights [W, D], `lanes` tables for each of the W sets."""
    cells, hidden = config.blocks * config.size, config.hidden[0]
    most = -(-OWN_RAISES * lanes // mind.LANES) * mind.LANES
    return mind.Bank(
        w=np.ascontiguousarray(weights, np.float32),
        inputs=config.inputs,
        blocks=config.blocks,
        size=config.size,
        hidden=hidden,
        output_tanh=int(config.output_tanh),
        features=np.array(inputs_of(name), np.int64),
        state=np.zeros((len(weights), 2 * cells, lanes), np.float32),
        x=np.zeros(config.inputs * most, np.float32),
        ahead=np.zeros(2 * cells * most, np.float32),
        h=np.zeros(hidden * most, np.float32),
        out=np.zeros(most, np.float32),
        mask=np.zeros(lanes, np.uint8),
    )


def banks_of(config: Ashe2Config, genomes: Genomes, tables: int) -> tuple[mind.Bank, mind.Bank]:
    """SWRE and OFRE for individuals with `tables` tables each; weights that all share are one set with all lanes."""
    banks = []
    for name in ("swre", "ofre"):
        w = genomes[:, slice(*config.spec.part(name))]
        shared = len(w) == 1 or bool((w[1:] == w[0]).all())
        sets, lanes = (w[:1], tables * len(w)) if shared else (w, tables)
        banks.append(new_bank(config.estimator(name), name, sets, lanes))
    return banks[0], banks[1]


class TableArrays(NamedTuple):
    """Fresh arrays of `evaluation.kernel` for T tables."""

    state: npt.NDArray[np.int64]
    memory: npt.NDArray[np.int64]
    chips: npt.NDArray[np.int64]  # [T, hands]
    adjusted: npt.NDArray[np.float64]
    stats: npt.NDArray[np.int64]
    history: npt.NDArray[Any]


def table_arrays(tables: int, hands: int, stack: int) -> TableArrays:
    return TableArrays(
        np.zeros((tables, WIDTH), np.int64),
        np.zeros((tables, 2), np.int64),
        np.zeros((tables, hands), np.int64),
        np.zeros((tables, hands), np.float64),
        np.zeros((tables, 2, 4, 5), np.int64),
        np.zeros((tables, k.MAX_ACTIONS, 4), np.int16 if stack < 32_000 else np.int64),
    )
