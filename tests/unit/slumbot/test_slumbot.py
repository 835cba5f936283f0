"""The client of Slumbot's service against a stand-in that speaks its protocol, and misbehaves."""

import json
import subprocess
import sys

import pytest
from tests.slumbot_standin import STALL, StandIn

from ashe.errors import UserError
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import deal
from ashe.players.registry import make_player
from ashe.slumbot.client import Client, LostHandError, ServiceConfig, load_config
from ashe.slumbot.protocol import ProtocolError, RefusedError, read_actions, read_reply, write_actions
from ashe.slumbot.session import Session, SessionFile


def config(base, **given):
    return ServiceConfig(**{"base": base, "timeout": 60.0, "retries": 4, "backoff": 0.0, "interval": 0.0, **given})


def test_action_strings_of_whole_hands():
    """Random hands to strings and back."""
    seen = []

    def check(tables, ended):
        for t in ended:
            events = tables.events(t)
            text = write_actions(events)
            assert tuple(read_actions(text).history) == events
            seen.append(text)

    Tables((make_player("random"), make_player("HM")), deal(4, 0, 200), [HalfMatch(0, 0, 0, 200)], 4).run(check)
    assert any("///" in text for text in seen)
    assert any(text.count("/") == 3 and "b" in text for text in seen)


@pytest.mark.parametrize(
    ("text", "history"),
    [("", 0), ("b200c/", 2), ("ck/kk/kb100c/", 7), ("b20000c///", 2), ("f", 1), ("cb300f", 3), ("ck/kb200b600c/", 6)],
)
def test_action_strings(text, history):
    assert len(read_actions(text).history) == history
    assert write_actions(read_actions(text).history) == text


@pytest.mark.parametrize(
    "text",
    ["x", "b", "k", "b150", "b99999", "ff", "c/k", "ck//", "b200k", "fc", "b200c/k/", "ckk", "b200c/c", "b20000b20000"],
)
def test_bad_action_strings_are_refused(text):
    with pytest.raises(ProtocolError):
        read_actions(text)


REPLY = {"token": "t", "action": "b200", "client_pos": 0, "hole_cards": ["Ah", "9c"], "board": []}


@pytest.mark.parametrize(
    "change",
    [
        {"client_pos": 2}, {"client_pos": 1}, {"hole_cards": ["Ah", "Ah"]}, {"hole_cards": ["Ah"]},
        {"hole_cards": None},
        {"board": ["2c", "3c", "4c"]}, {"action": 7}, {"action": "b200f", "winnings": 100}, {"winnings": 50},
        {"action": "f", "winnings": 60}, {"action": "b200c/"}, {"token": 7},
        {"action": "b200f", "winnings": -99999}, {"action": "b20000c///", "winnings": 20_000},
    ],
)  # fmt: skip
def test_replies_that_cannot_be_right(change):
    read_reply(REPLY)
    with pytest.raises(ProtocolError):
        read_reply({**REPLY, **change})


def test_replies():
    over = read_reply({**REPLY, "action": "f", "winnings": 50})
    assert (over.winnings, over.shown) == (50, None)
    shown = {"board": ["2c", "3c", "4d", "Jd", "Kd"], "bot_hole_cards": ["Qs", "Qd"], "winnings": -20_000}
    assert read_reply({**REPLY, "action": "b20000c///", **shown}).shown is not None
    with pytest.raises(ProtocolError, match="by the rules they are -20000"):
        read_reply({**REPLY, "action": "b20000c///", **shown, "winnings": 20_000})
    with pytest.raises(RefusedError, match="no"):
        read_reply({"error_msg": "no"})
    with pytest.raises(ProtocolError, match="lacks action"):
        read_reply({})


@pytest.mark.parametrize(("hero", "bot"), [("HP", "EQ"), ("LBR@TA", "TA")])
def test_session(hero, bot, tmp_path):
    with StandIn(bot) as service:
        session = Session(hero, Client(config(service.base)), path=tmp_path / "s.jsonl")
        session.play(12)
        assert [r.winnings for r in session.records] == list(service.dealer.winnings.values())
        assert {r.seat for r in session.records} == {0, 1}
        assert session.estimate().pairs == 12


FAULTS = {3: "drop", 6: "lose", 9: "garbage", 13: "error", 20: "lie", 24: "lose", 25: "garbage"}


def test_session_survives_faults(tmp_path):
    """Hands whose fate is unknown are void; all others count exactly what the service counted."""
    told = []
    with StandIn("LP", faults=lambda n: FAULTS.get(n)) as service:
        session = Session("TA", Client(config(service.base), notice=told.append), path=tmp_path / "s.jsonl")
        session.play(25)
        good = [r for r in session.records if r.void is None]
        void = [r for r in session.records if r.void is not None]
        assert len(good) == 25
        assert void
        assert all(r.winnings is None for r in void)
        finished = list(service.dealer.winnings.values())
        for record in good:
            assert record.winnings in finished
        assert len(finished) >= 25
        assert told
    again = SessionFile(tmp_path / "s.jsonl", "TA", 1)
    assert again.records == session.records


