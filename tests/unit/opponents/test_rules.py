"""Every line of the player tables in spec section 2, as (situation, expected move)."""

import numpy as np
import pytest

from ashe.cards.random import derive_key, uniform
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.opponents.dispatch import RULES, decide
from ashe.opponents.observation import Observation, adjusted_decision_algorithm, decision_algorithm


def obs(**given):
    """Facing nothing on the flop, pot 600, everything else as after two limps; override what matters."""
    base = {
        "street": 1, "button": True, "ehs": 0.5, "percentile": 0.5, "pot": 600, "call": 0, "bet": 0, "own": 0,
        "min_to": 100, "max_to": 19_700, "min_raise": 100, "stack": 19_700, "full_stack": 20_000, "big_blind": 100,
        "n_bet": 0, "led": 0, "opened": 0, "hand": 0, "memory": 0, "key": 1, "style_key": 1,
    }  # fmt: skip
    base.update(given)
    base["key"], base["style_key"] = np.uint64(base["key"]), np.uint64(base["style_key"])
    return Observation(**base)


def facing(bet=300, pot=900, **given):
    """Facing a bet of 300 into 600 on the flop."""
    return obs(**{"call": bet, "bet": bet, "pot": pot, "min_to": 2 * bet, "min_raise": bet, "n_bet": 1, **given})


def preflop_button(**given):
    return obs(street=0, pot=150, call=50, bet=100, own=50, min_to=200, max_to=20_000, stack=19_950, n_bet=1, **given)


def limped_to(**given):
    return obs(
        street=0, button=False, pot=200, bet=100, own=100, min_to=200, max_to=20_000, stack=19_900, n_bet=1, **given
    )


def raised_to_250(**given):
    """The big blind facing an open to 2.5 BB: odds 150/500 = 0.3, defend 500/700 = 0.714."""
    return obs(
        street=0, button=False, pot=350, call=150, bet=250, own=100, min_to=400, max_to=20_000, stack=19_900,
        n_bet=2, min_raise=150, **given,
    )  # fmt: skip


def key_for(low, high, counter=0):
    """A random stream whose number `counter` lies between `low` and `high`."""
    keys = (np.uint64(derive_key("test", i)) for i in range(10_000))
    return next(key for key in keys if low <= uniform(key, counter) < high)


