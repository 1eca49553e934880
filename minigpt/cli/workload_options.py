"""The options that say which workload a command runs, writes or sends: by name, from a trace, or from a file."""

import argparse
from pathlib import Path

from minigpt.language import say


def add_workload_options(parser: argparse.ArgumentParser) -> None:
    """Add them to a command's arguments."""
    parser.add_argument("--workload", default="mixed", help=say(
        en="mixed, mixed:0.3, lengths such as constant:16, two_point:3,30,0.5, exponential:16,128, "
        "or a workload file (FILE.jsonl)",
        es="mixed, mixed:0.3, longitudes como constant:16, two_point:3,30,0.5, exponential:16,128, "
        "o un archivo de carga (ARCHIVO.jsonl)",
    ))  # fmt: skip
    parser.add_argument("--arrivals", help=say(en="poisson (default), burst, gamma:0.5, closed:16",
                                               es="poisson (por defecto), burst, gamma:0.5, closed:16"))  # fmt: skip
    rate = parser.add_mutually_exclusive_group()
    rate.add_argument("--rate", type=float, help=say(en="requests per second", es="peticiones por segundo"))
    rate.add_argument("--load", type=float, help=say(
        en="share of the static capacity (virtual clock); default 0.7",
        es="fracción de la capacidad estática (reloj virtual); por defecto 0.7",
    ))  # fmt: skip
    parser.add_argument("--trace", type=Path, help="CSV: TIMESTAMP,ContextTokens,GeneratedTokens")
    parser.add_argument("--length-factor", type=float, help=say(en="scale of a trace's lengths",
                                                                es="escala de longitudes de una traza"))  # fmt: skip
    parser.add_argument("--num", type=int, help=say(en="requests (default 200, or all of a trace)", es="peticiones"))
    parser.add_argument("--seed", type=int, help=say(en="default 0", es="por defecto 0"))
    parser.add_argument("--max-batch", type=int, default=8)


def make_workload(args: argparse.Namespace):
    """The requests that the arguments ask for."""
    from minigpt.workloads.files import is_workload_file, read_workload

    if is_workload_file(args.workload):
        _refuse_beside_a_file(args)
        return read_workload(args.workload)
    seed = args.seed or 0
    if args.trace is not None:
        from minigpt.workloads.traces import trace_workload

        return trace_workload(
            args.trace, length_factor=args.length_factor, rate_per_s=args.rate, num_requests=args.num, seed=seed
        )
    from minigpt.workloads.workload import workload

    load = 0.7 if args.load is None and args.rate is None else args.load
    return workload(
        args.workload, load=load, rate_per_s=args.rate, arrivals=args.arrivals or "poisson", max_batch=args.max_batch,
        num_requests=200 if args.num is None else args.num, seed=seed,
    )  # fmt: skip


def _refuse_beside_a_file(args: argparse.Namespace) -> None:
    """A file says everything; an option that would be ignored is a mistake that nobody would notice."""
    for name in ("arrivals", "rate", "load", "trace", "length_factor", "num", "seed"):
        value = getattr(args, name)
        if value is not None:
            option = "--" + name.replace("_", "-")
            raise ValueError(say(
                en=f"{option} {value} does not go with --workload {args.workload}: the file holds requests and "
                "arrivals. Leave one of the two out",
                es=f"{option} {value} no va con --workload {args.workload}: el archivo contiene peticiones y llegadas. "
                "Quita uno de los dos",
            ))  # fmt: skip
