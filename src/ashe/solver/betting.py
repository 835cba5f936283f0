"""The betting abstraction of heads-up no-limit hold'em: which raises the solved game knows.

Sizes are fractions of the pot after the call ("x-pot raise"), listed by street and by how many bets and raises the
street has seen; the last list of a street serves all later raises. All-in is always possible. Sizes that reach
`all_in_from` of the stack become all-in, and sizes below the legal minimum become the minimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ashe.errors import UserError
from ashe.evolution.settings import check, setting
from ashe.game.engine import CALL, FOLD, RAISE
from ashe.game.rules import HEADS_UP, Rules
from ashe.solver.tree import MAX_ACTIONS, Decision, Terminal, Tree, grow

ALL_IN = -1.0  # the "fraction" of an all-in raise
BUTTON = 1


@dataclass(frozen=True)
class BettingConfig:
    preflop: tuple[tuple[float, ...], ...] = setting(help="raise sizes by number of raises made, in pots")
    flop: tuple[tuple[float, ...], ...] = setting(help="the same on the flop")
    turn: tuple[tuple[float, ...], ...] = setting(help="the same on the turn")
    river: tuple[tuple[float, ...], ...] = setting(help="the same on the river")
    all_in_from: float = setting(0.67, gt=0, le=1, help="share of the stack from which a raise becomes all-in")

    def __post_init__(self) -> None:
        check(self)
        for name in ("preflop", "flop", "turn", "river"):
            levels = getattr(self, name)
            if not levels:
                raise UserError(f"{name}=[] is empty; give at least one list of sizes, [[]] for all-in only")
            for sizes in levels:
                if any(s <= 0 for s in sizes) or list(sizes) != sorted(set(sizes)):
                    raise UserError(f"{name} has the sizes {list(sizes)}; they must be positive and ascending")
                if len(sizes) > MAX_ACTIONS - 3:
                    raise UserError(f"{name} has {len(sizes)} sizes at once; at most {MAX_ACTIONS - 3} are supported")

    def sizes(self, street: int, raises: int) -> Sequence[float]:
        levels = (self.preflop, self.flop, self.turn, self.river)[street]
        return levels[min(raises, len(levels) - 1)]


class Move(NamedTuple):
    """The label of an edge; `fraction` is the size of a raise, or ALL_IN."""

    kind: int
    fraction: float = 0.0


class State(NamedTuple):
    street: int
    actor: int
    totals: tuple[int, int]  # chips put in during the hand
    last_raise: int  # size of the street's last raise, at least the big blind
    raises: int  # bets and raises of this street
    acted: bool  # the other player has acted on this street


def start(rules: Rules = HEADS_UP) -> State:
    blinds = (rules.big_blind + rules.ante, rules.small_blind + rules.ante)
    return State(0, BUTTON, blinds, rules.big_blind, 0, False)


def betting_tree(config: BettingConfig, buckets: Sequence[int], rules: Rules = HEADS_UP) -> tuple[Tree, list[Move]]:
    """The tree of the abstract game; values are in big blinds."""
    unit = 1.0 / rules.big_blind

    def expand(state: State | Terminal) -> Decision | Terminal:
        if isinstance(state, Terminal):
            return state
        me, other = state.totals[state.actor], state.totals[1 - state.actor]
        actions: list[tuple[Move, State | Terminal]] = []
        if other > me:
            actions.append((Move(FOLD), Terminal((-me if state.actor == 0 else me) * unit, False, state.street)))
        actions.append((Move(CALL), _called(state, rules, unit)))
        if other < rules.stack:
            actions += [(move, _raised(state, to)) for move, to in _raises(state, config, rules)]
        return Decision(state.actor, state.street, actions)

    return grow(start(rules), expand, buckets)


def _called(state: State, rules: Rules, unit: float) -> State | Terminal:
    level = max(state.totals)
    if not (state.acted or state.raises):  # the first check of a street, or the limp
        return State(state.street, 1 - state.actor, (level, level), state.last_raise, 0, True)
    if state.street == 3 or level == rules.stack:
        return Terminal(level * unit, True, state.street)
    return State(state.street + 1, 0, (level, level), rules.big_blind, 0, False)


def _raised(state: State, to: int) -> State:
    level = max(state.totals)
    totals = (to, state.totals[1]) if state.actor == 0 else (state.totals[0], to)
    return State(state.street, 1 - state.actor, totals, max(state.last_raise, to - level), state.raises + 1, True)


def _raises(state: State, config: BettingConfig, rules: Rules) -> list[tuple[Move, int]]:
    """Distinct raises as (label, total of the hand)."""
    level = max(state.totals)
    least = level + state.last_raise
    moves: list[tuple[Move, int]] = []
    for fraction in config.sizes(state.street, state.raises):
        to = max(int(level + fraction * 2 * level + 0.5), least)
        if to >= config.all_in_from * rules.stack:
            break
        if not moves or to > moves[-1][1]:
            moves.append((Move(RAISE, fraction), to))
    return [*moves, (Move(RAISE, ALL_IN), rules.stack)]
