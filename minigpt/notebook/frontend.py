"""Where the code runs: in a notebook's kernel or not, interactively or not, and in which language."""

import os
import re
import sys

from minigpt.language import language

# JupyterLab names the copy of x.es.ipynb "x.es-Copy1.ipynb".
SPANISH_NOTEBOOK = re.compile(r"\.es(-[^/\\]*)?\.ipynb$", re.IGNORECASE)


def ipython_shell():
    """The running IPython, or None; IPython is not imported for the question."""
    core = sys.modules.get("IPython")
    return core.get_ipython() if core else None


def in_kernel() -> bool:
    """Whether this code runs in a notebook's kernel, and not in a terminal or a script."""
    return hasattr(ipython_shell(), "kernel")


def notebook_path() -> str | None:
    """The notebook's path as its server or editor gives it; None if neither does."""
    # jupyter_server sets the variable in every kernel that it starts for a notebook; VS Code sets a global.
    shell = ipython_shell()
    path = os.environ.get("JPY_SESSION_NAME") or (shell and shell.user_ns.get("__vsc_ipynb_file__"))
    return str(path) if path and str(path).endswith(".ipynb") else None


def notebook_language() -> str:
    """The language of the notebook by its name, `*.es.ipynb` or `*.ipynb`; without a notebook, the reader's."""
    path = notebook_path()
    if path is None:
        return language()
    return "es" if SPANISH_NOTEBOOK.search(path) else "en"


def has_front_end() -> bool:
    """Whether a person sees this notebook and can move a slider; a test run has a kernel but no viewer."""
    return in_kernel() and (notebook_path() is not None or "google.colab" in sys.modules)


def has_widgets() -> bool:
    """Whether ipywidgets can be imported."""
    try:
        import ipywidgets  # noqa: F401
    except ImportError:
        return False
    return True
