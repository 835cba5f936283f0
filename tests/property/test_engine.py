"""Any hand at any table: what must always hold, and the side pots against counting them chip by chip."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from ashe.game import engine as e
from ashe.game.hand import Hand
from ashe.game.rules import Rules


@st.composite
def tables(draw):
    """Stakes and stacks, down to stacks that cannot pay ante or blind."""
    seats = draw(st.integers(2, 6))
    big = draw(st.integers(1, 40))
    rules = Rules(seats, draw(st.integers(1, big)), big, draw(st.integers(0, 15)))
    return rules, draw(st.lists(st.integers(1, 300), min_size=seats, max_size=seats))


def chip_by_chip(totals, live, ranks):
    """Each seat's exact share of the pot: the n-th chips of all seats go to the best live hand that put in n chips.

    Chips above what any live seat put in belong to the last pot.
    """
    won = [Fraction(0)] * len(totals)
    deepest = max(total for total, alive in zip(totals, live, strict=True) if alive)
    for n in range(1, max(totals) + 1):
        level = min(n, deepest)
        entitled = [s for s, total in enumerate(totals) if live[s] and total >= level]
        best = min(ranks[s] for s in entitled)
        winners = [s for s in entitled if ranks[s] == best]
        chips = sum(total >= n for total in totals)
        for s in winners:
            won[s] += Fraction(chips, len(winners))
    return won


@settings(max_examples=400, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_any_hand(table, data):
    rules, stacks = table
    hand = Hand(rules, stacks)
    full = [s + b for s, b in zip(hand.stacks, hand.row[0, e.TOTALS : e.TOTALS + rules.seats], strict=True)]
    assert full == stacks
    decisions = 0
    streets = [hand.street]
    while not hand.over:
        low, high = hand.raise_range
        assert 0 <= hand.call_cost <= hand.stacks[hand.actor]
        assert hand.stacks[hand.actor] > 0
        assert low <= high <= hand.bets[hand.actor] + hand.stacks[hand.actor]
        assert (low == 0) == (high == 0)
        assert low == 0 or low > max(hand.bets) or low == high
        moves = ["call"] + ["raise"] * 2 * (low > 0) + ["fold"] * (hand.call_cost > 0)
        move = data.draw(st.sampled_from(moves))
        if move == "raise":
            hand.raise_to(data.draw(st.sampled_from(sorted({low, min(high, low + 7), (low + high) // 2, high}))))
        elif move == "fold":
            hand.fold()
        else:
            hand.call()
        decisions += 1
        assert sum(hand.stacks) + hand.pot == sum(stacks)
        assert min(hand.stacks) >= 0
        streets.append(hand.street)
        assert decisions < 2_000
    betting = [street for street in streets if street < e.SHOWDOWN]
    assert betting == sorted(betting)
    ranks = data.draw(st.lists(st.integers(1, 4), min_size=rules.seats, max_size=rules.seats))
    payoffs = hand.payoffs(ranks)
    totals = [int(x) for x in hand.row[0, e.TOTALS : e.TOTALS + rules.seats]]
    live = [bool(int(hand.row[0, e.LIVE]) >> s & 1) for s in range(rules.seats)]
    assert sum(payoffs) == 0
    exact = chip_by_chip(totals, live, ranks)
    for s in range(rules.seats):
        assert payoffs[s] >= -totals[s]
        if not live[s]:
            assert payoffs[s] == -totals[s]
        assert abs(payoffs[s] + totals[s] - exact[s]) < rules.seats**2  # odd chips: fewer than seats in every pot
        assert payoffs[s] <= sum(min(totals[s], other) for other in totals) - totals[s] + _folded_above(totals, live)


def _folded_above(totals, live):
    """Chips of folded seats above every live seat's: they belong to whoever wins the last pot."""
    deepest = max(total for total, alive in zip(totals, live, strict=True) if alive)
    return sum(max(0, total - deepest) for total in totals)
