"""The boards that Recursive Utility Estimation looks at: run-outs and the tree of what they may turn up (D 7.1).

For one hand on one street, an *entry* holds run-outs of the board (as many as wanted before the flop and on the flop,
all 46 rivers on the turn) and the *chance tree* over them: group 0 holds all, the children of a group on street s are
its run-outs by what street s + 1 shows. A group is one texture cluster, so each cluster is visited once, with its
share of the run-outs as its weight (D 7.1); with `strength_groups` above 1 the run-outs of a cluster are cut further
by ASHE's own EHS there, which the player will know when it comes to act, and with `every_river` each river of the turn
is a group of its own. Run-outs are a function of the hand's key and the street: drawn once, used at every depth,
and the same for everyone who plays this deck.

Sampled in the order of their groups, the run-outs of a group lie together; means over a group (EHS by street, deltas of
the HRE intervals) are taken once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.clusters import board_cluster
from ashe.cards.deck import hole_index
from ashe.cards.random import bounded, mix64
from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.cards.suits import HOLE_PERM, flop_index, turn_index
from ashe.cards.tables import DENOMINATORS, EquityTables
from ashe.decision.hand_range import INTERVALS, LOWER, UPPER, delta, stronger_hands
from ashe.jit import njit

RIVERS = 46  # that may fall on a turn
_SCALE = DENOMINATORS.astype(np.float64)


class Choices(NamedTuple):
    """How to sample."""

    samples: NDArray[np.int64]  # [4] run-outs by street; on turn and river all there are
    strength_groups: int
    every_river: int
    printed: int  # r_A without ties


# Columns of `RunOuts.entry`.
FIRST, COUNT, ROOT = 0, 1, 2
# Of `RunOuts.sample`: own EHS by street, then r_A at the river and the number it was drawn with.
ABOVE, NUMBER = 4, 5
# Of `RunOuts.group`: its first sample and how many, its board's cluster, its first child and how many.
FROM, SAMPLES, CLUSTER, CHILD, CHILDREN = 0, 1, 2, 3, 4
# Of `RunOuts.mean`: EHS by street, then the deltas of the nine intervals.
DELTAS = 4


class RunOuts(NamedTuple):
    """Entries one after the other in two pools; few arrays, because compiled functions pay for each they pass on."""

    entry: NDArray[np.int64]  # [E, 3]
    used: NDArray[np.int64]  # [2] samples and groups taken
    sample: NDArray[np.float32]  # [S, 6]
    group: NDArray[np.int32]  # [G, 5]
    mean: NDArray[np.float32]  # [G, 4 + 9] over the group's samples


def new_run_outs(entries: int, samples: int, groups: int) -> RunOuts:
    """Room for so many; `fill` says when it is not enough."""
    return RunOuts(
        entry=np.zeros((entries, 3), np.int64),
        used=np.zeros(2, np.int64),
        sample=np.zeros((samples, 6), np.float32),
        group=np.zeros((groups, 5), np.int32),
        mean=np.zeros((groups, DELTAS + INTERVALS), np.float32),
    )


def choices(sampled: int, strength_groups: int, every_river: bool, printed: bool) -> Choices:
    """`sampled` run-outs before the flop and on the flop."""
    return Choices(
        np.array([sampled, sampled, RIVERS, 1], np.int64), strength_groups, int(every_river), int(printed)
    )  # fmt: skip


def most_samples(c: Choices, street: int) -> tuple[int, int]:
    """(samples, groups) that one entry of a street needs at most."""
    n = int(c.samples[street])
    return n, 1 + n * (3 - street)


@njit
def river_counts(a, b, board):
    """(stronger, ties) of the 990 opponent holdings at the river."""
    key, mask = START_KEY, np.int64(0)
    for i in range(5):
        key += CARD_KEY[board[i]]
        mask += CARD_MASK[board[i]]
    own = rank_of(key + CARD_KEY[a] + CARD_KEY[b], mask + CARD_MASK[a] + CARD_MASK[b])
    cards = np.empty(45, np.int64)
    n = 0
    for card in range(52):
        dead = card in (a, b)
        for i in range(5):
            dead = dead or card == board[i]
        if not dead:
            cards[n] = card
            n += 1
    stronger, ties = 0, 0
    for i in range(1, 45):
        key_i, mask_i = key + CARD_KEY[cards[i]], mask + CARD_MASK[cards[i]]
        for j in range(i):
            rank = rank_of(key_i + CARD_KEY[cards[j]], mask_i + CARD_MASK[cards[j]])
            stronger += rank < own
            ties += rank == own
    return stronger, ties


@njit
def run_out_key(hand_key, street):
    """The random stream of a hand's run-outs on a street; `hand_key` is the seat's for the hand."""
    return mix64(mix64(hand_key, np.uint64(1) << np.uint64(40)), np.uint64(street))


@njit
def _draw(key, k, a, b, dealt, board):
    """Run-out k of a board with `dealt` cards: completes `board` [5]. With one card to come, run-out k is card k."""
    rest = np.empty(52, np.int64)
    n = 0
    for card in range(52):
        dead = card in (a, b)
        for i in range(dealt):
            dead = dead or card == board[i]
        if not dead:
            rest[n] = card
            n += 1
    if dealt == 4:
        board[4] = rest[k]
        return
    counter = np.uint64(0)
    sample = mix64(key, np.uint64(k))
    for i in range(dealt, 5):
        j, counter = bounded(sample, counter, n)
        board[i] = rest[j]
        rest[j] = rest[n - 1]
        n -= 1


@njit
def _strengths(a, b, board, street, known, flop, flop_row, flop_perm, turn, turn_row, turn_perm, out):
    """EHS on all streets of a full board into `out` [4]; returns (stronger, ties). Up to `street` it is `known`."""
    hole = hole_index(a, b)
    for k in range(street + 1):
        out[k] = known[k]
    if street < 1:
        index = flop_index(board[0], board[1], board[2])
        out[1] = np.float64(flop[flop_row[index], HOLE_PERM[flop_perm[index], hole]]) / _SCALE[1]
    if street < 2:
        index = turn_index(board[0], board[1], board[2], board[3])
        out[2] = np.float64(turn[turn_row[index], HOLE_PERM[turn_perm[index], hole]]) / _SCALE[2]
    stronger, ties = river_counts(a, b, board)
    if street < 3:
        out[3] = (1980 - 2 * stronger - ties) / _SCALE[3]
    return stronger, ties


@njit
def _close(r, group):
    """Means over a group's samples."""
    n = r.group[group, SAMPLES]
    for street in range(4):
        total = 0.0
        for i in range(r.group[group, FROM], r.group[group, FROM] + n):
            total += np.float64(r.sample[i, street])
        r.mean[group, street] = total / n
    for k in range(INTERVALS):
        total = 0.0
        for i in range(r.group[group, FROM], r.group[group, FROM] + n):
            total += delta(np.float64(r.sample[i, ABOVE]), LOWER[k], UPPER[k])
        r.mean[group, DELTAS + k] = total / n


