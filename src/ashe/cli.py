"""What all command lines share: one clear line and exit code 2 for bad input, atomic output files."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ashe.errors import UserError


def run(main: Callable[[], int | None]) -> None:
    """Run a command's main function; a `UserError` becomes one line on stderr and exit code 2."""
    try:
        code = main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        code = 0
    sys.exit(code or 0)


def check_writable(paths: Iterable[str | Path | None]) -> None:
    """Refuse output files that cannot be written, before any work starts."""
    for path in paths:
        if path is None:
            continue
        folder = Path(path).absolute().parent
        if Path(path).is_dir():
            raise UserError(f"cannot write {path}: it is a folder; name a file")
        if not folder.is_dir():
            raise UserError(f"cannot write {path}: there is no folder {folder}; create it first")
        if not os.access(folder, os.W_OK) or (Path(path).exists() and not os.access(path, os.W_OK)):
            raise UserError(f"cannot write {path}: permission denied; choose another place")


def write_atomic(path: str | Path, data: str | bytes) -> None:
    """Write a whole file or nothing: a reader never sees half of it."""
    target = Path(path)
    raw = data.encode() if isinstance(data, str) else data
    handle, temporary = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
