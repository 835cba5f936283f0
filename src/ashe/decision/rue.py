"""Recursive Utility Estimation (Li 2018, D 7.1; spec, sections 7 and 10), level by level over many tables at once.

The value of a betting state h for ASHE, which knows the group g of run-outs that may lead there:

1. Somebody has folded: the chips won or lost. Showdown: (2 p_win - 1) * matched chips, p_win as seen from the state
   where the last action was taken.
2. ASHE acts: the largest value of its actions.
3. The opponent acts: the values of its actions, weighted by OARE's probabilities. A raise has the middle size of its
   bucket, clipped to what is legal.
4. Cards come at a node: the mean over the groups of run-outs (`runouts`), each going on from its cluster's board node.
5. An action to a node that no tree knows well enough has the value of the 2.0 rule: a call is taken for a showdown,
   U(raise) = phi * b_opp + (1 - phi) * (2p - 1) * stake with OARE's fold probability after the raise, and where the
   opponent's action leads there, ASHE's best answer by the same rule.

Each visited state is one step of OARE and of SWRE (or HRE) from the states of the one before. Nothing recurses: all
states of one depth are expanded together (`_expand`), those to visit chosen (`_choose`: all, or by reach and budget),
made (`_make`) and stepped in one kernel call per estimator (`step`); then values go back up, deepest first
(`back_up`).

Pruned states (reach below `min_reach`, or beyond the `budget`, largest reach first) are not visited: their value is the
2.0 rule's with the p of the state before: a raise with the fold probability of counts, otherwise the better of folding
and calling. The reach of a state is the probability that the opponent's actions and the cards lead to it.
"""

import numpy as np

from ashe.decision.beliefs import (
    action_guess,
    action_probabilities,
    bucket_raise,
    legal_actions,
    mean_win_probability,
    raise_buckets,
    range_probabilities,
)
from ashe.decision.frontier import (
    ABSENT,
    ASKS,
    AT,
    CHILD_LINE,
    CHILD_ROW,
    CHIPS,
    CLUSTERS,
    CODE,
    COST,
    DEALS,
    DEFAULT_AT,
    DEFAULT_THERE,
    DEPTHS,
    FIRST_VIEW,
    FIXED,
    GROUP,
    GUESS,
    KEEP,
    KERNEL_TICKS,
    LEFT,
    LINE,
    LINES,
    NODE,
    OARE_CALLS,
    OARE_STEPS,
    OF_SLOT,
    OF_VIEW,
    OTHER,
    RAISED,
    REACH,
    ROW,
    ROWS,
    SEARCHES,
    SEAT,
    SHARE,
    STEM,
    TABLE,
    THERE,
    TO,
    VALUE,
    VIEW_COUNT,
    VIEWS,
    WIN_CALLS,
    WIN_STEPS,
    P,
    has_room,
    next_depth,
)
from ashe.decision.hand_range import showdown_equity
from ashe.decision.runouts import CHILD, CHILDREN, CLUSTER, DELTAS, FROM, ROOT, SAMPLES
from ashe.decision.utility import called, counted_fold_guess, own_raises, restricted
from ashe.estimators.rows import ORDER, SOURCE, WHO, step_search
from ashe.game.engine import (
    ACTOR,
    BET,
    BETS,
    CALL,
    N_BET,
    POT,
    RAISE,
    STACKS,
    STREET,
    TOTALS,
    WIDTH,
    act,
)
from ashe.jit import njit
from ashe.ticks import ticks
from ashe.trees.edges import CALLS, FIRST_RAISE, FOLDS, OWN_RAISES, SLOTS
from ashe.trees.features import EHS, NEXT, STRENGTH, next_rates, rates, reliable, state_row
from ashe.trees.habits import habit_node, kind_of
from ashe.trees.prt import NONE


@njit(counted=False)
def equity(s, r, q, runs, t, group, street, strength, outputs, work):
    """p_win of a view from SWRE's or HRE's outputs; `strength` is the opponent's at showdowns from its node."""
    if r.use_truth == 1:
        return q.truth[t]
    if r.hre == 1:
        range_probabilities(s.head, outputs, strength, work)
        return showdown_equity(work, runs.mean[group, DELTAS:])
    first = runs.group[group, FROM]
    samples = runs.sample[first : first + runs.group[group, SAMPLES]]
    return mean_win_probability(s.head, np.float64(outputs[0]), samples, street, strength)


