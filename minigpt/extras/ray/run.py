"""What `python -m minigpt ray` does where Ray is installed: choose the fleet, start it, and wait until the user ends it."""

import argparse
import json
import signal
import threading

from minigpt.extras.ray import serve
from minigpt.extras.ray.nodes import emulated_nodes
from minigpt.extras.ray.scaling import Scaling, fixed, scaling_of
from minigpt.language import say
from minigpt.schedulers.registry import GIVEN, find_policy, implementation, load_loop

NUM_LENGTHS = 3_000  # requests that the planner has seen, as in `minigpt plan`
MOST_INFLIGHT = 64  # that a plan may ask of one replica


def run(args: argparse.Namespace) -> int:
    if args.try_out:
        return try_out(args)
    policy, scaling = find_policy(args.policy), choose_scaling(args)
    app = make_app(args, policy, scaling, **({"max_replicas_per_node": 1} if args.nodes else {}))
    place = emulated_nodes(args.nodes) if args.nodes else serve.connected(args.address, scaling.max_replicas)
    with place:
        serve.start_proxy(args.host, args.port, args.time_limit_s)
        serve.deploy(app)
        print(started(args, scaling), flush=True)
        wait_for_the_end()
    return 0


def make_app(args: argparse.Namespace, policy, scaling: Scaling, **options):
    """The application with the loop that the arguments name."""
    loop = load_loop(policy, args.impl or implementation())
    settings = serve.ReplicaSettings(
        policy=policy, max_inflight=scaling.max_ongoing_requests, time_limit_s=args.time_limit_s
    )
    return serve.application(loop, scaling, settings, max_queue=args.max_queue, **options)


def choose_scaling(args: argparse.Namespace) -> Scaling:
    """As many replicas as the user said, or as Lab 04 plans for a rate and a target."""
    if args.rate is None:
        return fixed(args.replicas or 2, args.max_inflight or 8)
    from minigpt.simulation import fleet
    from minigpt.simulation.planner import make_plan

    lengths = fleet.request_lengths(args.workload or "mixed", NUM_LENGTHS)
    plan = make_plan(lengths, args.rate, args.p95_ms / 1e3, MOST_INFLIGHT, impl=GIVEN)
    return scaling_of(plan, lengths, args.quiet_rate)


def started(args: argparse.Namespace, scaling: Scaling) -> str:
    """One line saying what serves at which address."""
    least, most = scaling.min_replicas, scaling.max_replicas
    many = f"{most}" if least == most else say(en=f"{least} to {most}", es=f"de {least} a {most}")
    cap, url = scaling.max_ongoing_requests, f"http://{args.host}:{args.port}/v1"
    target = "" if least == most else say(en=f", {scaling.target_ongoing_requests:g} on average",
                                          es=f", {scaling.target_ongoing_requests:g} de media")
    return say(en=f"Serving {args.policy} on {url}: replicas {many}, at most {cap} in flight in each{target} "
               "(Ctrl-C ends)",
               es=f"Sirviendo {args.policy} en {url}: réplicas {many}, como mucho {cap} en vuelo en cada una{target} "
               "(Ctrl-C termina)")


def wait_for_the_end() -> None:
    """Return at SIGINT or SIGTERM."""
    is_over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    while not is_over.wait(1.0):  # with a timeout: without one, Windows would not hear Ctrl-C
        pass
    print(say(en="Ray ends its replicas at once: what is in flight is cut off.",
              es="Ray termina sus réplicas de inmediato: lo que está en vuelo se corta."), flush=True)


def try_out(args: argparse.Namespace) -> int:
    """One replica, two, and two of which one is killed, with the same requests."""
    from minigpt.extras.ray import try_out

    policy, cap = find_policy(args.policy), args.max_inflight or 8

    def deploy(num_replicas: int) -> None:
        serve.deploy(make_app(args, policy, fixed(num_replicas, cap), max_replicas_per_node=1))

    with emulated_nodes(2):
        serve.start_proxy(args.host, args.port, args.time_limit_s)
        trials = try_out.run(f"http://{args.host}:{args.port}", deploy)
    print(try_out.report(trials))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(try_out.record(trials), indent=2) + "\n", encoding="utf-8")
    return 0
