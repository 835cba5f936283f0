"""The README's example player runs as printed."""

import re
import subprocess
import sys
from pathlib import Path


def test_example_player_runs(tmp_path):
    text = (Path(__file__).parents[1] / "README.md").read_text()
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "class Patient" in block)
    (tmp_path / "my_player.py").write_text(code)
    command = [sys.executable, "-m", "ashe.match", "my_player:Patient", "CM", "--hands", "200"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "mBB/hand" in done.stdout
