"""ASHE 1.0, compiled: what the agent sees, one step of its modules, and whole half matches of a population.

An *event* is a game state that the LSTM modules step on. With `every_action` (as printed) that is the state each move
of either player leads to, and the start of a hand in which ASHE acts first; with `own_decisions` (the prototype) only
states in which ASHE must act. A finished hand is one more event for the opponent module if `end_step` is set.

Every table of an individual is a SIMD lane. In each tick every lane plays on to its next event, then all lanes step at
once: no lane waits for another's hand to end.
"""

from typing import NamedTuple

import numpy as np

from ashe.decision.threshold import threshold_action
from ashe.estimators.kernels.binding import dense, lstm_step
from ashe.evaluation.kernel import (
    DONE,
    FRESH,
    HALF,
    HAND,
    HAND_OVER,
    HANDS,
    HIST_LEN,
    STATUS,
    observe,
    play,
    settle_heads_up,
    slot_of_seat,
)
from ashe.game.engine import ACTOR, BET, BETS, CLOSED, POT, RIVER, STACKS, STREET, TOTALS, WIDTH, act, start_hand
from ashe.jit import njit
from ashe.opponents.dispatch import decide

# Status of a lane beyond those of `evaluation.kernel`.
HERO, WATCH, PLAYED = 5, 6, 7  # ASHE must act; the opponent acts next; ASHE has acted

PRINTED_INPUTS, PROTOTYPE_INPUTS = 8, 5
TANH = 1  # activation number of the kernel's dense layers


class Layout(NamedTuple):
    """Sizes and choices of an agent, and where its parts start in the genome."""

    inputs: int
    game_blocks: int
    game_size: int
    opponent_blocks: int
    opponent_size: int
    hidden: int
    output_tanh: int
    game: int  # first gene of the game module
    opponent: int
    layer0: int
    layer1: int
    rule: int  # decision rule
    power: float  # exponent on the size of the score
    preflop: int  # which raises before the flop are allowed
    open_from: float  # wish from which a flat opening is a raise
    slow_play: int  # no first bets on flop and turn
    raise_from: float  # wish from which a bet on flop or turn is raised
    chips_power: float  # exponent on shares of the stack in the inputs
    every_action: int
    end_step: int


@njit(inline="always")
def event_street(S, t):
    """The street an event belongs to: of a finished hand the last one with a decision."""
    return S[t, CLOSED] if S[t, STREET] > RIVER else S[t, STREET]


@njit(counted=False)
def event_features(S, t, seat, strength, full_stack, chips_power, x, lane):
    """The inputs of one event into column `lane` of `x`; rows as below (P and D 4.1.1), shares of the stack raised to
    `chips_power`.

    | row | printed | prototype |
    |---|---|---|
    | 0-3 | street, one-hot | 0: 2 * cards on board / 5 - 1 |
    | 4 | EHS | 3: 2 * EHS - 1 |
    | 5 | opponent's chips in this hand / stack | 2: 2 * that - 1 |
    | 6 | own chips in this hand / stack | 1: 2 * that - 1 |
    | 7 | pot odds of the player to act | 4: 4 * (odds - 0.25) |
    """
    street = event_street(S, t)
    odds = 0.0
    actor = S[t, ACTOR]
    if actor >= 0:
        call = min(S[t, BET] - S[t, BETS + actor], S[t, STACKS + actor])
        odds = call / (S[t, POT] + call)
    own = (S[t, TOTALS + seat] / full_stack) ** chips_power
    other = (S[t, TOTALS + 1 - seat] / full_stack) ** chips_power
    if x.shape[0] == PRINTED_INPUTS:
        for k in range(4):
            x[k, lane] = 1.0 if k == street else 0.0
        x[4, lane] = strength
        x[5, lane] = other
        x[6, lane] = own
        x[7, lane] = odds
    else:
        cards = 0 if street == 0 else street + 2
        x[0, lane] = 0.4 * cards - 1.0
        x[1, lane] = 2.0 * own - 1.0
        x[2, lane] = 2.0 * other - 1.0
        x[3, lane] = 2.0 * strength - 1.0
        x[4, lane] = 4.0 * (odds - 0.25)


@njit(counted=False)
def reset_game(w, a, c, y, lane):
    """A new hand: the game module's evolved initial state. Rows of c and y: game module, then opponent module."""
    n = a.game_blocks * a.game_size
    start = a.opponent - 2 * n
    for k in range(n):
        c[k, lane] = w[start + k]
        y[k, lane] = w[start + n + k]


