"""`python -m minigpt serve`: a lab's loop behind an OpenAI-compatible endpoint."""

import argparse
import functools
import importlib
import sys

from minigpt.extras.server.engine_client import EngineClient
from minigpt.extras.server.live_checks import try_out
from minigpt.language import say
from minigpt.llm.tokenizer import encode_prompt
from minigpt.schedulers.registry import IMPLEMENTATIONS, POLICIES, code_file, find_policy, implementation, load_loop

REQUIREMENTS = "minigpt/extras/requirements-serve.txt"
LOCAL = ("127.0.0.1", "localhost", "::1")
WARM_UP_S = 10.0


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(prog="python -m minigpt serve", description=say(
        en="Serve real clients with a lab's loop: OpenAI's /v1/completions, and /v1/models, /health, /metrics.",
        es="Atiende a clientes de verdad con el bucle de un laboratorio: /v1/completions de OpenAI, y /v1/models, "
        "/health, /metrics.",
    ))  # fmt: skip
    made.add_argument("--impl", choices=IMPLEMENTATIONS, help=say(
        en="whose loop; default student", es="de quién es el bucle; por defecto student"))  # fmt: skip
    made.add_argument("--policy", default="continuous", choices=sorted(POLICIES))
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=int, default=8000, help=say(en="0: any free one", es="0: uno libre cualquiera"))
    made.add_argument("--max-batch", type=int, default=8)
    made.add_argument("--max-inflight", type=int, default=8)
    made.add_argument("--max-wait-ms", type=float, default=5.0)
    made.add_argument("--max-queue", type=int, default=256, help=say(
        en="requests that may wait; then 429", es="peticiones que pueden esperar; después, 429"))  # fmt: skip
    made.add_argument("--max-body-bytes", type=int, default=65_536)
    made.add_argument("--time-limit-s", type=float, default=120.0, help=say(
        en="most time of a request", es="tiempo máximo de una petición"))  # fmt: skip
    made.add_argument("--hang-s", type=float, default=30.0, help=say(
        en="so long without a step, and the loop counts as hung",
        es="tras tanto tiempo sin un paso, el bucle se da por colgado"))  # fmt: skip
    made.add_argument("--model-name", default="mini-gpt")
    return made


def check(args: argparse.Namespace) -> None:
    """Refuse numbers with which nobody could be served."""
    for name in ("max_queue", "max_body_bytes", "time_limit_s", "hang_s"):
        if not getattr(args, name) > 0:
            option = "--" + name.replace("_", "-")
            raise ValueError(say(en=f"{option} {getattr(args, name):g}: it must be positive",
                                 es=f"{option} {getattr(args, name):g}: debe ser positivo"))  # fmt: skip
    if not args.max_wait_ms >= 0:
        raise ValueError(f"--max-wait-ms {args.max_wait_ms:g}: ≥ 0")


def import_server():
    """The server's module; what is not installed is said in one line."""
    try:
        return importlib.import_module("minigpt.extras.server.app")
    except ModuleNotFoundError as missing:
        way_out = f"{sys.executable} -m pip install -r {REQUIREMENTS}"
        raise ValueError(say(
            en=f"serve needs the module {missing.name!r}, which is not installed; try: {way_out}",
            es=f"serve necesita el módulo {missing.name!r}, que no está instalado; prueba: {way_out}",
        )) from None  # fmt: skip


def load_any_loop(policy: str, impl: str):
    """The loop of a policy, whatever is wrong with its file."""
    found = find_policy(policy)
    try:
        return load_loop(found, impl)
    except ValueError:
        raise
    except Exception as error:  # the student's file does not load
        raise ValueError(f"{code_file(found.lab, impl)}: {type(error).__name__}: {error}") from None


def warm_up(engine) -> None:
    """Answer one request before the first client's: it shows whether the loop is written at all."""
    state = try_out(engine, encode_prompt("fix: she go to school"), max_tokens=4, timeout_s=WARM_UP_S)
    if state.error == "NotImplementedError":
        engine.close(drain=False, timeout_s=1)
        raise ValueError(say(en=f"{state.reason}: write it first; --impl solution serves with the reference",
                             es=f"{state.reason}: escríbelo antes; --impl solution usa la referencia"))  # fmt: skip
    if not state.is_healthy:
        print(say(en=f"minigpt: {state.reason}. Requests get 503, and /health says why.",
                  es=f"minigpt: {state.reason}. Las peticiones reciben 503, y /health dice por qué."),
              file=sys.stderr, flush=True)  # fmt: skip


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    check(args)
    server = import_server()
    policy, impl = find_policy(args.policy), args.impl or implementation()
    listening = server.open_socket(args.host, args.port)
    engine = EngineClient(
        functools.partial(load_any_loop, policy.name, impl), streams=policy.streams, max_batch=args.max_batch,
        max_wait_s=args.max_wait_ms / 1e3, max_inflight=args.max_inflight, max_queue=args.max_queue,
        hang_s=args.hang_s,
    )  # fmt: skip
    warm_up(engine)
    host = f"[{args.host}]" if ":" in args.host else args.host
    url = f"http://{host}:{listening.getsockname()[1]}"
    print(say(en=f"Serving {impl}/{policy.name} on {url}/v1 (Ctrl-C ends, after what is in flight)",
              es=f"Sirviendo {impl}/{policy.name} en {url}/v1 (Ctrl-C termina, tras lo que está en vuelo)"),
          flush=True)  # fmt: skip
    if args.host not in LOCAL:
        print(say(en="Anybody who reaches this address can use it: there are no keys and no encryption.",
                  es="Quien llegue a esta dirección puede usarla: no hay claves ni cifrado."), flush=True)  # fmt: skip
    server.run_server(engine, listening, server.ServerSettings(
        model=args.model_name, max_body_bytes=args.max_body_bytes, time_limit_s=args.time_limit_s, policy=policy.name,
    ))  # fmt: skip
    return 0
