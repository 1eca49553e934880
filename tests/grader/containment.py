"""What the checking side knows about containing a worker: the means of this system, and what each probe means."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.grader import probes, view
from tests.grader.outcomes import Text, t

TRIAL_S = 60
NO_LIMIT_BYTES = 2**60  # what the kernel says where there is none is near 2**63


class Row:
    """One property that may hold or not: its name in the instructors' table, and what a report says if it does not."""

    def __init__(self, name: Text, if_not: Text):
        self.name, self.if_not = name, if_not


ROWS = {
    "reference": Row(
        t("it cannot read the reference, the checks, `.git`, other submissions",
          "no puede leer la solución, las comprobaciones, `.git` ni otras entregas"),
        t("the reference could be read at its path: grade in a container, or in a copy without solutions/ and .git",
          "la solución se podía leer en su ruta: califica en un contenedor, o en una copia sin solutions/ ni .git"),
    ),
    "reading": Row(
        t("it cannot read files that other users may not read", "no puede leer archivos que otros usuarios no pueden leer"),
        t("the code could read files that other users may not read", "el código podía leer archivos cerrados a otros usuarios"),
    ),
    "changing": Row(
        t("it cannot change your files", "no puede cambiar tus archivos"),
        t("the code ran with your user's rights: it could change your files",
          "el código se ejecutó con los permisos de tu usuario: podía cambiar tus archivos"),
    ),
    "ending": Row(
        t("it cannot end your processes", "no puede terminar tus procesos"),
        t("the code could end your processes", "el código podía terminar tus procesos"),
    ),
    "descendants": Row(
        t("all its descendants are ended", "terminan todos sus descendientes"),
        t("a process that left its session and ended its guardian may have gone on",
          "un proceso que dejó su sesión y terminó a su guardián pudo seguir"),
    ),
    "memory": Row(
        t("memory, per process", "memoria, por proceso"),
        t("memory is not limited on this system", "en este sistema la memoria no se limita"),
    ),
    "memory_in_all": Row(
        t("memory, of all its processes together", "memoria, de todos sus procesos juntos"),
        t("the memory of all its processes together is not limited: only a container's limit bounds it",
          "la memoria de todos sus procesos juntos no se limita: la acota el límite de un contenedor"),
    ),
    "processes": Row(
        t("number of processes", "número de procesos"),
        t("the number of processes is not limited", "el número de procesos no se limita"),
    ),
    "file_size": Row(
        t("size of one file", "tamaño de un archivo"),
        t("the size of a file is not limited", "el tamaño de un archivo no se limita"),
    ),
    "written": Row(
        t("total of what it writes, anywhere", "total de lo que escribe, en cualquier sitio"),
        t("what the code writes outside of its own folder is not counted", "lo que el código escribe fuera de su carpeta no se cuenta"),
    ),
    "leftovers": Row(
        t("no file and no shared memory outlives it", "no le sobrevive ningún archivo ni memoria compartida"),
        t("files and shared memory outside of its own folder may have been left behind",
          "pudieron quedar archivos y memoria compartida fuera de su carpeta"),
    ),
    "network": Row(
        t("no network", "sin red"),
        t("the code could use the network", "el código podía usar la red"),
    ),
    "rights": Row(
        t("it cannot gain additional rights (user namespaces)", "no puede obtener privilegios propios (espacios de nombres de usuario)"),
        t("the code could make user namespaces of its own", "el código podía crear sus propios espacios de nombres de usuario"),
    ),
}


@functools.cache
def trial() -> dict:
    """What this system offers, tried out once per process: see trial.py."""
    command = [sys.executable, "-I", "-B", str(Path(__file__).with_name("trial.py"))]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=True)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return {"python": [], "why_not": f"the trial failed: {error}"[:300]}


def view_of(place: Path, project: Path, hidden: list[str], copied: list[str]) -> dict | None:
    """The view of a worker whose folders are in `place`; None where it cannot have a view of its own."""
    found = trial()
    if found["why_not"] or os.environ.get("MINIGPT_NO_NAMESPACES"):  # the variable: to try the other way out
        return None
    home = str(place / "home")
    return view.make_view(
        python=found["python"], project=str(project), hidden=hidden, copied=copied,
        home=home, given=f"{home}/given", built_in=str(place / "built_in"),
    ).plain()


def facts(canary: Path, unseen: list[str]) -> dict:
    """What the probes need to know. `canary` is a file that only this user may open."""
    return {"canary": str(canary), "unseen": unseen, "parent": os.getpid(), "quota_bytes": view.QUOTA_BYTES,
            "namespaces": probes.namespace_numbers()}


def memory_in_all_is_limited() -> bool:
    """Whether the kernel bounds the memory of this process's group (Linux's control groups, as containers use them)."""
    try:
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return False
    base = Path("/sys/fs/cgroup")
    places = [base / "memory.max", base / "memory/memory.limit_in_bytes"]
    for _, names, path in groups:
        places += [base / path.strip("/") / "memory.max"] if not names else []
        places += [base / "memory" / path.strip("/") / "memory.limit_in_bytes"] if "memory" in names.split(",") else []
    return any(_limit_bytes(place) < NO_LIMIT_BYTES for place in places)


def _limit_bytes(place: Path) -> float:
    try:
        return float(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there, or "max"
        return NO_LIMIT_BYTES


def quota_of(home: Path, held: dict[str, bool]) -> Path | None:
    """The folder whose size this side must watch because nothing else bounds it."""
    return home if held.get("written") is False else None


def copies_of_the_reference(project: Path) -> list[str]:
    """Everything in the project's folder that may hold an answer: all of it except this Python."""
    needed = [Path(os.path.realpath(place)) for place in (sys.prefix, sys.base_prefix)]
    found = []
    for path in project.iterdir():
        if not any(place == path or path in place.parents for place in needed) and path.name not in view.PYTHON_IN_A_PREFIX:
            found.append(str(path))
    git = project / ".git"
    if git.is_file():  # a worktree: the objects are elsewhere
        found += [line.partition(":")[2].strip() for line in git.read_text(encoding="utf-8").splitlines()]
    return found
