"""What preliminary sessions cost: `python benchmarks/bench_session.py [--individuals 4] [--hands 5000]`.

CPU seconds per individual (one core) of a session and of the evaluation that follows, for both kinds of default
opponents and for one table, as printed, against eight that share the trees; with the nodes of the default trees before
and after pruning, the bytes of a champion's trees, and the largest memory. Genomes are random: with this head they
play sensibly.
"""

import argparse
import io
import resource
import time

import numpy as np

from ashe.agents.ashe2 import Ashe2Config
from ashe.agents.ashe2_training import Ashe2Evaluator, Ashe2Problem
from ashe.agents.preliminary import PreliminaryConfig
from ashe.evolution.protocols import GenerationTask
from ashe.game.rules import HEADS_UP
from bench_ashe2 import HIGH


def cpu(function, *arguments):
    """(result, CPU seconds)"""
    began = time.process_time()
    return function(*arguments), time.process_time() - began


def measure(opponents, tables, individuals, hands, half):
    config = Ashe2Config(head="odds", board_nodes=True, preliminary=PreliminaryConfig(hands, opponents, tables))
    genomes = Ashe2Problem(config, HEADS_UP, half).initial(1, individuals).numpy()
    frozen = slice(*config.spec.part("swre"))
    genomes[:, frozen] = genomes[0, frozen]
    task = GenerationTask(1, 0, HIGH, champion=genomes[0])
    evaluator = Ashe2Evaluator(config, HEADS_UP, half)
    evaluator.evaluate(genomes[:1], task)  # load compiled code, deal
    built, session = cpu(evaluator.session.default_trees, genomes, task)
    _, both = cpu(evaluator.evaluate, genomes, task)
    assets = Ashe2Problem(config, HEADS_UP, half).assets(genomes[-1], task)
    file = io.BytesIO()
    np.savez_compressed(file, **assets)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{' '.join(opponents) or 'self-play':14}{tables:7}{session / individuals:10.2f}"
        f"{(both - session) / individuals:12.2f}{built.trees.used[0] / individuals:10,.0f}"
        f"{len(assets['default_child']):9,}{len(file.getvalue()):9,}{memory:8,.0f}",
        flush=True,
    )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--individuals", type=int, default=4)
    p.add_argument("--hands", type=int, default=5000, help="hands of a session")
    p.add_argument("--half", type=int, default=1000, help="hands of a half match of the evaluation")
    args = p.parse_args()
    print(f"{'against':14}{'tables':>7}{'session':>10}{'evaluation':>12}{'nodes':>10}{'kept':>9}{'bytes':>9}{'MiB':>8}")
    for opponents in (("LP", "LA", "TP", "TA"), ()):
        for tables in (1, 8):
            measure(opponents, tables, args.individuals, args.hands, args.half)


if __name__ == "__main__":
    main()
