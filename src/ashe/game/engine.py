"""The betting engine: one row of integers per table, compiled kernels that move it.

`S` is an int64 array [tables, WIDTH]; a table's whole state is its row, so copying a row saves a game and comparing
two rows compares two games. Cards are not part of it: chance is the caller's (see `ashe.game.deal`), the engine only
says which street is being bet on and who acts. A seat's entry of a per-seat field `X` is column `X + seat`.

Rules (Texas hold'em, no limit, 2 to 6 seats):
1. Everybody antes, then the blinds are posted; a short stack posts what it has. The price to call is the full big
   blind even when the big blind was posted short.
2. A raise is at least as large as the last full raise of the street (the big blind if none); an all-in for less is
   legal but not *full*: it leaves the minimum as it was and does not reopen the betting to a player who has acted on
   this street and faces less than a full raise in total (TDA rule 47).
3. A player who cannot win more chips cannot raise: no raise when every opponent is all-in or covered.
4. Betting ends when everyone still in has acted on the last raise; with at most one player able to bet the board is
   run out. Unmatched chips return to their owner.
5. Side pots by contribution. Each pot is shared by its best hands, and what does not divide goes to the first of them
   in seat order (left of the button).
"""

import numpy as np

from ashe.jit import njit

# Action kinds.
FOLD, CALL, RAISE = 0, 1, 2  # CALL is also the check

# Streets; SHOWDOWN and FOLDED_OUT are terminal.
PREFLOP, FLOP, TURN, RIVER, SHOWDOWN, FOLDED_OUT = 0, 1, 2, 3, 4, 5

# Columns of a table's row.
STREET = 0  # 0..3, or SHOWDOWN / FOLDED_OUT when the hand is over
ACTOR = 1  # seat to act, -1 when the hand is over
SEATS = 2
BIG_BLIND = 3
BET = 4  # highest bet of this street: what everyone must match
MIN_RAISE = 5  # size of the last full raise of this street, at least the big blind
N_BET = 6  # bets of this street; before the flop the big blind is the first
POT = 7  # all chips in the middle, this street included
LIVE = 8  # bit mask: seats that have not folded
TO_ACT = 9  # bit mask: seats that must still act on this street
ACTED = 10  # bit mask: seats that chose an action on this street
CLOSED = 11  # street on which the last decision was made (the run-out starts from its board)
DECISIONS = 12  # decisions made in this hand
AGGRESSOR = 13  # + street: seat of the street's last bet or raise, -1 if none (blinds do not count)
STACKS = 17  # + seat: chips behind
BETS = 23  # + seat: chips put in on this street
TOTALS = 29  # + seat: chips put in during the hand, ante included
WIDTH = 35


@njit(counted=False)
def start_hand(S, t, seats, small_blind, big_blind, ante, stacks):
    """Post antes and blinds on table `t`; `stacks` are the seats' chips before the hand."""
    for column in range(WIDTH):
        S[t, column] = 0
    S[t, SEATS] = seats
    S[t, BIG_BLIND] = big_blind
    S[t, BET] = big_blind
    S[t, MIN_RAISE] = big_blind
    S[t, N_BET] = 1
    for street in range(4):
        S[t, AGGRESSOR + street] = -1
    small = 1 if seats == 2 else 0
    big = 0 if seats == 2 else 1
    for seat in range(seats):
        paid = min(ante, stacks[seat])
        blind = small_blind if seat == small else big_blind if seat == big else 0
        blind = min(blind, stacks[seat] - paid)
        S[t, STACKS + seat] = stacks[seat] - paid - blind
        S[t, BETS + seat] = blind
        S[t, TOTALS + seat] = paid + blind
        S[t, POT] += paid + blind
        S[t, LIVE] |= 1 << seat
        if S[t, STACKS + seat] > 0:
            S[t, TO_ACT] |= 1 << seat
    _next_actor(S, t, big)


@njit(counted=False)
def raise_range(S, t):
    """(lowest, highest) street total the actor may raise to; (0, 0) when raising is illegal."""
    seat = S[t, ACTOR]
    bet = S[t, BET]
    own = S[t, BETS + seat]
    most = own + S[t, STACKS + seat]
    if most <= bet:
        return 0, 0
    if (S[t, ACTED] >> seat) & 1 and bet - own < S[t, MIN_RAISE]:
        return 0, 0  # rule 2: the betting was not reopened
    for other in range(S[t, SEATS]):
        if other != seat and (S[t, LIVE] >> other) & 1 and S[t, STACKS + other] + S[t, BETS + other] > bet:
            return min(bet + S[t, MIN_RAISE], most), most
    return 0, 0  # rule 3


@njit(counted=False)
def call_cost(S, t):
    """Chips the actor pays to call (0: a check); never more than the stack."""
    seat = S[t, ACTOR]
    return min(S[t, BET] - S[t, BETS + seat], S[t, STACKS + seat])


