"""Speed of the card code on one core: `python benchmarks/bench_cards.py`.

Compiles and builds tables first (not counted), then prints the best of three runs of each line, in CPU seconds.
"""

import time
from collections.abc import Callable

import numpy as np
from numba import njit

from ashe.cards.equity import equity_tables
from ashe.cards.knowledge import deck_knowledge
from ashe.cards.matchups import N_RUNOUTS, matchup_numerator
from ashe.cards.random import derive_key, shuffle_decks
from ashe.cards.rank import rank7
from ashe.cards.river import EMPTY, river_pass
from ashe.cards.texture import textures

DECKS = 20_000


@njit(error_model="numpy")
def _random_hands(decks: np.ndarray) -> int:
    total = 0
    for i in range(len(decks)):
        d = decks[i]
        total += rank7(d[0], d[1], d[2], d[3], d[4], d[5], d[6])
    return total


@njit(error_model="numpy")
def _river_boards(decks: np.ndarray, numerator: np.ndarray, stronger: np.ndarray) -> None:
    for i in range(len(decks)):
        d = decks[i]
        river_pass(d[0], d[1], d[2], d[3], d[4], EMPTY, numerator, stronger)


def _best(work: Callable[[], object], repeats: int = 3) -> float:
    work()  # compile, load, warm the caches
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    tables = equity_tables()
    keys = np.array([derive_key("bench", i) for i in range(DECKS)], dtype=np.uint64)
    decks = np.empty((DECKS, 17), dtype=np.int64)
    numerator, stronger = np.empty(1326, dtype=np.uint32), np.empty(1326, dtype=np.int32)
    lines: list[tuple[str, float, int]] = [
        ("shuffled 17-card deals", _best(lambda: shuffle_decks(keys, 17, decks)), DECKS),
        ("7-card evaluations, random hands", _best(lambda: _random_hands(decks)), DECKS),
        ("7-card evaluations, adding to a board", _best(lambda: matchup_numerator(50, 45, 0, 9)), 2 * N_RUNOUTS),
        ("river boards, all 1,081 holdings", _best(lambda: _river_boards(decks, numerator, stronger)), DECKS),
        ("2-seat decks, all knowledge", _best(lambda: deck_knowledge(decks, 2, tables)), DECKS),
        ("6-seat decks, all knowledge", _best(lambda: deck_knowledge(decks, 6, tables)), DECKS),
        ("flop textures", _best(lambda: textures(decks[:, :3])), DECKS),
        ("river textures", _best(lambda: textures(decks[:, :5])), DECKS),
    ]
    print(f"{'one core':<40} {'per second':>15} {'each':>12}")
    for name, seconds, count in lines:
        print(f"{name:<40} {count / seconds:>15,.0f} {seconds / count * 1e6:>9.3f} us")


if __name__ == "__main__":
    main()