@njit
def _split(r, c, e, street, order, cluster, ehs, last_group):
    """Give every group of `street - 1` (from `last_group` on) its children on `street`, sorting `order` within it."""
    base = r.entry[e, FIRST]
    made = r.used[1]
    each = c.every_river == 1 and c.samples[2] == r.entry[e, COUNT] and street == 3 and r.entry[e, ROOT] == last_group
    for group in range(last_group, made):
        first, n = r.group[group, FROM] - base, r.group[group, SAMPLES]
        part = order[first : first + n].copy()
        # insertion sort by cluster, then EHS, then number: n is at most a few hundred and mostly small
        for i in range(1, n):
            x = part[i]
            j = i
            while j > 0:
                y = part[j - 1]
                below = cluster[x, street] < cluster[y, street] or (
                    cluster[x, street] == cluster[y, street]
                    and (ehs[x, street] < ehs[y, street] or (ehs[x, street] == ehs[y, street] and x < y))
                )
                if not below:
                    break
                part[j] = y
                j -= 1
            part[j] = x
        order[first : first + n] = part
        r.group[group, CHILD] = r.used[1]
        i = 0
        while i < n:
            same = i
            while same < n and cluster[part[same], street] == cluster[part[i], street]:
                same += 1
            m = same - i
            pieces = m if each else min(c.strength_groups, m)
            for piece in range(pieces):
                low, high = i + piece * m // pieces, i + (piece + 1) * m // pieces
                g = r.used[1]
                r.used[1] = g + 1
                r.group[g, FROM] = base + first + low
                r.group[g, SAMPLES] = high - low
                r.group[g, CLUSTER] = cluster[part[i], street]
                r.group[g, CHILDREN] = 0
                r.group[g, CHILD] = 0
            i = same
        r.group[group, CHILDREN] = r.used[1] - r.group[group, CHILD]
    return made


