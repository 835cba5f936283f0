"""The slow obvious twin: one table, one cell at a time, in Python floats, as spec section 3 prints the equations."""

import math

import numpy as np

from ashe.estimators.heads import NetConfig
from ashe.estimators.lstm import LSTMConfig


def s(v):
    return 1.0 / (1.0 + math.exp(-v)) if v >= 0 else math.exp(v) / (1.0 + math.exp(v))


def dot(a, b):
    return sum(float(u) * float(v) for u, v in zip(a, b, strict=True))


def lstm_twin(g: LSTMConfig, genome, x, c, y):
    """x [inputs], c and y [cells] of one table -> the next c and y."""
    w = g.spec().unflatten(np.asarray(genome))
    new_c, new_y = [0.0] * g.cells, [0.0] * g.cells
    for block in range(g.blocks):
        own = range(block * g.size, (block + 1) * g.size)
        y_of_block = [y[n] for n in own]
        for n in own:

            def net(gate, n=n, y_of_block=y_of_block):
                return dot(w["W"][n, gate], x) + dot(w["R"][n, gate], y_of_block) + float(w["bias"][n, gate])

            p_i, p_f, p_o = (float(p) for p in w["peephole"][n])
            z = math.tanh(net(0))
            i = s(net(1) + p_i * c[n])
            f = s(net(2) + p_f * c[n])
            new_c[n] = i * z + f * c[n]
            o = s(net(3) + p_o * new_c[n])
            new_y[n] = o * (math.tanh(new_c[n]) if g.output_tanh else new_c[n])
    return new_c, new_y


def net_twin(g: NetConfig, genome, x, legal=None):
    """x [inputs] of one table -> outputs."""
    w = g.spec().unflatten(np.asarray(genome))
    for k, activation in enumerate(g.activations):
        x = [dot(row, x) + float(b) for row, b in zip(w[f"layer{k}.W"], w[f"layer{k}.bias"], strict=True)]
        if activation == "tanh":
            x = [math.tanh(v) for v in x]
        elif activation == "sigmoid":
            x = [s(v) for v in x]
        elif activation == "softmax":
            allowed = [True] * len(x) if legal is None else [bool(a) for a in legal]
            e = [math.exp(v - max(x)) if a else 0.0 for v, a in zip(x, allowed, strict=True)]
            x = [v / sum(e) if sum(e) else 0.0 for v in e]
    return x
