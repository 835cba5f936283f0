"""The mind of ASHE 2.0 and 2.1, compiled: what it remembers of each table, how it follows a hand, and how it thinks.

A *mind* watches any number of tables. It keeps a mirror of each hand (an engine row that replays the actions it was
told), the hand's path through the tree, and the LSTM states of its estimators, one SIMD lane per table. It is told
nothing but public actions, the board's texture clusters, its own EHS and the opponent's cards after a showdown.
Training and matches use the same functions.

1. `follow`: replay new actions; every action that does not end the hand adds a node to the path, with its features.
2. `think`: for all waiting tables together, bring SWRE and OFRE up to the current node, one step per node of the path;
   then one look-ahead step of OFRE for every raise, from a copy of the state; then utilities and the choice.
3. `learn`: when the hand is over, count it on the path.

Estimators step late: nodes wait until a decision needs them, so hands in which ASHE never acts cost nothing, and OFRE
waits while no raise is legal. The look-ahead's state of the raise that is played becomes the state of the new node.

ASHE 2.1 (D chapter 6): with `board_nodes` the path goes through a node of the board's cluster whenever cards come. It
hangs between the node of the call that closed the betting and the actions that follow, counts nothing and is no step.
With `use_default` the same line is followed through the default trees, which are only read; `at` and `default_at` are
the nodes from which the next action leads on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashe.decision.utility import (
    best,
    counted_fold_guess,
    fold_probability,
    own_raises,
    restricted,
    utilities,
    win_probability,
)
from ashe.estimators.kernels.binding import dense, lstm_step
from ashe.game.engine import (
    ACTOR,
    BET,
    BETS,
    CALL,
    FOLD,
    LIVE,
    N_BET,
    POT,
    RAISE,
    SHOWDOWN,
    STACKS,
    STREET,
    TOTALS,
    act,
    raise_range,
    start_hand,
)
from ashe.jit import njit
from ashe.ticks import ticks
from ashe.trees.edges import CALLS, FIRST_RAISE, FOLDS, OWN_RAISES, slot_of
from ashe.trees.features import EHS, NEXT, ROW, STRENGTH, next_rates, raised_odds, raised_row, rates, state_row
from ashe.trees.habits import all_pots_of, facing_kind, habit_node, has_raised, kind_of, place_of, pool_of
from ashe.trees.prt import NONE, Trees, new_node, update, visit

PATH = 513  # a hand of minimum raises stays below this
NEW_NODES = PATH + 4  # a hand adds no more: its path, a root, three board nodes
TANH, SIGMOID = 1, 2
SWRE, OFRE = 0, 1
LANES = 8  # lanes are padded to this

# Counters of `Mind.work`: what was done, then processor ticks spent (kernel is part of think).
DECISIONS, SWRE_STEPS, OFRE_STEPS, LOOK_AHEADS, SWRE_CALLS, OFRE_CALLS, LOOK_CALLS = 0, 1, 2, 3, 4, 5, 6
KERNEL, THINK, TREES, ENGINE = 7, 8, 9, 10
COUNTERS = 11


class Settings(NamedTuple):
    """Choices that compiled code reads (`Ashe2Config`)."""

    head: int
    reliable: int
    use_trees: int
    use_state: int
    use_ofre: int
    board_nodes: int
    use_default: int
    prior_visits: float
    habit_visits: float
    selective: int
    imagined: int  # showdowns imagined behind habits are those of a selective opponent
    blinds: NDArray[np.int64]  # [5] small blind, big blind, ante, stacks
    lambdas: NDArray[np.float64]  # [4]
    defaults: NDArray[np.float64]  # [4, 3]
    next_defaults: NDArray[np.float64]  # [4, 9]


class Bank(NamedTuple):
    """One estimator for all tables: W sets of weights, L lanes each; table t is lane t % L of set t // L."""

    w: NDArray[np.float32]  # [W, D]
    inputs: int
    blocks: int
    size: int
    hidden: int
    output_tanh: int
    features: NDArray[np.int64]  # [inputs] numbers of the features it reads
    state: NDArray[np.float32]  # [W, 2 * cells, L] c, then y
    x: NDArray[np.float32]  # working memory of one call, lanes last
    ahead: NDArray[np.float32]  # [2 * cells * lanes] states of look-aheads
    h: NDArray[np.float32]
    out: NDArray[np.float32]
    mask: NDArray[np.uint8]


