"""The kernel's functions for Python (ctypes) and for numba loops.

    from ashe.estimators.kernels import lstm_step, dense
    lstm_step(w_ptr, inputs, blocks, size, output_tanh, lanes, x_ptr, c_ptr, y_ptr, mask_ptr)   # inside @njit

Pointers are integers: `array.ctypes.data`, plus 4 * offset for a place inside a float32 array; a mask pointer of 0
means "all lanes". `nb_lstm_step`, `nb_dense` and `nb_softmax` take C-contiguous arrays instead and check their sizes.

The symbols end in a digest of the interface below. Code that numba cached for one interface therefore never links
to another; and because the symbols always exist (C++ or `fallback`), it links on machines without a compiler too.
"""

import ctypes
import hashlib
import os
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import types

from ashe.estimators.kernels.build import compile_library, find_compiler, library_path, notice
from ashe.jit import njit

# p: pointer, n: int64. The order is that of the C functions at the end of kernel.cpp.
INTERFACE = {
    "ashe_lstm_step": "p w, n inputs, n blocks, n size, n output_tanh, n lanes, p x, p c, p y, p mask",
    "ashe_dense": "p w, n n_in, n n_out, n activation, n lanes, p x, p y",
    "ashe_softmax": "n n, n lanes, p logits, p legal, p p",
    "ashe_population_step": (
        "p w, n stride, n population, n inputs, n blocks, n size, n output_tanh, n layers, p widths, p activations,"
        " n lanes, p x, p c, p y, p mask, p legal, p out"
    ),
    "ashe_population_rows": (
        "p w, n stride, n inputs, n blocks, n size, n output_tanh, n layers, p widths, p activations, n rows,"
        " p order, p individual, p x, p state_in, p source, p legal, p state_out, p out"
    ),
}
SUFFIX = hashlib.sha256(repr(INTERFACE).encode()).hexdigest()[:12]
ACTIVATIONS = {"linear": 0, "tanh": 1, "sigmoid": 2, "softmax": 3}  # dense() leaves 3 to softmax()


def _kinds(name: str) -> list[str]:
    return [argument.strip()[0] for argument in INTERFACE[name].split(",")]


def _load() -> ctypes.CDLL | None:
    compiler = find_compiler()
    if compiler is None:
        notice("no C++ compiler found; the LSTM runs in the slower torch and numba code")
        return None
    path = library_path(compiler, SUFFIX)
    for attempt in range(2):
        if (attempt or not path.exists()) and not compile_library(compiler, SUFFIX, path):
            return None
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:  # damaged or of another system: build it anew once
            reason = str(error)
    notice(f"cannot load the LSTM kernel ({reason}); using the slower torch and numba code")
    return None


_library = _load()


def have_kernel() -> bool:
    """Whether the C++ kernel is there (otherwise torch and numba do its work)."""
    return _library is not None


def _register() -> None:
    if _library is not None:
        for name in INTERFACE:
            function = getattr(_library, f"{name}_{SUFFIX}")
            function.argtypes = [ctypes.c_void_p if kind == "p" else ctypes.c_int64 for kind in _kinds(name)]
            function.restype = None
            address = ctypes.cast(function, ctypes.c_void_p).value
            llvm.add_symbol(f"{name}_{SUFFIX}", address)
        return
    from ashe.estimators.kernels import fallback

    for name in ("lstm_step", "dense", "softmax", "population_rows"):
        llvm.add_symbol(f"ashe_{name}_{SUFFIX}", getattr(fallback, name).address)


_register()


def _external(name: str) -> Any:
    arguments = [types.uintp if kind == "p" else types.int64 for kind in _kinds(name)]
    return types.ExternalFunction(f"{name}_{SUFFIX}", types.void(*arguments))


lstm_step = _external("ashe_lstm_step")
dense = _external("ashe_dense")
softmax = _external("ashe_softmax")
population_rows = _external("ashe_population_rows")


@njit
def _rows(a: Any) -> bool:
    """Whether `a` is float32 with rows of lanes that follow each other in memory."""
    return a.itemsize == 4 and a.strides[1] == 4 and a.strides[0] == 4 * a.shape[1]


@njit
def nb_lstm_step(w: Any, blocks: int, size: int, output_tanh: bool, x: Any, state: Any, mask: Any) -> None:
    """One step of one individual: weights w [D], x [inputs, lanes], state [2 * cells, lanes] (c, then y) in place.

    Lanes whose `mask` [lanes] (uint8) is 0 keep their state bit for bit; an empty mask steps all.
    """
    inputs, lanes = x.shape
    cells = blocks * size
    if w.size < cells * (4 * (inputs + size) + 9) or w.itemsize != 4:
        raise ValueError("nb_lstm_step: the weights are shorter than this LSTM's genes, or not float32")
    if state.shape[0] != 2 * cells or state.shape[1] != lanes or not _rows(state) or not _rows(x):
        raise ValueError("nb_lstm_step: state [2 * cells, lanes] and x [inputs, lanes] must be contiguous float32")
    if mask.size and (mask.size != lanes or mask.itemsize != 1):
        raise ValueError("nb_lstm_step: mask must be empty or uint8 [lanes]")
    c = state.ctypes.data
    y = c + 4 * cells * lanes
    m = mask.ctypes.data if mask.size else np.uintp(0)
    lstm_step(w.ctypes.data, inputs, blocks, size, np.int64(output_tanh), lanes, x.ctypes.data, c, y, m)


@njit
def nb_dense(w: Any, activation: int, x: Any, y: Any) -> None:
    """y [n_out, lanes] = activation(W x + b), x [n_in, lanes]; w holds W [n_out, n_in], then b [n_out]."""
    if w.size < (x.shape[0] + 1) * y.shape[0] or w.itemsize != 4:
        raise ValueError("nb_dense: the weights are shorter than W and b of this layer, or not float32")
    if x.shape[1] != y.shape[1] or not _rows(x) or not _rows(y):
        raise ValueError("nb_dense: x and y must be contiguous float32 and have the same number of lanes")
    dense(w.ctypes.data, x.shape[0], y.shape[0], activation, x.shape[1], x.ctypes.data, y.ctypes.data)


@njit
def nb_softmax(logits: Any, legal: Any, p: Any) -> None:
    """p [n, lanes]: softmax down the columns over `legal` [n, lanes] (uint8; empty: all legal)."""
    if logits.shape != p.shape or not _rows(logits) or not _rows(p):
        raise ValueError("nb_softmax: logits and p must be contiguous float32 of one shape")
    if legal.size and (legal.shape != p.shape or legal.itemsize != 1):
        raise ValueError("nb_softmax: legal must be empty or uint8 of the shape of p")
    m = legal.ctypes.data if legal.size else np.uintp(0)
    softmax(logits.shape[0], logits.shape[1], logits.ctypes.data, m, p.ctypes.data)


def call(name: str, *arguments: Any) -> None:
    """Call a C++ function from Python; arrays and tensors must be contiguous and stay alive during the call."""
    if _library is None:
        raise RuntimeError(f"{name}: the C++ kernel is not built; ask have_kernel() first")
    getattr(_library, f"{name}_{SUFFIX}")(*arguments)


def library_file() -> str | None:
    """The loaded library, for reports."""
    return None if _library is None else os.path.basename(_library._name)
