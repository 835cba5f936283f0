"""The C++ kernel and the torch path against each other and against the printed equations (spec, section 3)."""

import numpy as np
import pytest
import torch
from lstm_twin import lstm_twin, net_twin

from ashe.errors import UserError
from ashe.estimators.estimator import HRE, OARE, OFRE, SWRE, Estimator, EstimatorConfig
from ashe.estimators.genome import InitialStd
from ashe.estimators.heads import NetConfig, PopulationNet
from ashe.estimators.kernels import ACTIVATIONS, have_kernel, nb_dense, nb_lstm_step, nb_softmax
from ashe.estimators.lstm import BlockLSTM, LSTMConfig, State

TOLERANCE = 1e-5
# odd sizes: more and fewer cells, rows and tables than any tile of the kernel
LSTMS = [LSTMConfig(8, 10, 10), LSTMConfig(8, 1, 50), LSTMConfig(5, 10, 5, False), LSTMConfig(1, 1, 1)]
LSTMS += [LSTMConfig(3, 2, 7), LSTMConfig(21, 3, 10), LSTMConfig(2, 4, 3, False), LSTMConfig(13, 2, 17)]
TABLES = [1, 2, 5, 7, 8, 9, 15, 16, 17, 24, 25, 33, 40, 70]
# far larger weights than evolution starts with, so that gates saturate
LARGE = InitialStd(W=1.0, R=1.0, bias=2.0, peephole=1.5, state=2.0, dense_weight=0.5, dense_bias=1.0, output_bias=1.0)

needs_kernel = pytest.mark.skipif(not have_kernel(), reason="no C++ compiler")


def near(a, b, tolerance=TOLERANCE):
    torch.testing.assert_close(torch.as_tensor(a), torch.as_tensor(b), rtol=0, atol=tolerance)


def bits(a, b):
    assert torch.equal(torch.as_tensor(a).view(torch.int32), torch.as_tensor(b).view(torch.int32))


def genomes(config, population, seed=1, std=LARGE):
    return torch.from_numpy(config.spec(std).sample(seed, population))


def draw(seed, *shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) * 2 - 1


def on(module, backend):
    module.backend = backend
    return module


@pytest.mark.parametrize("g", LSTMS, ids=str)
@pytest.mark.parametrize("backend", ["torch", pytest.param("kernel", marks=needs_kernel)])
def test_lstm_follows_the_printed_equations(g, backend):
    module = on(BlockLSTM(g, genomes(g, 2)), backend)
    state = module.initial_state(3)
    twin = [[(state.c[p, :, t].tolist(), state.y[p, :, t].tolist()) for t in range(3)] for p in range(2)]
    for step in range(4):
        x = draw(step, 2, g.inputs, 3)
        state = module(x, state)
        for p in range(2):
            for t in range(3):
                twin[p][t] = lstm_twin(g, module.genome[p], x[p, :, t].tolist(), *twin[p][t])
                near(state.c[p, :, t], torch.tensor(twin[p][t][0]), 2e-5)  # c is not bounded by 1
                near(state.y[p, :, t], torch.tensor(twin[p][t][1]))


@pytest.mark.parametrize("output", ["tanh", "sigmoid", "softmax", "linear"])
@pytest.mark.parametrize("backend", ["torch", pytest.param("kernel", marks=needs_kernel)])
def test_net_follows_its_twin(output, backend):
    for widths in [(150, 75, 1), (3, 9), (1, 1), (7, 5, 3, 2), (33, 17, 9)]:
        g = NetConfig(widths, output)
        module = on(PopulationNet(g, genomes(g, 2)), backend)
        x = draw(1, 2, widths[0], 5)
        legal = draw(2, 2, widths[-1], 5) > -0.3 if output == "softmax" else None
        out = module(x, legal)
        for p in range(2):
            for t in range(5):
                mask = None if legal is None else legal[p, :, t]
                near(out[p, :, t], torch.tensor(net_twin(g, module.genome[p], x[p, :, t].tolist(), mask)))


@needs_kernel
@pytest.mark.parametrize("g", LSTMS, ids=str)
def test_lstm_paths_agree_at_any_number_of_tables(g):
    weights = genomes(g, 3)
    fast, slow = on(BlockLSTM(g, weights), "kernel"), on(BlockLSTM(g, weights), "torch")
    for tables in TABLES:
        a, b = fast.initial_state(tables), slow.initial_state(tables)
        for step in range(3):
            x = draw(step, 3, g.inputs, tables)
            mask = draw(10 + step, 3, tables) > 0 if step else None
            a, b = fast(x, a, mask), slow(x, b, mask)
            near(a.c, b.c, 2e-5)
            near(a.y, b.y)


