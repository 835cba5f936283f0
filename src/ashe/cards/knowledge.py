"""Everything there is to know about the cards of many decks, computed once (spec sections 1, 8 and 10).

A deck row is the deal in order: seat i holds `deck[2i], deck[2i + 1]`, the board is `deck[2N : 2N + 5]`. The playing
loop then never evaluates a card: decks and this knowledge are shared by a whole population and by both halves of a
duplicate match.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import hole_index
from ashe.cards.matchups import N_RUNOUTS
from ashe.cards.rank import CARD_KEY, CARD_MASK, START_KEY, rank_of
from ashe.cards.river import EMPTY, river_pass
from ashe.cards.suits import CARD_PERM, HOLE_CLASS, HOLE_CLASS_PERM, HOLE_PERM, flop_index, turn_index
from ashe.cards.tables import DENOMINATORS, OPPONENTS, EquityTables, count_not_above, equity_tables
from ashe.errors import UserError
from ashe.jit import njit

MIN_SEATS, MAX_SEATS = 2, 6


class DeckKnowledge(NamedTuple):
    """Per deck, seat and street (0 preflop, 1 flop, 2 turn, 3 river)."""

    ehs: NDArray[np.float32]  # [D, N, 4] exact EHS, rounded once
    pct: NDArray[np.float32]  # [D, N, 4] percentile of that EHS among opponent holdings
    rank: NDArray[np.int16]  # [D, N] showdown rank, phevaluator's number: lower is better
    stronger: NDArray[np.int16]  # [D, N] of the 990 opponent holdings at the river, those that win
    ties: NDArray[np.int16]  # [D, N] and those that tie
    allin: NDArray[np.float64]  # [D, 4] two seats: equity of seat 0 against seat 1's cards; [0, 4] for more seats


@njit
def _flop_allin(k1: int, m1: int, k2: int, m2: int, keys: NDArray[np.int64], masks: NDArray[np.int64]) -> int:
    """2 * wins + ties of hand 1 (key and mask with the flop) against hand 2 over the 990 run-outs of 45 live cards."""
    total = 0
    for i in range(1, 45):
        ki1, mi1, ki2, mi2 = k1 + keys[i], m1 + masks[i], k2 + keys[i], m2 + masks[i]
        for j in range(i):
            r1 = rank_of(ki1 + keys[j], mi1 + masks[j])
            r2 = rank_of(ki2 + keys[j], mi2 + masks[j])
            total += int(r1 < r2) + int(r1 <= r2)
    return total


@njit(nogil=True)
def fill_knowledge(
    decks: NDArray[Any],
    seats: int,
    preflop: NDArray[np.uint32],
    preflop_not_above: NDArray[np.uint16],
    flop: NDArray[np.uint32],
    flop_row: NDArray[np.uint16],
    flop_perm: NDArray[np.uint8],
    turn: NDArray[np.uint32],
    turn_row: NDArray[np.uint16],
    turn_perm: NDArray[np.uint8],
    matchup: NDArray[np.uint32],
    ehs: NDArray[np.float32],
    pct: NDArray[np.float32],
    rank: NDArray[np.int16],
    stronger: NDArray[np.int16],
    ties: NDArray[np.int16],
    allin: NDArray[np.float64],
) -> None:
    """The compiled loop behind `deck_knowledge`: the arrays of `EquityTables` in order, then those to fill."""
    river, above = np.empty(1326, dtype=np.uint32), np.empty(1326, dtype=np.int32)
    keys, masks = np.empty(48, dtype=np.int64), np.empty(48, dtype=np.int64)
    for d in range(decks.shape[0]):
        f0, f1, f2 = np.int64(decks[d, 2 * seats]), np.int64(decks[d, 2 * seats + 1]), np.int64(decks[d, 2 * seats + 2])
        t, r = np.int64(decks[d, 2 * seats + 3]), np.int64(decks[d, 2 * seats + 4])
        index = flop_index(f0, f1, f2)
        flop_values, flop_names = flop[flop_row[index]], flop_perm[index]
        index = turn_index(f0, f1, f2, t)
        turn_values, turn_names = turn[turn_row[index]], turn_perm[index]
        river_pass(f0, f1, f2, t, r, EMPTY, river, above)
        flop_key = START_KEY + CARD_KEY[f0] + CARD_KEY[f1] + CARD_KEY[f2]
        flop_mask = CARD_MASK[f0] + CARD_MASK[f1] + CARD_MASK[f2]
        turn_key, turn_mask = flop_key + CARD_KEY[t], flop_mask + CARD_MASK[t]
        river_key, river_mask = turn_key + CARD_KEY[r], turn_mask + CARD_MASK[r]
        for s in range(seats):
            a, b = np.int64(decks[d, 2 * s]), np.int64(decks[d, 2 * s + 1])
            hole = hole_index(a, b)
            ehs[d, s, 0] = np.float64(preflop[hole]) / DENOMINATORS[0]
            pct[d, s, 0] = np.float64(preflop_not_above[hole]) / OPPONENTS[0]
            value = flop_values[HOLE_PERM[flop_names, hole]]
            ehs[d, s, 1] = np.float64(value) / DENOMINATORS[1]
            count = count_not_above(flop_values, CARD_PERM[flop_names, a], CARD_PERM[flop_names, b], value)
            pct[d, s, 1] = np.float64(count) / OPPONENTS[1]
            value = turn_values[HOLE_PERM[turn_names, hole]]
            ehs[d, s, 2] = np.float64(value) / DENOMINATORS[2]
            count = count_not_above(turn_values, CARD_PERM[turn_names, a], CARD_PERM[turn_names, b], value)
            pct[d, s, 2] = np.float64(count) / OPPONENTS[2]
            value = river[hole]
            ehs[d, s, 3] = np.float64(value) / DENOMINATORS[3]
            pct[d, s, 3] = np.float64(count_not_above(river, a, b, value)) / OPPONENTS[3]
            stronger[d, s] = above[hole]
            ties[d, s] = 1980 - 2 * np.int64(above[hole]) - np.int64(value)
            rank[d, s] = rank_of(river_key + CARD_KEY[a] + CARD_KEY[b], river_mask + CARD_MASK[a] + CARD_MASK[b])
        if seats != 2:
            continue
        a1, b1 = np.int64(decks[d, 0]), np.int64(decks[d, 1])
        a2, b2 = np.int64(decks[d, 2]), np.int64(decks[d, 3])
        one, two = hole_index(a1, b1), hole_index(a2, b2)
        allin[d, 0] = np.float64(matchup[HOLE_CLASS[one], HOLE_PERM[HOLE_CLASS_PERM[one], two]]) / (2 * N_RUNOUTS)
        n = 0
        for card in range(52):
            if card not in (a1, b1, a2, b2, f0, f1, f2):
                keys[n], masks[n] = CARD_KEY[card], CARD_MASK[card]
                n += 1
        k1, m1 = CARD_KEY[a1] + CARD_KEY[b1], CARD_MASK[a1] + CARD_MASK[b1]
        k2, m2 = CARD_KEY[a2] + CARD_KEY[b2], CARD_MASK[a2] + CARD_MASK[b2]
        runouts = _flop_allin(flop_key + k1, flop_mask + m1, flop_key + k2, flop_mask + m2, keys, masks)
        allin[d, 1] = np.float64(runouts) / (2 * 990)
        total = 0
        for i in range(45):
            if keys[i] != CARD_KEY[t]:
                key, mask = turn_key + keys[i], turn_mask + masks[i]
                r1, r2 = rank_of(key + k1, mask + m1), rank_of(key + k2, mask + m2)
                total += int(r1 < r2) + int(r1 <= r2)
        allin[d, 2] = np.float64(total) / (2 * 44)
        r1, r2 = rank[d, 0], rank[d, 1]
        allin[d, 3] = (np.float64(r1 < r2) + np.float64(r1 <= r2)) / 2.0


def deck_knowledge(decks: NDArray[Any], seats: int, tables: EquityTables | None = None) -> DeckKnowledge:
    """EHS, percentiles, showdown ranks, stronger and tied holdings and, heads-up, all-in equities of each deck.

    `decks` is an integer array [D, 2 * seats + 5] (longer rows are fine, the rest of the deck is ignored), 2 to 6
    seats; `tables` defaults to `equity_tables()`. EHS and percentile are exact integers divided in double precision and
    rounded once to float32. `allin[d, street]` is seat 0's win + tie / 2 probability against seat 1's actual cards over
    all run-outs of the board as it lies on that street.
    """
    if not np.issubdtype(np.asarray(decks).dtype, np.integer):
        raise UserError(f"decks are {np.asarray(decks).dtype}: cards are integers from 0 to 51")
    decks = np.ascontiguousarray(decks, dtype=np.int64)
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise UserError(f"{seats} seats: a table has {MIN_SEATS} to {MAX_SEATS}")
    width = 2 * seats + 5
    if decks.ndim != 2 or decks.shape[1] < width:
        raise UserError(f"decks have shape {decks.shape}: {seats} seats need [number of decks, {width}]")
    dealt = np.sort(decks[:, :width], axis=1)
    wrong = (dealt[:, 0] < 0) | (dealt[:, -1] > 51) | (np.diff(dealt, axis=1) == 0).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        cards = decks[row, :width].tolist()
        raise UserError(f"deck {row} is {cards}: its {width} cards must be distinct integers from 0 to 51")
    tables = tables or equity_tables()
    D = len(decks)
    out = DeckKnowledge(
        ehs=np.empty((D, seats, 4), dtype=np.float32),
        pct=np.empty((D, seats, 4), dtype=np.float32),
        rank=np.empty((D, seats), dtype=np.int16),
        stronger=np.empty((D, seats), dtype=np.int16),
        ties=np.empty((D, seats), dtype=np.int16),
        allin=np.empty((D if seats == 2 else 0, 4), dtype=np.float64),
    )
    fill_knowledge(
        decks,
        seats,
        tables.preflop,
        tables.preflop_not_above,
        tables.flop,
        tables.flop_row,
        tables.flop_perm,
        tables.turn,
        tables.turn_row,
        tables.turn_perm,
        tables.matchup,
        *out,
    )
    return out
