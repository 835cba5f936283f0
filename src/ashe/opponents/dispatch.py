"""The built-in rules by number, for the compiled playing loop."""

from typing import NamedTuple

from ashe.jit import njit
from ashe.opponents.baselines import folder, minimum_raiser, random_player
from ashe.opponents.exploitable import (
    calling_machine,
    candid_statistician,
    hothead_maniac,
    random_gambler,
    scared_limper,
)
from ashe.opponents.half_a_pro import half_a_pro
from ashe.opponents.tamed import loose_aggressive, loose_passive, tight_passive
from ashe.opponents.tight_aggressive import tight_aggressive

EXTERNAL = -1  # not a built-in rule: the playing loop stops and asks


class RuleInfo(NamedTuple):
    code: str
    number: int
    title: str
    static: bool  # plays the same strategy in every hand


RULES = {
    info.code: info
    for info in (
        RuleInfo("HM", 0, "Hothead Maniac: raises one pot, two pots against a raise", True),
        RuleInfo("CM", 1, "Calling Machine: checks or calls", True),
        RuleInfo("SL", 2, "Scared Limper: limps, then continues with almost only the nuts", True),
        RuleInfo("CS", 3, "Candid Statistician: bets what its hand is worth", True),
        RuleInfo("LA", 4, "loose aggressive: raises the pot whenever the price is right", True),
        RuleInfo("LP", 5, "loose passive: calls whenever the price is right", True),
        RuleInfo("TP", 6, "tight passive: calls with enough hands to defend", True),
        RuleInfo("TA", 7, "tight aggressive: a sound percentile strategy", True),
        RuleInfo("RG", 8, "Random Gambler: HM, CM, SL or CS, drawn anew every 50 hands", False),
        RuleInfo("HP", 9, "Half-a-Pro: TA with floats, barrels and pot control", True),
        RuleInfo("fold", 10, "baseline: checks when free, else folds", True),
        RuleInfo("random", 11, "baseline: any legal action, any legal size", True),
        RuleInfo("minraise", 12, "baseline: always the minimum raise, folds to a raise", True),
    )
}


@njit
def decide(number, o):
    """The action of built-in rule `number`: (kind, to, memory)."""
    if number == 0:
        return hothead_maniac(o)
    if number == 1:
        return calling_machine(o)
    if number == 2:
        return scared_limper(o)
    if number == 3:
        return candid_statistician(o)
    if number == 4:
        return loose_aggressive(o)
    if number == 5:
        return loose_passive(o)
    if number == 6:
        return tight_passive(o)
    if number == 7:
        return tight_aggressive(o)
    if number == 8:
        return random_gambler(o)
    if number == 9:
        return half_a_pro(o)
    if number == 10:
        return folder(o)
    if number == 11:
        return random_player(o)
    return minimum_raiser(o)
