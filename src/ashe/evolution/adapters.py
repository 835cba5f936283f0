"""EvoTorch's searchers behind the same ask/tell interface as TSER (optional extra `ashe[evotorch]`).

The algorithms are EvoTorch's own; `evotorch_searcher` only splits their `step()` into ask and tell. A checkpoint holds
the pickled searcher, so resuming continues it bit for bit with the same version of EvoTorch; its pickle is only
unpacked after the checkpoint's checksum was found right, but like any pickle it should come from your own runs.
"""

from dataclasses import dataclass

import torch

from ashe.errors import UserError
from ashe.evolution.protocols import Optimiser
from ashe.evolution.settings import check, setting

FULL_MATRIX_LIMIT = 3000
"""Genes above which CMA-ES with a full covariance matrix is refused (P x D x D floats in its update)."""


@dataclass(frozen=True)
class EvoTorchConfig:
    algorithm: str = setting(choices=("snes", "pgpe", "cmaes"), help="which of EvoTorch's searchers")
    stdev: float = setting(0.5, gt=0.0, help="initial standard deviation of the search distribution")
    center_learning_rate: float = setting(0.2, gt=0.0, help="PGPE: step size of the centre (ClipUp)")
    stdev_learning_rate: float = setting(0.1, gt=0.0, help="PGPE: learning rate of the standard deviation")
    separable: bool = setting(True, help="CMA-ES: diagonal covariance, the only choice for large genomes")

    def __post_init__(self) -> None:
        check(self)

    def check_size(self, population: int, length: int) -> None:
        if self.algorithm == "pgpe" and population % 2:
            raise UserError(f"PGPE samples in symmetric pairs: evolution.population={population} must be even")
        if self.algorithm == "cmaes" and not self.separable and length > FULL_MATRIX_LIMIT:
            raise UserError(
                f"CMA-ES with a full matrix is impractical for {length} genes (limit {FULL_MATRIX_LIMIT}); "
                "set evolution.evotorch.separable=true"
            )
        require_evotorch()

    def from_population(self, population: torch.Tensor, seed: int, generation: int, total: int) -> Optimiser:
        """The search distribution starts at the population's mean."""
        return self._start(population.mean(dim=0), len(population), seed, generation)

    def from_champion(self, champion: torch.Tensor, size: int, seed: int, generation: int, total: int) -> Optimiser:
        return self._start(champion, size, seed, generation)

    def _start(self, center: torch.Tensor, size: int, seed: int, generation: int) -> Optimiser:
        self.check_size(size, len(center))
        from ashe.evolution.evotorch_searcher import EvoTorchOptimiser

        return EvoTorchOptimiser(self, center, size, seed, generation)


def require_evotorch() -> None:
    """One clear line instead of an import error."""
    try:
        import evotorch  # noqa: F401
    except ImportError as error:
        raise UserError("SNES, PGPE and CMA-ES come from EvoTorch: pip install 'ashe[evotorch]'") from error
