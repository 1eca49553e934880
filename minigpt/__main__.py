"""The command line: ``python -m minigpt COMMAND ...``.

It may be started by any Python, with nothing installed. So this file is readable by every Python from
3.6 on, imports only the standard library at its top, and looks at the version before anything else.
"""

import codecs
import importlib
import os
import sys
from collections import namedtuple

# needs: what must be installed first (None: nothing; see environment/layout.py). make: the same in make's syntax.
Command = namedtuple("Command", "name module needs make en es")

COMMANDS = (
    Command("setup", "minigpt.cli.setup", None, "make setup [TORCH_INDEX=URL]",
            "make .venv and install what the labs need",
            "crea .venv e instala lo que necesitan los laboratorios"),
    Command("lab", "minigpt.cli.lab", "labs", "make lab [LAB=NN]",
            "open the labs in JupyterLab",
            "abre los laboratorios en JupyterLab"),
    Command("grade", "minigpt.cli.grade", "labs", "make grade LAB=NN [IMPL=solution] [JSON=path]",
            "grade a lab",
            "califica un laboratorio"),
    Command("grade-all", "minigpt.cli.grade_all", "labs", "make grade-all DIR=submissions OUT=results [LAB=NN]",
            "grade a class",
            "califica una clase"),
    Command("reset", "minigpt.cli.reset", "labs", "make reset LAB=NN",
            "start a lab again from its skeleton; your file is kept as a backup",
            "vuelve a empezar un laboratorio desde su esqueleto; tu archivo se guarda como copia"),
    Command("ask", "minigpt.cli.ask", "labs", None,
            "ask the grammar tutor",
            "pregunta al tutor de gramática"),
    Command("replay", "minigpt.cli.replay", "labs", None,
            "replay a workload against a scheduler",
            "reproduce una carga de trabajo con un planificador"),
    Command("workload", "minigpt.cli.workload", "labs", None,
            "write a workload to a file, for replay, load or another tool",
            "escribe una carga de trabajo en un archivo, para replay, load u otra herramienta"),
    Command("load", "minigpt.cli.load", "labs", None,
            "send a workload file to a server over HTTP and measure it",
            "envía un archivo de carga a un servidor por HTTP y lo mide"),
    Command("serve", "minigpt.cli.serve", "serve", None,
            "serve real clients with your loop, behind an OpenAI-compatible endpoint",
            "atiende a clientes de verdad con tu bucle, en un endpoint compatible con OpenAI"),
    Command("plan", "minigpt.cli.plan", "labs", None,
            "plan a fleet: a rate and a p95 target give replicas and their in-flight cap",
            "planifica una flota: una tasa y un objetivo de p95 dan réplicas y su tope en vuelo"),
    Command("bench", "minigpt.cli.bench", "labs", "make bench",
            "time the decode step for several batch sizes",
            "mide el paso de decodificación (decode) con varios tamaños de lote (batch)"),
    Command("eval", "minigpt.cli.eval", "labs", "make eval",
            "measure the tutor's held-out accuracy",
            "mide la exactitud del tutor con datos reservados"),
    Command("train", "minigpt.cli.train", "labs", "make train",
            "train the shipped model again",
            "vuelve a entrenar el modelo incluido"),
    Command("arena", "minigpt.cli.arena", "labs", None,
            "all policies on the same five workloads",
            "todas las políticas con las mismas cinco cargas de trabajo"),
    Command("claims", "minigpt.cli.claims", "labs", "make claims",
            "measure what is said about batching: the claims ledger",
            "mide lo que se dice del batching: el registro de afirmaciones"),
    Command("export", "minigpt.cli.export", "labs", None,
            "write the tutor for other engines: a Hugging Face directory and GGUF",
            "escribe el tutor para otros motores: directorio de Hugging Face y GGUF"),
    Command("engines", "minigpt.cli.engines", "labs", "make engines [ARGS=...]",
            "the loop from Lab 03 compared with real engines, with the same weights and requests",
            "el bucle del laboratorio 03 junto a motores reales, con los mismos pesos y peticiones"),
    Command("ray", "minigpt.cli.ray", "labs", None,
            "serve your loop on several machines with Ray Serve, one engine in each replica",
            "sirve tu bucle en varias máquinas con Ray Serve, un motor en cada réplica"),
    Command("test", "minigpt.cli.test", "tests", "make test [ARGS=...]",
            "run the repository's tests",
            "ejecuta las pruebas del repositorio"),
    Command("test-all", "minigpt.cli.test_all", "tests", "make test-all [ARGS=...]",
            "run all of them, including the slow ones",
            "ejecútalas todas, también las lentas"),
    Command("browser", "minigpt.cli.browser", "browser", "make browser [ARGS=...]",
            "run every notebook in JupyterLab in a real browser (Chromium)",
            "ejecuta cada cuaderno en JupyterLab en un navegador de verdad (Chromium)"),
    Command("ray-test", "minigpt.cli.ray_test", "labs", "make ray-test [ARGS=...]",
            "test Ray Serve on two emulated machines, with a replica killed under load",
            "prueba Ray Serve en dos máquinas emuladas, con una réplica que muere con carga"),
    Command("check", "minigpt.cli.check", "tests", "make check",
            "run the instructor's checks",
            "ejecuta las comprobaciones del docente"),
    Command("mutation", "tests.tools.mutation.command", "tests", "make mutation [LAB=NN] [ARGS=...]",
            "grade machine-made wrong solutions, and print those that the checks let through",
            "califica soluciones erróneas generadas automáticamente y muestra las que pasan"),
    Command("build", "tests.tools.build", "tests", "make build",
            "rebuild skeletons and notebooks from their sources",
            "genera de nuevo esqueletos y cuadernos a partir de sus fuentes"),
    Command("figures", "tests.tools.figures", "tests", "make figures",
            "redraw the READMEs' figures",
            "dibuja de nuevo las figuras de los README"),
    Command("slides", "tests.tools.slides", "tests", "make slides [LAB=NN]",
            "make a lecture of each lab from its notebook, with live figures",
            "crea una clase de cada laboratorio a partir de su cuaderno, con figuras de verdad"),
    Command("release", "tests.tools.student_edition", "tests", "make release DIR=folder",
            "write the student edition: no solutions, no readable answers",
            "escribe la edición para estudiantes: sin soluciones ni respuestas legibles"),
    Command("web", "tests.tools.web", "labs", "make web [DIR=folder]",
            "the labs in a browser without an install: write the page, or serve it here",
            "los laboratorios en el navegador sin instalar nada: escribe la página o la sirve aquí"),
    Command("clean", "minigpt.cli.clean", None, "make clean",
            "remove caches; never your files nor .venv",
            "borra las cachés; nunca tus archivos ni .venv"),
)

