"""A slow obvious Recursive Utility Estimation: one decision, plain objects, hands played out, double precision.

It reads the trees' counts, draws the same run-outs, and computes everything else anew: EHS and ranks of every board
(`ashe.cards.equity`), habits, features, estimators, bucket sizes, pruning, and values by plain recursion.
"""

from dataclasses import dataclass, field

import numpy as np
from tests.estimator_twin import EstimatorTwin, logistic
from tests.habits_twin import Habits, called

from ashe.cards.clusters import board_cluster
from ashe.cards.equity import ehs, stronger_and_ties
from ashe.decision.runouts import run_out_boards, run_out_key
from ashe.game import engine as e
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.view import BOARD_CARDS, Action
from ashe.trees.defaults import next_action_defaults, street_defaults

UPPER_EDGES = (0.125, 0.375, 0.75, 1.25, 2.0, 4.0)
MIDDLES = (0.0625, 0.25, 0.5625, 1.0, 1.625, 3.0, 6.0)
INTERVALS = ((0, 25), (25, 50), (50, 100), (100, 150), (150, 250), (250, 350), (350, 500), (500, 650), (650, 990))


def softmax(x, legal=None):
    x = np.where(True if legal is None else legal, x, -np.inf)
    y = np.exp(x - x.max())
    return y / y.sum()


@dataclass
class Board:
    number: int
    ehs: list  # by street
    cluster: list
    above: float


@dataclass
class State:
    """Somebody must act; `boards` may lie or come."""

    hand: Hand
    node: int  # from which the next action leads on
    default: int
    boards: list
    reach: float
    oare: tuple
    win: tuple
    p: float
    chance: np.ndarray | None  # of the opponent's actions
    results: dict = field(default_factory=dict)  # slot -> what the action leads to


