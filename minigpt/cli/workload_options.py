"""The options that say which workload a command runs, writes or sends: by name, from a trace, or from a file."""

import argparse
from pathlib import Path

from minigpt.cli.arguments import count, positive, refuse_idle, slots, whole
from minigpt.language import say

DEFAULT = "mixed"


def add_workload_options(parser: argparse.ArgumentParser) -> None:
    """Add them to a command's arguments. Each is None unless the user gives it, so that one without effect is refused."""
    parser.add_argument("--workload", help=say(
        en="mixed (default), mixed:0.3, lengths such as constant:16, two_point:3,30,0.5, exponential:16,128, "
        "or a workload file (FILE.jsonl)",
        es="mixed (por defecto), mixed:0.3, longitudes como constant:16, two_point:3,30,0.5, exponential:16,128, "
        "o un archivo de carga (ARCHIVO.jsonl)",
    ))
    parser.add_argument("--arrivals", help=say(en="poisson (default), burst, gamma:0.5, closed:16",
                                               es="poisson (por defecto), burst, gamma:0.5, closed:16"))
    rate = parser.add_mutually_exclusive_group()
    rate.add_argument("--rate", type=positive, help=say(en="requests per second", es="peticiones por segundo"))
    rate.add_argument("--load", type=positive, help=say(
        en="share of the static capacity (virtual clock); default 0.7",
        es="fracción de la capacidad estática (reloj virtual); por defecto 0.7",
    ))
    parser.add_argument("--num", type=count, help=say(en="requests (default 200, or all of a trace)", es="peticiones"))
    parser.add_argument("--seed", type=whole(), help=say(en="default 0", es="por defecto 0"))
    parser.add_argument("--max-batch", type=slots, default=8)
    add_trace_options(parser)


def add_trace_options(parser) -> None:
    parser.add_argument("--trace", type=Path, metavar="FILE", help=say(
        en="times and lengths of a production trace (Azure, BurstGPT, Mooncake); with --arrivals, only its lengths",
        es="tiempos y longitudes de una traza de producción (Azure, BurstGPT, Mooncake); con --arrivals, solo longitudes",
    ))
    parser.add_argument("--length-factor", type=positive, help=say(
        en="scale of a trace's lengths", es="escala de longitudes de una traza"))
    parser.add_argument("--too-long", choices=("scale", "cap", "drop"), help=say(
        en="what to do with a trace's longest requests: shrink all requests with them (default), cut them, or leave them out",
        es="qué hacer con las peticiones más largas de una traza: encoger todas con ellas (por defecto), cortarlas o quitarlas",
    ))


def make_workload(args: argparse.Namespace):
    """The requests that the arguments ask for."""
    from minigpt.workloads.files import is_workload_file, read_workload
    from minigpt.workloads.workload import workload

    name = args.workload or DEFAULT
    if is_workload_file(name):
        refuse_idle(args, f"--workload {name}", (
            "arrivals", "rate", "load", "trace", "length_factor", "too_long", "num", "seed",
        ), say(en="the file holds requests and arrivals. Leave one of the two out",
               es="el archivo contiene peticiones y llegadas. Quita uno de los dos"))
        return read_workload(name)
    refuse_rate_without_use(args)
    if args.trace is not None:
        return _from_trace(args)
    refuse_idle(args, say(en="a workload without --trace", es="una carga sin --trace"), ("length_factor", "too_long"),
                say(en="it applies to a trace's lengths", es="se aplica a las longitudes de una traza"))
    return workload(
        name, load=_load(args), rate_per_s=args.rate, arrivals=args.arrivals or "poisson", max_batch=args.max_batch,
        num_requests=200 if args.num is None else args.num, seed=args.seed or 0,
    )


def refuse_idle_limits(args: argparse.Namespace, names: tuple[str, ...]) -> None:
    """Refuse the other policy's limits: static batching has a batch and a wait, continuous batching a cap."""
    idle = {"static": ("max_inflight",), "continuous": ("max_batch", "max_wait_ms")}.get(args.policy, ())
    refuse_idle(args, f"--policy {args.policy}", [name for name in idle if name in names], say(
        en="max-batch and max-wait-ms are for static, max-inflight for continuous",
        es="max-batch y max-wait-ms son de static, max-inflight de continuous"))


def refuse_rate_without_use(args: argparse.Namespace) -> None:
    """A burst and a closed loop have no rate."""
    if (args.arrivals or "").partition(":")[0] in ("burst", "closed"):
        refuse_idle(args, f"--arrivals {args.arrivals}", ("rate", "load"), say(
            en="these arrivals have no rate. Leave one of the two out",
            es="esas llegadas no tienen tasa. Quita uno de los dos"))


def _from_trace(args: argparse.Namespace):
    from minigpt.workloads.traces import SCALE, trace_workload

    refuse_idle(args, "--trace", ("workload",), say(en="the trace holds the lengths. Leave one of the two out",
                                                    es="la traza contiene las longitudes. Quita uno de los dos"))
    if args.arrivals is None:
        refuse_idle(args, "--trace", ("load",), say(
            en="the trace holds the arrivals; --rate squeezes them, --arrivals poisson draws others",
            es="la traza contiene las llegadas; --rate las comprime, --arrivals poisson sortea otras"))
    return trace_workload(
        args.trace, length_factor=args.length_factor, rate_per_s=args.rate, num_requests=args.num, seed=args.seed or 0,
        too_long=args.too_long or SCALE, arrivals=args.arrivals, load=_load(args), max_batch=args.max_batch,
    )


def _load(args: argparse.Namespace) -> float | None:
    return 0.7 if args.load is None and args.rate is None else args.load
