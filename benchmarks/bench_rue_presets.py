"""What pruning changes: `python benchmarks/bench_rue_presets.py [--kind ashe23] [--champion NAME] [--hands 400]`.

An agent plays with the paper's search; at each of its decisions the desktop preset (and parts of it) decides, too, with
the same estimators, trees and states. Printed per street: how often both choose the same action, the mean absolute
difference of the utilities of the paper's choice, and the regret, by which the paper's search values the other choice
lower; in big blinds. Without a champion the agent is the desktop preset's with a silent genome: beliefs are counts and
EHS.
"""

import argparse
from dataclasses import replace

import numpy as np

from ashe.agents.ashe22 import Ashe22Config, RueConfig, more_room
from ashe.agents.ashe22_play import answers
from ashe.agents.ashe22_player import Ashe22Player
from ashe.agents.champions import champion_player
from ashe.evaluation.tables import HalfMatch, Tables
from ashe.evolution import composing
from ashe.evolution.settings import from_mapping
from ashe.game.deal import deal
from ashe.game.engine import STREET
from ashe.game.view import STREET_NAMES
from ashe.players.registry import make_player


def desktop_agent(kind: str) -> Ashe22Config:
    settings = composing.settings_of(composing.compose(composing.default_config_dir(), [f"+experiment={kind}_desktop"]))
    return from_mapping(Ashe22Config, settings.agent)


DESKTOP = desktop_agent("ashe23").rue
PRESETS = {
    "desktop": DESKTOP,
    "desktop, known nodes only": replace(DESKTOP, search_unknown=0),
    "desktop, 32 run-outs": replace(DESKTOP, samples=32),
    "paper, unknown nodes": RueConfig(search_unknown=DESKTOP.search_unknown),
    "paper, strength groups": RueConfig(strength_groups=DESKTOP.strength_groups),
    "paper, reach and budget": RueConfig(min_reach=DESKTOP.min_reach, budget=DESKTOP.budget),
}


class Both(Ashe22Player):
    """Notes what the other presets would do."""

    notes: dict[str, list[tuple[int, int, float, float]]]

    def act(self, decisions):
        kinds, totals = super().act(decisions)
        d = decisions.arrays()
        u, choice = self.mind.u[d.tables].copy(), self.mind.choice[d.tables].copy()
        rue, samples = self.rue, self.samples
        for name, preset in PRESETS.items():
            other = replace(self.config, rue=preset)
            self.rue, self.samples = other.rue_choices(), other.run_outs()
            self._draw(d)
            room = np.zeros(len(d.tables), np.int64), np.zeros(len(d.tables), np.int64)
            while not answers(
                self.mind, self.settings, self.rue, self.search, self.oare, self.win, self.runs, d.tables, *room
            ):
                self.search, self.oare, self.win = more_room(self.search, self.oare, self.win)
            for i, t in enumerate(d.tables):
                theirs, c = int(self.mind.choice[t]), int(choice[i])
                difference = abs(u[i, c] - self.mind.u[t, c])
                self.notes[name].append((int(d.state[i, STREET]), int(theirs == c), difference, u[i, c] - u[i, theirs]))
        self.rue, self.samples = rue, samples
        self.mind.u[d.tables], self.mind.choice[d.tables] = u, choice
        return kinds, totals


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kind", default="ashe23", choices=("ashe22", "ashe23"))
    p.add_argument("--champion", help="a champion's genome instead of a silent one")
    p.add_argument("--hands", type=int, default=400, help="hands of each half match")
    p.add_argument("--opponents", nargs="+", default=["HM", "LA", "TA", "CS"])
    args = p.parse_args()
    config = replace(desktop_agent(args.kind), preliminary=None, rue=RueConfig())
    genome, default = np.zeros(config.spec.length, np.float32), None
    if args.champion:
        champion = champion_player(args.champion)
        assert isinstance(champion, Ashe22Player), f"{args.champion} is no ASHE 2.2 or 2.3 champion"
        genome, default = champion.genome[0], champion.saved_default
        config = replace(champion.config, rue=RueConfig())
    player = Both("paper", config, genome, default=default)
    player.notes = {name: [] for name in PRESETS}
    for number, name in enumerate(args.opponents):
        cards = deal(number, 0, args.hands)
        Tables((player, make_player(name)), cards, [HalfMatch(0, half, 0, args.hands) for half in (0, 1)], 1).run()
    print(f"{'preset':26}{'street':9}{'decisions':>10}{'same':>8}{'|dU| BB':>10}{'regret BB':>11}")
    for name, notes in player.notes.items():
        table = np.array(notes)
        for street in (*range(4), None):
            some = table if street is None else table[table[:, 0] == street]
            label = "all" if street is None else STREET_NAMES[street]
            print(
                f"{name:26}{label:9}{len(some):10,}{some[:, 1].mean():8.1%}{some[:, 2].mean() / 100:10.3f}"
                f"{some[:, 3].mean() / 100:11.3f}"
            )


if __name__ == "__main__":
    main()
