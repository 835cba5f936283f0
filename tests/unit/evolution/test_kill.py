"""`kill -9` at 20 random moments of a short real run of ASHE 1.0: resuming ends as if nothing had happened.

`python -m pytest -m slow tests/unit/evolution/test_kill.py -s` (its last result is in docs/ashe1.md).
"""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sphere_runs import reproducible_lines

from ashe.evolution.champion import load_champion

KILLS = 20
SETTINGS = [
    "+experiment=ashe1_plus", "seed=7", "curriculum.generations=40", "evolution.population=10", "game.hands=40",
    "agent.game_blocks=2", "agent.game_size=3", "agent.opponent_size=4", "agent.hidden=5", "logging.console=false",
    "logging.histogram_every=4", "logging.figure_every=20",
]  # fmt: skip
WORKERS = {"in_process": ["workers=in_process"], "local": ["workers=local", "workers.count=1"]}


def start(*arguments):
    command = [sys.executable, "-m", "ashe.train", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return errors


def wait_for(path: Path, process):
    """The run has begun: from here on it is to survive anything."""
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)
    return time.perf_counter()


def outcome(folder):
    champion = load_champion(folder / "champion.npz")
    assert champion.about["finished"]
    return champion.genome.tobytes(), reproducible_lines(folder / "metrics.jsonl")


def generations(folder):
    path = folder / "metrics.jsonl"
    return path.read_bytes().count(b'{"event": "generation"') if path.exists() else 0


@pytest.mark.slow
def test_kill_9_at_twenty_random_moments(tmp_path):
    whole, seconds = {}, {}
    for kind, workers in WORKERS.items():
        folder = tmp_path / f"whole-{kind}"
        process = start(*SETTINGS, *workers, f"run_dir={folder}")
        begun = wait_for(folder / "config.yaml", process)
        finish(process)
        whole[kind], seconds[kind] = outcome(folder), time.perf_counter() - begun
    genome, lines = whole["local"]
    assert (genome, lines) == whole["in_process"]

    rng, killed_after, notices = np.random.default_rng(11), [], 0
    for n in range(KILLS):
        folder, kind = tmp_path / f"killed-{n}", list(WORKERS)[n % 2]
        process = start(*SETTINGS, *WORKERS[kind], f"run_dir={folder}")
        begun = wait_for(folder / "config.yaml", process)
        time.sleep(max(0.0, begun + rng.random() * 0.95 * seconds[kind] - time.perf_counter()))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        early = process.returncode == -signal.SIGKILL
        killed_after.append(generations(folder) if early else "finished")
        notices += "notice" in finish(start(f"resume={folder}"))
        resumed = outcome(folder)
        assert resumed[0] == genome, f"kill {n} after {killed_after[-1]} generations: another champion"
        assert resumed[1] == lines, f"kill {n} after {killed_after[-1]} generations: other metrics"
        print(f"kill {n + 1} of {KILLS} ({kind}) after {killed_after[-1]} of 40 generations: same result", flush=True)
    print(f"\nkilled after these generations of 40: {killed_after}; notices of a damaged checkpoint: {notices}")
    reached = [g for g in killed_after if g != "finished"]
    assert len(reached) >= KILLS // 2, "too many runs ended before they were killed"
    assert len(set(reached)) >= 5, "the moments are not spread over the run"