@njit(counted=False)
def act(S, t, kind, to):
    """Apply a legal action: FOLD, CALL, or RAISE to the street total `to`. Legality is the caller's (`legal_error`)."""
    seat = S[t, ACTOR]
    bit = 1 << seat
    S[t, DECISIONS] += 1
    S[t, ACTED] |= bit
    S[t, TO_ACT] &= ~bit
    if kind == FOLD:
        S[t, LIVE] &= ~bit
        live = S[t, LIVE]
        if live & (live - 1) == 0:
            S[t, CLOSED] = S[t, STREET]
            S[t, STREET] = FOLDED_OUT
            S[t, ACTOR] = -1
            return
    else:
        if kind == CALL:
            paid = min(S[t, BET] - S[t, BETS + seat], S[t, STACKS + seat])
        else:
            paid = to - S[t, BETS + seat]
            size = to - S[t, BET]
            if size > S[t, MIN_RAISE]:
                S[t, MIN_RAISE] = size
            S[t, BET] = to
            S[t, N_BET] += 1
            S[t, AGGRESSOR + S[t, STREET]] = seat
            for other in range(S[t, SEATS]):
                if other != seat and (S[t, LIVE] >> other) & 1 and S[t, STACKS + other] > 0:
                    S[t, TO_ACT] |= 1 << other
        S[t, STACKS + seat] -= paid
        S[t, BETS + seat] += paid
        S[t, TOTALS + seat] += paid
        S[t, POT] += paid
    _next_actor(S, t, seat)


@njit(counted=False)
def _next_actor(S, t, seat):
    """Give the turn to the first seat after `seat` that must act, opening the next street where none must."""
    seats = S[t, SEATS]
    for _ in range(seats):
        seat = seat + 1 if seat + 1 < seats else 0
        if (S[t, TO_ACT] >> seat) & 1:
            if not _has_a_decision(S, t, seat):
                break
            S[t, ACTOR] = seat
            return
    able = 0  # seats that can still bet
    for other in range(seats):
        if (S[t, LIVE] >> other) & 1 and S[t, STACKS + other] > 0:
            able |= 1 << other
    street = S[t, STREET]
    S[t, TO_ACT] = 0
    if street == RIVER or able & (able - 1) == 0:
        S[t, CLOSED] = street
        S[t, STREET] = SHOWDOWN
        S[t, ACTOR] = -1
        return
    S[t, STREET] = street + 1
    S[t, BET] = 0
    S[t, MIN_RAISE] = S[t, BIG_BLIND]
    S[t, N_BET] = 0
    S[t, ACTED] = 0
    S[t, TO_ACT] = able
    for other in range(seats):
        S[t, BETS + other] = 0
    for other in range(seats):
        if (able >> other) & 1:
            S[t, ACTOR] = other
            return


@njit(counted=False)
def _has_a_decision(S, t, seat):
    """False when the others are all all-in and `seat` has already matched what they put in."""
    owes = False
    for other in range(S[t, SEATS]):
        if other != seat and (S[t, LIVE] >> other) & 1:
            if S[t, STACKS + other] > 0:
                return True
            owes = owes or S[t, BETS + other] > S[t, BETS + seat]
    return owes


@njit
def settle(S, t, ranks, d, won):
    """Write each seat's net chips of a finished hand into `won[t]`; `ranks[d, seat]` are showdown ranks, lower wins."""
    seats = S[t, SEATS]
    live = S[t, LIVE]
    for seat in range(seats):
        won[t, seat] = -S[t, TOTALS + seat]
    paid = 0  # contribution level up to which chips have been handed out
    while True:
        level = 0  # lowest live contribution above `paid`: the next pot's ceiling
        for seat in range(seats):
            total = S[t, TOTALS + seat]
            if (live >> seat) & 1 and total > paid and (level == 0 or total < level):
                level = total
        if level == 0:
            break
        best = 0
        winners = 0
        for seat in range(seats):
            if (live >> seat) & 1 and S[t, TOTALS + seat] >= level:
                rank = ranks[d, seat]
                if winners == 0 or rank < best:
                    best = rank
                    winners = 1
                elif rank == best:
                    winners += 1
        last = True  # chips of folded seats above the highest live level belong to the last pot
        for seat in range(seats):
            if (live >> seat) & 1 and S[t, TOTALS + seat] > level:
                last = False
        pot = 0
        for seat in range(seats):
            total = S[t, TOTALS + seat]
            if total > paid:
                pot += total - paid if last else min(total, level) - paid
        share = pot // winners
        odd = pot - share * winners
        for seat in range(seats):
            if (live >> seat) & 1 and S[t, TOTALS + seat] >= level and ranks[d, seat] == best:
                won[t, seat] += share + odd
                odd = 0
        paid = level


def new_tables(tables: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Rows for `tables` tables; call `start_hand` on each before use."""
    return np.zeros((tables, WIDTH), dtype=np.int64)
