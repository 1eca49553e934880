"""``python -m minigpt browser [PYTEST'S OPTIONS]``: run every notebook in JupyterLab in a real Chromium, and the web page."""

import os
import shutil

from minigpt.cli.test import run_pytest
from minigpt.language import say

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
    # Two processes, each with a JupyterLab and a Chromium of its own.
    return run_pytest(argv, ["tests/browser", "-m", "not slow"], num_processes=2, MINIGPT_BROWSER=browser)
