"""Where things lie in the repository: labs, skeletons, the student's own files."""

import os
import re
from pathlib import Path

from minigpt.language import language, say


def repository_root():
    """Return the repository's folder: the package is installed in place, so it is the package's parent."""
    return Path(__file__).resolve().parent.parent


def is_checkout():
    """Say whether the labs lie next to the package, as they do in a clone; a wheel comes without them."""
    return (repository_root() / "labs").is_dir() and (repository_root() / "requirements.txt").is_file()


def list_labs(root=None):
    """Return the folders ``labs/NN_name``, in order of their number."""
    folder = (root or repository_root()) / "labs"
    return sorted(path for path in folder.glob("[0-9][0-9]_*") if path.is_dir())


def resolve_lab(text, root=None):
    """Return the lab folder that "2", "02" or "02_static_batching" means. Raises ValueError listing the labs."""
    labs = list_labs(root)
    wanted = str(text).strip()
    for lab in labs:
        same_number = re.fullmatch("[0-9]{1,2}", wanted) and int(wanted) == int(lab.name[:2])
        if wanted == lab.name or same_number:
            return lab
    names = ", ".join(lab.name for lab in labs) or say(en="none yet", es="ninguno todavía")
    if not wanted:
        raise ValueError(say(
            en=f"which lab? Say its number, as in LAB=02; the labs are: {names}",
            es=f"¿qué laboratorio? Indica su número, como en LAB=02; los laboratorios son: {names}"))
    raise ValueError(say(en=f"no lab {wanted!r}; the labs are: {names}",
                         es=f"no hay laboratorio {wanted!r}; los laboratorios son: {names}"))


def lab_module(lab):
    """Return a lab's name without its number: it names the student's file and the solution."""
    return lab.name.split("_", 1)[1]


def skeleton_file(lab, language="en"):
    """Return the file that the student's copy is made from: the same code, explained in "en" or "es"."""
    return lab / ("skeleton.es.py" if language == "es" else "skeleton.py")


def student_file(lab):
    """Return the student's own file, e.g. labs/02_static_batching/static_batching.py."""
    return lab / (lab_module(lab) + ".py")


def solution_file(lab):
    """Return the reference, e.g. solutions/02_static_batching/static_batching.py."""
    return lab.parent.parent / "solutions" / lab.name / (lab_module(lab) + ".py")


def notebook_file(lab, language):
    """Return a lab's notebook in "en" or "es"."""
    return lab / (lab.name + (".es.ipynb" if language == "es" else ".ipynb"))


def student_notebook(lab, language):
    """Return the student's own copy of a lab's notebook, e.g. labs/02_static_batching/lab02.es.ipynb."""
    # Short: JupyterLab's list of files cuts a name off after some fifteen letters.
    return lab / (f"lab{lab.name[:2]}" + (".es.ipynb" if language == "es" else ".ipynb"))


def ensure_student_file(lab):
    """Make the student's copy of a lab's skeleton, in the user's language, if missing; return whether it was made.

    A file that exists is never touched. Without a skeleton nothing is made.
    """
    target, skeleton = student_file(lab), skeleton_file(lab, language())
    if target.exists() or not skeleton.exists():
        return False
    # Written to another name and renamed: an interrupted copy must not look like the student's half-finished work.
    draft = target.with_name(target.name + ".new")
    draft.write_bytes(skeleton.read_bytes())
    os.replace(draft, target)
    return True


def ensure_student_files(root=None):
    """Make the missing copies of all labs and return the new files."""
    return [student_file(lab) for lab in list_labs(root) if ensure_student_file(lab)]
