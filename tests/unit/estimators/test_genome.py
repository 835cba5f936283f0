"""Genomes: one vector with a named map."""

import numpy as np
import pytest
import torch

from ashe.errors import UserError
from ashe.estimators.estimator import HRE, OARE, OFRE, SWRE, Estimator, EstimatorConfig
from ashe.estimators.genome import PRINTED, PROTOTYPE, GenomeSpec, InitialStd
from ashe.estimators.heads import NetConfig
from ashe.estimators.lstm import BlockLSTM, LSTMConfig, State


def test_slices_tile_the_vector_in_the_kernels_order():
    spec = EstimatorConfig(3, blocks=2, size=4, hidden=(5,), outputs=2).spec()
    assert [s.name for s in spec.slices] == [
        *(f"lstm.{name}" for name in ("W", "R", "bias", "peephole", "c0", "y0")),
        *(f"net.layer{k}.{name}" for k in (0, 1) for name in ("W", "bias")),
    ]
    position = 0
    for piece in spec.slices:
        assert piece.start == position
        position = piece.stop
    # 8 cells with 4 gates of 3 inputs, 4 recurrent weights and a bias, 3 peepholes, 2 initial values; nets 8-5-2
    assert spec.length == position == 8 * (4 * (3 + 4 + 1) + 3 + 2) + (8 * 5 + 5) + (5 * 2 + 2)
    assert spec.part("net") == (spec["net.layer0.W"].start, spec.length)
    assert "net.layer1.bias" in spec.describe()


@pytest.mark.parametrize(("config", "genes"), [(SWRE, 77_601), (OFRE, 75_601), (OARE, 92_009), (HRE, 78_009)])
def test_published_sizes(config, genes):
    """50 blocks of size 10, 500-50-outputs (spec, section 5)."""
    cells, inputs, outputs = 500, config.inputs, config.outputs
    assert genes == cells * (4 * inputs + 40 + 9) + 500 * 50 + 50 + 50 * outputs + outputs
    assert config.spec().length == genes


def test_flatten_and_unflatten_are_inverse_for_one_and_for_many_in_numpy_and_torch():
    spec = SWRE.spec()
    many = spec.sample(7, 3)
    for vector in (many, many[1], torch.from_numpy(many), torch.from_numpy(many)[2]):
        parts = spec.unflatten(vector)
        assert tuple(parts["lstm.W"].shape[-3:]) == (500, 4, 14)
        back = spec.flatten(parts)
        assert type(back) is type(vector)
        assert back.tobytes() == vector.tobytes() if isinstance(back, np.ndarray) else torch.equal(back, vector)


def test_unflatten_gives_views_and_names_say_where_a_gene_is():
    spec = LSTMConfig(2, 1, 3).spec()
    vector = np.arange(spec.length, dtype=np.float32)
    parts = spec.unflatten(vector)
    where = spec["R"]
    assert parts["R"][2, 3, 1] == where.start + (2 * 4 + 3) * 3 + 1
    parts["bias"][:] = -1
    assert (vector[spec["bias"].start : spec["bias"].stop] == -1).all()


def test_a_genome_loads_into_a_single_agent_and_back_without_loss():
    population = torch.from_numpy(SWRE.spec().sample(3, 4))
    single = Estimator(SWRE, population[2])
    assert single.population == 1
    assert torch.equal(single.spec.flatten(single.weights())[0], population[2])
    x = torch.rand(4, 14, 5, generator=torch.Generator().manual_seed(1))
    everyone = Estimator(SWRE, population)
    out, state = everyone(x, everyone.initial_state(5))
    alone, its = single(x[2:3], single.initial_state(5))
    assert torch.equal(alone[0], out[2])
    assert torch.equal(its.c[0], state.c[2])


def test_a_module_follows_every_genome_it_is_given():
    """Also one that lies where the one before lay, and one changed in place."""
    g = LSTMConfig(2, 2, 3)
    x, state = torch.ones(4, 2, 3), State(torch.zeros(4, 6, 3), torch.zeros(4, 6, 3))
    module = BlockLSTM(g, g.spec().sample(0, 4))
    module.backend = "torch"
    place = np.empty((4, g.spec().length), np.float32)
    for seed in range(3):
        place[:] = g.spec().sample(seed, 4)
        module.load(place)
        fresh = BlockLSTM(g, g.spec().sample(seed, 4))
        fresh.backend = "torch"
        assert torch.equal(module(x, state).y, fresh(x, state).y)
        module.genome.mul_(2)
        fresh.load(module.genome.clone())
        assert torch.equal(module(x, state).y, fresh(x, state).y)