class Mind(NamedTuple):
    """T tables."""

    V: NDArray[np.int64]  # [T, WIDTH] mirrored hands
    hand: NDArray[np.int64]  # [T] number of the hand being followed, -1 before the first
    seat: NDArray[np.int64]  # [T]
    seen: NDArray[np.int64]  # [T] actions replayed
    ehs: NDArray[np.float32]  # [T, 4] own EHS by street, as far as dealt
    roots: NDArray[np.int32]  # [T, 2] by seat: big blind, button
    trees: Trees
    cluster: NDArray[np.int64]  # [T, 4] texture cluster of the board by street, as far as dealt
    at: NDArray[np.int64]  # [T] node that the next action leads on from: the last of the path, or its board node
    default: Trees  # frozen; a single empty node where there are none
    default_roots: NDArray[np.int32]  # [T, 2]
    default_at: NDArray[np.int64]  # [T]
    habits: Trees  # the opponent's habits, by table and kind of situation
    habit: NDArray[np.int64]  # [T, PATH] habits of the path's situations
    length: NDArray[np.int64]  # [T] nodes on the path
    path: NDArray[np.int64]  # [T, PATH]
    street: NDArray[np.int64]  # [T, PATH]
    edge: NDArray[np.int64]  # [T, PATH] edge the opponent took from the node, -1 where ASHE acted
    rows: NDArray[np.float32]  # [T, PATH, ROW or WIDE_ROW] features
    done: NDArray[np.int64]  # [T, 2] path nodes that SWRE and OFRE have stepped on
    p: NDArray[np.float64]  # [T] what it believes at the current decision: win probability
    phi: NDArray[np.float64]  # [T, 5] fold probabilities
    guess: NDArray[np.float64]  # [T, 5] and what counts alone say
    output: NDArray[np.float32]  # [T, 6] raw outputs: SWRE, OFRE of each raise
    to: NDArray[np.int64]  # [T, 5] raises
    u: NDArray[np.float64]  # [T, 7] utilities
    choice: NDArray[np.int64]  # [T]
    lane: NDArray[np.int64]  # [T, 5] lanes of the look-aheads
    need: NDArray[np.uint8]  # [T]
    work: NDArray[np.int64]  # [COUNTERS]


@njit(counted=False)
def begin_hand(m, s, t, hand, seat):
    """A hand starts at table `t`; ASHE sits in `seat`."""
    m.hand[t] = hand
    m.seat[t] = seat
    m.seen[t] = 0
    m.done[t, SWRE] = 0
    m.done[t, OFRE] = 0
    start_hand(m.V, t, 2, s.blinds[0], s.blinds[1], s.blinds[2], s.blinds[3:5])
    root = np.int64(m.roots[t, seat])
    if root == NONE:
        root = new_node(m.trees)
        m.roots[t, seat] = root
    m.path[t, 0] = root
    m.street[t, 0] = 0
    m.edge[t, 0] = -1
    m.length[t] = 1
    m.at[t] = root
    m.default_at[t] = m.default_roots[t, seat]
    _describe(m, s, t, 0, m.default_at[t])


@njit(counted=False)
def _describe(m, s, t, k, default_node):
    """The features of path node k, which is the state table `t` is in."""
    street, node = m.V[t, STREET], m.path[t, k]
    habit = NONE
    if s.habit_visits > 0.0:
        habit = habit_node(t, kind_of(m.V, t, m.seat[t]))
        m.habit[t, k] = habit
    stats = rates(s, m.trees, node, m.default, default_node, m.habits, habit, street)
    state_row(m.rows[t, k], m.V, t, m.seat[t], stats, s.lambdas, m.ehs[t, street], s.blinds[3])
    if m.rows.shape[2] > NEXT:
        opponent_acts = m.V[t, ACTOR] != m.seat[t]
        next_rates(
            s, m.trees, node, m.default, default_node, m.habits, habit, street, opponent_acts, m.rows[t, k, NEXT:]
        )


