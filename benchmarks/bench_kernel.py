"""The fused LSTM kernel beside what torch offers: `python benchmarks/bench_kernel.py [--quick]`.

A step is one LSTM step of one table of one individual through 50 blocks of size 10 and the 500-50-9 net (OARE, 92,009
genes): a population of 50, every individual with its own weights, 8, 64 or 512 tables each. One thread for everybody,
because training runs one process per core; CPU seconds, best of several rounds, all paths by turns in each round.

| path | what it is |
|---|---|
| kernel | `Estimator` on the C++ kernel |
| bmm | `Estimator` on its torch path: batched matrix products over individuals |
| vmap | `torch.func.vmap` of the module of one individual |
| compile | `torch.compile` of the torch path |

Torch's paths run 10 or all 50 individuals a call, whatever is faster. All are compared with the kernel before the race.
"""

import argparse
import time
from collections.abc import Callable

import torch
from torch import Tensor

from ashe.estimators.estimator import OARE, Estimator
from ashe.estimators.heads import net_forward
from ashe.estimators.lstm import State, lstm_forward

POPULATION, TABLES, CHUNKS = 50, (8, 64, 512), (10, 50)
Step = Callable[[], Tensor]


def single(w: dict[str, Tensor], x: Tensor, c: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """One individual as anybody would write it: weights of one, x [inputs, B], c and y [cells, B]."""
    g, B = OARE.lstm, x.shape[-1]
    Wx = w["lstm.W"].reshape(4 * g.cells, g.inputs) @ x
    Ry = torch.bmm(w["lstm.R"].reshape(g.blocks, 4 * g.size, g.size), y.reshape(g.blocks, g.size, B))
    gates = (Wx + Ry.reshape(4 * g.cells, B) + w["lstm.bias"].reshape(-1, 1)).reshape(g.cells, 4, B)
    z, i, f, o = gates.unbind(1)
    p_i, p_f, p_o = w["lstm.peephole"].unsqueeze(-1).unbind(1)
    c = torch.sigmoid(i + p_i * c) * torch.tanh(z) + torch.sigmoid(f + p_f * c) * c
    y = torch.sigmoid(o + p_o * c) * torch.tanh(c)
    hidden = torch.tanh(w["net.layer0.W"] @ y + w["net.layer0.bias"].unsqueeze(-1))
    return torch.softmax(w["net.layer1.W"] @ hidden + w["net.layer1.bias"].unsqueeze(-1), 0), c, y


def batched(w: dict[str, Tensor], x: Tensor, c: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lstm = {k.removeprefix("lstm."): v for k, v in w.items() if k.startswith("lstm.")}
    new = lstm_forward(OARE.lstm, lstm, x, State(c, y))
    return net_forward(OARE.net, w, new.y, None, prefix="net."), new.c, new.y


def torch_paths() -> dict[str, Callable[..., tuple[Tensor, Tensor, Tensor]]]:
    return {
        "bmm": batched,
        "vmap": torch.func.vmap(single),
        "compile": torch.compile(batched, dynamic=False),
    }


def steps_of(tables: int) -> dict[str, list[Step]]:
    """By path, one function per choice of individuals a call; each steps the whole population once."""
    spec = OARE.spec()
    genome = torch.from_numpy(spec.sample(1, POPULATION))
    x = torch.rand(POPULATION, OARE.inputs, tables, generator=torch.Generator().manual_seed(1))
    estimator = Estimator(OARE, genome)
    estimator.backend = "kernel"
    state = estimator.initial_state(tables)
    found: dict[str, list[Step]] = {"kernel": [lambda: estimator(x, state, inplace=True)[0]]}
    for name, path in torch_paths().items():
        found[name] = []
        for chunk in CHUNKS:
            parts = []
            for start in range(0, POPULATION, chunk):
                part = Estimator(OARE, genome[start : start + chunk])
                s = part.initial_state(tables)
                parts.append([part.weights(), x[start : start + chunk].contiguous(), s.c, s.y])

            def step(parts: list[list[Tensor]] = parts, path: Callable[..., tuple[Tensor, ...]] = path) -> Tensor:
                outputs = []
                for part in parts:
                    output, part[2], part[3] = path(*part)
                    outputs.append(output)
                return torch.cat(outputs)

            found[name].append(step)
    return found


def seconds(step: Step, at_least: float) -> float:
    """CPU seconds of one step, over at least that many."""
    count, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < at_least or count < 3:
        step()
        count += 1
    return spent / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    quick = parser.parse_args().quick
    rounds, at_least = (2, 0.1) if quick else (5, 0.5)
    torch.set_num_threads(1)
    names = ["kernel", "bmm", "vmap", "compile"]
    print(f"{POPULATION} individuals of {OARE.spec().length:,} genes, one thread; thousand steps per CPU second")
    print(f"{'tables':>6} " + " ".join(f"{name:>8}" for name in names) + "   kernel / best of torch")
    with torch.no_grad():
        for tables in TABLES:
            race = steps_of(tables)
            expected = race["kernel"][0]()
            for name, steps in race.items():
                for step in steps if name != "kernel" else []:
                    torch.testing.assert_close(step(), expected, rtol=0, atol=1e-5, msg=f"{name} differs")
            best = dict.fromkeys(names, float("inf"))
            for _ in range(rounds):
                for name, steps in race.items():
                    best[name] = min(best[name], *(seconds(step, at_least) for step in steps), best[name])
            rate = {name: POPULATION * tables / value / 1000 for name, value in best.items()}
            ratio = rate["kernel"] / max(rate[name] for name in names[1:])
            print(f"{tables:>6} " + " ".join(f"{rate[name]:>8,.0f}" for name in names) + f"   {ratio:.1f}")


if __name__ == "__main__":
    main()
