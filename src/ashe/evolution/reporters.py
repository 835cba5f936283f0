"""Console and JSONL reporters (TensorBoard is in `tensorboard`, the champion file in `champion`)."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tqdm import tqdm

from ashe.evolution.events import GenerationEnd, PhaseChange, Reporter, RunEnd, RunStart

QUIET_SECONDS = 10.0
"""Without a terminal, progress is a printed line at most this often."""


class JsonlReporter(Reporter):
    """One JSON object per line: `start`, `phase`, `generation`..., `end`.

    Everything is reproducible except what stands under `wall` (clock and speed). After a resume the file is cut back to
    where it stood at the checkpoint, so a run that was killed leaves the same lines as one that was not.
    """

    name = "jsonl"

    def __init__(self, path: Path, notice: Callable[[str], None] = lambda text: None) -> None:
        self._path = path
        self._notice = notice
        self._file: IO[bytes] | None = None

    def run_start(self, event: RunStart) -> None:
        keep = event.positions.get(self.name, 0) if event.first else 0
        self._file = open(self._path, "ab")  # noqa: SIM115 (closed in `close`)
        size = self._file.seek(0, os.SEEK_END)
        if size < keep:
            self._notice(f"{self._path} has {size} bytes, the checkpoint expects {keep}: earlier lines are missing")
        self._file.truncate(min(keep, size))
        self._file.seek(0, os.SEEK_END)
        if event.first == 0:
            about = {"event": "start", "generations": event.total, "settings": dict(event.settings)}
            self._write(about, {"time": time.time()})

    def phase_change(self, event: PhaseChange) -> None:
        self._write(
            {
                "event": "phase",
                "generation": event.generation,
                "phase": event.phase,
                "opponents": list(event.opponents),
                "session": event.session,
                "module": event.module,
            },
            {"time": time.time()},
        )

    def generation_end(self, event: GenerationEnd) -> None:
        line = {"event": "generation", **event.metrics, "hands": event.hands, **event.extras}
        speed = event.hands / max(event.seconds, 1e-9)
        self._write(line, {"time": time.time(), "seconds": event.seconds, "hands_per_second": speed})

    def run_end(self, event: RunEnd) -> None:
        if event.finished:
            about = {"event": "end", "generations": event.done, "champion": event.metrics["champion_sha256"]}
            self._write(about, {"time": time.time()})

    def position(self) -> int:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, line: dict[str, Any], wall: dict[str, float]) -> None:
        assert self._file is not None
        self._file.write(json.dumps({**line, "wall": wall}, allow_nan=False).encode() + b"\n")
        self._file.flush()


def run_has_ended(path: Path) -> bool:
    """Whether the metrics file says that the run came to its end."""
    try:
        lines = path.read_bytes().splitlines()
        return bool(lines) and json.loads(lines[-1]).get("event") == "end"
    except (OSError, ValueError):
        return False


class ConsoleReporter(Reporter):
    """One line of progress with the time left; without a terminal a line now and then."""

    name = "console"

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bar: Any = None
        self._printed = 0.0

    def run_start(self, event: RunStart) -> None:
        resumed = f", from generation {event.first}" if event.first else ""
        print(f"{event.description}: {event.total} generations{resumed}", file=self._stream)
        self._bar = tqdm(
            total=event.total,
            initial=event.first,
            unit="gen",
            file=self._stream,
            dynamic_ncols=True,
            disable=not self._stream.isatty(),
            smoothing=0.1,
        )

    def phase_change(self, event: PhaseChange) -> None:
        opponents = " ".join(event.opponents)
        self._say(f"generation {event.generation}: phase {event.phase} ({opponents}), evolving {event.module}")

    def generation_end(self, event: GenerationEnd) -> None:
        fitness = event.metrics["fitness"]
        mbb = " ".join(f"{name} {value['champion']:+,.0f}" for name, value in event.metrics["mbb"].items())
        speed = event.hands / max(event.seconds, 1e-9)
        text = f"best {fitness['best']:.3f} mean {fitness['mean']:.3f} | {mbb} mBB/h | {speed:,.0f} hands/s"
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(1)
        now = time.monotonic()
        last = event.generation + 1 == event.total
        if self._bar.disable and (last or now - self._printed > QUIET_SECONDS):
            self._printed = now
            print(f"generation {event.generation + 1}/{event.total}: {text}", file=self._stream)

    def run_end(self, event: RunEnd) -> None:
        self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def _say(self, text: str) -> None:
        self._bar.clear()
        print(text, file=self._stream)
        self._bar.refresh()
