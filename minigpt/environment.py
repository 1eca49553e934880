"""The project's environment: the folder `.venv` at the repository's root, and running things in it.

Only the standard library: this runs before anything is installed.
"""

import hashlib
import os
import signal
import subprocess
import sys

from minigpt.language import say
from minigpt.paths import repository_root

# What has to be installed for whom. Each has a stamp of its own in .venv.
REQUIREMENTS = {
    "labs": ("requirements.txt",),
    "tests": ("requirements.txt", "requirements-test.txt"),
    "browser": ("requirements.txt", "requirements-browser.txt"),
    "serve": ("requirements.txt", "minigpt/extras/requirements-serve.txt"),
}
RERUN_MARK = "MINIGPT_RERUN"


def environment_folder():
    """Return the environment's folder, whether it exists or not."""
    return repository_root() / ".venv"


def environment_python():
    """Return the environment's interpreter, whether it exists or not."""
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return environment_folder().joinpath(*inside)


def stamp_file(needs):
    """Return the file that says for which requirements the environment was finished."""
    return environment_folder() / f"minigpt-{needs}.stamp"


def fingerprint(needs):
    """Return a hash of the requirements and of the repository's place.

    The place belongs to it because the package is installed in place: in a folder that was moved, the
    environment would still import the old one's code.
    """
    digest = hashlib.sha256(os.fsencode(str(repository_root())))
    for name in REQUIREMENTS[needs]:
        try:
            digest.update(b"\0" + (repository_root() / name).read_bytes())
        except FileNotFoundError:
            raise ValueError(say(
                en=f"{name} is not in {repository_root()}; run this in a clone of the repository",
                es=f"{name} no está en {repository_root()}; ejecútalo en un clon del repositorio")) from None
    return digest.hexdigest()


def is_current(needs):
    """Say whether the environment exists and was finished for today's requirements."""
    stamp = stamp_file(needs)
    return (environment_python().is_file() and stamp.is_file()
            and stamp.read_text(encoding="utf-8") == fingerprint(needs))


def uses_current_interpreter():
    """Say whether MINIGPT_ENV=current asks for the Python at hand (conda, a container, a hosted notebook)."""
    value = os.environ.get("MINIGPT_ENV", "")
    if value not in ("", "current"):
        raise ValueError(say(
            en=f"MINIGPT_ENV={value!r} means nothing; set it to current (this Python as it is), or unset it",
            es=f"MINIGPT_ENV={value!r} no significa nada; usa current (este Python tal cual) o quítala"))
    return value == "current"


def is_inside():
    """Say whether this process already runs in the environment."""
    folder = environment_folder()
    return folder.is_dir() and os.path.samefile(sys.prefix, str(folder))


def enter(needs, argv):
    """Make sure that the command `argv` runs in a current environment.

    Returns None when this process is the right one to go on; otherwise the exit status of the command, run
    in the environment, or of the set-up that failed.
    """
    # Taken out at once: what this process starts (a terminal in JupyterLab) must look for itself.
    was_rerun = os.environ.pop(RERUN_MARK, None) is not None
    if uses_current_interpreter():
        return None
    if not is_current(needs):
        from minigpt.commands.setup import install

        print(say(en="The environment .venv is missing or out of date: setting it up first.",
                  es="El entorno .venv falta o está anticuado: primero se prepara."), flush=True)
        status = install(needs)
        if status != 0:
            return status
    # Started under LC_ALL=C, even the right interpreter cannot name every file: it runs again, in UTF-8 mode.
    if was_rerun or (is_inside() and sys.getfilesystemencoding() == "utf-8"):
        return None
    return run_child([environment_python(), "-m", "minigpt", *argv], extra={RERUN_MARK: "1"})


def child_environment(extra=None):
    """Return the variables for a child process in the environment."""
    variables = dict(os.environ)
    # These point at another Python's packages, which would hide those of the environment.
    for name in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__"):
        variables.pop(name, None)
    # Without it, a path with an accent cannot be imported from under LC_ALL=C.
    variables["PYTHONUTF8"] = "1"
    variables.update(extra or {})
    return variables


def run_child(command, cwd=None, extra=None):
    """Run a command, wait for it whatever happens, and return its exit status."""
    sys.stdout.flush()
    # A child and not os.execv: on Windows that returns to the prompt at once and loses the status.
    parts = [str(part) for part in command]
    process = subprocess.Popen(parts, cwd=cwd and str(cwd), env=child_environment(extra))
    previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        status = wait(process)
    finally:
        signal.signal(signal.SIGTERM, previous)
    return status if status >= 0 else 128 - status  # ended by signal n: 128 + n, as a shell says it


def wait(process):
    """Wait for a child; Ctrl-C reaches it as well, and it alone decides what to do (JupyterLab asks back)."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass
