"""`python -m ashe.ceilings`: which candidate becomes the ceiling, and what reports read."""

import json
import sys

import pytest

from ashe import ceilings as c
from ashe.errors import UserError
from ashe.evaluation.results import ResultStore, StoredMatch
from ashe.evaluation.stats import Estimate
from ashe.reports import shares

COMMAND = ["ashe.ceilings", "fold", "--hands", "40", "--attack", "LBR@{rule}", "minraise"]


def match(a, b, mean, width, hands=20_000):
    return StoredMatch(a, b, hands, 1_000, 1, Estimate(0, 0, 1), Estimate(mean, width, hands // 2), {}, [])


def test_the_highest_lower_end_wins():
    matches = [
        match("lucky", "TP", 2_000, 1_500),
        match("BR@TP", "TP", 1_100, 40),
        match("LBR@TP", "TP", 1_020, 30),
        match("short", "TP", 9_000, 1, hands=200),
        match("other rule", "TA", 9_000, 1),
    ]
    best = c.candidates("TP", matches)
    assert [x.source for x in best] == ["BR@TP", "LBR@TP", c.CALIBRATION, "lucky"]
    assert c.candidates("TP", matches[:1])[0] == c.Candidate(c.CALIBRATION, 991, 31)
    assert c.table_of(["TP", "random"], matches, kept=1) == {
        "TP": {"source": "BR@TP", "mbb": 1_100, "ci95": 40, "hands": 20_000, "seed": 1,
               "others": [{"source": "LBR@TP", "mbb": 1_020, "ci95": 30, "hands": 20_000, "seed": 1}]},
    }  # fmt: skip


def test_an_exact_value_decides(monkeypatch):
    monkeypatch.setattr(c, "exact", lambda rule: c.Candidate(c.EXACT, 41_696.0, 0.0))
    best = c.candidates("HM", [match("lucky", "HM", 60_000, 100)])
    assert [x.source for x in best] == [c.EXACT, "lucky", c.CALIBRATION]


def test_command(tmp_path, monkeypatch, capsys):
    """Plays, keeps the matches, plays nothing again, and leaves other rules alone."""
    monkeypatch.setattr(c, "LEAST_HANDS", 40)
    out = tmp_path / "ceilings.json"
    out.write_text(json.dumps({"players": {"TA": {"mbb": 1.0, "ci95": 2.0, "source": "x", "others": []}}}))
    monkeypatch.setattr(sys, "argv", [*COMMAND, "--experiments", str(tmp_path), "--out", str(out)])
    assert c.main() == 0
    assert "LBR@fold" in capsys.readouterr().out
    players = json.loads(out.read_text())["players"]
    assert players["fold"]["mbb"] == 750.0
    assert [x["source"] for x in players["fold"]["others"]] == ["minraise"]
    assert players["TA"]["mbb"] == 1.0
    store = ResultStore(tmp_path / "ceilings" / "results.json")
    assert len(list(c.current(store))) == 2
    monkeypatch.setattr("ashe.evaluation.results._play", lambda plan: pytest.fail("played again"))
    assert c.main() == 0


@pytest.mark.parametrize("rule", ["RG", "EQ", "XX"])
def test_only_static_rules(rule):
    with pytest.raises(UserError):
        c.check_rules([rule])


@pytest.mark.parametrize(
    ("given", "table", "message"),
    [(["--hands", "3"], None, "even number"), (["--attack", "XX"], None, "unknown player"), ([], "{", "no table")],
)
def test_bad_input_is_refused_before_work(given, table, message, tmp_path, monkeypatch):
    out = tmp_path / "ceilings.json"
    if table is not None:
        out.write_text(table)
    monkeypatch.setattr(sys, "argv", ["ashe.ceilings", "TA", *given, "--experiments", str(tmp_path), "--out", str(out)])
    with pytest.raises(UserError, match=message):
        c.main()


def test_shipped_ceilings():
    """All eight training opponents have one, no lower than the calibration runs' unless it is exact."""
    known = shares.ceilings()
    for rule, (mean, width) in c.CALIBRATED.items():
        assert known[rule].source == c.EXACT or known[rule].mbb - known[rule].ci95 >= mean - width
    assert known["CM"].mbb == pytest.approx(50_995, abs=1)
    assert shares.share_text(25_497, "CM") == "50%"
    assert shares.share_text(100, "EQ") == "-"
    assert "exact: HM, CM" in shares.origin()
