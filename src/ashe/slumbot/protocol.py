"""What is said on the wire: betting as a string, cards, and replies that are checked before anyone believes them.

An action string lists the actions of the hand: `k` check, `c` call, `f` fold, `bN` a bet or raise to N chips on this
street (blinds included), streets separated by `/`. Position 0 is the big blind, 1 the button, as our seats.
"""

import re
from dataclasses import dataclass
from typing import Any

from ashe.cards.deck import check_hole_and_board, parse_cards
from ashe.cards.rank import rank7
from ashe.errors import UserError
from ashe.game import engine as e
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP
from ashe.game.view import BOARD_CARDS, Action, Event

RULES = HEADS_UP  # 50/100 and 20,000 chips, reset before every hand
_TOKEN = re.compile(r"[kcf/]|b\d+")


class ProtocolError(Exception):
    """The server said something that cannot be right."""


class RefusedError(Exception):
    """The server refused a request (`error_msg`)."""


@dataclass(frozen=True)
class Reply:
    """A checked reply: the hand as the server sees it."""

    token: str | None
    seat: int
    hole: tuple[int, int]
    board: tuple[int, ...]
    actions: tuple[Event, ...]
    winnings: int | None  # None while the hand goes on
    shown: tuple[int, int] | None


def write_action(action: Action, call_cost: int) -> str:
    """Our action as `incr`."""
    if action.kind == e.FOLD:
        return "f"
    if action.kind == e.RAISE:
        return f"b{action.to}"
    return "c" if call_cost else "k"


def write_actions(events: tuple[Event, ...] | list[Event]) -> str:
    """The action string of a hand; an all-in run-out adds the slashes of the streets that nobody bet on."""
    hand, text, street = Hand(RULES), "", 0
    for event in events:
        text += "/" * (event.street - street)
        street = event.street
        text += write_action(Action(event.kind, event.to), hand.call_cost)
        hand.act(Action(event.kind, event.to))
    if not hand.over:
        return text + "/" * (hand.street - street)
    return text + ("/" * (3 - street) if hand.street == e.SHOWDOWN else "")


def read_actions(text: str) -> Hand:
    """The hand after an action string, by our engine; refuses what the rules do not allow."""
    hand = Hand(RULES)
    if "".join(_TOKEN.findall(text)) != text:
        raise ProtocolError(f"action string {text!r}: expected k, c, f, bN and /")
    separators = 0
    for token in _TOKEN.findall(text):
        if token == "/":
            separators += 1
            if separators > 3 or (not hand.over and separators > hand.street):
                raise ProtocolError(f"action string {text!r}: a street ends too early")
            continue
        if hand.over:
            raise ProtocolError(f"action string {text!r}: {token} after the hand was over")
        if separators != hand.street:
            raise ProtocolError(f"action string {text!r}: a / is missing before {token}")
        if (token == "k") != (hand.call_cost == 0) and token in "kc":
            raise ProtocolError(f"action string {text!r}: {token} where {hand.call_cost} chips are to be called")
        try:
            if token == "f":
                hand.fold()
            elif token in "kc":
                hand.call()
            else:
                hand.raise_to(int(token[1:]))
        except UserError as error:
            raise ProtocolError(f"action string {text!r}: {error}") from error
    return hand


def _cards(value: Any, what: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(isinstance(c, str) for c in value):
        raise ProtocolError(f"{what} is {value!r}: expected a list of cards such as ['Ah', '9c']")
    try:
        return tuple(parse_cards("".join(value)))
    except UserError as error:
        raise ProtocolError(f"{what}: {error}") from error


def read_reply(data: Any) -> Reply:
    """A reply of /api/new_hand or /api/act, checked against the rules of the game."""
    if not isinstance(data, dict):
        raise ProtocolError(f"reply {str(data)[:80]!r} is not an object")
    if data.get("error_msg"):
        raise RefusedError(str(data["error_msg"]))
    missing = [key for key in ("action", "client_pos", "hole_cards", "board") if key not in data]
    if missing:
        raise ProtocolError(f"reply lacks {', '.join(missing)}")
    token, seat, winnings = data.get("token"), data["client_pos"], data.get("winnings")
    if seat not in (0, 1) or isinstance(seat, bool):
        raise ProtocolError(f"client_pos is {seat!r}: expected 0 or 1")
    if not isinstance(data["action"], str) or not (token is None or isinstance(token, str)):
        raise ProtocolError(f"action {data['action']!r} and token {token!r} must be text")
    if winnings is not None and (not isinstance(winnings, int) or abs(winnings) > RULES.stack):
        raise ProtocolError(f"winnings are {winnings!r}: expected a number of chips up to {RULES.stack}")
    hole, board = _cards(data["hole_cards"], "hole_cards"), _cards(data["board"], "board")
    shown = _cards(data["bot_hole_cards"], "bot_hole_cards") if data.get("bot_hole_cards") else None
    try:
        check_hole_and_board(hole, board)
        if shown is not None:
            check_hole_and_board(shown, board)
    except UserError as error:
        raise ProtocolError(str(error)) from error
    if shown is not None and set(shown) & set(hole):
        raise ProtocolError("both players hold the same card")
    hand = read_actions(data["action"])
    if hand.over != (winnings is not None):
        state = "over" if hand.over else "not over"
        raise ProtocolError(f"after {data['action']!r} the hand is {state}, but winnings are {winnings!r}")
    if not hand.over and len(board) != BOARD_CARDS[hand.street]:
        raise ProtocolError(f"the board has {len(board)} cards after {data['action']!r}")
    if not hand.over and hand.actor != seat:
        raise ProtocolError(f"after {data['action']!r} it is not our turn, yet the server waits for us")
    if winnings is not None:
        _check_winnings(hand, seat, winnings, hole, board, shown)
    return Reply(
        token, seat, (hole[0], hole[1]), board, tuple(hand.history), winnings,
        (shown[0], shown[1]) if shown is not None else None,
    )  # fmt: skip


def _check_winnings(
    hand: Hand, seat: int, winnings: int, hole: tuple[int, ...], board: tuple[int, ...], shown: tuple[int, ...] | None
) -> None:
    """The chips must be what our engine pays, wherever we know enough to say."""
    if hand.street == e.SHOWDOWN:
        if len(board) != 5:
            raise ProtocolError(f"a showdown on a board of {len(board)} cards")
        if shown is None:
            return
        ranks = [int(rank7(*board, *cards)) for cards in (hole, shown)]
        payoff = hand.payoffs(ranks if seat == 0 else ranks[::-1])[seat]
    else:
        payoff = hand.payoffs([1, 1])[seat]
    if payoff != winnings:
        raise ProtocolError(f"winnings are {winnings}, by the rules they are {payoff}")
