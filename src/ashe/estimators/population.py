"""What all population modules share: one genome [P, D], named weights, a choice between torch and the kernel."""

from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ashe.errors import UserError
from ashe.estimators.genome import GenomeSpec

Backend = Literal["auto", "torch", "kernel"]


def check_count(name: str, value: object) -> None:
    """Sizes of networks are whole numbers from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{name}: got {value!r}, need a whole number >= 1")


def check_shape(name: str, tensor: Tensor, expected: tuple[int, ...], like: Tensor | None = None) -> None:
    """Refuse another shape; with `like`, also another type or device than that tensor's."""
    if tuple(tensor.shape) != expected:
        raise UserError(f"{name}: expected shape {expected}, received {tuple(tensor.shape)}")
    if like is not None and (tensor.dtype != like.dtype or tensor.device != like.device):
        raise UserError(
            f"{name}: expected {like.dtype} on {like.device} as the genome has, "
            f"received {tensor.dtype} on {tensor.device}"
        )


class PopulationModule(torch.nn.Module):
    """P networks of one shape; `genome` [P, D] (a vector [D] is one individual) is the only parameter store."""

    genome: Tensor
    backend: Backend = "auto"

    def __init__(self, spec: GenomeSpec, genome: Tensor | np.ndarray) -> None:
        super().__init__()
        self.spec = spec
        self._weights: dict[str, Tensor] = {}
        self._weights_of: tuple[object, ...] = ()
        self.register_buffer("genome", torch.empty(0))
        self.load(genome)

    @property
    def population(self) -> int:
        return self.genome.shape[0]

    def load(self, genome: Tensor | np.ndarray) -> None:
        """Take a genome [D] or population [P, D]; contiguous float32 is used without copying.

        Call it again after changing such a vector through something other than `self.genome`.
        """
        tensor = torch.as_tensor(genome, dtype=torch.float32)
        self.spec.check(tensor)
        self.genome = tensor.reshape(-1, self.spec.length).contiguous()
        self._weights_of = ()

    def weights(self) -> dict[str, Tensor]:
        """Contiguous weights by name for the torch path, refreshed when the genome changes."""
        key = (self.genome.data_ptr(), self.genome._version, self.genome.device, self.genome.shape)
        if key != self._weights_of:
            self._weights = {k: v.contiguous() for k, v in self.spec.unflatten(self.genome).items()}
            self._weights_of = key
        return self._weights

    def use_kernel(self, x: Tensor) -> bool:
        """Whether to run x in the kernel, which needs float32 on the CPU; `backend` forces a path."""
        if self.backend == "torch" or x.device.type != "cpu" or x.dtype != torch.float32:
            if self.backend == "kernel":
                raise UserError(f"backend='kernel' needs float32 on the CPU; received {x.dtype} on {x.device}")
            return False
        from ashe.estimators.kernels import have_kernel

        if self.backend == "kernel" and not have_kernel():
            raise UserError("backend='kernel': there is no C++ compiler; install one (g++) or use backend='auto'")
        return have_kernel()