def test_resumed_session_equals_an_uninterrupted_one(tmp_path):
    path = tmp_path / "s.jsonl"
    with StandIn("CM", seed=5) as service:
        Session("HP", Client(config(service.base)), path=path).play(6)
        with path.open("a") as file:
            file.write('{"hand": 6, "sea')  # a crash while writing
        client = Client(config(service.base))
        client.token = "expired"  # the service no longer knows it
        session = Session("HP", client, path=path)
        session.play(12)
    with StandIn("CM", seed=5) as service:
        whole = Session("HP", Client(config(service.base)))
        whole.play(12)
    assert session.records == whole.records


def test_sessions_of_others_are_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    with StandIn("CM") as service:
        Session("HP", Client(config(service.base)), path=path).play(3)
    nowhere = Client(config("http://127.0.0.1:1"))
    with pytest.raises(UserError, match="belongs to hero HP"):
        Session("TA", nowhere, path=path)
    header, first, *rest = path.read_text().splitlines()
    played = json.loads(first)
    path.write_text("\n".join([header, json.dumps({**played, "action": "f", "seat": 1, "board": ""}), *rest]) + "\n")
    with pytest.raises(UserError, match="played differently"):
        Session("HP", nowhere, path=path)
    path.write_text("nonsense\n")
    with pytest.raises(UserError, match="damaged"):
        Session("HP", nowhere, path=path)


def test_illegal_actions_are_refused_by_the_service():
    with StandIn("CM") as service:
        client = Client(config(service.base))
        client.new_hand()
        with pytest.raises(RefusedError, match="Illegal action"):
            client.act("b10")
        with pytest.raises(RefusedError, match="Illegal action"):
            client.act("hello")


class Clock:
    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_rate_limit():
    clock = Clock()
    with StandIn("CM") as service:
        client = Client(config(service.base, interval=2.0), clock=clock, sleep=clock.sleep)
        for _ in range(3):
            client.new_hand()
    assert clock.slept == [2.0, 2.0]


def test_patience_ends():
    clock = Clock()
    with StandIn("CM", faults=lambda n: "garbage") as service:
        client = Client(config(service.base, backoff=1.0), clock=clock, sleep=clock.sleep)
        with pytest.raises(UserError, match="after 5 attempts"):
            client.new_hand()
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]
    with StandIn("CM", faults=lambda n: "lose" if n > 1 else None) as service:
        client = Client(config(service.base), clock=clock, sleep=clock.sleep)
        client.new_hand()
        with pytest.raises(LostHandError):
            client.act("c" if service.dealer.client_pos else "k")


def test_time_out():
    """Slow answers to new_hand are asked for again; a slow answer to an action makes the hand void."""
    with StandIn("CM", faults=lambda n: "stall" if n == 2 else None) as service:
        client = Client(config(service.base, timeout=STALL / 2))
        client.token = service.dealer.new_hand({})["token"]  # compiled before the clock runs
        first = client.new_hand()
        with pytest.raises(LostHandError, match="timed out"):
            client.act("c" if first.seat else "k")


def test_lost_token_makes_a_hand_void():
    with StandIn("CM") as service:
        client = Client(config(service.base))
        session = Session("HP", client)
        session.play(1)
        ask, asked = client.act, []

        def forget(incr):
            if not asked:
                asked.append(incr)
                client.token = "gone"
            return ask(incr)

        client.act = forget
        session.play(3)
        assert [r.void is not None for r in session.records].count(True) == 1


def test_settings(tmp_path):
    assert load_config().base.startswith("https://")
    assert load_config(base="http://x").base == "http://x"
    bad = tmp_path / "x.yaml"
    for text, message in (("base: slumbot", "write an address"), ("base: http://x\nspeed: 1", "unknown setting speed")):
        bad.write_text(text)
        with pytest.raises(UserError, match=message):
            load_config(bad)
    with pytest.raises(UserError, match="cannot be read"):
        load_config(tmp_path / "none.yaml")


def test_command(tmp_path):
    out = tmp_path / "x.json"
    with StandIn("LP") as service:
        done = subprocess.run(
            [sys.executable, "-m", "ashe.slumbot", "CM", "--hands", "4", "--base", service.base, "--json", str(out)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["hands"] == 4
    assert "single hands" in done.stdout


@pytest.mark.parametrize(
    ("module", "args", "message"),
    [
        ("ashe.match", ("SB", "CM"), "python -m ashe.slumbot HERO"),
        ("ashe.slumbot", ("CM", "--hands", "0"), "at least 1"),
        ("ashe.slumbot", ("XX",), "unknown player"),
    ],
)
def test_bad_input(module, args, message):
    done = subprocess.run([sys.executable, "-m", module, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
