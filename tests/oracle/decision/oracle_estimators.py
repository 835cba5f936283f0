"""RUE with oracle estimators: what OARE and SWRE would answer if they knew the opponent's rule, in the same arrays.

The opponent is one of HM, CM, LP and TP, whose actions depend on its own EHS alone. Its range at a state is every
holding with which the rule would have acted as it did, on every run-out that leads there. OARE's answer is the share of
the range that takes each action; p_win is the share of the range that loses the showdown, where the opponent is to act
the range that calls, because a showdown follows only then.
"""

import numpy as np

from ashe.agents.ashe2_play import watch
from ashe.agents.ashe22 import more_room
from ashe.agents.ashe22_player import Ashe22Player
from ashe.cards.deck import HOLE_A, HOLE_B
from ashe.cards.equity import board_numerators
from ashe.cards.rank import rank7
from ashe.decision.frontier import (
    CHILD_ROW,
    CODE,
    GROUP,
    LINE,
    NODE,
    ROW,
    ROWS,
    SEAT,
    STEM,
    TO,
    VIEWS,
    P,
    next_depth,
)
from ashe.decision.rue import back_up, deepen, plant
from ashe.decision.runouts import COUNT, FIRST, FROM, NUMBER, SAMPLES, run_out_boards, run_out_key
from ashe.decision.utility import best
from ashe.game import engine as e
from ashe.game.engine import ACTOR, STREET
from ashe.jit import njit
from ashe.opponents.dispatch import RULES, decide
from ashe.opponents.observation import Observation
from ashe.trees.edges import CALLS, FIRST_RAISE, slot_of

HOLDINGS = 1326
STEPS = 40  # bisection for the EHS at which a rule changes its mind


@njit
def ranks_of(board, out):
    """Showdown rank of every holding; 0 where it clashes with the board."""
    for h in range(HOLDINGS):
        x, y = np.int64(HOLE_A[h]), np.int64(HOLE_B[h])
        clash = False
        for k in range(5):
            clash = clash or board[k] == x or board[k] == y
        out[h] = 0 if clash else rank7(x, y, board[0], board[1], board[2], board[3], board[4])


def observation(row, seat, ehs):
    """What the rule sees in engine row `row` with this EHS; nothing else of it matters to the four rules."""
    S = row.reshape(1, -1)[:, : e.WIDTH].copy()
    low, high = e.raise_range(S, 0)
    street, call = int(S[0, STREET]), int(e.call_cost(S, 0))
    return Observation(
        street, seat == 1, float(ehs), float(ehs), int(S[0, e.POT]), call, int(S[0, e.BET]), int(S[0, e.BETS + seat]),
        int(low), int(high), int(S[0, e.MIN_RAISE]), int(S[0, e.STACKS + seat]), 20_000, 100,
        int(S[0, e.N_BET]), 0, 0, 0, 0, np.uint64(1), np.uint64(1),
    )  # fmt: skip


def answer(rule, row, ehs):
    """The edge that the rule takes from engine row `row`."""
    seat = int(row[ACTOR])
    o = observation(row, seat, ehs)
    kind, to, _ = decide(rule, o)
    return int(slot_of(False, kind, to, o.bet, o.pot, o.call, o.own + o.stack))


def answers(rule, row):
    """[(edge, lowest EHS, EHS below which it is taken)]: a rule has at most one threshold."""
    low, high = answer(rule, row, 0.0), answer(rule, row, 1.0)
    if low == high:
        return [(low, -1.0, 2.0)]
    a, b = 0.0, 1.0
    for _ in range(STEPS):
        middle = (a + b) / 2
        a, b = (middle, b) if answer(rule, row, middle) == low else (a, middle)
    return [(low, -1.0, b), (high, b, 2.0)]


