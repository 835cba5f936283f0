"""What an estimator reads of a tree node and the game state there, all in [0, 1] (spec, section 5).

| # | feature | SWRE, HRE | OFRE | OARE |
|---|---|---|---|---|
| 0 | showdown rate c_sd / f | 0 | 0 | 0 |
| 1 | eventual fold rate c_of / f | 1 | 1 | - |
| 2 | showdown strength s | 2 | 2 | 1 |
| 3 | confidence min(f / lambda of the street, 1) | 3 | 3 | 2 |
| 4-7 | street, one-hot | 4-7 | 4-7 | 3-6 |
| 8 | EHS | 8 | - | - |
| 9 | pot odds given to the player to act | 9 | 8 | 7 |
| 10, 11 | own, opponent's chips in this hand / stack | 10, 11 | 9, 10 | 8, 9 |
| 12 | raises of this street / 4, at most 1 (the big blind is none) | 12 | 11 | 10 |
| 13 | on the button | 13 | 12 | 11 |
| 14-22 | what the opponent did next / f: fold, check or call, buckets 1-7 | - | - | 12-20 |

The columns give the estimator's input that reads the feature. A node's features are rows of the table above, 14 wide,
or 23 where the trees count next actions (`next_rates` fills the others); `inputs_of` picks an estimator's. A node with
f <= `reliable` visits has the street's default rates in 0, 1 and 2 (`defaults`); so has feature 2 of a node that never
saw a showdown. Confidence always tells the true f.
With default trees rates are a mixture (`blended_rates`).
"""

import numpy as np

from ashe.errors import UserError
from ashe.game.engine import ACTOR, BET, BETS, N_BET, POT, STACKS, STREET, TOTALS
from ashe.jit import njit
from ashe.trees.edges import SLOTS
from ashe.trees.habits import all_pots_of, pool_of
from ashe.trees.prt import FOLDS_LATER, NONE, SHOWDOWNS, VISITS

ROW = 14  # without next actions
WIDE_ROW = 23
SD_RATE, FOLD_RATE, STRENGTH, CONFIDENCE, STREET_0, EHS, ODDS, OWN, OPPONENT, RAISES, BUTTON = (
    0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13,
)  # fmt: skip
NEXT = 14

_INPUTS = {
    "swre": tuple(range(ROW)),
    "hre": tuple(range(ROW)),
    "ofre": tuple(k for k in range(ROW) if k != EHS),
    "oare": tuple(k for k in range(23) if k not in (FOLD_RATE, EHS)),
}


def inputs_of(estimator: str) -> tuple[int, ...]:
    """Numbers of the features that an estimator reads, in order."""
    if estimator not in _INPUTS:
        raise UserError(f"no estimator {estimator!r}; there are: {', '.join(_INPUTS)}")
    return _INPUTS[estimator]


@njit(counted=False)
def node_rates(trees, node, reliable, unknown):
    """(visits, showdown rate, fold rate, showdown strength) of a node; the rates `unknown` where it is unreliable."""
    f = np.int64(trees.counts[node, VISITS])
    if f <= reliable:
        return f, unknown[0], unknown[1], unknown[2]
    shown = trees.counts[node, SHOWDOWNS]
    strength = trees.strength[node] / shown if shown > 0 else unknown[2]
    return f, shown / f, trees.counts[node, FOLDS_LATER] / f, strength


@njit(counted=False)
def mixed_rates(trees, node, visits, prior):
    """(showdown rate, fold rate, showdown strength) of a node, with `visits` imagined visits of the rates `prior`."""
    f, shown = np.int64(trees.counts[node, VISITS]), np.int64(trees.counts[node, SHOWDOWNS])
    if f == 0:
        return prior
    return (
        (shown + visits * prior[0]) / (f + visits),
        (trees.counts[node, FOLDS_LATER] + visits * prior[1]) / (f + visits),
        (trees.strength[node] + visits * prior[2]) / (shown + visits),
    )


