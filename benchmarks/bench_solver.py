"""The solver: `python benchmarks/bench_solver.py [--quick]`.

1. Deals and nodes per second of `+experiment=eq` with one and with two workers, alternating, best of several rounds.
   On a busy machine wall time says little, so the CPU time of a deal is printed as well: two workers are 2 / (growth of
   the CPU time per deal) times as fast as one where both cores are free.
2. Memory of the arrays.
3. What a hand of EQ costs in a match.
4. The exploitability curve of the solution that ships, from the log in assets/eq/solution.json.
"""

import argparse
import json
import time

from ashe.assets import assets_dir
from ashe.evaluation.match import MatchPlan, play_match
from ashe.evolution import composing
from ashe.evolution.settings import from_mapping
from ashe.solver.betting import betting_tree
from ashe.solver.config import RULES, SolveConfig
from ashe.solver.dealing import HoldemChance
from ashe.solver.mccfr import MccfrConfig, Solver
from ashe.solver.solution import CENTROIDS, SETTINGS, read_centroids

ROUND = 20_000  # deals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 4 if parser.parse_args().quick else 12
    config = from_mapping(SolveConfig, composing.compose(composing.default_config_dir() / "solve", ["+experiment=eq"]))
    chance = HoldemChance(read_centroids(assets_dir() / "eq" / CENTROIDS))
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
            speed, nodes, cost = best[workers]
            best[workers] = (
                max(speed, ROUND / wall), max(nodes, (solver.visited - visited) / wall), min(cost, cpu / ROUND),
            )  # fmt: skip
    print(f"{tree.nodes:,} nodes, {len(solver.regret) / 1e6:.1f} M places, buckets {chance.buckets}")
    for workers, (speed, nodes, cost) in best.items():
        print(f"{workers} worker(s): {speed:,.0f} deals/s, {nodes:,.0f} nodes/s, {1e6 * cost:.1f} us of CPU per deal")
    print(f"two workers: {best[2][0] / best[1][0]:.2f} x by wall time, {2 * best[1][2] / best[2][2]:.2f} x by CPU time")
    print(f"regrets and average: {(solver.regret.nbytes + solver.average.nbytes) / 1e6:.0f} MB")
    for opponent in ("CM", "HP", "EQ"):
        play_match(MatchPlan("EQ", opponent, hands=2_000))
        cpu = time.process_time()
        play_match(MatchPlan("EQ", opponent, hands=20_000))
        print(
            f"EQ against {opponent}: {20_000 / (time.process_time() - cpu):,.0f} hands per CPU second, decks included"
        )
    print("exploitability in the abstract game (lower bound), mBB/hand, of the solution that ships:")
    for event in json.loads((assets_dir() / "eq" / SETTINGS).read_text())["log"]:
        if event["event"] == "exploitability":
            print(f"  {event['deals']:>12,} deals: {event['mbb_per_hand']:7.1f} +- {event['ci95']}")


if __name__ == "__main__":
    main()
