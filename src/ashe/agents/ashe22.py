"""ASHE 2.2 and 2.3 (D chapters 7 and 8): advanced trees, OARE with SWRE or HRE, Recursive Utility Estimation.

Compositions of the same parts: trees and paths as in ASHE 2.0 and 2.1 (`ashe2`), the search of `decision.rue`;
`kind` says whether SWRE (ashe22) or HRE (ashe23) tells what a showdown is worth.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ashe.agents import ashe2_mind as mind
from ashe.agents.preliminary import PreliminaryConfig
from ashe.decision.frontier import RueChoices, Search, larger, new_search, nodes_of
from ashe.decision.hand_range import INTERVALS
from ashe.decision.runouts import Choices, choices
from ashe.decision.utility import HEADS
from ashe.errors import UserError
from ashe.estimators.estimator import EstimatorConfig
from ashe.estimators.genome import PRINTED, PROTOTYPE, GenomeSpec
from ashe.estimators.heads import Output
from ashe.estimators.rows import RowBank, more_rows, new_row_bank
from ashe.evolution.settings import check, setting
from ashe.trees.defaults import next_action_defaults, street_defaults
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
class Ashe22Config:
    kind: str = setting("ashe22", choices=("ashe22", "ashe23"), help="ashe22: SWRE, ashe23: HRE")
    blocks: int = setting(50, ge=1, help="LSTM blocks of each estimator")
    size: int = setting(10, ge=1, help="cells of a block")
    hidden: int = setting(50, ge=1, help="hidden units between the LSTM and the output")
    output_tanh: bool = setting(True, help="block output o * tanh(c) as printed; false: o * c, as the prototype")
    head: str = setting("direct", choices=tuple(HEADS), help="outputs are probabilities, or bend a sound first guess")
    reliable: int = setting(4, ge=0, help="a node counts as reliable with more visits than this")
    prior_visits: float = setting(10.0, gt=0.0, help="imagined visits behind a node's first guess")
    habit_visits: float = setting(
        0.0,
        ge=0.0,
        help="imagined visits of street defaults behind the opponent's habits; 0: none, as printed",
    )
    selective: bool = setting(
        False,
        help="who folds to a raise folds the weakest hands, so a caller is stronger; false as printed",
    )
    lambdas: tuple[float, ...] = setting((50.0, 20.0, 10.0, 5.0), help="visits of full confidence, by street")
    street_defaults: str = setting("training8", help="name of the default features in trees/defaults.json")
    trees: bool = setting(True, help="false: every node is taken as never visited (ablation)")
    preliminary: PreliminaryConfig | None = setting(None, help="session that builds default trees; null: none")
    board_nodes: bool = setting(True, help="trees have a node per texture cluster when community cards come")
    printed_rank: bool = setting(False, help="HRE: r_A without half of the ties, as printed")
    truth_first: bool = setting(False, help="in the first OARE session p_win is the true showdown result (D 8.3.1)")
    init: str = setting("printed", choices=("printed", "prototype"), help="standard deviations of the first genes")
    rue: RueConfig = setting(RueConfig(), help="how far to look ahead")

    def __post_init__(self) -> None:
        check(self)
        if len(self.lambdas) != 4 or min(self.lambdas) <= 0:
            raise UserError(f"lambdas={list(self.lambdas)} must be four positive numbers, one per street")
        street_defaults(self.street_defaults)

    @property
    def modules(self) -> tuple[str, str]:
        """OARE and what estimates showdowns."""
        return ("oare", "swre" if self.kind == "ashe22" else "hre")

    def estimator(self, name: str) -> EstimatorConfig:
        outputs = {"oare": SLOTS, "swre": 1, "hre": INTERVALS}[name]
        squash: Output = "sigmoid" if name == "swre" else "softmax"
        return EstimatorConfig(
            len(inputs_of(name)), outputs, squash, self.blocks, self.size, (self.hidden,), self.output_tanh
        )  # fmt: skip

    @cached_property
    def spec(self) -> GenomeSpec:
        """The genome: `oare`, then `swre` or `hre`."""
        std = PRINTED if self.init == "printed" else PROTOTYPE
        return GenomeSpec.join({name: self.estimator(name).spec(std) for name in self.modules})

    def settings(self, blinds: npt.NDArray[np.int64], use_default: bool = False) -> mind.Settings:
        return mind.Settings(
            head=HEADS[self.head],
            reliable=self.reliable,
            use_trees=int(self.trees),
            use_state=1,
            use_ofre=0,
            board_nodes=int(self.board_nodes),
            use_default=int(use_default),
            prior_visits=float(self.prior_visits),
            habit_visits=float(self.habit_visits),
            selective=int(self.selective),
            blinds=blinds,
            lambdas=np.array(self.lambdas, np.float64),
            defaults=street_defaults(self.street_defaults),
            next_defaults=next_action_defaults(self.street_defaults),
        )

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
