"""Chapter 5's report on tiny genomes, and what it needs: frozen trees, variants by name, blocks of a match."""

from dataclasses import replace

import numpy as np
import pytest

from ashe import report as report_command
from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_player import Ashe2Player
from ashe.agents.snapshots import gambler_styles, load_snapshot, save_snapshot, take_snapshots
from ashe.errors import UserError
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evaluation.results import ResultStore
from ashe.evaluation.stats import Estimate
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.evolution.champion import load_champion, save_champion
from ashe.evolution.settings import to_mapping
from ashe.game.deal import deal
from ashe.players.registry import make_player
from ashe.reports import chapter5
from ashe.reports.chapter5_plan import ABLATIONS, OPPONENTS, Chapter5, FrozenAgent
from ashe.reports.published import published
from ashe.trees.habits import KINDS
from ashe.trees.prt import VISITS

TINY = Ashe2Config(blocks=1, size=2, hidden=3, head="modulated")
GAME = {"small_blind": 50, "big_blind": 100, "stack": 20_000}


def champion(folder, seed=1, config=TINY):
    folder.mkdir(parents=True)
    about = {"config": {"name": "a4", "agent": to_mapping(config), "game": GAME}, "metrics": {"fitness": {"best": 0.1}}}
    save_champion(folder / "champion.npz", TINY.spec.sample(seed, 1)[0] * 3, about)
    return str(folder)


@pytest.fixture
def a4(tmp_path):
    return champion(tmp_path / "a4")


@pytest.fixture
def assets(tmp_path, monkeypatch):
    """No shipped champions, no EQ."""
    folder = tmp_path / "assets"
    folder.mkdir()
    monkeypatch.setenv("ASHE_ASSETS", str(folder))
    return folder


# ---------------------------------------------------------------- snapshots
def test_the_gambler_plays_the_published_styles():
    """Table 5-7: SL, HM, CM, CS, HM, SL, CS, CM, CS, HM."""
    seed = report_command.SNAPSHOT_SEED
    assert gambler_styles(seed, 500, 50) == published()["table_5_7"]["recent"]
    # ... and RG really does in that match: against it, CM wins exactly what it wins from the style of each block.
    cards = deal(seed, 0, 200)
    won = {}
    for name in ("RG", "HM", "CM", "SL", "CS"):
        tables = Tables((make_player("CM"), make_player(name)), cards, [HalfMatch(0, 0, 0, 200)], seed)
        tables.run()
        won[name] = tables.won[0]
    for block, style in enumerate(("SL", "HM", "CM", "CS")):
        hands = slice(50 * block, 50 * block + 50)
        assert (won["RG"][hands] == won[style][hands]).all()


def counts_of(trees, roots):
    """{path of edges: counts} from both roots, nodes without visits left out."""
    found, todo = {}, [((seat,), int(roots[seat])) for seat in (0, 1)]
    while todo:
        path, node = todo.pop()
        if node and trees.counts[node, VISITS]:
            found[path] = (*trees.counts[node].tolist(), float(trees.strength[node]))
            todo += [((*path, k), int(child)) for k, child in enumerate(trees.child[node])]
    return found


def test_a_snapshot_is_the_trees_after_so_many_hands(a4):
    """Against the obvious way: play only so many hands and look at the trees."""
    taken = {s.about.hand: s for s in take_snapshots(a4, "RG", 60, 20, seed=3)}
    assert sorted(taken) == [20, 40, 60]
    for hand, snapshot in taken.items():
        player = make_player(a4)
        Tables((player, make_player("RG")), deal(3, 0, hand), [HalfMatch(0, 0, 0, hand)], 3).run()
        frozen = Ashe2Player("x", TINY, player.genome[0], frozen=snapshot.trees)
        expected = counts_of(player.mind.trees, player.mind.roots[0])
        assert counts_of(frozen.mind.trees, frozen.mind.roots[0]) == expected
        assert sum(n[VISITS] for path, n in expected.items() if len(path) == 1) == hand


def test_frozen_trees_stay_as_they_are(a4, tmp_path):
    *_, last = take_snapshots(a4, "CS", 60, 30, seed=3)
    save_snapshot(tmp_path / "s.npz", last)
    player = make_player(f"FROZEN@{tmp_path / 's.npz'}")
    before = counts_of(player.mind.trees, player.mind.roots[0])
    halves = [HalfMatch(0, half, 0, 40) for half in (0, 1)]
    together = Tables((player, make_player("TA")), deal(9, 0, 40), halves, 9)
    together.run()
    for table in (0, 1):
        assert counts_of(player.mind.trees, player.mind.roots[table]) == before
    # Nothing is learned, so a hand is played the same without the hands before it.
    for hand in range(30, 40):
        seat = (hand + 1) % 2  # in the second half
        alone = Tables((player, make_player("TA")), deal(9, hand, 1), [HalfMatch(0, seat, 0, 1)], 9)
        alone.run()
        assert alone.won[0, 0] == together.won[1, hand]


