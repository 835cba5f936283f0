"""What all command lines share: one clear line and exit code 2 for bad input, atomic output files."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ashe.cachedir import cache_dir
from ashe.errors import UserError


def run(main: Callable[[], int | None]) -> None:
    """Run a command's main function; a `UserError` becomes one line on stderr and exit code 2."""
    try:
        cache_dir()  # everything needs it, so say at once when it cannot be used
        code = main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:  # a full disk, a file that vanished
        print(f"error: {error}", file=sys.stderr)
        code = 2
    sys.exit(code or 0)


def check_counts(**given: int) -> None:
    """Refuse options that count something and are not at least 1."""
    for name, value in given.items():
        if value < 1:
            raise UserError(f"{name} is {value}; it is at least 1")


def output_folder(path: str | Path) -> Path:
    """Create a folder for output files, and refuse one that cannot be written, before any work starts."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"cannot write into the folder {folder}: {error.strerror}; choose another --out") from error
    return folder


def check_writable(paths: Iterable[str | Path | None]) -> None:
    """Refuse output files that cannot be written, before any work starts."""
    seen: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        folder = Path(path).absolute().parent
        if Path(path).exists() and not Path(path).is_file():
            what = "a folder" if Path(path).is_dir() else "not an ordinary file"
            raise UserError(f"cannot write {path}: it is {what}; name a file")
        if Path(path).absolute() in seen:
            raise UserError(f"cannot write {path} twice: give every output a file of its own")
        seen.add(Path(path).absolute())
        if not folder.is_dir():
            raise UserError(f"cannot write {path}: there is no folder {folder}; create it first")
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}; choose another place") from error
        if Path(path).exists() and not os.access(path, os.W_OK):
            raise UserError(f"cannot write {path}: it is write-protected; choose another name")


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
    folder = os.open(target.absolute().parent, os.O_RDONLY)  # the new name too survives a power cut
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
