"""The engine against PokerKit: random hands, every state's legal moves and every payoff.

Three rules are PokerKit's mistakes (0.7.7); each is proved from the rules and pinned below.
1. It measures a short all-in by the street's previous *raise*, which is 0 before the first one, so that an all-in for
   less than the minimum bet reopens the betting. TDA rule 47: "an all-in wager (or cumulative multiple short all-ins)
   totaling less than a full bet or raise will not reopen betting for players who have already acted and are not facing
   at least a full bet or raise when the action returns to them". The random test accepts that difference only where
   the actor has acted and faces less than the big blind.
2. It merges side pots once the losers' hands are killed and so hands out fewer odd chips. TDA rule 21: "each side pot
   will be split separately". Payoffs are compared exactly with PokerKit's own pots as they stand before any hand is
   killed, split one by one, and with its payoffs up to odd chips.
3. It lets players call what a short big blind could post. The blind's size is the price all the same ("players to act
   must call the complete amount of the big blind", Wikipedia, Betting in poker, all-in before the deal). The random
   hands therefore give the big blind its blind; every other stack may be as short as one chip.
"""

import random
import warnings

import pytest
from pokerkit import Automation, NoLimitTexasHoldem

from ashe.cards.deck import card_names, parse_cards
from ashe.cards.rank import rank7
from ashe.errors import IllegalActionError
from ashe.game.engine import SHOWDOWN
from ashe.game.hand import Hand
from ashe.game.rules import Rules

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.CHIPS_PULLING,
)


def pokerkit_state(rules, stacks):
    return NoLimitTexasHoldem.create_state(
        AUTOMATIONS, True, rules.ante, (rules.small_blind, rules.big_blind), rules.big_blind, tuple(stacks), rules.seats
    )


def deal_board(state, board):
    """Deal what PokerKit waits for (a hand that is closed runs out street by street)."""
    while state.can_deal_board():
        dealt = sum(len(cards) for cards in state.board_cards)
        state.deal_board(card_names(board[dealt : 3 if dealt == 0 else dealt + 1]))


def play_random_hand(rng, rules, stacks):
    """One hand with random legal moves in both engines; returns how often the pinned difference came up."""
    cards = rng.sample(range(52), 2 * rules.seats + 5)
    holes = [cards[2 * i : 2 * i + 2] for i in range(rules.seats)]
    board = cards[2 * rules.seats :]
    hand, state = Hand(rules, stacks), pokerkit_state(rules, stacks)
    for hole in holes:
        state.deal_hole(card_names(hole))
    pinned, acted, street = 0, set(), 0
    aggression = rng.random()
    while not hand.over:
        deal_board(state, board)
        if hand.street != street:
            street, acted = hand.street, set()
        assert state.actor_index == hand.actor
        assert state.checking_or_calling_amount == hand.call_cost
        assert tuple(state.stacks) == hand.stacks
        assert state.total_pot_amount == hand.pot
        assert state.can_fold() == (hand.call_cost > 0)
        low, high = hand.raise_range
        theirs = (state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount)
        if theirs != ((low, high) if low else (None, None)):
            assert not low
            assert hand.actor in acted
            assert hand.call_cost < rules.big_blind
            pinned += 1
        acted.add(hand.actor)
        draw = rng.random()
        if low and draw < aggression:
            pick = rng.random()
            spread = min(high, max(low, low + int((high - low) * rng.random() ** 4)))
            to = low if pick < 0.35 else high if pick < 0.5 else spread
            hand.raise_to(to)
            state.complete_bet_or_raise_to(to)
        elif hand.call_cost and draw > 0.9:
            hand.fold()
            state.fold()
        else:
            hand.call()
            state.check_or_call()
    while state.can_deal_board() or state.can_show_or_muck_hole_cards() or state.actor_index is not None:
        deal_board(state, board)
        if state.actor_index is not None:  # PokerKit asks even a player who has nobody to bet against
            assert state.checking_or_calling_amount == 0
            assert state.min_completion_betting_or_raising_to_amount is None
            state.check_or_call()
        if state.can_show_or_muck_hole_cards():
            state.show_or_muck_hole_cards(True)
    ranks = [rank7(*hole, *board) for hole in holes]
    payoffs = hand.payoffs(ranks)
    assert sum(payoffs) == 0
    pots = list(state.pots) if hand.street == SHOWDOWN else []
    expected = [have - had for have, had in zip(state.stacks, stacks, strict=True)]
    for pot in pots:
        best = min(ranks[i] for i in pot.player_indices)
        winners = [i for i in pot.player_indices if ranks[i] == best]
        for i in winners:
            expected[i] += pot.amount // len(winners)
        expected[winners[0]] += pot.amount % len(winners)
    assert hand.street != SHOWDOWN or payoffs == tuple(expected)
    while state.can_kill_hand():
        state.kill_hand()
    while state.can_push_chips():
        state.push_chips()
    assert not state.status
    differences = [abs(a - b) for a, b in zip(state.payoffs, payoffs, strict=True)]
    assert max(differences) < (len(pots) * rules.seats if len(pots) > 1 else 1)
    return pinned


