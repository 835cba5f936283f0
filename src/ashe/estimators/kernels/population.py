"""The kernel's population-level functions on torch tensors (float32, CPU)."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ashe.estimators.kernels.binding import ACTIVATIONS, call

if TYPE_CHECKING:
    from ashe.estimators.lstm import LSTMConfig, State


def _shape(lstm: "LSTMConfig | None", inputs: int) -> tuple[int, int, int, int]:
    return (inputs, 0, 0, 0) if lstm is None else (inputs, lstm.blocks, lstm.size, int(lstm.output_tanh))


def _layers(widths: tuple[int, ...], activations: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(widths, np.int64), np.array([ACTIVATIONS[a] for a in activations], np.int64)


def _bytes(flags: Tensor | None) -> Tensor | None:
    return None if flags is None else flags.to(torch.uint8).contiguous()


def _pointer(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()


def population_step(
    genome: Tensor,
    lstm: "LSTMConfig | None",
    widths: tuple[int, ...],
    activations: tuple[str, ...],
    x: Tensor,
    state: "State | None",
    mask: Tensor | None = None,
    legal: Tensor | None = None,
    inplace: bool = False,
) -> "tuple[Tensor, State]":
    """LSTM (if any) and dense layers of all P individuals; see `Estimator.forward`."""
    from ashe.estimators.lstm import State

    P, inputs, B = x.shape
    x = x.contiguous()
    if state is None:
        state = State(x.new_empty(P, 0, B), x.new_empty(P, 0, B))
    if inplace and not (state.c.is_contiguous() and state.y.is_contiguous()):
        new = population_step(genome, lstm, widths, activations, x, state, mask, legal)
        return new[0], State(state.c.copy_(new[1].c), state.y.copy_(new[1].y))
    if not inplace:
        state = State(*(part.clone(memory_format=torch.contiguous_format) for part in state))
    n_widths, codes = _layers(widths, activations)
    out = x.new_empty(P, widths[-1] if widths else 0, B)
    flags, allowed = _bytes(mask), _bytes(legal)
    call(
        "ashe_population_step",
        genome.data_ptr(),
        genome.stride(0),
        P,
        *_shape(lstm, inputs),
        len(codes),
        n_widths.ctypes.data,
        codes.ctypes.data,
        B,
        x.data_ptr(),
        state.c.data_ptr(),
        state.y.data_ptr(),
        _pointer(flags),
        _pointer(allowed),
        out.data_ptr(),
    )
    return out, state


def population_rows(
    genome: Tensor,
    lstm: "LSTMConfig",
    widths: tuple[int, ...],
    activations: tuple[str, ...],
    x: Tensor,
    individual: Tensor,
    state: Tensor,
    source: Tensor,
    legal: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """A ragged batch; see `Estimator.step_rows`."""
    R, inputs = x.shape
    individual, source = individual.to(torch.int64).contiguous(), source.to(torch.int64).contiguous()
    order = torch.argsort(individual, stable=True)
    x, state, allowed = x.contiguous(), state.contiguous(), _bytes(legal)
    n_widths, codes = _layers(widths, activations)
    out, after = x.new_empty(R, widths[-1]), x.new_empty(R, 2 * lstm.cells)
    call(
        "ashe_population_rows",
        genome.data_ptr(),
        genome.stride(0),
        *_shape(lstm, inputs),
        len(codes),
        n_widths.ctypes.data,
        codes.ctypes.data,
        R,
        order.data_ptr(),
        individual.data_ptr(),
        x.data_ptr(),
        state.data_ptr(),
        source.data_ptr(),
        _pointer(allowed),
        after.data_ptr(),
        out.data_ptr(),
    )
    return out, after
