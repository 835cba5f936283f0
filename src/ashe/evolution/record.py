"""The record of a run: what every individual earned in every generation, and runs that are played back from it.

Everything else in a run follows from its settings and these numbers, so a record of some hundred kilobytes stands for
the whole run: played back it rebuilds every population, and with it the champion, without playing a hand. Where the
record ends, the run goes on as if it had never stopped, on any machine.

`record.jsonl` has one line per generation: its number and the measured earnings [individuals][opponents], in chips.
"""

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from ashe.errors import UserError
from ashe.evolution.events import GenerationEnd, Reporter, RunStart
from ashe.evolution.protocols import GenerationTask, Result
from ashe.evolution.workers import Workers

FILE = "record.jsonl"
Earnings = npt.NDArray[np.float64]


class RecordReporter(Reporter):
    """Writes the record; after a resume the file is cut back to where it stood at the checkpoint."""

    name = "record"

    def __init__(self, path: Path, measure: str) -> None:
        self._path = path
        self._measure = measure
        self._file: IO[bytes] | None = None

    def run_start(self, event: RunStart) -> None:
        self._file = open(self._path, "ab")  # noqa: SIM115 (closed in `close`)
        keep = event.positions.get(self.name, 0) if event.first else 0
        self._file.truncate(min(keep, self._file.seek(0, os.SEEK_END)))
        self._file.seek(0, os.SEEK_END)

    def generation_end(self, event: GenerationEnd) -> None:
        assert self._file is not None
        earnings = np.asarray(event.result[self._measure], np.float64)
        # whole chips without ".0", for size
        rows = [[int(e) if e == int(e) else e for e in row] for row in earnings.tolist()]
        line = {"generation": event.generation, "measure": self._measure, "earnings": rows}
        self._file.write(json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n")
        self._file.flush()

    def position(self) -> int:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def load_record(folder: Path, measure: str) -> list[Earnings]:
    """The earnings of every recorded generation in `folder`, from `record.jsonl` or `record.jsonl.gz`."""
    plain, packed = folder / FILE, folder / f"{FILE}.gz"
    path = plain if plain.is_file() else packed
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path == packed else data).splitlines()
    except FileNotFoundError as error:
        raise UserError(f"there is no record of a run in {folder} ({FILE} or {FILE}.gz)") from error
    except (OSError, EOFError) as error:
        raise UserError(f"{path} cannot be read ({error})") from error
    generations = []
    for number, text in enumerate(lines):
        try:
            line = json.loads(text)
            earnings = np.array(line["earnings"], np.float64)
            sound = line["generation"] == number and line["measure"] == measure and earnings.ndim == 2
        except (ValueError, KeyError, TypeError):
            if number == len(lines) - 1:
                break  # cut off while it was written
            sound = False
        if not sound:
            raise UserError(f"line {number + 1} of {path} is not generation {number} measured in {measure!r}")
        generations.append(earnings)
    return generations


class PlayedBack:
    """`Workers` that answer with the record as long as there is one and then let others play."""

    def __init__(self, record: Sequence[Earnings], measure: str, workers: Workers) -> None:
        self._record = record
        self._measure = measure
        self._workers = workers

    def evaluate(self, genomes: npt.NDArray[np.float32], task: GenerationTask) -> Result:
        if task.generation >= len(self._record):
            return self._workers.evaluate(genomes, task)
        earnings = self._record[task.generation]
        wanted = (len(genomes), len(task.opponents))
        if earnings.shape != wanted:
            raise UserError(f"generation {task.generation} of the record has shape {earnings.shape}, the run {wanted}")
        return {self._measure: earnings}

    def close(self) -> None:
        self._workers.close()
