"""`kill -9` at 20 random moments of a short real run of ASHE 1.0: resuming ends as if nothing had happened.

`python -m pytest -m slow tests/unit/evolution/test_kill.py -s` (its last result is in docs/ashe1.md).
"""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sphere_runs import reproducible_lines

from ashe.evolution.champion import load_champion

KILLS, GENERATIONS = 20, 40
SETTINGS = [
    "+experiment=ashe1_plus", "seed=7", f"curriculum.generations={GENERATIONS}", "evolution.population=10",
    "game.hands=40",
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


def wait_for_generation(number, folder, process):
    """Until that many generations are done; from `config.yaml` on a run is to survive anything."""
    while not (folder / "config.yaml").exists() or generations(folder) < number:
        if process.poll() is not None:
            assert process.returncode == 0, process.stderr.read()
            break
        time.sleep(0.001)


def outcome(folder):
    champion = load_champion(folder / "champion.npz")
    assert champion.about["finished"]
    return champion.genome.tobytes(), reproducible_lines(folder / "metrics.jsonl")


def generations(folder):
    path = folder / "metrics.jsonl"
    return path.read_bytes().count(b'{"event": "generation"') if path.exists() else 0


@pytest.mark.slow
def test_kill_9_at_twenty_random_moments(tmp_path):
    whole = {}
    for kind, workers in WORKERS.items():
        folder = tmp_path / f"whole-{kind}"
        finish(start(*SETTINGS, *workers, f"run_dir={folder}"))
        whole[kind] = outcome(folder)
    genome, lines = whole["local"]
    assert (genome, lines) == whole["in_process"]

    # A random generation, and a random moment of it: writing the metrics, the checkpoint, or playing the next one.
    rng, killed_after = np.random.default_rng(11), []
    for n in range(KILLS):
        folder, kind = tmp_path / f"killed-{n}", list(WORKERS)[n % 2]
        process = start(*SETTINGS, *WORKERS[kind], f"run_dir={folder}")
        wait_for_generation(int(rng.integers(0, GENERATIONS)), folder, process)
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed_after.append(generations(folder) if process.returncode == -signal.SIGKILL else "finished")
        finish(start(f"resume={folder}"))
        resumed = outcome(folder)
        assert resumed[0] == genome, f"kill {n} after {killed_after[-1]} generations: another champion"
        assert resumed[1] == lines, f"kill {n} after {killed_after[-1]} generations: other metrics"
        print(f"kill {n + 1} of {KILLS} ({kind}) after {killed_after[-1]} generations: same result", flush=True)
    print(f"\nkilled after these generations of {GENERATIONS}: {killed_after}")
    assert len(set(killed_after) - {"finished"}) >= KILLS // 2, "the moments are not spread over the run"
