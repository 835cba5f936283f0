"""`ashe.match --explain`: what is written is what the rule used (spec, section 5)."""

import json
import sys

import pytest

from ashe.agents.ashe2 import Ashe2Config
from ashe.errors import UserError
from ashe.evolution.champion import save_champion
from ashe.match import main

AGENT = {"kind": "ashe2", "blocks": 3, "size": 4, "hidden": 6, "head": "modulated"}
GAME = {"small_blind": 50, "big_blind": 100, "stack": 20_000, "hands": 100}


@pytest.fixture
def champion(tmp_path):
    config = Ashe2Config(**AGENT)
    path = tmp_path / "champion.npz"
    save_champion(path, config.spec.sample(3, 1)[0] * 2, {"config": {"agent": AGENT, "game": GAME}})
    return path


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["ashe.match", *map(str, arguments), "--quiet"])
    return main()


def test_explanation_of_a_match(champion, tmp_path, monkeypatch, capsys):
    out = tmp_path / "why"
    run(monkeypatch, champion, "TA", "--hands", 200, "--half", 50, "--explain", 40, "--explain-file", out)
    assert "believed in 40 hands" in capsys.readouterr().out
    hands = json.loads((tmp_path / "why.json").read_text())
    assert [h["hand"] for h in hands] == list(range(40))
    assert {h["position"] for h in hands} == {"button", "big blind"}
    decisions = [d for h in hands for d in h["decisions"]]
    assert any(d["node"]["reliable"] for d in decisions)
    assert any(d["line"] for d in decisions)
    for d in decisions:
        assert d["p_win"] == pytest.approx(d["ehs"] ** (1 / d["swre"]), abs=2e-3)
        utilities = {k: v for k, v in d["utilities"].items() if v is not None} | {
            r["raise"]: r["utility"] for r in d["raises"]
        }
        assert d["utility"] == utilities[d["choice"]] == max(utilities.values())
        assert ("fold" in utilities) == (d["to_call"] > 0)
        for r in d["raises"]:
            assert r["phi"] == pytest.approx(r["fold_guess"] ** r["ofre"], abs=2e-3)
    text = (tmp_path / "why.txt").read_text()
    assert text.count("\nhand ") == 39
    assert text.count("<- chosen") == len(decisions)


def test_tree_nodes_in_the_explanation_grow_with_the_match(champion, tmp_path, monkeypatch):
    out = tmp_path / "why"
    run(monkeypatch, champion, "CM", "--hands", 40, "--half", 20, "--explain", 20, "--explain-file", out)
    hands = json.loads((tmp_path / "why.json").read_text())
    for position in ("button", "big blind"):  # first decisions: the root, or the node after the opponent's call
        visits = [h["decisions"][0]["node"]["f"] for h in hands if h["position"] == position]
        assert visits == list(range(10))


def test_who_cannot_explain_is_refused(champion, tmp_path, monkeypatch):
    with pytest.raises(UserError, match="neither HM nor TA"):
        run(monkeypatch, "HM", "TA", "--explain", 3, "--explain-file", tmp_path / "x")
    with pytest.raises(UserError, match="at least 1"):
        run(monkeypatch, champion, "TA", "--explain", 0, "--explain-file", tmp_path / "x")
    with pytest.raises(UserError, match="one process"):
        run(monkeypatch, champion, "TA", "--explain", 3, "--workers", 2, "--explain-file", tmp_path / "x")
