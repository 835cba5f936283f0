"""Where files that are built once (equity tables, compiled code) live."""

import os
from pathlib import Path


def cache_dir() -> Path:
    """`$ASHE_CACHE`, else `$XDG_CACHE_HOME/ashe`, else `~/.cache/ashe`; created when missing."""
    given = os.environ.get("ASHE_CACHE")
    if given:
        path = Path(given).expanduser()
    else:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ashe"
    path.mkdir(parents=True, exist_ok=True)
    return path
