"""Exact hand strength of one holding: the readable front of the equity tables.

EHS is the probability of beating one uniformly random opponent hand when the remaining board cards come at random,
ties counting one half. Percentile is the share of the opponent holdings (clashing with neither own cards nor board)
whose EHS on that board is not greater than one's own; the opponent's EHS knows the board, not our cards.
For many decks at once use `ashe.cards.knowledge`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ashe.cards.deck import check_cards, check_hole_and_board, hole_index
from ashe.cards.river import EMPTY, river_pass
from ashe.cards.suits import HOLE_PERM, flop_index, turn_index
from ashe.cards.tables import DENOMINATORS, OPPONENTS, EquityTables, count_not_above, equity_tables
from ashe.errors import UserError

__all__ = ["EquityTables", "board_numerators", "ehs", "equity_tables", "percentile", "stronger_and_ties"]

_STREET = {0: 0, 3: 1, 4: 2, 5: 3}


def _river(board: Sequence[int]) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    numerator, stronger = np.empty(1326, dtype=np.uint32), np.zeros(1326, dtype=np.int32)
    river_pass(*(int(c) for c in board), EMPTY, numerator, stronger)
    return numerator, stronger


def board_numerators(board: Sequence[int]) -> tuple[NDArray[np.uint32], int]:
    """(2 * wins + ties of each of the 1326 holdings, the common denominator); 2^32 - 1 where the board clashes."""
    if len(board) not in _STREET:
        raise UserError(f"the board has {len(board)} cards, allowed here: 0, 3, 4 or 5")
    check_cards(board)
    street = _STREET[len(board)]
    denominator = int(DENOMINATORS[street])
    if street == 3:
        return _river(board)[0], denominator
    tables = equity_tables()
    if street == 0:
        return tables.preflop, denominator
    if street == 1:
        index = flop_index(*(int(c) for c in board))
        row, perm = tables.flop[tables.flop_row[index]], tables.flop_perm[index]
    else:
        index = turn_index(*(int(c) for c in board))
        row, perm = tables.turn[tables.turn_row[index]], tables.turn_perm[index]
    return row[HOLE_PERM[perm]], denominator


def ehs(hole: Sequence[int], board: Sequence[int]) -> float:
    """Exact EHS of two hole cards on a board of 0, 3, 4 or 5 cards."""
    check_hole_and_board(hole, board)
    numerator, denominator = board_numerators(board)
    return int(numerator[hole_index(int(hole[0]), int(hole[1]))]) / denominator


def percentile(hole: Sequence[int], board: Sequence[int]) -> float:
    """Share of possible opponent holdings whose EHS on this board is not greater than the holding's own."""
    check_hole_and_board(hole, board)
    numerator, _ = board_numerators(board)
    a, b = int(hole[0]), int(hole[1])
    count = count_not_above(numerator, a, b, int(numerator[hole_index(a, b)]))
    return count / int(OPPONENTS[_STREET[len(board)]])


def stronger_and_ties(hole: Sequence[int], board: Sequence[int]) -> tuple[int, int]:
    """At the river: how many of the 990 opponent holdings beat this one, and how many tie with it."""
    check_hole_and_board(hole, board, allowed=(5,))
    numerator, stronger = _river(board)
    index = hole_index(int(hole[0]), int(hole[1]))
    above = int(stronger[index])
    return above, 1980 - 2 * above - int(numerator[index])