def test_frozen_trees_matter(tmp_path):
    """From empty trees the frozen player is the one without trees; from full ones it is another."""
    genome = TINY.spec.sample(1, 1)[0] * 3
    empty = Ashe2Player("x", TINY, genome).saved_trees()
    (full,) = take_snapshots(champion(tmp_path / "m"), "CS", 200, 200, seed=3)

    def won(player):
        tables = Tables((player, make_player("CS")), deal(9, 0, 100), [HalfMatch(0, 0, 0, 100)], 9)
        tables.run()
        return tables.won

    blind = won(Ashe2Player("blind", replace(TINY, trees=False), genome))
    assert (won(Ashe2Player("x", TINY, genome, frozen=empty)) == blind).all()
    assert (won(Ashe2Player("x", TINY, genome, frozen=full.trees)) != blind).any()


def test_a_snapshot_has_the_habits(tmp_path):
    """Frozen after 40 hands, the agent begins every half match with what it knew then, at all tables, and keeps it."""
    config = replace(TINY, head="odds", habit_visits=5.0, selective=True)
    name = champion(tmp_path / "h", config=config)
    (snapshot,) = take_snapshots(name, "CS", 40, 40, seed=3)
    save_snapshot(tmp_path / "s.npz", snapshot)
    live, frozen = make_player(name), make_player(f"FROZEN@{tmp_path / 's.npz'}")
    Tables((live, make_player("CS")), deal(3, 0, 40), [HalfMatch(0, 0, 0, 40)], 3).run()
    halves = [HalfMatch(0, half, 0, 20) for half in (0, 1)]
    Tables((frozen, make_player("TA")), deal(9, 0, 20), halves, 9).run()
    known, kept = live.mind.habits, frozen.mind.habits
    assert known.counts[1:, VISITS].sum() > 80
    for table in (0, 1):
        here = slice(1 + table * KINDS, 1 + (table + 1) * KINDS)
        assert (kept.counts[here] == known.counts[1:]).all()
        assert (kept.strength[here] == known.strength[1:]).all()
    del snapshot.trees["habit_counts"]
    with pytest.raises(UserError, match="lack them"):
        Ashe2Player("x", config, live.genome[0], frozen=snapshot.trees)


def test_snapshot_files_refuse_what_does_not_fit(a4, tmp_path):
    (snapshot,) = take_snapshots(a4, "CM", 10, 10, seed=1)
    file = tmp_path / "s.npz"
    save_snapshot(file, snapshot)
    assert load_snapshot(file).about == snapshot.about
    assert make_player(f"FROZEN@{file}").digest != make_player(a4).digest
    found = load_champion(tmp_path / "a4" / "champion.npz")
    save_champion(tmp_path / "a4" / "champion.npz", found.genome + np.float32(1), found.about)
    with pytest.raises(UserError, match="played differently"):
        make_player(f"FROZEN@{file}")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(UserError, match="damaged"):
        make_player(f"FROZEN@{file}")
    with pytest.raises(UserError, match="no snapshot"):
        make_player(f"FROZEN@{tmp_path}/none.npz")
    with pytest.raises(UserError, match="no trees"):
        list(take_snapshots("CM", "RG", 10, 10, seed=1))


# ---------------------------------------------------------------- variants, blocks
def test_a_variant_by_name(a4):
    plain, variant = make_player(a4), make_player(f"{a4}[trees=false,reliable=2]")
    assert (variant.config.trees, variant.config.reliable) == (False, 2)
    assert (variant.genome == plain.genome).all()
    assert variant.digest != plain.digest
    with pytest.raises(UserError, match="unknown agent setting 'tree'"):
        make_player(f"{a4}[tree=false]")
    with pytest.raises(UserError, match="unknown player"):
        make_player("nobody[trees=false]")


def test_blocks_are_slices_of_the_match(tmp_path):
    plan = MatchPlan("CM", "CS", 2 * 250 * 3 + 20, half=250, seed=2)  # three whole matches and a bit
    result = play_match(plan)
    blocks = result.blocks()
    assert blocks.shape == (3, 3)
    chips = result.chips[:, 250 + 100 : 250 + 200].sum()  # both halves of the second match, hands 101 to 200
    assert blocks[1, 1] == pytest.approx(1000 * chips / (100 * 200))
    short = result.chips[:, 500 + 200 : 750].sum()  # the last block has 50 hands
    assert blocks[2, 2] == pytest.approx(1000 * short / (100 * 100))
    stored = ResultStore(tmp_path / "r.json").play([plan])[0]
    assert stored.blocks == result.blocks(adjusted=True).round(1).tolist()
    assert ResultStore(tmp_path / "r.json").get(plan) == stored


