"""A stand-in for Slumbot's web service on 127.0.0.1: its protocol, our engine, one of our players behind it.

It refuses illegal actions and unknown tokens, rotates tokens, and misbehaves where `faults(request number)` says so:
`drop` (nothing happens, the connection closes), `lose` (the action counts, the answer is lost), `garbage` (the answer
is no JSON), `lie` (the answer contradicts itself), `error` (HTTP 500), `stall` (no answer in time).
"""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from ashe.cards.deck import card_name
from ashe.cards.random import derive_key, shuffle_deck
from ashe.cards.rank import rank7
from ashe.errors import UserError
from ashe.evaluation.live import LiveTable
from ashe.game import engine as e
from ashe.game.view import BOARD_CARDS
from ashe.players.registry import make_player
from ashe.slumbot.protocol import write_actions

STALL = 3.0  # seconds


class Dealer:
    """The game behind the service: one client at a time is enough for tests."""

    def __init__(self, bot: str, seed: int) -> None:
        self.table = LiveTable(make_player(bot), seed)
        self.seed, self.hands, self.tokens = seed, 0, 0
        self.token = ""
        self.running = False
        self.winnings: dict[int, int] = {}  # of every finished hand, the client's

    def new_hand(self, body: dict) -> dict:
        if body.get("token", self.token) != self.token:
            return {"error_msg": "Unknown token"}
        cards = np.empty(9, np.int64)
        shuffle_deck(np.uint64(derive_key(self.seed, "standin", self.hands)), 9, cards)
        self.client_hole, self.bot_hole, self.board = cards[:2], cards[2:4], cards[4:]
        self.client_pos = self.hands % 2
        self.table.start(self.hands, 1 - self.client_pos, self.bot_hole)
        self.hands += 1
        self.running = True
        return self._answer()

    def act(self, body: dict) -> dict:
        if body.get("token") != self.token:
            return {"error_msg": "Unknown token"}
        if not self.running:
            return {"error_msg": "No hand is being played"}
        incr, hand = body.get("incr", ""), self.table.hand
        try:
            if incr == "f":
                hand.fold()
            elif (incr == "k" and not hand.call_cost) or (incr == "c" and hand.call_cost):
                hand.call()
            elif incr[:1] == "b" and incr[1:].isdecimal():
                hand.raise_to(int(incr[1:]))
            else:
                return {"error_msg": f"Illegal action {incr}"}
        except UserError as error:
            return {"error_msg": f"Illegal action {incr}: {error}"}
        return self._answer()

    def _answer(self) -> dict:
        """Let the bot act until it is the client's turn or the hand is over."""
        hand, table = self.table.hand, self.table
        while not hand.over and hand.actor == table.seat:
            table.deal(self.board[: BOARD_CARDS[hand.street]])
            table.act(table.decide())
        self.tokens += 1
        self.token = f"token-{self.seed}-{self.tokens}"
        street = int(hand.row[0, e.CLOSED]) if hand.over else hand.street
        shown = 5 if hand.street == e.SHOWDOWN else BOARD_CARDS[street]
        out = {
            "token": self.token, "action": write_actions(hand.history), "client_pos": self.client_pos,
            "hole_cards": [card_name(int(c)) for c in self.client_hole],
            "board": [card_name(int(c)) for c in self.board[:shown]], "session_num_hands": self.hands,
        }  # fmt: skip
        if hand.over:
            ranks = [int(rank7(*map(int, self.board), *map(int, hole))) for hole in (self.client_hole, self.bot_hole)]
            won = hand.payoffs(ranks if self.client_pos == 0 else ranks[::-1])[self.client_pos]
            table.deal(self.board[:shown])
            table.finish(-won, tuple(int(c) for c in self.client_hole) if hand.street == e.SHOWDOWN else None)
            self.winnings[self.hands - 1] = won
            self.running = False
            out |= {"winnings": won, "bot_hole_cards": [card_name(int(c)) for c in self.bot_hole]}
        return out


class StandIn:
    """`with StandIn("TA") as service: service.base`"""

    def __init__(self, bot: str = "TA", seed: int = 1, faults: Callable[[int], str | None] = lambda n: None) -> None:
        self.dealer = Dealer(bot, seed)
        self.requests = 0
        self.lock = threading.Lock()
        self.faults = faults
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests += 1
                fault = owner.faults(owner.requests)
                if fault == "drop":
                    self.close_connection = True
                    return
                if fault == "error":
                    self._send(500, b"Internal Server Error")
                    return
                with owner.lock:
                    answer = owner.dealer.new_hand(body) if self.path == "/api/new_hand" else owner.dealer.act(body)
                if fault == "lose":
                    self.close_connection = True
                    return
                if fault == "stall":
                    time.sleep(STALL)
                    return
                if fault == "lie" and "board" in answer:
                    answer = {**answer, "board": [*answer["hole_cards"], "2c"]}
                self._send(200, b"<html>Please wait</html>" if fault == "garbage" else json.dumps(answer).encode())

            def _send(self, status: int, raw: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "StandIn":
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()
