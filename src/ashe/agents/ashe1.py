"""ASHE 1.0 (D chapter 4, P): a game module, an opponent module and a decision net (spec section 3).

- Game module: LSTM blocks, reset every hand. Opponent module: LSTM blocks, reset every opponent and half match.
- Both read the same inputs at every event (`ashe1_kernel`); the decision net reads both modules' outputs.
- Its output, the aggression score, becomes an action by a rule of `decision.threshold`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch

from ashe.agents.ashe1_kernel import PRINTED_INPUTS, PROTOTYPE_INPUTS, Layout, play_population
from ashe.agents.problem import AgentProblem
from ashe.agents.training import TrainingTables
from ashe.decision.threshold import PREFLOP
from ashe.decision.threshold import RULES as DECISION_RULES
from ashe.errors import UserError
from ashe.estimators.genome import PRINTED, PROTOTYPE, GenomeSpec
from ashe.estimators.heads import NetConfig
from ashe.estimators.lstm import LSTMConfig
from ashe.evolution.protocols import GenerationTask, Result
from ashe.evolution.settings import check, setting
from ashe.game.rules import Rules


@dataclass(frozen=True)
class Ashe1Config:
    kind: str = setting("ashe1", choices=("ashe1",), help="this agent")
    game_blocks: int = setting(10, ge=1, help="LSTM blocks of the game module")
    game_size: int = setting(10, ge=1, help="cells of each of them")
    opponent_blocks: int = setting(1, ge=1, help="LSTM blocks of the opponent module")
    opponent_size: int = setting(50, ge=1, help="cells of each of them")
    hidden: int = setting(75, ge=1, help="hidden units of the decision net")
    inputs: str = setting("printed", choices=("printed", "prototype"), help="8 inputs in [0, 1], or 5 in [-1, 1]")
    chips_power: float = setting(
        1.0, gt=0.0, help="exponent on the chip inputs; below 1, small bets are told apart more easily; printed: 1"
    )
    output_tanh: bool = setting(True, help="block output o * tanh(c) as printed; false: o * c, as the prototype")
    step: str = setting(
        "every_action",
        choices=("every_action", "own_decisions"),
        help="the modules step: printed, or prototype",
    )
    end_step: bool = setting(True, help="the opponent module also steps when a hand has ended")
    decision: str = setting("printed", choices=tuple(DECISION_RULES), help="from the score to an action")
    power: float = setting(1.0, gt=0.0, help="exponent on the size of the score; above 1, small wishes get more room")
    preflop: str = setting("free", choices=tuple(PREFLOP), help="raises before the flop; free as printed")
    open_from: float = setting(
        0.0, ge=0.0, le=1.0, help="flat: share of all chips the wish must reach to open with a raise; below it limps"
    )
    slow_play: bool = setting(False, help="leaves the first bet of flop and turn to the opponent; false as printed")
    raise_from: float = setting(
        0.0, ge=0.0, help="share of all chips the wish must reach to raise a bet on flop or turn; below it calls"
    )
    init: str = setting("printed", choices=("printed", "prototype"), help="standard deviations of the first genes")
    init_scale: float = setting(1.0, gt=0.0, help="factor on these deviations")

    def __post_init__(self) -> None:
        check(self)

    @property
    def n_inputs(self) -> int:
        return PRINTED_INPUTS if self.inputs == "printed" else PROTOTYPE_INPUTS

    @cached_property
    def spec(self) -> GenomeSpec:
        """The genome: `game`, `opponent`, `net`."""
        std = PRINTED if self.init == "printed" else PROTOTYPE
        game = LSTMConfig(self.n_inputs, self.game_blocks, self.game_size, self.output_tanh)
        opponent = LSTMConfig(self.n_inputs, self.opponent_blocks, self.opponent_size, self.output_tanh)
        net = NetConfig((game.cells + opponent.cells, self.hidden, 1), "tanh")
        return GenomeSpec.join({"game": game.spec(std), "opponent": opponent.spec(std), "net": net.spec(std)})

    @cached_property
    def layout(self) -> Layout:
        return Layout(
            inputs=self.n_inputs,
            game_blocks=self.game_blocks,
            game_size=self.game_size,
            opponent_blocks=self.opponent_blocks,
            opponent_size=self.opponent_size,
            hidden=self.hidden,
            output_tanh=int(self.output_tanh),
            game=self.spec["game.W"].start,
            opponent=self.spec["opponent.W"].start,
            layer0=self.spec["net.layer0.W"].start,
            layer1=self.spec["net.layer1.W"].start,
            rule=DECISION_RULES[self.decision],
            power=self.power,
            preflop=PREFLOP[self.preflop],
            open_from=self.open_from,
            slow_play=int(self.slow_play),
            raise_from=self.raise_from,
            chips_power=self.chips_power,
            every_action=int(self.step == "every_action"),
            end_step=int(self.end_step),
        )


class Ashe1Problem(AgentProblem):
    """ASHE 1.0 as a `TrainingProblem`."""

    evaluator = "ashe.agents.ashe1:Ashe1Evaluator"

    def __init__(self, config: Ashe1Config, rules: Rules, hands: int) -> None:
        super().__init__(config, rules, hands, {"agent": (0, config.spec.length)})
        self.config = config

    def initial(self, seed: int, n: int) -> torch.Tensor:
        return super().initial(seed, n) * self.config.init_scale

    def describe(self) -> str:
        c = self.config
        return (
            f"ASHE 1.0: game module {c.game_blocks} x {c.game_size}, opponent module {c.opponent_blocks} x "
            f"{c.opponent_size}, decision net {c.hidden}, {c.spec.length:,} genes; 2 x {self.half} hands per opponent"
        )


class Ashe1Evaluator:
    """Plays genomes against rule players, one individual after the other, its tables side by side."""

    def __init__(self, config: Ashe1Config, rules: Rules, half: int) -> None:
        self.config = config
        self.tables = TrainingTables(rules, half)
        self.work = np.zeros(3, np.int64)  # LSTM steps, ticks, ticks with a decision: for benchmarks

    def evaluate(self, genomes: npt.NDArray[np.float32], task: GenerationTask) -> Result:
        if genomes.ndim != 2 or genomes.shape[1] != self.config.spec.length:
            raise UserError(f"genomes of shape {genomes.shape}: this agent has {self.config.spec.length} genes")
        t = self.tables.of(task)
        n, lanes = len(genomes), len(t.codes)
        won, ev = np.zeros((n, lanes), np.int64), np.zeros((n, lanes), np.float64)
        stats = np.zeros((n, lanes, 2, 4, 5), np.int64)
        self.work += play_population(
            np.ascontiguousarray(genomes, np.float32), self.config.layout, t.codes, t.meta, t.blinds, t.deal.keys,
            t.deal.ehs, t.deal.percentile, t.deal.rank, t.deal.allin, t.style_keys, won, ev, stats,
        )  # fmt: skip
        return self.tables.result(won, ev, stats)
