"""Vanilla LSTM blocks with peepholes over a whole population.

K. Greff et al., "LSTM: A Search Space Odyssey" (2017), equations of the vanilla LSTM (spec, section 3):

    z = tanh(Wz x + Rz y' + bz)                  block input
    i = s(Wi x + Ri y' + pi * c' + bi)           input gate
    f = s(Wf x + Rf y' + pf * c' + bf)           forget gate
    c = i * z + f * c'                           cell
    o = s(Wo x + Ro y' + po * c + bo)            output gate
    y = o * tanh(c)                              block output (the 2016 prototype: y = o * c)

x' means "of the previous step". A block's recurrence sees only that block's outputs. Initial c and y are genes.
Tables are the last dimension everywhere: x [P, inputs, B], c and y [P, cells, B].
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ashe.estimators.genome import PRINTED, GenomeSpec, InitialStd, resolve
from ashe.estimators.population import PopulationModule, check_count, check_shape

GATES = ("z", "i", "f", "o")


@dataclass(frozen=True)
class LSTMConfig:
    """`blocks` blocks of `size` cells that all read the same `inputs`."""

    inputs: int
    blocks: int
    size: int
    output_tanh: bool = True

    def __post_init__(self) -> None:
        for name in ("inputs", "blocks", "size"):
            check_count(f"LSTM {name}", getattr(self, name))

    @property
    def cells(self) -> int:
        return self.blocks * self.size

    def spec(self, std: InitialStd = PRINTED) -> GenomeSpec:
        """Slices in the kernel's order; W and R are [cell, gate, input], gates in the order z, i, f, o."""
        n, inputs, size = self.cells, self.inputs, self.size

        def scale(kind: str) -> float:
            return resolve(getattr(std, kind), fan_in=inputs + size, inputs=inputs, cells=size)

        return GenomeSpec.build(
            [
                ("W", (n, 4, inputs), scale("W")),
                ("R", (n, 4, size), scale("R")),
                ("bias", (n, 4), scale("bias")),
                ("peephole", (n, 3), scale("peephole")),
                ("c0", (n,), scale("state")),
                ("y0", (n,), scale("state")),
            ]
        )


class State(NamedTuple):
    """Cell states and outputs, [P, cells, B] each. The output of the module is y."""

    c: Tensor
    y: Tensor


class BlockLSTM(PopulationModule):
    """The equations above for P individuals with weights of their own."""

    def __init__(self, config: LSTMConfig, genome: Tensor) -> None:
        self.config = config
        super().__init__(config.spec(), genome)

    def initial_state(self, tables: int) -> State:
        """The evolved initial state at every table."""
        w = self.weights()
        return State(*(w[k].unsqueeze(-1).repeat(1, 1, tables) for k in ("c0", "y0")))

    def forward(self, x: Tensor, state: State, mask: Tensor | None = None, inplace: bool = False) -> State:
        """One step; tables where `mask` [P, B] is false keep their state. `inplace` overwrites `state`."""
        g, P, B = self.config, self.population, x.shape[-1]
        check_shape("x", x, (P, g.inputs, B), self.genome)
        for name, part in zip("cy", state, strict=True):
            check_shape(f"state.{name}", part, (P, g.cells, B), self.genome)
        if mask is not None:
            check_shape("mask", mask, (P, B))
        if not self.use_kernel(x):
            new = lstm_forward(g, self.weights(), x, state)
            if mask is not None:
                new = State(*(torch.where(mask.bool().unsqueeze(1), a, b) for a, b in zip(new, state, strict=True)))
            if inplace:
                new = State(state.c.copy_(new.c), state.y.copy_(new.y))
            return new
        from ashe.estimators.kernels.population import population_step

        return population_step(self.genome, g, (), (), x, state, mask, inplace=inplace)[1]


def lstm_forward(g: LSTMConfig, w: dict[str, Tensor], x: Tensor, state: State) -> State:
    """The equations in torch, for any device."""
    P, B = x.shape[0], x.shape[-1]
    c, y = state
    # [P, 4 cells, inputs] @ [P, inputs, B], and the same per block for the recurrence
    Wx = torch.baddbmm(w["bias"].reshape(P, 4 * g.cells, 1), w["W"].reshape(P, 4 * g.cells, g.inputs), x)
    Ry = torch.bmm(w["R"].reshape(P * g.blocks, 4 * g.size, g.size), y.reshape(P * g.blocks, g.size, B))
    z, i, f, o = (Wx + Ry.reshape(P, 4 * g.cells, B)).reshape(P, g.cells, 4, B).unbind(2)
    p_i, p_f, p_o = w["peephole"].unsqueeze(-1).unbind(2)
    c = torch.sigmoid(i + p_i * c) * torch.tanh(z) + torch.sigmoid(f + p_f * c) * c
    o = torch.sigmoid(o + p_o * c)
    return State(c, o * torch.tanh(c) if g.output_tanh else o * c)
