"""`python -m minigpt replay`: a workload through a scheduler, or through two on the very same requests."""

import argparse
import json
import math
from dataclasses import asdict

from minigpt.analysis.tables import summary_table
from minigpt.cli.arguments import Parser, at_least_zero, count, new_file, positive, refuse_idle, slots, write_text
from minigpt.cli.workload_options import add_workload_options, make_workload, refuse_idle_limits
from minigpt.language import say
from minigpt.schedulers.lab_file import unwritten

NUM_PAIRS = 6


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt replay", description=say(
        en="Run a workload through a scheduler and print its latencies; 'both' compares two on the same requests.",
        es="Pasa una carga por un planificador y muestra sus latencias; 'both' compara dos con las mismas peticiones.",
    ))
    made.add_argument("--policy", default="both", choices=("static", "continuous", "both"))
    add_workload_options(made)
    made.add_argument("--clock", default="virtual", choices=("virtual", "cpu", "wall"))
    made.add_argument("--pairs", type=count, help=say(
        en="repeats of both on the cpu and wall clock (default 6)", es="repeticiones de ambos con el reloj cpu o wall (por defecto 6)"))
    made.add_argument("--tokens", default="model", choices=("model", "scripted"))
    made.add_argument("--impl", choices=("student", "solution"))
    made.add_argument("--max-inflight", type=slots, help=say(en="default 8", es="por defecto 8"))
    made.add_argument("--max-wait-ms", type=at_least_zero, help=say(en="default 5", es="por defecto 5"))
    made.add_argument("--target-ms", type=positive, default=math.inf, help=say(en="E2E target of goodput", es="objetivo"))
    made.add_argument("--json", type=new_file)
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt.analysis import metrics

    check_idle(args)
    requests = make_workload(args)
    for note in requests.notes:
        print(note)
    data = {"clock": args.clock, "notes": list(requests.notes)}
    try:
        logs, more, words = (run_both if args.policy == "both" else run_one)(requests, args)
    except NotImplementedError as stub:
        missing = unwritten(stub)
        raise ValueError(say(en=f"{missing} is not written yet; --impl solution replays the reference",
                             es=f"{missing} aún no está escrito; --impl solution usa la referencia")) from None
    summaries = {name: metrics.summarize(log, args.target_ms / 1e3) for name, log in logs.items()}
    print(summary_table(summaries), *words, sep="\n")
    if args.json:
        data |= {name: asdict(summary) for name, summary in summaries.items()} | more
        write_text(args.json, json.dumps(data, indent=2) + "\n")
    return 0


def check_idle(args: argparse.Namespace) -> None:
    """Pairs are for two policies on a clock that measures, and each policy has its own limits."""
    if args.policy != "both" or args.clock == "virtual":
        refuse_idle(args, f"--policy {args.policy} --clock {args.clock}", ("pairs",), say(
            en="pairs repeat both policies on the cpu or wall clock",
            es="los pares repiten ambas políticas con el reloj cpu o wall"))
    refuse_idle_limits(args, ("max_inflight", "max_wait_ms"))  # max_batch says what --load is a share of


def settings_of(args: argparse.Namespace) -> dict:
    """The settings of every run."""
    return {
        "clock": args.clock, "tokens": args.tokens, "impl": args.impl, "max_batch": args.max_batch,
        "max_inflight": args.max_inflight or 8, "shows_progress": True,
        "max_wait_s": (5.0 if args.max_wait_ms is None else args.max_wait_ms) / 1e3,
    }


def run_one(requests, args: argparse.Namespace) -> tuple[dict, dict, list[str]]:
    """One policy's log."""
    from minigpt.simulation.run import replay

    return {args.policy: replay(args.policy, requests, **settings_of(args))}, {}, []


def run_both(requests, args: argparse.Namespace) -> tuple[dict, dict, list[str]]:
    """Both policies' logs in the median pair, what the comparison adds to the JSON, and its lines."""
    from minigpt.analysis import metrics
    from minigpt.simulation.paired_runs import paired_runs, verdict

    is_measured = args.clock != "virtual"
    pairs = paired_runs(requests, (args.pairs or NUM_PAIRS) if is_measured else 1, **settings_of(args))
    median, (low, high) = pairs.median, pairs.interval_percent()
    more = {
        "p95_reduction_percent": median.p95_reduction_percent, "interval_percent": [low, high],
        "throughput_ratio": median.throughput_ratio, "pairs_p95_reduction_percent": pairs.reductions_percent,
    }
    ratio = "–" if median.throughput_ratio is None else f"{median.throughput_ratio:.3f}"
    lines = [say(en=f"p95 reduction {median.p95_reduction_percent:.1f} % (95 % interval {low:.1f} … {high:.1f}), "
                    f"throughput × {ratio}",
                 es=f"reducción del p95: {median.p95_reduction_percent:.1f} % (intervalo del 95 %: {low:.1f} … {high:.1f}), "
                    f"throughput × {ratio}"), window_line(median)]
    if is_measured:
        more["verdict"] = verdict(low, high, len(pairs.runs))
        more["static_busy_percent"] = metrics.busy_percent(median.static)
        lines += measured_lines(pairs, more["verdict"], more["static_busy_percent"])
    return {"static": median.static, "continuous": median.continuous}, more, lines


def window_line(runs) -> str:
    """Which answers the rates count."""
    from minigpt.analysis import metrics

    num, seconds = len(runs.static.workload.items), metrics.arrival_window_s(runs.static)
    static, continuous = (len(metrics.answered_in_window(log)) for log in (runs.static, runs.continuous))
    return say(
        en=f"rates count the answers sent within the {seconds:.2f} s in which requests arrived: {static} and {continuous} of "
           f"{num}",
        es=f"las tasas cuentan las respuestas enviadas en los {seconds:.2f} s en que llegaron peticiones: {static} y "
           f"{continuous} de {num}",
    )


def measured_lines(pairs, found: str, busy_percent: float) -> list[str]:
    """The lines that a measured comparison adds: each pair, how busy the server was, and whether they decide anything."""
    from minigpt.runtime.clock import CpuClock
    from minigpt.simulation.paired_runs import BAR_PERCENT

    each = ", ".join(f"{value:.1f}" for value in pairs.reductions_percent)
    spanish = {"pass": "sí", "fail": "no", "inconclusive": "no concluyente"}
    return [
        say(en=f"above: the median of {len(pairs.runs)} pairs; reductions (%): {each}",
            es=f"arriba, el par mediano de {len(pairs.runs)}; reducciones (%): {each}"),
        say(en=f"the static server was computing {busy_percent:.0f} % of the time: at another load the reduction differs",
            es=f"el servidor estático estuvo calculando el {busy_percent:.0f} % del tiempo: "
               "con otra carga la reducción cambia"),
        say(en=f"p95 at least {BAR_PERCENT:.0f} % lower on this clock: {found} (never graded)",
            es=f"p95 al menos un {BAR_PERCENT:.0f} % menor con este reloj: {spanish[found]} (no puntúa)"),
    ] + ([CpuClock().note] if pairs.median.static.clock == "cpu" and CpuClock().note else [])
