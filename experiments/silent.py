"""What first guesses alone win: an agent whose estimators are silent (all genes zero), before any evolution.

    python experiments/silent.py a4_plus HM CS TA --generations 20 game.hands=500 agent.selective=false

With the heads `odds` and `modulated` a silent estimator leaves the first guess as it is: counts, habits and EHS. So
this tells a better guess from better evolution, within seconds. Each generation's decks are one match of 2 x
game.hands hands, the agent starts anew in every half; mBB/hand with 95 % intervals over generations.
"""

import argparse
import time

import numpy as np

from ashe.evolution import composing
from ashe.evolution.protocols import GenerationTask
from ashe.train import problem_of


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("experiment")
    p.add_argument("rest", nargs="+", help="opponents, then key=value settings")
    p.add_argument("--generations", type=int, default=20)
    args = p.parse_intermixed_args()
    opponents = tuple(text for text in args.rest if "=" not in text)
    overrides = [f"+experiment={args.experiment}", *(text for text in args.rest if "=" in text)]
    config = composing.settings_of(composing.compose(composing.default_config_dir(), overrides))
    problem = problem_of(config)
    evaluator = problem.evaluator_factory.build()
    length = max(stop for _, stop in problem.genome_modules.values())
    silent = np.zeros((1, length), np.float32)
    earned, seconds = [], 0.0
    for generation in range(args.generations):
        task = GenerationTask(777, generation, opponents, session=1, champion=silent[0])
        began = time.process_time()
        result = evaluator.evaluate(silent, task)
        seconds += time.process_time() - began if generation else 0.0  # the first one compiles
        earned.append(np.stack([result["chips"][0], result["adjusted"][0]]) / problem.big_blind * 1000 / problem.hands)
    mean, error = np.mean(earned, axis=0), 1.96 * np.std(earned, axis=0, ddof=1) / np.sqrt(len(earned))
    hands = (args.generations - 1) * len(opponents) * problem.hands
    print(" ".join(overrides), f"{problem.hands * args.generations:,} hands, {hands / seconds:,.0f} hands/s")
    for j, name in enumerate(opponents):
        chips, adjusted = (f"{mean[k, j]:,.0f} +- {error[k, j]:,.0f}" for k in (0, 1))
        print(f"{name:>4}: {chips:>18}   all-in adjusted {adjusted:>18}")


if __name__ == "__main__":
    main()
