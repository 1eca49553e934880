"""The page in JupyterLab that leads to every lab: labs/start.md, written again by each `make lab`."""

from pathlib import Path

from minigpt.language import say
from minigpt.notebook.exercises import load_exercises, load_title
from minigpt.paths import list_labs, repository_root, student_file, student_notebook

FILE_NAME = "start.md"


def write_start_page(root: Path | None = None) -> Path:
    """Write the page in the reader's language; git ignores it."""
    page = (root or repository_root()) / "labs" / FILE_NAME
    page.write_text(start_page(list_labs(root)), encoding="utf-8")
    return page


def start_page(labs: list[Path]) -> str:
    """A table of the labs, with links to the student's own notebooks and files."""
    head = say(
        en="# The labs\n\nEach lab is a notebook and, next to it, one Python file, which you write.\n\n"
           "| lab | notebook | you write | exercises |",
        es="# Los laboratorios\n\n"
           "Cada laboratorio es un cuaderno y, a su lado, un archivo de Python que escribes tú.\n\n"
           "| laboratorio | cuaderno | escribes | ejercicios |")
    rows = [row for lab in labs if (row := table_row(lab))]
    foot = say(
        en="These files are yours: git ignores them, and `git pull` leaves them alone. In a terminal, "
           "`make lab LAB=02` opens a lab, `make grade LAB=02` grades it, `make reset LAB=02` gives you a fresh "
           "Python file and keeps yours next to it.",
        es="Estos archivos son tuyos: git los ignora y `git pull` no los toca. En una terminal, "
           "`make lab LAB=02` abre un laboratorio, `make grade LAB=02` lo califica y `make reset LAB=02` te da un "
           "archivo de Python nuevo y guarda el tuyo a su lado.")
    return "\n".join([head, "|---|---|---|---|", *rows, "", foot, ""])


def table_row(lab: Path) -> str | None:
    """One lab's row; None for a lab that does not exist yet."""
    links = {language: student_notebook(lab, language) for language in ("en", "es")}
    if not all(path.exists() for path in links.values()):
        return None
    try:
        titles, exercises = load_title(lab), load_exercises(lab)
    except ValueError:  # the author's slip, which other commands report: the labs open all the same
        return None
    notebooks = " · ".join(f"[{getattr(titles, language)}]({lab.name}/{path.name})"
                           for language, path in links.items())
    exercises = [exercise for exercise in exercises if not exercise.is_stretch]
    file = student_file(lab).name
    minutes = sum(exercise.minutes for exercise in exercises)
    return f"| {lab.name[:2]} | {notebooks} | [{file}]({lab.name}/{file}) | {len(exercises)} · {minutes} min |"
