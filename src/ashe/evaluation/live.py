"""One table whose cards come from outside: any registered player plays hands that somebody else deals.

In a match everything about a deck is known beforehand; here cards appear one street at a time and the opponent's stay
hidden, so what the player sees (`Decisions`) is made from its own cards and the board as it lies. Rule players are
asked through the same observation as in the compiled loop. Coin flips come from (seed, hand number), so a session that
is replayed makes the same decisions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ashe.cards.clusters import clusters_so_far
from ashe.cards.deck import check_hole_and_board
from ashe.cards.equity import ehs, percentile
from ashe.cards.random import derive_key, mix64
from ashe.errors import IllegalActionError, UserError
from ashe.evaluation import kernel as k
from ashe.game import engine as e
from ashe.game.hand import Hand
from ashe.game.rules import HEADS_UP, Rules
from ashe.game.view import BOARD_CARDS, Action, View, legal_error
from ashe.jit import njit
from ashe.opponents.dispatch import decide
from ashe.players.base import DecisionArrays, FinishedArrays, HandResult, Player, RulePlayer

_ONE = np.zeros(1, np.int64)


@njit
def _rule_answer(number, row, seat, meta, memory, keys, ehs, percentile, stack, style_keys):  # type: ignore[no-untyped-def]
    """The rule's answer, observation and all in compiled code: random streams do not fit into Python's calls."""
    return decide(number, k.observe(row, 0, 0, seat, meta, memory, 0, keys, ehs, percentile, stack, style_keys))


class LiveTable:
    """`player` at one table. Call `start`, then `deal` and `act` as things happen and `decide` when it is its turn."""

    def __init__(self, player: Player, seed: int, rules: Rules = HEADS_UP) -> None:
        self.player, self.seed, self.rules = player, seed, rules
        self.hand = Hand(rules)
        self.number, self.seat = -1, 0
        self.hole: tuple[int, ...] = ()
        self.board: tuple[int, ...] = ()
        self.key, self.memory = np.uint64(0), 0
        self.style_keys = np.array([[derive_key(seed, "style", 0, slot) for slot in (0, 1)]], np.uint64)
        self.strengths = np.full(4, -1.0, np.float32)
        self.percentile = np.float32(0.0)
        self.shown: tuple[int, int] | None = None
        self.chips = 0
        if not isinstance(player, RulePlayer):
            player.begin(1, np.array([derive_key(seed, "mind", 0, 0, 0)], np.uint64))

    def start(self, number: int, seat: int, hole: Sequence[int]) -> None:
        """Hand `number` begins; the player sits in `seat` (0 big blind, 1 button)."""
        check_hole_and_board(hole, ())
        self.hand = Hand(self.rules)
        self.number, self.seat, self.hole, self.board = number, seat, tuple(int(c) for c in hole), ()
        self.key, self.memory = np.uint64(derive_key(self.seed, "live", number)), 0
        self.strengths[:] = -1.0
        self.shown, self.chips = None, 0
        self._look()

    def deal(self, board: Sequence[int]) -> None:
        """The board as it lies now: the cards so far and those of the next street (all of them after an all-in)."""
        cards = tuple(int(c) for c in board)
        check_hole_and_board(self.hole, cards)
        if cards[: len(self.board)] != self.board:
            raise UserError(f"the board {cards} does not continue {self.board}: cards do not change once they lie")
        for shown in BOARD_CARDS[1:]:
            if len(self.board) < shown <= len(cards):
                self.board = cards[:shown]
                self._look()

    def _look(self) -> None:
        self.strengths[BOARD_CARDS.index(len(self.board))] = ehs(self.hole, self.board)
        self.percentile = np.float32(percentile(self.hole, self.board))

    def act(self, action: Action) -> None:
        """Whoever's turn it is does this."""
        self.hand.act(action)

    def decide(self) -> Action:
        """The player's answer; the table does not move (call `act` with it)."""
        hand = self.hand
        if hand.actor != self.seat:
            raise UserError(f"seat {self.seat} is not to act: seat {hand.actor} is")
        if len(self.board) != BOARD_CARDS[hand.street]:
            needed = BOARD_CARDS[hand.street]
            raise UserError(f"the board has {len(self.board)} cards, street {hand.street} needs {needed}")
        if isinstance(self.player, RulePlayer):
            return self._rule(self.player.number)
        kinds, totals = self.player.act(LiveDecision(self))
        action = Action(int(kinds[0]), int(totals[0]) if kinds[0] == e.RAISE else 0)
        error = legal_error(action.kind, action.to, hand.call_cost, *hand.raise_range)
        if error:
            raise IllegalActionError(f"player {self.player.name}, {error}")
        return action

    def _rule(self, number: int) -> Action:
        strength = np.full((1, 2, 4), self.strengths.max(), np.float32)
        strength[0, self.seat] = self.strengths
        quantile = np.full((1, 2, 4), self.percentile, np.float32)
        meta = np.zeros((1, 6), np.int64)
        meta[0, k.HAND] = self.number
        kind, to, self.memory = _rule_answer(
            number, self.hand.row, self.seat, meta, self.memory, np.array([self.key]), strength, quantile,
            self.rules.stack, self.style_keys,
        )  # fmt: skip
        return Action(int(kind), int(to) if kind == e.RAISE else 0)

    def finish(self, chips: int, shown: tuple[int, int] | None = None) -> None:
        """The hand is over, or abandoned: the player is told. `shown` is the opponent's hand after a showdown."""
        self.chips, self.shown = chips, shown
        if not isinstance(self.player, RulePlayer) and getattr(self.player, "learns", True):
            self.player.hand_over(LiveResult(self))

    def textures(self) -> NDArray[np.int8]:
        """[1, 4] texture clusters by street, -1 on streets to come."""
        return clusters_so_far(self.board)

    def history(self) -> NDArray[np.int64]:
        out = np.zeros((1, k.MAX_ACTIONS, 4), np.int64)
        for i, event in enumerate(self.hand.history):
            out[0, i] = event
        return out