@njit(counted=False)
def follow(m, s, t, actions, length):
    """Replay `actions[seen:length]` (rows of seat, street, kind, street total) at table `t`."""
    V = m.V
    for n in range(m.seen[t], length):
        actor = V[t, ACTOR]
        kind, to = np.int64(actions[n, 2]), np.int64(actions[n, 3])
        call = min(V[t, BET] - V[t, BETS + actor], V[t, STACKS + actor])
        own = actor == m.seat[t]
        most = V[t, BETS + actor] + V[t, STACKS + actor]
        slot = slot_of(own, kind, to, V[t, BET], V[t, POT], call, most)
        k = m.length[t]
        if not own:
            m.edge[t, k - 1] = slot
        street = V[t, STREET]
        act(V, t, kind, to)
        if V[t, ACTOR] >= 0:
            node = visit(m.trees, m.at[t], slot)
            default_node = np.int64(m.default.child[m.default_at[t], slot])
            m.path[t, k] = node
            m.street[t, k] = V[t, STREET]
            m.edge[t, k] = -1
            m.length[t] = k + 1
            _describe(m, s, t, k, default_node)
            if s.board_nodes == 1 and V[t, STREET] != street:
                cluster = m.cluster[t, V[t, STREET]]
                node = visit(m.trees, node, cluster)
                default_node = np.int64(m.default.child[default_node, cluster])
            m.at[t] = node
            m.default_at[t] = default_node
    m.seen[t] = length


@njit(counted=False)
def learn(m, s, t, opponent_ehs):
    """The hand at table `t` is over; `opponent_ehs` [4] is read after a showdown only."""
    showdown = m.V[t, STREET] == SHOWDOWN
    folded = not showdown and (m.V[t, LIVE] >> m.seat[t]) & 1 == 1
    update(m.trees, m.path[t], m.street[t], m.edge[t], m.length[t], showdown, folded, opponent_ehs)
    if s.habit_visits > 0.0:
        update(m.habits, m.habit[t], m.street[t], m.edge[t], m.length[t], showdown, folded, opponent_ehs)
        for k in range(m.length[t]):
            m.habit[t, k] = pool_of(m.habit[t, k])
        update(m.habits, m.habit[t], m.street[t], m.edge[t], m.length[t], showdown, folded, opponent_ehs)
        for k in range(m.length[t]):
            m.habit[t, k] = all_pots_of(m.habit[t, k])
        update(m.habits, m.habit[t], m.street[t], m.edge[t], m.length[t], showdown, folded, opponent_ehs)


@njit(counted=False)
def _reset_lane(bank, w, lane):
    """The evolved initial state: the genes before the dense layers."""
    n = bank.blocks * bank.size
    first = n * (4 * bank.inputs + 4 * bank.size + 7)
    for k in range(2 * n):
        bank.state[w, k, lane] = bank.w[w, first + k]


@njit
def _advance(m, s, bank, e):
    """Bring estimator `e` up to the current node at every table where `m.need` is set."""
    sets, lanes = bank.state.shape[0], bank.state.shape[2]
    x = bank.x[: bank.inputs * lanes].reshape(bank.inputs, lanes)
    for w in range(sets):
        while True:
            active = 0
            for lane in range(lanes):
                t = w * lanes + lane
                bank.mask[lane] = 0
                if m.need[t] == 0 or m.done[t, e] >= m.length[t]:
                    continue
                if s.use_state == 0:
                    m.done[t, e] = m.length[t] - 1
                k = m.done[t, e]
                if k == 0 or s.use_state == 0:
                    _reset_lane(bank, w, lane)
                for i in range(bank.inputs):
                    x[i, lane] = m.rows[t, k, bank.features[i]]
                bank.mask[lane] = 1
                m.done[t, e] = k + 1
                active += 1
            if active == 0:
                break
            began = ticks()
            c = bank.state[w].ctypes.data
            lstm_step(
                bank.w[w].ctypes.data, bank.inputs, bank.blocks, bank.size, bank.output_tanh, lanes, x.ctypes.data, c,
                c + 4 * bank.blocks * bank.size * lanes, bank.mask.ctypes.data,
            )  # fmt: skip
            m.work[KERNEL] += ticks() - began
            m.work[SWRE_STEPS + e] += active
            m.work[SWRE_CALLS + e] += 1


