"""Running a command in the environment, which is set up first if necessary."""

import os
import sys

from minigpt.environment import install, layout, process
from minigpt.language import say
from minigpt.paths import is_checkout

RERUN_MARK = "MINIGPT_RERUN"


def why_install(needs, command):
    """Report what is missing: the environment, or what only this command needs on top of it."""
    if needs != "labs" and layout.is_current("labs"):
        return say(en=f"{command} needs a few more packages: adding them to .venv first.",
                   es=f"{command} necesita algunos paquetes más: primero se añaden a .venv.")
    return say(en="The environment .venv is missing or out of date: setting it up first.",
               es="El entorno .venv falta o está anticuado: primero se prepara.")


def enter(needs, argv):
    """Make sure that the command `argv` runs in a current environment.

    Returns None when this process is the right one to go on; otherwise the exit status of the command, run
    in the environment, or of the set-up that failed.
    """
    # Removed at once: what this process starts (a terminal in JupyterLab) must check for itself.
    was_rerun = os.environ.pop(RERUN_MARK, None) is not None
    if layout.uses_current_interpreter() or not is_checkout():  # a wheel's requirements came with it
        return None
    if not layout.is_current(needs):
        print(why_install(needs, argv[0]), flush=True)
        status = install.install(needs)
        if status != 0:
            return status
    # Started under LC_ALL=C, even the right interpreter cannot name every file: it runs again, in UTF-8 mode.
    if was_rerun or (layout.is_inside() and sys.getfilesystemencoding() == "utf-8"):
        return None
    return process.run_child([layout.environment_python(), "-m", "minigpt", *argv], extra={RERUN_MARK: "1"})
