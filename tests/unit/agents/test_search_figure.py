"""The figure of a search, from made-up data."""

from ashe.reports.search_figure import _Layout, search_figure


def own(name, value, states=(), then="searched", **more):
    return {"who": "own", "action": name, "value": value, "then": then, "states": list(states), **more}


def opponent(name, value, probability, states=()):
    then = "searched" if states else "hand over"
    return {
        "who": "opponent",
        "action": name,
        "value": value,
        "probability": probability,
        "then": then,
        "states": states,
    }


def state(cluster, run_outs, value, actions):
    return {
        "street": "turn", "cluster": cluster, "run_outs": run_outs, "ehs": 0.5, "p_win": 0.6, "reach": 0.1,
        "value": value, "actions": actions,
    }  # fmt: skip


ANSWERS = [opponent("fold", 300.0, 0.6), opponent("call", -200.0, 0.38), opponent("> 4 pot", -900.0, 0.02)]
FOUND = {
    "views": 7,
    "actions": [
        own("fold", -100.0, then="hand over"),
        own("call", 20.0, then="showdown"),
        own("1 pot", 104.0, [state(1, 10, 90.0, ANSWERS), state(4, 30, 110.0, ANSWERS), state(2, 5, 80.0, [])], to=400),
        own("2 pot", -5.0, then="2.0 rule", to=700),
        own("all-in", -800.0, then="2.0 rule", to=20_000),
    ],
}


def test_boxes_of_a_search():
    layout = _Layout(least=0.05, states=2)
    layout.state(FOUND, "start", 104.0, 0, True)
    texts = {text: (column, value, bold) for column, _, text, value, bold in layout.boxes}
    assert texts["1 pot to 400\nU +104 (+1 boards)"] == (1, 104.0, True)
    assert texts["turn 4, EHS 0.50\np 0.60, +110"] == (2, 110.0, True)  # the commonest boards
    assert texts["turn 1, EHS 0.50\np 0.60, +90"] == (2, 90.0, False)
    assert "call\nU +20, showdown" in texts
    assert "2 pot to 700\nU -5, 2.0 rule" in texts
    assert not any("> 4 pot" in text for text in texts)  # 2 %
    bold = [text for _, _, text, _, heavy in layout.boxes if heavy]
    assert "opp. fold, 60%\nU +300" in bold  # the likeliest answer
    assert not any("opp. call" in text for text in bold)
    rows = {text: row for _, row, text, _, _ in layout.boxes}
    leaves = [
        row for column, row, _, _, _ in layout.boxes if (column, row) not in {(c, h) for c, h, _, _ in layout.lines}
    ]
    assert sorted(leaves) == list(range(layout.leaves))
    assert rows["start"] == sum(there for column, _, there, _ in layout.lines if column == 0) / 5


def test_later_states_show_the_best_own_actions():
    layout = _Layout(least=0.05, states=1)
    layout.state(
        {"views": 1, "actions": [own("call", 0.0, [state(0, 1, 0.0, FOUND["actions"])])]}, "start", 0.0, 0, True
    )
    later = {text.split(" ")[0].split("\n")[0] for column, _, text, _, _ in layout.boxes if column == 3}
    assert later == {"call", "1", "2"}


def test_it_is_drawn():
    assert search_figure(FOUND, "one decision").startswith(b"\x89PNG")
    assert search_figure({"views": 1, "actions": [own("call", 0.0, then="showdown")]}, "nothing to search")
