"""The processor's time stamp inside compiled code: cheap enough to leave on (about 10 ns), for shares of time."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _ticks(typing_context: Any) -> Any:
    """A counter that runs at a constant rate; only differences and ratios mean something."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        declare: Any = cgutils.get_or_insert_function
        counter = declare(builder.module, ir.FunctionType(ir.IntType(64), []), "llvm.readcyclecounter")
        return builder.call(counter, [])

    return types.int64(), generate


ticks: Any = intrinsic(_ticks)
