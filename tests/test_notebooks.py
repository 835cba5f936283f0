"""Every notebook runs from top to bottom, and is shipped with what it printed and drew."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def test_the_tours_are_there():
    tours = ("read_a_tree", "train_a_tiny_agent", "watch_rue_decide", "compare_versions")
    assert {f"{name}.ipynb" for name in tours} <= set(NOTEBOOKS)
    listed = (FOLDER / "README.md").read_text()
    assert all(name in listed for name in NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_runs(name):
    command = [sys.executable, str(FOLDER / "execute.py"), str(FOLDER / name), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = [c for c in json.loads((FOLDER / name).read_text())["cells"] if c["cell_type"] == "code"]
    assert f"{name}: {len(cells)} cells" in done.stdout
    assert [c["execution_count"] for c in cells] == list(range(1, len(cells) + 1))
    assert any("image/png" in o.get("data", {}) for c in cells for o in c["outputs"])


def test_a_cell_that_fails_is_named(tmp_path):
    cell = {"cell_type": "code", "source": ["print(1)\n", "1 / 0"], "execution_count": 1, "outputs": [], "metadata": {}}
    notebook = tmp_path / "broken.ipynb"
    notebook.write_text(json.dumps({"cells": [cell]}))
    done = subprocess.run(
        [sys.executable, str(FOLDER / "execute.py"), str(notebook), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "in code cell 1" in done.stderr
