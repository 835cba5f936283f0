"""Worker processes for matches."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from ashe.errors import UserError

Result = TypeVar("Result")


@contextmanager
def worker_pool(workers: int) -> Iterator[Executor | None]:
    """Spawned processes, or None for a single worker: play in this process then.

    Ctrl-C is the parent's business: workers ignore it (from their very start when used through `in_order`), and are
    ended when the block is left by an exception.
    """
    if workers < 1:
        raise UserError(f"workers is {workers}; at least 1 process plays")
    if workers == 1:
        yield None
        return
    ignore = (signal.SIGINT, signal.SIG_IGN)
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=signal.signal, initargs=ignore)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """A Ctrl-C within the block comes at its end. Processes started in it inherit the mask and never hear one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_order(
    pool: Executor, ahead: int, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Results of `function(*call)` in the calls' order, with at most `ahead` + 1 calls handed out at a time.

    Nothing is ever cancelled: a pool that is ended with cancelled calls pending complains in a thread of its own.
    """
    running: deque[Future[Result]] = deque()
    for call in calls:
        with _interrupts_held():
            running.append(pool.submit(function, *call))
        if len(running) > ahead:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
