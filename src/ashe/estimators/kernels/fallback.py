"""The kernel's functions in plain numba, for machines without a C++ compiler: same signatures, same results to 1e-5.

They are compiled as C callbacks and registered under the symbols of the C++ functions (see `binding`), so a numba
loop links to whichever is there and its cached machine code is valid in both cases.
"""

import math
from typing import Any

import numpy as np
from numba import types
from numba.np.numpy_support import carray

from ashe.jit import cfunc, njit

_f4 = types.CPointer(types.float32)
_u1 = types.CPointer(types.uint8)
_i8 = types.int64

LSTM_STEP = types.void(_f4, _i8, _i8, _i8, _i8, _i8, _f4, _f4, _f4, _u1)
DENSE = types.void(_f4, _i8, _i8, _i8, _i8, _f4, _f4)
SOFTMAX = types.void(_i8, _i8, _f4, _u1, _f4)

HALF = np.float32(0.5)


@njit(inline="always")
def _logistic(x: Any) -> Any:
    return HALF + HALF * np.float32(math.tanh(HALF * x))


@njit
def _rows(w: Any, first: int, n: int, x: Any, total: Any) -> None:
    """total[lane] += sum_k w[first + k] * x[k, lane], in the order of k."""
    for k in range(n):
        for lane in range(total.size):
            total[lane] += w[first + k] * x[k, lane]


@njit
def _lstm_step(
    w: Any, inputs: int, blocks: int, size: int, output_tanh: int, x: Any, c: Any, y: Any, masked: bool, mask: Any
) -> None:
    lanes = x.shape[1]
    cells = blocks * size
    R, bias = 4 * cells * inputs, 4 * cells * (inputs + size)
    peephole = bias + 4 * cells
    gates = np.empty((4, lanes), np.float32)
    old_y = np.empty((size, lanes), np.float32)
    for block in range(blocks):
        old_y[:] = y[block * size : (block + 1) * size]
        for cell in range(block * size, (block + 1) * size):
            for gate in range(4):
                row = 4 * cell + gate
                gates[gate, :] = w[bias + row]
                _rows(w, row * inputs, inputs, x, gates[gate])
                _rows(w, R + row * size, size, old_y, gates[gate])
            p_i, p_f, p_o = w[peephole + 3 * cell], w[peephole + 3 * cell + 1], w[peephole + 3 * cell + 2]
            for lane in range(lanes):
                if masked and not mask[lane]:
                    continue
                before = c[cell, lane]
                z = np.float32(math.tanh(gates[0, lane]))
                i = _logistic(gates[1, lane] + p_i * before)
                f = _logistic(gates[2, lane] + p_f * before)
                after = i * z + f * before
                o = _logistic(gates[3, lane] + p_o * after)
                c[cell, lane] = after
                y[cell, lane] = o * np.float32(math.tanh(after)) if output_tanh else o * after


@cfunc(LSTM_STEP)
def lstm_step(
    w: Any, inputs: Any, blocks: Any, size: Any, output_tanh: Any, lanes: Any, x: Any, c: Any, y: Any, mask: Any
) -> None:
    cells = blocks * size
    length = cells * (4 * inputs + 4 * size + 7)
    lane_mask = carray(mask, lanes)
    _lstm_step(
        carray(w, length),
        inputs,
        blocks,
        size,
        output_tanh,
        carray(x, (inputs, lanes)),
        carray(c, (cells, lanes)),
        carray(y, (cells, lanes)),
        lane_mask.ctypes.data != 0,  # a null pointer means that all lanes step
        lane_mask,
    )


@cfunc(DENSE)
def dense(w: Any, n_in: Any, n_out: Any, activation: Any, lanes: Any, x: Any, y: Any) -> None:
    weights = carray(w, n_out * n_in + n_out)
    rows_in, rows_out = carray(x, (n_in, lanes)), carray(y, (n_out, lanes))
    for row in range(n_out):
        total = rows_out[row]
        total[:] = weights[n_out * n_in + row]
        _rows(weights, row * n_in, n_in, rows_in, total)
        for lane in range(lanes):
            if activation == 1:
                total[lane] = math.tanh(total[lane])
            elif activation == 2:
                total[lane] = _logistic(total[lane])


@cfunc(SOFTMAX)
def softmax(n: Any, lanes: Any, logits: Any, legal: Any, p: Any) -> None:
    values, out, allowed = carray(logits, (n, lanes)), carray(p, (n, lanes)), carray(legal, (n, lanes))
    masked = allowed.ctypes.data != 0
    for lane in range(lanes):
        top = np.float32(-3.0e38)
        for k in range(n):
            if not masked or allowed[k, lane]:
                top = max(top, values[k, lane])
        total = np.float32(0.0)
        for k in range(n):
            e = np.float32(0.0)
            if not masked or allowed[k, lane]:
                e = np.float32(math.exp(values[k, lane] - top))
            out[k, lane] = e
            total += e
        for k in range(n):
            out[k, lane] = out[k, lane] / max(total, np.float32(1e-30))
