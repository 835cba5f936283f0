"""The reports of chapters 6 to 8 on tiny genomes."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from ashe import report as report_command
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ranges import RangeRecord
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan
from ashe.evaluation.protocol import Protocol, play_protocol
from ashe.evaluation.results import ResultStore
from ashe.evaluation.stats import Estimate
from ashe.evaluation.tournament import Tournament
from ashe.evolution.champion import save_champion
from ashe.evolution.settings import to_mapping
from ashe.reports import versions, versions_tournament
from ashe.reports.published import published
from ashe.reports.shares import ceiling_of
from ashe.reports.versions_plan import CHAPTERS, TRAINING, VERSIONS, Comparison, HreAccuracy, play

TINY = Ashe2Config(blocks=1, size=2, hidden=3, head="modulated")
GAME = {"small_blind": 50, "big_blind": 100, "stack": 20_000}


def champion(folder, seed):
    folder.mkdir(parents=True)
    about = {"config": {"name": "x", "agent": to_mapping(TINY), "game": GAME}, "metrics": {"fitness": {"best": seed}}}
    save_champion(folder / "champion.npz", TINY.spec.sample(seed, 1)[0] * 3, about)
    return str(folder)


@pytest.fixture
def assets(tmp_path, monkeypatch):
    """Two shipped champions of ASHE 2.0, one of 2.1; no EQ."""
    folder = tmp_path / "assets"
    for seed, name in enumerate(("a4", "a4_s2", "ashe21_desktop"), 1):
        champion(folder / "champions" / name, seed)
    monkeypatch.setenv("ASHE_ASSETS", str(folder))
    return folder


def tables(report):
    return {block.title: block for block in report.blocks if hasattr(block, "rows")}


def test_counts_of_a_row():
    results = {("a", "b"): Estimate(5, 1, 9), ("c", "a"): Estimate(5, 6, 9), ("a", "d"): Estimate(-5, 4, 9)}
    assert versions_tournament.counts(Tournament(["a", "b", "c", "d"], 200, 1, results), "a") == (1, 1, 1)


def test_chapter_8(assets, tmp_path):
    agents = {"2.1": str(assets / "champions" / "ashe21_desktop"), "2.0": str(assets / "champions" / "a4"), "1.0": "CM"}
    accuracies = [HreAccuracy("CS", 1_000, 500, 0.6, 0.7, 0.3, (0.2, 0.8))]
    what = Comparison(CHAPTERS["ch8"], agents, "TP", hands=200, decide=600, half=50, accuracies=accuracies)
    store = ResultStore(tmp_path / "results.json")
    made = versions.report(what, store, "test")
    found = tables(made)
    played = play(what, store, 1, None)

    evaluation = found["Table 8-2: evaluation"]
    assert [row[0] for row in evaluation.rows] == list(TRAINING)
    e = played.of(agents["2.0"], "CS")
    assert evaluation.rows[3][2] == f"{e.mean:,.0f} +- {e.half_width:,.0f} (9,116)"
    assert evaluation.rows[0][4].endswith("(4,988)")  # Slumbot's number beside its stand-in's

    shares = found["Exploitation: shares of the ceiling"]
    values = [played.of(agents["2.1"], b).mean / ceiling_of(b) for b in TRAINING]
    assert shares.rows[-1][2].startswith(f"{100 * np.mean(values):.1f}% +- ")
    assert shares.rows[0][2].split(" ")[0] == f"{values[0]:.0%}"

    steps = found["What each part adds"]
    assert len(steps.header) == 2  # only P+: 2.2 and 2.3 are not there
    assert "(-2,335)" in steps.rows[0][1]  # 39,998 - 42,333 against HM
    assert "(1,407)" in steps.rows[3][1]

    board = found["Table 8-3: tournament"]
    assert {row[0] for row in board.rows} == {"ASHE 2.1", "ASHE 2.0", "ASHE 1.0", "TP", "HP", "RG"}
    wins = [int(row[3].split("-")[0]) for row in board.rows]
    assert wins == sorted(wins, reverse=True)
    by_name = {row[0]: row for row in board.rows}
    assert by_name["ASHE 2.1"][2] == "3"  # published rank
    assert by_name["TP"][2] == "5"  # Slumbot's
    assert {m.hands for m in played.tournament.values()} & {400, 600}  # undecided pairs played on
    assert found["Hand Range Estimator: accuracy"].rows[0][3:8] == ["60.0%", "70.0%", "30.0%", "78.5%", "90.0%"]
    asked = [row[0] for row in found["What was asked, and what is reached"].rows]
    assert asked == [
        "2.1 against TP", "2.0 against TP", "1.0 against TP", "mean share of 2.1 less 2.0's", "HRE against CS"
    ]  # fmt: skip

    text = made.as_text()
    assert "No champion yet of ASHE 2.3" in text
    assert "+experiment=ashe23 seed=1" in text
    made.save(tmp_path)
    assert (tmp_path / "tournament.png").exists()
    assert (tmp_path / "shares.png").exists()
    count = len(store.entries)
    again = ResultStore(tmp_path / "results.json")
    assert versions.report(what, again, "test").as_text() == text
    assert len(again.entries) == count


def test_what_was_asked(tmp_path):
    what = Comparison(
        CHAPTERS["ch8"], {"2.3": "CM", "2.2": "HM", "1.0": "SL"}, "minraise", hands=100, decide=0, half=50
    )
    store = ResultStore(tmp_path / "r.json")
    goals = tables(versions.report(what, store, "test"))["What was asked, and what is reached"]
    by_name = {row[0]: row for row in goals.rows}
    assert by_name["2.3 against CS"][2] == "14,000"
    assert by_name["2.3 against HM"][2] == f"{0.9 * ceiling_of('HM'):,.0f} (90 % of the ceiling)"
    assert by_name["2.3 against TP"][3] == "no"
    assert {"2.3 against RG", "2.3 against HP", "2.3 against 1.0", "2.2 against 1.0"} <= set(by_name)
    assert "2.3 against 2.0" not in by_name
    played = play(what, store, 1, None)
    e = played.between("SL", "CM")
    assert e.mean == -played.between("CM", "SL").mean
    assert (by_name["2.3 against 1.0"][3] == "yes") == (played.cautious("CM", "SL").low > 0)
    assert by_name["1.0 against minraise"][3] == ("no" if played.cautious("SL", "minraise").high < 0 else "yes")


def test_range_accuracies_are_kept(tmp_path, monkeypatch):
    """Predictions of a made-up estimator: right in two of three showdowns, the last of them in the second half."""
    asked = []

    def watched(player, opponent, matches, half, seed):
        asked.append((player.name, opponent, matches, half))
        record = RangeRecord(1)
        for hand, truth, guess in ((3, 8, 8), (4, 0, 8), (40, 8, 8)):
            record.hands.append(hand)
            record.truth.append(truth)
            record.p.append(np.eye(9)[guess])
        return record

    monkeypatch.setattr(report_command, "watched", watched)
    what = Comparison(CHAPTERS["ch8"], {"2.3": "CM", "2.2": "HM"}, hands=1000, half=50)
    found = report_command.range_accuracies(what, tmp_path)
    assert [a.opponent for a in found] == ["CS", "HM", "CM", "ASHE 2.2"]
    first = found[0]
    assert (first.hands, first.predictions, first.last, first.mean[8]) == (200, 3, 1.0, 1.0)
    assert (first.accuracy, first.constant) == pytest.approx((2 / 3, 2 / 3))
    assert asked == [("CM", opponent, 2, 50) for opponent in ("CS", "HM", "CM", "HM")]
    assert report_command.range_accuracies(what, tmp_path) == found
    assert len(asked) == 4
    assert report_command.range_accuracies(replace(what, agents={"2.2": "HM"}), tmp_path) == []
    rows = versions.accuracies(replace(what, accuracies=found))[0].rows
    assert rows[3][:8] == ["ASHE 2.2", "200", "3", "66.7%", "100.0%", "66.7%", "32.7%", "35.0%"]


def test_mean_shares_and_differences():
    mean = versions.mean_share([(Estimate(50, 10, 100), 100.0), (Estimate(30, 30, 100), 300.0)])
    assert (mean.mean, mean.half_width) == pytest.approx((30.0, 100 * (0.1**2 + 0.1**2) ** 0.5 / 2))
    change = versions.difference(Estimate(50, 3, 10), Estimate(40, 4, 20))
    assert (change.mean, change.half_width) == (10, 5)
    assert [versions.verdict(Estimate(m, 5, 1)) for m in (10, -10, 4)] == ["more", "less", "undecided"]


def test_a_stored_pair_plays_what_the_protocol_asks(tmp_path):
    store, plan, protocol = ResultStore(tmp_path / "r.json"), MatchPlan("HP", "TA", 200, 50), Protocol(200, decide=600)
    (stored,) = store.play([plan], protocol=protocol)
    direct = play_protocol(plan, protocol)
    assert (stored.hands, stored.estimate) == (direct.plan.hands, direct.estimate)
    assert stored.hands > 200
    assert store.get(plan) is None
    assert ResultStore(tmp_path / "r.json").get(plan, protocol) == stored
    heard = []
    store.play([plan], done=heard.append, protocol=protocol)
    assert heard == [stored]
    assert len(json.loads((tmp_path / "r.json").read_text())) == 1


def test_command_line(assets, tmp_path, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["report", *arguments])
        return report_command.main()

    out = ("--out", str(tmp_path / "out"))
    monkeypatch.setattr(report_command, "Comparison", partial(Comparison, half=50))  # short matches
    assert run("ch6", "--hands", "100", *out) == 0
    text = capsys.readouterr().out
    assert "2.1 is ashe21_desktop, 2.0 is a4_s2" in text  # the fittest of a family
    assert "No champion yet of ASHE 2.1-A1" in text
    assert "+experiment=ashe21_opponents" in text
    assert "Table 6-2" in text
    assert "(62)" in text  # published: 2.1 against 2.0
    with pytest.raises(UserError, match=r"VERSION=NAME; ch7 has the versions 2\.2, 2\.1, 2\.0"):
        run("ch7", "--champions", "1.0=ashe1", *out)
    with pytest.raises(UserError, match="two versions are the same player"):
        run("ch7", "--champions", "2.1=a4_s2", *out)
    with pytest.raises(UserError, match="only ch8"):
        run("ch6", "--decide", "20000", *out)
    with pytest.raises(UserError, match="unknown player"):
        run("ch7", "--champions", "2.2=nobody", *out)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_plans_name_every_published_number(chapter):
    """Whatever the published table has for our opponents and versions is looked up."""
    what = Comparison(CHAPTERS[chapter], {v: f"player {v}" for v in CHAPTERS[chapter].versions}, "EQ")
    reference = published()[CHAPTERS[chapter].published]
    rows = {VERSIONS[v].row for v in CHAPTERS[chapter].versions}
    assert {r for r in reference if r.startswith("ASHE") and r in rows} == rows - {""}
    names = {"SB" if b == "EQ" else b for b in what.opponents} | {f"ASHE {r}" for r in what.chapter.rivals}
    assert names == set(reference["columns"])
