"""Hand histories: PHH (readable by PokerKit) and ACPC match-state lines.

Both number positions as the engine does heads-up: position 0 is the big blind, position 1 the button.
"""

import os
from pathlib import Path
from typing import Any, TextIO

from ashe.cards.deck import card_names, hand_name
from ashe.evaluation.kernel import HAND
from ashe.evaluation.match import MatchPlan
from ashe.evaluation.tables import Tables
from ashe.game.engine import CLOSED, FOLD, RAISE, SHOWDOWN, STREET
from ashe.game.view import BOARD_CARDS, Event

BOARD_STEPS = ((0, 3), (3, 4), (4, 5))  # cards dealt before flop, turn, river


def phh(tables: Tables, t: int, number: int) -> str:
    """The hand that just ended at table `t`, hand `number` of the match from 0: entry `number + 1` of a .phhs file."""
    deal, deck, rules = tables.deal, tables.deck_row(t), tables.rules
    actions = [f"d dh p{seat + 1} {card_names(deal.hole(deck, seat))}" for seat in (0, 1)]
    board = deal.board(deck)
    street = 0

    def deal_to(target: int) -> None:
        nonlocal street
        while street < target:
            a, b = BOARD_STEPS[street]
            actions.append(f"d db {card_names(board[a:b])}")
            street += 1

    for event in tables.events(t):
        deal_to(event.street)
        name = f"p{event.seat + 1}"
        if event.kind == FOLD:
            actions.append(f"{name} f")
        elif event.kind == RAISE:
            actions.append(f"{name} cbr {event.to}")
        else:
            actions.append(f"{name} cc")
    if tables.state[t, STREET] == SHOWDOWN:
        deal_to(3)
        for seat in (0, 1):
            hole = deal.hole(deck, seat)
            actions.append(f"p{seat + 1} sm {card_names(hole)} # {hand_name(hole + board)}")
    names = [tables.players[slot].name for slot in (0, 1)]
    seated = names if tables.seat_of(t, 0) == 0 else names[::-1]
    # PHH lists heads-up blinds in the order small, big although player 1 posts the big one (PokerKit's convention).
    return "\n".join(
        (
            f"[{number + 1}]",
            "variant = 'NT'",
            "ante_trimming_status = true",
            f"antes = [{rules.ante}, {rules.ante}]",
            f"blinds_or_straddles = [{rules.small_blind}, {rules.big_blind}]",
            f"min_bet = {rules.big_blind}",
            f"starting_stacks = [{rules.stack}, {rules.stack}]",
            "actions = [" + ", ".join(f"'{a}'" for a in actions) + "]",
            "players = [" + ", ".join(f"'{n}'" for n in seated) + "]",
            f"hand = {number + 1}",
            "",
        )
    )


def acpc(tables: Tables, t: int, number: int) -> str:
    """`STATE:number:betting:cards:chips:players` as the ACPC dealer logs it: hands count from 0, raises are totals of
    the whole hand, position 0 comes first."""
    deal, deck = tables.deal, tables.deck_row(t)
    betting = _acpc_betting(tables.events(t), int(tables.state[t, STREET]), int(tables.state[t, CLOSED]), tables)
    shown = tables.state[t, STREET] == SHOWDOWN
    cards = "|".join(card_names(deal.hole(deck, seat)) for seat in (0, 1))
    board = deal.board(deck, 5 if shown else BOARD_CARDS[int(tables.state[t, CLOSED])])
    for a, b in BOARD_STEPS:
        if len(board) >= b:
            cards += "/" + card_names(board[a:b])
    chips = int(tables.won[t, tables.meta[t, HAND]])
    slots = (0, 1) if tables.seat_of(t, 0) == 0 else (1, 0)
    won = "|".join(str(chips if slot == 0 else -chips) for slot in slots)
    names = "|".join(tables.players[slot].name for slot in slots)
    return f"STATE:{number}:{betting}:{cards}:{won}:{names}"


def _acpc_betting(events: tuple[Event, ...], final: int, closed: int, tables: Tables) -> str:
    rules = tables.rules
    totals = [rules.ante, rules.ante]  # chips of finished streets
    bets = [rules.big_blind, rules.small_blind]
    text, street = "", 0
    for event in events:
        while street < event.street:
            totals = [totals[0] + bets[0], totals[1] + bets[1]]
            bets = [0, 0]
            text += "/"
            street += 1
        if event.kind == FOLD:
            text += "f"
        elif event.kind == RAISE:
            bets[event.seat] = event.to
            text += f"r{totals[event.seat] + event.to}"
        else:
            most = rules.stack - totals[event.seat]
            bets[event.seat] = min(max(bets), most)
            text += "c"
    if final == SHOWDOWN:
        text += "/" * (3 - closed)
    return text


class HandLog:
    """Writes hands in playing order (match, half, hand), whatever order they end in.

    The files are temporary until `close(complete=True)` gives them their names.
    """

    def __init__(self, plan: MatchPlan, phh_path: str | None, acpc_path: str | None) -> None:
        self.half = plan.half
        self.writers = [(Path(p), f) for p, f in ((phh_path, phh), (acpc_path, acpc)) if p]
        self.temporary = [path.with_name(f".{path.name}.{os.getpid()}.tmp") for path, _ in self.writers]
        self.files: list[TextIO] = [path.open("w") for path in self.temporary]
        self.waiting: dict[int, list[str]] = {}  # hands that ended before an earlier one
        self.written = 0

    def __call__(self, tables: Tables, ended: Any) -> None:
        for t in ended:
            half = tables.halves[t]
            number = 2 * self.half * half.match + half.half * half.hands + int(tables.meta[t, HAND])
            self.waiting[number] = [write(tables, int(t), number) for _, write in self.writers]
        while self.written in self.waiting:
            for text, file in zip(self.waiting.pop(self.written), self.files, strict=True):
                file.write(text + "\n")
            self.written += 1

    def close(self, complete: bool) -> None:
        for (path, _), temporary, file in zip(self.writers, self.temporary, self.files, strict=True):
            file.close()
            if complete:
                temporary.replace(path)
            else:
                temporary.unlink()