@njit(counted=False)
def _outputs(bank, w, lanes, y):
    """The dense layers on outputs at address `y` [cells, lanes]: into bank.out[:lanes]."""
    n = bank.blocks * bank.size
    layer0 = bank.w[w].ctypes.data + 4 * n * (4 * bank.inputs + 4 * bank.size + 9)
    layer1 = layer0 + 4 * bank.hidden * (n + 1)
    dense(layer0, n, bank.hidden, TANH, lanes, y, bank.h.ctypes.data)
    dense(layer1, bank.hidden, 1, SIGMOID, lanes, bank.h.ctypes.data, bank.out.ctypes.data)


@njit(counted=False)
def _estimate_wins(m, s, bank, tables, count):
    """SWRE: the probability of winning a showdown at every waiting table."""
    lanes = bank.state.shape[2]
    _advance(m, s, bank, SWRE)
    i = 0
    while i < count:
        w = tables[i] // lanes
        began = ticks()
        _outputs(bank, w, lanes, bank.state[w].ctypes.data + 4 * bank.blocks * bank.size * lanes)
        m.work[KERNEL] += ticks() - began
        while i < count and tables[i] // lanes == w:
            t = tables[i]
            m.output[t, 0] = bank.out[t % lanes]
            row = m.rows[t, m.length[t] - 1]
            a, ehs, strength = np.float64(bank.out[t % lanes]), np.float64(row[EHS]), np.float64(row[STRENGTH])
            m.p[t] = win_probability(s.head, a, ehs, strength, m.V[t, STREET])
            i += 1


@njit(counted=False)
def _raises(m, s, t):
    """The raises to consider at table `t`; returns how many."""
    V, seat = m.V, m.seat[t]
    call = min(V[t, BET] - V[t, BETS + seat], V[t, STACKS + seat])
    low, high = raise_range(V, t)
    war = restricted(V[t, N_BET], call, seat == 1)
    return own_raises(V[t, BET], V[t, POT], call, low, high, war, m.to[t])


@njit
def _describe_raises(m, s, bank, tables, first, last, x, source):
    """What counts say of every raise at waiting tables `first..last-1`, and OFRE's inputs; returns the lanes used."""
    row = np.empty(ROW, np.float32)
    lanes = bank.state.shape[2]
    n = 0
    for i in range(first, last):
        t = tables[i]
        street = m.V[t, STREET]
        for r in range(OWN_RAISES):
            if m.to[t, r] == 0:
                continue
            child = np.int64(m.trees.child[m.at[t], FIRST_RAISE + r])
            default_child = np.int64(m.default.child[m.default_at[t], FIRST_RAISE + r])
            odds = raised_odds(m.V, t, m.seat[t], m.to[t, r])
            habit = NONE
            if s.habit_visits > 0.0:
                habit = habit_node(t, facing_kind(place_of(m.V, t), odds, has_raised(m.V, t, 1 - m.seat[t])))
            stats = rates(s, m.trees, child, m.default, default_child, m.habits, habit, street)
            raised_row(row, m.V, t, m.seat[t], m.to[t, r], odds, stats, s.lambdas, np.float32(0.0), s.blinds[3])
            m.guess[t, r] = counted_fold_guess(
                s, m.trees, child, m.default, default_child, m.habits, habit, odds, street
            )
            m.phi[t, r] = m.guess[t, r]
            if s.use_ofre == 1:
                m.lane[t, r] = n
                source[n] = t % lanes
                for k in range(bank.inputs):
                    x[k, n] = row[bank.features[k]]
                n += 1
    return n