# ---------------------------------------------------------------- the report
def test_chapter_5(assets, a4, tmp_path):
    """All sections, with short matches so that there are blocks."""
    agents = {"a4": a4} | {name: champion(tmp_path / name, k) for k, name in enumerate(("a1", "a2", "a3"), 2)}
    (snapshot,) = take_snapshots(a4, "RG", 50, 50, seed=1)
    save_snapshot(tmp_path / "hand_050.npz", snapshot)
    frozen = [FrozenAgent(50, "SL", f"FROZEN@{tmp_path / 'hand_050.npz'}")]
    what = Chapter5(agents, {"ASHE 1.0": "CS"}, None, frozen, "a note", hands=440, half=110)
    store = ResultStore(tmp_path / "results.json")
    made = chapter5.report(what, store, "test")
    text = made.as_text()
    for title in ("Table 5-4", "Table 5-5", "Table 5-6", "Table 5-7", "Ablations", "Learning within a match"):
        assert title in text
    assert "42,333 +- 6,037" in text  # published A4 against HM
    assert "2,102" in text  # published Slumbot against RG
    assert "A3 worst against CM and CS" in text
    assert "EQ is left out" in text
    assert "No champion yet" not in text
    record = next(b for b in made.blocks if getattr(b, "title", "").startswith("a4, the agent"))
    assert [row[0] for row in record.rows] == list(OPPONENTS)
    hm = record.rows[0]
    match = store.get(what.long(a4, "HM"))
    longer = store.get(replace(what.long(a4, "HM"), hands=880))  # played on where imprecise
    ours = longer or match
    assert (longer is not None) == (match.estimate.half_width > 0.2 * abs(match.estimate.mean))
    assert hm[2].startswith(f"{ours.estimate.mean:,.0f} ")
    assert hm[5] == f"{ours.estimate.mean / 38_957:.0%}"
    ablations = next(b for b in made.blocks if getattr(b, "title", "") == "Ablations")
    assert len(ablations.rows[0]) == 2 + len(ABLATIONS)
    made.save(tmp_path)
    assert (tmp_path / "learning.png").exists()
    played = len(store.entries)
    again = ResultStore(tmp_path / "results.json")
    assert chapter5.report(what, again, "test").as_text() == text
    assert len(again.entries) == played


def test_the_pair_table_mirrors_itself(assets, a4, tmp_path):
    what = Chapter5({"a4": a4}, {}, None, hands=40, half=10)
    table = chapter5.table_5_6(what, chapter5.play(what, ResultStore(tmp_path / "r.json"), 1, None))
    (_, _, up), (_, down, _) = table.rows
    mean, width = (up.split(" (")[0].split(" +- ")[k] for k in (0, 1))
    assert down.split(" (")[0] in (f"-{mean} +- {width}", f"{mean.removeprefix('-')} +- {width}")
    assert up.endswith("(8,996)")
    assert down.endswith("(-8,996)")


def test_what_is_missing_is_said(assets, a4, tmp_path, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["report", "ch5", "--out", str(tmp_path / "out"), *arguments])
        return report_command.main()

    with pytest.raises(UserError, match=r"no champion of ASHE 2.0 yet.*experiment=a4"):
        run()
    with pytest.raises(UserError, match="label"):
        run("--champions", f"best={a4}")
    with pytest.raises(UserError, match=r"no champion of ASHE 2\.0"):
        run("--champions", "a4=CM")
    assert run("--champions", f"a2={a4}", "--hands", "20") == 0
    text = capsys.readouterr().out
    assert "No champion yet of a1, a3, a4: left out. To add one: python -m ashe.train +experiment=a1" in text
    assert "No champion yet of ASHE 1.0" in text
    assert "Table 5-4" in text
    assert "Table 5-5:" not in text


def test_a_finding_needs_intervals_that_part():
    low, high, wide = Estimate(0.0, 10.0, 9), Estimate(30.0, 10.0, 9), Estimate(30.0, 40.0, 9)
    assert [chapter5.sign(high, low), chapter5.sign(low, high), chapter5.sign(wide, low)] == [1, -1, 0]
    assert [chapter5.sign(high), chapter5.sign(low)] == [1, 0]
