"""From what estimators answer to probabilities: the opponent's next action (OARE) and the showdown (SWRE, HRE).

*Heads* as in `utility`: `direct` takes a softmax (or sigmoid) as it comes; `modulated` and `odds` bend a sound first
guess, so that even a random network plays sensibly: the softmax is over log(guess) + output.

The guess of the next action is what the trees counted at the node, mixed with `prior_visits` imagined visits that
acted as a reliable default node says, or else as opponents on that street do, except that facing a bet they fold with
`utility.fold_prior`; with habits (`trees.habits`) the latter is mixed with what this opponent does in such
situations. The guess of the hand range has the mean that the opponent showed at showdowns from the node
(`range_guess`); SWRE's guess is that of `utility`, at each run-out.
"""

import math

import numpy as np

from ashe.decision.hand_range import HANDS, INTERVALS, LOWER, UPPER
from ashe.decision.utility import SUREST_WIN, fold_prior, weighed, win_guess, win_probability
from ashe.game.engine import ACTOR, BET, BETS, POT, STACKS, raise_range
from ashe.jit import njit
from ashe.trees.edges import BUCKETS, CALLS, FIRST_RAISE, FOLDS, SLOTS, bucket
from ashe.trees.features import habit_share
from ashe.trees.prt import VISITS

# An opponent's raise is taken to have the size in the middle of its bucket (spec, section 7), in pots.
MIDDLES = np.array([0.0625, 0.25, 0.5625, 1.0, 1.625, 3.0, 6.0])
LEAST = 0.01  # no legal action is impossible to a guess


@njit(counted=False)
def masked_softmax(logits, legal, p):
    """p: softmax of `logits` over what is legal, 0 elsewhere."""
    top = -np.inf
    for k in range(p.shape[0]):
        if legal[k]:
            top = max(top, np.float64(logits[k]))
    total = 0.0
    for k in range(p.shape[0]):
        p[k] = math.exp(np.float64(logits[k]) - top) if legal[k] else 0.0
        total += p[k]
    for k in range(p.shape[0]):
        p[k] /= total


@njit(counted=False)
def raise_buckets(S, t):
    """(first, last) bucket that a legal raise at table `t` may fall into, the raise range; last < first: none."""
    low, high = raise_range(S, t)
    if low == 0:
        return 0, -1, 0, 0
    actor, bet = S[t, ACTOR], S[t, BET]
    pot = S[t, POT] + min(bet - S[t, BETS + actor], S[t, STACKS + actor])
    return bucket(low - bet, pot), bucket(high - bet, pot), low, high


@njit(counted=False)
def bucket_raise(S, t, i, low, high):
    """Street total of an opponent's raise in bucket i, clipped to what is legal."""
    actor, bet = S[t, ACTOR], S[t, BET]
    pot = S[t, POT] + min(bet - S[t, BETS + actor], S[t, STACKS + actor])
    return min(max(int(bet + MIDDLES[i] * pot + 0.5), low), high)


@njit(counted=False)
def legal_actions(S, t, legal):
    """Which of the nine edges the opponent, who is to act at table `t`, may take."""
    actor = S[t, ACTOR]
    first, last, _, _ = raise_buckets(S, t)
    legal[FOLDS] = S[t, BET] > S[t, BETS + actor]
    legal[CALLS] = True
    for i in range(BUCKETS):
        legal[FIRST_RAISE + i] = first <= i <= last


@njit(counted=False)
def action_guess(s, trees, node, default, default_node, habits, habit, odds, street, legal, guess):
    """The first guess of the opponent's next action into `guess` [9]; legal actions get at least `LEAST`."""
    f, default_f = np.int64(0), np.int64(0)
    if s.use_trees == 1:
        f = np.int64(trees.counts[node, VISITS])
        if s.use_default == 1 and default.counts[default_node, VISITS] > s.reliable:
            default_f = np.int64(default.counts[default_node, VISITS])
    others = 0.0
    for k in range(1, SLOTS):
        if legal[k]:
            others += s.next_defaults[street, k]
    fold = fold_prior(odds, street) if legal[FOLDS] else 0.0
    for k in range(SLOTS):
        prior = 0.0
        if default_f > 0:
            prior = default.following[default_node, k] / default_f
        elif k == FOLDS:
            prior = fold
        elif legal[k]:
            prior = (1.0 - fold) * s.next_defaults[street, k] / others
        if s.use_trees == 1 and s.habit_visits > 0.0:
            prior = habit_share(s, habits.following[:, k], habits, habit, prior)
        seen = trees.following[node, k] if f > 0 else 0
        guess[k] = max((seen + s.prior_visits * prior) / (f + s.prior_visits), LEAST) if legal[k] else 0.0


@njit(counted=False)
def action_probabilities(head, outputs, guess, legal, logits, p):
    """pi(a): OARE's nine linear outputs to probabilities `p`; `logits` [9] is working memory."""
    for k in range(SLOTS):
        logits[k] = np.float64(outputs[k])
        if head > 0 and legal[k]:
            logits[k] += math.log(guess[k])
    masked_softmax(logits, legal, p)


@njit(counted=False)
def range_guess(strength, i):
    """First guess of interval i's probability, from the opponent's mean strength at showdowns.

    Its hand has the share x of hands below it with density proportional to x ** (k - 1), or (1 - x) ** (k - 1) for
    strengths below 1/2, k such that the mean of x is the strength: uniform for 1/2.
    """
    strength = min(max(strength, SUREST_WIN), 1.0 - SUREST_WIN)
    high, low = 1.0 - LOWER[i] / HANDS, 1.0 - UPPER[i] / HANDS
    if strength >= 0.5:
        k = strength / (1.0 - strength)
        return high**k - low**k
    k = (1.0 - strength) / strength
    return (1.0 - low) ** k - (1.0 - high) ** k


@njit(counted=False)
def range_probabilities(head, outputs, strength, p):
    """p_i: HRE's nine linear outputs to the probabilities of the intervals."""
    top = -np.inf
    for i in range(INTERVALS):
        guess = max(range_guess(strength, i), LEAST / INTERVALS) if head > 0 else 1.0
        p[i] = np.float64(outputs[i]) + math.log(guess)
        top = max(top, p[i])
    total = 0.0
    for i in range(INTERVALS):
        p[i] = math.exp(p[i] - top)
        total += p[i]
    for i in range(INTERVALS):
        p[i] /= total


@njit(counted=False)
def mean_win_probability(head, a, samples, street, strength):
    """p_win from SWRE's output, averaged over run-outs (rows of `RunOuts.sample`).

    The `odds` head guesses from EHS at the river of each run-out, `modulated` from EHS on the current street.
    """
    if head == 0:
        return a
    total = 0.0
    for i in range(samples.shape[0]):
        if head == 2:
            total += weighed(win_guess(np.float64(samples[i, 3]), strength, 3), a, SUREST_WIN)
        else:
            total += win_probability(head, a, np.float64(samples[i, street]), strength, street)
    return total / samples.shape[0]
