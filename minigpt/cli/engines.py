"""`python -m minigpt engines`: the tutor on real engines, compared with the loop of Lab 03 on the same requests."""

import argparse
import json
import platform
from pathlib import Path

from minigpt.cli.arguments import Parser, count, new_file, refuse_idle, slots, whole, write_text
from minigpt.language import say

NUM_REQUESTS = 64


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt engines", description=say(
        en="The same requests, greedy, on one thread, on Mini-GPT and on the engines that are installed.",
        es="Las mismas peticiones, voraz (greedy), en un hilo, en Mini-GPT y en los motores que estén instalados.",
    ))
    made.add_argument("--requests", type=count, help=say(
        en="of 8 to 128 output tokens each (default 64)", es="de 8 a 128 tokens de salida cada una (por defecto 64)"))
    made.add_argument("--inflight", type=slots, help=say(en="most in flight (default 16)", es="máximo en vuelo (por defecto 16)"))
    made.add_argument("--repeats", type=count, help=say(
        en="interleaved rounds (default 3)", es="rondas intercaladas (por defecto 3)"))
    made.add_argument("--seed", type=whole())
    made.add_argument("--workload", type=Path, metavar="FILE", help=say(
        en="other requests: a workload file (arrivals are taken as a burst)",
        es="otras peticiones: un archivo de carga (las llegadas cuentan como una ráfaga)"))
    made.add_argument("--engine", action="append", metavar="NAME", help=say(
        en="compare ours with this engine only; may be repeated", es="solo este motor junto al nuestro; se puede repetir"))
    made.add_argument("--impl", choices=("student", "solution"), help=say(
        en="whose loop Mini-GPT runs (default solution)", es="de quién es el bucle que ejecuta Mini-GPT (por defecto, solution)"))
    made.add_argument("--python", type=Path, metavar="PATH", help=say(
        en="an interpreter that has the engines (default: .venv-engines, made if it is missing)",
        es="un intérprete que tenga los motores (por defecto: .venv-engines, que se crea si falta)"))
    made.add_argument("--json", type=new_file, metavar="PATH", help=say(
        en="write the rows here", es="escribe aquí las filas"))
    made.add_argument("--show", type=Path, metavar="PATH", help=say(
        en="measure nothing: show the table of an earlier --json", es="no mide nada: muestra la tabla de un --json anterior"))
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt.extras.engines.report import as_data
    from minigpt.extras.engines.table import table

    if args.show:
        refuse_idle(args, "--show", ("requests", "inflight", "repeats", "seed", "workload", "engine", "impl", "python", "json"),
                    say(en="nothing is measured", es="no se mide nada"))
        print(table(read_rows(args.show)))
        return 0
    args.inflight, args.repeats, args.impl = args.inflight or 16, args.repeats or 3, args.impl or "solution"
    python = find_python(args.python)
    if python is None:
        return 1
    from minigpt.extras.engines.side_by_side import measure

    rows = measure(
        find_requests(args), python, names=args.engine, repeats=args.repeats, inflight=args.inflight, impl=args.impl
    )
    print(table(rows))
    if args.json:
        about = {"requests": args.requests or NUM_REQUESTS, "inflight": args.inflight, "repeats": args.repeats, "seed": args.seed or 0,
                 "machine": platform.platform(), "processor": platform.processor()}
        text = json.dumps({**about, "rows": [as_data(row) for row in rows]}, indent=2, ensure_ascii=False)
        write_text(args.json, text + "\n")
    return 1 if any(row.reason and not row.is_absent for row in rows) else 0


def find_python(wanted: Path | None) -> Path | None:
    """The interpreter that has the engines; None if installing them failed."""
    from minigpt.extras.engines import installing

    if wanted is not None:
        if not wanted.is_file():
            raise ValueError(say(en=f"python={str(wanted)!r}: there is no such file; name an interpreter",
                                 es=f"python={str(wanted)!r}: no existe ese archivo; indica un intérprete"))
        return wanted.absolute()  # not resolved: an environment's interpreter is a link
    if not installing.is_installed() and installing.install() != 0:
        return None
    return installing.engines_python()


def find_requests(args: argparse.Namespace):
    """The requests to serve: a file's, or drawn ones; EOS is ignored, so that all engines do the same work."""
    from dataclasses import replace

    from minigpt.extras.engines.side_by_side import mixed_requests
    from minigpt.workloads.files import read_workload
    from minigpt.workloads.workload import arriving

    if args.workload is None:
        return mixed_requests(args.requests or NUM_REQUESTS, args.seed or 0)
    refuse_idle(args, f"--workload {args.workload}", ("requests", "seed"), say(
        en="the file holds the requests", es="el archivo contiene las peticiones"))
    items = [replace(item, ignore_eos=True, answer=None) for item in read_workload(args.workload).items]
    return arriving(items, [0.0] * len(items), args.workload.name)


def read_rows(path: Path) -> list:
    """The rows of an earlier measurement."""
    from minigpt.extras.engines.report import from_data

    try:
        return [from_data(data) for data in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(say(en=f"show={str(path)!r} is not the file of an earlier --json ({error})",
                             es=f"show={str(path)!r} no es un archivo de un --json anterior ({error})")) from None
