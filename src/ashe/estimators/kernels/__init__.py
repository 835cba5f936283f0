"""Fused LSTM kernel: C++ where a compiler is found, numba otherwise."""

from ashe.estimators.kernels.binding import (
    ACTIVATIONS,
    dense,
    have_kernel,
    lstm_step,
    nb_dense,
    nb_lstm_step,
    nb_softmax,
    population_rows,
    softmax,
)

__all__ = [
    "ACTIVATIONS",
    "dense",
    "have_kernel",
    "lstm_step",
    "nb_dense",
    "nb_lstm_step",
    "nb_softmax",
    "population_rows",
    "softmax",
]
