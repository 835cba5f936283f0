"""Habits: kinds of situations on real hands, what is taken of lines never seen, and when it is forgotten."""

import numpy as np
import pytest
from tests.habits_twin import all_pots, number, pool, situation

from ashe.agents.ashe2 import Ashe2Config, forget, new_mind
from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.ashe22 import Ashe22Config
from ashe.decision.beliefs import action_guess
from ashe.decision.utility import called, counted_fold_guess, utilities
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game import engine as e
from ashe.game.deal import deal
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP, Rules
from ashe.players.registry import make_player
from ashe.trees.features import habit_rates, habit_share, mixed_rates, next_rates, raised_odds, rates
from ashe.trees.habits import (
    GLOBAL,
    KINDS,
    OWN,
    POOLS,
    all_pots_of,
    facing_kind,
    habit_node,
    has_raised,
    kind_of,
    new_habits,
    place_of,
    pool_of,
)
from ashe.trees.prt import new_node, new_trees, update

BLINDS = np.array([50, 100, 0, 20_000, 20_000])
BIG_BLIND, BUTTON = 0, 1  # seats; the button acts first before the flop, the big blind after it


def played(line):
    """The hand after "c" (check or call) and street totals of raises."""
    hand = Hand()
    for action in line.split():
        hand.call() if action == "c" else hand.raise_to(int(action))
    return hand


# ---------------------------------------------------------------- kinds
LIMPED, SMALL, LARGE = 0, 1, 2  # pots before the street


def own(street, answer, raised=False, pot=LARGE):
    """The docstring's table: 0 the opponent has not acted, 1 checked or called, 2-8 raised by bucket 1-7."""
    return 120 + ((1 + (street - 1) * 3 + pot if street else 0) * 9 + answer) * 2 + raised


def opponent(street, odds, raised=False, pot=LARGE):
    """0 nothing to call, 1-5 odds up to .2, .29, .36, .42, more."""
    return ((1 + (street - 1) * 3 + pot if street else 0) * 6 + odds) * 2 + raised


# An open to x is x - 100 chips into the 200 after the call, and offers x - 100 for the 2 x that then lie there.
OPENS = {200: 3, 250: 3, 251: 4, 300: 4, 350: 4, 351: 5, 500: 5, 501: 6, 900: 6, 901: 7, 20_000: 7}
ODDS_OF_OPENS = {200: 2, 238: 2, 239: 3, 300: 3, 357: 3, 358: 4, 400: 4, 625: 4, 626: 5, 20_000: 5}
# A bet x into 2,400 offers x for 2,400 + 2 x.
BETS = {100: 1, 300: 1, 301: 2, 900: 2, 901: 3, 1_800: 3, 1_801: 4, 3_000: 4, 3_001: 5, 4_800: 5, 4_801: 6, 9_601: 7}
ODDS_OF_BETS = {100: 1, 800: 1, 801: 2, 1_657: 2, 1_658: 3, 3_085: 3, 3_086: 4, 6_300: 4, 6_301: 5, 18_800: 5}
CHECKS = {1: "", 2: "c c ", 3: "c c c c "}