@njit
def fill(r, c, e, key, a, b, cards, street, known, flop, flop_row, flop_perm, turn, turn_row, turn_perm):
    """Entry e: own cards a and b, the board `cards` [5] of which `street` shows a part, `known` EHS so far.

    False when there is no room. `key` is `run_out_key`'s.
    """
    n = np.int64(c.samples[street])
    if r.used[0] + n > r.sample.shape[0] or r.used[1] + 1 + n * (3 - street) > r.group.shape[0]:
        return False
    dealt = 0 if street == 0 else street + 2
    ehs, above = np.empty((n, 4), np.float64), np.empty(n, np.float64)
    cluster = np.zeros((n, 4), np.int64)
    board = np.empty(5, np.int64)
    for k in range(n):
        for i in range(dealt):
            board[i] = cards[i]
        if dealt < 5:
            _draw(key, k, a, b, dealt, board)
        stronger, ties = _strengths(
            a, b, board, street, known, flop, flop_row, flop_perm, turn, turn_row, turn_perm, ehs[k]
        )
        above[k] = stronger_hands(stronger, ties, c.printed == 1)
        for later in range(street + 1, 4):
            cluster[k, later] = board_cluster(board, later + 2)
    base, root = r.used[0], r.used[1]
    r.entry[e, FIRST] = base
    r.entry[e, COUNT] = n
    r.entry[e, ROOT] = root
    r.used[0] = base + n
    r.used[1] = root + 1
    r.group[root, FROM] = base
    r.group[root, SAMPLES] = n
    r.group[root, CLUSTER] = 0
    r.group[root, CHILD] = 0
    r.group[root, CHILDREN] = 0
    order = np.arange(n)
    last_group = root
    for later in range(street + 1, 4):
        last_group = _split(r, c, e, later, order, cluster, ehs, last_group)
    for i in range(n):
        k = order[i]
        r.sample[base + i, ABOVE] = above[k]
        r.sample[base + i, NUMBER] = k
        for later in range(4):
            r.sample[base + i, later] = ehs[k, later]
    for group in range(root, r.used[1]):
        _close(r, group)
    return True


@njit(nogil=True)
def fill_deal(r, c, done, keys, decks, ehs, flop, flop_row, flop_perm, turn, turn_row, turn_perm):
    """Entries (deck, seat, street) of a heads-up deal, from number `done` on; returns how many there are."""
    e = done
    while e < r.entry.shape[0]:
        deck, seat, street = e >> 3, (e >> 2) & 1, e & 3
        key = run_out_key(mix64(keys[deck], np.uint64(seat)), street)
        if not fill(
            r, c, e, key, decks[deck, 2 * seat], decks[deck, 2 * seat + 1], decks[deck, 4:9], street, ehs[deck, seat],
            flop, flop_row, flop_perm, turn, turn_row, turn_perm,
        ):  # fmt: skip
            return e
        e += 1
    return e


@njit
def run_out_boards(key, street, a, b, cards, out):
    """The full boards [n, 5] of an entry's run-outs, in the order they are drawn in."""
    dealt = 0 if street == 0 else street + 2
    for k in range(out.shape[0]):
        for i in range(dealt):
            out[k, i] = cards[i]
        if dealt < 5:
            _draw(key, k, a, b, dealt, out[k])


def boards_of(tables: EquityTables) -> tuple[NDArray[np.generic], ...]:
    """The arrays of the equity tables that `fill` reads, in its order."""
    return tables.flop, tables.flop_row, tables.flop_perm, tables.turn, tables.turn_row, tables.turn_perm


def grown(r: RunOuts, samples: int, groups: int) -> RunOuts:
    """A larger pool with the same entries."""
    larger = new_run_outs(len(r.entry), samples, groups)
    for name, array in r._asdict().items():
        getattr(larger, name)[: len(array)] = array
    return larger


def run_outs_of(
    keys: NDArray[np.uint64], decks: NDArray[np.int64], ehs: NDArray[np.float32], c: Choices, tables: EquityTables
) -> RunOuts:
    """All entries of a heads-up deal: entry 8 * deck + 4 * seat + street."""
    per_hand = int(c.samples.sum())
    r = new_run_outs(8 * len(keys), 2 * len(keys) * per_hand, 2 * len(keys) * (2 * per_hand + 4))
    done = 0
    while done < len(r.entry):
        done = fill_deal(r, c, done, keys, decks, ehs, *boards_of(tables))
        if done < len(r.entry):
            r = grown(r, len(r.sample), 2 * len(r.group))
    return r
