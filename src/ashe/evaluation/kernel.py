"""The compiled playing loop: heads-up half matches, many tables, run to the next decision of an external player.

A *table* plays one half match of H hands. Slot 0 and slot 1 are the two players; on hand h of half `half`, slot 0 sits
in seat `(h + half) % 2`, so the button alternates and the second half swaps the seats of every deck. Tables never wait
for each other: `advance` plays one table through rules, showdowns and new deals until an external slot must act, or a
hand ended and somebody wants to know (`pause`), or the half match is over.
"""

import numpy as np

from ashe.cards.random import mix64
from ashe.game.engine import (
    ACTOR,
    AGGRESSOR,
    BET,
    BETS,
    BIG_BLIND,
    CALL,
    CLOSED,
    DECISIONS,
    FOLD,
    LIVE,
    MIN_RAISE,
    N_BET,
    POT,
    RAISE,
    RIVER,
    SHOWDOWN,
    STACKS,
    STREET,
    TOTALS,
    WIDTH,
    act,
    call_cost,
    raise_range,
    start_hand,
)
from ashe.jit import njit
from ashe.opponents.dispatch import EXTERNAL, decide
from ashe.opponents.observation import Observation

# Table columns of `meta` [T, 6].
FIRST_DECK, HALF, HAND, HANDS, STATUS, HIST_LEN = 0, 1, 2, 3, 4, 5

# Status of a table after `advance`.
FRESH, ASKS_0, ASKS_1, HAND_OVER, DONE = 0, 1, 2, 3, 4

# Statistics per slot and street, `stats` [T, 2, 4, 5]: D Table 4-3's counts.
CAN_RAISE, RAISES, RAISED_TO, FACED_RAISE, FOLDED = 0, 1, 2, 3, 4

MAX_ACTIONS = 512  # a hand of minimum raises at 200 big blinds stays below this


@njit(inline="always")
def slot_of_seat(meta, t, seat):
    """Slot 0 sits in seat (hand + half) % 2."""
    return (seat + meta[t, HAND] + meta[t, HALF]) & 1


@njit(inline="always")
def decision_key(deck_key, seat, decisions):
    """The random stream of a seat's decision: the same for everyone who plays this deck this way."""
    return mix64(mix64(deck_key, np.uint64(seat)), np.uint64(decisions))


@njit(counted=False)
def observe(S, t, slot, seat, meta, memory, deck, keys, ehs, percentile, full_stack, style_keys):
    """The scalars a rule sees; `deck` is the row of the deal being played."""
    street = S[t, STREET]
    low, high = raise_range(S, t)
    call = min(S[t, BET] - S[t, BETS + seat], S[t, STACKS + seat])
    led = 0
    if street > 0:
        leader = S[t, AGGRESSOR + street - 1]
        led = 0 if leader < 0 else 1 if leader == seat else -1
    opener = S[t, AGGRESSOR]
    opened = 0 if opener < 0 else 1 if opener == seat else -1
    key = decision_key(keys[deck], seat, S[t, DECISIONS])
    return Observation(
        street,
        seat == 1,
        np.float64(ehs[deck, seat, street]),
        np.float64(percentile[deck, seat, street]),
        S[t, POT],
        call,
        S[t, BET],
        S[t, BETS + seat],
        low,
        high,
        S[t, MIN_RAISE],
        S[t, STACKS + seat],
        full_stack,
        S[t, BIG_BLIND],
        S[t, N_BET],
        led,
        opened,
        meta[t, HAND],
        memory,
        key,
        style_keys[t, slot],
    )


@njit(counted=False)
def play(S, t, slot, kind, to, meta, history, stats):
    """Apply a legal action of `slot`, with the statistics and the hand's history."""
    street = S[t, STREET]
    seat = S[t, ACTOR]
    low, _ = raise_range(S, t)
    if low > 0:
        stats[t, slot, street, CAN_RAISE] += 1
    if S[t, AGGRESSOR + street] == 1 - seat and S[t, BET] > S[t, BETS + seat]:
        stats[t, slot, street, FACED_RAISE] += 1
        if kind == FOLD:
            stats[t, slot, street, FOLDED] += 1
    if kind == RAISE:
        stats[t, slot, street, RAISES] += 1
        stats[t, slot, street, RAISED_TO] += to
    n = meta[t, HIST_LEN]
    history[t, n, 0] = seat
    history[t, n, 1] = street
    history[t, n, 2] = kind
    history[t, n, 3] = to
    meta[t, HIST_LEN] = n + 1
    act(S, t, kind, to)


@njit(counted=False)
def settle_heads_up(S, t, deck, rank, allin):
    """(chips, all-in-adjusted chips) of seat 0: adjusted is the expectation of the run-out once betting is closed."""
    first, second = S[t, TOTALS], S[t, TOTALS + 1]
    matched = min(first, second)
    if S[t, STREET] != SHOWDOWN:
        won = matched if S[t, LIVE] == 1 else -matched
        return won, np.float64(won)
    a, b = rank[deck, 0], rank[deck, 1]
    won = matched if a < b else -matched if a > b else 0
    if S[t, CLOSED] == RIVER:
        return won, np.float64(won)
    return won, matched * (2.0 * allin[deck, S[t, CLOSED]] - 1.0)


