"""`python -m minigpt workload`: write a workload to a file, for the replay, the load client or another tool."""

import argparse

from minigpt.cli.arguments import Parser, new_file
from minigpt.cli.workload_options import add_workload_options, make_workload
from minigpt.language import say


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    from minigpt.extras.load.workload_exports import FORMATS

    made = Parser(prog="python -m minigpt workload", description=say(
        en="Write requests and their arrivals to a file: minigpt (JSONL that replay and load read), or the format of "
        "aiperf (mooncake_trace), guidellm or vllm bench serve.",
        es="Escribe peticiones y sus llegadas en un archivo: minigpt (JSONL que leen replay y load), o el formato de "
        "aiperf (mooncake_trace), guidellm o vllm bench serve.",
    ))
    add_workload_options(made)
    made.add_argument("--format", default="minigpt", choices=("minigpt", *FORMATS))
    made.add_argument("--out", type=new_file, required=True, help=say(en="file to write", es="archivo que se escribe"))
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt.extras.load.workload_exports import export_workload
    from minigpt.workloads.files import SUFFIX, is_workload_file, write_workload

    if not is_workload_file(args.out):
        raise ValueError(say(en=f"--out {args.out}: the file's name must end in {SUFFIX}",
                             es=f"--out {args.out}: el nombre del archivo debe terminar en {SUFFIX}"))
    requests = make_workload(args)
    notes = list(requests.notes)
    if args.format == "minigpt":
        write_workload(requests, args.out)
    else:
        notes += export_workload(requests, args.format, args.out)
    for note in notes:
        print(note)
    print(say(en=f"{args.out}: {len(requests.items)} requests", es=f"{args.out}: {len(requests.items)} peticiones"))
    return 0