@pytest.mark.parametrize(
    ("line", "seat", "kind"),
    [
        # Before the flop: nobody has raised yet, so the blinds count for nothing.
        ("", BUTTON, own(0, 0)),
        ("", BIG_BLIND, opponent(0, 0)),
        ("c", BIG_BLIND, own(0, 1)),
        ("c", BUTTON, opponent(0, 0)),
        *((str(to), BIG_BLIND, own(0, 1 + size)) for to, size in OPENS.items()),
        *((str(to), BUTTON, opponent(0, odds)) for to, odds in ODDS_OF_OPENS.items()),
        # 3-bets and more: 600 more, and 1,200, than the 300 and 900 they raise.
        ("300 900", BUTTON, own(0, 5, raised=True)),
        ("300 900", BIG_BLIND, opponent(0, 3, raised=True)),
        ("300 900 2100", BIG_BLIND, own(0, 4, raised=True)),
        ("300 900 2100", BUTTON, opponent(0, 2, raised=True)),
        ("c 300", BUTTON, own(0, 5)),
        ("c 300", BIG_BLIND, opponent(0, 3)),
        ("c 300 900", BIG_BLIND, own(0, 5, raised=True)),
        ("c 300 900", BUTTON, opponent(0, 3, raised=True)),
        # After the flop, first to act and checked to. Raises of streets before do not count.
        ("300 c", BIG_BLIND, own(1, 0, pot=SMALL)),
        ("300 c", BUTTON, opponent(1, 0, pot=SMALL)),
        ("300 c c", BUTTON, own(1, 1, pot=SMALL)),
        ("300 c c", BIG_BLIND, opponent(1, 0, pot=SMALL)),
        ("300 c 400 c", BIG_BLIND, own(2, 0)),
        ("300 c 400 c c", BIG_BLIND, opponent(2, 0)),
        ("300 c c c c c", BUTTON, opponent(3, 0, pot=SMALL)),
        ("300 c c c c c c", BUTTON, own(3, 1, pot=SMALL)),
        # What the pot was before the street: at most a big blind of each, at most four, more.
        ("c c", BIG_BLIND, own(1, 0, pot=LIMPED)),
        ("c c c 100", BIG_BLIND, own(1, 4, pot=LIMPED)),
        ("400 c c c", BIG_BLIND, own(2, 0, pot=SMALL)),
        ("401 c c c", BIG_BLIND, own(2, 0)),
        ("c c 300 c", BIG_BLIND, own(2, 0, pot=SMALL)),
        ("c c 301 c c 700", BUTTON, opponent(2, 3)),
        *(
            (f"1200 c {CHECKS[street]}{to}", BUTTON, own(street, 1 + size))
            for street in CHECKS
            for to, size in BETS.items()
        ),
        *(
            (f"1200 c {CHECKS[street]}{to}", BIG_BLIND, opponent(street, odds))
            for street in CHECKS
            for to, odds in ODDS_OF_BETS.items()
        ),
        # Raises over a bet: 1,200 into the 3,600 after the call, 17,000 into 6,000.
        ("1200 c 600 1800", BIG_BLIND, own(1, 3, raised=True)),
        ("1200 c 600 1800", BUTTON, opponent(1, 1, raised=True)),
        ("1200 c 600 6000", BUTTON, opponent(1, 4, raised=True)),
        ("1200 c c 600", BIG_BLIND, own(1, 3)),
        ("1200 c c 600", BUTTON, opponent(1, 1)),
        ("1200 c c 600 1800", BUTTON, own(1, 3, raised=True)),
        ("1200 c c 600 1800", BIG_BLIND, opponent(1, 1, raised=True)),
        ("1200 c 600 1800 18800", BUTTON, own(1, 7, raised=True)),
        ("1200 c 600 1800 18800", BIG_BLIND, opponent(1, 5, raised=True)),
    ],
)
def test_kinds_of_played_hands(line, seat, kind):
    hand = played(line)
    assert kind_of(hand.row, 0, seat) == kind
    assert number(situation(tuple(hand.history), seat)) == kind  # the twins' reading of the same hand


@pytest.mark.parametrize("place", range(10))
def test_odds_edges_belong_to_the_lower_class(place):
    classes = {0.0: 0, 0.001: 1, 0.2: 1, 0.2001: 2, 0.29: 2, 0.2901: 3, 0.36: 3, 0.3601: 4, 0.42: 4, 0.4201: 5, 0.5: 5}
    for odds, where in classes.items():
        for raised in (False, True):
            assert facing_kind(place, odds, raised) == (place * 6 + where) * 2 + raised