@njit(counted=False)
def _apply(q, l, x, kind, to):
    """Row x becomes line l's engine row after an action."""
    for k in range(WIDTH):
        q.line[x, k] = q.line[l, k]
    act(q.line, x, kind, to)


@njit(counted=False)
def _habit(s, q, l, x):
    """The habit of the situation in the working row x, which follows on line l."""
    return habit_node(q.line[l, TABLE], kind_of(q.line, x, q.line[l, SEAT])) if s.habit_visits > 0.0 else NONE


@njit(counted=False)
def _lead(m, s, r, q, l, slot, kind, to, own, depth):
    """What the action of `slot` at line l leads to."""
    V, x, seat = q.line, q.line.shape[0] - 1, q.line[l, SEAT]
    trees, default = m.trees, m.default
    _apply(q, l, x, kind, to)
    mine, theirs = np.float64(V[x, TOTALS + seat]), np.float64(V[x, TOTALS + 1 - seat])
    q.act[l, slot, TO] = to
    q.act[l, slot, CODE] = SHARE
    q.worth[l, slot, CHIPS] = min(mine, theirs)
    q.worth[l, slot, OTHER] = -np.inf
    q.act[l, slot, CHILD_ROW] = -1
    if V[x, ACTOR] < 0:
        return
    node = np.int64(trees.child[q.line[l, AT], slot])
    default_node = np.int64(default.child[q.line[l, DEFAULT_AT], slot])
    known = reliable(s, trees, node, default, default_node) or depth < r.search_unknown
    asks_own = V[x, ACTOR] == seat
    if own and kind == RAISE:
        q.act[l, slot, CODE] = NODE if known else RAISED
        q.worth[l, slot, CHIPS] = min(mine, theirs + V[x, STACKS + 1 - seat])
        q.worth[l, slot, OTHER] = theirs
        call = min(V[x, BET] - V[x, BETS + 1 - seat], V[x, STACKS + 1 - seat])
        odds = call / (V[x, POT] + call)
        habit = _habit(s, q, l, x)
        q.worth[l, slot, GUESS] = counted_fold_guess(
            s, trees, node, default, default_node, m.habits, habit, odds, V[x, STREET]
        )
    elif known or (asks_own and not own):
        q.act[l, slot, CODE] = NODE
        if asks_own:
            q.worth[l, slot, CHIPS] = min(theirs, mine + V[x, STACKS + seat])
            if V[x, BET] > V[x, BETS + seat]:
                q.worth[l, slot, OTHER] = -mine
    else:
        return
    q.act[l, slot, THERE] = node
    q.act[l, slot, DEFAULT_THERE] = default_node
    q.act[l, slot, DEALS] = known and V[x, STREET] != V[l, STREET]
    for k in range(CLUSTERS):
        q.act[l, slot, CHILD_LINE + k] = -1


@njit(counted=False)
def _expand(m, s, r, q, l, sizes, depth):
    """All actions at line l, `depth` actions ahead."""
    V = q.line
    seat, actor = q.line[l, SEAT], V[l, ACTOR]
    own = actor == seat
    for slot in range(SLOTS):
        q.act[l, slot, CODE] = ABSENT
    if V[l, BET] > V[l, BETS + actor]:
        q.act[l, FOLDS, CODE] = FIXED
        q.worth[l, FOLDS, CHIPS] = -V[l, TOTALS + seat] if own else V[l, TOTALS + 1 - seat]
    _lead(m, s, r, q, l, CALLS, CALL, 0, own, depth)
    first, last, low, high = raise_buckets(V, l)
    if low == 0:
        return
    if own:
        call = min(V[l, BET] - V[l, BETS + seat], V[l, STACKS + seat])
        war = restricted(V[l, N_BET], call, seat == 1)
        own_raises(V[l, BET], V[l, POT], call, low, high, war, sizes)
        for i in range(OWN_RAISES):
            if sizes[i] > 0:
                _lead(m, s, r, q, l, FIRST_RAISE + i, RAISE, sizes[i], True, depth)
    else:
        for i in range(first, last + 1):
            _lead(m, s, r, q, l, FIRST_RAISE + i, RAISE, bucket_raise(V, l, i, low, high), False, depth)