def test_heads_up_hands_agree():
    """10,000 hands: the papers' stacks, and unequal ones down to a single chip."""
    rng = random.Random(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(10_000):
            rules = Rules(ante=rng.choice([0, 0, 0, 10]))
            stacks = [20_000] * 2 if i % 2 == 0 else [rng.randrange(110, 3_000), rng.randrange(1, 3_000)]
            play_random_hand(rng, rules, stacks)


def test_ring_hands_agree():
    """3,000 hands of 3 to 6 seats with antes (also above a stack) and unequal stacks."""
    rng = random.Random(2)
    pinned = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3_000):
            seats = rng.randrange(3, 7)
            rules = Rules(seats, 50, 100, rng.choice([0, 0, 10, 25, 120]), 20_000)
            ranges = ((1, 200), (130, 700), (700, 6_000))
            stacks = [rng.randrange(*rng.choice(ranges)) for _ in range(seats)]
            stacks[1] = max(stacks[1], rules.ante + rules.big_blind)
            pinned += play_random_hand(rng, rules, stacks)
    assert pinned > 0  # the random hands do reach the first pinned rule


def both(rules, stacks):
    """A hand of ours and PokerKit's, with the first cards of the deck dealt."""
    hand, state = Hand(rules, stacks), pokerkit_state(rules, stacks)
    for seat in range(rules.seats):
        state.deal_hole(card_names([2 * seat, 2 * seat + 1]))
    return hand, state


def test_short_open_does_not_reopen():
    """Seat 0 checks, seat 1 is all-in for 40 on a 100 minimum: seat 0 may call or fold, not raise (TDA 47)."""
    hand, state = both(Rules(seats=3), [5_000, 140, 5_000])
    for _ in range(3):
        hand.call()
        state.check_or_call()
    deal_board(state, range(20, 25))
    assert hand.street == 1
    hand.call()
    state.check_or_call()
    hand.raise_to(40)
    state.complete_bet_or_raise_to(40)
    hand.call()  # seat 2 had not acted: it could have raised to at least 140
    state.check_or_call()
    assert hand.actor == state.actor_index == 0
    assert hand.raise_range == (0, 0)
    with pytest.raises(IllegalActionError, match="raising is not allowed here"):
        hand.raise_to(1_000)
    assert state.can_complete_bet_or_raise_to(1_000)  # PokerKit's first mistake


def test_side_pots_are_split_separately():
    """Seats 1 and 2 tie for a main pot of 29 and a side pot of 17: one odd chip in each, both to seat 1 (TDA 21)."""
    holes = [parse_cards(c) for c in ("5c5d", "Tc3d", "Th3h", "4c4d", "6c6d")]
    board = parse_cards("AsKsQdJd2c")
    rules, stacks = Rules(seats=5, small_blind=1, big_blind=2), [100, 100, 100, 7, 100]
    hand, state = Hand(rules, stacks), pokerkit_state(rules, stacks)
    for hole in holes:
        state.deal_hole(card_names(hole))
    # Seat 2 raises to 10, seat 3 is all-in for 7, seat 4 calls, the small blind folds; flop: bet 4, call, seat 4 folds.
    for move in ("10", "call", "call", "fold", "call", "4", "call", "fold", "call", "call", "call", "call"):
        deal_board(state, board)
        if move == "call":
            hand.call()
            state.check_or_call()
        elif move == "fold":
            hand.fold()
            state.fold()
        else:
            hand.raise_to(int(move))
            state.complete_bet_or_raise_to(int(move))
    assert hand.over
    while state.can_show_or_muck_hole_cards():
        state.show_or_muck_hole_cards(True)
    assert [pot.amount for pot in state.pots] == [29, 17]
    while state.can_kill_hand():
        state.kill_hand()
    while state.can_push_chips():
        state.push_chips()
    assert hand.payoffs([rank7(*hole, *board) for hole in holes]) == (-1, 15 + 9 - 14, 14 + 8 - 14, -7, -10)
    assert list(state.payoffs) == [-1, 9, 9, -7, -10]  # PokerKit's second mistake: one pot of 46


def test_short_big_blind_keeps_the_price():
    """Seat 1 posts 60 of 100: a call costs 100, the smallest raise is to 200; the excess comes back."""
    hand, state = both(Rules(seats=3), [5_000, 60, 5_000])
    assert (hand.call_cost, hand.raise_range[0]) == (100, 200)
    assert state.checking_or_calling_amount == 60  # PokerKit's third mistake
    hand.call()
    hand.fold()
    assert hand.over
    assert hand.payoffs([1, 1, 2]) == (-50, 110, -60)
    assert hand.payoffs([1, 2, 1]) == (-50, -60, 110)


def test_seat_that_has_not_acted_may_raise_a_short_open():
    hand = Hand(Rules(seats=3), [5_000, 140, 5_000])
    for _ in range(3):
        hand.call()
    hand.call()
    hand.raise_to(40)
    assert hand.raise_range == (140, 4_900)
