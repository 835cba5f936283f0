"""Random numbers from (seed, labels), never from a global.

A generator is derived afresh from its labels (purpose, generation, ...), so a resumed run needs no generator state:
the generation number is enough.
"""

import hashlib

import torch


def derived_seed(seed: int, *labels: str | int) -> int:
    """A 63-bit seed that depends on `seed` and on every label, and on nothing else."""
    text = repr((int(seed), *labels)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "little") >> 1


def generator(seed: int, *labels: str | int) -> torch.Generator:
    """A CPU generator for (seed, labels); numbers are drawn on the CPU so that every device sees the same ones."""
    return torch.Generator().manual_seed(derived_seed(seed, *labels))
