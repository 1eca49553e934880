"""`python -m minigpt load`: send a workload file to a server over HTTP, with the metrics of `replay`."""

import argparse
import asyncio
import json
import math
from pathlib import Path

from minigpt.analysis.tables import ROWS, summary_table
from minigpt.cli.arguments import Parser, new_file, positive, write_text
from minigpt.extras.load import client, report
from minigpt.language import say


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt load", description=say(
        en="Send a workload file to an OpenAI-compatible server (/v1/completions), each request at its scheduled time, "
        "and print its latencies. They count from the schedule.",
        es="Envía un archivo de carga a un servidor compatible con OpenAI (/v1/completions), cada petición a su hora "
        "programada, y muestra sus latencias. Cuentan desde esa hora.",
    ))
    made.add_argument("--url", default="http://127.0.0.1:8000", help=say(en="the server", es="el servidor"))
    made.add_argument("--workload", type=Path, required=True, help=say(
        en="workload file; python -m minigpt workload writes one",
        es="archivo de carga; python -m minigpt workload escribe uno",
    ))
    made.add_argument("--model", help=say(en="default: the first one that the server lists",
                                          es="por defecto: el primero que da el servidor"))
    made.add_argument("--prompts", default="ids", choices=client.PROMPTS, help=say(
        en="send token ids, or text to a server with a different tokenizer",
        es="envía identificadores de tokens, o texto a un servidor con otro tokenizador",
    ))
    made.add_argument("--no-stream", action="store_true", help=say(
        en="ask for whole answers, so that the latencies do not include the cost of streaming",
        es="pide respuestas enteras, para que las latencias no incluyan lo que cuesta enviarlas token a token",
    ))
    made.add_argument("--timeout-s", type=positive, default=120.0, help=say(en="of one request", es="de una petición"))
    made.add_argument("--target-ms", type=positive, default=math.inf, help=say(en="E2E target of goodput", es="objetivo"))
    made.add_argument("--json", type=new_file)
    return made


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    from minigpt.workloads.files import read_workload

    workload = read_workload(args.workload)
    target, replies, end_ns = asyncio.run(
        client.load(
            workload, args.url, model=args.model, prompts=args.prompts, timeout_s=args.timeout_s,
            streams=not args.no_stream,
        )
    )
    log = report.run_log(workload, replies, end_ns)
    summary = report.summarize(log, replies, args.target_ms / 1e3)
    late = report.lateness(workload, replies, summary.ttft_p95_ms)
    print(summary_table({target.model[-14:]: summary}, [row for row in ROWS if row[0] not in report.NOT_SEEN]))
    for note in report.notes(replies, late):
        print(note)
    if args.json:
        data = {"url": target.url, "model": target.model, "workload": workload.name}
        data |= report.record(summary, replies, log, late)
        write_text(args.json, json.dumps(data, indent=2) + "\n")
    return 0 if log.finished else 1