class OraclePlayer(Ashe22Player):
    """ASHE 2.2 whose estimators are replaced by the truth about a rule; its genome does not matter."""

    rule = RULES["CM"].number

    def act(self, decisions):
        d = decisions.arrays()
        self._make_room(d.length)
        watch(self.mind, self.settings, d.tables, d.state[:, ACTOR], d.strengths, d.textures, d.history, d.length)
        self._draw(d)
        kinds, totals = np.zeros(len(d.tables), np.int64), np.zeros(len(d.tables), np.int64)
        for i, t in enumerate(d.tables):
            self.search.at_table[t, STEM] = i
            self.consider(d, i, int(t))
            choice = int(best(self.mind.u[t]))
            kinds[i] = min(choice, 2)
            if choice >= FIRST_RAISE:
                totals[i] = self.search.act[0, choice, TO]
        return kinds, totals

    # ------------------------------------------------------------ the range
    def prepare(self, d, i):
        """EHS of every holding by street, who beats whom, and the holdings that are possible, [S, 1326] each."""
        street, hole = int(d.state[i, STREET]), d.hole[i]
        first = int(self.runs.entry[i, FIRST])
        n = int(self.runs.entry[i, COUNT])
        boards = np.zeros((n, 5), np.int64)
        key = np.uint64(run_out_key(d.hand_keys[i], street))
        run_out_boards(key, street, int(hole[0]), int(hole[1]), d.board[i], boards)
        boards = boards[self.runs.sample[first : first + n, NUMBER].astype(int)]
        own = int(max(hole) * (max(hole) - 1) // 2 + min(hole))
        self.ehs = np.zeros((4, n, HOLDINGS))
        self.possible, self.lost = np.zeros((n, HOLDINGS), bool), np.zeros((n, HOLDINGS))
        dead = (hole[0] == HOLE_A) | (hole[1] == HOLE_A) | (hole[0] == HOLE_B) | (hole[1] == HOLE_B)
        known = {}
        for k, board in enumerate(boards):
            for s, cards in enumerate((0, 3, 4, 5)):
                name = tuple(board[:cards].tolist())
                if name not in known:
                    numerators, denominator = board_numerators(name)
                    known[name] = numerators / denominator
                self.ehs[s, k] = known[name]
            ranks = np.zeros(HOLDINGS, np.int64)
            ranks_of(board, ranks)
            self.possible[k] = (ranks > 0) & ~dead
            self.lost[k] = np.where(ranks > ranks[own], 1.0, np.where(ranks == ranks[own], 0.5, 0.0))

    def history_range(self, d, i, t):
        """The possible holdings after the actions of the hand so far."""
        mask = self.possible.copy()
        V = np.zeros((1, e.WIDTH), np.int64)
        e.start_hand(V, 0, 2, 50, 100, 0, np.array([20_000, 20_000]))
        for n in range(int(d.length[i])):
            seat, _, kind, to = (int(x) for x in d.history[t, n])
            if seat != d.state[i, ACTOR]:
                street = int(V[0, STREET])
                call = int(e.call_cost(V, 0))
                most = int(V[0, e.BETS + seat] + V[0, e.STACKS + seat])
                taken = int(slot_of(False, kind, to, V[0, e.BET], V[0, e.POT], call, most))
                allowed = [(a, b) for slot, a, b in answers(self.rule, V[0]) if slot == taken]
                assert allowed, "the rule would not have done this"
                ((a, b),) = allowed
                mask &= (self.ehs[street] >= a) & (self.ehs[street] < b)
            e.act(V, 0, kind, to)
        return mask

    # ------------------------------------------------------------ the search
    def consider(self, d, i, t):
        q, m, r, runs = self.search, self.mind, self.rue, self.runs
        self.hole = d.hole[i]
        self.prepare(d, i)
        base = int(runs.entry[i, FIRST])
        mask = self.history_range(d, i, t)
        m.p[t] = (self.lost * mask).sum() / max(mask.sum(), 1)
        tables = np.array([t])
        plant(m, r, q, self.oare, self.win, runs, tables, 1)
        ranges, bounds, depth = {0: mask}, np.zeros(6, np.int64), 0  # ranges by row
        while True:
            next_depth(q, bounds)
            made = deepen(m, self.settings, r, q, self.oare, self.win, runs, bounds, depth)
            if made < 0:
                self.search, self.oare, self.win = more_room(self.search, self.oare, self.win)
                return self.consider(d, i, t)
            if made == 0:
                break
            depth += 1
            self.tell(q, runs, base, ranges, bounds)
        back_up(m, self.settings, q, runs, 1)

    def samples_of(self, q, runs, base, v):
        g = q.views[v, GROUP]
        first = int(runs.group[g, FROM]) - base
        return slice(first, first + int(runs.group[g, SAMPLES]))

    def tell(self, q, runs, base, ranges, bounds):
        """Fill `prob` of the new rows and p of the new views."""
        # which line and action each new row comes from
        for l in range(int(bounds[2]), int(bounds[5])):
            row = q.line[l]
            before = ranges[int(row[ROW])]
            own = row[ACTOR] == row[SEAT]
            thresholds = None
            for slot in range(9):
                if q.act[l, slot, CODE] != NODE or q.act[l, slot, CHILD_ROW] < 0:
                    continue
                after = before
                if not own:
                    thresholds = thresholds or answers(self.rule, row)
                    ((a, b),) = [(a, b) for s, a, b in thresholds if s == slot] or [(2.0, 2.0)]
                    ehs = self.ehs[int(row[STREET])]
                    after = before & (ehs >= a) & (ehs < b)
                ranges[int(q.act[l, slot, CHILD_ROW])] = after
        views = range(int(bounds[4]), int(q.used[VIEWS]))
        by_row = {}
        for v in views:
            by_row.setdefault(int(q.line[q.views[v, LINE], ROW]), []).append(v)
        for o in range(int(bounds[3]), int(q.used[ROWS])):
            mine = by_row.get(o, [])
            mask = ranges[o]
            line = q.line[q.views[mine[0], LINE]]
            ehs = self.ehs[int(line[STREET])]
            calling = mask
            if line[ACTOR] != line[SEAT]:
                picked = np.zeros(len(mask), bool)
                for v in mine:
                    picked[self.samples_of(q, runs, base, v)] = True
                some, strengths = mask[picked], ehs[picked]
                total = max(some.sum(), 1)
                q.prob[o] = 0.0
                for slot, a, b in answers(self.rule, line):
                    q.prob[o, slot] = (some & (strengths >= a) & (strengths < b)).sum() / total
                    if slot == CALLS:
                        calling = mask & (ehs >= a) & (ehs < b)
                if not some.any():
                    q.prob[o, CALLS] = 1.0
            for v in mine:
                part = self.samples_of(q, runs, base, v)
                weight = calling[part].sum()
                if weight == 0:  # nobody calls here
                    calling_part, weight = mask[part], max(mask[part].sum(), 1)
                else:
                    calling_part = calling[part]
                q.belief[v, P] = (self.lost[part] * calling_part).sum() / weight
