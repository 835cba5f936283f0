"""ASHE 2.0's decision (D 5.2): the action of highest expected utility (spec, section 5).

With b_own and b_opp chips committed in this hand, p the probability of winning a showdown (SWRE) and phi the
probability that the opponent folds to the raise (OFRE):

    U(fold)         = -b_own
    U(check, call)  = (2p - 1) * matched                  matched: b_opp, less where an all-in call is short
    U(raise to B)   = phi * b_opp + (1 - phi) * (2p - 1) * min(B, all chips of the opponent)

Own raises are 0.5, 1, 1.5 and 2 pots and all-in, as far as they are legal and distinct. Facing a 4-bet or more as big
blind, or a 3-bet or more as button (n-bets of the current street; before the flop the big blind is the first), only
fold, call and all-in are considered. Of equal utilities the first in the order fold, call, smallest raise wins.

*Heads*: `direct` takes the estimators' outputs a in (0, 1) as p and phi. `modulated` (the author's 2017 prototype)
bends a sound first guess: p = EHS ** (1 / a), phi = base ** a, where base is the fold rate seen at the raise's node,
mixed for few visits with the prior odds * (1 + cards on the board / 5), odds being what the raise offers. `odds`
(ours) bends such guesses both ways: a / (1 - a) is a likelihood ratio, by which the odds of a guess are multiplied; an
output of 1/2 leaves it alone. The guess of a win (`win_guess`) has the odds of EHS, drawn towards even by the cards to
come and divided by those of the opponent's mean strength at showdowns from here. Guesses are kept away from 0 and 1, so
that an estimator can overrule even what has happened every time.
"""

import numpy as np

from ashe.jit import njit
from ashe.trees.edges import ALL_IN, CALLS, FIRST_RAISE, FOLDS, OWN_RAISES, OWN_SIZES
from ashe.trees.features import habit_share
from ashe.trees.prt import FOLDS_LATER, VISITS

ACTIONS = FIRST_RAISE + OWN_RAISES  # fold, call, five raises: the own edges of a tree
HEADS = {"direct": 0, "modulated": 1, "odds": 2}
SMALLEST = 1e-6  # an estimator's output may underflow to 0
SUREST_WIN, SUREST_FOLD = 0.02, 0.05


@njit(counted=False)
def restricted(n_bet, call, button):
    """Whether the raising war is so far on that only fold, call and all-in are left."""
    return call > 0 and n_bet >= (3 if button else 4)


@njit(counted=False)
def own_raises(bet, pot, call, low, high, war, to):
    """Street totals of the five own raises into `to` [5], 0 for those not to be had; returns how many there are.

    `low` and `high` are the legal range (0 when raising is illegal); `war` leaves all-in alone.
    """
    count = 0
    for i in range(OWN_RAISES):
        to[i] = 0
    if low == 0:
        return 0
    for i in range(OWN_RAISES - 1):
        total = int(bet + OWN_SIZES[i] * (pot + call) + 0.5)
        if not war and low <= total < high:
            to[i] = total
            count += 1
    to[OWN_RAISES - 1] = high
    return count + 1


@njit(counted=False)
def weighed(guess, a, least):
    """The probability whose odds are those of `guess` times a / (1 - a)."""
    a = min(max(a, SMALLEST), 1.0 - SMALLEST)
    guess = min(max(guess, least), 1.0 - least)
    return guess * a / (guess * a + (1.0 - guess) * (1.0 - a))


@njit(counted=False)
def win_guess(ehs, strength, street):
    """The odds of EHS to the power (board cards / 5), divided by those of the opponent's mean strength at showdowns."""
    cards = 0 if street == 0 else street + 2
    won = max(ehs, SMALLEST) ** (cards / 5.0)
    lost = max(1.0 - ehs, SMALLEST) ** (cards / 5.0)
    return won * (1.0 - strength) / (won * (1.0 - strength) + lost * strength)


@njit(counted=False)
def win_probability(head, a, ehs, strength, street):
    """p from SWRE's output."""
    if head == 2:
        return weighed(win_guess(ehs, strength, street), a, SUREST_WIN)
    return a if head == 0 else ehs ** (1.0 / max(a, SMALLEST))


@njit(counted=False)
def fold_prior(odds, street):
    """How often an unknown opponent is taken to fold to a raise that offers these odds."""
    cards = 0 if street == 0 else street + 2
    return min(odds * (1.0 + cards / 5.0), 1.0)


@njit(counted=False)
def fold_guess(visits, fold_rate, prior, prior_visits):
    """What counts alone say of the opponent's folding to a raise: the seen rate, mixed with a prior for few visits."""
    share = min(visits / prior_visits, 1.0)
    return share * fold_rate + (1.0 - share) * prior


@njit(counted=False)
def counted_fold_guess(s, trees, node, default, default_node, habits, habit, odds, street):
    """The same of a tree node; a reliable default node stands in for the prior, with which habits are mixed. `s` holds
    the agent's choices."""
    prior = fold_prior(odds, street)
    if s.use_trees == 0:
        return prior
    if s.use_default == 1 and default.counts[default_node, VISITS] > s.reliable:
        prior = default.counts[default_node, FOLDS_LATER] / default.counts[default_node, VISITS]
    if s.habit_visits > 0.0:
        prior = habit_share(s, habits.counts[:, FOLDS_LATER], habits, habit, prior)
    f = np.int64(trees.counts[node, VISITS])
    seen_rate = trees.counts[node, FOLDS_LATER] / f if f > 0 else 0.0
    return fold_guess(f, seen_rate, prior, s.prior_visits)


@njit(counted=False)
def fold_probability(head, a, guess):
    """phi from OFRE's output."""
    if head == 2:
        return weighed(guess, a, SUREST_FOLD)
    return a if head == 0 else guess**a


@njit(counted=False)
def called(p, phi, selective):
    """The probability of winning once the opponent did not fold.

    As printed it is p. A `selective` opponent folds the weakest share phi of its hands, so that the mean strength of
    the rest is (1 + phi) / 2: the odds of p are divided by those of it.
    """
    if selective == 0:
        return p
    won, lost = p * (1.0 - phi), (1.0 - p) * (1.0 + phi)
    return won / (won + lost) if won + lost > 0.0 else p


@njit(counted=False)
def utilities(p, phi, to, own, opponent, call, own_stack, own_bet, opponent_stack, selective, u):
    """Utilities of fold, call and the raises `to` into `u` [7], -inf for what is not to be had.

    `selective` as of `called`; `own` and `opponent` are chips committed in this hand, `own_bet` those of this street,
    stacks what is behind.
    """
    edge = 2.0 * p - 1.0
    u[FOLDS] = -np.float64(own) if call > 0 else -np.inf
    u[CALLS] = edge * min(opponent, own + own_stack)
    for i in range(OWN_RAISES):
        if to[i] == 0:
            u[FIRST_RAISE + i] = -np.inf
        else:
            stake = min(own + to[i] - own_bet, opponent + opponent_stack)
            u[FIRST_RAISE + i] = phi[i] * opponent + (1.0 - phi[i]) * (2.0 * called(p, phi[i], selective) - 1.0) * stake


@njit(counted=False)
def best(u):
    """The first of the highest utilities."""
    choice = CALLS
    if u[FOLDS] >= u[CALLS]:
        choice = FOLDS
    for k in range(FIRST_RAISE, ALL_IN + 1):
        if u[k] > u[choice]:
            choice = k
    return choice
