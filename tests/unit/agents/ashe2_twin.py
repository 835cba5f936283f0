"""A slow obvious ASHE 2.0 and 2.1: plain dictionaries, everything recomputed at every decision, double precision."""

from collections import defaultdict

import numpy as np
import pytest
from tests.estimator_twin import EstimatorTwin, logistic
from tests.habits_twin import Habits, called

from ashe.agents.ashe2_player import Ashe2Player
from ashe.cards.clusters import CENTROIDS
from ashe.cards.equity import ehs
from ashe.cards.random import derive_key
from ashe.cards.texture import texture
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game import engine as e
from ashe.game.deal import deal
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.view import BOARD_CARDS, Action
from ashe.players.registry import make_player
from ashe.trees.defaults import street_defaults

SEED, GENERATION = 5, 2


def log_odds(p):
    return np.log(max(p, 1e-6)) - np.log(max(1 - p, 1e-6))


def win_guess(own_ehs, opponents_strength, cards):
    return 1 / (1 + np.exp(log_odds(opponents_strength) - log_odds(own_ehs) * cards / 5))


def with_log_odds(guess, a, least):
    return 1 / (1 + np.exp(-log_odds(min(max(guess, least), 1 - least)) - log_odds(a)))


def genome_of(config, seed):
    """Strong weights, so that outputs differ from one node to the next."""
    return config.spec.sample(seed, 1)[0] * 4


def tables_of(player, opponent, hands, halves=(0,)):
    """The half matches that a training evaluator plays in this generation, by the machinery of matches."""
    cards = deal(SEED, GENERATION * hands, hands, stream="training decks")
    tables = Tables((player, make_player(opponent)), cards, [HalfMatch(0, half, 0, hands) for half in halves], SEED)
    tables.style_keys[:] = np.uint64(derive_key(SEED, "style", GENERATION, opponent))
    return tables


class TwinEstimator(EstimatorTwin):
    """SWRE or OFRE."""

    def output(self, rows):
        """After one step per row, from the initial state."""
        if not self.config.lstm_state:
            rows = rows[-1:]
        state = self.start()
        for x in rows:
            state = self.step(state, np.array(x, float))
        return logistic(self.answer(state)[0])


def new_stats():
    return {"f": 0, "sd": 0, "of": 0, "s": []}


def derived(stats, otherwise):
    """A node's rates; `otherwise` has the strength where there was no showdown."""
    return stats["sd"] / stats["f"], stats["of"] / stats["f"], np.mean(stats["s"]) if stats["s"] else otherwise[2]