@njit(counted=False)
def habit_rates(s, habits, habit, prior):
    """The same of a habit, mixed with `prior`.

    With `imagined` its imagined showdowns are those of an opponent that folded its weakest hands, whatever the prior
    says: the search has no other word for who calls being stronger, while the 2.0 rule says so itself (`called`).
    """
    visits = s.habit_visits
    mixed = mixed_rates(habits, habit, visits, prior)
    if s.imagined == 0:
        return mixed
    shown = np.int64(habits.counts[habit, SHOWDOWNS])
    strength = (habits.strength[habit] + visits * (1.0 + mixed[1]) / 2.0) / (shown + visits)
    return mixed[0], mixed[1], strength


@njit(counted=False)
def habit_share(s, counts, habits, habit, prior):
    """The share `counts[habit]` of a habit's visits, mixed with its pool's share, that with the share in all pots, and
    that with `prior`."""
    pool = pool_of(habit)
    for node in (all_pots_of(pool), pool, habit):
        prior = (counts[node] + s.habit_visits * prior) / (habits.counts[node, VISITS] + s.habit_visits)
    return prior


@njit(counted=False)
def blended_rates(trees, node, default, default_node, street, reliable, lambdas, unknown):
    """The same with default trees (D 6.1): v = (f / lambda) v_R + (1 - f / lambda) v_D for f < lambda, else v_R.

    f is the regular node's. The rates `unknown` stand in for v_D where the default node is unreliable, and for v where
    both nodes are. Where the regular node never saw a showdown its strength is the default node's.
    """
    f = np.int64(trees.counts[node, VISITS])
    default_f, showdown_rate, fold_rate, strength = node_rates(default, default_node, reliable, unknown)
    if f == 0 or (f <= reliable and default_f <= reliable):
        return f, showdown_rate, fold_rate, strength
    share = min(f / lambdas[street], 1.0)
    shown = trees.counts[node, SHOWDOWNS]
    seen_strength = trees.strength[node] / shown if shown > 0 else strength
    return (
        f,
        share * (shown / f) + (1.0 - share) * showdown_rate,
        share * (trees.counts[node, FOLDS_LATER] / f) + (1.0 - share) * fold_rate,
        share * seen_strength + (1.0 - share) * strength,
    )


@njit(counted=False)
def rates(s, trees, node, default, default_node, habits, habit, street):
    """What the trees say of a node: (visits, showdown rate, fold rate, showdown strength).

    `s` holds the agent's choices: use_trees, use_default, reliable, lambdas and the street's defaults, which are what
    is taken of unknown nodes. With habits (`habit_visits` above 0) each of a chain is mixed with what comes before it:
    the street's defaults or a reliable default node, the habit's pool over all pots, its pool, the habit, the node,
    however rarely visited.
    """
    unknown = (s.defaults[street, 0], s.defaults[street, 1], s.defaults[street, 2])
    if s.use_trees == 0:
        return node_rates(trees, NONE, s.reliable, unknown)
    if s.habit_visits > 0.0:
        if s.use_default == 1:
            _, showdown_rate, fold_rate, strength = node_rates(default, default_node, s.reliable, unknown)
            unknown = (showdown_rate, fold_rate, strength)
        pool = pool_of(habit)
        unknown = habit_rates(s, habits, all_pots_of(pool), unknown)
        unknown = habit_rates(s, habits, pool, unknown)
        unknown = habit_rates(s, habits, habit, unknown)
        mixed = mixed_rates(trees, node, s.prior_visits, unknown)
        return np.int64(trees.counts[node, VISITS]), mixed[0], mixed[1], mixed[2]
    if s.use_default == 0:
        return node_rates(trees, node, s.reliable, unknown)
    return blended_rates(trees, node, default, default_node, street, s.reliable, s.lambdas, unknown)


