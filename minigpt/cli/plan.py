"""`python -m minigpt plan --rate 900 --p95-ms 80`: the smallest fleet that meets a p95, and a trial of it."""

import argparse
import json
from dataclasses import asdict

from minigpt.cli.arguments import Parser, new_file, positive, refuse_idle, slots, write_text
from minigpt.cli.workload_options import DEFAULT, add_trace_options
from minigpt.language import say
from minigpt.schedulers.lab_file import unwritten
from minigpt.schedulers.registry import GIVEN, IMPLEMENTATIONS

NUM_LENGTHS = 3_000  # requests that the planner has seen, for a workload by name
MOST_ROWS = 200_000  # of a trace


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt plan", description=say(
        en="Plan a fleet of Mini-GPT servers (virtual clock, simulated): an arrival rate, a p95 target and lengths "
        "give the number of replicas and the in-flight cap of each.",
        es="Planifica una flota de servidores Mini-GPT (reloj virtual, simulada): una tasa de llegadas, un objetivo de "
        "p95 y unas longitudes dan el número de réplicas y el tope en vuelo de cada una.",
    ))
    made.add_argument("--rate", type=positive, help=say(
        en="requests per second (default with --trace: the trace's own)",
        es="peticiones por segundo (por defecto, con --trace, las de la traza)"))
    made.add_argument("--p95-ms", type=positive, required=True, help=say(
        en="target: p95 of end-to-end latency", es="objetivo: p95 de la latencia de extremo a extremo"))
    made.add_argument("--workload", help=say(
        en="mixed (default), documents, or lengths such as uniform:1,63, exponential:16,128, lognormal:24,0.8,200",
        es="mixed (por defecto), documents, o longitudes como uniform:1,63, exponential:16,128, lognormal:24,0.8,200",
    ))
    add_trace_options(made)
    made.add_argument("--max-cap", type=slots, default=64, help=say(
        en="most requests in flight that a replica's memory allows (default 64)",
        es="máximo de peticiones en vuelo que admite la memoria de una réplica (por defecto 64)"))
    made.add_argument("--impl", default=GIVEN, choices=(GIVEN, *IMPLEMENTATIONS), help=say(
        en="whose planner (default: the given one)", es="de quién es el planificador (por defecto, given)"))
    made.add_argument("--json", type=new_file, metavar="PATH")
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    check_idle(args)
    from minigpt.simulation import fleet
    from minigpt.simulation.planner import make_plan

    calls = trace_calls(args)
    if calls is not None:
        lengths = [(call.num_prompt_tokens, call.num_steps) for call in calls]
        rate = args.rate or own_rate(calls)
    else:
        lengths, rate = fleet.request_lengths(args.workload or DEFAULT, NUM_LENGTHS), args.rate
    if rate is None:
        raise ValueError(say(en="--rate is missing: how many requests per second? Example: --rate 900",
                             es="falta --rate: ¿cuántas peticiones por segundo? Ejemplo: --rate 900"))
    try:
        plan = make_plan(lengths, rate, args.p95_ms / 1e3, args.max_cap, impl=args.impl)
    except NotImplementedError as stub:
        missing = unwritten(stub)
        raise ValueError(say(
            en=f"{missing} is not written yet; --impl solution uses the reference",
            es=f"{missing} aún no está escrito; --impl solution usa la referencia",
        )) from None
    own_ms, needed = on_own_arrivals(calls, plan)
    print(report(plan, own_ms, needed))
    if args.json:
        data = {"source": str(args.trace or args.workload or DEFAULT), **asdict(plan), "p95_trace_arrivals_ms": own_ms,
                "num_replicas_trace_arrivals": needed}
        write_text(args.json, json.dumps(data, indent=2) + "\n")
    return 0 if is_met(plan, own_ms) else 1


def check_idle(args: argparse.Namespace) -> None:
    """Check that lengths come from a name or a trace, and that trace options come with a trace."""
    if args.trace is None:
        refuse_idle(args, say(en="a plan without --trace", es="un plan sin --trace"), ("length_factor", "too_long"),
                    say(en="it applies to a trace's lengths", es="se aplica a las longitudes de una traza"))
    else:
        refuse_idle(args, "--trace", ("workload",), say(en="the trace holds the lengths", es="la traza da las longitudes"))


def trace_calls(args: argparse.Namespace) -> list | None:
    """The calls of the trace file, after printing its notes; None without a file."""
    if args.trace is None:
        return None
    from minigpt.simulation import fleet
    from minigpt.workloads.traces import SCALE, trace_workload

    trace = trace_workload(args.trace, rate_per_s=args.rate, length_factor=args.length_factor,
                           too_long=args.too_long or SCALE, num_requests=MOST_ROWS)
    for note in trace.notes:
        print(note)
    return fleet.calls_of(trace)


