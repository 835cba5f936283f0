"""Speed of deals and matches on one core, and of other libraries beside ours: `python benchmarks/bench_match.py`.

Compiles and builds tables first (not counted), then prints the best of several rounds of each line. Seconds are CPU
seconds: everything runs in one thread, and other work on the machine should not count. In the comparison everybody
checks or calls, and all take turns in one run. The peers shuffle, bet and compare hands; the line "same work" does just
that, "all knowledge" adds exact EHS and percentiles on four streets and the all-in equities of every deck, "prepared
decks" is what duplicate matches and populations play, which share decks. `--peers` runs only the comparison, `--ours`
leaves it out.
"""

import argparse
import importlib.util
import random
import time
from collections.abc import Callable

import numpy as np
from numba import njit

from ashe.cards.random import derive_key, shuffle_decks
from ashe.cards.rank import rank7
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.game.deal import Deal, deal
from ashe.players.registry import make_player

DECKS = 10_000
HALF = 1_000
PAIRS = (("CM", "CM"), ("CS", "SL"), ("HM", "LP"), ("TA", "LA"), ("HP", "TA"), ("HP", "random"))
ROUNDS = 5
PEER_SECONDS = 1.0


def tables_for(a: str, b: str, cards: Deal) -> Tables:
    halves = [HalfMatch(m, half, m * HALF, HALF) for m in range(cards.size // HALF) for half in (0, 1)]
    return Tables((make_player(a), make_player(b)), cards, halves, 1)


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    work()  # compile, load, warm the caches
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ours() -> None:
    print(f"{'one core':<44} {'per second':>14} {'target':>12}")
    for seats in (2, 6):
        seconds = best(lambda n=seats: deal(7, 0, DECKS, n))
        target = f"{15_000:>12,}" if seats == 2 else f"{'-':>12}"
        print(f"{f'fresh {seats}-seat decks with all knowledge':<44} {DECKS / seconds:>14,.0f} {target}")
    cards = deal(7, 0, DECKS)
    for a, b in PAIRS:
        times = []
        for _ in range(ROUNDS + 1):
            tables = tables_for(a, b, cards)
            start = time.process_time()
            tables.run()
            times.append(time.process_time() - start)
        hands = 2 * DECKS
        print(f"{f'hands of {a} against {b}, prepared decks':<44} {hands / min(times[1:]):>14,.0f} {300_000:>12,}")


def pokerkit_hand() -> Callable[[], None]:
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = tuple(Automation)

    def play() -> None:
        state = NoLimitTexasHoldem.create_state(automations, True, 0, (50, 100), 100, 20_000, 2)
        while state.status:
            state.check_or_call()

    return play


def rlcard_hand() -> Callable[[], None]:
    from rlcard.games.nolimitholdem import Game
    from rlcard.games.nolimitholdem.round import Action

    game = Game()

    def play() -> None:
        game.init_game()
        while not game.is_over():
            game.step(Action.CHECK_CALL)
        game.get_payoffs()

    return play


def open_spiel_hand() -> Callable[[], None]:
    import pyspiel

    game = pyspiel.load_game(
        "universal_poker",
        {
            "betting": "nolimit", "numPlayers": 2, "numRounds": 4, "blind": "100 50", "firstPlayer": "2 1 1 1",
            "numSuits": 4, "numRanks": 13, "numHoleCards": 2, "numBoardCards": "0 3 1 1", "stack": "20000 20000",
            "bettingAbstraction": "fullgame",
        },
    )  # fmt: skip
    pick = random.Random(1)

    def play() -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(pick.choice(state.legal_actions()) if state.is_chance_node() else 1)
        state.returns()

    return play


PEERS = {
    "PokerKit": ("pokerkit", pokerkit_hand, 100),
    "RLCard no-limit-holdem": ("rlcard", rlcard_hand, 50),
    "OpenSpiel universal_poker, full game": ("pyspiel", open_spiel_hand, None),
}


def rate_of(play: Callable[[], None], seconds: float) -> float:
    """Hands per second of `play`, called for about `seconds`."""
    start = time.process_time()
    hands = 0
    while (took := time.process_time() - start) < seconds:
        play()
        hands += 1
    return hands / took


@njit
def _showdown_ranks(decks: np.ndarray, rank: np.ndarray) -> None:
    for d in range(len(decks)):
        c = decks[d]
        for seat in range(2):
            rank[d, seat] = rank7(c[2 * seat], c[2 * seat + 1], c[4], c[5], c[6], c[7], c[8])


def plain_deal(seed: int, decks: int) -> Deal:
    """Shuffled decks and who wins them, nothing else: enough for players that do not look at their cards."""
    keys = np.arange(derive_key(seed, "bench") >> 1, (derive_key(seed, "bench") >> 1) + decks, dtype=np.uint64)
    cards = np.empty((decks, 9), np.int64)
    shuffle_decks(keys, 9, cards)
    rank = np.empty((decks, 2), np.int16)
    _showdown_ranks(cards, rank)
    unknown = np.zeros((decks, 2, 4), np.float32)
    none = np.zeros((decks, 2), np.int16)
    return Deal(cards, keys, unknown, unknown, rank, none, none, np.zeros((decks, 4)), np.zeros((decks, 4), np.int8))


def our_rates() -> dict[str, float]:
    """Hands per second of CM against CM, by what is done for each."""

    def rate(make: Callable[[], Deal], count_deal: bool) -> float:
        start = time.process_time()
        cards = make()
        if not count_deal:
            start = time.process_time()
        tables_for("CM", "CM", cards).run()
        return 2 * DECKS / (time.process_time() - start)

    return {
        "same work": rate(lambda: plain_deal(7, DECKS), True),
        "all knowledge": rate(lambda: deal(7, 0, DECKS), True),
        "prepared decks": rate(lambda: deal(7, 0, DECKS), False),
    }


def peers() -> None:
    players: dict[str, tuple[Callable[[], None], int | None]] = {}
    for name, (module, make, target) in PEERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{name}: not installed, skipped (pip install -e '.[dev]' brings it)")
        else:
            players[name] = make(), target
    our_rates()
    theirs: dict[str, list[float]] = {name: [] for name in players}
    rounds = []
    for _ in range(ROUNDS):
        rounds.append(our_rates())
        for name, (play, _) in players.items():
            theirs[name].append(rate_of(play, PEER_SECONDS))
    best_of = {kind: max(found[kind] for found in rounds) for kind in rounds[0]}
    print(f"\n{'check/call hands, one core':<40} {'per second':>12}" + "".join(f"{kind:>16}" for kind in best_of))
    for kind, rate in best_of.items():
        print(f"{f'ashe, {kind}':<40} {rate:>12,.0f}")
    for name, found in theirs.items():
        rate, target = max(found), players[name][1]
        wanted = f"   target > {target}x" if target else ""
        print(f"{name:<40} {rate:>12,.0f}" + "".join(f"{r / rate:>15,.0f}x" for r in best_of.values()) + wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="only the comparison with other libraries")
    parser.add_argument("--ours", action="store_true", help="only our own speed")
    args = parser.parse_args()
    if not args.peers:
        ours()
    if not args.ours:
        peers()


if __name__ == "__main__":
    main()