# What a package installed with pip can do by itself; the rest needs the labs, the tests or .venv next to it.
WITHOUT_CHECKOUT = ("ask", "workload", "load", "plan", "bench", "eval", "arena", "export")


def write_utf8():
    """Make printing an accent safe wherever it goes, also under LC_ALL=C and in old Windows consoles."""
    codecs.register_error("minigpt", undecoded_bytes)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a test's replacement may not have it
            stream.reconfigure(encoding="utf-8", errors="minigpt")


def undecoded_bytes(error):
    """Write a path's bytes as they came in: under LC_ALL=C, Python keeps an accent as surrogates."""
    characters = [ord(character) for character in error.object[error.start:error.end]]
    return bytes(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else ord("?") for code in characters), error.end


def help_text(as_make=False):
    """List the commands in the user's language, as Python or as make says them."""
    from minigpt.language import say

    rows = []
    for command in COMMANDS:
        usage = command.make if as_make else command.name
        if usage:
            rows.append((usage, say(en=command.en, es=command.es)))
    # One long usage must not push every explanation off the screen: it gets a line of its own.
    width = min(max(len(usage) for usage, _ in rows), 28)
    lines = [say(en="Commands:", es="Órdenes:")]
    for usage, text in rows:
        gap = "\n" + " " * (width + 4) if len(usage) > width else " " * (width + 2 - len(usage))
        lines.append(f"  {usage}{gap}{text}")
    return "\n".join(lines + ["", help_footer(as_make)])


def help_footer(as_make):
    """Print what applies to every command: language, environment, a laptop without a GPU."""
    from minigpt.language import say

    start = "make lab" if as_make else "python -m minigpt lab"
    return say(
        en=f"Start with: {start}. Missing packages are installed into .venv as needed.\nMINIGPT_LANG=en|es chooses the "
           "language; MINIGPT_ENV=current uses the current Python instead of .venv.\nLinux without a GPU: make setup "
           "TORCH_INDEX=https://download.pytorch.org/whl/cpu\n     (without make: python -m minigpt setup --torch-index "
           "https://download.pytorch.org/whl/cpu)",
        es=f"Empieza con: {start}. Los paquetes que falten se instalan en .venv cuando hagan falta.\nMINIGPT_LANG=en|es elige "
           "el idioma; MINIGPT_ENV=current usa el Python actual en vez de .venv.\nLinux sin GPU: make setup "
           "TORCH_INDEX=https://download.pytorch.org/whl/cpu\n     (sin make: python -m minigpt setup --torch-index "
           "https://download.pytorch.org/whl/cpu)",
    )