def random_hands(count, rules=HEADS_UP, seed=3):
    """Hands at every state in which somebody must act; small raises are as likely as large ones."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        hand = Hand(rules)
        while not hand.over:
            yield hand
            low, high = hand.raise_range
            if low and rng.random() < 0.5:
                pots = rng.choice([0.0, 0.1, 0.3, 0.6, 1.0, 1.6, 3.0, 5.0, 100.0])
                hand.raise_to(int(min(max(max(hand.bets) + pots * (hand.pot + hand.call_cost), low), high)))
            else:
                hand.call()


@pytest.mark.parametrize("rules", [HEADS_UP, Rules(stack=1_500), Rules(ante=25, stack=350)])
def test_kinds_do_not_collide(rules):
    """Over random hands: in range, of the right player, one number for one situation; short stacks too."""
    seen = {}
    for hand in random_hands(12_000 if rules == HEADS_UP else 300, rules):
        for seat in (0, 1):
            kind, expected = kind_of(hand.row, 0, seat), situation(tuple(hand.history), seat, rules)
            assert 0 <= kind < POOLS
            assert (kind >= OWN) == (hand.actor == seat)
            assert seen.setdefault(kind, expected) == expected
            assert kind == number(expected)
    assert len(set(seen.values())) == len(seen)
    # What cannot be: a check or silence after a raise of ASHE's (20 kinds), nothing to call after one of the
    # opponent's (10), a first raise before the flop of less than half a pot (2) or at odds up to .2 (1),
    # a first bet into a limped pot of less than half of it (6) or at odds up to .2 (3).
    assert rules != HEADS_UP or len(seen) == POOLS - 42


def test_raises_are_looked_up_where_they_will_be_counted():
    """The kind of a raise that is only thought of is the kind of the state after it."""
    compared = 0
    for hand in random_hands(300):
        low, high = hand.raise_range
        for to in {low, (low + high) // 2, high} - {0}:
            seat = hand.actor
            odds = raised_odds(hand.row, 0, seat, to)
            kind = facing_kind(place_of(hand.row, 0), odds, has_raised(hand.row, 0, 1 - seat))
            row = hand.row.copy()
            e.act(row, 0, e.RAISE, to)
            assert kind == kind_of(row, 0, seat)
            compared += 1
    assert compared > 1_000


def test_tables_and_pools_have_nodes_of_their_own():
    habits, pools = new_habits(3, next_actions=False), set()
    nodes = [habit_node(t, kind) for t in range(3) for kind in range(KINDS)]
    assert nodes == list(range(1, habits.capacity))
    kinds = {kind_of(h.row, 0, s): situation(tuple(h.history), s) for h in random_hands(300) for s in (0, 1)}
    for t in range(3):
        for kind, where in kinds.items():
            node = pool_of(habit_node(t, kind))
            assert node == habit_node(t, number(pool(where)))
            assert all_pots_of(node) == habit_node(t, number(all_pots(pool(where))))
            pools.add(node)
    assert len(pools) == 3 * (GLOBAL - POOLS)
    assert {(node - 1) % KINDS for node in pools} == set(range(POOLS, GLOBAL))
    assert {(all_pots_of(node) - 1) % KINDS for node in pools} == set(range(GLOBAL, KINDS))


# ---------------------------------------------------------------- rates
def settings(**given):
    return Ashe2Config(habit_visits=5.0, **given).settings(BLINDS)


def counted(trees, node, hands, slot=-1):
    """Count (showdown, folded, ehs) hands on the flop at a node; the opponent took the edge `slot`."""
    for showdown, folded, ehs in hands:
        strength = np.array([0, ehs, 0, 0])
        update(trees, np.array([node]), np.array([1]), np.array([slot]), 1, showdown, folded, strength)
    return node


def test_mixed_rates():
    """Two showdowns with .9 and .5 and three folds, with five imagined visits of .6, .2, .3."""
    trees = new_trees(8)
    node = counted(trees, new_node(trees), [(True, False, 0.9), (True, False, 0.5), *[(False, True, 0)] * 3])
    prior = (0.6, 0.2, 0.3)
    assert mixed_rates(trees, 0, 5.0, prior) == prior
    assert mixed_rates(trees, node, 5.0, prior) == pytest.approx((5 / 10, 4 / 10, (1.4 + 1.5) / 7))
    assert mixed_rates(trees, node, 1e9, prior) == pytest.approx(prior)
    assert mixed_rates(trees, node, 1e-9, prior) == pytest.approx((0.4, 0.6, 0.7))


def test_imagined_showdowns_of_a_selective_opponent_are_stronger():
    """The same counts, in 2.2: it folds .4, so that what is left has a mean strength of (1 + .4) / 2 = .7."""
    habits, prior = new_habits(1, next_actions=False), (0.6, 0.2, 0.3)
    habit = counted(habits, 7, [(True, False, 0.9), (True, False, 0.5), *[(False, True, 0)] * 3])
    for plain in (settings(), settings(selective=True), Ashe22Config(habit_visits=5.0).settings(BLINDS)):
        assert habit_rates(plain, habits, habit, prior) == pytest.approx((0.5, 0.4, 2.9 / 7))
    searching = Ashe22Config(habit_visits=5.0, selective=True).settings(BLINDS)
    assert habit_rates(searching, habits, habit, prior) == pytest.approx((0.5, 0.4, (1.4 + 5 * 0.7) / 7))
    assert habit_rates(searching, habits, 8, prior) == pytest.approx((0.6, 0.2, 0.6))  # never seen: the prior folds .2


def test_strengths_shown_anywhere_count_where_none_was_shown():
    """Ten showdowns with .9 in other pots, none in this kind: it is mixed with them, whoever folds."""
    habits, habit = new_habits(1, next_actions=False), habit_node(0, opponent(3, 3))
    counted(habits, all_pots_of(pool_of(habit)), [(True, False, 0.9)] * 10)
    trees, default = new_trees(2), new_trees(2)
    for s in (settings(), settings(selective=True)):
        strength = (9 + 5 * s.defaults[3, 2]) / 15
        assert rates(s, trees, 0, default, 0, habits, habit, 3)[3] == pytest.approx(strength)


def known():
    """The opponent facing a bet on the flop: 10 folds at odds up to .29, 5 folds and 5 showdowns at odds up to .42."""
    habits = new_habits(1, next_actions=True)
    small, large = (habit_node(0, opponent(1, k)) for k in (2, 4))
    assert pool_of(small) == pool_of(large) == habit_node(0, 300 + 15 + 3)
    for node in (small, pool_of(small)):
        counted(habits, node, [(False, True, 0)] * 10, slot=0)
    for node in (large, pool_of(large)):
        counted(habits, node, [(False, True, 0)] * 5, slot=0)
        counted(habits, node, [(True, False, 0.8)] * 5, slot=1)
    return habits, small, large


def test_a_size_never_faced_is_met_as_others_were():
    """The pool: 15 of 20 folded. With five visits of .5 behind it 17.5 of 25, .7; that is what lies behind a habit."""
    habits, small, large = known()
    s, folds, unseen = settings(), habits.counts[:, 2], habit_node(0, opponent(1, 3))
    assert habit_share(s, folds, habits, small, 0.5) == pytest.approx((10 + 5 * 0.7) / 15)
    assert habit_share(s, folds, habits, large, 0.5) == pytest.approx((5 + 5 * 0.7) / 15)
    assert habit_share(s, folds, habits, unseen, 0.5) == pytest.approx(0.7)
    elsewhere = habit_node(0, opponent(2, 1))
    assert habit_share(s, folds, habits, elsewhere, 0.5) == 0.5
    # Raises: the prior at odds of .25 on the flop is .25 * 1.6 = .4, so the pool says 17 of 25; a node's own ten visits
    # push it aside.
    trees, default = new_trees(8, next_actions=True), new_trees(2, next_actions=True)
    guess = counted_fold_guess(s, trees, 0, default, 0, habits, small, 0.25, 1)
    assert guess == pytest.approx((10 + 5 * 0.68) / 15)
    node = counted(trees, new_node(trees), [(False, False, 0)] * 5)
    assert counted_fold_guess(s, trees, node, default, 0, habits, small, 0.25, 1) == pytest.approx(guess / 2)
    for off in (settings(trees=False), Ashe2Config().settings(BLINDS)):
        assert counted_fold_guess(off, trees, 0, default, 0, habits, small, 0.25, 1) == pytest.approx(0.4)


def test_a_pot_never_seen_is_met_as_others_were():
    """15 folds to bets anywhere, none of them in a limped pot: 15 and five visits of .5 make .875 there."""
    habits, _, large = known()
    counted(habits, all_pots_of(pool_of(large)), [(False, True, 0)] * 15, slot=0)
    s, folds = settings(), habits.counts[:, 2]
    assert habit_share(s, folds, habits, habit_node(0, opponent(1, 3, pot=LIMPED)), 0.5) == pytest.approx(0.875)
    assert (
        habit_share(s, folds, habits, habit_node(0, opponent(1, 1, pot=LIMPED)), 0.5) == 0.5
    )  # all-ins for little: another pool


def test_rates_of_a_line_never_seen_are_those_of_its_habit():
    habits, small, _ = known()
    trees, default = new_trees(8, next_actions=True), new_trees(2, next_actions=True)
    s = settings()
    prior = s.defaults[1]
    behind = ((5 + 5 * prior[0]) / 25, (15 + 5 * prior[1]) / 25, (4 + 5 * prior[2]) / 10)
    expected = (behind[0] / 3, (10 + 5 * behind[1]) / 15, behind[2])
    assert rates(s, trees, 0, default, 0, habits, small, 1) == pytest.approx((0, *expected))
    node = counted(trees, new_node(trees), [(True, False, 0.9)] * 2)  # fewer than reliable, and yet they count
    mixed = ((2 + 10 * expected[0]) / 12, 10 * expected[1] / 12, (1.8 + 10 * expected[2]) / 12)
    assert rates(s, trees, node, default, 0, habits, small, 1) == pytest.approx((2, *mixed))
    # A reliable default node takes the place of the street's defaults; an unreliable one says nothing.
    both = s._replace(use_default=1)
    assert rates(both, trees, node, default, 0, habits, small, 1) == pytest.approx((2, *mixed))
    default_node = counted(default, new_node(default), [(True, False, 0.5)] * 10)
    lifted = rates(both, trees, node, default, default_node, habits, small, 1)
    assert lifted[1] > mixed[0]
    assert lifted[2] < mixed[1]
    plain = Ashe2Config()
    for off in (settings(trees=False), plain.settings(BLINDS)):
        assert rates(off, trees, node, default, 0, habits, small, 1)[1:] == pytest.approx(prior)


def test_next_actions_of_a_habit():
    """Facing a bet that offers .375 on the flop it folded 5 times of 10, facing any 15 of 20, else it called."""
    habits, _, large = known()
    trees, default, out = new_trees(8, next_actions=True), new_trees(2, next_actions=True), np.zeros(9)
    s = settings()
    next_rates(s, trees, 0, default, 0, habits, large, 1, True, out)
    general = s.next_defaults[1]
    assert out[0] == pytest.approx((5 + 5 * (15 + 5 * general[0]) / 25) / 15)
    assert out[1] == pytest.approx((5 + 5 * (5 + 5 * general[1]) / 25) / 15)
    assert out[2:] == pytest.approx(general[2:] / 15)
    assert out.sum() == pytest.approx(1, abs=1e-3)
    next_rates(s, trees, 0, default, 0, habits, large, 1, False, out)
    assert not out.any()
    # OARE's first guess: facing a bet it is taken to fold .6; illegal actions stay impossible.
    legal, guess = np.array([True] * 5 + [False] * 4), np.zeros(9)
    action_guess(s, trees, 0, default, 0, habits, large, 0.375, 1, legal, guess)
    assert guess[0] == pytest.approx((5 + 5 * (15 + 5 * 0.6) / 25) / 15)
    assert (guess[5:] == 0).all()
    calls = 0.4 * general[1] / general[1:5].sum()
    assert guess[1] == pytest.approx((5 + 5 * (5 + 5 * calls) / 25) / 15)


# ---------------------------------------------------------------- callers
def test_called():
    """p .6 and half of the hands folded: those that call have a mean strength of .75, so 3:2 becomes 1:2."""
    assert called(0.6, 0.5, 1) == pytest.approx(0.3 / (0.3 + 0.4 * 1.5))
    assert called(0.6, 0.5, 1) == pytest.approx(1 / 3)
    for p in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert called(p, 0.7, 0) == p  # as printed
        assert called(p, 0.0, 1) == pytest.approx(p)  # nobody folded
    for p in (0.1, 0.5, 0.9):
        assert called(p, 1 - 1e-9, 1) == pytest.approx(0, abs=1e-7)
        fewer = [called(p, phi, 1) for phi in np.linspace(0, 1, 21)]
        assert (np.diff(fewer) < 0).all()
        assert fewer[-1] == 0
    for phi in (0.0, 0.3, 0.9):
        assert (np.diff([called(p, phi, 1) for p in np.linspace(0, 1, 21)]) > 0).all()
        assert (called(0.0, phi, 1), called(1.0, phi, 1)) == (0, 1)


def test_the_nuts_against_one_who_always_folds():
    """Odds of infinity times nothing: whatever a call would be worth, the raise wins what the opponent has put in."""
    assert 0 <= called(1.0, 1.0, 1) <= 1
    u = np.zeros(7)
    utilities(1.0, np.ones(5), np.array([200, 0, 0, 0, 20_000]), 50, 100, 50, 19_950, 50, 19_900, 1, u)
    assert u[[2, 6]].tolist() == [100, 100]


# ---------------------------------------------------------------- forgetting
def test_habits_are_forgotten_between_half_matches():
    mind = new_mind(2, 64, next_actions=True)
    for t in range(2):
        counted(mind.habits, habit_node(t, KINDS - 1), [(True, False, 0.5)], slot=1)
    forget(mind)
    assert not any(counts.any() for counts in (mind.habits.counts, mind.habits.strength, mind.habits.following))
    # A player that has played plays the same half match again as if it had not.
    config = Ashe2Config(blocks=2, size=3, hidden=4, head="odds", habit_visits=5.0, selective=True)
    player = Ashe2Player("hero", config, config.spec.sample(1, 1)[0] * 4)
    won, counts = [], []
    for opponent_name in ("CS", "LA", "CS"):
        tables = Tables((player, make_player(opponent_name)), deal(7, 0, 30), [HalfMatch(0, 0, 0, 30)], 7)
        tables.run()
        won.append(tables.won.tolist())
        counts.append(player.mind.habits.counts.copy())
    assert won[0] == won[2] != won[1]
    assert (counts[0] == counts[2]).all()
    assert counts[0][1:].any(axis=1).sum() > 10
