"""What ASHE 2.2 and 2.3 searched before a decision: the tree of states with probabilities and values, for people.

The search of one table is run again, which gives the same values, and its memory is read (`decision.frontier`).
"""

from typing import Any

import numpy as np

from ashe.agents.ashe22_player import Ashe22Player
from ashe.decision.frontier import (
    ABSENT,
    CODE,
    FIRST_VIEW,
    GROUP,
    LINE,
    NODE,
    RAISED,
    REACH,
    ROW,
    ROWS,
    SEAT,
    TO,
    VALUE,
    VIEW_COUNT,
    VIEWS,
    P,
)
from ashe.decision.rue import action_value, search
from ashe.decision.runouts import CLUSTER, SAMPLES
from ashe.game.engine import ACTOR, STREET
from ashe.game.view import STREET_NAMES
from ashe.trees.edges import FOLDS, OPPONENT_NAMES, OWN_NAMES, SLOTS

DEEPEST = 3  # actions


def searched(player: Ashe22Player, t: int, depth: int = DEEPEST) -> dict[str, Any]:
    """The decision of table `t` that has just been made: nodes visited, and the actions as a tree."""
    q, runs = player.search, player.runs
    table = np.array([t], np.int64)
    search(player.mind, player.settings, player.rue, q, player.oare, player.win, runs, table, 1)
    return {"views": int(q.used[VIEWS]), "rows": int(q.used[ROWS]), "actions": _actions(player, 0, depth)}


def _actions(player: Ashe22Player, v: int, depth: int) -> list[dict[str, Any]]:
    """The actions at view v."""
    q, runs = player.search, player.runs
    line = int(q.views[v, LINE])
    own = q.line[line, ACTOR] == q.line[line, SEAT]
    found = []
    for slot in range(SLOTS):
        code = int(q.act[line, slot, CODE])
        if code == ABSENT:
            continue
        entry: dict[str, Any] = {
            "who": "own" if own else "opponent",
            "action": (OWN_NAMES if own else OPPONENT_NAMES)[slot],
            "value": round(float(action_value(q, player.settings, runs, v, slot, bool(own))), 2),
        }
        if slot > 1:
            entry["to"] = int(q.act[line, slot, TO])
        if not own:
            entry["probability"] = round(float(q.prob[q.line[line, ROW], slot]), 4)
        count = int(q.next[v, slot, VIEW_COUNT])
        entry["then"] = _then(code, slot, count)
        if count > 0 and depth > 1:
            first = int(q.next[v, slot, FIRST_VIEW])
            entry["states"] = [_state(player, c, depth - 1) for c in range(first, first + count)]
        found.append(entry)
    return found


def _then(code: int, slot: int, count: int) -> str:
    if slot == FOLDS:
        return "hand over"
    if count > 0:
        return "searched"
    if code == RAISED:
        return "2.0 rule"
    return "not visited" if code == NODE else "showdown"


def _state(player: Ashe22Player, v: int, depth: int) -> dict[str, Any]:
    q, runs = player.search, player.runs
    group, street = int(q.views[v, GROUP]), int(q.line[q.views[v, LINE], STREET])
    return {
        "street": STREET_NAMES[street],
        "cluster": int(runs.group[group, CLUSTER]),
        "run_outs": int(runs.group[group, SAMPLES]),
        "ehs": round(float(runs.mean[group, street]), 4),
        "p_win": round(float(q.belief[v, P]), 4),
        "reach": round(float(q.belief[v, REACH]), 4),
        "value": round(float(q.belief[v, VALUE]), 2),
        "actions": _actions(player, v, depth),
    }


def as_lines(found: dict[str, Any]) -> list[str]:
    """The tree as indented text, two actions deep."""
    lines = [f"    searched {found['views']} states, {found['rows']} steps of OARE"]
    for action in found["actions"]:
        to = f" to {action['to']:,}" if "to" in action else ""
        lines.append(f"    {action['action'] + to:18} {action['then']:12} U {action['value']:+11,.0f}")
        for state in action.get("states", []):
            answers = [a for a in state["actions"] if a.get("probability", 1.0) >= 0.05]
            words = ", ".join(
                f"{a['action']}{' ' + format(a['probability'], '.0%') if 'probability' in a else ''} {a['value']:+,.0f}"
                for a in answers
            )
            beliefs = f"EHS {state['ehs']:.2f} p {state['p_win']:.2f} {state['value']:+9,.0f}"
            lines.append(f"      {state['street']} {beliefs}: {words}")
    return lines
