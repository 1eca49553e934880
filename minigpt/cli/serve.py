"""`python -m minigpt serve`: a lab's loop behind an OpenAI-compatible endpoint."""

import argparse
import functools
import importlib
import os
import sys

from minigpt.cli.arguments import Parser, at_least_zero, count, positive, slots, whole
from minigpt.cli.workload_options import refuse_idle_limits
from minigpt.extras.server.engine_client import EngineClient
from minigpt.extras.server.live_checks import try_out
from minigpt.language import say
from minigpt.schedulers.registry import IMPLEMENTATIONS, POLICIES, code_file, find_policy, implementation, load_loop

REQUIREMENTS = "minigpt/extras/requirements-serve.txt"
LOCAL = ("127.0.0.1", "localhost", "::1")
WARM_UP_S = 10.0
KEY = "MINIGPT_API_KEY"


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt serve", description=say(
        en="Serve real clients with a lab's loop: OpenAI's completions and chat completions, models, /health, "
        "/metrics, and a page at / that shows what is in flight.",
        es="Atiende a clientes de verdad con el bucle de un laboratorio: completions y chat completions de OpenAI, "
        "modelos, /health, /metrics y una página en / que muestra lo que está en vuelo.",
    ))
    made.add_argument("--impl", choices=IMPLEMENTATIONS, help=say(
        en="whose loop; default student", es="de quién es el bucle; por defecto student"))
    made.add_argument("--policy", default="continuous", choices=sorted(POLICIES))
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=whole(0, 65_535), default=8000,
                      help=say(en="0: any free one", es="0: uno libre cualquiera"))
    made.add_argument("--max-batch", type=slots, help=say(en="of static (default 8)", es="de static (por defecto 8)"))
    made.add_argument("--max-wait-ms", type=at_least_zero, help=say(en="of static (default 5)", es="de static (por defecto 5)"))
    made.add_argument("--max-inflight", type=slots, help=say(
        en="of continuous (default 8)", es="de continuous (por defecto 8)"))
    made.add_argument("--max-queue", type=count, default=256, help=say(
        en="requests that may wait; then 429", es="peticiones que pueden esperar; después, 429"))
    made.add_argument("--model-name", default="mini-gpt")
    add_limits(made.add_argument_group(say(en="limits", es="límites")))
    add_doors(made.add_argument_group(say(en="who may call", es="quién puede llamar")))
    return made


def add_limits(group) -> None:
    group.add_argument("--max-body-bytes", type=count, default=65_536)
    group.add_argument("--time-limit-s", type=positive, default=120.0, help=say(
        en="time limit of a request", es="tiempo máximo de una petición"))
    group.add_argument("--hang-s", type=positive, default=30.0, help=say(
        en="after this long without a step for any request, the loop counts as hung",
        es="tras este tiempo sin ningún paso, el bucle se da por colgado"))


def add_doors(group) -> None:
    group.add_argument("--api-key", default=os.environ.get(KEY, ""), metavar="KEY", help=say(
        en=f"clients must send it (default: the variable {KEY}, which does not show up in process lists)",
        es=f"los clientes deben enviarla (por defecto, la variable {KEY}, que no sale en ninguna lista de procesos)",
    ))
    group.add_argument("--cors", action="append", default=[], metavar="ORIGIN", help=say(
        en="a web page's origin that may call from a browser, or * for all; may be repeated",
        es="origen de una página web que puede llamar desde un navegador, o * para todos; se puede repetir"))
    group.add_argument("--access-log", action="store_true", help=say(
        en="print a line for each request", es="muestra una línea por cada petición"))


def import_server():
    """The server's module; a missing package is reported in one line."""
    try:
        return importlib.import_module("minigpt.extras.server.listening")
    except ModuleNotFoundError as missing:
        way_out = f"{sys.executable} -m pip install -r {REQUIREMENTS}"
        raise ValueError(say(
            en=f"serve needs the module {missing.name!r}, which is not installed; try: {way_out}",
            es=f"serve necesita el módulo {missing.name!r}, que no está instalado; prueba: {way_out}",
        )) from None


def load_any_loop(policy: str, impl: str):
    """The loop of a policy, whatever is wrong with its file."""
    found = find_policy(policy)
    try:
        return load_loop(found, impl)
    except ValueError:
        raise
    except Exception as error:  # the student's file does not load
        raise ValueError(f"{code_file(found.lab, impl)}: {type(error).__name__}: {error}") from None


def warm_up(engine, max_wait_s: float) -> None:
    """Serve a few requests before the first client's: a loop that cannot serve must not look as if it could."""
    state = try_out(engine, WARM_UP_S + max_wait_s, say_slow)
    if state.is_healthy:
        return
    engine.close(drain=False, timeout_s=1)
    way_out = say(en="fix it and start again; --impl solution serves with the reference",
                  es="repáralo y vuelve a empezar; --impl solution usa la referencia")
    if state.error == "NotImplementedError":
        way_out = say(en="write it first; --impl solution serves with the reference",
                      es="escríbelo antes; --impl solution usa la referencia")
    raise ValueError(f"{state.reason}: {way_out}")


def say_slow() -> None:
    print(say(en=f"The loop has not answered yet: waiting up to {WARM_UP_S:.0f} s ...",
              es=f"El bucle aún no ha respondido: se espera hasta {WARM_UP_S:.0f} s ..."),
          file=sys.stderr, flush=True)


def announce(args: argparse.Namespace, impl: str, port: int) -> None:
    host = f"[{args.host}]" if ":" in args.host else args.host
    print(say(
        en=f"Serving {impl}/{args.policy} on http://{host}:{port}/v1 (Ctrl-C stops it once the requests in flight are done); "
           f"http://{host}:{port}/ shows it live",
        es=f"Sirviendo {impl}/{args.policy} en http://{host}:{port}/v1 (Ctrl-C lo para cuando acaban las peticiones en vuelo); "
           f"http://{host}:{port}/ lo muestra en vivo",
    ), flush=True)
    if args.host not in LOCAL and not args.api_key:
        print(say(en="Anyone who can reach this address can use it: no --api-key was given, and nothing is encrypted.",
                  es="Quien tenga acceso a esta dirección puede usarla: no se dio --api-key, y nada va cifrado."),
              flush=True)


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    refuse_idle_limits(args, ("max_batch", "max_inflight", "max_wait_ms"))
    max_wait_s = (5.0 if args.max_wait_ms is None else args.max_wait_ms) / 1e3
    server = import_server()
    policy, impl = find_policy(args.policy), args.impl or implementation()
    listening = server.open_socket(args.host, args.port)
    engine = EngineClient(
        functools.partial(load_any_loop, policy.name, impl), streams=policy.streams, max_batch=args.max_batch or 8,
        max_wait_s=max_wait_s, max_inflight=args.max_inflight or 8, max_queue=args.max_queue, hang_s=args.hang_s,
    )
    warm_up(engine, max_wait_s)
    announce(args, impl, listening.getsockname()[1])
    server.run_server(engine, listening, server.ServerSettings(
        model=args.model_name, max_body_bytes=args.max_body_bytes, time_limit_s=args.time_limit_s, policy=policy.name,
        api_key=args.api_key, cors_origins=tuple(args.cors), has_access_log=args.access_log,
    ))
    return 0
