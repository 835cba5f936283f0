"""The table file: atomic, checked, rebuilt when damaged, built by one process at a time."""

import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from ashe.cachedir import cache_dir
from ashe.cards import tables
from ashe.cards.storage import DamagedFileError, load_or_build, read_arrays, write_arrays
from ashe.errors import UserError

SMALL = {"a": np.arange(7, dtype=np.uint16), "b": np.arange(100_000, dtype=np.uint32).reshape(100, 1000)}


def test_round_trip_is_read_only_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_arrays(path, "1", SMALL)
    loaded = read_arrays(path, "1")
    for name, array in SMALL.items():
        assert np.array_equal(loaded[name], array)
        assert loaded[name].dtype == array.dtype
        assert not loaded[name].flags.writeable
        assert loaded[name].flags.aligned
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("place", [0, 30, 4096, 5000, 200_000, -1])
def test_one_wrong_byte_is_noticed(tmp_path: Path, place: int) -> None:
    path = tmp_path / "x"
    write_arrays(path, "1", SMALL)
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(DamagedFileError):
        read_arrays(path, "1")


def test_truncation_and_versions_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_arrays(path, "1", SMALL)
    with pytest.raises(DamagedFileError, match="has version 1, this program needs 2"):
        read_arrays(path, "2")
    data = path.read_bytes()
    for length in (0, 10, 4096, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedFileError):
            read_arrays(path, "1")
    path.write_bytes(b"null".ljust(4096))
    with pytest.raises(DamagedFileError):
        read_arrays(path, "1")


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> dict[str, np.ndarray]:
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        load_or_build(tmp_path / "x", "1", fail, "test tables")
    assert not (tmp_path / "x").exists()
    load_or_build(tmp_path / "x", "1", lambda: SMALL, "test tables")  # and the lock is free


def test_an_unwritable_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="set ASHE_CACHE to a writable folder"):
        load_or_build(tmp_path / "missing" / "x", "1", lambda: SMALL, "test tables")


def test_damaged_equity_tables_are_rebuilt_with_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = asdict(tables.equity_tables())
    built = []

    def build() -> dict[str, np.ndarray]:  # the true build takes seconds: `test_cards_equity` checks its numbers
        built.append(1)
        return good

    monkeypatch.setenv("ASHE_CACHE", str(tmp_path))
    monkeypatch.setattr(tables, "build_tables", build)
    monkeypatch.setattr(tables, "_loaded", {})
    first = tables.equity_tables()
    assert tables.equity_tables() is first
    assert "building exact equity tables (97 MB) once" in capsys.readouterr().err
    path = tmp_path / "equity.tables"
    with open(path, "r+b") as file:
        file.seek(50_000_000)
        file.write(b"damage")
    tables._loaded.clear()
    again = tables.equity_tables()
    assert "fails its checksum; building exact equity tables (97 MB) again" in capsys.readouterr().err
    assert np.array_equal(again.turn, good["turn"])
    tables._loaded.clear()
    tables.equity_tables()
    assert capsys.readouterr().err == ""
    assert len(built) == 2


SCRIPT = """
import os, sys, time
from pathlib import Path
import numpy as np
from ashe.cards.storage import load_or_build
folder = Path(sys.argv[1])
def build():
    (folder / f"built.{os.getpid()}").touch()
    time.sleep(0.5)
    return {"a": np.arange(1000)}
while not (folder / "go").exists():
    time.sleep(0.01)
print(load_or_build(folder / "x", "1", build, "test tables")["a"].sum())
"""


def test_processes_that_start_together_build_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    (tmp_path / "go").touch()
    for process in running:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert out.strip() == "499500"
    assert len(list(tmp_path.glob("built.*"))) == 1
    assert not list(tmp_path.glob("*.tmp"))


def match_with(cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ashe.match", "CS", "HP", "--hands", "200", "--quiet"]
    environment = {**os.environ, "ASHE_CACHE": str(cache)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["truncated", "one byte", "missing"])
def test_matches_mend_the_tables_and_share_the_work(tmp_path: Path, damage: str) -> None:
    """Two matches start at once with a bad table file: one rebuilds it, both play what a good file gives."""
    tables.equity_tables()
    shutil.copy(cache_dir() / "equity.tables", tmp_path)
    (tmp_path / "numba").symlink_to(cache_dir() / "numba")  # compiled code is not what is tested
    path = tmp_path / "equity.tables"
    good = path.read_bytes()
    expected = match_with(tmp_path).communicate(timeout=300)[0].splitlines()[:-1]
    assert "mBB/hand" in expected[0]
    if damage == "truncated":
        path.write_bytes(good[: len(good) // 2])
    elif damage == "one byte":
        path.write_bytes(good[:70_000_000] + bytes([good[70_000_000] ^ 1]) + good[70_000_001:])
    else:
        path.unlink()
    errors = ""
    for process in [match_with(tmp_path) for _ in range(2)]:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        assert out.splitlines()[:-1] == expected  # the last line has the time
        errors += err
    assert errors.count("building exact equity tables") == 1
    assert path.read_bytes() == good


@pytest.mark.parametrize("command", [("ashe.match", "CM", "HM"), ("ashe.tournament", "CM", "HM")])
def test_an_unusable_cache_folder_is_one_line_and_exit_code_2(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    environment = {**os.environ, "ASHE_CACHE": str(tmp_path / "file" / "folder")}
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "cannot be written (Not a directory); set ASHE_CACHE to a folder that can" in line
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
