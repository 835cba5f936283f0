"""ASHE 2.2 and 2.3 (D chapters 7 and 8): advanced trees, OARE with SWRE or HRE, Recursive Utility Estimation.

Compositions of the same parts: trees and paths as in ASHE 2.0 and 2.1 (`ashe2`), the search of `decision.rue`;
`kind` says whether SWRE (ashe22) or HRE (ashe23) tells what a showdown is worth.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ashe.agents.ashe2_mind import Settings
from ashe.agents.model_config import ModelConfig
from ashe.decision.frontier import RueChoices, Search, larger, new_search, nodes_of
from ashe.decision.hand_range import INTERVALS
from ashe.decision.runouts import Choices, choices
from ashe.estimators.estimator import EstimatorConfig
from ashe.estimators.heads import Output
from ashe.estimators.rows import RowBank, more_rows, new_row_bank
from ashe.evolution.settings import check, setting
from ashe.trees.edges import SLOTS
from ashe.trees.features import inputs_of

Genomes = npt.NDArray[np.float32]
FIRST_NODES = 1024  # a search has room for so many to begin with; it grows


@dataclass(frozen=True)
class RueConfig:
    """How far to look ahead."""

    samples: int = setting(100, ge=1, help="run-outs sampled before the flop and on the flop")
    every_river: bool = setting(True, help="on the turn, each of the 46 rivers by itself; false: by groups")
    strength_groups: int = setting(1, ge=1, help="parts that own EHS cuts a cluster's run-outs into; printed: 1")
    min_reach: float = setting(0.0, ge=0.0, le=1.0, help="states reached with less probability are not visited")
    budget: int = setting(0, ge=0, help="states visited per decision, likeliest first; 0 = no limit")
    search_unknown: int = setting(
        0, ge=0, help="nodes that no tree knows are visited too, up to so many actions ahead; printed: 0"
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Ashe22Config(ModelConfig):
    kind: str = setting("ashe22", choices=("ashe22", "ashe23"), help="ashe22: SWRE, ashe23: HRE")
    board_nodes: bool = setting(True, help="trees have a node per texture cluster when community cards come")
    printed_rank: bool = setting(False, help="HRE: r_A without half of the ties, as printed")
    truth_first: bool = setting(False, help="in the first OARE session p_win is the true showdown result (D 8.3.1)")
    rue: RueConfig = setting(RueConfig(), help="how far to look ahead")

    @property
    def modules(self) -> tuple[str, str]:
        """OARE and what estimates showdowns."""
        return ("oare", "swre" if self.kind == "ashe22" else "hre")

    def estimator(self, name: str) -> EstimatorConfig:
        outputs = {"oare": SLOTS, "swre": 1, "hre": INTERVALS}[name]
        squash: Output = "sigmoid" if name == "swre" else "softmax"
        return EstimatorConfig(
            len(inputs_of(name)), outputs, squash, self.blocks, self.size, (self.hidden,), self.output_tanh
        )

    def settings(self, blinds: npt.NDArray[np.int64], use_default: bool = False) -> Settings:
        return super().settings(blinds, use_default)._replace(imagined=int(self.selective))

    def rue_choices(self, use_truth: bool = False) -> RueChoices:
        return RueChoices(
            hre=int(self.kind == "ashe23"),
            min_reach=float(self.rue.min_reach),
            budget=self.rue.budget,
            search_unknown=self.rue.search_unknown,
            use_truth=int(use_truth),
        )

    def run_outs(self) -> Choices:
        r = self.rue
        return choices(r.samples, r.strength_groups, r.every_river, self.printed_rank)


def search_of(config: Ashe22Config, genomes: Genomes, lanes: int) -> tuple[Search, RowBank, RowBank]:
    """Search memory, OARE and SWRE or HRE for `lanes` tables of each genome [n, D].

    An estimator that all share (the frozen one of a module session) is one set of weights for all tables.
    """
    tables = lanes * len(genomes)
    banks = []
    for name in config.modules:
        first, last = config.spec.part(name)
        w = genomes[:, first:last]
        shared = len(w) == 1 or bool((w[1:] == w[0]).all())
        banks.append(new_row_bank(config.estimator(name), inputs_of(name), w[:1] if shared else w, tables, FIRST_NODES))
    return new_search(tables, FIRST_NODES), banks[0], banks[1]


def more_room(q: Search, oare: RowBank, win: RowBank) -> tuple[Search, RowBank, RowBank]:
    """Twice the room for nodes."""
    nodes = 2 * nodes_of(q)
    return larger(q, nodes), more_rows(oare, nodes), more_rows(win, nodes)