def find_command(name):
    """Return the command of this name. Raises ValueError listing the known ones."""
    from minigpt.language import say

    for command in COMMANDS:
        if command.name == name:
            return command
    names = ", ".join(command.name for command in COMMANDS)
    raise ValueError(say(en=f"unknown command {name!r}; the commands are: help, {names}",
                         es=f"orden desconocida: {name!r}; las órdenes son: help, {names}"))


def load(command):
    """Import a command's module only when it is asked for, and return its ``main``."""
    from minigpt.language import say
    from minigpt.paths import repository_root

    # `tests` is not installed, so its builders are found from the repository's root.
    sys.path.insert(0, str(repository_root()))
    try:
        return importlib.import_module(command.module).main
    except ModuleNotFoundError as error:
        raise ValueError(say(
            en=f"{command.name} needs the module {error.name!r}, which this Python does not have "
            f"({sys.executable}); try: python -m minigpt setup",
            es=f"{command.name} necesita el módulo {error.name!r}, que este Python no tiene "
            f"({sys.executable}); prueba: python -m minigpt setup")) from error


def check_place(command):
    """Refuse what needs a clone where there is none, before anything is made or removed in site-packages."""
    from minigpt.language import say
    from minigpt.paths import is_checkout

    if command.name in WITHOUT_CHECKOUT or is_checkout():
        return
    names = ", ".join(WITHOUT_CHECKOUT)
    raise ValueError(say(
        en=f"{command.name} needs the repository, but this is only its package: clone it, or unpack its sdist, and run the "
           f"command there. The package alone has: {names}",
        es=f"{command.name} necesita el repositorio, pero esto es solo su paquete: clónalo, o descomprime su sdist, y ejecuta "
           f"la orden allí. El paquete solo tiene: {names}"))


def asks_for_help(argv):
    """Return whether the command line only asks for usage."""
    return any(word in ("-h", "--help") for word in argv[1:])


def is_installed(needs):
    """Return whether a command can run without installing anything first."""
    from minigpt.environment import layout

    return needs is None or layout.uses_current_interpreter() or layout.is_current(needs)


def show_help(command, argv):
    """Show how a command is used, and install nothing for it."""
    from minigpt.language import say

    try:
        return load(command)(argv[1:])
    except (ImportError, ValueError):  # its options need packages that are not installed
        print(say(en=f"{command.name}: {command.en}\nIts options are shown once it is installed: python -m minigpt setup",
                  es=f"{command.name}: {command.es}\nSus opciones se ven tras instalarlo: python -m minigpt setup"))
        return 0


def leave_quietly():
    """Our reader has gone (`| head`): print nothing more, not even when the interpreter exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # 128 + SIGPIPE


def run(argv):
    """Carry out one command line and return its exit status."""
    from minigpt.environment import rerun

    if not argv or argv[0] in ("help", "-h", "--help"):
        print(help_text(as_make="--make" in argv))
        return 0
    command = find_command(argv[0])
    check_place(command)
    if asks_for_help(argv) and not is_installed(command.needs):
        return show_help(command, argv)
    if command.needs is not None:
        status = rerun.enter(command.needs, argv)
        if status is not None:  # it ran in the environment, or could not be set up
            return status
    return load(command)(argv[1:])


def main(argv=None):
    """Run the command line; a user's mistake (ValueError) becomes one message and status 2."""
    from minigpt.environment.python_version import is_supported, unsupported_message

    if not is_supported(sys.version_info):
        print(unsupported_message(sys.version_info, sys.executable), file=sys.stderr)
        return 2
    from minigpt.language import language

    write_utf8()
    try:
        language()  # a wrong MINIGPT_LANG is reported before any work is done
        status = run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return leave_quietly()
    except ValueError as error:
        if os.environ.get("MINIGPT_DEBUG"):  # for the author of a command: where the error came from
            raise
        print(f"minigpt: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
