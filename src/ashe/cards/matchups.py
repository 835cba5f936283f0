"""Every preflop hand against every other, exactly: 2 * wins + ties over the C(48, 5) = 1,712,304 boards.

Up to renaming suits and swapping the hands there are about 47,000 matchups. They cost minutes of brute force, so the
numerators are shipped as `data/preflop_matchups.npz`, in the order of `matchup_classes`. For lookups they are spread
out to [starting-hand class of hand 1, holding 2], see `expand`.
"""

import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ashe.cards.deck import HOLE_A, HOLE_B, N_HOLES
from ashe.cards.rank import CARD_KEY, CARD_MASK, DATA, START_KEY, rank_of
from ashe.cards.suits import HOLE_CLASS_FIRST, HOLE_PERM, N_HOLE_CLASSES
from ashe.jit import njit

N_RUNOUTS = 1_712_304
FILE = DATA / "preflop_matchups.npz"


class MatchupClasses(NamedTuple):
    """`code` of each class is hand 1 * 1326 + hand 2; `place` and `swapped` [169, 1326] lead to it, -1 for a clash."""

    code: NDArray[np.int64]
    place: NDArray[np.int64]
    swapped: NDArray[np.bool_]


def matchup_classes() -> MatchupClasses:
    """The classes of matchups under renaming of suits and swapping of hands; a class's code is its smallest one."""
    first, second = HOLE_CLASS_FIRST[:, None].astype(np.int64), np.arange(N_HOLES)[None, :]
    best = np.full((N_HOLE_CLASSES, N_HOLES), np.iinfo(np.int64).max)
    swapped = np.zeros(best.shape, dtype=bool)
    for perm in HOLE_PERM.astype(np.int64):
        one, two = np.broadcast_arrays(perm[first], perm[second])
        for x, y, swap in ((one, two, False), (two, one, True)):
            code = x * N_HOLES + y
            better = code < best
            best[better] = code[better]
            swapped[better] = swap
    a1, b1, a2, b2 = HOLE_A[first], HOLE_B[first], HOLE_A[second], HOLE_B[second]
    clash = (a1 == a2) | (a1 == b2) | (b1 == a2) | (b1 == b2)
    codes = np.unique(best[~clash])
    index = np.searchsorted(codes, best)
    index[clash] = -1
    return MatchupClasses(codes, index, swapped)


@njit(nogil=True)
def matchup_numerator(a1: int, b1: int, a2: int, b2: int) -> np.int64:
    """2 * wins + ties of holding {a1, b1} against {a2, b2} over all boards, by brute force (~4 ms)."""
    keys, masks = np.empty(48, dtype=np.int64), np.empty(48, dtype=np.int64)
    n = 0
    for card in range(52):
        if card != a1 and card != b1 and card != a2 and card != b2:
            keys[n], masks[n] = CARD_KEY[card], CARD_MASK[card]
            n += 1
    key1, mask1 = START_KEY + CARD_KEY[a1] + CARD_KEY[b1], CARD_MASK[a1] + CARD_MASK[b1]
    key2, mask2 = START_KEY + CARD_KEY[a2] + CARD_KEY[b2], CARD_MASK[a2] + CARD_MASK[b2]
    total = np.int64(0)
    for v in range(4, 48):
        for w in range(3, v):
            kw, mw = keys[v] + keys[w], masks[v] + masks[w]
            for x in range(2, w):
                kx, mx = kw + keys[x], mw + masks[x]
                for y in range(1, x):
                    ky, my = kx + keys[y], mx + masks[y]
                    for z in range(y):
                        k, m = ky + keys[z], my + masks[z]
                        r1, r2 = rank_of(key1 + k, mask1 + m), rank_of(key2 + k, mask2 + m)
                        total += np.int64(r1 < r2) + np.int64(r1 <= r2)
    return total


def build_matchups(threads: int = 1) -> None:
    """Brute-force all classes and write the shipped file."""
    codes = matchup_classes().code

    def one(code: int) -> int:
        h1, h2 = divmod(code, N_HOLES)
        return int(matchup_numerator(int(HOLE_A[h1]), int(HOLE_B[h1]), int(HOLE_A[h2]), int(HOLE_B[h2])))

    with ThreadPoolExecutor(threads) as pool:
        done = pool.map(one, codes.tolist())
        bar = tqdm(done, total=len(codes), desc="preflop matchups", file=sys.stderr, mininterval=1.0)
        numerators = np.array(list(bar), dtype=np.uint32)
    np.savez_compressed(FILE, numerators=numerators)
    print(f"wrote {FILE}, crc {zlib.crc32(numerators.tobytes()):#010x}", file=sys.stderr)


def load_numerators() -> NDArray[np.uint32]:
    """The shipped numerators, one for each class."""
    with np.load(FILE) as npz:
        return np.asarray(npz["numerators"], dtype=np.uint32)


def expand() -> NDArray[np.uint32]:
    """[169, 1326] numerators of each class's first holding against each holding; 0 where they clash."""
    classes = matchup_classes()
    value = load_numerators()[classes.place].astype(np.int64)
    value = np.where(classes.swapped, 2 * N_RUNOUTS - value, value)
    return np.where(classes.place < 0, 0, value).astype(np.uint32)
