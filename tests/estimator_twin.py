"""An estimator in plain numpy and double precision, for the twins: spec section 3's equations and the net."""

import numpy as np


def logistic(v):
    return 1 / (1 + np.exp(-v))


class EstimatorTwin:
    def __init__(self, config, genome, name):
        self.w = {k.removeprefix(name + "."): v.astype(float) for k, v in config.spec.unflatten(genome).items()
                  if k.startswith(name + ".")}  # fmt: skip
        self.config = config

    def start(self):
        return self.w["lstm.c0"], self.w["lstm.y0"]

    def step(self, state, x):
        c, y = state
        w, g = self.w, self.config
        own_block = y.reshape(g.blocks, 1, g.size).repeat(g.size, axis=1).reshape(len(y), g.size)
        gates = w["lstm.W"] @ x + np.einsum("kgj,kj->kg", w["lstm.R"], own_block) + w["lstm.bias"]
        p_i, p_f, p_o = w["lstm.peephole"].T
        z, i, f, o = gates.T
        c = logistic(i + p_i * c) * np.tanh(z) + logistic(f + p_f * c) * c
        return c, logistic(o + p_o * c) * (np.tanh(c) if g.output_tanh else c)

    def answer(self, state):
        """The last layer before its squashing."""
        hidden = np.tanh(self.w["net.layer0.W"] @ state[1] + self.w["net.layer0.bias"])
        return self.w["net.layer1.W"] @ hidden + self.w["net.layer1.bias"]