@needs_kernel
@pytest.mark.parametrize("config", [SWRE, OFRE, OARE, HRE, EstimatorConfig(3, 4, "softmax", 3, 5, (6, 7))], ids=str)
def test_estimator_paths_agree(config):
    weights = genomes(config, 2)
    fast, slow = on(Estimator(config, weights), "kernel"), on(Estimator(config, weights), "torch")
    for tables in (3, 8, 17, 40):
        a, b = fast.initial_state(tables), slow.initial_state(tables)
        for step in range(3):
            x, mask = draw(step, 2, config.inputs, tables), draw(20 + step, 2, tables) > -0.5
            legal = draw(30 + step, 2, config.outputs, tables) > -0.5 if config.output == "softmax" else None
            out_a, a = fast(x, a, legal, mask)
            out_b, b = slow(x, b, legal, mask)
            near(out_a, out_b)
            near(a.c, b.c, 2e-5)
            near(a.y, b.y)


@needs_kernel
def test_saturated_and_tiny_arguments():
    """The squashing functions over their whole range, and far beyond it."""
    x = torch.cat([torch.linspace(-20, 20, 20_001), torch.tensor([1e-30, -1e-30, 1e6, -1e6, 3e38, -3e38, 0.0])])
    for output, exact in (("tanh", torch.tanh), ("sigmoid", torch.sigmoid)):
        module = on(PopulationNet(NetConfig((1, 1), output), torch.tensor([1.0, 0.0])), "kernel")
        got = module(x.reshape(1, 1, -1)).reshape(-1)
        near(got, exact(x.double()).float(), 3e-7)
        assert got.abs().max() <= 1.0
        assert (got.diff()[:20_000] >= -3e-7).all(), "monotone up to rounding"


# ---------------------------------------------------------------- masks, ragged batches, batch size
@needs_kernel
@pytest.mark.parametrize("g", LSTMS[:5], ids=str)
def test_a_masked_table_keeps_its_state_bit_for_bit(g):
    module = on(BlockLSTM(g, genomes(g, 2)), "kernel")
    for tables in TABLES:
        x, mask = draw(1, 2, g.inputs, tables), draw(2, 2, tables) > 0
        before = State(draw(3, 2, g.cells, tables), draw(4, 2, g.cells, tables))
        after, everyone = module(x, before, mask), module(x, before)
        for new, old, all_stepped in zip(after, before, everyone, strict=True):
            bits(new, torch.where(mask.unsqueeze(1), all_stepped, old))


@pytest.mark.parametrize("backend", ["torch", pytest.param("kernel", marks=needs_kernel)])
def test_inplace_overwrites_the_state_it_was_given(backend):
    g = LSTMS[4]
    module = on(BlockLSTM(g, genomes(g, 2)), backend)
    x, before = draw(1, 2, g.inputs, 6), State(draw(2, 2, g.cells, 6), draw(3, 2, g.cells, 6))
    kept = State(before.c.clone(), before.y.clone())
    expected = module(x, before)
    bits(before.c, kept.c)
    wide = torch.zeros(2, g.cells, 12)
    for c in (before.c.clone(), wide[:, :, ::2].copy_(before.c)):  # contiguous, and a view that is not
        given = State(c, before.y.clone())
        got = module(x, given, inplace=True)
        bits(given.c, expected.c)
        bits(given.y, expected.y)
        assert got.c.data_ptr() == given.c.data_ptr()


@needs_kernel
@pytest.mark.parametrize("config", [OARE, EstimatorConfig(3, 2, "tanh", 2, 7, (5,))], ids=str)
def test_results_do_not_depend_on_the_batch_bit_for_bit(config):
    """A table's result is the same alone, in any place of any batch, and as a row of a ragged batch."""
    module = on(Estimator(config, genomes(config, 2)), "kernel")
    most = max(TABLES)
    x, state = draw(1, 2, config.inputs, most), State(*(draw(k, 2, config.lstm.cells, most) for k in (2, 3)))
    legal = draw(4, 2, config.outputs, most) > -0.6 if config.output == "softmax" else None
    out, new = module(x, state, legal)
    for tables in TABLES[:-1]:
        for first in (0, 3, most - tables):
            part = slice(first, first + tables)
            allowed = None if legal is None else legal[..., part]
            few_out, few = module(x[..., part], State(state.c[..., part], state.y[..., part]), allowed)
            bits(few_out, out[..., part])
            bits(few.c, new.c[..., part])
            bits(few.y, new.y[..., part])
    rows = torch.cat([state.c, state.y], 1).transpose(1, 2).reshape(2 * most, -1)
    order = torch.randperm(2 * most, generator=torch.Generator().manual_seed(5))[:101]
    who, where = order // most, order % most
    allowed = None if legal is None else legal[who, :, where]
    row_out, row_state = module.step_rows(x[who, :, where], who, rows, order, allowed)
    bits(row_out, out[who, :, where])
    bits(row_state, torch.cat([new.c, new.y], 1)[who, :, where])


