"""TSER: tiered survival and elite reproduction.

X. Li, "Adaptive Neuroevolution for Imperfect Information Games", dissertation, section 4.2.2 and Table 4-1;
X. Li and R. Miikkulainen (2017). One generation:

 1. All individuals are evaluated in the same way, whatever their status.
 2. Survivors: the best `survival` share of the population.
 3. Top tier (elites): the survivors whose fitness is above the survivors' mean; if that is a single one, the second
    best joins it. Elites are immune to mutation and are the only ones to reproduce.
 4. Second tier: the other survivors. They do not reproduce and are mutated.
 5. Children fill up the population: two distinct random elites give the even-indexed and the odd-indexed genes;
    then the child is mutated.
 6. Mutation: each gene with probability `rate` gets Gaussian noise of deviation `strength`; both descend linearly
    over the whole run.

The next population lists elites (best first), second tier (best first), children.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ashe.errors import UserError
from ashe.evolution.protocols import Champion
from ashe.evolution.rng import generator
from ashe.evolution.settings import check, setting


@dataclass(frozen=True)
class Schedule:
    """A value that moves linearly from the first generation of a run to the last."""

    start: float = setting(ge=0.0, help="value in the first generation")
    end: float = setting(ge=0.0, help="value in the last generation")

    def at(self, generation: int, total: int) -> float:
        return self.start + (self.end - self.start) * generation / max(total - 1, 1)


PUBLISHED_RATE = Schedule(0.25, 0.05)
PUBLISHED_STRENGTH = Schedule(0.50, 0.10)


@dataclass(frozen=True)
class TserConfig:
    survival: float = setting(0.30, gt=0.0, le=1.0, help="share of the population that survives")
    rate: Schedule = setting(PUBLISHED_RATE, help="probability that a gene mutates")  # noqa: RUF009 (frozen)
    strength: Schedule = setting(PUBLISHED_STRENGTH, help="standard deviation of a mutation")  # noqa: RUF009

    def __post_init__(self) -> None:
        check(self)
        if max(self.rate.start, self.rate.end) > 1.0:
            raise UserError(f"rate {self.rate.start} -> {self.rate.end}: a probability is at most 1")

    def check_size(self, population: int, length: int) -> None:
        if population < 2:
            raise UserError(f"evolution.population={population}: TSER needs at least two parents")

    def from_population(self, population: torch.Tensor, seed: int, generation: int, total: int) -> "Tser":
        return Tser(self, population, seed, generation, total)

    def from_champion(self, champion: torch.Tensor, size: int, seed: int, generation: int, total: int) -> "Tser":
        """Copies of the champion, mutated, except that the first stays as it is."""
        population = champion.repeat(size, 1)
        rng = generator(seed, "session", generation)
        rate, strength = self.rate.at(generation, total), self.strength.at(generation, total)
        population[1:] = mutation(population[1:], rate, strength, rng)
        return Tser(self, population, seed, generation, total)


def survivors(fitness: torch.Tensor, survival: float) -> torch.Tensor:
    """Step 2: rows of the best `survival` share (at least two), best first; equal fitness keeps the row order."""
    count = max(2, int(survival * len(fitness) + 0.5))
    return torch.argsort(fitness, descending=True, stable=True)[:count]


def tiers(fitness: torch.Tensor, survivors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Steps 3 and 4: (elites, second tier), both best first."""
    # measured from the lowest, so that rounding cannot lift equal survivors above their own mean
    theirs = fitness[survivors] - fitness[survivors[-1]]
    elites = max(2, int((theirs > theirs.mean()).sum()))
    return survivors[:elites], survivors[elites:]


def crossover(mothers: torch.Tensor, fathers: torch.Tensor) -> torch.Tensor:
    """Step 5: even-indexed genes of one parent, odd-indexed genes of the other."""
    children = mothers.clone()
    children[:, 1::2] = fathers[:, 1::2]
    return children


def parents(elites: int, children: int, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """For each child two distinct random elites, by their place among the elites."""
    mothers = torch.randint(elites, (children,), generator=rng)
    others = torch.randint(elites - 1, (children,), generator=rng)
    return mothers, (mothers + 1 + others) % elites


def mutation(genomes: torch.Tensor, rate: float, strength: float, rng: torch.Generator) -> torch.Tensor:
    """Step 6; genes that do not mutate keep their bits."""
    chosen = (torch.rand(genomes.shape, generator=rng) < rate).to(genomes.device)
    noise = torch.randn(genomes.shape, generator=rng).to(genomes) * strength
    return torch.where(chosen, genomes + noise, genomes)


class Tser:
    """Ask/tell over [P, D] float32; all chance comes from (seed, generation)."""

    def __init__(
        self, config: TserConfig, population: torch.Tensor, seed: int, generation: int = 0, total: int = 1
    ) -> None:
        if population.ndim != 2 or len(population) < 2:
            raise UserError(f"TSER needs a population [P >= 2, D], got {list(population.shape)}")
        self.config = config
        self.seed = seed
        self.total = total
        self._generation = generation
        self._population = population.to(torch.float32)
        self._champion: Champion | None = None
        self._elites: list[int] = []
        self._settings: dict[str, float] = {}

    def ask(self) -> torch.Tensor:
        return self._population

    def tell(self, fitness: torch.Tensor) -> None:
        now, count = self._population, len(self._population)
        if fitness.shape != (count,) or not bool(torch.isfinite(fitness).all()):
            raise UserError(f"fitness must be {count} finite numbers, got {list(fitness.shape)}: {fitness}")
        rate = self.config.rate.at(self._generation, self.total)
        strength = self.config.strength.at(self._generation, self.total)
        rng = generator(self.seed, "tser", self._generation)

        elites, second = tiers(fitness, survivors(fitness, self.config.survival))
        mothers, fathers = parents(len(elites), count - len(elites) - len(second), rng)
        children = crossover(now[elites[mothers]], now[elites[fathers]])
        mutated = mutation(torch.cat([now[second], children]), rate, strength, rng)

        best = int(elites[0])
        self._champion = Champion(now[best].clone(), float(fitness[best]), best)
        self._elites = [int(i) for i in elites]
        self._settings = {"mutation_rate": rate, "mutation_strength": strength}
        self._population = torch.cat([now[elites], mutated])
        self._generation += 1

    @property
    def champion(self) -> Champion:
        if self._champion is None:
            raise RuntimeError("no generation has been told yet, so there is no champion")
        return self._champion

    @property
    def elites(self) -> list[int]:
        return self._elites

    def settings(self) -> dict[str, float]:
        return self._settings

    def state_dict(self) -> dict[str, Any]:
        return {"generation": self._generation, "population": self._population}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if state["population"].shape != self._population.shape:
            raise UserError(
                f"the saved population is {list(state['population'].shape)}, expected {list(self._population.shape)}"
            )
        self._generation = int(state["generation"])
        self._population = state["population"]