TABLE = [
    ("HM", preflop_button(), (RAISE, 300)),
    ("HM", facing(), (RAISE, 300 + 2 * 1200)),
    ("HM", obs(), (RAISE, 600)),
    ("HM", limped_to(), (RAISE, 300)),  # the big blind's first action: nobody raised yet
    ("HM", raised_to_250(), (RAISE, 250 + 2 * 500)),
    ("HM", facing(min_to=0, max_to=0), (CALL, 0)),  # a raise that is illegal becomes a call
    ("HM", facing(stack=2_000, max_to=2_000), (RAISE, 2_000)),  # one that the stack cannot cover an all-in
    ("HM", obs(pot=50, min_to=100), (RAISE, 100)),  # one below the minimum the minimum
    ("CM", facing(), (CALL, 0)),
    ("CM", obs(), (CALL, 0)),
    ("SL", preflop_button(ehs=0.3), (CALL, 0)),
    ("SL", limped_to(ehs=0.8), (CALL, 0)),
    ("SL", limped_to(ehs=0.9), (RAISE, 200)),  # 0.9**50 * 20000 = 103 is a raise by one big blind
    ("SL", preflop_button(ehs=0.85)._replace(n_bet=3, bet=300, own=200, call=100, pot=500), (FOLD, 0)),  # not unraised
    ("SL", obs(ehs=0.5), (CALL, 0)),
    ("SL", raised_to_250(ehs=0.85), (FOLD, 0)),
    ("SL", facing(ehs=0.99), (RAISE, 12_100)),  # 0.99**50 * 20000 = 12,100.1
    ("CS", facing(ehs=0.5), (FOLD, 0)),  # 156 < 300
    ("CS", facing(ehs=0.56), (CALL, 0)),  # 345
    ("CS", facing(ehs=0.7), (RAISE, 1_600)),  # 1647 -> 1600
    ("LA", obs(), (RAISE, 600)),
    ("LA", obs(button=False, ehs=0.5, key=key_for(0.0, 0.5)), (RAISE, 600)),
    ("LA", obs(button=False, ehs=0.5, key=key_for(0.5, 1.0)), (CALL, 0)),
    ("LA", obs(stack=300, max_to=300, ehs=0.9), (RAISE, 300)),
    ("LA", obs(stack=300, max_to=300, ehs=0.89), (CALL, 0)),
    ("LA", facing(ehs=0.24), (FOLD, 0)),  # odds 0.25
    ("LA", facing(ehs=0.26), (RAISE, 300 + 1200)),
    ("LA", facing(stack=900, max_to=900, ehs=0.66), (FOLD, 0)),  # defend 1200/1800 = 0.667
    ("LA", facing(stack=900, max_to=900, ehs=0.67), (CALL, 0)),
    ("LP", obs(ehs=0.99), (CALL, 0)),
    ("LP", facing(ehs=0.24), (FOLD, 0)),
    ("LP", facing(ehs=0.26), (CALL, 0)),
    ("LP", facing(ehs=0.99), (CALL, 0)),  # never raises
    ("TP", obs(ehs=0.99), (CALL, 0)),
    ("TP", preflop_button(ehs=0.1), (CALL, 0)),
    ("TP", raised_to_250(ehs=0.70), (FOLD, 0)),
    ("TP", raised_to_250(ehs=0.72), (CALL, 0)),
    ("TP", obs(street=0, pot=150, call=100, bet=200, own=100, n_bet=2, ehs=0.81), (CALL, 0)),  # defend .83, cap .80
    ("TP", facing(ehs=0.66), (FOLD, 0)),
    ("TP", facing(ehs=0.67), (CALL, 0)),
    ("TP", facing(ehs=0.99), (CALL, 0)),
    ("TP", limped_to(ehs=0.99), (CALL, 0)),
    ("TA", preflop_button(percentile=0.01), (RAISE, 250)),
    ("TA", preflop_button(percentile=0.5)._replace(n_bet=3, bet=750, own=250, call=500, pot=1000), (FOLD, 0)),
    ("TA", preflop_button(percentile=0.8)._replace(n_bet=3, bet=750, own=250, call=500, pot=1000), (CALL, 0)),
    ("TA", limped_to(percentile=0.62), (CALL, 0)),
    ("TA", limped_to(percentile=0.625), (RAISE, 200)),
    ("TA", limped_to(percentile=0.74), (RAISE, 200)),
    ("TA", limped_to(percentile=0.75), (RAISE, 250)),
    ("TA", limped_to(percentile=0.87), (RAISE, 250)),
    ("TA", limped_to(percentile=0.875), (RAISE, 300)),
    ("TA", raised_to_250(percentile=0.29), (FOLD, 0)),
    ("TA", raised_to_250(percentile=0.5, key=key_for(0.0, 0.48)), (CALL, 0)),  # (0.5-0.3)/(0.714-0.3) = 0.483
    ("TA", raised_to_250(percentile=0.5, key=key_for(0.49, 1.0)), (FOLD, 0)),
    ("TA", raised_to_250(percentile=0.9, key=key_for(0.0, 0.64)), (RAISE, 750)),  # (0.9-0.714)/0.286 = 0.65
    ("TA", raised_to_250(percentile=0.9, key=key_for(0.66, 1.0)), (CALL, 0)),
    ("TA", obs(percentile=0.34), (RAISE, 300)),
    ("TA", obs(percentile=0.33), (CALL, 0)),
    ("TA", obs(street=2, percentile=0.84), (RAISE, 300)),
    ("TA", obs(street=2, percentile=0.82), (CALL, 0)),
    ("TA", facing(percentile=0.66), (FOLD, 0)),
    ("TA", facing(street=2, percentile=0.66), (FOLD, 0)),
    ("TA", facing(street=2, percentile=0.67), (CALL, 0)),
    ("TA", facing(percentile=0.99), (CALL, 0)),
    ("TA", obs(button=False, percentile=0.9), (RAISE, 600)),
    ("TA", obs(street=2, button=False, percentile=0.84), (RAISE, 600)),
    ("TA", obs(street=2, button=False, percentile=0.95), (CALL, 0)),
    ("TA", obs(button=False, percentile=0.96), (CALL, 0)),
    ("TA", obs(button=False, percentile=0.82), (CALL, 0)),
    ("TA", facing(button=False, percentile=0.66), (FOLD, 0)),
    ("TA", facing(button=False, percentile=0.94), (CALL, 0)),
    ("TA", facing(button=False, percentile=0.96), (RAISE, 900 + 600)),
    ("TA", facing(street=2, button=False, percentile=0.96), (RAISE, 900 + 600)),
    ("TA", facing(button=False, percentile=0.96, n_bet=2), (CALL, 0)),
    ("TA", facing(button=False, percentile=0.66, n_bet=2), (FOLD, 0)),
    ("TA", obs(street=3, percentile=0.91), (RAISE, 300)),
    ("TA", obs(street=3, percentile=0.89), (CALL, 0)),
    ("TA", facing(street=3, percentile=0.6), (FOLD, 0)),
    ("TA", facing(street=3, percentile=0.96), (RAISE, 900)),
    ("TA", facing(street=3, percentile=0.9), (CALL, 0)),
    ("TA", obs(street=3, button=False, percentile=0.91), (RAISE, 300)),
    ("TA", obs(street=3, button=False, percentile=0.9), (CALL, 0)),
    ("TA", facing(street=3, button=False, percentile=0.66), (FOLD, 0)),
    ("TA", facing(street=3, button=False, percentile=0.99), (CALL, 0)),
    ("TA", facing(street=3, button=False, percentile=0.66, n_bet=2), (FOLD, 0)),
    ("TA", facing(street=3, button=False, percentile=0.98, n_bet=2), (RAISE, 19_700)),
    ("TA", facing(street=3, button=False, percentile=0.97, n_bet=2), (CALL, 0)),
    ("HP", preflop_button(percentile=0.01), (RAISE, 250)),
    ("HP", facing(percentile=0.52, key=key_for(0.0, 0.4, 1)), (CALL, 0)),  # float: defend 0.667, margin 0.15
    ("HP", facing(percentile=0.52, key=key_for(0.4, 1.0, 1)), (FOLD, 0)),
    ("HP", facing(percentile=0.51, key=key_for(0.0, 0.4, 1)), (FOLD, 0)),  # below the margin
    ("HP", facing(bet=700, pot=1300, percentile=0.7, key=key_for(0.0, 0.4, 1)), (FOLD, 0)),  # above one pot: 700 in 600
    ("HP", facing(percentile=0.52, key=key_for(0.0, 0.4, 1), street=2), (FOLD, 0)),  # only on the flop
    ("HP", facing(percentile=0.52, key=key_for(0.0, 0.4, 1), n_bet=2), (FOLD, 0)),  # a bet, not a raise
    ("HP", obs(street=2, percentile=0.3, memory=1), (RAISE, 300)),  # the float's bet
    ("HP", obs(street=2, percentile=0.3), (CALL, 0)),
    ("HP", facing(button=False, percentile=0.37, key=key_for(0.0, 0.8, 1)), (RAISE, 300 + 600)),  # check-raise
    ("HP", facing(button=False, percentile=0.37, key=key_for(0.8, 1.0, 1)), (FOLD, 0)),
    ("HP", facing(button=False, percentile=0.36, key=key_for(0.0, 0.8, 1)), (FOLD, 0)),
    ("HP", facing(button=False, percentile=0.37, key=key_for(0.0, 0.8, 1), street=2), (FOLD, 0)),
    ("HP", facing(button=False, percentile=0.96, key=key_for(0.0, 0.8, 1)), (RAISE, 900 + 600)),  # TA's raise stays
    ("HP", obs(percentile=0.6), (CALL, 0)),  # pot control
    ("HP", obs(percentile=0.82), (CALL, 0)),
    ("HP", obs(percentile=0.59), (RAISE, 300)),  # below it TA bets
    ("HP", obs(percentile=0.83), (RAISE, 300)),
    ("HP", obs(percentile=0.8, memory=2), (RAISE, 300)),  # once only
    ("HP", obs(percentile=0.1, opened=1, key=key_for(0.0, 0.6, 2)), (RAISE, 300)),  # continuation bet
    ("HP", obs(button=False, percentile=0.7, opened=1, key=key_for(0.0, 0.6, 2)), (RAISE, 300)),
    ("HP", obs(percentile=0.3, opened=1, led=1, key=key_for(0.6, 1.0, 2)), (CALL, 0)),
    ("HP", obs(street=2, percentile=0.3, opened=1, key=key_for(0.0, 0.6, 2)), (CALL, 0)),  # only on the flop
    ("HP", obs(street=2, percentile=0.24, led=1, key=key_for(0.0, 0.35, 3)), (RAISE, 300)),  # second barrel
    ("HP", obs(street=2, percentile=0.24, led=1, key=key_for(0.35, 1.0, 3)), (CALL, 0)),
    ("HP", obs(street=2, percentile=0.25, led=1, key=key_for(0.0, 0.35, 3)), (CALL, 0)),
    ("HP", obs(street=2, percentile=0.24, led=-1, key=key_for(0.0, 0.35, 3)), (CALL, 0)),
    ("HP", obs(street=3, percentile=0.24, led=1, key=key_for(0.0, 0.25, 3)), (RAISE, 300)),  # third barrel
    ("HP", obs(street=3, percentile=0.24, led=1, key=key_for(0.25, 1.0, 3)), (CALL, 0)),
    ("HP", facing(street=3, percentile=0.78, n_bet=2), (FOLD, 0)),  # the leak: below defend + 0.12 = 0.787
    ("HP", facing(street=3, percentile=0.79, n_bet=2), (CALL, 0)),
    ("HP", facing(street=3, percentile=0.70), (CALL, 0)),  # a bet is not a raise
    ("HP", facing(street=3, button=False, percentile=0.98, n_bet=2), (RAISE, 19_700)),  # TA's
    ("fold", facing(), (FOLD, 0)),
    ("minraise", preflop_button(), (RAISE, 200)),
    ("fold", obs(), (CALL, 0)),
    ("minraise", obs(), (RAISE, 100)),
    ("minraise", facing(), (FOLD, 0)),
]