class LiveDecision:
    """The player's decision at a live table (`Decisions`)."""

    tables = _ONE

    def __init__(self, table: LiveTable) -> None:
        self.table = table

    def __len__(self) -> int:
        return 1

    def view(self, i: int) -> View:
        t, hand = self.table, self.table.hand
        low, high = hand.raise_range
        return View(
            seat=t.seat, seats=2, street=hand.street, hole=t.hole, board=t.board, ehs=float(t.strengths[hand.street]),
            pot=hand.pot, call_cost=hand.call_cost, min_raise_to=low, max_raise_to=high,
            bet=int(hand.row[0, e.BET]), big_blind=t.rules.big_blind, stacks=hand.stacks, bets=hand.bets,
            n_bet=int(hand.row[0, e.N_BET]), history=tuple(hand.history), hand=t.number,
        )  # fmt: skip

    def arrays(self) -> DecisionArrays:
        t, hand = self.table, self.table.hand
        board = np.full((1, 5), -1, np.int64)
        board[0, : len(t.board)] = t.board
        return DecisionArrays(
            tables=self.tables,
            state=hand.row.copy(),
            hole=np.array([t.hole], np.int64),
            board=board,
            ehs=t.strengths[hand.street : hand.street + 1].copy(),
            percentile=np.array([t.percentile]),
            strengths=t.strengths[None, :].copy(),
            textures=t.textures(),
            history=t.history(),
            length=np.array([len(hand.history)]),
            keys=np.array([k.decision_key(t.key, t.seat, hand.row[0, e.DECISIONS])], np.uint64),
            hand_keys=np.array([mix64(t.key, np.uint64(t.seat))], np.uint64),
        )


class LiveResult:
    """The hand that ended at a live table (`FinishedHands`)."""

    tables = _ONE

    def __init__(self, table: LiveTable) -> None:
        self.table = table

    def __len__(self) -> int:
        return 1

    def result(self, i: int) -> HandResult:
        t = self.table
        return HandResult(0, t.number, t.seat, t.chips, t.board, t.shown)

    def arrays(self) -> FinishedArrays:
        t = self.table
        shown, strengths = np.full((1, 2), -1, np.int64), np.full((1, 4), -1.0, np.float32)
        if t.shown is not None:
            shown[0] = t.shown
            for street, cards in enumerate(BOARD_CARDS):
                strengths[0, street] = ehs(t.shown, t.board[:cards])
        return FinishedArrays(
            tables=self.tables,
            seats=np.array([t.seat]),
            state=t.hand.row.copy(),
            chips=np.array([t.chips]),
            strengths=t.strengths[None, :].copy(),
            textures=t.textures(),
            shown=shown,
            shown_strengths=strengths,
            history=t.history(),
            length=np.array([len(t.hand.history)]),
        )
