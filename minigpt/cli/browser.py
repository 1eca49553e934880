"""``python -m minigpt browser [PYTEST'S OPTIONS]``: run every notebook in JupyterLab in a real Chromium, and the web page."""

import os
import shutil
import sys

from minigpt.environment import process
from minigpt.language import say
from minigpt.paths import repository_root

NAMES = ("chromium", "chromium-browser", "google-chrome")


def main(argv: list[str]) -> int:
    """Run the tests in tests/browser, which no other command collects; the slow ones with `-m slow`."""
    browser = os.environ.get("MINIGPT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        raise ValueError(say(
            en="no Chromium here; on Debian: apt-get install chromium fonts-dejavu-core, "
               "or give its path: MINIGPT_BROWSER=/path/to/chromium",
            es="no hay Chromium; en Debian: apt-get install chromium fonts-dejavu-core, "
               "o indica su ruta: MINIGPT_BROWSER=/ruta/a/chromium"))
    return process.run_child([sys.executable, "-m", "pytest", "tests/browser", "-m", "not slow", *argv], cwd=repository_root(),
                                 extra={"MINIGPT_BROWSER": browser})
