"""`njit` with an on-disk cache that notices a change in *any* source file a function is compiled from.

Numba keys its cache by the file that defines a function, so a compiled loop keeps calling the old version of a
helper that was edited in another module. Here every module caches into a folder named by the digest of its own
source and of all `ashe` modules it imports, directly or not.
"""

import ast
import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as numba_config

from ashe.cachedir import cache_dir
from ashe.errors import UserError

F = TypeVar("F", bound=Callable[..., Any])


def _imports(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ashe":
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            names.update(a.name for a in node.names if a.name.split(".")[0] == "ashe")
    return names


def _module_file(name: str) -> str | None:
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None  # `from ashe.x import a_function`: not a module
    return spec.origin if spec else None


@cache
def source_digest(file: str) -> str:
    """Digest of `file` and of every `ashe` module it depends on."""
    seen: dict[str, bytes] = {}
    todo = [file]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen[path] = Path(path).read_bytes()
        todo.extend(f for name in _imports(seen[path].decode()) if (f := _module_file(name)) and f.endswith(".py"))
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(seen[path])
    return digest.hexdigest()[:16]


def _use_cache_of(file: str | None) -> bool:
    """Point numba, which reads this setting when a function is decorated, at the cache; False: there is none to use."""
    if file is None:  # typed at a prompt: nothing to cache by
        return False
    try:
        folder = cache_dir()
    except UserError:  # modules are imported before a command can say so; it will, when it needs the folder
        return False
    setattr(numba_config, "CACHE_DIR", str(folder / "numba" / source_digest(file)))  # noqa: B010
    return True


def njit(function: F | None = None, *, counted: bool = True, **options: Any) -> Any:
    """`numba.njit(cache=True, error_model="numpy")` with the cache folder described above.

    `counted=False` is for inner functions that make no arrays: numba then counts no references in them. Every array of
    a NamedTuple is counted whenever the tuple is touched, which was three quarters of the time of a search.
    """

    def decorate(f: F) -> F:
        cached = _use_cache_of(inspect.getsourcefile(f))
        compiled: Any = numba.njit  # its annotations leave out the switch for reference counts
        return compiled(cache=cached, error_model="numpy", _nrt=counted, **options)(f)

    return decorate(function) if function is not None else decorate


def cfunc(signature: Any) -> Any:
    """`numba.cfunc(signature, cache=True)` with the cache folder described above."""

    def decorate(f: Callable[..., Any]) -> Any:
        cached = _use_cache_of(inspect.getsourcefile(f))
        return numba.cfunc(signature, cache=cached)(f)

    return decorate
