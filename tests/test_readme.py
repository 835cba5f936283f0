"""What the README prints is what happens."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def run(command, folder):
    """A README command line, with this Python."""
    words = command.split()
    assert words[0] == ".venv/bin/python"
    return subprocess.run([sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=300)


def test_the_first_match_prints_this(tmp_path):
    command, printed = re.search(
        r"```\n(\S*python -m ashe\.match HP CS .*?)\n```\n```text\n(.*?)```", README, re.S
    ).groups()
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:-1] == printed.splitlines()[:-1]  # the last line has the time
    assert done.stdout.splitlines()[-1].startswith("20,000 hands, seed 1, ")


def test_example_player_runs(tmp_path):
    code = next(block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "class Patient" in block)
    assert len(code.splitlines()) <= 15
    (tmp_path / "my_player.py").write_text(code)
    command = re.search(r"\S*python -m ashe\.match my_player:Patient .*", README).group()
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "my_player:Patient against CM: " in done.stdout
    assert "mBB/hand" in done.stdout


def test_every_file_it_names_is_there():
    for text in (README, (ROOT / "CONTRIBUTING.md").read_text(), (ROOT / "docs" / "architecture.md").read_text()):
        for path in re.findall(r"`((?:docs|src|tests|conf|benchmarks|experiments)/[\w./-]+)`", text):
            assert (ROOT / path).exists(), path
