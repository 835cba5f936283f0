"""Habits in plain Python, for the twins: what one opponent did in situations of one kind, read off the actions."""

from collections import defaultdict
from functools import lru_cache

import pytest

from ashe.cards.equity import ehs
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP
from ashe.game.view import BOARD_CARDS, Action

BUCKET_EDGES = (0.125, 0.375, 0.75, 1.25, 2, 4)
SLOTS = {"fold": 0, "call": 1, **{b: 1 + b for b in range(1, 8)}}


def deed(hand, event):
    """fold, call (or check), or the bucket 1-7 of a raise."""
    if event.kind != RAISE:
        return {FOLD: "fold", CALL: "call"}[event.kind]
    pots = (event.to - max(hand.bets)) / (hand.pot + hand.call_cost)
    return 1 + sum(pots > x for x in BUCKET_EDGES)


@lru_cache(100_000)
def situation(history, seat, rules=HEADS_UP):
    """(whose turn, place, what that player faces, whether it raised on this street) after these actions.

    A place is (street, pot): how much each has put in on earlier streets, 0 to 2.
    """
    hand, done = Hand(rules), []
    for event in history:
        done.append((event.seat, hand.street, deed(hand, event)))
        hand.act(Action(event.kind, event.to))
    here = [(who, what) for who, street, what in done if street == hand.street]
    raises = [who for who, what in here if what != "call"]
    before = rules.stack - hand.stacks[hand.actor] - hand.bets[hand.actor]
    place = hand.street, 0 if hand.street == 0 else sum(before > x * rules.big_blind for x in (1, 4))
    if hand.actor == seat:
        answers = [what for who, what in here if who != seat]
        return "own", place, answers[-1] if answers else "nothing", seat in raises
    free = hand.call_cost == 0 or (hand.street == 0 and not raises)
    odds = 0 if free else hand.call_cost / (hand.pot + hand.call_cost)
    return "opponent", place, sum(odds > x for x in (0, 0.2, 0.29, 0.36, 0.42)), hand.actor in raises


def pool(kind):
    """What kinds have in common whose pots are alike; `before` for all before the flop."""
    who, (street, pot), what, raised = kind
    like = pot if street else "before"
    if who == "own":
        return "pool", like, "own", False
    return "pool", like, ("free", "short")[what] if what < 2 else "facing", what > 1 and raised


def all_pots(pool):
    return "all", 0, *pool[2:]


def number(kind):
    """Where the table of `ashe.trees.habits` has it."""
    who, where, what, raised = kind
    if who in ("all", "pool"):
        first = 320 if who == "all" else 300 + (0 if where == "before" else 1 + where) * 5
        return first + {"own": 0, "free": 1, "short": 2, "facing": 3}[what] + raised
    street, pot = where
    place = 0 if street == 0 else 1 + (street - 1) * 3 + pot
    if who == "opponent":
        return (place * 6 + what) * 2 + raised
    return 120 + (place * 9 + {"nothing": 0, **SLOTS}[what]) * 2 + raised


def new_habit():
    return {"f": 0, "sd": 0, "of": 0, "s": 0.0, "next": [0] * 9}


class Habits:
    """Of one half match at one table; `config` is that of an ASHE 2.x."""

    def __init__(self, config):
        self.config, self.visits = config, config.habit_visits
        self.used = config.habit_visits > 0 and config.trees
        self.seen = defaultdict(new_habit)

    def of(self, history, seat):
        """The general, then the special."""
        kind = situation(tuple(history), seat)
        return self.seen[all_pots(pool(kind))], self.seen[pool(kind)], self.seen[kind]

    def rates(self, history, seat, rates):
        """Showdown rate, fold rate, strength, `visits` imagined visits of the street's rates behind the first pool."""
        v = self.visits
        for h in self.of(history, seat):
            showdown, fold = (h["sd"] + v * rates[0]) / (h["f"] + v), (h["of"] + v * rates[1]) / (h["f"] + v)
            # in 2.2 and 2.3 the weakest share `fold` is gone from the showdowns that are imagined
            imagined = (fold + 1) / 2 if self.config.selective and self.config.kind != "ashe2" else rates[2]
            rates = showdown, fold, (h["s"] + v * imagined) / (h["sd"] + v)
        return rates

    def fold_rate(self, history, seat, rate):
        for h in self.of(history, seat):
            rate = (h["of"] + self.visits * rate) / (h["f"] + self.visits)
        return rate

    def next_rates(self, history, seat, rates):
        for h in self.of(history, seat):
            rates = [(n + self.visits * x) / (h["f"] + self.visits) for n, x in zip(h["next"], rates, strict=True)]
        return rates

    def mixed(self, stats, otherwise):
        """A tree node's rates with `prior_visits` imagined visits of `otherwise`; `stats` lists its strengths."""
        v, f = self.config.prior_visits, stats["f"]
        showdown, fold = (stats["sd"] + v * otherwise[0]) / (f + v), (stats["of"] + v * otherwise[1]) / (f + v)
        return showdown, fold, (sum(stats["s"]) + v * otherwise[2]) / (stats["sd"] + v)

    def learn(self, seat, events, shown, board):
        """A hand is over: somebody acted at every situation of it, and nobody in any other."""
        if self.visits == 0:
            return
        folded, hand = events[-1].kind == FOLD and events[-1].seat != seat, Hand()
        for n, event in enumerate(events):
            for h in self.of(events[:n], seat):
                h["f"] += 1
                h["sd"] += shown is not None
                h["of"] += folded
                if shown is not None:
                    h["s"] += ehs(shown, board[: BOARD_CARDS[hand.street]])
                if event.seat != seat:
                    h["next"][SLOTS[deed(hand, event)]] += 1
            hand.act(Action(event.kind, event.to))


def called(config, p, phi):
    """The odds of p, divided by those of the mean strength of the best 1 - phi of the hands."""
    if not config.selective or p == 1:
        return p
    strength = (phi + 1) / 2
    odds = p / (1 - p) * (1 - strength) / strength
    return odds / (1 + odds)


def same_habits(trees, twin):
    """The compiled habits of the only table are the twin's."""
    found = {k - 1: [*trees.counts[k], trees.strength[k]] for k in range(trees.capacity) if trees.counts[k, 0]}
    expected = {number(k): [h["f"], h["sd"], h["of"], h["s"]] for k, h in twin.seen.items() if h["f"]}
    assert found.keys() == expected.keys()
    for k, h in expected.items():
        assert found[k] == pytest.approx(h, abs=1e-3)
    if len(trees.following):
        assert all(trees.following[1 + number(k)].tolist() == h["next"] for k, h in twin.seen.items())