@njit(counted=False)
def advance(
    S, t, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats, history, pause
):
    """Play table `t` on; returns and stores its status. An external slot's answer is applied with `play` first."""
    while True:
        status = meta[t, STATUS]
        if status == DONE:
            return DONE
        if status in (FRESH, HAND_OVER):
            if status == HAND_OVER:
                meta[t, HAND] += 1
                if meta[t, HAND] == meta[t, HANDS]:
                    meta[t, STATUS] = DONE
                    return DONE
            start_hand(S, t, 2, blinds[0], blinds[1], blinds[2], blinds[3:5])
            meta[t, HIST_LEN] = 0
            memory[t, 0] = 0
            memory[t, 1] = 0
        deck = meta[t, FIRST_DECK] + meta[t, HAND]
        while S[t, ACTOR] >= 0:
            seat = S[t, ACTOR]
            slot = slot_of_seat(meta, t, seat)
            code = codes[t, slot]
            if code == EXTERNAL:
                meta[t, STATUS] = ASKS_0 + slot
                return ASKS_0 + slot
            o = observe(S, t, slot, seat, meta, memory[t, slot], deck, keys, ehs, percentile, blinds[3], style_keys)
            kind, to, kept = decide(code, o)
            memory[t, slot] = kept
            play(S, t, slot, kind, to, meta, history, stats)
        chips, adjusted = settle_heads_up(S, t, deck, rank, allin)
        sign = 1 if slot_of_seat(meta, t, 0) == 0 else -1
        won[t, meta[t, HAND]] = sign * chips
        ev[t, meta[t, HAND]] = sign * adjusted
        meta[t, STATUS] = HAND_OVER
        if pause:
            return HAND_OVER


@njit(nogil=True)
def advance_all(
    S, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats, history, pause
):
    """`advance` every table."""
    for t in range(S.shape[0]):
        advance(
            S, t, meta, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats,
            history, pause,
        )  # fmt: skip


@njit(counted=False)
def gather(
    S, tables, meta, decks, keys, ehs, percentile, clusters, state, hole, board, ehs_out, percentile_out, strengths,
    textures, length, out_keys, hand_keys,
):  # fmt: skip
    """Copy what the players to act at `tables` see (`DecisionArrays`)."""
    for i in range(tables.shape[0]):
        t = tables[i]
        seat, street = S[t, ACTOR], S[t, STREET]
        deck = meta[t, FIRST_DECK] + meta[t, HAND]
        for column in range(WIDTH):
            state[i, column] = S[t, column]
        hole[i, 0], hole[i, 1] = decks[deck, 2 * seat], decks[deck, 2 * seat + 1]
        for card in range(5):
            board[i, card] = decks[deck, 4 + card] if street > 0 and card < street + 2 else -1
        ehs_out[i] = ehs[deck, seat, street]
        percentile_out[i] = percentile[deck, seat, street]
        for k in range(4):
            strengths[i, k] = ehs[deck, seat, k] if k <= street else -1.0
            textures[i, k] = clusters[deck, k] if k <= street else -1
        length[i] = meta[t, HIST_LEN]
        out_keys[i] = decision_key(keys[deck], seat, S[t, DECISIONS])
        hand_keys[i] = mix64(keys[deck], np.uint64(seat))


@njit(counted=False)
def gather_finished(
    S, tables, slot, meta, decks, ehs, clusters, won, seats, state, chips, strengths, textures, shown, shown_strengths,
    length,
):  # fmt: skip
    """Copy what the player in `slot` learns of the hands that ended at `tables` (`FinishedArrays`)."""
    for i in range(tables.shape[0]):
        t = tables[i]
        seat = (slot + meta[t, HAND] + meta[t, HALF]) & 1
        deck = meta[t, FIRST_DECK] + meta[t, HAND]
        showdown = S[t, STREET] == SHOWDOWN
        seats[i] = seat
        for column in range(WIDTH):
            state[i, column] = S[t, column]
        chips[i] = won[t, meta[t, HAND]] if slot == 0 else -won[t, meta[t, HAND]]
        for street in range(4):
            seen = showdown or street <= S[t, CLOSED]
            strengths[i, street] = ehs[deck, seat, street] if seen else -1.0
            textures[i, street] = clusters[deck, street] if seen else -1
            shown_strengths[i, street] = ehs[deck, 1 - seat, street] if showdown else -1.0
        for card in range(2):
            shown[i, card] = decks[deck, 2 * (1 - seat) + card] if showdown else -1
        length[i] = meta[t, HIST_LEN]


@njit(counted=False)
def first_illegal(S, tables, kinds, tos):
    """Index of the first answer that is not legal, -1 when all are (`view.legal_error` says why)."""
    for i in range(tables.shape[0]):
        t = tables[i]
        if kinds[i] == FOLD:
            fine = call_cost(S, t) > 0
        elif kinds[i] == RAISE:
            low, high = raise_range(S, t)
            fine = low > 0 and low <= tos[i] <= high
        else:
            fine = kinds[i] == CALL
        if not fine:
            return i
    return -1


@njit(counted=False)
def apply_answers(S, tables, slots, kinds, tos, meta, history, stats):
    """Apply external players' (already checked) actions."""
    for i in range(tables.shape[0]):
        t = tables[i]
        play(S, t, slots[i], kinds[i], tos[i], meta, history, stats)
        meta[t, STATUS] = ASKS_0  # any running status: `advance` looks at the actor
