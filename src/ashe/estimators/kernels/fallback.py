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
_p8 = types.CPointer(types.int64)

LSTM_STEP = types.void(_f4, _i8, _i8, _i8, _i8, _i8, _f4, _f4, _f4, _u1)
DENSE = types.void(_f4, _i8, _i8, _i8, _i8, _f4, _f4)
SOFTMAX = types.void(_i8, _i8, _f4, _u1, _f4)
POPULATION_ROWS = types.void(
    _f4, _i8, _i8, _i8, _i8, _i8, _i8, _p8, _p8, _i8, _p8, _p8, _f4, _f4, _p8, _u1, _f4, _f4
)  # fmt: skip

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


@njit
def _dense(weights: Any, activation: int, rows_in: Any, rows_out: Any) -> None:
    n_out, n_in = rows_out.shape[0], rows_in.shape[0]
    for row in range(n_out):
        total = rows_out[row]
        total[:] = weights[n_out * n_in + row]
        _rows(weights, row * n_in, n_in, rows_in, total)
        for lane in range(total.size):
            if activation == 1:
                total[lane] = math.tanh(total[lane])
            elif activation == 2:
                total[lane] = _logistic(total[lane])


@cfunc(DENSE)
def dense(w: Any, n_in: Any, n_out: Any, activation: Any, lanes: Any, x: Any, y: Any) -> None:
    weights = carray(w, n_out * n_in + n_out)
    _dense(weights, activation, carray(x, (n_in, lanes)), carray(y, (n_out, lanes)))


@njit
def _softmax(values: Any, masked: bool, allowed: Any, out: Any) -> None:
    n, lanes = values.shape
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


@cfunc(SOFTMAX)
def softmax(n: Any, lanes: Any, logits: Any, legal: Any, p: Any) -> None:
    allowed = carray(legal, (n, lanes))
    _softmax(carray(logits, (n, lanes)), allowed.ctypes.data != 0, allowed, carray(p, (n, lanes)))


@cfunc(POPULATION_ROWS)
def population_rows(
    w: Any, stride: Any, inputs: Any, blocks: Any, size: Any, output_tanh: Any, layers: Any, widths: Any,
    activations: Any, rows: Any, order: Any, individual: Any, x: Any, state_in: Any, source: Any, legal: Any,
    state_out: Any, out: Any,
) -> None:  # fmt: skip
    """One row at a time; sizes of arrays that the interface does not tell are taken from the largest index used."""
    turn = carray(order, rows)
    last, last_who, last_source = 0, 0, 0
    for j in range(rows):
        last = max(last, turn[j])
    who, before = carray(individual, last + 1), carray(source, last + 1)
    for j in range(rows):
        last_who, last_source = max(last_who, who[turn[j]]), max(last_source, before[turn[j]])
    cells = blocks * size
    width, kind = carray(widths, layers + 1), carray(activations, layers)
    n_out = width[layers] if layers > 0 else 0
    weights = carray(w, (last_who + 1) * stride)
    features, allowed = carray(x, (last + 1, inputs)), carray(legal, (last + 1, n_out))
    old, new = carray(state_in, (last_source + 1, 2 * cells)), carray(state_out, (last + 1, 2 * cells))
    outputs = carray(out, (last + 1, n_out))
    everywhere = np.empty(0, np.uint8)
    for j in range(rows):
        row = turn[j]
        genes = weights[who[row] * stride : (who[row] + 1) * stride]
        new[row] = old[before[row]]
        column = features[row].copy().reshape(inputs, 1)
        c, y = new[row, :cells].reshape(cells, 1), new[row, cells:].reshape(cells, 1)
        _lstm_step(genes, inputs, blocks, size, output_tanh, column, c, y, False, everywhere)
        first, hidden = cells * (4 * inputs + 4 * size + 9), y.copy()
        for k in range(layers):
            result = np.empty((width[k + 1], 1), np.float32)
            _dense(genes[first:], kind[k], hidden, result)
            if kind[k] == 3:
                _softmax(result, allowed.ctypes.data != 0, allowed[row].copy().reshape(width[k + 1], 1), result)
            first += width[k + 1] * (width[k] + 1)
            hidden = result
        for k in range(n_out):
            outputs[row, k] = hidden[k, 0]
