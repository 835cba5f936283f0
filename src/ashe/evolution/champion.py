"""The champion file: one genome with everything needed to know where it came from.

`champion.npz` holds `genome` [D] float32, `about`, a JSON text with the named slices and modules, the resolved config,
seed, commit, generation and the last metrics, and the arrays that some agents play with besides their genome (default
trees of ASHE 2.1). No pickle: safe to load from anywhere.
"""

import io
import json
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ashe
from ashe.cli import write_atomic
from ashe.errors import UserError
from ashe.evolution.events import Reporter, RunEnd
from ashe.evolution.protocols import TrainingProblem


@dataclass(frozen=True)
class ChampionFile:
    genome: npt.NDArray[np.float32]
    about: Mapping[str, Any]
    assets: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


def save_champion(
    path: Path,
    genome: npt.NDArray[np.float32],
    about: Mapping[str, Any],
    assets: Mapping[str, npt.NDArray[Any]] | None = None,
) -> None:
    arrays: dict[str, Any] = {"genome": genome, "about": np.array(json.dumps(about, indent=1)), **(assets or {})}
    buffer = io.BytesIO()
    (np.savez_compressed if assets else np.savez)(buffer, **arrays)
    write_atomic(path, buffer.getvalue())


def load_champion(path: Path) -> ChampionFile:
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = dict(data)
        return ChampionFile(arrays.pop("genome"), json.loads(str(arrays.pop("about"))), arrays)
    except FileNotFoundError as error:
        raise UserError(f"there is no champion at {path}") from error
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is not a champion file or is damaged ({error})") from error


def source_commit() -> str:
    """Commit of the source tree this runs from, with `+` if it has changes; `unknown` outside a repository."""
    folder = Path(ashe.__file__).parent
    try:
        commit, changes = (
            subprocess.run(["git", *what], cwd=folder, capture_output=True, text=True, check=True, timeout=10).stdout
            for what in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return commit.strip() + ("+" if changes.strip() else "")


class ChampionReporter(Reporter):
    """Writes the champion when the run ends or is interrupted."""

    name = "champion"

    def __init__(self, path: Path, problem: TrainingProblem, config: Mapping[str, Any]) -> None:
        self._path = path
        self._problem = problem
        self._config = config

    def run_end(self, event: RunEnd) -> None:
        about = {
            "slices": {name: list(where) for name, where in self._problem.slices.items()},
            "modules": {name: list(where) for name, where in self._problem.genome_modules.items()},
            "config": self._config,
            "seed": self._config.get("seed"),
            "generations": event.done,
            "finished": event.finished,
            "metrics": event.metrics,
            "commit": source_commit(),
            "version": ashe.__version__,
        }
        save_champion(self._path, event.champion, about, self._problem.assets(event.champion, event.task))
