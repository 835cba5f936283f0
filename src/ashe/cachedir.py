"""Where files that are built once (equity tables, compiled code) live."""

import os
import tempfile
from functools import cache
from pathlib import Path

from ashe.errors import UserError


def cache_dir() -> Path:
    """`$ASHE_CACHE`, else `$XDG_CACHE_HOME/ashe`, else `~/.cache/ashe`; created when missing."""
    given = os.environ.get("ASHE_CACHE")
    if given:
        path = Path(given).expanduser()
    else:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ashe"
    _check(path)
    return path


@cache
def _check(path: Path) -> None:
    """Refuse a folder that cannot be made or written, once per process."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise UserError(
            f"the cache folder {path} cannot be written ({error.strerror}); set ASHE_CACHE to a folder that can"
        ) from error
