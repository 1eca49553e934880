"""``python -m minigpt lab [LAB] [-- JUPYTERLAB'S OPTIONS]``: open the labs in JupyterLab."""

import os
import sys
from urllib.parse import quote

from minigpt.environment import layout, process
from minigpt.language import language, say
from minigpt.notebook.start_page import FILE_NAME, write_start_page
from minigpt.notebook.student_copies import ensure_student_notebooks
from minigpt.paths import ensure_student_files, list_labs, repository_root, resolve_lab, student_notebook


def main(argv: list[str]) -> int:
    """Make the student's missing files and start JupyterLab on a lab's notebook (by default the first's)."""
    own, passed_on = split_arguments(argv)
    if own and own[0] in ("-h", "--help"):
        options = say(en="JUPYTERLAB'S OPTIONS", es="OPCIONES DE JUPYTERLAB")
        print(f"python -m minigpt lab [LAB] [-- {options}]")
        return 0
    lab = choose_lab(own)
    folder = repository_root() / "labs"
    folder.mkdir(exist_ok=True)
    prepare()
    return process.run_child(
        [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}",
         f"--LabApp.default_url={start_url(lab)}", *passed_on],
        cwd=folder, extra=jupyter_environment())


def prepare() -> None:
    """Make what JupyterLab shows: the student's files and notebooks, and the start page."""
    files = ensure_student_files()
    notebooks, kept = ensure_student_notebooks()
    for lab in sorted({path.parent.name for path in [*files, *notebooks]}):
        names = ", ".join(path.name for path in [*files, *notebooks] if path.parent.name == lab)
        print(say(en=f"Yours, new: labs/{lab}/ {names}", es=f"Tuyos, nuevos: labs/{lab}/ {names}"))
    for path in kept:
        name = path.relative_to(repository_root()).as_posix()
        print(say(
            en=f"{name} has a newer version; you changed yours, so it was kept. "
            "For the new one, rename yours and run this command again.",
            es=f"{name} tiene una versión más nueva; cambiaste la tuya, así que se conserva. "
            "Para tener la nueva, cambia el nombre de la tuya y repite esta orden."))
    write_start_page()
    print(say(en=f"All labs: {FILE_NAME}, one folder up in JupyterLab's list of files",
              es=f"Todos los laboratorios: {FILE_NAME}, una carpeta más arriba en la lista de archivos de JupyterLab"),
          flush=True)


def jupyter_environment() -> dict[str, str]:
    """The variables that JupyterLab and its kernels start with."""
    settings = repository_root() / "minigpt" / "jupyter"
    # With the Spanish notebooks JupyterLab's own menus are Spanish, unless its user has chosen another language there.
    folders = [*([settings / "spanish"] if language() == "es" else []), settings, os.environ.get("JUPYTER_CONFIG_PATH")]
    variables = {
        # Defaults: our originals are hidden, a page is shown and not its Markdown, no question about Jupyter's news.
        "JUPYTER_CONFIG_PATH": os.pathsep.join(str(folder) for folder in folders if folder),
        # Otherwise a "python3" kernel that the user once installed could win over the environment's own.
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    if layout.uses_current_interpreter():
        # This clone's package is not installed in that Python, and a kernel starts in the lab's folder.
        variables["PYTHONPATH"] = str(repository_root())
    return variables


def split_arguments(argv):
    """Split our arguments from JupyterLab's, which follow the first ``--``."""
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1:]


def choose_lab(own):
    """Return the lab to open; None if there is no lab yet."""
    wanted = [word for word in own if word]  # make passes an empty LAB on
    if len(wanted) > 1:
        got = " ".join(wanted)
        raise ValueError(say(
            en=f"one lab at a time, not {got!r}; JupyterLab's options go after --",
            es=f"un laboratorio cada vez, no {got!r}; las opciones de JupyterLab van después de --"))
    if wanted:
        return resolve_lab(wanted[0])
    return next(iter(list_labs()), None)


def start_url(lab):
    """Return the page to open: the student's notebook in the user's language, else the folder."""
    if lab is None:
        return "/lab"
    notebook = student_notebook(lab, language())
    return f"/lab/tree/{quote(lab.name)}" + (f"/{quote(notebook.name)}" if notebook.exists() else "")