def own_rate(calls: list) -> float:
    """The trace's own mean rate."""
    span_s = (calls[-1].arrival_ns - calls[0].arrival_ns) / 1e9
    if span_s == 0:
        raise ValueError(say(
            en=f"the {len(calls)} requests of the trace arrive at the same moment: it has no rate to plan for. Take their "
               "lengths and draw arrivals: python -m minigpt replay --trace FILE --arrivals poisson --rate 5",
            es=f"las {len(calls)} peticiones de la traza llegan en un mismo instante: no hay tasa que planificar. Toma "
            "sus longitudes y sortea llegadas: python -m minigpt replay --trace ARCHIVO --arrivals poisson --rate 5",
        ))
    return (len(calls) - 1) / span_s


def on_own_arrivals(calls: list | None, plan) -> tuple[float | None, int | None]:
    """p95 (ms) of the plan on the trace's own arrivals, and the fewest replicas that would meet the target there."""
    from minigpt.simulation import fleet
    from minigpt.simulation.planner import fewest_for

    if calls is None:
        return None, None
    own_ms = 1e3 * fleet.simulate(calls, num_replicas=plan.num_replicas, cap=plan.cap).p95_s
    return own_ms, plan.num_replicas if own_ms <= plan.p95_target_ms else fewest_for(calls, plan)


def is_met(plan, own_ms: float | None) -> bool:
    """The verdict; on the trace, if one was given, since that is what the user wants to serve."""
    return own_ms <= plan.p95_target_ms if own_ms is not None else plan.num_met == len(plan.p95_ms)


def report(plan, own_ms: float | None, needed: int | None = None) -> str:
    """The plan and its trial, in lines."""
    many = "s" if plan.num_replicas > 1 else ""
    fleet_en = f"{plan.num_replicas} replica{many}, at most {plan.cap} in flight in each"
    fleet_es = f"{plan.num_replicas} réplica{many}, como mucho {plan.cap} en vuelo en cada una"
    met = f"{plan.num_met}/{len(plan.p95_ms)}"
    target, unseen = f"{plan.p95_target_ms:g}", listed(plan.p95_ms)
    lines = [
        say(en=f"plan: {fleet_en}; a new request goes to the one with the fewest requests inside",
            es=f"plan: {fleet_es}; cada petición nueva va a la réplica con menos peticiones dentro"),
        say(en=f"  p95 on unseen workloads (ms): {unseen}; target {target}, met by {met}",
            es=f"  p95 con cargas no vistas (ms): {unseen}; objetivo {target}, lo cumplen {met}"),
    ]
    if plan.p95_one_fewer_ms is not None:
        fewer = listed(plan.p95_one_fewer_ms)
        lines.append(say(en=f"  with one replica fewer (ms): {fewer}", es=f"  con una réplica menos (ms): {fewer}"))
    if own_ms is not None:
        lines.append(own_line(plan, own_ms, needed))
    load, speed = f"{plan.load_percent:.0f} %", f"{plan.capacity_per_s:.0f}"
    lines += [
        say(en=f"  load: {load} of what the fleet can complete ({speed} requests/s per replica)",
            es=f"  carga: {load} de lo que la flota puede completar ({speed} peticiones/s por réplica)"),
        say(en=f"  KV cache of a full replica, if all requests are as long as the longest: {plan.kv_mib:.1f} MiB",
            es=f"  caché KV de una réplica llena, si todas las peticiones son como la más larga: {plan.kv_mib:.1f} MiB"),
    ]
    return "\n".join(lines)


def own_line(plan, own_ms: float, needed: int | None) -> str:
    """How the plan, made for Poisson arrivals, does on the trace's own."""
    words = say(en=f"  with the trace's own arrivals instead of Poisson ones: {own_ms:.1f} ms",
                es=f"  con las llegadas de la traza en vez de las de Poisson: {own_ms:.1f} ms")
    if own_ms <= plan.p95_target_ms:
        return words + say(en=", met", es=", lo cumple")
    if needed is None:
        return words + say(en=": NOT met, and by no larger fleet either (the bursts are too large)",
                           es=": NO lo cumple, ni una flota mayor (las ráfagas son demasiado grandes)")
    return words + say(en=f": NOT met; {needed} replicas would", es=f": NO lo cumple; con {needed} réplicas, sí")


def listed(values: list[float]) -> str:
    return " · ".join(f"{value:.1f}" for value in values)
