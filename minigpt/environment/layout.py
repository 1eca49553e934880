"""Where the environment `.venv` is, what belongs in it, and whether it is complete.

Only the standard library: this runs before anything is installed.
"""

import hashlib
import os
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
    """Return a hash of the requirements and of the repository's location.

    The location counts because the package is installed in place: after a move, the environment would still
    import the code of the old folder.
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
    """Return whether the environment exists and was finished for the current requirements."""
    stamp = stamp_file(needs)
    return (environment_python().is_file() and stamp.is_file()
            and stamp.read_text(encoding="utf-8") == fingerprint(needs))


def uses_current_interpreter():
    """Return whether MINIGPT_ENV=current asks for the running Python (conda, a container, a hosted notebook)."""
    value = os.environ.get("MINIGPT_ENV", "")
    if value not in ("", "current"):
        raise ValueError(say(
            en=f"MINIGPT_ENV={value!r} is unknown; set it to current (this Python as it is), or unset it",
            es=f"MINIGPT_ENV={value!r} es desconocido; usa current (este Python tal cual) o quítala"))
    return value == "current"


def is_inside():
    """Say whether this process already runs in the environment."""
    folder = environment_folder()
    return folder.is_dir() and os.path.samefile(sys.prefix, str(folder))
