"""`python -m minigpt ray`: a lab's loop on Ray Serve, one engine in each replica."""

import argparse
import importlib.util
import os
import secrets

from minigpt.cli.arguments import Parser, count, new_file, positive, refuse_idle, slots, whole
from minigpt.environment.layout import uses_current_interpreter
from minigpt.environment.process import run_child
from minigpt.extras.own_environment import OwnEnvironment
from minigpt.language import say
from minigpt.paths import repository_root
from minigpt.schedulers.registry import IMPLEMENTATIONS, POLICIES

REQUIREMENTS = "minigpt/extras/requirements-ray.txt"


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = Parser(prog="python -m minigpt ray", description=say(
        en="Serve a lab's loop with Ray Serve: one engine in each replica, behind one OpenAI-compatible address.",
        es="Sirve el bucle de un laboratorio con Ray Serve: un motor en cada réplica, en una sola dirección "
        "compatible con OpenAI.",
    ))
    made.add_argument("--impl", choices=IMPLEMENTATIONS, help=say(
        en="whose loop; default student", es="de quién es el bucle; por defecto student"))
    made.add_argument("--policy", default="continuous", choices=sorted(POLICIES))
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=whole(1, 65_535), default=8000)
    made.add_argument("--max-queue", type=count, default=256, help=say(
        en="requests that may wait in the proxy; then 429",
        es="peticiones que pueden esperar en el proxy; después, 429"))
    made.add_argument("--time-limit-s", type=positive, default=120.0, help=say(
        en="time limit of a request", es="tiempo máximo de una petición"))
    add_fleet_options(made.add_argument_group(say(en="how many", es="cuántas")))
    add_cluster_options(made.add_argument_group(say(en="where", es="dónde")))
    return made


def add_fleet_options(group) -> None:
    group.add_argument("--replicas", type=count, help=say(en="a fixed number (default 2)",
                                                        es="un número fijo (por defecto 2)"))
    group.add_argument("--max-inflight", type=slots, help=say(en="of one replica (default 8)",
                                                            es="de una réplica (por defecto 8)"))
    group.add_argument("--rate", type=positive, help=say(
        en="instead: plan for this many requests/s, as Lab 04 does, and let Ray scale up to that plan",
        es="en su lugar: planifica para este número de peticiones/s, como el laboratorio 04, y Ray escala hasta ese plan"))
    group.add_argument("--p95-ms", type=positive, help=say(en="the plan's target, end to end",
                                                        es="objetivo del plan, de extremo a extremo"))
    group.add_argument("--quiet-rate", type=positive, help=say(
        en="requests/s in quiet hours: the fewest replicas (default: one)",
        es="peticiones/s en horas tranquilas: el mínimo de réplicas (por defecto, una)"))
    group.add_argument("--workload", help=say(
        en="lengths to plan for", es="longitudes para las que se planifica"))


def add_cluster_options(group) -> None:
    group.add_argument("--address", help=say(
        en="an existing Ray cluster (auto: this machine's); default: a new one on this machine alone",
        es="un clúster de Ray que ya existe (auto: el de esta máquina); por defecto, uno nuevo solo en esta máquina"))
    group.add_argument("--nodes", type=count, help=say(
        en="emulate this many machines on this one, one replica on each",
        es="emula este número de máquinas en esta, con una réplica en cada una"))
    group.add_argument("--try-out", action="store_true", help=say(
        en="on two emulated machines: 200 requests to one replica, to two, and to two of which one is killed",
        es="en dos máquinas emuladas: 200 peticiones a una réplica, a dos, y a dos de las que una muere"))
    group.add_argument("--json", type=new_file, metavar="PATH", help=say(
        en="write the try-out's figures here", es="escribe aquí las cifras de la prueba"))


def own_environment() -> OwnEnvironment:
    return OwnEnvironment(
        name="ray", requirements=repository_root() / REQUIREMENTS, size="1.4 GB", has_package=True)


def check(args: argparse.Namespace) -> None:
    """Refuse contradictory options before gigabytes are installed."""
    if (args.rate is None) != (args.p95_ms is None):
        raise ValueError(say(en="--rate and --p95-ms go together: a plan needs both",
                             es="--rate y --p95-ms van juntas: un plan necesita las dos"))
    if args.rate is not None and (args.replicas is not None or args.max_inflight is not None):
        raise ValueError(say(en="--rate plans replicas and cap: leave --replicas and --max-inflight out",
                             es="--rate planifica réplicas y tope: quita --replicas y --max-inflight"))
    if args.rate is None and args.quiet_rate is not None:
        raise ValueError(say(en="--quiet-rate needs --rate and --p95-ms", es="--quiet-rate necesita --rate y --p95-ms"))
    if args.address is not None and (args.nodes is not None or args.try_out):
        raise ValueError(say(en="--address is a real cluster: --nodes and --try-out emulate one. Leave one of them out",
                             es="--address es un clúster real: --nodes y --try-out emulan uno. Quita una"))
    if args.rate is None:
        refuse_idle(args, say(en="a fleet without --rate", es="una flota sin --rate"), ("workload",), say(
            en="lengths are for a plan", es="las longitudes son para un plan"))
    if not args.try_out:
        refuse_idle(args, say(en="serving", es="servir"), ("json",), say(en="it is for --try-out's figures",
                                                                         es="es para las cifras de --try-out"))
    elif args.replicas is not None or args.nodes is not None or args.rate is not None:
        raise ValueError(say(en="--try-out starts two machines with one and two replicas: leave --replicas, --nodes and "
                             "--rate out",
                             es="--try-out inicia dos máquinas con una y dos réplicas: quita --replicas, --nodes y --rate"))


def main(argv: list[str]) -> int:
    args = parser().parse_args(argv)
    check(args)
    if args.address is None:
        os.environ.update(own_token())
    return in_ray_environment(["ray", *argv], lambda: run(args))


def own_token() -> dict[str, str]:
    """For a cluster that lives as long as the command: clients that reach its ports without the token are refused.

    Ray reads these when it is imported. A token of the user's own, for clusters that stay, is not touched.
    """
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


def in_ray_environment(argv: list[str], here) -> int:
    """Do it here if this Python has Ray, else run the command again in .venv-ray, which is made if it is missing."""
    if importlib.util.find_spec("ray") is not None:
        return here()
    if uses_current_interpreter():
        raise ValueError(say(en=f"this Python has no Ray; install it: python -m pip install -r {REQUIREMENTS}",
                             es=f"este Python no tiene Ray; instálalo: python -m pip install -r {REQUIREMENTS}"))
    environment = own_environment()
    if not environment.is_installed and environment.install() != 0:
        return 1
    return run_child([environment.python, "-m", "minigpt", *argv], cwd=repository_root(),
                     extra={"MINIGPT_ENV": "current"})


def run(args: argparse.Namespace) -> int:
    from minigpt.extras.ray.run import run

    return run(args)
