"""``python -m minigpt clean``: remove caches, and nothing written by hand."""

import os
import shutil

from minigpt.language import say
from minigpt.paths import repository_root

CACHES = ("__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis")
# JupyterLab's checkpoints stay: they hold a student's last saved notebook.
NOT_OURS = (".git", ".ipynb_checkpoints")


def main(argv: list[str]) -> int:
    """Remove the caches below the repository's root."""
    if argv:
        raise ValueError(say(en=f"clean takes no arguments, not {argv[0]!r}",
                             es=f"clean no admite argumentos: {argv[0]!r}"))
    found = caches(repository_root())
    for folder in found:
        shutil.rmtree(folder)
    print(say(en=f"Removed {len(found)} cache folders.", es=f"Se borraron {len(found)} carpetas de caché."))
    return 0


def caches(root):
    """Return the cache folders below `root`, not looking into environments."""
    found = []
    for folder, names, _ in os.walk(root):
        found += [os.path.join(folder, name) for name in names if name in CACHES]
        names[:] = [name for name in names if name not in (*CACHES, *NOT_OURS) and not name.startswith(".venv")]
    return found
