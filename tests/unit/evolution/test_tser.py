"""TSER, sentence by sentence (dissertation sections 4.2.2 and 4.3.1, Table 4-1; spec section 4)."""

import numpy as np
import pytest
import torch

from ashe.errors import UserError
from ashe.evolution.settings import from_mapping
from ashe.evolution.tser import Schedule, Tser, TserConfig, crossover, mutation, parents, survivors, tiers

P, D = 50, 101
NEVER, ALWAYS = Schedule(0.0, 0.0), Schedule(1.0, 1.0)


def population(seed=1, size=P, genes=D):
    return torch.randn(size, genes, generator=torch.Generator().manual_seed(seed))


def fitness(seed=2, size=P):
    return torch.randn(size, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def next_generation(config, told, genomes=None, seed=7, generation=0, total=10):
    genomes = population() if genomes is None else genomes
    tser = Tser(config, genomes, seed, generation, total)
    assert tser.ask() is not None
    tser.tell(told)
    best = torch.argsort(told, descending=True, stable=True)
    return tser, genomes, best


def bits(a, b):
    return torch.equal(a.view(torch.int32), b.view(torch.int32))


def test_the_best_thirty_percent_survive():
    """Table 4-1: survival rate 0.30."""
    told = fitness()
    chosen = survivors(told, 0.30)
    assert len(chosen) == 15
    assert told[chosen].min() > told[[i for i in range(P) if i not in chosen.tolist()]].max()
    assert [len(survivors(fitness(size=n), 0.30)) for n in (4, 5, 10, 32, 80)] == [2, 2, 3, 10, 24]


def test_survivors_whose_fitness_is_above_the_average_of_all_survivors_ascend_to_the_top_tier():
    told = torch.tensor([9.0, 8.0, 4.0, 3.0, 1.0, 0.0, -5.0, -5.0, -5.0, -5.0])
    elites, second = tiers(told, torch.arange(6))  # mean 25/6
    assert elites.tolist() == [0, 1]
    assert second.tolist() == [2, 3, 4, 5]
    elites, _ = tiers(told, torch.arange(4))  # mean 6
    assert elites.tolist() == [0, 1]


def test_if_the_top_tier_contains_only_a_single_player_the_second_best_is_added():
    told = torch.tensor([0.0, 100.0, 1.0, 2.0, -1.0])
    elites, second = tiers(told, torch.tensor([1, 3, 2, 0]))
    assert elites.tolist() == [1, 3]
    assert second.tolist() == [2, 0]


@pytest.mark.parametrize("value", [0.1, 1 / 3, -0.7, 1e-9, 12345.678])
def test_equal_survivors_are_not_above_their_own_average(value):
    """The rounded mean of 15 equal numbers may lie below them."""
    told = torch.full((P,), value, dtype=torch.float64)
    elites, second = tiers(told, survivors(told, 0.30))
    assert (len(elites), len(second)) == (2, 13)


def test_elites_are_immune_to_mutation():
    tser, before, best = next_generation(TserConfig(rate=ALWAYS), fitness())
    elites = len(tser.elites)
    assert 2 <= elites < 15
    assert tser.elites == best[:elites].tolist()
    assert bits(tser.ask()[:elites], before[best[:elites]])


def test_they_are_immune_only_as_long_as_they_remain_in_the_top_tier():
    tser, before, best = next_generation(TserConfig(rate=ALWAYS), fitness())
    fallen = before[best[1]]
    assert bits(tser.ask()[1], fallen)
    told = torch.arange(P, 0, -1, dtype=torch.float64)
    told[1] = 37.0  # row 1 now ends the list of the 15 survivors, below their mean
    tser.tell(told)
    assert not any(bits(row, fallen) for row in tser.ask())


def test_members_of_the_second_tier_are_mutated_and_survive():
    config = TserConfig(rate=ALWAYS, strength=Schedule(0.5, 0.5))
    tser, before, best = next_generation(config, fitness())
    elites = len(tser.elites)
    difference = tser.ask()[elites:15] - before[best[elites:15]]
    assert (difference != 0).all()
    assert difference.std() == pytest.approx(0.5, rel=0.05)


def test_members_of_the_second_tier_do_not_reproduce_and_children_alternate_the_genes_of_two_distinct_elites():
    """Without mutation every child can be read: even-indexed genes of one elite, odd-indexed genes of another."""
    tser, before, best = next_generation(TserConfig(rate=NEVER), fitness())
    elites = before[best[: len(tser.elites)]]
    children = tser.ask()[15:]
    assert len(children) == P - 15
    pairs = set()
    for child in children:
        mother = [i for i, e in enumerate(elites) if torch.equal(child[0::2], e[0::2])]
        father = [i for i, e in enumerate(elites) if torch.equal(child[1::2], e[1::2])]
        assert len(mother) == len(father) == 1
        assert mother != father
        pairs.add((mother[0], father[0]))
    assert len(pairs) > 15, "random pairs"


def test_children_are_mutated_after_crossover():
    still, _, _ = next_generation(TserConfig(rate=NEVER), fitness())
    moved, _, _ = next_generation(TserConfig(rate=Schedule(0.25, 0.25), strength=Schedule(0.4, 0.4)), fitness())
    change = (moved.ask() - still.ask())[15:]
    share = (change != 0).float().mean()
    assert share == pytest.approx(0.25, abs=0.03)
    assert change[change != 0].std() == pytest.approx(0.4, rel=0.06)


def test_crossover_and_parents():
    a, b = torch.arange(7.0), -torch.arange(7.0)
    assert crossover(a[None], b[None])[0].tolist() == [0, -1, 2, -3, 4, -5, 6]
    mothers, fathers = parents(4, 12_000, torch.Generator().manual_seed(3))
    assert (mothers != fathers).all()
    counts = torch.bincount(4 * mothers + fathers, minlength=16).reshape(4, 4).float()
    off_diagonal = counts[~torch.eye(4, dtype=torch.bool)]
    assert ((off_diagonal - 1000).abs() < 150).all(), "all ordered pairs alike"
    assert set(parents(2, 50, torch.Generator())[0].tolist()) == {0, 1}


def test_mutation_leaves_other_genes_bit_for_bit():
    genomes = population()
    genomes[:, 0] = -0.0
    after = mutation(genomes, 0.1, 0.3, torch.Generator().manual_seed(1))
    same = after.view(torch.int32) == genomes.view(torch.int32)
    assert 0.88 < same.float().mean() < 0.92
    assert bits(mutation(genomes, 0.0, 0.3, torch.Generator()), genomes)


def test_schedules_are_linear_over_the_whole_run():
    """Table 4-1: mutation rate 0.25 -> 0.05, strength 0.50 -> 0.10."""
    tser = Tser(TserConfig(), population(genes=3), seed=1, generation=0, total=250)
    rates, strengths = [], []
    for _ in range(250):
        tser.tell(fitness())
        settings = tser.settings()
        rates.append(settings["mutation_rate"])
        strengths.append(settings["mutation_strength"])
    np.testing.assert_allclose(rates, np.linspace(0.25, 0.05, 250))
    np.testing.assert_allclose(strengths, np.linspace(0.50, 0.10, 250))
    late = TserConfig().from_champion(torch.zeros(D), P, 1, 100, 250)
    late.tell(fitness())
    assert late.settings()["mutation_rate"] == pytest.approx(np.linspace(0.25, 0.05, 250)[100])
    assert Schedule(0.3, 0.1).at(0, 1) == 0.3


def test_the_champion_is_the_best_of_the_generation_told_last():
    tser, before, best = next_generation(TserConfig(), fitness())
    champion = tser.champion
    assert champion.row == best[0]
    assert champion.fitness == float(fitness()[best[0]])
    assert bits(champion.genome, before[best[0]])
    tied = Tser(TserConfig(), population(), 1)
    tied.tell(torch.zeros(P))
    assert tied.champion.row == 0, "the first of equals"


def test_the_population_keeps_its_size_and_order():
    for size in (4, 5, 7, 50):
        tser, _, _ = next_generation(TserConfig(), fitness(size=size), population(size=size))
        assert tser.ask().shape == (size, D)
    tser, before, _ = next_generation(TserConfig(survival=1.0, rate=NEVER), fitness())
    assert sorted(map(tuple, tser.ask().tolist())) == sorted(map(tuple, before.tolist())), "no children"


def test_chance_comes_from_seed_and_generation_only():
    a, _, _ = next_generation(TserConfig(), fitness())
    torch.manual_seed(99)
    np.random.seed(99)
    b, _, _ = next_generation(TserConfig(), fitness())
    assert bits(a.ask(), b.ask())
    for other in ({"seed": 8}, {"generation": 1}):
        c, _, _ = next_generation(TserConfig(), fitness(), **other)
        assert not bits(a.ask(), c.ask())
    saved = a.state_dict()
    a.tell(fitness(5))
    d = Tser(TserConfig(), torch.zeros(P, D), 7, 0, 10)
    d.load_state_dict(saved)
    d.tell(fitness(5))
    assert bits(a.ask(), d.ask())


def test_a_later_session_starts_from_mutated_copies_and_keeps_one_as_it_is():
    champion = population()[0]
    start = TserConfig().from_champion(champion, P, seed=1, generation=50, total=500).ask()
    assert bits(start[0], champion)
    rate = Schedule(0.25, 0.05).at(50, 500)
    changed = start[1:] != champion
    assert changed.float().mean() == pytest.approx(rate, abs=0.02)
    assert changed.any(dim=1).all()


def test_nonsense_is_refused():
    tser = Tser(TserConfig(), population(), 1)
    for bad in (torch.zeros(P - 1), torch.zeros(P, 1), torch.full((P,), torch.nan), torch.full((P,), torch.inf)):
        with pytest.raises(UserError, match="fitness must be 50 finite numbers"):
            tser.tell(bad)
    with pytest.raises(UserError, match=r"population \[P >= 2, D\], got \[1, 3\]"):
        Tser(TserConfig(), torch.zeros(1, 3), 1)
    with pytest.raises(UserError, match=r"saved population is \[4, 3\]"):
        tser.load_state_dict({"generation": 1, "population": torch.zeros(4, 3)})
    with pytest.raises(RuntimeError, match="no champion"):
        assert tser.champion
    for data, message in [
        ({"survival": 0.0}, "survival=0.0 is out of range: it must be > 0"),
        ({"survival": 1.5}, "must be <= 1"),
        ({"rate": {"start": 1.2, "end": 0.1}}, "a probability is at most 1"),
        ({"strength": {"start": -0.1, "end": 0.1}}, r"strength\.start=-0\.1 is out of range"),
        ({"strength": {"start": float("inf"), "end": 0.1}}, "not a finite number"),
        ({"rate": {"start": 0.1}}, r"setting rate\.end is missing"),
        ({"surival": 0.3}, "unknown setting surival; did you mean 'survival'"),
    ]:
        with pytest.raises(UserError, match=message):
            from_mapping(TserConfig, data)
