"""The solver: `python benchmarks/bench_solver.py [--quick]`.

1. Deals and nodes per second of `+experiment=eq` with one and with two workers, alternating, best of several rounds.
   On a busy machine wall time says little, so the CPU time of a deal is printed as well: two workers are 2 / (growth of
   the CPU time per deal) times as fast as one where both cores are free.
2. Memory of the arrays, and of the whole process.
3. Exploitability over time: of Kuhn and Leduc (exact, chips per hand), and inside an abstract game of hold'em with EQ's
   card buckets and a small betting tree (a lower bound, see `ashe.solver.exploited`).
4. What a hand of EQ costs in a match.
"""

import argparse
import resource
import time

from ashe.assets import assets_dir
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evolution import composing
from ashe.evolution.settings import from_mapping
from ashe.solver.betting import BettingConfig, betting_tree
from ashe.solver.config import RULES, SolveConfig
from ashe.solver.dealing import HoldemChance
from ashe.solver.exploited import abstract_exploitability, start_of_response
from ashe.solver.mccfr import MccfrConfig, Solver
from ashe.solver.response import exploitability
from ashe.solver.small_games import kuhn, leduc
from ashe.solver.solution import CENTROIDS, read_centroids

ROUND = 20_000  # deals
POINTS = 5  # of a curve, each after twice as many deals as the one before
SMALL_BETTING = BettingConfig(
    preflop=((1.0,), (1.0,), ()), flop=((1.0,), ()), turn=((1.0,), ()), river=((1.0,), ()), all_in_from=0.67
)


def speed(rounds: int, chance: HoldemChance) -> None:
    config = from_mapping(SolveConfig, composing.compose(composing.default_config_dir() / "solve", ["+experiment=eq"]))
    tree, _ = betting_tree(config.betting, chance.buckets, RULES)
    solver = Solver(tree, chance, MccfrConfig(deals=ROUND * 1000, intervals=1000), seed=1)
    for _ in range(3):  # compile, and touch the memory
        solver.step()
    best = {1: (0.0, 0.0, 1e9), 2: (0.0, 0.0, 1e9)}
    for _ in range(rounds):
        for workers in best:
            visited, wall, cpu = solver.visited, time.perf_counter(), time.process_time()
            solver.step(workers)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            deals, nodes, cost = best[workers]
            best[workers] = (
                max(deals, ROUND / wall), max(nodes, (solver.visited - visited) / wall), min(cost, cpu / ROUND),
            )  # fmt: skip
    print(f"{tree.nodes:,} nodes, {len(solver.regret) / 1e6:.1f} M places, buckets {chance.buckets}")
    for workers, (deals, nodes, cost) in best.items():
        print(f"{workers} worker(s): {deals:,.0f} deals/s, {nodes:,.0f} nodes/s, {1e6 * cost:.1f} us of CPU per deal")
    print(f"two workers: {best[2][0] / best[1][0]:.2f} x by wall time, {2 * best[1][2] / best[2][2]:.2f} x by CPU time")
    arrays = (solver.regret.nbytes + solver.average.nbytes) / 1e6
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"regrets and average: {arrays:.0f} MB; the process with all tables: {process:.0f} MB", flush=True)


def small_games(last: int) -> None:
    for game in (kuhn(), leduc()):
        solver = Solver(game.tree, game.chance, MccfrConfig(deals=last, intervals=64, prune_share=0.0), seed=1)
        solver.step()  # compile
        seconds, points = 0.0, []
        while not solver.done:
            began = time.process_time()
            solver.step()
            seconds += time.process_time() - began
            if solver.interval & (solver.interval - 1) == 0:  # 2, 4, 8, ...
                value = exploitability(game.tree, game.chance.deals, solver.strategy())
                points.append(f"{solver.deals_done:,} deals, {seconds:.2f} s: {value:.4f}")
        print(f"{game.name}: " + "; ".join(points[-POINTS:]), flush=True)


def abstract_game(last: int, chance: HoldemChance, boards: int) -> None:
    tree, _ = betting_tree(SMALL_BETTING, chance.buckets, RULES)
    solver = Solver(tree, chance, MccfrConfig(deals=last, intervals=64, prune_share=0.0), seed=1)
    solver.step()
    print(f"abstract hold'em, {tree.nodes:,} nodes, {len(solver.regret) / 1e6:.1f} M places:")
    seconds = 0.0
    while not solver.done:
        began = time.process_time()
        solver.step()
        seconds += time.process_time() - began
        if solver.interval & (solver.interval - 1) == 0 and solver.interval >= 2 << (6 - POINTS):
            start = start_of_response(solver.regret, solver.deals_done, solver.interval, boards)
            found = abstract_exploitability(tree, chance, solver.strategy(0.03), start, 1, boards, boards)
            print(
                f"  {solver.deals_done:>10,} deals, {seconds:6.1f} s of CPU: responses win "
                f"{1000 * found.value:6.0f} +- {1000 * found.half_width:.0f} mBB/hand",
                flush=True,
            )


def matches() -> None:
    for opponent in ("CM", "HP", "EQ"):
        play_match(MatchPlan("EQ", opponent, hands=2_000))
        cpu = time.process_time()
        play_match(MatchPlan("EQ", opponent, hands=20_000))
        print(
            f"EQ against {opponent}: {20_000 / (time.process_time() - cpu):,.0f} hands per CPU second, decks included"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, shorter curves")
    quick = parser.parse_args().quick
    chance = HoldemChance(read_centroids(assets_dir() / "eq" / CENTROIDS))
    small_games(1_000_000 if quick else 4_000_000)
    speed(4 if quick else 12, chance)
    abstract_game(640_000 if quick else 6_400_000, chance, 30 if quick else 200)
    matches()


if __name__ == "__main__":
    main()