@njit(counted=False)
def reset_opponent(w, a, c, y, lane):
    """A new opponent or half match: the opponent module's evolved initial state."""
    n = a.opponent_blocks * a.opponent_size
    first = a.game_blocks * a.game_size
    start = a.layer0 - 2 * n
    for k in range(n):
        c[first + k, lane] = w[start + k]
        y[first + k, lane] = w[start + n + k]


@njit(counted=False)
def step_modules(w, a, x, c, y, mask):
    """Both modules step on column x of every lane whose mask is 1."""
    lanes = x.shape[1]
    genes = w.ctypes.data
    below = 4 * a.game_blocks * a.game_size * lanes
    lstm_step(
        genes + 4 * a.game, a.inputs, a.game_blocks, a.game_size, a.output_tanh, lanes, x.ctypes.data, c.ctypes.data,
        y.ctypes.data, mask.ctypes.data,
    )  # fmt: skip
    lstm_step(
        genes + 4 * a.opponent, a.inputs, a.opponent_blocks, a.opponent_size, a.output_tanh, lanes, x.ctypes.data,
        c.ctypes.data + below, y.ctypes.data + below, mask.ctypes.data,
    )  # fmt: skip


@njit(counted=False)
def scores(w, a, y, hidden, out):
    """The decision net on the modules' outputs y [cells, lanes]: aggression scores into out [1, lanes]."""
    genes = w.ctypes.data
    lanes = y.shape[1]
    dense(genes + 4 * a.layer0, y.shape[0], a.hidden, TANH, lanes, y.ctypes.data, hidden.ctypes.data)
    dense(genes + 4 * a.layer1, a.hidden, 1, TANH, lanes, hidden.ctypes.data, out.ctypes.data)


@njit(counted=False)
def next_event(
    S,
    t,
    meta,
    codes,
    memory,
    blinds,
    keys,
    ehs,
    percentile,
    rank,
    allin,
    style_keys,
    won,
    ev,
    stats,
    history,
    all_moves,
):
    """Play table `t` to its next event and return its status: HERO, WATCH, HAND_OVER or DONE. ASHE is slot 0."""
    while True:
        status = meta[t, STATUS]
        if status in (FRESH, HAND_OVER):
            if status == HAND_OVER:
                meta[t, HAND] += 1
                if meta[t, HAND] == meta[t, HANDS]:
                    meta[t, STATUS] = DONE
                    return DONE
            start_hand(S, t, 2, blinds[0], blinds[1], blinds[2], blinds[3:5])
            meta[t, HIST_LEN] = 0
            memory[t, 1] = 0
        deck = meta[t, 0] + meta[t, HAND]
        if status != PLAYED and slot_of_seat(meta, t, S[t, ACTOR]) == 1:
            seat = S[t, ACTOR]
            o = observe(S, t, 1, seat, meta, memory[t, 1], deck, keys, ehs, percentile, blinds[3], style_keys)
            kind, to, kept = decide(codes[t, 1], o)
            memory[t, 1] = kept
            play(S, t, 1, kind, to, meta, history, stats)
        if S[t, ACTOR] < 0:
            chips, adjusted = settle_heads_up(S, t, deck, rank, allin)
            sign = 1 if slot_of_seat(meta, t, 0) == 0 else -1
            won[t] += sign * chips
            ev[t] += sign * adjusted
            meta[t, STATUS] = HAND_OVER
            return HAND_OVER
        status = HERO if slot_of_seat(meta, t, S[t, ACTOR]) == 0 else WATCH
        meta[t, STATUS] = status
        if status == HERO or all_moves:
            return status


@njit(counted=False)
def follow(S, tables, history, length, seats, strengths, consumed, blinds, w, a, x, c, y, mask):
    """Step the modules of `tables` through all events up to the end of their histories; rows of S follow the hands.

    `consumed[t]` counts the actions already followed, -1 before a hand. The twin of `next_event` for a player that is
    told of a hand only when it must act and when it is over.
    """
    while True:
        mask[:] = 0
        events = 0
        for i in range(tables.shape[0]):
            t = tables[i]
            event = False
            if consumed[t] < 0:
                start_hand(S, t, 2, blinds[0], blinds[1], blinds[2], blinds[3:5])
                reset_game(w, a, c, y, t)
                consumed[t] = 0
                event = S[t, ACTOR] == seats[i]
            while not event and consumed[t] < length[i]:
                step = history[t, consumed[t]]
                act(S, t, step[2], step[3])
                consumed[t] += 1
                if S[t, ACTOR] < 0:
                    event = a.end_step == 1
                else:
                    event = a.every_action == 1 or S[t, ACTOR] == seats[i]
            if event:
                mask[t] = 1
                events += 1
                event_features(S, t, seats[i], strengths[i, event_street(S, t)], blinds[3], a.chips_power, x, t)
        if events == 0:
            return
        step_modules(w, a, x, c, y, mask)