@pytest.mark.parametrize(("code", "situation", "move"), TABLE)
def test_rule(code, situation, move):
    kind, to, _ = decide(RULES[code].number, situation)
    assert (kind, to if kind == RAISE else 0) == move


def test_gambler_plays_one_of_four_for_fifty_hands():
    moves = []
    for hand in range(2_000):
        o = facing(ehs=0.7, hand=hand, style_key=derive_key("gambler", 1))
        played = decide(RULES["RG"].number, o)[:2]
        options = {code: decide(RULES[code].number, o)[:2] for code in ("HM", "CM", "SL", "CS")}
        assert played in options.values()
        moves.append(next(code for code, move in options.items() if move == played))
    blocks = [moves[i : i + 50] for i in range(0, 2_000, 50)]
    assert all(len(set(block)) == 1 for block in blocks)
    assert {block[0] for block in blocks} == {"HM", "CM", "SL", "CS"}


@pytest.mark.parametrize(
    ("score", "move"),
    [
        (0.0149, FOLD),
        (0.015, CALL),
        (0.0299, CALL),
        (0.03, (RAISE, 600)),
        (0.0325, (RAISE, 700)),
        (1.0, (RAISE, 19_700)),
    ],
)
def test_decision_algorithm(score, move):
    """Facing 300: y = 20,000 * score; ties in the nearest big blind round up (650 -> 700)."""
    kind, to, _ = decision_algorithm(facing(), score)
    assert (kind if kind != RAISE else (kind, to)) == move


