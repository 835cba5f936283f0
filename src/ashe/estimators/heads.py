"""Feed-forward nets over a whole population: tanh hidden layers, then a configurable output."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from ashe.errors import UserError
from ashe.estimators.genome import PRINTED, GenomeSpec, InitialStd, resolve
from ashe.estimators.population import PopulationModule, check_count, check_shape

Output = Literal["tanh", "sigmoid", "softmax", "linear"]


@dataclass(frozen=True)
class NetConfig:
    """widths[0] inputs, hidden tanh layers, widths[-1] outputs squashed by `output`."""

    widths: tuple[int, ...]
    output: Output = "tanh"

    def __post_init__(self) -> None:
        if len(self.widths) < 2:
            raise UserError(f"net widths: got {self.widths}, need at least (inputs, outputs)")
        for width in self.widths:
            check_count("net width", width)
        if self.output not in get_args(Output):
            raise UserError(f"net output: got {self.output!r}, allowed: {', '.join(get_args(Output))}")

    @property
    def layers(self) -> int:
        return len(self.widths) - 1

    @property
    def activations(self) -> tuple[str, ...]:
        return ("tanh",) * (self.layers - 1) + (self.output,)

    def spec(self, std: InitialStd = PRINTED) -> GenomeSpec:
        """`layer0.W` [out, in], `layer0.bias` [out], `layer1.W`, ..."""
        parts: list[tuple[str, tuple[int, ...], float]] = []
        for k, (n_in, n_out) in enumerate(zip(self.widths[:-1], self.widths[1:], strict=True)):
            bias = std.output_bias if k + 1 == self.layers else std.dense_bias
            parts.append((f"layer{k}.W", (n_out, n_in), resolve(std.dense_weight, fan_in=n_in)))
            parts.append((f"layer{k}.bias", (n_out,), resolve(bias, fan_in=n_in)))
        return GenomeSpec.build(parts)


class PopulationNet(PopulationModule):
    """P nets of one shape: x [P, inputs, B] -> [P, outputs, B]."""

    def __init__(self, config: NetConfig, genome: Tensor) -> None:
        self.config = config
        super().__init__(config.spec(), genome)

    def forward(self, x: Tensor, legal: Tensor | None = None) -> Tensor:
        """`legal` [P, outputs, B]: a softmax output gives the other entries probability 0."""
        g, P, B = self.config, self.population, x.shape[-1]
        check_shape("x", x, (P, g.widths[0], B), self.genome)
        if legal is not None:
            check_shape("legal", legal, (P, g.widths[-1], B))
        if not self.use_kernel(x):
            return net_forward(g, self.weights(), x, legal)
        from ashe.estimators.kernels.population import population_step

        return population_step(self.genome, None, g.widths, g.activations, x, None, legal=legal)[0]


def net_forward(g: NetConfig, w: dict[str, Tensor], x: Tensor, legal: Tensor | None, prefix: str = "") -> Tensor:
    """The layers in torch, for any device."""
    for k, activation in enumerate(g.activations):
        x = torch.baddbmm(w[f"{prefix}layer{k}.bias"].unsqueeze(-1), w[f"{prefix}layer{k}.W"], x)
        if activation == "softmax":
            x = masked_softmax(x, legal)
        elif activation != "linear":
            x = torch.tanh(x) if activation == "tanh" else torch.sigmoid(x)
    return x


def masked_softmax(x: Tensor, legal: Tensor | None) -> Tensor:
    """Softmax over dimension 1 and the legal entries; all zero where none is legal."""
    if legal is None:
        return torch.softmax(x, 1)
    return torch.nan_to_num(torch.softmax(x.masked_fill(~legal.bool(), -torch.inf), 1))
