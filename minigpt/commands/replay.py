"""`python -m minigpt replay`: a workload through a scheduler, or through two on the very same requests."""

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path

from minigpt.commands.workload_options import add_workload_options, make_workload
from minigpt.language import say

ROWS = (
    ("e2e_p50_ms", "E2E p50 (ms)"), ("e2e_p95_ms", "E2E p95 (ms)"), ("e2e_p99_ms", "E2E p99 (ms)"),
    ("ttft_p50_ms", "TTFT p50 (ms)"), ("ttft_p95_ms", "TTFT p95 (ms)"), ("ttft_p99_ms", "TTFT p99 (ms)"),
    ("itl_p95_ms", "ITL p95 (ms)"), ("throughput_per_s", "throughput (req/s)"),
    ("goodput_per_s", "goodput (req/s)"), ("tokens_per_s", "tokens/s"), ("slot_use_percent", "slot use (%)"),
    ("num_steps", "steps"), ("num_requests", "requests"), ("num_unfinished", "unfinished requests"),
)  # fmt: skip
SPANISH = {
    "throughput (req/s)": "throughput (pet./s)", "goodput (req/s)": "goodput (pet./s)", "slot use (%)": "uso de asientos (%)",
    "steps": "pasos", "requests": "peticiones", "unfinished requests": "peticiones sin terminar",
}  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(prog="python -m minigpt replay", description=say(
        en="Run a workload through a scheduler and print its latencies; 'both' compares two on the same requests.",
        es="Pasa una carga por un planificador y muestra sus latencias; 'both' compara dos con las mismas peticiones.",
    ))  # fmt: skip
    made.add_argument("--policy", default="both", choices=("static", "continuous", "both"))
    add_workload_options(made)
    made.add_argument("--clock", default="virtual", choices=("virtual", "cpu", "wall"))
    made.add_argument("--tokens", default="model", choices=("model", "scripted"))
    made.add_argument("--impl", choices=("student", "solution"))
    made.add_argument("--max-inflight", type=int, default=8)
    made.add_argument("--max-wait-ms", type=float, default=5.0)
    made.add_argument("--target-ms", type=float, default=math.inf, help=say(en="E2E target of goodput", es="objetivo"))
    made.add_argument("--json", type=Path)
    return made


def table(summaries: dict, rows=ROWS) -> str:
    """The figures of each run, side by side."""
    lines = [f"{'':24}" + "".join(f"{name:>14}" for name in summaries)]
    for field, label in rows:
        cells = [shown(getattr(summary, field)) for summary in summaries.values()]
        lines.append(f"{say(en=label, es=SPANISH.get(label, label)):24}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)


def shown(value) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.2f}"


def run_policy(policy: str, requests, args: argparse.Namespace):
    """One policy's log. With --policy both, static is the pristine one whatever --impl says."""
    from minigpt.replay import replay

    impl = "solution" if args.policy == "both" and policy == "static" else args.impl
    return replay(
        policy, requests, clock=args.clock, tokens=args.tokens, impl=impl, max_batch=args.max_batch,
        max_inflight=args.max_inflight, max_wait_s=args.max_wait_ms / 1e3,
    )  # fmt: skip


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt import metrics
    from minigpt.replay import Runs

    requests = make_workload(args)
    for note in requests.notes:
        print(note)
    names = ("static", "continuous") if args.policy == "both" else (args.policy,)
    try:
        logs = {name: run_policy(name, requests, args) for name in names}
    except NotImplementedError as missing:
        raise ValueError(say(en=f"{missing} is not written yet; --impl solution replays the reference",
                             es=f"{missing} aún no está escrito; --impl solution usa la referencia")) from None  # fmt: skip
    summaries = {name: metrics.summarize(log, args.target_ms / 1e3) for name, log in logs.items()}
    print(table(summaries))
    data = {"clock": args.clock, "notes": list(requests.notes), **{k: asdict(s) for k, s in summaries.items()}}
    if args.policy == "both":
        runs = Runs(**logs)
        low, high = runs.interval_percent
        data |= {"p95_reduction_percent": runs.p95_reduction_percent, "interval_percent": [low, high],
                 "throughput_ratio": runs.throughput_ratio}  # fmt: skip
        print(say(en=f"p95 reduction {runs.p95_reduction_percent:.1f} % (95 % interval {low:.1f} … {high:.1f}), "
                  f"throughput × {runs.throughput_ratio:.3f}",
                  es=f"reducción del p95: {runs.p95_reduction_percent:.1f} % (intervalo del 95 %: {low:.1f} … {high:.1f}), "
                  f"throughput × {runs.throughput_ratio:.3f}"))  # fmt: skip
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return 0
