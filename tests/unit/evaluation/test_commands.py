"""The command lines: `python -m ashe.match` and `python -m ashe.tournament` as their users run them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ashe import interrupt


def run(*args, env=None):
    command = [sys.executable, "-m", *args]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, **(env or {})}, check=False
    )


def test_match_writes_what_it_prints(tmp_path):
    done = run(
        "ashe.match", "random", "TA", "--hands", "60", "--ev", "--json", str(tmp_path / "r.json"), "--log",
        str(tmp_path / "r.phhs"), "--acpc-log", str(tmp_path / "r.acpc"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "random against TA:" in done.stdout
    assert "all-in adjusted:" in done.stdout
    result = json.loads((tmp_path / "r.json").read_text())
    assert {"a", "b", "hands", "mbb", "ci95", "seed", "seconds", "ev_mbb", "ev_ci95"} <= set(result)
    assert (result["a"], result["b"], result["hands"], result["seed"]) == ("random", "TA", 60, 1)
    total = 0
    for line in (tmp_path / "r.acpc").read_text().splitlines():
        won, names = (field.split("|") for field in line.split(":")[4:])
        total += int(won[names.index("random")])
    assert result["mbb"] == pytest.approx(total / 60 / 100 * 1000)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.acpc", "r.json", "r.phhs"]


BAD = [
    (("XM", "CM"), "unknown player 'XM'"),
    (("hm", "CM"), "did you mean HM?"),
    (("CM", "no_such_module:Player"), "cannot be loaded"),
    (("CM", "HM", "--hands", "0"), "hands is 0"),
    (("CM", "HM", "--hands", "7"), "hands is 7"),
    (("CM", "HM", "--half", "0"), "half is 0"),
    (("CM", "HM", "--seed", "-1"), "seed is -1"),
    (("CM", "HM", "--workers", "0"), "workers is 0"),
    (("CM", "HM", "--hands", "20", "--protocol", "paper"), "give only one"),
    (("CM", "HM", "--json", "/no/such/folder/x.json"), "there is no folder"),
    (("CM", "HM", "--log", "/dev/null"), "not an ordinary file"),
    (("CM", "HM", "--json", "x", "--log", "x"), "a file of its own"),
    (("CM", "HM", "--hands", "80000", "--workers", "2", "--log", "x.phhs"), "leave --workers at 1"),
]


@pytest.mark.parametrize(("args", "message"), BAD)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    done = run("ashe.match", *args)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())  # nothing half-written


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("CM", "XM"), "unknown player 'XM'"),
        (("CM",), "name at least two"),
        (("CM", "CM"), "each once"),
        (("CM", "HM", "--hands", "0"), "hands is 0"),
        (("CM", "HM", "--out", "/dev/null/x"), "cannot write into the folder"),
    ],
)
def test_bad_tournaments_are_refused(args, message):
    done = run("ashe.tournament", *args)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


PLAYERS = """
from ashe.game.view import Action

class Cheat:
    def act(self, view):
        return Action(2, 10)

class Mute:
    def act(self, view):
        return None

class Gambler:
    def begin(self, rng):
        self.rng = rng

    def act(self, view):
        return view.pot_raise(1.0) if self.rng.random() < 0.3 else view.call()
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Cheat", "raise to 10: the legal range is 200 to 20000"),
        ("Mute", "answered None to 'preflop: "),
        ("Missing", "cannot be loaded"),
        ("Action", "has no act(view) method"),
    ],
)
def test_a_players_mistake_is_one_line(tmp_path, monkeypatch, name, message):
    (tmp_path / "mine.py").write_text(PLAYERS)
    monkeypatch.chdir(tmp_path)
    done = run("ashe.match", f"mine:{name}", "CM", "--hands", "20")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert message in line


def test_a_players_own_randomness_does_not_depend_on_workers(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(PLAYERS)
    monkeypatch.chdir(tmp_path)
    args = ("ashe.match", "mine:Gambler", "HP", "--hands", "400", "--half", "50")
    results = [run(*args, "--workers", workers) for workers in ("1", "2")]
    assert [done.returncode for done in results] == [0, 0], results[1].stderr
    assert len({tuple(done.stdout.splitlines()[:-1]) for done in results}) == 1


def test_unwritable_log_folder(tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    if os.access(locked, os.W_OK):
        pytest.skip("this user may write everywhere")
    done = run("ashe.match", "CM", "HM", "--hands", "20", "--log", str(locked / "x.phhs"))
    assert done.returncode == 2
    assert "Permission denied" in done.stderr


def test_tournament_saves_three_files(tmp_path):
    done = run("ashe.tournament", "CM", "HM", "minraise", "--hands", "200", "--out", str(tmp_path / "new" / "folder"))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "new" / "folder"
    assert (folder / "tournament.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "tournament.txt").read_text().rstrip() in done.stdout
    saved = json.loads((folder / "tournament.json").read_text())
    assert len(saved["results"]) == 3
    assert {"a", "b", "hands", "mbb", "ci95"} <= set(saved["results"][0])


def interrupted(args, cwd, ready):
    """Start a command, press Ctrl-C (the whole process group hears it, as in a terminal) once `ready(pid)` holds."""
    process = subprocess.Popen(
        [sys.executable, "-m", *args],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 240
    while not ready(process.pid) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    # CPython dies of the signal itself if the interrupt came inside exec() of a string (numba makes functions so).
    assert process.returncode in (130, -signal.SIGINT), err
    assert "Traceback" not in err.partition("Exception ignored on calling ctypes callback")[0]
    return out, err


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_a_tournaments_finished_pairs(tmp_path, workers):
    saved = tmp_path / "tournament.json"
    players = ["HM", "CM", "SL", "CS", "LA", "LP", "TP", "TA", "RG", "HP"]
    args = ("ashe.tournament", *players, "--hands", "100000", "--workers", str(workers), "--out", str(tmp_path))
    out, err = interrupted(args, tmp_path, lambda _: saved.exists())
    results = json.loads(saved.read_text())["results"]
    assert 1 <= len(results) < 45
    assert f"interrupted after {len(results)} of 45 pairs; they are saved in" in err
    assert "mBB/hand" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tournament.json", "tournament.png", "tournament.txt"]


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_leaves_nothing_of_a_match(tmp_path, workers):
    """In one process with logs begun; with two workers once they have been started."""
    logs = ("--log", "x.phhs", "--acpc-log", "x.acpc") if workers == 1 else ()
    args = ("ashe.match", "HM", "CM", "--hands", "4000000", "--json", "x.json", "--workers", str(workers), *logs)

    def ready(pid):
        if logs:
            return any(tmp_path.iterdir())
        return len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) > 2  # with the resource tracker

    if not logs and not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists():
        pytest.skip("needs Linux to see that the workers are there")
    out, err = interrupted(args, tmp_path, ready)
    assert out == ""
    assert "interrupted" in err
    assert not list(tmp_path.iterdir())


def test_an_interrupt_that_is_swallowed_comes_again(monkeypatch):
    """llvmlite swallows exceptions in its callbacks: the first Ctrl-C is lost here, the second is not."""
    monkeypatch.setattr(interrupt, "AGAIN", 0.05)
    heard = []

    def swallow_once():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            heard.append(1)
        time.sleep(1)

    with pytest.raises(KeyboardInterrupt), interrupt.insistent_interrupts():
        swallow_once()
    assert heard == [1]
    time.sleep(0.1)  # and no more of them after the block


def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m ashe.match HM CM --hands 20 --quiet | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
