"""`python -m ashe.match A B`: a duplicate match with a confidence interval, statistics and logs."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from ashe.cli import check_counts, check_writable, run, write_atomic
from ashe.errors import UserError
from ashe.evaluation.logs import HandLog
from ashe.evaluation.match import MatchPlan, MatchResult, play_match
from ashe.evaluation.protocol import PROTOCOLS, play_protocol, protocol_of
from ashe.evaluation.stats import STREETS
from ashe.evaluation.tables import Tables
from ashe.interrupt import insistent_interrupts
from ashe.players.registry import make_player
from ashe.reports.shares import ceilings, share_text

if TYPE_CHECKING:
    from ashe.agents.ashe2_explain import Explainer


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m ashe.match", description=__doc__)
    p.add_argument("a", metavar="A", help="player whose side is reported, e.g. HP, or module:ClassName")
    p.add_argument("b", metavar="B", help="its opponent")
    p.add_argument("--hands", type=int, help="hands in all, both halves together (default 20000)")
    p.add_argument(
        "--protocol", choices=PROTOCOLS, help="instead of --hands: 20000, and another 20000 if the result is imprecise"
    )
    p.add_argument("--half", type=int, default=1_000, help="hands of one half match (default 1000)")
    p.add_argument("--seed", type=int, default=1, help="decks and coin flips (default 1)")
    p.add_argument("--workers", type=int, default=1, help="processes; the result does not depend on it")
    p.add_argument("--batch", type=int, default=20, help="matches played at once; the result does not depend on it")
    p.add_argument("--ev", action="store_true", help="add the all-in-adjusted result (less variance, unbiased)")
    p.add_argument("--json", metavar="FILE", help="write the result as JSON")
    p.add_argument("--log", metavar="FILE.phhs", help="write every hand as PHH")
    p.add_argument("--acpc-log", metavar="FILE", help="write every hand as ACPC match states")
    p.add_argument("--explain", type=int, metavar="N", help="write what an ASHE 2.x agent believed in N hands")
    p.add_argument("--explain-file", default="explain", metavar="NAME", help="into NAME.txt and NAME.json")
    p.add_argument(
        "--quiet", action="store_true", help="no progress bar (there is none either when stderr is not a terminal)"
    )
    return p


def show(result: MatchResult, ev: bool) -> str:
    """The result as people read it."""
    plan, estimate = result.plan, result.estimate
    lines = [
        f"{plan.a} against {plan.b}: {estimate} mBB/hand (95 % interval over {estimate.pairs:,} duplicate pairs)",
    ]
    if ev:
        lines.append(f"all-in adjusted: {result.adjusted_estimate} mBB/hand")
    ceiling = ceilings().get(plan.b)
    if ceiling is not None and estimate.mean > 0:
        wins = f"{'' if ceiling.exact else 'at least '}{ceiling.mbb:,.0f} mBB/hand"
        share = share_text(estimate.mean, plan.b)
        lines.append(f"exploitation ratio: {share} (a best response wins {wins} from {plan.b})")
    lines.append(f"{'':10}" + "".join(f"{s + ' raise':>18}" for s in STREETS) + f"{'fold to a raise':>18}")
    for slot, name in enumerate((plan.a, plan.b)):
        s = result.statistics(slot)
        cells = []
        for street in STREETS:
            freq, size = s[f"{street}_raise_freq"], s[f"{street}_avg_raise"]
            cells.append("-" if freq is None else f"{freq:.1%}" + (f", {size:.1f} BB" if size else ""))
        cells.append("-" if s["fold_freq"] is None else f"{s['fold_freq']:.1%} of {s['opponent_raises']:,}")
        lines.append(f"{name[:10]:10}" + "".join(f"{c:>18}" for c in cells))
    rate = plan.hands / result.seconds if result.seconds else 0.0
    lines.append(f"{plan.hands:,} hands, seed {plan.seed}, {result.seconds:.1f} s ({rate:,.0f} hands/s)")
    return "\n".join(lines)


def explainer_of(plan: MatchPlan, hands: int, workers: int) -> "Explainer":
    """An explainer for a match in which somebody can explain itself."""
    from ashe.agents.ashe2_explain import Explainer  # not at the top: it brings torch, and rules should start at once

    if workers != 1:
        raise UserError(f"--explain with {workers} workers: explanations are written by one process; use --workers 1")
    Explainer.check((make_player(plan.a), make_player(plan.b)))
    return Explainer(hands)


def save_explanations(explainer: "Explainer", text_file: str, json_file: str) -> None:
    from ashe.agents.ashe2_explain import as_text

    write_atomic(text_file, as_text(explainer.hands))
    write_atomic(json_file, json.dumps(explainer.hands, indent=1) + "\n")


def main() -> int:
    args = parser().parse_args()
    if args.hands is not None and args.protocol:
        raise UserError(f"--hands {args.hands} and --protocol {args.protocol}: the protocol decides, give only one")
    if args.workers > 1 and (args.log or args.acpc_log):
        raise UserError(f"--workers {args.workers} with a log: hands are logged by one process, leave --workers at 1")
    check_counts(workers=args.workers, batch=args.batch)
    protocol = protocol_of(args.protocol)
    hands = protocol.step if protocol else 20_000 if args.hands is None else args.hands
    plan = MatchPlan(args.a, args.b, hands, args.half, args.seed)
    for name in (args.a, args.b):
        make_player(name)
    explanation = [f"{args.explain_file}.{kind}" for kind in ("txt", "json")] if args.explain is not None else []
    check_writable((args.json, args.log, args.acpc_log, *explanation))
    explainer = explainer_of(plan, args.explain, args.workers) if explanation else None
    log = HandLog(plan, args.log, args.acpc_log) if args.log or args.acpc_log else None

    def on_hand(tables: Tables, ended: Any) -> None:
        for listener in (log, explainer):
            if listener is not None:
                listener(tables, ended)

    listen = on_hand if log or explainer else None
    start = explainer.start if explainer else None
    try:
        with (
            insistent_interrupts(),
            tqdm(total=hands, unit="hand", unit_scale=True, disable=args.quiet or None, leave=False) as bar,
        ):

            def extended(more: int) -> None:
                bar.total += more

            if protocol is None:
                result = play_match(plan, args.workers, args.batch, listen, bar.update, start)
            else:
                result = play_protocol(
                    plan, protocol, args.workers, args.batch, listen, bar.update, start, extended=extended
                )
    except BaseException:
        if log is not None:
            log.close(complete=False)
        raise
    if log is not None:
        log.close(complete=True)
    if explainer is not None:
        save_explanations(explainer, *explanation)
    if args.json:
        write_atomic(args.json, json.dumps(result.as_json(args.ev), indent=1) + "\n")
    print(show(result, args.ev))
    if explainer is not None:
        print(f"what was believed in {len(explainer.hands)} hands: {' and '.join(explanation)}")
    return 0


if __name__ == "__main__":
    run(main)
