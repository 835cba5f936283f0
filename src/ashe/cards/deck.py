"""Cards as small integers, and the 1,326 two-card holdings.

A card is `rank * 4 + suit`: rank 0 is the deuce and 12 the ace, suits are clubs, diamonds, hearts, spades. This is
phevaluator's order, so its evaluator (our oracle) takes our cards unchanged. A holding {a < b} has the index
`b * (b - 1) / 2 + a`: loops over b, then a < b, visit the indices in order.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from phevaluator import evaluate_cards

from ashe.errors import UserError
from ashe.jit import njit

RANKS = "23456789TJQKA"
SUITS = "cdhs"
N_CARDS = 52
N_HOLES = 1326

HOLE_A = np.array([a for b in range(N_CARDS) for a in range(b)], dtype=np.uint8)  # the lower card of each holding
HOLE_B = np.array([b for b in range(N_CARDS) for a in range(b)], dtype=np.uint8)  # the higher one

_RANK_WORDS = ("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
# phevaluator's rank number of the worst hand in each category, best category first.
_CATEGORIES = (
    (10, "straight flush"),
    (166, "four of a kind"),
    (322, "full house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three of a kind"),
    (3325, "two pair"),
    (6185, "pair"),
    (7462, "high card"),
)


@njit
def hole_index(a: int, b: int) -> int:
    """Index 0..1325 of the holding {a, b}, in either order."""
    if a > b:
        return (a * (a - 1) >> 1) + b
    return (b * (b - 1) >> 1) + a


def card_name(card: int) -> str:
    """'Ah' for 50."""
    if not 0 <= card < N_CARDS:
        raise UserError(f"card {card!r} is not in the deck: cards are integers 0 (2c) to 51 (As)")
    return RANKS[card >> 2] + SUITS[card & 3]


def card_names(cards: Iterable[int]) -> str:
    """'AhKd' for [50, 45]: the inverse of `parse_cards`."""
    return "".join(card_name(int(card)) for card in cards)


def parse_cards(text: str) -> list[int]:
    """Cards of a string such as 'AhKd' or 'Ah Kd 10c' (spaces and commas are ignored, '10' means 'T')."""
    packed = text.replace(" ", "").replace(",", "").replace("10", "T")
    if len(packed) % 2:
        raise UserError(f"cards {text!r} have an odd number of letters: write rank and suit of each, as in 'AhKd'")
    cards: list[int] = []
    for i in range(0, len(packed), 2):
        rank, suit = RANKS.find(packed[i].upper()), SUITS.find(packed[i + 1].lower())
        if rank < 0 or suit < 0:
            raise UserError(f"{packed[i : i + 2]!r} in {text!r} is not a card: ranks are {RANKS}, suits are {SUITS}")
        cards.append(rank * 4 + suit)
    check_cards(cards)
    return cards


def check_cards(cards: Sequence[int]) -> None:
    """Refuse cards outside the deck and cards that come twice."""
    for card in cards:
        if not 0 <= card < N_CARDS:
            raise UserError(f"card {card!r} is not in the deck: cards are integers 0 (2c) to 51 (As)")
    if len(set(cards)) != len(cards):
        twice = sorted({c for c in cards if list(cards).count(c) > 1})
        raise UserError(f"{card_names(twice)} comes more than once in {card_names(cards)}: give distinct cards")


def check_hole_and_board(hole: Sequence[int], board: Sequence[int], allowed: tuple[int, ...] = (0, 3, 4, 5)) -> None:
    """Refuse anything but two hole cards and a board of an allowed size, all distinct."""
    if len(hole) != 2:
        raise UserError(f"a holding has 2 cards, got {len(hole)}: pass both hole cards, e.g. parse_cards('AhKd')")
    if len(board) not in allowed:
        sizes = " or ".join(map(str, allowed))
        raise UserError(f"the board has {len(board)} cards, allowed here: {sizes}")
    check_cards([*hole, *board])


def hand_name(cards: Sequence[int]) -> str:
    """What five to seven cards make, for people: 'pair of aces', 'straight flush, king high'."""
    if not 5 <= len(cards) <= 7:
        raise UserError(f"a hand to name has 5 to 7 cards, got {len(cards)}: add the board to the hole cards")
    check_cards(cards)
    number = int(evaluate_cards(*(int(c) for c in cards)))
    category = next(name for worst, name in _CATEGORIES if number <= worst)
    # The five cards that play: the first subset with the same rank number, most frequent and highest ranks first.
    five = _best_five(list(cards), number)
    ranks = [c >> 2 for c in five]
    order = sorted(set(ranks), key=lambda r: (-ranks.count(r), -r))
    words = [_RANK_WORDS[r] for r in order]
    plural = [w + ("es" if w == "six" else "s") for w in words]
    if category in ("straight flush", "straight"):
        top = "five" if set(ranks) == {12, 0, 1, 2, 3} else words[0]
        return "royal flush" if number == 1 else f"{category}, {top} high"
    if category == "flush":
        return f"flush, {words[0]} high"
    if category == "full house":
        return f"full house, {plural[0]} full of {plural[1]}"
    if category == "two pair":
        return f"two pair, {plural[0]} and {plural[1]}"
    if category == "high card":
        return f"{words[0]} high"
    return f"{category}{',' if category != 'pair' else ' of'} {plural[0]}"


def _best_five(cards: list[int], number: int) -> list[int]:
    while len(cards) > 5:
        for i in range(len(cards)):
            fewer = cards[:i] + cards[i + 1 :]
            if evaluate_cards(*fewer) == number:
                cards = fewer
                break
    return cards
