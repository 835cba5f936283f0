"""The estimators of ASHE 2.x: one layer of LSTM blocks, then a dense net (spec, sections 5, 7 and 8).

| estimator | estimates | inputs | output |
|---|---|---|---|
| SWRE | showdown win probability | 14 | 1 sigmoid |
| OFRE | probability that the opponent folds to a raise | 13 | 1 sigmoid |
| OARE | the opponent's next action | 21 | 9, softmax over legal actions |
| HRE  | the interval of the opponent's rank at the river | 14 | 9, softmax |
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ashe.errors import UserError
from ashe.estimators.genome import PRINTED, GenomeSpec, InitialStd
from ashe.estimators.heads import NetConfig, Output, net_forward
from ashe.estimators.lstm import LSTMConfig, State, lstm_forward
from ashe.estimators.population import PopulationModule, check_shape


@dataclass(frozen=True)
class EstimatorConfig:
    """LSTM of `blocks` x `size` cells on `inputs` features, `hidden` tanh layers, `outputs` squashed by `output`."""

    inputs: int
    outputs: int = 1
    output: Output = "sigmoid"
    blocks: int = 50
    size: int = 10
    hidden: tuple[int, ...] = (50,)
    output_tanh: bool = True

    def __post_init__(self) -> None:
        self.lstm, self.net  # noqa: B018  the parts check the sizes

    @property
    def lstm(self) -> LSTMConfig:
        return LSTMConfig(self.inputs, self.blocks, self.size, self.output_tanh)

    @property
    def net(self) -> NetConfig:
        return NetConfig((self.blocks * self.size, *self.hidden, self.outputs), self.output)

    def spec(self, std: InitialStd = PRINTED) -> GenomeSpec:
        return GenomeSpec.join({"lstm": self.lstm.spec(std), "net": self.net.spec(std)})


SWRE = EstimatorConfig(inputs=14)
OFRE = EstimatorConfig(inputs=13)
OARE = EstimatorConfig(inputs=21, outputs=9, output="softmax")
HRE = EstimatorConfig(inputs=14, outputs=9, output="softmax")


class Estimator(PopulationModule):
    """P estimators of one shape. State is passed in and out; nothing is remembered between calls."""

    def __init__(self, config: EstimatorConfig, genome: Tensor) -> None:
        self.config, self.lstm, self.net = config, config.lstm, config.net
        super().__init__(config.spec(), genome)

    def initial_state(self, tables: int) -> State:
        """The evolved initial state at every table, [P, cells, B]."""
        w = self.weights()
        return State(*(w[k].unsqueeze(-1).repeat(1, 1, tables) for k in ("lstm.c0", "lstm.y0")))

    def forward(
        self,
        x: Tensor,
        state: State,
        legal: Tensor | None = None,
        mask: Tensor | None = None,
        inplace: bool = False,
    ) -> tuple[Tensor, State]:
        """x [P, inputs, B], state [P, cells, B] -> outputs [P, outputs, B] and the next state.

        `legal` [P, outputs, B] restricts a softmax. Tables where `mask` [P, B] is false keep their state; their
        outputs are those of that state.
        """
        P, B, cells = self.population, x.shape[-1], self.lstm.cells
        check_shape("x", x, (P, self.lstm.inputs, B), self.genome)
        for name, part in zip("cy", state, strict=True):
            check_shape(f"state.{name}", part, (P, cells, B), self.genome)
        if legal is not None:
            check_shape("legal", legal, (P, self.config.outputs, B))
        if mask is not None:
            check_shape("mask", mask, (P, B))
        if self.use_kernel(x):
            from ashe.estimators.kernels.population import population_step

            g = self.net
            return population_step(
                self.genome, self.lstm, g.widths, g.activations, x, state, mask, legal, inplace=inplace
            )
        new = lstm_forward(self.lstm, self._lstm_weights(), x, state)
        if mask is not None:
            new = State(*(torch.where(mask.bool().unsqueeze(1), a, b) for a, b in zip(new, state, strict=True)))
        if inplace:
            new = State(state.c.copy_(new.c), state.y.copy_(new.y))
        return net_forward(self.net, self.weights(), new.y, legal, prefix="net."), new

    def _lstm_weights(self) -> dict[str, Tensor]:
        return {k.removeprefix("lstm."): v for k, v in self.weights().items() if k.startswith("lstm.")}

    # ------------------------------------------------------------ ragged batches
    def initial_rows(self, individual: Tensor) -> Tensor:
        """State rows [R, 2 * cells] (c, then y) at the start of a hand, row r for `individual[r]`."""
        w = self.weights()
        return torch.cat([w["lstm.c0"], w["lstm.y0"]], 1)[individual]

    def step_rows(
        self,
        x: Tensor,
        individual: Tensor,
        state: Tensor,
        source: Tensor | None = None,
        legal: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """A ragged batch: x [R, inputs], row r belongs to `individual[r]`, in any order.

        Row r starts from state row `source[r]` (default r) of `state` [M, 2 * cells]; several rows may share one.
        Returns outputs [R, outputs] and new state rows [R, 2 * cells]; `state` is not changed.
        """
        R = x.shape[0]
        check_shape("x", x, (R, self.lstm.inputs), self.genome)
        check_shape("individual", individual, (R,))
        check_shape("state", state, (len(state), 2 * self.lstm.cells), self.genome)
        if source is None:
            source = torch.arange(R, device=x.device)
        check_shape("source", source, (R,))
        if legal is not None:
            check_shape("legal", legal, (R, self.config.outputs))
        if R == 0:
            return x.new_empty(0, self.config.outputs), x.new_empty(0, 2 * self.lstm.cells)
        for name, index, bound in (("individual", individual, self.population), ("source", source, state.shape[0])):
            low, high = int(index.min()), int(index.max())
            if low < 0 or high >= bound:
                raise UserError(f"{name}: got {low}..{high}, allowed 0..{bound - 1}")
        if self.use_kernel(x):
            from ashe.estimators.kernels.population import population_rows

            g = self.net
            return population_rows(self.genome, self.lstm, g.widths, g.activations, x, individual, state, source, legal)
        return self._torch_rows(x, individual, state[source], legal)

    def _torch_rows(self, x: Tensor, individual: Tensor, state: Tensor, legal: Tensor | None) -> tuple[Tensor, Tensor]:
        """Sort rows by individual, pad every individual to the longest, step, and take the rows back."""
        order = torch.argsort(individual, stable=True)
        count = torch.bincount(individual, minlength=self.population)
        first = torch.cumsum(count, 0) - count
        slot = torch.empty_like(individual)
        slot[order] = torch.arange(len(order), device=x.device) - first[individual[order]]
        longest = int(count.max())

        def padded(rows: Tensor) -> Tensor:
            out = rows.new_zeros(self.population, longest, rows.shape[1])
            out[individual, slot] = rows
            return out.transpose(1, 2).contiguous()

        cells = self.lstm.cells
        before = padded(state)
        allowed = None if legal is None else padded(legal)
        out, after = self.forward(padded(x), State(before[:, :cells], before[:, cells:]), allowed)
        rows = torch.cat([after.c, after.y], 1)
        return out.transpose(1, 2)[individual, slot], rows.transpose(1, 2)[individual, slot]