@njit(counted=False)
def _candidates(q, runs, first, last):
    """List what views first..last - 1 could visit; returns how many."""
    n = 0
    for v in range(first, last):
        l = q.views[v, LINE]
        opponent_acts = q.line[l, ACTOR] != q.line[l, SEAT]
        for slot in range(SLOTS):
            q.next[v, slot, VIEW_COUNT] = 0
            code = q.act[l, slot, CODE]
            if code < RAISED:
                continue
            reach = q.belief[v, REACH] * q.prob[q.line[l, ROW], slot] if opponent_acts else q.belief[v, REACH]
            q.candidate[n, OF_VIEW] = v
            q.candidate[n, OF_SLOT] = slot
            q.candidate_reach[n] = reach
            q.candidate[n, COST] = (
                runs.group[q.views[v, GROUP], CHILDREN] if code == NODE and q.act[l, slot, DEALS] else 1
            )
            n += 1
    return n


@njit
def _choose(r, q, n):
    """Which of the n candidates to visit: all with enough reach, the most likely first as far as the budget goes."""
    i = 0
    while i < n:
        t = q.line[q.views[q.candidate[i, OF_VIEW], LINE], TABLE]
        last, cost = i, 0
        while last < n and q.line[q.views[q.candidate[last, OF_VIEW], LINE], TABLE] == t:
            q.candidate[last, KEEP] = q.candidate_reach[last] > 0.0 and q.candidate_reach[last] >= r.min_reach
            if q.candidate[last, KEEP]:
                cost += q.candidate[last, COST]
            last += 1
        if r.budget > 0:
            if cost > q.at_table[t, LEFT]:
                cost = 0
                by_reach = np.argsort(-q.candidate_reach[i:last], kind="mergesort")
                for k in range(last - i):
                    j = i + by_reach[k]
                    if q.candidate[j, KEEP] and cost + q.candidate[j, COST] <= q.at_table[t, LEFT]:
                        cost += q.candidate[j, COST]
                    else:
                        q.candidate[j, KEEP] = 0
            q.at_table[t, LEFT] -= cost
        i = last


@njit(counted=False)
def _new_row(m, s, q, oare, l, slot, depth_first, before_first):
    """OARE's row for the state that the working row of `q.line` holds: after line l's action `slot`."""
    x, t = q.line.shape[0] - 1, q.line[l, TABLE]
    seat = q.line[l, SEAT]
    o = q.used[ROWS]
    q.used[ROWS] = o + 1
    q.act[l, slot, CHILD_ROW] = o
    k = o - depth_first
    node, default_node, street = q.act[l, slot, THERE], q.act[l, slot, DEFAULT_THERE], q.line[x, STREET]
    asks = q.line[x, ACTOR] != seat
    row = q.wide[k]
    trees, default, habits, habit = m.trees, m.default, m.habits, _habit(s, q, l, x)
    stats = rates(s, trees, node, default, default_node, habits, habit, street)
    state_row(row, q.line, x, seat, stats, s.lambdas, np.float32(0.0), s.blinds[3])
    next_rates(s, trees, node, default, default_node, habits, habit, street, asks, row[NEXT:])
    q.legal[k, ASKS] = asks
    if asks:
        actor = q.line[x, ACTOR]
        legal_actions(q.line, x, q.legal[k])
        call = min(q.line[x, BET] - q.line[x, BETS + actor], q.line[x, STACKS + actor])
        odds = call / (q.line[x, POT] + call)
        action_guess(s, trees, node, default, default_node, habits, habit, odds, street, q.legal[k], q.base[k])
    for i in range(oare.inputs):
        oare.x[k, i] = row[oare.features[i]]
    oare.numbers[WHO, k] = t // oare.lanes
    oare.numbers[SOURCE, k] = q.line[l, ROW] - before_first
    return o


@njit(counted=False)
def _new_line(m, s, q, l, slot, cluster, kind):
    """The line after line l's action `slot`, going on from the cluster's board node where cards came."""
    n = q.used[LINES]
    q.used[LINES] = n + 1
    _apply(q, l, n, kind, q.act[l, slot, TO])
    q.line[n, TABLE] = q.line[l, TABLE]
    q.line[n, SEAT] = q.line[l, SEAT]
    node, default_node = q.act[l, slot, THERE], q.act[l, slot, DEFAULT_THERE]
    if q.act[l, slot, DEALS] and s.board_nodes == 1:
        node = np.int64(m.trees.child[node, cluster])
        default_node = np.int64(m.default.child[default_node, cluster])
    q.line[n, AT] = node
    q.line[n, DEFAULT_AT] = default_node
    q.line[n, ROW] = q.act[l, slot, CHILD_ROW]
    q.act[l, slot, CHILD_LINE + cluster] = n
    return n


