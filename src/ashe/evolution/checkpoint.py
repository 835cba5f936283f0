"""Checkpoints: what a run needs to continue as if it had never stopped.

A checkpoint is the state *between* two generations: how many are done, the optimiser's state, the frozen genome of the
current module session, the champion so far, the fitness records, and how far each reporter's file had grown. Random
numbers need no state (see `rng`). On disk: one line of magic, one line with the SHA-256 of the rest, then the payload.
Written atomically; the last `keep` are kept, so a damaged newest one costs only the generations since the one before.
"""

import hashlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from ashe.cli import write_atomic
from ashe.errors import UserError

MAGIC = b"ashe checkpoint 1\n"
_NAME = re.compile(r"generation_(\d{6,})\.ckpt")


class DamagedCheckpointError(UserError):
    """The file is truncated or altered."""


@dataclass(frozen=True)
class Checkpoint:
    done: int
    """Generations completed."""
    settings: Mapping[str, Any]
    """Every setting that the results depend on, as `group.key` -> value."""
    optimiser: Mapping[str, Any]
    frozen: torch.Tensor
    """Genome [D] whose non-evolving part everyone shares in the current session."""
    champion: torch.Tensor
    """Best genome [D] of the last generation done."""
    scale: Mapping[str, float]
    metrics: Mapping[str, Any]
    """Summary of the last generation done."""
    positions: Mapping[str, int]
    """Length of each reporter's file, to cut off what was written after this checkpoint."""
    previous: torch.Tensor | None = None
    """Best genome of the generation before the last, which the last one faced in self-play."""


def dumps(checkpoint: Checkpoint) -> bytes:
    buffer = io.BytesIO()
    torch.save({f.name: getattr(checkpoint, f.name) for f in fields(checkpoint)}, buffer)
    payload = buffer.getvalue()
    return MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload


def loads(data: bytes, name: str = "checkpoint") -> Checkpoint:
    head = len(MAGIC) + 65
    if data[: len(MAGIC)] != MAGIC:
        raise DamagedCheckpointError(f"{name} is not a checkpoint of this version of ashe")
    payload = data[head:]
    if hashlib.sha256(payload).hexdigest().encode() + b"\n" != data[len(MAGIC) : head]:
        raise DamagedCheckpointError(f"{name} is damaged: its checksum does not match ({len(data)} bytes)")
    return Checkpoint(**torch.load(io.BytesIO(payload), weights_only=True))


class CheckpointStore:
    """The checkpoints of one run, in one folder."""

    def __init__(self, folder: Path, keep: int = 2) -> None:
        if keep < 2:
            raise UserError(f"keep={keep}: at least 2 checkpoints are kept, in case the newest is damaged")
        self.folder = folder
        self.keep = keep
        folder.mkdir(parents=True, exist_ok=True)

    def paths(self) -> list[Path]:
        """Newest first."""
        found = [(int(m[1]), path) for path in self.folder.iterdir() if (m := _NAME.fullmatch(path.name))]
        return [path for _, path in sorted(found, reverse=True)]

    def save(self, checkpoint: Checkpoint) -> Path:
        path = self.folder / f"generation_{checkpoint.done:06d}.ckpt"
        write_atomic(path, dumps(checkpoint))
        for old in self.paths()[self.keep :]:
            old.unlink(missing_ok=True)
        for leftover in self.folder.glob(".*.tmp"):  # of a process killed while it wrote
            leftover.unlink(missing_ok=True)
        return path

    def latest(self, notice: Callable[[str], None]) -> Checkpoint | None:
        """The newest sound checkpoint; none if none was written yet."""
        paths = self.paths()
        for path in paths:
            try:
                checkpoint = loads(path.read_bytes(), str(path))
            except DamagedCheckpointError as error:
                notice(f"{error}; using the one before it")
                continue
            return checkpoint
        if paths:
            raise UserError(f"all {len(paths)} checkpoints in {self.folder} are damaged; start the run anew")
        return None


def refuse_other_settings(saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """A run may only continue with the settings it began with."""
    for key in sorted({*saved, *now}):
        missing = "(not set)"
        before, after = saved.get(key, missing), now.get(key, missing)
        if before != after:
            raise UserError(
                f"cannot resume with {key}={after!r}: the run began with {key}={before!r}; "
                "leave it as it was or start a new run"
            )


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as {`group.key`: value}; lists stay values."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat
