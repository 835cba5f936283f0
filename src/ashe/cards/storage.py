"""Large read-only arrays in one checked file: written atomically, memory-mapped, shared by all processes.

File: one line of JSON (version, checksum, place of each array), padded to 4 KB, then the arrays. Loading checks the
version, the size and the checksum of everything (4 GB/s: tens of milliseconds); a file that fails is never used.
"""

import json
import mmap
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.errors import UserError

try:
    import fcntl
except ImportError:  # no flock on this system: two processes may both build, and the last replace wins
    fcntl = None  # type: ignore[assignment]

Arrays = dict[str, NDArray[Any]]
_HEADER = 4096
_ALIGN = 64


class DamagedFileError(Exception):
    """The file is not what was written, or belongs to another version."""


def build_threads() -> int:
    """Threads for a one-off build: the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def write_arrays(path: Path, version: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write to a temporary file beside `path`, flush it to disk, then rename: readers see all of it or nothing."""
    places: dict[str, Any] = {}
    offset, crc = 0, 0
    parts: list[bytes | memoryview] = []
    for name, array in arrays.items():
        data = np.ascontiguousarray(array)
        pad = bytes(-data.nbytes % _ALIGN)
        places[name] = {"dtype": data.dtype.str, "shape": data.shape, "offset": offset}
        parts += [data.reshape(-1).view(np.uint8).data, pad]
        crc = zlib.crc32(pad, zlib.crc32(parts[-2], crc))
        offset += data.nbytes + len(pad)
    header = json.dumps({"version": version, "bytes": offset, "crc32": crc, "arrays": places}).encode()
    if len(header) >= _HEADER:
        raise ValueError(f"header of {len(header)} bytes does not fit into {_HEADER}")
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(header.ljust(_HEADER - 1) + b"\n")
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_arrays(path: Path, version: str) -> Arrays:
    """Memory-map the arrays. Raises FileNotFoundError or DamagedFileError."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            header = json.loads(file.read(_HEADER))
            payload = int(header["bytes"])
            if header["version"] != version:
                raise DamagedFileError(f"has version {header['version']}, this program needs {version}")
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFileError("has no readable header") from error
        if size != _HEADER + payload:
            raise DamagedFileError(f"has {size} bytes instead of {_HEADER + payload}")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if zlib.crc32(memoryview(mapped)[_HEADER:]) != header["crc32"]:
        raise DamagedFileError("fails its checksum")
    arrays: Arrays = {}
    for name, place in header["arrays"].items():
        count = int(np.prod(place["shape"]))
        flat = np.frombuffer(mapped, dtype=place["dtype"], count=count, offset=_HEADER + place["offset"])
        arrays[name] = flat.reshape(place["shape"])
    return arrays


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold `path` + '.lock'; the system releases it when the process ends, however it ends."""
    with open(path.with_name(path.name + ".lock"), "w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def load_or_build(path: Path, version: str, build: Callable[[], Arrays], what: str, rebuild: bool = False) -> Arrays:
    """The arrays of `path`; built by one process while others wait if missing, and with a notice if damaged."""
    if not rebuild:
        try:
            return read_arrays(path, version)
        except (FileNotFoundError, DamagedFileError):
            pass  # looked at again under the lock: another process may be mending it now
    try:
        with locked(path):
            if not rebuild:
                try:
                    return read_arrays(path, version)
                except FileNotFoundError:
                    print(f"ashe: building {what} once into {path}", file=sys.stderr)
                except DamagedFileError as problem:
                    print(f"ashe: {path} {problem}; building {what} again", file=sys.stderr)
            write_arrays(path, version, build())
            return read_arrays(path, version)
    except OSError as error:
        message = f"cannot write {what} to {path} ({error}): free some space or set ASHE_CACHE to a writable folder"
        raise UserError(message) from error