class Twin:
    """Reads the trees of `mind`; `use_default` says whether its default trees count."""

    def __init__(self, config, genome, mind, use_default):
        self.config, self.mind, self.use_default = config, mind, use_default
        self.oare_net = EstimatorTwin(config, genome, "oare")
        self.win_net = EstimatorTwin(config, genome, config.modules[1])
        self.habits = Habits(config)
        self.seen = {"nodes": 0, "unknown": 0, "splits": 0, "all-in": 0, "cut": 0, "depth": 0}

    # ------------------------------------------------------------ trees
    def child(self, trees, node, slot):
        return int(trees.child[node, slot])

    def counts(self, trees, node):
        f, shown, folded = (int(x) for x in trees.counts[node])
        return f, shown, folded, float(trees.strength[node]), [int(x) for x in trees.following[node]]

    def is_known(self, node, default):
        known = self.counts(self.mind.trees, node)[0] > self.config.reliable
        return known or (self.use_default and self.counts(self.mind.default, default)[0] > self.config.reliable)

    def rates(self, node, default, hand, seat):
        """(f, showdown rate, fold rate, strength, next-action rates) as spec sections 5, 6 and 10 mix them.

        With habits: what opponents do in general or a reliable default node, the habits, the node's own visits.
        """
        street, opponent_acts = hand.street, hand.actor != seat
        by_street, by_action = street_defaults("training8")[street], next_action_defaults("training8")[street]
        general = [*by_street, *by_action]

        def own(counts, stand_in):
            f, shown, folded, strength, following = counts
            s = strength / shown if shown else stand_in[2]
            return [shown / f, folded / f, s, *(n / f for n in following)]

        f = self.counts(self.mind.trees, node)[0]
        known = f > self.config.reliable
        default_counts = self.counts(self.mind.default, default)
        trusted = self.use_default and default_counts[0] > self.config.reliable
        general = own(default_counts, general) if trusted else general
        if self.habits.used:
            f, shown, folded, strength, following = self.counts(self.mind.trees, node)
            habit = self.habits.rates(hand.history, seat, general[:3])
            v, acts = self.config.prior_visits, self.habits.next_rates(hand.history, seat, general[3:])
            mixed = [*self.habits.mixed({"f": f, "sd": shown, "of": folded, "s": [strength]}, habit)]
            mixed += [(n + v * x) / (f + v) for n, x in zip(following, acts, strict=True)]
        elif not self.use_default:
            mixed = own(self.counts(self.mind.trees, node), general) if known else general
        else:
            mixed = general
            if f > 0 and (known or trusted):
                share = min(f / self.config.lambdas[street], 1)
                regular = own(self.counts(self.mind.trees, node), general)
                mixed = [share * a + (1 - share) * b for a, b in zip(regular, general, strict=True)]
        return f, *mixed[:3], (mixed[3:] if opponent_acts else [0.0] * 9)

    def fold_prior(self, odds, street):
        return min(odds * (1 + BOARD_CARDS[street] / 5), 1)

    def action_guess(self, node, default, hand, legal):
        f, *_, following = self.counts(self.mind.trees, node)
        default_f, *_, default_following = self.counts(self.mind.default, default)
        general = next_action_defaults("training8")[hand.street]
        odds = hand.call_cost / (hand.pot + hand.call_cost)
        fold = self.fold_prior(odds, hand.street) if legal[0] else 0.0
        rest = sum(general[k] for k in range(1, 9) if legal[k])
        prior = [fold] + [(1 - fold) * general[k] / rest for k in range(1, 9)]
        if self.use_default and default_f > self.config.reliable:
            prior = [n / default_f for n in default_following]
        if self.habits.used:
            prior = self.habits.next_rates(hand.history, 1 - hand.actor, prior)
        v = self.config.prior_visits
        return [max((following[k] + v * prior[k]) / (f + v), 0.01) if legal[k] else 1.0 for k in range(9)]

    def raise_guess(self, node, default, hand, seat):
        f, _, folded, *_ = self.counts(self.mind.trees, node)
        prior = self.fold_prior(hand.call_cost / (hand.pot + hand.call_cost), hand.street)
        default_f, _, default_folded, *_ = self.counts(self.mind.default, default)
        if self.use_default and default_f > self.config.reliable:
            prior = default_folded / default_f
        if self.habits.used:
            prior = self.habits.fold_rate(hand.history, seat, prior)
        share = min(1, f / self.config.prior_visits)
        return share * folded / max(f, 1) + (1 - share) * prior

    # ------------------------------------------------------------ features and estimators
    def features(self, node, default, hand, seat, strength):
        street, stack = hand.street, 20_000
        f, shown, folded, s, following = self.rates(node, default, hand, seat)
        confidence = min(f / self.config.lambdas[street], 1)
        raises = int(hand.row[0, e.N_BET]) - (street == 0)
        odds = hand.call_cost / (hand.pot + hand.call_cost)
        committed = [1 - hand.stacks[k] / stack for k in (seat, 1 - seat)]
        common = [odds, *committed, min(raises / 4, 1), float(seat == 1)]
        where = [float(k == street) for k in range(4)]
        win = [shown, folded, s, confidence, *where, strength, *common]
        oare = [shown, s, confidence, *where, *common, *following]
        return np.array(oare), np.array(win)

    def step(self, before, node, default, hand, seat, strength):
        """States of both estimators at a node, from `before`."""
        oare, win = self.features(node, default, hand, seat, strength)
        return self.oare_net.step(before[0], oare), self.win_net.step(before[1], win)

    def chance(self, oare, node, default, hand):
        """The opponent's next action."""
        legal = [hand.call_cost > 0, True]
        for k in range(7):
            legal.append(self.bucket_size(hand, k) is not None)
        logits = self.oare_net.answer(oare)
        if self.config.head != "direct":
            logits = logits + np.log(self.action_guess(node, default, hand, legal))
        return softmax(logits, np.array(legal))

    def bucket_size(self, hand, k):
        """Street total of a raise in the k-th bucket, None if no legal raise falls into it."""
        low, high = hand.raise_range
        if not low:
            return None
        pot, bet = hand.pot + hand.call_cost, max(hand.bets)
        number = [sum(to - bet > x * pot for x in UPPER_EDGES) for to in (low, high)]
        if not number[0] <= k <= number[1]:
            return None
        return min(max(int(bet + MIDDLES[k] * pot + 0.5), low), high)

    def p_win(self, win, boards, node, default, hand, seat):
        out = self.win_net.answer(win)
        street, strength = hand.street, self.rates(node, default, hand, seat)[3]
        if self.config.kind == "ashe23":
            p = softmax(out + (np.log(self.range_guess(strength)) if self.config.head != "direct" else 0))

            def equity(r):
                return 1 - sum(q * min(max((r - a) / (b - a), 0), 1) for q, (a, b) in zip(p, INTERVALS, strict=True))

            return float(np.mean([equity(b.above) for b in boards]))
        a = float(logistic(out[0]))
        if self.config.head == "direct":
            return a
        if self.config.head == "modulated":
            return float(np.mean([b.ehs[street] ** (1 / a) for b in boards]))

        def odds_head(x):
            x, s = min(max(x, 1e-6), 1 - 1e-6), strength
            guess = x * (1 - s) / (x * (1 - s) + (1 - x) * s)
            guess = min(max(guess, 0.02), 0.98)
            return guess * a / (guess * a + (1 - guess) * (1 - a))

        return float(np.mean([odds_head(b.ehs[3]) for b in boards]))

    def range_guess(self, strength):
        """Shares of the intervals when the share of weaker hands has this mean, by a power law."""
        s = min(max(strength, 0.02), 0.98)
        out = []
        for a, b in INTERVALS:
            high, low = 1 - a / 990, 1 - b / 990
            k = max(s, 1 - s) / min(s, 1 - s)
            out.append(max(high**k - low**k if s >= 0.5 else (1 - low) ** k - (1 - high) ** k, 0.01 / 9))
        return out

    # ------------------------------------------------------------ the cards
    def boards(self, view, hand_key, known):
        street, rue = view.street, self.config.rue
        n = {0: rue.samples, 1: rue.samples, 2: 46, 3: 1}[street]
        cards = np.full(5, -1)
        cards[: len(view.board)] = view.board
        out = np.zeros((n, 5), np.int64)
        key = np.uint64(run_out_key(np.uint64(hand_key), street))
        run_out_boards(key, street, view.hole[0], view.hole[1], cards, out)
        found = []
        for board in out.tolist():
            strengths = [known[s] if s <= street else ehs(view.hole, board[: BOARD_CARDS[s]]) for s in range(4)]
            clusters = [0] + [int(board_cluster(np.array(board), size)) for size in (3, 4, 5)]
            stronger, ties = stronger_and_ties(view.hole, board)
            found.append(
                Board(len(found), strengths, clusters, stronger + (0 if self.config.printed_rank else ties / 2))
            )
        return found

    def groups(self, boards, street):
        """[(cluster, boards)] of what may come on `street`."""
        by_cluster = {}
        for board in sorted(boards, key=lambda b: (b.cluster[street], b.ehs[street], b.number)):
            by_cluster.setdefault(board.cluster[street], []).append(board)
        out = []
        for cluster, some in by_cluster.items():
            n = len(some)
            every = self.street == 2 and self.config.rue.every_river
            parts = n if every else min(self.config.rue.strength_groups, n)
            out += [(cluster, some[k * n // parts : (k + 1) * n // parts]) for k in range(parts)]
        return out

    # ------------------------------------------------------------ the search
    def utilities(self, view, hand_key, known, path, at, default_at):
        """{slot: U}; `path` is the [(node, default node, hand there)] of the hand so far, `known` EHS by street."""
        seat, states = view.seat, (self.oare_net.start(), self.win_net.start())
        for node, default, hand in path:
            states = self.step(states, node, default, hand, seat, known[hand.street])
        self.street = view.street
        boards = self.boards(view, hand_key, known)
        p = self.p_win(states[1], boards, *path[-1], seat)
        root = State(path[-1][2], at, default_at, boards, 1.0, *states, p, None)
        budget = self.config.rue.budget or 10**9
        level, self.depth = [root], 0
        while level:
            wishes = [(state, slot, *wish) for state in level for slot, wish in self.actions(state, seat)]
            wishes = [w for w in wishes if w[2] > 0 and w[2] >= self.config.rue.min_reach]
            if sum(w[3] for w in wishes) > budget:
                chosen, left = [], budget
                for i in sorted(range(len(wishes)), key=lambda i: -wishes[i][2]):
                    if wishes[i][3] <= left:
                        left -= wishes[i][3]
                        chosen.append(i)
                wishes = [wishes[i] for i in sorted(chosen)]
            budget -= sum(w[3] for w in wishes)
            level = [child for state, slot, *_ in wishes for child in self.visit(state, slot, seat)]
            self.depth += 1
            self.seen["nodes"] += len(level)
            self.seen["depth"] = max(self.seen["depth"], bool(level))
        return {slot: self.worth(root, slot, seat) for slot in sorted(root.results)}

    def actions(self, state, seat):
        """What every action leads to, into `state.results`; yields (slot, (reach, cost)) of what could be visited."""
        hand, own = state.hand, state.hand.actor == seat
        if hand.call_cost > 0:
            self.lead(state, 0, Action(FOLD), seat)
        yield from self.lead(state, 1, Action(CALL), seat)
        low, high = hand.raise_range
        pot, bet = hand.pot + hand.call_cost, max(hand.bets)
        if own:
            n_bet = int(hand.row[0, e.N_BET])
            war = hand.call_cost and n_bet >= (3 if seat == 1 else 4)
            for k, x in enumerate((0.5, 1, 1.5, 2)):
                to = int(bet + x * pot + 0.5)
                if low <= to < high and not war:
                    yield from self.lead(state, 2 + k, Action(RAISE, to), seat)
            if low:
                yield from self.lead(state, 6, Action(RAISE, high), seat)
        else:
            for k in range(7):
                to = self.bucket_size(hand, k)
                if to is not None:
                    yield from self.lead(state, 2 + k, Action(RAISE, to), seat)

    def lead(self, state, slot, action, seat):
        hand, own = copy(state.hand), state.hand.actor == seat
        street = hand.street
        hand.act(action)
        mine, theirs = (20_000 - hand.stacks[k] for k in (seat, 1 - seat))
        result = {"hand": hand, "mine": mine, "theirs": theirs, "states": None, "phi": None}
        state.results[slot] = result
        if hand.over:
            fold = action.kind == FOLD
            result["kind"] = "fold" if fold else "showdown"
            result["value"] = (-mine if own else theirs) if fold else None
            self.seen["all-in"] += not fold and (hand.stacks[0] == 0 or hand.stacks[1] == 0)
            return []
        node = self.child(self.mind.trees, state.node, slot)
        default = self.child(self.mind.default, state.default, slot)
        known = self.is_known(node, default) or self.depth < self.config.rue.search_unknown
        result.update(node=node, default=default, known=known)
        if own and action.kind == RAISE:
            result["phi"] = self.raise_guess(node, default, hand, seat)
            result["kind"] = "node" if known else "raise"
        elif known or (not own and hand.actor == seat):
            result["kind"] = "node"
        else:
            result["kind"] = "showdown"
            return []
        self.seen["unknown"] += not known
        result["deals"] = known and hand.street != street
        chance = 1.0 if own else state.chance[slot]
        cost = len(self.groups(state.boards, hand.street)) if result["deals"] else 1
        return [(slot, (state.reach * chance, cost))]

    def visit(self, state, slot, seat):
        r = state.results[slot]
        hand, node, default = r["hand"], r["node"], r["default"]
        split = self.groups(state.boards, hand.street) if r["deals"] else [(None, state.boards)]
        self.seen["splits"] += len(split) > 1
        if r["kind"] == "raise":
            oare, _ = self.step((state.oare, state.win), node, default, hand, seat, 0.0)
            r["phi"] = self.chance(oare, node, default, hand)[0]
            return []
        r["states"] = []
        for cluster, boards in split:
            strength = np.mean([b.ehs[hand.street] for b in boards])
            oare, win = self.step((state.oare, state.win), node, default, hand, seat, strength)
            at, default_at = node, default
            if r["deals"] and self.config.board_nodes:
                at, default_at = (
                    self.child(self.mind.trees, node, cluster),
                    self.child(self.mind.default, default, cluster),
                )
            # reach of a state does not count what the cards were before: it is a share of the state's own boards
            reach = (
                state.reach * (1.0 if state.chance is None else state.chance[slot]) * len(boards) / len(state.boards)
            )
            chance = self.chance(oare, node, default, hand) if hand.actor != seat else None
            p = self.p_win(win, boards, node, default, hand, seat)
            r["states"].append(State(hand, at, default_at, boards, reach, oare, win, p, chance))
        return r["states"]

    # ------------------------------------------------------------ values
    def value(self, state, seat):
        if state.chance is None:
            return max(self.worth(state, slot, seat) for slot in state.results)
        return sum(state.chance[slot] * self.worth(state, slot, seat) for slot in state.results)

    def worth(self, state, slot, seat):
        r, edge = state.results[slot], 2 * state.p - 1
        hand, mine, theirs = r["hand"], r["mine"], r["theirs"]
        if r["kind"] == "fold":
            return r["value"]
        if r["kind"] == "showdown":
            return edge * min(mine, theirs)
        if r["states"] is not None:
            return sum(len(s.boards) * self.value(s, seat) for s in r["states"]) / sum(
                len(s.boards) for s in r["states"]
            )
        if r["phi"] is not None:
            stake = min(mine, 20_000)
            return r["phi"] * theirs + (1 - r["phi"]) * (2 * called(self.config, state.p, r["phi"]) - 1) * stake
        self.seen["cut"] += 1
        if hand.actor != seat:
            return edge * min(mine, theirs)
        call = edge * min(theirs, mine + hand.stacks[seat])
        return max(-mine, call) if hand.call_cost else call


def copy(hand):
    other = Hand.__new__(Hand)
    other.rules, other.row, other.history = hand.rules, hand.row.copy(), list(hand.history)
    return other