def test_wrong_lengths_and_names_are_refused_with_what_was_expected():
    spec = SWRE.spec()
    for wrong in (np.zeros(77_600, np.float32), torch.zeros(2, 5), torch.zeros(1, 1, 77_601)):
        with pytest.raises(UserError, match="has 77601 genes") as error:
            spec.unflatten(wrong)
        assert str(tuple(wrong.shape)) in str(error.value)
    with pytest.raises(UserError, match="77601 genes"):
        Estimator(SWRE, torch.zeros(3))
    with pytest.raises(UserError, match=r"no slice 'lstm\.V' in the genome; there are: lstm\.W"):
        spec["lstm.V"]
    with pytest.raises(UserError, match="no part 'game' in the genome; there are: lstm, net"):
        spec.part("game")
    parts = spec.unflatten(np.zeros(77_601, np.float32))
    with pytest.raises(UserError, match=r"missing \['lstm\.W'\], unknown \['V'\]"):
        spec.flatten({"V" if k == "lstm.W" else k: v for k, v in parts.items()})
    with pytest.raises(UserError, match=r"lstm\.c0: expected shape \(500,\)"):
        spec.flatten({**parts, "lstm.c0": np.zeros(499, np.float32)})
    with pytest.raises(UserError, match="two slices are called 'a'"):
        GenomeSpec.build([("a", (1,), 1.0), ("a", (2,), 1.0)])


def test_initial_deviations():
    """Spec section 4: 1/fan-in for weights, 1 for initial states; section 3: those of the 2016 prototype."""
    lstm, net = LSTMConfig(8, 10, 5), NetConfig((60, 30, 1))
    printed = {s.name: s.std for s in GenomeSpec.join({"l": lstm.spec(PRINTED), "n": net.spec(PRINTED)}).slices}
    assert printed["l.W"] == printed["l.R"] == printed["l.bias"] == printed["l.peephole"] == pytest.approx(1 / 13)
    assert printed["l.c0"] == printed["l.y0"] == 1.0
    assert printed["n.layer0.W"] == pytest.approx(1 / 60)
    assert printed["n.layer1.W"] == pytest.approx(1 / 30)
    java = {s.name: s.std for s in GenomeSpec.join({"l": lstm.spec(PROTOTYPE), "n": net.spec(PROTOTYPE)}).slices}
    assert java["l.W"] == 1 / 8
    assert java["l.R"] == java["l.bias"] == java["l.peephole"] == 1 / 5
    assert java["n.layer0.bias"] == pytest.approx(1 / 60)
    assert java["n.layer1.bias"] == java["l.c0"] == 1.0

    drawn = lstm.spec().sample(1, 400)
    for piece in lstm.spec().slices:
        part = drawn[:, piece.start : piece.stop]
        assert part.std() == pytest.approx(piece.std, rel=0.05)
        assert abs(part.mean()) < 5 * piece.std / part.size**0.5
    assert (lstm.spec().sample(1, 7) == drawn[:7]).all(), "an individual does not depend on the population's size"
    assert (lstm.spec().sample(2, 7) != drawn[:7]).any()


def test_deviations_can_be_set_by_pattern_and_nonsense_is_refused():
    spec = SWRE.spec().with_std({"*.c0": 0.25, "lstm.*": 3.0})
    assert (spec["lstm.c0"].std, spec["lstm.W"].std) == (0.25, 3.0)
    assert spec["net.layer0.W"].std == SWRE.spec()["net.layer0.W"].std
    with pytest.raises(UserError, match="'game' names no slice"):
        SWRE.spec().with_std({"game": 1.0})
    for bad in (-1.0, float("nan"), float("inf"), "1/fanin"):
        with pytest.raises(UserError, match="initial std of R"):
            InitialStd(R=bad)
    with pytest.raises(UserError, match="no meaning for a dense layer"):
        NetConfig((3, 1)).spec(InitialStd(dense_weight="1/cells"))
    with pytest.raises(UserError, match="population: got 0"):
        spec.sample(1, 0)