@needs_kernel
@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 40, 133])
def test_ragged_paths_agree(rows):
    """Rows in any order, individuals without a row, several rows from one state row."""
    config = OARE
    fast, slow = (on(Estimator(config, genomes(config, 5)), b) for b in ("kernel", "torch"))
    rng = torch.Generator().manual_seed(rows)
    who = torch.randint(4, (rows,), generator=rng)  # individual 4 has none
    source = torch.randint(11, (rows,), generator=rng)
    state = draw(1, 11, 2 * config.lstm.cells)
    x, legal = draw(2, rows, config.inputs), draw(3, rows, config.outputs) > -0.5
    kept = state.clone()
    (out_a, state_a), (out_b, state_b) = (m.step_rows(x, who, state, source, legal) for m in (fast, slow))
    near(out_a, out_b)
    near(state_a, state_b, 2e-5)
    bits(state, kept)
    if rows >= 11:
        out_c, state_c = fast.step_rows(x[:11], who[:11], state, None, legal[:11])
        out_d, state_d = slow.step_rows(x[:11], who[:11], state, None, legal[:11])
        near(out_c, out_d)
        near(state_c, state_d, 2e-5)


def test_initial_rows_are_the_evolved_initial_states():
    module = Estimator(SWRE, genomes(SWRE, 3))
    rows = module.initial_rows(torch.tensor([2, 0, 2]))
    state = module.initial_state(1)
    full = torch.cat([state.c, state.y], 1)[..., 0]
    bits(rows, full[[2, 0, 2]])
    w = module.spec.unflatten(module.genome)
    bits(rows[1], torch.cat([w["lstm.c0"][0], w["lstm.y0"][0]]))


@pytest.mark.parametrize("backend", ["torch", pytest.param("kernel", marks=needs_kernel)])
def test_softmax_over_legal_actions(backend):
    module = on(Estimator(OARE, genomes(OARE, 2)), backend)
    legal = draw(1, 2, 9, 12) > 0
    legal[0, :, 3] = False
    legal[1, :, 4] = torch.arange(9) == 5
    out, _ = module(draw(2, 2, 21, 12), module.initial_state(12), legal)
    assert (out[~legal] == 0).all()
    near(out.sum(1), legal.any(1).float(), 1e-6)
    assert (out[0, :, 3] == 0).all(), "nothing legal: nothing likely"
    assert out[1, 5, 4] == 1.0
    assert ((out >= 0) & (out <= 1)).all()


# ---------------------------------------------------------------- entry points for numba loops
def test_numba_entry_points_match_the_modules():
    g, net = LSTMConfig(5, 3, 4), NetConfig((12, 7, 9), "softmax")
    for tables in (3, 8, 20):
        lstm = BlockLSTM(g, genomes(g, 1))
        state = lstm.initial_state(tables)
        both = torch.cat([state.c, state.y], 1)[0].numpy().copy()
        x = draw(1, 1, 5, tables)
        mask = (draw(2, tables) > 0).numpy().astype(np.uint8)
        weights = lstm.genome[0].numpy()
        nb_lstm_step(weights, 3, 4, True, x[0].numpy(), both, np.empty(0, np.uint8))
        new = lstm(x, state)
        bits(both, torch.cat([new.c, new.y], 1)[0])
        nb_lstm_step(weights, 3, 4, True, x[0].numpy(), both, mask)
        new = lstm(x, new, torch.from_numpy(mask).unsqueeze(0).bool())
        bits(both, torch.cat([new.c, new.y], 1)[0])

        head = PopulationNet(net, genomes(net, 1))
        legal = draw(3, 1, 9, tables) > -0.5
        w = head.genome[0].numpy()
        hidden, logits, p = (np.empty((n, tables), np.float32) for n in (7, 9, 9))
        nb_dense(w, ACTIVATIONS["tanh"], both[12:], hidden)
        nb_dense(w[12 * 7 + 7 :], ACTIVATIONS["linear"], hidden, logits)
        nb_softmax(logits, legal[0].numpy().astype(np.uint8), p)
        bits(p, head(torch.from_numpy(both[12:].copy()).unsqueeze(0), legal)[0])
        nb_softmax(logits, np.empty((0, 0), np.uint8), p)
        bits(p, head(torch.from_numpy(both[12:].copy()).unsqueeze(0))[0])


