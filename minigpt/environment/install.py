"""Making .venv and installing into it.

Every step can be run again, so an interrupted set-up goes on where it was. The stamp comes last.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

from minigpt.environment import layout, process
from minigpt.environment.python_version import is_supported
from minigpt.language import say
from minigpt.paths import repository_root

CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def install(needs, torch_index=None, again=False):
    """Bring the environment up to date for "labs", "tests" or "browser" and return an exit status.

    `torch_index` defaults to the variable TORCH_INDEX, so that `make lab TORCH_INDEX=URL` works as well.
    """
    torch_index = torch_index or os.environ.get("TORCH_INDEX")
    if again or not layout.is_current("labs"):
        status = finish("labs", lambda: make_environment() or install_labs(torch_index))
        if status != 0:
            return status
    return 0 if needs == "labs" else finish(needs, lambda: install_more(needs))


def finish(needs, work):
    """Do the work and stamp the environment only if all of it succeeded."""
    stamp = layout.stamp_file(needs)
    if stamp.exists():
        stamp.unlink()  # from here on the environment is half-made
    status = work()
    if status == 0:
        stamp.write_text(layout.fingerprint(needs), encoding="utf-8")
    return status


def make_environment():
    """Make .venv, or repair one whose interpreter or pip does not work."""
    folder, python = layout.environment_folder(), layout.environment_python()
    version = version_of(python)
    if version is None or not is_supported(version):
        if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
            return fail(missing_venv_message())
        print(say(en="Making .venv ...", es="Creando .venv ..."), flush=True)
        # Only a folder that is an environment is emptied; anything else there belongs to the user.
        clear = ["--clear"] if (folder / "pyvenv.cfg").exists() else []
        status = process.run_child([sys.executable, "-m", "venv", *clear, folder])
        if status != 0:
            return fail(say(
                en=f"making .venv failed (status {status}); delete the folder .venv and try again",
                es=f"no se pudo crear .venv (estado {status}); borra la carpeta .venv y repite"), status)
    elif version != sys.version_info[:2]:
        kept = f"Python {version[0]}.{version[1]}"
        print(say(en=f".venv keeps its {kept}; delete the folder .venv to change it.",
                  es=f".venv conserva su {kept}; borra la carpeta .venv para cambiarlo."))
    return mend_pip(python)


def version_of(python):
    """Return (major, minor) of an interpreter, or None if it does not run."""
    question = "import sys; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([str(python), "-c", question], check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, env=process.child_environment()).stdout
        return tuple(int(part) for part in answer.split())
    except (OSError, subprocess.CalledProcessError):
        return None


def mend_pip(python):
    """Install pip if an earlier set-up was interrupted before it had done so."""
    probe = subprocess.run([str(python), "-m", "pip", "--version"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=process.child_environment())
    if probe.returncode == 0:
        return 0
    status = process.run_child([python, "-m", "ensurepip", "--upgrade", "--default-pip"])
    return status and fail(say(en="pip is missing in .venv; delete the folder .venv and run set-up again",
                               es="falta pip en .venv; borra la carpeta .venv y repite setup"), status)


def install_labs(torch_index):
    """Install the labs' requirements and the package itself, in place."""
    if torch_index:
        status = pip("--index-url", torch_index, torch_requirement())
        if status != 0:
            return status
    elif sys.platform == "linux" and shutil.which("nvidia-smi") is None and not has_torch():
        way_out = f"make setup TORCH_INDEX={CPU_INDEX}"
        print(say(en=f"No NVIDIA GPU was found. To save gigabytes: {way_out}",
                  es=f"No se encontró una GPU de NVIDIA. Para ahorrar gigabytes: {way_out}"), flush=True)
    # The requirements bring setuptools: without build isolation nothing is downloaded a second time, and
    # an environment that is complete can be repaired offline.
    return (pip("-r", repository_root() / "requirements.txt")
            or pip("--no-deps", "--no-build-isolation", "-e", repository_root()))


def install_more(needs):
    """Install what only some tests need; the labs' requirements bind it, so torch stays what it is."""
    labs, more = (repository_root() / name for name in layout.REQUIREMENTS[needs])
    return pip("-r", more, "-c", labs)


def torch_requirement():
    """Return torch's line in requirements.txt, the one place that names its version."""
    lines = (repository_root() / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next(line.split("#")[0].strip() for line in lines if line.startswith("torch="))


def has_torch():
    """Say whether torch is in the environment."""
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    return subprocess.run([str(layout.environment_python()), "-c", code],
                          env=process.child_environment()).returncode == 0


def pip(*arguments):
    """Run ``pip install`` in the environment and return its status, with a line of its own if it failed."""
    command = [layout.environment_python(), "-m", "pip", "install", "--disable-pip-version-check",
               "--progress-bar", "on", *arguments]
    # Some users configure pip to install per user, which an environment refuses.
    status = process.run_child(command, cwd=repository_root(), extra={"PIP_USER": "0"})
    if status == 0:
        return 0
    what = "pip install " + " ".join(str(part) for part in arguments)
    return fail(say(
        en=f"{what} failed (status {status}); the reason is printed above. Check the network and the free disk space, then run "
           "the same command again: it continues where it stopped.",
        es=f"{what} falló (estado {status}); la causa está arriba. Revisa la red y el espacio en disco y "
        "repite la misma orden: sigue donde se quedó."), status)


def missing_venv_message():
    """Name the package that Debian and its derivatives split off."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    return say(
        en=f"this Python ({sys.executable}) cannot create virtual environments. On Debian or Ubuntu: sudo apt install "
           f"{package}; then run the same command again",
        es=f"este Python ({sys.executable}) no puede crear entornos virtuales. En Debian o Ubuntu: sudo apt install {package}; "
           "después repite la misma orden")


def fail(message, status=1):
    """Print what failed and return the status."""
    print(f"minigpt setup: {message}", file=sys.stderr, flush=True)
    return status
