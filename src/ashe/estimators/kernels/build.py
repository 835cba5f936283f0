"""Compile `kernel.cpp` (with `simd.cpp` and `tiles.cpp`) at first use and keep the library in the cache folder.

The file name carries the digest of source, compiler, flags and CPU, so a changed source or another machine that
shares the folder builds its own. A build goes to a private temporary file and is moved into place in one step:
processes that start together may compile twice, but none ever loads half a library.
"""

import hashlib
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ashe.cachedir import cache_dir
from ashe.errors import UserError

SOURCE = Path(__file__).with_name("kernel.cpp")
INCLUDED = tuple(Path(__file__).with_name(name) for name in ("simd.cpp", "tiles.cpp"))
# No -ffast-math and no contraction: every lane must do the same operations at any batch size (see kernel.cpp).
FLAGS = ("-std=c++17", "-O3", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w")
NATIVE = ("-march=native", "-mcpu=native", "")  # the first one that the compiler accepts


def find_compiler() -> str | None:
    """`$ASHE_CXX` ("none": no compiler), else the first of c++, g++, clang++ on the path."""
    given = os.environ.get("ASHE_CXX")
    if given == "none":
        return None
    if given:
        path = shutil.which(given)
        if path is None:
            raise UserError(f"ASHE_CXX={given!r} is not a program; give a C++ compiler, or 'none' to do without")
        return path
    return next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine() + platform.processor()
    keys = ("model name", "flags", "Features", "CPU part")
    return platform.machine() + "".join(sorted({line for line in lines if line.startswith(keys)}))


def notice(message: str) -> None:
    """One line on stderr, not repeated by worker processes."""
    if multiprocessing.parent_process() is None:
        print(f"ashe: {message}", file=sys.stderr)


def library_path(compiler: str, suffix: str) -> Path:
    """Where the library of this source, compiler, CPU and interface (`suffix`) belongs."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in (SOURCE, *INCLUDED)))
    for part in (compiler, *FLAGS, *NATIVE, suffix, _cpu()):
        digest.update(part.encode() + b"\0")
    folder = cache_dir() / "kernels"
    folder.mkdir(exist_ok=True)
    return folder / f"kernel-{digest.hexdigest()[:16]}.so"


def compile_library(compiler: str, suffix: str, target: Path) -> bool:
    """Build `target`; False with a notice when the compiler refuses."""
    handle, name = tempfile.mkstemp(suffix=".so", dir=target.parent)
    os.close(handle)
    try:
        for native in NATIVE:
            command = [compiler, *FLAGS, *filter(None, [native]), f"-DASHE_SUFFIX={suffix}", str(SOURCE), "-o", name]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                os.chmod(name, 0o755)
                os.replace(name, target)
                return True
        error = (done.stderr.strip() or "no message").splitlines()[0]
        notice(f"{compiler} could not build the LSTM kernel ({error}); using the slower torch and numba code")
        return False
    finally:
        Path(name).unlink(missing_ok=True)
