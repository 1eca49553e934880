"""`python -m minigpt plan --rate 900 --p95-ms 80`: the smallest fleet that meets a p95, and a trial of it."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from minigpt.language import say
from minigpt.schedulers.registry import GIVEN, IMPLEMENTATIONS

NUM_LENGTHS = 3_000  # requests that the planner has seen, for a workload by name


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(prog="python -m minigpt plan", description=say(
        en="Plan a fleet of Mini-GPT servers (virtual clock, simulated): an arrival rate, a p95 target and lengths "
        "give the number of replicas and the in-flight cap of each.",
        es="Planifica una flota de servidores Mini-GPT (reloj virtual, simulada): una tasa de llegadas, un objetivo de "
        "p95 y unas longitudes dan el número de réplicas y el tope en vuelo de cada una.",
    ))  # fmt: skip
    made.add_argument("--rate", type=float, help=say(
        en="requests per second (default with --trace: the trace's own)",
        es="peticiones por segundo (por defecto, con --trace, las de la traza)"))  # fmt: skip
    made.add_argument("--p95-ms", type=float, required=True, help=say(
        en="target: p95 of end-to-end latency", es="objetivo: p95 de la latencia de extremo a extremo"))  # fmt: skip
    source = made.add_mutually_exclusive_group()
    source.add_argument("--workload", default="mixed", help=say(
        en="mixed, documents, or lengths such as uniform:1,63, exponential:16,128, lognormal:24,0.8,200",
        es="mixed, documents, o longitudes como uniform:1,63, exponential:16,128, lognormal:24,0.8,200",
    ))  # fmt: skip
    source.add_argument("--trace", type=Path, help="CSV: TIMESTAMP,ContextTokens,GeneratedTokens")
    made.add_argument("--max-cap", type=int, default=64, help=say(
        en="most requests in flight that a replica's memory allows (default 64)",
        es="máximo de peticiones en vuelo que admite la memoria de una réplica (por defecto 64)"))  # fmt: skip
    made.add_argument("--impl", default=GIVEN, choices=(GIVEN, *IMPLEMENTATIONS), help=say(
        en="whose planner (default: the given one)", es="planificador de quién (por defecto, el dado)"))
    made.add_argument("--json", type=Path, metavar="PATH")
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt.simulation import fleet
    from minigpt.simulation.planner import make_plan

    trace = read_trace(args)
    if trace is not None:
        calls = fleet.calls_of(trace)
        lengths = [(call.num_prompt_tokens, call.num_steps) for call in calls]
        span_s = (calls[-1].arrival_ns - calls[0].arrival_ns) / 1e9
        rate = args.rate or (len(calls) - 1) / max(span_s, 1e-9)
    else:
        lengths, rate = fleet.request_lengths(args.workload, NUM_LENGTHS), args.rate
    if rate is None:
        raise ValueError(say(en="--rate is missing: how many requests per second? Example: --rate 900",
                             es="falta --rate: ¿cuántas peticiones por segundo? Ejemplo: --rate 900"))  # fmt: skip
    try:
        plan = make_plan(lengths, rate, args.p95_ms / 1e3, args.max_cap, impl=args.impl)
    except NotImplementedError as missing:
        raise ValueError(say(
            en=f"{missing} is not written yet; --impl solution uses the reference",
            es=f"{missing} aún no está escrito; --impl solution usa la referencia",
        )) from None  # fmt: skip
    own_ms = None
    if trace is not None:
        own_ms = 1e3 * fleet.simulate(calls, num_replicas=plan.num_replicas, cap=plan.cap).p95_s
    print(report(plan, own_ms))
    if args.json:
        data = {"source": str(args.trace or args.workload), **asdict(plan), "p95_trace_arrivals_ms": own_ms}
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return 0


def read_trace(args: argparse.Namespace):
    """The workload of the trace file, its notes printed; None without one."""
    if args.trace is None:
        return None
    from minigpt.workloads.traces import trace_workload

    trace = trace_workload(args.trace, rate_per_s=args.rate)
    for note in trace.notes:
        print(note)
    return trace


def report(plan, own_ms: float | None) -> str:
    """The plan and its trial, in lines."""
    many = "s" if plan.num_replicas > 1 else ""
    fleet_en = f"{plan.num_replicas} replica{many}, at most {plan.cap} in flight in each"
    fleet_es = f"{plan.num_replicas} réplica{many}, como mucho {plan.cap} en vuelo en cada una"
    met = f"{plan.num_met}/{len(plan.p95_ms)}"
    target, unseen = f"{plan.p95_target_ms:g}", listed(plan.p95_ms)
    lines = [
        say(en=f"plan: {fleet_en}; a new request goes to the one with the fewest",
            es=f"plan: {fleet_es}; cada petición nueva va a la que menos tiene"),
        say(en=f"  p95 on workloads not seen (ms): {unseen}; target {target}, met by {met}",
            es=f"  p95 con cargas no vistas (ms): {unseen}; objetivo {target}, lo cumplen {met}"),
    ]  # fmt: skip
    if plan.p95_one_fewer_ms is not None:
        fewer = listed(plan.p95_one_fewer_ms)
        lines.append(say(en=f"  with one replica fewer (ms): {fewer}", es=f"  con una réplica menos (ms): {fewer}"))
    if own_ms is not None:
        lines.append(say(en=f"  with the trace's own arrivals instead of Poisson ones: {own_ms:.1f} ms",
                         es=f"  con las llegadas de la traza en vez de las de Poisson: {own_ms:.1f} ms"))  # fmt: skip
    load, speed = f"{plan.load_percent:.0f} %", f"{plan.capacity_per_s:.0f}"
    lines += [
        say(en=f"  load: {load} of what the fleet can complete ({speed} requests/s a replica)",
            es=f"  carga: {load} de lo que la flota puede completar ({speed} peticiones/s por réplica)"),
        say(en=f"  KV cache of a full replica, all as long as the longest: {plan.kv_mib:.1f} MiB",
            es=f"  caché KV de una réplica llena, todas como la más larga: {plan.kv_mib:.1f} MiB"),
    ]  # fmt: skip
    return "\n".join(lines)


def listed(values: list[float]) -> str:
    return " · ".join(f"{value:.1f}" for value in values)
