"""An estimator for compiled searches: LSTM states as rows, so that any row can start from any other.

A `RowBank` holds W sets of weights, one state row per table for the path of its hand, and two buffers of state rows
that a search fills in turn, one depth after the other: row r of a depth starts from row `SOURCE` of the depth before.
One kernel call steps any number of rows of any individuals. It has few arrays, because compiled functions pay for each
that they pass on.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.estimators.estimator import EstimatorConfig
from ashe.estimators.kernels.binding import ACTIVATIONS, population_rows
from ashe.jit import njit

# Rows of `RowBank.numbers`: which rows to step, and of each row the set of weights and the state row it starts from.
ORDER, WHO, SOURCE = 0, 1, 2


class RowBank(NamedTuple):
    """W sets of weights, T tables, R rows of a search at most."""

    w: NDArray[np.float32]  # [W, D]
    lanes: int  # tables of one set of weights: table t plays set t // lanes
    inputs: int
    blocks: int
    size: int
    output_tanh: int
    widths: NDArray[np.int64]  # of the dense layers
    activations: NDArray[np.int64]
    features: NDArray[np.int64]  # [inputs] numbers of the features it reads
    path: NDArray[np.float32]  # [T, 2 * cells] c, then y
    path_x: NDArray[np.float32]  # [T, inputs]
    path_out: NDArray[np.float32]  # [T, outputs]
    state: NDArray[np.float32]  # [2, R, 2 * cells]
    x: NDArray[np.float32]  # [R, inputs]
    out: NDArray[np.float32]  # [R, outputs]
    numbers: NDArray[np.int64]  # [3, max(R, T)] ORDER, WHO, SOURCE


def new_row_bank(
    config: EstimatorConfig, features: tuple[int, ...], weights: NDArray[np.float32], tables: int, rows: int
) -> RowBank:
    """Weights [W, D]; the output layer stays linear where it is a softmax, which is the caller's (it masks)."""
    wide, most = 2 * config.blocks * config.size, max(tables, rows)
    activations = ["linear" if a == "softmax" else a for a in config.net.activations]
    return RowBank(
        w=np.ascontiguousarray(weights, np.float32),
        lanes=tables // len(weights),
        inputs=config.inputs,
        blocks=config.blocks,
        size=config.size,
        output_tanh=int(config.output_tanh),
        widths=np.array(config.net.widths, np.int64),
        activations=np.array([ACTIVATIONS[a] for a in activations], np.int64),
        features=np.array(features, np.int64),
        path=np.zeros((tables, wide), np.float32),
        path_x=np.zeros((tables, config.inputs), np.float32),
        path_out=np.zeros((tables, config.outputs), np.float32),
        state=np.zeros((2, rows, wide), np.float32),
        x=np.zeros((rows, config.inputs), np.float32),
        out=np.zeros((rows, config.outputs), np.float32),
        numbers=np.zeros((3, most), np.int64),
    )


def more_rows(bank: RowBank, rows: int) -> RowBank:
    """The same bank with room for more rows of a search; their contents are lost, the paths stay."""
    most = max(rows, len(bank.path))
    return bank._replace(
        state=np.zeros((2, rows, bank.state.shape[2]), np.float32),
        x=np.zeros((rows, bank.x.shape[1]), np.float32),
        out=np.zeros((rows, bank.out.shape[1]), np.float32),
        numbers=np.zeros((3, most), np.int64),
    )


@njit(counted=False)
def initial_path(bank: Any, who: int, t: int) -> None:
    """The evolved initial state of individual `who` at table `t`: the genes before the dense layers."""
    n = bank.blocks * bank.size
    first = n * (4 * bank.inputs + 4 * bank.size + 7)
    for k in range(2 * n):
        bank.path[t, k] = bank.w[who, first + k]


@njit(counted=False)
def _step(bank: Any, count: int, layers: int, x: int, before: int, after: int, out: int) -> None:
    """The first `count` rows in `bank.numbers[ORDER]`; the other arguments are addresses."""
    population_rows(
        bank.w.ctypes.data, bank.w.shape[1], bank.inputs, bank.blocks, bank.size, bank.output_tanh, layers,
        bank.widths.ctypes.data, bank.activations.ctypes.data, count, bank.numbers[ORDER].ctypes.data,
        bank.numbers[WHO].ctypes.data, x, before, bank.numbers[SOURCE].ctypes.data, np.uintp(0), after, out,
    )  # fmt: skip


@njit(counted=False)
def step_paths(bank: Any, count: int, outputs: bool) -> None:
    """One step of the path states of the first `count` tables in `bank.numbers[ORDER]`."""
    layers = bank.activations.shape[0] if outputs else 0
    states = bank.path.ctypes.data
    _step(bank, count, layers, bank.path_x.ctypes.data, states, states, bank.path_out.ctypes.data)


@njit(counted=False)
def step_search(bank: Any, depth: int, count: int, outputs: bool) -> None:
    """One step of the first `count` rows of `depth` in `bank.numbers[ORDER]`, from the states of the depth before."""
    layers = bank.activations.shape[0] if outputs else 0
    before, after = bank.state[(depth + 1) & 1].ctypes.data, bank.state[depth & 1].ctypes.data
    _step(bank, count, layers, bank.x.ctypes.data, before, after, bank.out.ctypes.data)