@njit(counted=False)
def _step_ahead(m, s, bank, w, n, x, source, ahead):
    """One step of OFRE from copies of its states: lane j from lane `source[j]`, inputs x; the new states in `ahead`."""
    cells = bank.blocks * bank.size
    wide = x.shape[1]
    for lane in range(n, wide):
        source[lane] = source[0]
        for k in range(bank.inputs):
            x[k, lane] = x[k, 0]
    initial = cells * (4 * bank.inputs + 4 * bank.size + 7)
    for k in range(2 * cells):
        for lane in range(wide):
            ahead[k, lane] = bank.state[w, k, source[lane]] if s.use_state == 1 else bank.w[w, initial + k]
    began = ticks()
    y = ahead.ctypes.data + 4 * cells * wide
    lstm_step(
        bank.w[w].ctypes.data, bank.inputs, bank.blocks, bank.size, bank.output_tanh, wide, x.ctypes.data,
        ahead.ctypes.data, y, np.uintp(0),
    )  # fmt: skip
    _outputs(bank, w, wide, y)
    m.work[KERNEL] += ticks() - began
    m.work[LOOK_AHEADS] += n
    m.work[LOOK_CALLS] += 1


@njit(counted=False)
def _choose(m, s, t, bank):
    """Fold probabilities, utilities and the choice at table `t`."""
    V, seat = m.V, m.seat[t]
    if s.use_ofre == 1:
        for r in range(OWN_RAISES):
            if m.to[t, r] > 0:
                a = bank.out[m.lane[t, r]]
                m.output[t, 1 + r] = a
                m.phi[t, r] = fold_probability(s.head, np.float64(a), m.guess[t, r])
    call = min(V[t, BET] - V[t, BETS + seat], V[t, STACKS + seat])
    utilities(
        m.p[t], m.phi[t], m.to[t], V[t, TOTALS + seat], V[t, TOTALS + 1 - seat], call, V[t, STACKS + seat],
        V[t, BETS + seat], V[t, STACKS + 1 - seat], s.selective, m.u[t],
    )  # fmt: skip
    m.choice[t] = best(m.u[t])


@njit
def think(m, s, swre, ofre, tables, count):
    """Decide at the waiting `tables[:count]` (ascending): beliefs and choices into `m`."""
    began = ticks()
    m.work[DECISIONS] += count
    m.need[:] = 0
    for i in range(count):
        m.need[tables[i]] = 1
    _estimate_wins(m, s, swre, tables, count)
    for i in range(count):
        if _raises(m, s, tables[i]) == 0 or s.use_ofre == 0:
            m.need[tables[i]] = 0
    _advance(m, s, ofre, OFRE)
    lanes, cells = ofre.state.shape[2], ofre.blocks * ofre.size
    source = np.empty(OWN_RAISES * lanes + LANES, np.int64)
    first = 0
    while first < count:  # the tables of one set of weights together
        w, last, n = tables[first] // lanes, first, 0
        while last < count and tables[last] // lanes == w:
            for r in range(OWN_RAISES):
                n += m.to[tables[last], r] > 0
            last += 1
        wide = (n + LANES - 1) // LANES * LANES
        x = ofre.x[: ofre.inputs * wide].reshape(ofre.inputs, wide)
        ahead = ofre.ahead[: 2 * cells * wide].reshape(2 * cells, wide)
        n = _describe_raises(m, s, ofre, tables, first, last, x, source)
        if n > 0:
            _step_ahead(m, s, ofre, w, n, x, source, ahead)
        for i in range(first, last):
            t = tables[i]
            _choose(m, s, t, ofre)
            if s.use_ofre == 1 and m.choice[t] >= FIRST_RAISE:
                lane = m.lane[t, m.choice[t] - FIRST_RAISE]
                for k in range(2 * cells):
                    ofre.state[w, k, t % lanes] = ahead[k, lane]
                m.done[t, OFRE] = m.length[t] + 1
        first = last
    m.work[THINK] += ticks() - began


@njit(counted=False)
def answer(m, t):
    """The choice as an action: (kind, street total)."""
    choice = m.choice[t]
    if choice == FOLDS:
        return FOLD, 0
    if choice == CALLS:
        return CALL, 0
    return RAISE, m.to[t, choice - FIRST_RAISE]