@njit
def answer(S, tables, a, out, full_stack, meta, kinds, totals):
    """The decision rule on the scores out [1, tables]; `meta` is all zero, since the rules look at chips only."""
    nothing = np.zeros(1, np.uint64)
    no_strength = np.zeros((1, 2, 4), np.float32)
    no_style = np.zeros((meta.shape[0], 2), np.uint64)
    for i in range(tables.shape[0]):
        t = tables[i]
        o = observe(S, t, 0, S[t, ACTOR], meta, 0, 0, nothing, no_strength, no_strength, full_stack, no_style)
        kinds[i], totals[i] = threshold_action(
            a.rule, a.power, a.preflop, a.open_from, a.slow_play, a.raise_from, o, np.float64(out[0, t])
        )


@njit(nogil=True)
def play_population(genomes, a, codes, meta, blinds, keys, ehs, percentile, rank, allin, style_keys, won, ev, stats):
    """Every individual plays all tables: won and ev [n, tables] chips, stats [n, tables, 2, 4, 5].

    Returns what it cost: LSTM steps (table by table), ticks (steps of all lanes at once), ticks with a decision.

    `meta` [tables, 6] holds each table's first deck, half and hands (`evaluation.kernel`); `codes` [tables, 2] the
    opponents' rule numbers in slot 1.
    """
    lanes = codes.shape[0]
    cells = a.game_blocks * a.game_size + a.opponent_blocks * a.opponent_size
    S = np.zeros((lanes, WIDTH), np.int64)
    table = np.empty_like(meta)
    memory = np.zeros((lanes, 2), np.int64)
    history = np.zeros((lanes, 512, 4), np.int64)
    x = np.zeros((a.inputs, lanes), np.float32)
    c = np.zeros((cells, lanes), np.float32)
    y = np.zeros((cells, lanes), np.float32)
    hidden = np.zeros((a.hidden, lanes), np.float32)
    out = np.zeros((1, lanes), np.float32)
    mask = np.zeros(lanes, np.uint8)
    steps, ticks, decisions = 0, 0, 0
    for i in range(genomes.shape[0]):
        w = genomes[i]
        table[:] = meta
        for t in range(lanes):
            reset_opponent(w, a, c, y, t)
            reset_game(w, a, c, y, t)
        running = lanes
        while running > 0:
            running = 0
            asked = 0
            for t in range(lanes):
                mask[t] = 0
                status = table[t, STATUS]
                while status != DONE:
                    if status == HAND_OVER:
                        reset_game(w, a, c, y, t)
                    status = next_event(
                        S, t, table, codes, memory, blinds, keys, ehs, percentile, rank, allin, style_keys, won[i],
                        ev[i], stats[i], history, a.every_action == 1,
                    )  # fmt: skip
                    if status != HAND_OVER or a.end_step == 1:
                        break
                if status == DONE:
                    continue
                running += 1
                mask[t] = 1
                if status == HERO:
                    asked += 1
                seat = (table[t, HAND] + table[t, HALF]) & 1
                strength = ehs[table[t, 0] + table[t, HAND], seat, event_street(S, t)]
                event_features(S, t, seat, strength, blinds[3], a.chips_power, x, t)
            if running == 0:
                break
            steps += running
            ticks += 1
            step_modules(w, a, x, c, y, mask)
            if asked == 0:
                continue
            decisions += 1
            scores(w, a, y, hidden, out)
            for t in range(lanes):
                if table[t, STATUS] != HERO:
                    continue
                seat = S[t, ACTOR]
                deck = table[t, 0] + table[t, HAND]
                o = observe(S, t, 0, seat, table, 0, deck, keys, ehs, percentile, blinds[3], style_keys)
                kind, to = threshold_action(
                    a.rule, a.power, a.preflop, a.open_from, a.slow_play, a.raise_from, o, np.float64(out[0, t])
                )
                play(S, t, 0, kind, to, table, history, stats[i])
                table[t, STATUS] = PLAYED
    return steps, ticks, decisions
