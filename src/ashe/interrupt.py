"""Ctrl-C that is not lost.

While compiled code is loaded, llvmlite calls back into Python and swallows every exception raised there, a
KeyboardInterrupt too ("Exception ignored on calling ctypes callback function"), and the program plays on.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 1.0  # seconds


@contextmanager
def insistent_interrupts() -> Iterator[None]:
    """Within the block a Ctrl-C is raised again every second until it gets through and the block is left."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(*_: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
