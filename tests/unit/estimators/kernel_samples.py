"""Runs the numba-callable functions on fixed inputs and saves what they return: `python kernel_samples.py OUT.npz`."""

import sys

import numpy as np

from ashe.estimators.kernels import nb_dense, nb_lstm_step, nb_softmax

LSTMS = [(8, 10, 10, True), (5, 3, 5, False), (1, 1, 1, True), (13, 2, 17, True)]  # inputs, blocks, size, tanh
LANES = (1, 7, 8, 21)


def samples():
    out = {}
    for inputs, blocks, size, output_tanh in LSTMS:
        cells = blocks * size
        for lanes in LANES:
            rng = np.random.default_rng([inputs, blocks, size, lanes])

            def normal(*shape, rng=rng):
                return rng.standard_normal(shape, dtype=np.float32)

            w, state = normal(cells * (4 * (inputs + size) + 9)) * 0.7, normal(2 * cells, lanes)
            name = f"{inputs}-{blocks}-{size}-{lanes}"
            for step in range(3):
                mask = rng.integers(0, 2, lanes).astype(np.uint8) if step else np.empty(0, np.uint8)
                nb_lstm_step(w, blocks, size, output_tanh, normal(inputs, lanes), state, mask)
                out[f"lstm/{name}/{step}"] = state.copy()
            for activation in range(3):
                y = np.empty((9, lanes), np.float32)
                nb_dense(normal(9 * cells + 9), activation, state[cells:], y)
                out[f"dense{activation}/{name}"] = y
            legal = rng.integers(0, 2, (9, lanes)).astype(np.uint8)
            for title, flags in (("all", np.empty((0, 0), np.uint8)), ("legal", legal)):
                p = np.empty((9, lanes), np.float32)
                nb_softmax(normal(9, lanes) * 8, flags, p)
                out[f"softmax-{title}/{name}"] = p
    return out


if __name__ == "__main__":
    np.savez(sys.argv[1], **samples())
