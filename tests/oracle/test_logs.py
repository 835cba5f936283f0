"""Hand logs against the programs they are written for: ACPC states by OpenSpiel's ACPC code, PHH by PokerKit."""

import json
import re
import warnings

import pyspiel
import pytest
from pokerkit import HandHistory

from ashe.cards.deck import parse_cards
from ashe.evaluation.logs import HandLog
from ashe.evaluation.match import MatchPlan, play_match

GAME = pyspiel.load_game(
    "universal_poker",
    {
        "betting": "nolimit", "numPlayers": 2, "numRounds": 4, "blind": "100 50", "firstPlayer": "2 1 1 1",
        "numSuits": 4, "numRanks": 13, "numHoleCards": 2, "numBoardCards": "0 3 1 1", "stack": "20000 20000",
        "bettingAbstraction": "fullgame",
    },
)  # fmt: skip


def write_logs(folder, a, b, hands, half=1_000, batch=20):
    plan = MatchPlan(a, b, hands, half)
    log = HandLog(plan, str(folder / "x.phhs"), str(folder / "x.acpc"))
    result = play_match(plan, 1, batch, log)
    log.close(complete=True)
    return result, (folder / "x.phhs").read_bytes(), (folder / "x.acpc").read_text()


def replay(line):
    """Play a logged hand in OpenSpiel's game, which keeps an ACPC state: (its betting and cards, its payoffs)."""
    _, _, betting, cards, _, _ = line.split(":")
    holes, *board = cards.split("/")
    dealt = [parse_cards(hole) for hole in holes.split("|")]
    rest = [card for street in board for card in parse_cards(street)]
    state = GAME.new_initial_state()
    for hole in dealt:
        for card in hole:
            state.apply_action(card)
    for move in re.findall(r"f|c|r\d+", betting):
        while state.is_chance_node():
            state.apply_action(rest.pop(0))
        state.apply_action(0 if move == "f" else 1 if move == "c" else int(move[1:]))
    while state.is_chance_node():
        state.apply_action(rest.pop(0))
    assert not rest
    assert state.is_terminal()
    found = re.search(r"ACPC State: STATE:0:(\S+)", str(state))
    return found.group(1), [int(x) for x in state.returns()]


def ordered(cards):
    """Cards of each hand and street, sorted: the order within is not part of the protocol."""
    return [[sorted(parse_cards(part)) for part in street.split("|")] for street in cards.split("/")]


@pytest.mark.parametrize(("a", "b"), [("random", "random"), ("HM", "LA"), ("CS", "HP")])
def test_acpc_lines_are_what_the_acpc_code_prints(tmp_path, a, b):
    result, _, text = write_logs(tmp_path, a, b, 200)
    lines = text.splitlines()
    assert [line.split(":")[1] for line in lines] == [str(i) for i in range(200)]
    total = 0
    for i, line in enumerate(lines):
        head, _, betting, cards, won, names = line.split(":")
        assert head == "STATE"
        state, payoffs = replay(line)
        their_betting, their_cards = state.split(":")
        assert betting == their_betting
        assert ordered(cards) == ordered(their_cards)
        assert [int(x) for x in won.split("|")] == payoffs
        # Positions alternate: in the first half the first-named player starts in the big blind.
        if a != b:
            assert names.split("|") == ([a, b] if (i + i // 100) % 2 == 0 else [b, a])
            total += payoffs[names.split("|").index(a)]
    if a != b:
        assert total == result.chips.sum()


@pytest.mark.parametrize(("a", "b"), [("random", "minraise"), ("HM", "LA"), ("CS", "HP")])
def test_pokerkit_replays_phh(tmp_path, a, b):
    _, phhs, acpc = write_logs(tmp_path, a, b, 100)
    with (tmp_path / "x.phhs").open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hands = list(HandHistory.load_all(file))
        finals = [list(hand)[-1] for hand in hands]
    assert phhs.startswith(b"[1]\n")
    assert (b" # " in phhs) == (b" sm " in phhs)  # shown hands are named for people
    assert [hand.hand for hand in hands] == list(range(1, 101))
    for hand, final, line in zip(hands, finals, acpc.splitlines(), strict=True):
        assert not final.status
        assert list(final.payoffs) == [int(x) for x in line.split(":")[4].split("|")]
        assert hand.players == line.split(":")[5].split("|")


def test_logs_do_not_depend_on_the_batch(tmp_path):
    """Three matches of 2 x 20 hands and a shorter last one, played together and one by one."""
    _, *together = write_logs(tmp_path, "random", "LA", 130, half=20, batch=20)
    _, *alone = write_logs(tmp_path, "random", "LA", 130, half=20, batch=1)
    assert together == alone
    assert json.dumps(together[1]).count("STATE") == 130
