"""Many heads-up tables played in lock-step: the compiled loop, and the external players it stops for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ashe.cards.random import derive_key
from ashe.errors import IllegalActionError, UserError
from ashe.evaluation import kernel as k
from ashe.game import engine as e
from ashe.game.deal import Deal
from ashe.game.rules import HEADS_UP, Rules
from ashe.game.view import BOARD_CARDS, Event, View, legal_error
from ashe.opponents.dispatch import EXTERNAL
from ashe.players.base import DecisionArrays, FinishedArrays, HandResult, Player, RulePlayer

Array = NDArray[np.int64]


@dataclass(frozen=True)
class HalfMatch:
    """One table: `hands` hands from deck row `first` of the deal; `match` and `half` name its random streams."""

    match: int
    half: int
    first: int
    hands: int


class Tables:
    """The half matches of two players on one deal."""

    def __init__(
        self,
        players: tuple[Player, Player],
        deal: Deal,
        halves: list[HalfMatch],
        seed: int,
        rules: Rules = HEADS_UP,
    ) -> None:
        if rules.stack // rules.big_blind + 16 > k.MAX_ACTIONS:  # raises of one big blind, and a call or check each
            raise UserError(
                f"stack is {rules.stack} with a big blind of {rules.big_blind}; matches are played with at most "
                f"{k.MAX_ACTIONS - 16} big blinds"
            )
        count, hands = len(halves), max(h.hands for h in halves)
        self.players, self.deal, self.halves, self.rules = players, deal, halves, rules
        self.state = e.new_tables(count)
        self.meta = np.zeros((count, 6), np.int64)
        for t, half in enumerate(halves):
            self.meta[t, : k.STATUS] = (half.first, half.half, 0, half.hands)
        numbers = [p.number if isinstance(p, RulePlayer) else EXTERNAL for p in players]
        self.codes = np.tile(np.array(numbers, np.int64), (count, 1))
        self.memory = np.zeros((count, 2), np.int64)
        self.blinds = np.array([rules.small_blind, rules.big_blind, rules.ante, rules.stack, rules.stack], np.int64)
        # A style is drawn per match and slot, the same in both halves: that is what makes the halves duplicates.
        self.style_keys = np.array(
            [[derive_key(seed, "style", h.match, slot) for slot in (0, 1)] for h in halves], np.uint64
        )
        self.mind_keys = np.array(
            [[derive_key(seed, "mind", h.match, h.half, slot) for slot in (0, 1)] for h in halves], np.uint64
        )
        self.won = np.zeros((count, hands), np.int64)
        self.adjusted = np.zeros((count, hands), np.float64)
        self.stats = np.zeros((count, 2, 4, 5), np.int64)
        self.history = np.zeros((count, k.MAX_ACTIONS, 4), np.int16 if rules.stack < 32_000 else np.int64)

    def run(
        self,
        on_hand: "Callable[[Tables, Array], None] | None" = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Play to the end. `on_hand(tables, ids)` is called with the tables whose hand just ended."""
        external = [slot for slot in (0, 1) if not isinstance(self.players[slot], RulePlayer)]
        for slot in external:
            self.players[slot].begin(len(self.halves), self.mind_keys[:, slot])  # type: ignore[union-attr]
        learners = [slot for slot in external if getattr(self.players[slot], "learns", True)]
        pause = bool(learners) or on_hand is not None or (progress is not None and not external)
        deal = self.deal
        played = 0
        while True:
            k.advance_all(
                self.state, self.meta, self.codes, self.memory, self.blinds, deal.keys, deal.ehs, deal.percentile,
                deal.rank, deal.allin, self.style_keys, self.won, self.adjusted, self.stats, self.history, pause,
            )  # fmt: skip
            status = self.meta[:, k.STATUS]
            over = np.flatnonzero(status == k.HAND_OVER)
            if over.size:
                if on_hand is not None:
                    on_hand(self, over)
                for slot in learners:
                    self.players[slot].hand_over(Finished(self, slot, over))  # type: ignore[union-attr]
            for slot in external:
                asked = np.flatnonzero(status == k.ASKS_0 + slot)
                if asked.size:
                    self._ask(slot, asked)
            if progress is not None:
                done = int(self.meta[:, k.HAND].sum())
                progress(done - played)
                played = done
            if (status == k.DONE).all():
                return

    def _ask(self, slot: int, tables: Array) -> None:
        player = self.players[slot]
        assert not isinstance(player, RulePlayer)
        kinds, totals = player.act(Waiting(self, tables))
        if len(kinds) != len(tables) or len(totals) != len(tables):
            raise IllegalActionError(
                f"player {player.name} gave {len(kinds)} kinds and {len(totals)} amounts for {len(tables)} decisions"
            )
        kinds, totals = np.asarray(kinds, np.int64), np.asarray(totals, np.int64)
        wrong = int(k.first_illegal(self.state, tables, kinds, totals))
        if wrong >= 0:
            t = int(tables[wrong])
            low, high = e.raise_range(self.state, t)
            cost = int(e.call_cost(self.state, t))
            error = legal_error(int(kinds[wrong]), int(totals[wrong]), cost, int(low), int(high))
            raise IllegalActionError(f"player {player.name} at table {t}, {error}")
        slots = np.full(len(tables), slot, np.int64)
        k.apply_answers(self.state, tables, slots, kinds, totals, self.meta, self.history, self.stats)

    def deck_row(self, t: int) -> int:
        return int(self.meta[t, k.FIRST_DECK] + self.meta[t, k.HAND])

    def seat_of(self, t: int, slot: int) -> int:
        return int(slot + self.meta[t, k.HAND] + self.meta[t, k.HALF]) & 1

    def events(self, t: int) -> tuple[Event, ...]:
        """The current hand's actions."""
        return tuple(Event(*(int(x) for x in row)) for row in self.history[t, : self.meta[t, k.HIST_LEN]])

    def view(self, t: int) -> View:
        """What the player to act at table `t` sees."""
        row = self.state[t]
        seat, street = int(row[e.ACTOR]), int(row[e.STREET])
        low, high = e.raise_range(self.state, t)
        deck = self.deck_row(t)
        return View(
            seat=seat,
            seats=2,
            street=street,
            hole=self.deal.hole(deck, seat),
            board=self.deal.board(deck, BOARD_CARDS[street]),
            ehs=float(self.deal.ehs[deck, seat, street]),
            pot=int(row[e.POT]),
            call_cost=int(e.call_cost(self.state, t)),
            min_raise_to=int(low),
            max_raise_to=int(high),
            bet=int(row[e.BET]),
            big_blind=int(row[e.BIG_BLIND]),
            stacks=(int(row[e.STACKS]), int(row[e.STACKS + 1])),
            bets=(int(row[e.BETS]), int(row[e.BETS + 1])),
            n_bet=int(row[e.N_BET]),
            history=self.events(t),
            hand=int(self.meta[t, k.HAND]),
        )

    def result(self, t: int, slot: int) -> HandResult:
        """The hand that just ended at table `t`, as the player in `slot` learns of it."""
        seat, deck = self.seat_of(t, slot), self.deck_row(t)
        shown = self.deal.hole(deck, 1 - seat) if self.state[t, e.STREET] == e.SHOWDOWN else None
        cards = 5 if shown else BOARD_CARDS[int(self.state[t, e.CLOSED])]
        chips = int(self.won[t, self.meta[t, k.HAND]])
        return HandResult(
            t, int(self.meta[t, k.HAND]), seat, chips if slot == 0 else -chips, self.deal.board(deck, cards), shown
        )