@pytest.mark.parametrize(
    ("score", "move"),
    [
        (0.01, FOLD),
        (0.0299, CALL),
        (0.03, (RAISE, 900)),
        (0.06, (RAISE, 1_500)),
        (0.25, (RAISE, 2_700)),
        (0.6, (RAISE, 19_700)),
    ],
)
def test_adjusted_decision_algorithm(score, move):
    """Facing 300 with a pot of 1,200 after the call: raises of 600, 1,200, 1,800, 2,400 or all-in."""
    kind, to, _ = adjusted_decision_algorithm(facing(), score)
    assert (kind if kind != RAISE else (kind, to)) == move


@pytest.mark.parametrize(("wish", "move"), [(149, CALL), (150, (RAISE, 300)), (749, (RAISE, 600)), (750, (RAISE, 900))])
def test_adjusted_algorithm_below_a_quarter_pot_and_between_sizes(wish, move):
    """Free to act on a pot of 600: a wish below 150 is a check, 750 lies between 1 and 1.5 pots and rounds up."""
    kind, to, _ = adjusted_decision_algorithm(obs(), wish / 20_000)
    assert (kind if kind != RAISE else (kind, to)) == move


def test_random_baseline_uses_every_legal_kind_and_size():
    """`random`: fold, call and raise equally often when facing a bet; sizes spread over the whole legal range."""
    moves = [decide(RULES["random"].number, facing(key=derive_key("spread", i)))[:2] for i in range(3_000)]
    kinds = [kind for kind, _ in moves]
    for kind in (FOLD, CALL, RAISE):
        assert 900 < kinds.count(kind) < 1_100
    sizes = [to for kind, to in moves if kind == RAISE]
    assert min(sizes) < 900
    assert max(sizes) > 19_400
    assert sum(sizes) / len(sizes) == pytest.approx((600 + 19_700) / 2, rel=0.05)
