"""A session: a player of ours against the service, hand after hand, in a file that a later run continues.

The file has one JSON object a line: a header (who plays, with which seed), then every hand with its cards, betting and
winnings, written when the hand is over. To continue, the hands of the file are played through the player again without
the service: it must decide as it did then (a program that changed is refused), and an adaptive player has learned what
it knew when the session stopped.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ashe.cards.deck import card_names, parse_cards
from ashe.errors import UserError
from ashe.evaluation.live import LiveTable
from ashe.evaluation.stats import Z95, Estimate
from ashe.game import engine as e
from ashe.game.view import BOARD_CARDS, Action
from ashe.players.registry import make_player
from ashe.slumbot.client import Client, LostHandError
from ashe.slumbot.protocol import ProtocolError, RefusedError, Reply, read_actions, write_action, write_actions

FORMAT = 1


@dataclass(frozen=True)
class HandRecord:
    """One hand, seen from our side. A void hand has no winnings: an answer of the service got lost."""

    hand: int
    seat: int
    hole: str
    board: str
    action: str
    winnings: int | None
    shown: str | None
    void: str | None = None


class SessionFile:
    """The file of a session; `path` None keeps nothing."""

    def __init__(self, path: Path | None, hero: str, seed: int) -> None:
        self.path = path
        self.header = {"ashe_slumbot_session": FORMAT, "hero": hero, "seed": seed}
        self.records: list[HandRecord] = []
        if path is not None and path.exists() and path.stat().st_size:
            self._read(path)
        elif path is not None:
            self._append(self.header)

    def _read(self, path: Path) -> None:
        text = path.read_text()
        lines = text.splitlines()
        whole = len(lines) if text.endswith("\n") else len(lines) - 1  # a crash may have cut the last line
        try:
            header, *rows = (json.loads(line) for line in lines[:whole])
            self.records = [HandRecord(**row) for row in rows]
        except (ValueError, TypeError) as error:
            raise UserError(f"session {path} is damaged ({error}): name another file") from error
        if header != self.header:
            raise UserError(
                f"session {path} belongs to hero {header.get('hero')} and seed {header.get('seed')}, not to "
                f"{self.header['hero']} and {self.header['seed']}: name another file or the same player and seed"
            )
        if whole < len(lines):
            with path.open("r+") as file:
                file.truncate(sum(len(line.encode()) + 1 for line in lines[:whole]))

    def add(self, record: HandRecord) -> None:
        self.records.append(record)
        if self.path is not None:
            self._append(asdict(record))

    def _append(self, row: dict[str, Any]) -> None:
        assert self.path is not None
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Session:
    """Plays `hero` against the service behind `client`."""

    def __init__(self, hero: str, client: Client, seed: int = 1, path: Path | None = None) -> None:
        self.client = client
        self.table = LiveTable(make_player(hero), seed)
        self.file = SessionFile(path, hero, seed)
        for record in self.file.records:
            self._replay(record)

    @property
    def records(self) -> list[HandRecord]:
        return self.file.records

    def play(self, hands: int, told: Callable[[HandRecord], None] | None = None) -> None:
        """Go on until `hands` hands have been played in all (void ones do not count)."""
        while sum(r.void is None for r in self.records) < hands:
            record = self._hand(len(self.records))
            self.file.add(record)
            if told is not None:
                told(record)

    def _hand(self, number: int) -> HandRecord:
        reply = self.client.new_hand()
        table = self.table
        table.start(number, reply.seat, reply.hole)
        try:
            while True:
                self._catch_up(reply)
                if reply.winnings is not None:
                    break
                action = table.decide()
                incr = write_action(action, table.hand.call_cost)
                table.act(action)
                reply = self._continued(self.client.act(incr), reply)
        except RefusedError as refusal:
            if "token" in str(refusal).lower():  # our place at the service is gone: so is the hand
                self.client.token = None
                table.finish(0)
                return self._record(reply, None, str(refusal))
            before = write_actions(table.hand.history[:-1])
            raise UserError(f"hand {number}: the service refuses {incr!r} after {before!r}: {refusal}") from refusal
        except (LostHandError, ProtocolError) as problem:
            table.finish(0)
            return self._record(reply, None, str(problem))
        showdown = table.hand.street == e.SHOWDOWN
        table.finish(reply.winnings, reply.shown if showdown else None)
        return self._record(reply, reply.winnings, None)

    def _continued(self, new: Reply, old: Reply) -> Reply:
        """A reply must go on from the hand we know."""
        known = tuple(self.table.hand.history)
        if (new.seat, new.hole) != (old.seat, old.hole) or new.board[: len(old.board)] != old.board:
            raise ProtocolError("the reply belongs to another hand")
        if new.actions[: len(known)] != known:
            raise ProtocolError("the reply does not continue the betting")
        return new

    def _catch_up(self, reply: Reply) -> None:
        """Bring the table to the state of the reply: the opponent's actions and the cards between them."""
        table = self.table
        for event in reply.actions[len(table.hand.history) :]:
            table.deal(reply.board[: BOARD_CARDS[event.street]])
            table.act(Action(event.kind, event.to))
        table.deal(reply.board)

    def _record(self, reply: Reply, winnings: int | None, void: str | None) -> HandRecord:
        shown = card_names(reply.shown) if reply.shown else None
        betting = write_actions(self.table.hand.history)
        return HandRecord(
            self.table.number, reply.seat, card_names(reply.hole), card_names(reply.board), betting, winnings, shown,
            void,
        )  # fmt: skip

    def _replay(self, record: HandRecord) -> None:
        """Let the player live through a recorded hand."""
        table = self.table
        try:
            hole, board = parse_cards(record.hole), tuple(parse_cards(record.board))
            past = read_actions(record.action)
            table.start(record.hand, record.seat, hole)
            for event in past.history:
                table.deal(board[: BOARD_CARDS[event.street]])
                if event.seat == record.seat and table.decide() != Action(event.kind, event.to):
                    raise UserError(
                        f"hand {record.hand} of the session was played differently by this version of "
                        f"{self.file.header['hero']}: start a new session file"
                    )
                table.act(Action(event.kind, event.to))
            table.deal(board)
        except ProtocolError as error:
            raise UserError(f"session {self.file.path} is damaged: {error}; name another file") from error
        shown = parse_cards(record.shown) if record.shown and past.street == e.SHOWDOWN else None
        table.finish(record.winnings or 0, (shown[0], shown[1]) if shown else None)

    def estimate(self) -> Estimate:
        """mBB/hand with a 95 % interval over single hands: the service deals, so there are no duplicates."""
        return estimate_of(self.records, self.table.rules.big_blind)


def finished(records: list[HandRecord]) -> Iterator[int]:
    return (r.winnings for r in records if r.winnings is not None)


def estimate_of(records: list[HandRecord], big_blind: int) -> Estimate:
    won = np.array(list(finished(records)), np.float64) * 1000.0 / big_blind
    if not len(won):
        return Estimate(0.0, float("inf"), 0)
    width = Z95 * float(won.std(ddof=1)) / len(won) ** 0.5 if len(won) > 1 else float("inf")
    return Estimate(float(won.mean()), width, len(won))
