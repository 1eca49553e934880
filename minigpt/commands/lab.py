"""``python -m minigpt lab [LAB] [-- JUPYTERLAB'S OPTIONS]``: open the labs in JupyterLab."""

import sys
from urllib.parse import quote

from minigpt import environment
from minigpt.language import language, say
from minigpt.paths import ensure_student_files, list_labs, notebook_file, repository_root, resolve_lab


def main(argv: list[str]) -> int:
    """Make the student's missing files and start JupyterLab on a lab's notebook (by default the first's)."""
    own, passed_on = split_arguments(argv)
    if own and own[0] in ("-h", "--help"):
        options = say(en="JUPYTERLAB'S OPTIONS", es="OPCIONES DE JUPYTERLAB")
        print(f"python -m minigpt lab [LAB] [-- {options}]")
        return 0
    lab = choose_lab(own)
    for path in ensure_student_files():
        name = path.relative_to(repository_root()).as_posix()
        print(say(en=f"Your file: {name}", es=f"Tu archivo: {name}"), flush=True)
    folder = repository_root() / "labs"
    folder.mkdir(exist_ok=True)
    return environment.run_child(
        [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}",
         f"--LabApp.default_url={start_url(lab)}", *passed_on],
        # Otherwise a "python3" kernel that the user once installed could win over the environment's own.
        cwd=folder, extra={"JUPYTER_PREFER_ENV_PATH": "1"})


def split_arguments(argv):
    """Split our arguments from JupyterLab's, which follow the first ``--``."""
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1:]


def choose_lab(own):
    """Return the lab to open; None when there is no lab yet."""
    wanted = [word for word in own if word]  # make passes an empty LAB on
    if len(wanted) > 1:
        got = " ".join(wanted)
        raise ValueError(say(
            en=f"one lab at a time, not {got!r}; JupyterLab's options follow after --",
            es=f"un laboratorio cada vez, no {got!r}; las opciones de JupyterLab van después de --"))
    if wanted:
        return resolve_lab(wanted[0])
    return next(iter(list_labs()), None)


def start_url(lab):
    """Return the page to open: the lab's notebook in the user's language, else the folder."""
    if lab is None:
        return "/lab"
    notebook = notebook_file(lab, language())
    return f"/lab/tree/{quote(lab.name)}" + (f"/{quote(notebook.name)}" if notebook.exists() else "")