class Waiting:
    """The decisions one player is asked for (`Decisions`)."""

    def __init__(self, source: Tables, tables: Array) -> None:
        self.source = source
        self.tables = tables

    def __len__(self) -> int:
        return len(self.tables)

    def view(self, i: int) -> View:
        return self.source.view(int(self.tables[i]))

    def arrays(self) -> DecisionArrays:
        source, n = self.source, len(self.tables)
        out = DecisionArrays(
            tables=self.tables,
            state=np.empty((n, e.WIDTH), np.int64),
            hole=np.empty((n, 2), np.int64),
            board=np.empty((n, 5), np.int64),
            ehs=np.empty(n, np.float32),
            percentile=np.empty(n, np.float32),
            strengths=np.empty((n, 4), np.float32),
            textures=np.empty((n, 4), np.int8),
            history=source.history,
            length=np.empty(n, np.int64),
            keys=np.empty(n, np.uint64),
            hand_keys=np.empty(n, np.uint64),
        )
        deal = source.deal
        k.gather(
            source.state, self.tables, source.meta, deal.decks, deal.keys, deal.ehs, deal.percentile, deal.clusters,
            out.state, out.hole, out.board, out.ehs, out.percentile, out.strengths, out.textures, out.length, out.keys,
            out.hand_keys,
        )  # fmt: skip
        return out

    def __iter__(self) -> Iterator[View]:
        return (self.view(i) for i in range(len(self)))


class Finished:
    """The hands of the player in `slot` that ended at `tables` (`FinishedHands`)."""

    def __init__(self, source: Tables, slot: int, tables: Array) -> None:
        self.source = source
        self.slot = slot
        self.tables = tables

    def __len__(self) -> int:
        return len(self.tables)

    def result(self, i: int) -> HandResult:
        return self.source.result(int(self.tables[i]), self.slot)

    def arrays(self) -> FinishedArrays:
        source, n = self.source, len(self.tables)
        out = FinishedArrays(
            tables=self.tables,
            seats=np.empty(n, np.int64),
            state=np.empty((n, e.WIDTH), np.int64),
            chips=np.empty(n, np.int64),
            strengths=np.empty((n, 4), np.float32),
            textures=np.empty((n, 4), np.int8),
            shown=np.empty((n, 2), np.int64),
            shown_strengths=np.empty((n, 4), np.float32),
            history=source.history,
            length=np.empty(n, np.int64),
        )
        k.gather_finished(
            source.state, self.tables, self.slot, source.meta, source.deal.decks, source.deal.ehs,
            source.deal.clusters, source.won, out.seats, out.state, out.chips, out.strengths, out.textures, out.shown,
            out.shown_strengths, out.length,
        )  # fmt: skip
        return out