def test_numba_entry_points_refuse_what_would_read_beyond_the_arrays():
    x, state, mask = np.zeros((5, 8), np.float32), np.zeros((24, 8), np.float32), np.empty(0, np.uint8)
    w = np.zeros(12 * (20 + 16 + 9), np.float32)
    nb_lstm_step(w, 3, 4, True, x, state, mask)
    with pytest.raises(ValueError, match="weights"):
        nb_lstm_step(w[:-3], 3, 4, True, x, state, mask)
    with pytest.raises(ValueError, match="state"):
        nb_lstm_step(w, 3, 4, True, x, state[:-1], mask)
    with pytest.raises(ValueError, match="mask"):
        nb_lstm_step(w, 3, 4, True, x, state, np.ones(7, np.uint8))
    with pytest.raises(ValueError, match="weights"):
        nb_dense(np.zeros(11, np.float32), 0, np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32))
    with pytest.raises(ValueError, match="lanes"):
        nb_dense(np.zeros(12, np.float32), 0, np.zeros((3, 4), np.float32), np.zeros((3, 5), np.float32))
    with pytest.raises(ValueError, match="shape"):
        nb_softmax(np.zeros((3, 4), np.float32), np.empty((0, 0), np.uint8), np.zeros((3, 5), np.float32))
    with pytest.raises(ValueError, match="contiguous"):
        nb_dense(np.zeros(12, np.float32), 0, np.zeros((3, 8), np.float32)[:, ::2], np.zeros((3, 4), np.float32))
    with pytest.raises(ValueError, match="float32"):
        nb_dense(np.zeros(12, np.float64), 0, np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32))


# ---------------------------------------------------------------- refusals
def test_modules_refuse_wrong_shapes_types_and_indices():
    module = Estimator(SWRE, genomes(SWRE, 2))
    x, state = draw(1, 2, 14, 4), module.initial_state(4)
    rows, two = draw(2, 4, 1000), torch.tensor([0, 1, 0, 1])
    cases = [
        (lambda: module(x[:, :13], state), r"x: expected shape \(2, 14, 4\), received \(2, 13, 4\)"),
        (lambda: module(x, State(state.c[..., :3], state.y)), "state.c: expected shape"),
        (lambda: module(x, state, mask=torch.ones(2, 5)), "mask: expected shape"),
        (lambda: module(x, state, legal=torch.ones(2, 2, 4)), "legal: expected shape"),
        (lambda: module(x, State(state.c.double(), state.y)), "state.c: expected torch.float32"),
        (lambda: module.step_rows(x[0].T, two, rows[:, :999]), r"state: expected shape \(4, 1000\)"),
        (lambda: module.step_rows(x[0].T, two + 1, rows), "individual: got 1..2, allowed 0..1"),
        (lambda: module.step_rows(x[0].T, two, rows, two - 1), "source: got -1..0, allowed 0..3"),
        (lambda: EstimatorConfig(0), "LSTM inputs: got 0, need a whole number >= 1"),
        (lambda: LSTMConfig(3, 1, 2.5), "LSTM size: got 2.5"),
        (lambda: NetConfig((3,)), "need at least"),
        (lambda: NetConfig((3, 1), "relu"), "net output: got 'relu', allowed: tanh, sigmoid, softmax, linear"),
    ]
    for call, message in cases:
        with pytest.raises(UserError, match=message):
            call()


def test_the_kernel_is_only_used_where_it_can_read():
    module = on(Estimator(SWRE, genomes(SWRE, 1)), "kernel")
    x = draw(1, 1, 14, 3)
    double = on(Estimator(SWRE, genomes(SWRE, 1)).double(), "kernel")
    with pytest.raises(UserError, match=r"needs float32 on the CPU; received torch\.float64"):
        double(x.double(), double.initial_state(3))
    with pytest.raises(UserError, match=r"x: expected torch\.float64 on cpu as the genome has"):
        double(x, double.initial_state(3))
    double.backend = "auto"
    out, _ = double(x.double(), double.initial_state(3))
    assert out.dtype == torch.float64
    near(out.float(), module(x, module.initial_state(3))[0])