@njit(counted=False)
def _make(m, s, q, oare, win, runs, n, rows_first, rows_before, views_first, views_before):
    """Rows, lines and views of the candidates that were kept."""
    x = q.line.shape[0] - 1
    for i in range(n):
        if not q.candidate[i, KEEP]:
            continue
        v, slot = q.candidate[i, OF_VIEW], q.candidate[i, OF_SLOT]
        l = q.views[v, LINE]
        kind = CALL if slot == CALLS else RAISE
        if q.act[l, slot, CHILD_ROW] < 0:
            _apply(q, l, x, kind, q.act[l, slot, TO])
            _new_row(m, s, q, oare, l, slot, rows_first, rows_before)
        if q.act[l, slot, CODE] == RAISED:
            q.next[v, slot, VIEW_COUNT] = -1
            continue
        parent = q.views[v, GROUP]
        deals = q.act[l, slot, DEALS] == 1
        first = np.int64(runs.group[parent, CHILD]) if deals else parent
        groups = np.int64(runs.group[parent, CHILDREN]) if deals else 1
        q.next[v, slot, FIRST_VIEW] = q.used[VIEWS]
        q.next[v, slot, VIEW_COUNT] = groups
        for g in range(first, first + groups):
            cluster = np.int64(runs.group[g, CLUSTER]) if deals and s.board_nodes == 1 else 0
            line = np.int64(q.act[l, slot, CHILD_LINE + cluster])
            if line < 0:
                line = _new_line(m, s, q, l, slot, cluster, kind)
            c = q.used[VIEWS]
            q.used[VIEWS] = c + 1
            q.views[c, LINE] = line
            q.views[c, GROUP] = g
            q.belief[c, REACH] = q.candidate_reach[i] * runs.group[g, SAMPLES] / runs.group[parent, SAMPLES]
            k = c - views_first
            wide = q.wide[q.act[l, slot, CHILD_ROW] - rows_first]
            ehs = runs.mean[g, q.line[line, STREET]]
            for j in range(win.inputs):
                win.x[k, j] = ehs if win.features[j] == EHS else wide[win.features[j]]
            win.numbers[WHO, k] = q.line[line, TABLE] // win.lanes
            win.numbers[SOURCE, k] = v - views_before


@njit(counted=False)
def step(s, r, q, oare, win, runs, depth, bounds, work):
    """Step both estimators on everything new, and read their answers."""
    rows_first, views_first = bounds[3], bounds[4]
    rows, views = q.used[ROWS] - rows_first, q.used[VIEWS] - views_first
    began = ticks()
    for asked in range(2):  # the dense layers of OARE run only where the opponent acts
        count = 0
        for k in range(rows):
            if q.legal[k, ASKS] == asked:
                oare.numbers[ORDER, count] = k
                count += 1
        if count > 0:
            step_search(oare, depth, count, asked == 1)
            q.work[OARE_CALLS] += 1
    for k in range(views):
        win.numbers[ORDER, k] = k
    if views > 0:
        step_search(win, depth, views, True)
        q.work[WIN_CALLS] += 1
    q.work[KERNEL_TICKS] += ticks() - began
    q.work[OARE_STEPS] += rows
    q.work[WIN_STEPS] += views
    for k in range(rows):
        if q.legal[k, ASKS] == 1:
            action_probabilities(s.head, oare.out[k], q.base[k], q.legal[k], work, q.prob[rows_first + k])
    for k in range(views):
        v = views_first + k
        line = q.views[v, LINE]
        t, street, strength = (
            q.line[line, TABLE],
            q.line[line, STREET],
            q.wide[q.line[line, ROW] - rows_first, STRENGTH],
        )
        q.belief[v, P] = equity(s, r, q, runs, t, q.views[v, GROUP], street, np.float64(strength), win.out[k], work)


@njit(counted=False)
def action_value(q, s, runs, v, slot, own):
    """U of one action at view v, everything below being known."""
    l = q.views[v, LINE]
    code, edge = q.act[l, slot, CODE], 2.0 * q.belief[v, P] - 1.0
    if code == FIXED:
        return q.worth[l, slot, CHIPS]
    if code == SHARE:
        return edge * q.worth[l, slot, CHIPS]
    if q.next[v, slot, VIEW_COUNT] > 0:
        total, weight = 0.0, 0.0
        for c in range(q.next[v, slot, FIRST_VIEW], q.next[v, slot, FIRST_VIEW] + q.next[v, slot, VIEW_COUNT]):
            n = runs.group[q.views[c, GROUP], SAMPLES]
            total += n * q.belief[c, VALUE]
            weight += n
        return total / weight
    if own and slot >= FIRST_RAISE:
        phi = q.worth[l, slot, GUESS] if q.next[v, slot, VIEW_COUNT] == 0 else q.prob[q.act[l, slot, CHILD_ROW], FOLDS]
        edge = 2.0 * called(q.belief[v, P], phi, s.selective) - 1.0
        return phi * q.worth[l, slot, OTHER] + (1.0 - phi) * edge * q.worth[l, slot, CHIPS]
    return max(q.worth[l, slot, OTHER], edge * q.worth[l, slot, CHIPS])


