"""What ASHE 2.0 believed at its decisions: `python -m ashe.match a4 TA --explain N`, as JSON and as text.

Explained are the first N hands of the first half match. One entry per hand; one belief per own decision, with the tree
node it was at, what that node had counted, the estimators' answers and the utility of every action.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.ashe22_explain import as_lines, searched
from ashe.agents.ashe22_player import Ashe22Player
from ashe.cards.deck import card_names
from ashe.errors import UserError
from ashe.evaluation.tables import Tables
from ashe.game.view import STREET_NAMES, View
from ashe.players.base import Decisions, Player
from ashe.trees.edges import FIRST_RAISE, OPPONENT_NAMES, OWN_NAMES, OWN_RAISES
from ashe.trees.prt import FOLDS_LATER, SHOWDOWNS, VISITS

TABLE = 0


def node_counts(player: Ashe2Player, node: int) -> dict[str, Any]:
    """The counts of a tree node: f, c_sd, c_of, s; `reliable` says whether they are many, `else` what stands in."""
    trees = player.mind.trees
    f, shown, folded = (int(trees.counts[node, k]) for k in (VISITS, SHOWDOWNS, FOLDS_LATER))
    strength = round(float(trees.strength[node]) / shown, 4) if shown else None
    instead = "habits" if player.config.habit_visits > 0 and player.config.trees else "defaults"
    return {
        "f": f, "c_sd": shown, "c_of": folded, "s": strength, "reliable": f > player.config.reliable, "else": instead,
    }  # fmt: skip


def line_of(player: Ashe2Player, t: int, view: View) -> list[str]:
    """The path from the root to the current node, in words."""
    m = player.mind
    words = []
    for k in range(int(m.length[t]) - 1):
        edge, node = int(m.edge[t, k]), int(m.path[t, k])
        if edge >= 0:
            words.append(f"opponent {OPPONENT_NAMES[edge]}")
        else:
            if player.config.board_nodes and k > 0 and m.street[t, k] != m.street[t, k - 1]:
                node = int(m.trees.child[node, m.cluster[t, m.street[t, k]]])
            slot = int(np.flatnonzero(m.trees.child[node] == m.path[t, k + 1])[0])
            words.append(f"own {OWN_NAMES[slot]}")
    return words


def belief(player: Ashe2Player, t: int, view: View) -> dict[str, Any]:
    """Everything behind the decision just made at table `t`."""
    m = player.mind
    node, choice = int(m.path[t, m.length[t] - 1]), int(m.choice[t])
    found = searched(player, t) if isinstance(player, Ashe22Player) else None
    u = [None if not np.isfinite(x) else round(float(x), 2) for x in m.u[t]]
    raises = []
    for r in range(OWN_RAISES):
        if m.to[t, r] == 0:
            continue
        child = int(m.trees.child[m.at[t], FIRST_RAISE + r])
        if found is not None:
            entry = {"raise": OWN_NAMES[FIRST_RAISE + r], "to": int(m.to[t, r]), "node": node_counts(player, child)}
            raises.append({**entry, "utility": u[FIRST_RAISE + r]})
            continue
        raises.append(
            {
                "raise": OWN_NAMES[FIRST_RAISE + r],
                "to": int(m.to[t, r]),
                "node": node_counts(player, child),
                "fold_guess": round(float(m.guess[t, r]), 4),
                "ofre": round(float(m.output[t, 1 + r]), 4) if player.config.ofre else None,
                "phi": round(float(m.phi[t, r]), 4),
                "utility": u[FIRST_RAISE + r],
            }
        )
    names = ("fold", "call" if view.call_cost else "check", *OWN_NAMES[FIRST_RAISE:])
    return {
        "street": STREET_NAMES[view.street],
        "board": card_names(view.board),
        "pot": view.pot,
        "to_call": view.call_cost,
        "line": line_of(player, t, view),
        "node": node_counts(player, node),
        "ehs": round(view.ehs, 4),
        "swre": round(float(m.output[t, 0]), 4),
        "p_win": round(float(m.p[t]), 4),
        "utilities": {"fold": u[0], names[1]: u[1]},
        "raises": raises,
        "choice": names[choice],
        "utility": u[choice],
        **({} if found is None else {"searched": found}),
    }


class Explainer:
    """Collects the first `hands` hands of table 0 of the first tables it is attached to."""

    def __init__(self, hands: int) -> None:
        if hands < 1:
            raise UserError(f"--explain {hands}: explain at least 1 hand")
        self.wanted = hands
        self.hands: list[dict[str, Any]] = []
        self._beliefs: list[dict[str, Any]] = []
        self._tables: Tables | None = None
        self._slot = 0

    @staticmethod
    def check(players: tuple[Player, Player]) -> None:
        """Refuse a match in which nobody can explain itself."""
        if not any(isinstance(p, Ashe2Player) for p in players):
            names = " nor ".join(p.name for p in players)
            raise UserError(f"neither {names} can explain its decisions; --explain needs an ASHE 2.x champion")

    def start(self, tables: Tables) -> None:
        """Listen to the first player that explains itself, at the first tables of a match."""
        if self._tables is not None:
            return
        for slot, player in enumerate(tables.players):
            if isinstance(player, Ashe2Player):
                self._tables, self._slot = tables, slot
                player.listener = self._note
                return

    def _note(self, player: Ashe2Player, decisions: Decisions) -> None:
        if len(self.hands) == self.wanted:
            return
        for i, t in enumerate(decisions.tables):
            if t == TABLE:
                self._beliefs.append(belief(player, int(t), decisions.view(i)))

    def __call__(self, tables: Tables, ended: NDArray[np.int64]) -> None:
        """A hand has ended (`OnHand`)."""
        if tables is not self._tables or TABLE not in ended or len(self.hands) == self.wanted:
            return
        result = tables.result(TABLE, self._slot)
        self.hands.append(
            {
                "hand": result.hand,
                "player": tables.players[self._slot].name,
                "opponent": tables.players[1 - self._slot].name,
                "position": "button" if result.seat == 1 else "big blind",
                "hole": card_names(tables.deal.hole(tables.deck_row(TABLE), result.seat)),
                "decisions": self._beliefs,
                "board": card_names(result.board),
                "shown": card_names(result.shown) if result.shown else None,
                "chips": result.chips,
            }
        )
        self._beliefs = []


def as_text(hands: list[dict[str, Any]]) -> str:
    """The explanation as people read it."""
    return "\n\n".join(_hand_text(hand) for hand in hands) + "\n"


def _hand_text(hand: dict[str, Any]) -> str:
    lines = [f"hand {hand['hand'] + 1}: {hand['player']} on the {hand['position']} with {hand['hole']}"]
    for d in hand["decisions"]:
        lines += _decision_text(d)
    shown = f", {hand['opponent']} showed {hand['shown']}" if hand["shown"] else ""
    end = f"  {hand['chips']:+,} chips{shown}" + (f"; board {hand['board']}" if hand["board"] else "")
    return "\n".join([*lines, end])


def _decision_text(d: dict[str, Any]) -> list[str]:
    board = f" {d['board']}" if d["board"] else ""
    lines = [
        f"  {d['street']}{board}: pot {d['pot']:,}, to call {d['to_call']:,}; line: {', '.join(d['line']) or 'root'}",
        f"    node: {_node_text(d['node'])}",
        f"    EHS {d['ehs']:.3f}, SWRE {d['swre']:.3f}: p_win {d['p_win']:.3f}"
        if "searched" not in d
        else f"    EHS {d['ehs']:.3f}: p_win {d['p_win']:.3f}",
    ]
    if "searched" in d:
        return [*lines, *as_lines(d["searched"]), f"    chosen: {d['choice']}, U {d['utility']:+,.0f}"]
    for name, utility in d["utilities"].items():
        if utility is not None:
            lines.append(f"    {name:8} {'':38}U {utility:+11,.0f}{_mark(name, d)}")
    for r in d["raises"]:
        answer = f"OFRE {r['ofre']:.3f}" if r["ofre"] is not None else f"counts {r['fold_guess']:.3f}"
        words = f"to {r['to']:<6,} {answer} phi {r['phi']:.3f} f {r['node']['f']}"
        lines.append(f"    {r['raise']:8} {words:38}U {r['utility']:+11,.0f}{_mark(r['raise'], d)}")
    return lines


def _mark(name: str, decision: dict[str, Any]) -> str:
    return "  <- chosen" if decision["choice"] == name else ""


def _node_text(node: dict[str, Any]) -> str:
    if node["f"] == 0:
        return f"not visited yet, {node['else']}"
    strength = "" if node["s"] is None else f", shown EHS {node['s']:.3f}"
    trust = "" if node["reliable"] else f" (few: {node['else']} count, too)"
    return f"{node['f']} visits{trust}, showdown {node['c_sd']}, opponent folded later {node['c_of']}{strength}"
