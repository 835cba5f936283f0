"""A genome is one flat float32 vector with a named map: `"game.lstm.W" is [0:3200], shape (100, 4, 8)`.

The order of the slices is the order in memory, and the one the C++ kernel reads (`kernels/kernel.cpp`), so a mutated
vector runs as it is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from math import prod
from typing import Literal, TypeVar

import numpy as np
import torch

from ashe.errors import UserError

Array = TypeVar("Array", np.ndarray, torch.Tensor)
Scale = float | Literal["1/fan_in", "1/inputs", "1/cells"]


@dataclass(frozen=True)
class InitialStd:
    """Standard deviation of the first Gaussian genes, per kind of parameter (spec, section 4).

    `"1/fan_in"`: fan-in of the unit that the gene belongs to (LSTM gate: inputs + cells of its block; dense unit: its
    inputs); `"1/inputs"`: inputs of the LSTM; `"1/cells"`: cells of the LSTM block; a number: that number.
    """

    W: Scale = "1/fan_in"
    R: Scale = "1/fan_in"
    bias: Scale = "1/fan_in"
    peephole: Scale = "1/fan_in"
    state: Scale = 1.0
    dense_weight: Scale = "1/fan_in"
    dense_bias: Scale = "1/fan_in"
    output_bias: Scale = "1/fan_in"

    def __post_init__(self) -> None:
        for name, scale in vars(self).items():
            named = scale in ("1/fan_in", "1/inputs", "1/cells")
            if not named and (isinstance(scale, str) or not 0 <= scale < float("inf")):
                raise UserError(
                    f"initial std of {name}: got {scale!r}; allowed: a number >= 0, '1/fan_in', '1/inputs', '1/cells'"
                )


PRINTED = InitialStd()
# The author's 2016 prototype (spec, section 3).
PROTOTYPE = InitialStd(W="1/inputs", R="1/cells", bias="1/cells", peephole="1/cells", output_bias=1.0)


def resolve(scale: Scale, fan_in: int, inputs: int = 0, cells: int = 0) -> float:
    """The number that a `Scale` stands for in a given unit."""
    if not isinstance(scale, str):
        return float(scale)
    n = {"1/fan_in": fan_in, "1/inputs": inputs, "1/cells": cells}[scale]
    if n <= 0:
        raise UserError(f"initial std {scale!r} has no meaning for a dense layer; use '1/fan_in' or a number")
    return 1.0 / n


@dataclass(frozen=True)
class Slice:
    """Genes [start:stop] of the vector, an array of `shape` that starts with standard deviation `std`."""

    name: str
    shape: tuple[int, ...]
    start: int
    std: float

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def stop(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class GenomeSpec:
    """Named slices that tile one vector without gaps."""

    slices: tuple[Slice, ...] = field(default=())

    @staticmethod
    def build(parts: Iterable[tuple[str, tuple[int, ...], float]]) -> "GenomeSpec":
        """Slices in the given order from (name, shape, std)."""
        slices: list[Slice] = []
        for name, shape, std in parts:
            slices.append(Slice(name, tuple(shape), slices[-1].stop if slices else 0, float(std)))
        return GenomeSpec(tuple(slices))

    @staticmethod
    def join(parts: Mapping[str, "GenomeSpec"]) -> "GenomeSpec":
        """One genome of several: the slices of `parts["game"]` are called `"game.<name>"`."""
        return GenomeSpec.build(
            (f"{prefix}.{s.name}", s.shape, s.std) for prefix, spec in parts.items() for s in spec.slices
        )

    def __post_init__(self) -> None:
        names = [s.name for s in self.slices]
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"two slices are called {name!r}; give one of them another prefix")

    @cached_property
    def length(self) -> int:
        return self.slices[-1].stop if self.slices else 0

    @cached_property
    def _by_name(self) -> dict[str, Slice]:
        return {s.name: s for s in self.slices}

    def __getitem__(self, name: str) -> Slice:
        try:
            return self._by_name[name]
        except KeyError:
            raise UserError(f"no slice {name!r} in the genome; there are: {', '.join(self._by_name)}") from None

    def part(self, prefix: str) -> tuple[int, int]:
        """Where the genes of a joined part are: `part("game")` -> (start, stop)."""
        inside = [s for s in self.slices if s.name.startswith(prefix + ".")]
        if not inside:
            prefixes = sorted({s.name.split(".")[0] for s in self.slices})
            raise UserError(f"no part {prefix!r} in the genome; there are: {', '.join(prefixes)}")
        return inside[0].start, inside[-1].stop

    def check(self, vector: np.ndarray | torch.Tensor) -> None:
        """Refuse a vector [D] or population [P, D] of another length."""
        if vector.ndim not in (1, 2) or vector.shape[-1] != self.length:
            raise UserError(
                f"a genome of this shape has {self.length} genes ([D] or [P, D]); received an array of shape "
                f"{tuple(vector.shape)}: it was made for other network sizes (see GenomeSpec.describe())"
            )

    def unflatten(self, vector: Array) -> dict[str, Array]:
        """Views into a vector [D] (arrays of the slices' shapes) or population [P, D] (shapes [P, ...])."""
        self.check(vector)
        lead = tuple(vector.shape[:-1])
        return {s.name: vector[..., s.start : s.stop].reshape(lead + s.shape) for s in self.slices}

    def flatten(self, parts: Mapping[str, Array]) -> Array:
        """The inverse of `unflatten`, for single arrays or populations, numpy or torch."""
        missing, unknown = self._by_name.keys() - parts.keys(), parts.keys() - self._by_name.keys()
        if missing or unknown:
            raise UserError(f"genome parts do not match: missing {sorted(missing)}, unknown {sorted(unknown)}")
        flat: list[Array] = []
        for s in self.slices:
            value = parts[s.name]
            shape: tuple[int, ...] = tuple(value.shape)
            lead: tuple[int, ...] = shape[: len(shape) - len(s.shape)]
            if len(lead) > 1 or shape != lead + s.shape:
                raise UserError(f"{s.name}: expected shape {s.shape} or [P, ...] of it, received {shape}")
            full: tuple[int, ...] = (*lead, s.size)
            flat.append(value.reshape(full))
        if isinstance(flat[0], torch.Tensor):
            return torch.cat(flat, -1)
        return np.concatenate(flat, -1).astype(np.float32, copy=False)

    def with_std(self, stds: Mapping[str, float]) -> "GenomeSpec":
        """The same map with other initial deviations, by name or pattern: `{"*.c0": 0.5}`."""
        for pattern in stds:
            if not any(fnmatchcase(s.name, pattern) for s in self.slices):
                raise UserError(f"initial std: {pattern!r} names no slice; there are: {', '.join(self._by_name)}")

        def std(s: Slice) -> float:
            return next((v for pattern, v in stds.items() if fnmatchcase(s.name, pattern)), s.std)

        return GenomeSpec(tuple(replace(s, std=std(s)) for s in self.slices))

    @cached_property
    def std(self) -> np.ndarray:
        """Initial standard deviation of every gene."""
        return np.concatenate([np.full(s.size, s.std, np.float32) for s in self.slices])

    def sample(self, generator: np.random.Generator | int, population: int) -> np.ndarray:
        """A first population [P, D]: independent Gaussian genes. Individual p does not depend on P."""
        if population < 1:
            raise UserError(f"population: got {population}, need at least 1")
        rng = np.random.default_rng(generator)
        return rng.standard_normal((population, self.length), dtype=np.float32) * self.std

    def describe(self) -> str:
        """A table for people: name, genes, shape, initial deviation."""
        rows = [(s.name, f"[{s.start}:{s.stop}]", "x".join(map(str, s.shape)), f"{s.std:.4g}") for s in self.slices]
        rows = [("slice", "genes", "shape", "std"), *rows, ("total", str(self.length), "", "")]
        width = [max(len(row[k]) for row in rows) for k in range(4)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, width, strict=True)).rstrip() for row in rows)