class Twin:
    """One table, one opponent: plain dictionaries and lists, everything recomputed at every decision."""

    def __init__(self, config, genome, default=None):
        self.config, self.default = config, default  # default: like `tree`, only read
        self.swre, self.ofre = TwinEstimator(config, genome, "swre"), TwinEstimator(config, genome, "ofre")
        self.tree = defaultdict(new_stats)  # (seat, edge, edge, ...) -> stats
        self.habits = Habits(config)

    def edge(self, hand, seat, kind, to):
        if kind == FOLD:
            return "fold"
        if kind == CALL:
            return "call"
        if hand.actor == seat:
            if to == hand.bets[seat] + hand.stacks[seat]:
                return "all-in"
            pots = (to - max(hand.bets)) / (hand.pot + hand.call_cost)
            return min((0.5, 1.0, 1.5, 2.0), key=lambda x: abs(x - pots))
        pots = (to - max(hand.bets)) / (hand.pot + hand.call_cost)
        return "b" + str(sum(pots > x for x in (0.125, 0.375, 0.75, 1.25, 2, 4)) + 1)

    def walk(self, seat, events, board):
        """The path of a hand: (node, hand there) for the root and every action that does not end it; where it goes on.

        After a call that brings cards it goes on from the node of the board's cluster.
        """
        hand, after = Hand(), (seat,)
        path = [(after, self.copy(hand))]
        for event in events:
            node, street = (*after, self.edge(hand, seat, event.kind, event.to)), hand.street
            hand.act(Action(event.kind, event.to))
            if not hand.over:
                path.append((node, self.copy(hand)))
                after = node
                if self.config.board_nodes and hand.street > street:
                    after = (*node, self.cluster(board[: BOARD_CARDS[hand.street]]))
        return path, hand, after

    def cluster(self, board):
        centres = CENTROIDS[("", "flop", "turn", "river")[len(board) - 2]]
        return f"board {((centres - np.array(texture(board))) ** 2).sum(axis=1).argmin()}"

    def copy(self, hand):
        other = Hand()
        other.row, other.history = hand.row.copy(), list(hand.history)
        return other

    def features(self, node, hand, seat, strength):
        stats = self.tree[node] if self.config.trees else new_stats()
        showdown, fold, s = self.rates(node, stats, hand, seat)
        confidence = min(1, stats["f"] / self.config.lambdas[hand.street])
        odds = hand.call_cost / (hand.pot + hand.call_cost)
        own, other = 20_000 - hand.stacks[seat], 20_000 - hand.stacks[1 - seat]
        raises = int(hand.row[0, e.N_BET]) - (hand.street == 0)
        return [
            showdown, fold, s, confidence, *np.eye(4)[hand.street], strength, odds, own / 20_000, other / 20_000,
            min(1, raises / 4), seat,
        ]  # fmt: skip

    def rates(self, node, stats, hand, seat):
        """Showdown rate, fold rate, strength: spec, section 6's v = (f/lambda) v_R + (1 - f/lambda) v_D.

        With habits: the street's defaults or a reliable default node, then the habits, then the node's own visits.
        """
        street = hand.street
        by_street = street_defaults(self.config.street_defaults)[street]
        if self.habits.used:
            known = new_stats() if self.default is None else self.default.get(node, new_stats())
            general = derived(known, by_street) if known["f"] > self.config.reliable else by_street
            return self.habits.mixed(stats, self.habits.rates(hand.history, seat, general))
        if self.default is None or not self.config.trees:
            return derived(stats, by_street) if stats["f"] > self.config.reliable else by_street
        known = self.default.get(node, new_stats())
        v_d = derived(known, by_street) if known["f"] > self.config.reliable else by_street
        if max(stats["f"], known["f"]) <= self.config.reliable or stats["f"] == 0:
            return v_d
        share = min(1, stats["f"] / self.config.lambdas[street])
        return share * np.array(derived(stats, v_d)) + (1 - share) * np.array(v_d)

    def utilities(self, view):
        """{(kind, to): utility}."""
        seat = view.seat
        path, hand, at = self.walk(seat, view.history, view.board)
        strengths = [ehs(view.hole, view.board[: BOARD_CARDS[h.street]]) for _, h in path]
        rows = [self.features(node, h, seat, s) for (node, h), s in zip(path, strengths, strict=True)]
        a = self.swre.output(rows)
        p = {
            "direct": lambda: a,
            "modulated": lambda: strengths[-1] ** (1 / a),
            "odds": lambda: with_log_odds(win_guess(strengths[-1], rows[-1][2], len(view.board)), a, 0.02),
        }[self.config.head]()
        own, other = 20_000 - hand.stacks[seat], 20_000 - hand.stacks[1 - seat]
        u = {(CALL, 0): (2 * p - 1) * min(other, own + hand.stacks[seat])}
        if view.call_cost:
            u[FOLD, 0] = -own
        low, high = hand.raise_range
        war = view.call_cost and view.n_bet >= (3 if view.button else 4)
        wishes = [] if war else [int(view.bet + x * (view.pot + view.call_cost) + 0.5) for x in (0.5, 1, 1.5, 2)]
        for to in [w for w in wishes if low <= w < high] + [high] * (low > 0):
            after = self.copy(hand)
            node = (*at, self.edge(hand, seat, RAISE, to))
            after.raise_to(to)
            phi = self.fold_probability(rows, node, after, seat)
            stake = min(own + to - hand.bets[seat], 20_000)
            u[RAISE, to] = phi * other + (1 - phi) * (2 * called(self.config, p, phi) - 1) * stake
        return u

    def fold_probability(self, rows, node, after, seat):
        stats = self.tree[node] if self.config.trees else new_stats()
        odds = after.call_cost / (after.pot + after.call_cost)
        prior = odds * (1 + BOARD_CARDS[after.street] / 5)
        if self.default is not None and self.default.get(node, new_stats())["f"] > self.config.reliable:
            prior = self.default[node]["of"] / self.default[node]["f"]
        if self.habits.used:
            prior = self.habits.fold_rate(after.history, seat, min(prior, 1))
        share = min(1, stats["f"] / self.config.prior_visits)
        guess = share * stats["of"] / max(stats["f"], 1) + (1 - share) * prior
        if not self.config.ofre:
            return guess
        ahead = [*rows, self.features(node, after, seat, 0.0)]
        a = self.ofre.output([[*row[:8], *row[9:]] for row in ahead])
        return {"direct": a, "modulated": guess**a, "odds": with_log_odds(guess, a, 0.05)}[self.config.head]

    def learn(self, seat, events, shown, board):
        path, hand, _ = self.walk(seat, events, board)
        folded = shown is None and (int(hand.row[0, e.LIVE]) >> seat) & 1
        for node, there in path:
            stats = self.tree[node]
            stats["f"] += 1
            stats["sd"] += shown is not None
            stats["of"] += folded
            if shown is not None:
                stats["s"].append(ehs(shown, board[: BOARD_CARDS[there.street]]))
        self.habits.learn(seat, events, shown, board)


class Checked(Ashe2Player):
    """Asks the twin at every decision. Single and double precision may choose differently between equal utilities."""

    def attach(self, twin, source):
        self.twin, self.source, self.kinds, self.ties, self.decisions = twin, source, [], 0, 0

    def act(self, decisions):
        kinds, totals = super().act(decisions)
        u = self.twin.utilities(decisions.view(0))
        chosen, expected = (int(kinds[0]), int(totals[0])), max(u.values())
        if u[chosen] != expected:
            self.ties += 1
            assert u[chosen] == pytest.approx(expected, rel=1e-4, abs=1e-2)
        self.decisions += 1
        self.kinds.append(chosen[0])
        return kinds, totals

    def hand_over(self, finished):
        super().hand_over(finished)
        result = finished.result(0)
        self.twin.learn(result.seat, self.source.events(0), result.shown, result.board)


SLOTS = {"fold": 0, "call": 1, 0.5: 2, 1.0: 3, 1.5: 4, 2.0: 5, "all-in": 6, **{f"b{i}": 1 + i for i in range(1, 8)},
         **{f"board {i}": i for i in range(7)}}  # fmt: skip


def stats_of(trees, roots):
    """{(seat, slot, slot, ...): [f, c_sd, c_of, sum of s]} of the compiled trees with these roots [2]."""
    out = {}

    def visit(node, path):
        if trees.counts[node, 0]:
            out[path] = [*trees.counts[node].tolist(), float(trees.strength[node])]
        for slot, child in enumerate(trees.child[node]):
            if child:
                visit(child, (*path, slot))

    for seat, root in enumerate(roots):
        visit(root, (seat,))
    return out


def stats_of_twin(twin):
    return {
        (path[0], *(SLOTS[edge] for edge in path[1:])): [s["f"], s["sd"], s["of"], sum(s["s"])]
        for path, s in twin.tree.items()
        if s["f"]
    }