@njit(counted=False)
def reliable(s, trees, node, default, default_node):
    """Whether any tree knows the node well enough."""
    if s.use_trees == 0:
        return False
    if trees.counts[node, VISITS] > s.reliable:
        return True
    return s.use_default == 1 and default.counts[default_node, VISITS] > s.reliable


@njit(counted=False)
def next_rates(s, trees, node, default, default_node, habits, habit, street, opponent_acts, out):
    """What the opponent did next at a node, count / f, into `out` [9]; mixed as the other rates are.

    Zero where ASHE acts next (spec, section 10). Pools that do not count next actions have none to tell.
    """
    f = np.int64(trees.counts[node, VISITS])
    default_f = np.int64(default.counts[default_node, VISITS]) if s.use_default == 1 else 0
    default_known = default_f > s.reliable
    known = s.use_trees == 1 and f > 0 and (f > s.reliable or default_known)
    share = 0.0
    if known:
        share = min(f / s.lambdas[street], 1.0) if s.use_default == 1 else 1.0
    for k in range(SLOTS):
        rate = 0.0
        if opponent_acts:
            rate = s.next_defaults[street, k]
            if s.use_trees == 1 and default_known:
                rate = default.following[default_node, k] / default_f
            if s.use_trees == 1 and s.habit_visits > 0.0:
                rate = habit_share(s, habits.following[:, k], habits, habit, rate)
                rate = (trees.following[node, k] + s.prior_visits * rate) / (f + s.prior_visits)
            elif known:
                rate = share * (trees.following[node, k] / f) + (1.0 - share) * rate
        out[k] = rate


@njit(counted=False)
def write_row(row, stats, lambdas, street, ehs, odds, own, opponent, raises, button):
    """Fill one row; `own` and `opponent` are shares of the stack, `stats` as of `node_rates` or `blended_rates`."""
    f, showdown_rate, fold_rate, strength = stats
    row[SD_RATE] = showdown_rate
    row[FOLD_RATE] = fold_rate
    row[STRENGTH] = strength
    row[CONFIDENCE] = min(f / lambdas[street], 1.0)
    for k in range(4):
        row[STREET_0 + k] = 1.0 if k == street else 0.0
    row[EHS] = ehs
    row[ODDS] = odds
    row[OWN] = own
    row[OPPONENT] = opponent
    row[RAISES] = min(raises / 4.0, 1.0)
    row[BUTTON] = 1.0 if button else 0.0


@njit(counted=False)
def state_row(row, V, t, seat, stats, lambdas, ehs, stack):
    """The row of the state in which table `t` is, as the player in `seat` sees it."""
    street = V[t, STREET]
    actor = V[t, ACTOR]
    call = min(V[t, BET] - V[t, BETS + actor], V[t, STACKS + actor])
    raises = V[t, N_BET] - (1 if street == 0 else 0)
    write_row(
        row, stats, lambdas, street, ehs, call / (V[t, POT] + call), V[t, TOTALS + seat] / stack,
        V[t, TOTALS + 1 - seat] / stack, raises, seat == 1,
    )  # fmt: skip


@njit(counted=False)
def raised_odds(V, t, seat, to):
    """The pot odds that a raise to `to` by the player in `seat`, who is to act, offers the other."""
    call = min(to - V[t, BETS + 1 - seat], V[t, STACKS + 1 - seat])
    return call / (V[t, POT] + to - V[t, BETS + seat] + call)


@njit(counted=False)
def raised_row(row, V, t, seat, to, odds, stats, lambdas, ehs, stack):
    """The row of the state after the player in `seat`, who is to act, raised to `to` and offers these odds."""
    street = V[t, STREET]
    added = to - V[t, BETS + seat]
    raises = V[t, N_BET] + 1 - (1 if street == 0 else 0)
    write_row(
        row, stats, lambdas, street, ehs, odds, (V[t, TOTALS + seat] + added) / stack, V[t, TOTALS + 1 - seat] / stack,
        raises, seat == 1,
    )  # fmt: skip