@njit(counted=False)
def back_up(m, s, q, runs, tables):
    """Values of all views, deepest first; of the first `tables` views the utilities of all actions into `m.u`."""
    for v in range(q.used[VIEWS] - 1, -1, -1):
        l = q.views[v, LINE]
        t = q.line[l, TABLE]
        own = q.line[l, ACTOR] == q.line[l, SEAT]
        value = -np.inf if own else 0.0
        for slot in range(SLOTS):
            if v < tables and slot < m.u.shape[1]:
                m.u[t, slot] = -np.inf
            if q.act[l, slot, CODE] == ABSENT:
                continue
            if own:
                u = action_value(q, s, runs, v, slot, True)
                value = max(value, u)
                if v < tables:
                    m.u[t, slot] = u
            else:
                p = q.prob[q.line[l, ROW], slot]
                if p > 0.0:
                    value += p * action_value(q, s, runs, v, slot, False)
        q.belief[v, VALUE] = value


@njit(counted=False)
def plant(m, r, q, oare, win, runs, tables, n):
    """Depth 0: the states that the `n` waiting tables are in; `m.p` holds p_win there."""
    for i in range(n):
        t = tables[i]
        for k in range(WIDTH):
            q.line[i, k] = m.V[t, k]
        q.line[i, TABLE] = t
        q.line[i, SEAT] = m.seat[t]
        q.line[i, AT] = m.at[t]
        q.line[i, DEFAULT_AT] = m.default_at[t]
        q.line[i, ROW] = i
        q.views[i, LINE] = i
        q.views[i, GROUP] = runs.entry[q.at_table[t, STEM], ROOT]
        q.belief[i, REACH] = 1.0
        q.belief[i, P] = m.p[t]
        q.at_table[t, LEFT] = r.budget
        for k in range(oare.path.shape[1]):
            oare.state[0, i, k] = oare.path[t, k]
        for k in range(win.path.shape[1]):
            win.state[0, i, k] = win.path[t, k]
    for k in range(3):
        q.used[k] = n


@njit
def deepen(m, s, r, q, oare, win, runs, bounds, depth):
    """Make the depth after `depth`; 1 when there is something on it, 0 when not, -1 when there is no room for it.

    `bounds`: first row, view and line of the last depth but one and of the last; the new one begins at what is used.
    """
    sizes = np.zeros(OWN_RAISES, np.int64)
    for l in range(bounds[2], bounds[5]):
        _expand(m, s, r, q, l, sizes, depth)
    if (bounds[4] - bounds[1]) * SLOTS > q.candidate.shape[0]:
        return -1
    n = _candidates(q, runs, bounds[1], bounds[4])
    _choose(r, q, n)
    kept, cost = 0, 0
    for i in range(n):
        if q.candidate[i, KEEP]:
            kept += 1
            cost += q.candidate[i, COST]
    if kept == 0:
        return 0
    if not has_room(q, oare, win, kept, cost):
        return -1
    _make(m, s, q, oare, win, runs, n, bounds[3], bounds[0], bounds[4], bounds[1])
    return 1


@njit
def search(m, s, r, q, oare, win, runs, tables, n):
    """Utilities of all actions at the waiting `tables[:n]` into `m.u`; False when there is no room: call again."""
    if n + 1 > q.line.shape[0] or n > oare.state.shape[1]:
        return False
    plant(m, r, q, oare, win, runs, tables, n)
    work = np.empty(SLOTS)
    bounds = np.array([0, 0, 0, 0, 0, 0])
    depth = 0
    while True:
        next_depth(q, bounds)
        made = deepen(m, s, r, q, oare, win, runs, bounds, depth)
        if made < 0:
            return False
        if made == 0:
            break
        depth += 1
        step(s, r, q, oare, win, runs, depth, bounds, work)
    back_up(m, s, q, runs, n)
    q.work[SEARCHES] += n
    q.work[DEPTHS] += depth
    return True
