"""The student's own notebooks: copies of the tracked ones, which `git pull` must never meet.

labs/03_continuous_batching/03_continuous_batching.es.ipynb is ours, lab03.es.ipynb next to it is the student's, as
continuous_batching.py is. A copy remembers the text that it was made from: as long as it has not been edited (running it
is not an edit), it follows that text.
"""

import hashlib
import json
import os
from pathlib import Path

from minigpt.notebook.saved_notebook import clean, to_bytes
from minigpt.paths import list_labs, notebook_file, student_notebook

LANGUAGES = ("en", "es")


def ensure_student_notebooks(root: Path | None = None) -> tuple[list[Path], list[Path]]:
    """Make the missing copies and renew the unedited ones.

    Returns the copies that were written, and those that were kept although there is a newer text.
    """
    written, kept = [], []
    for lab in list_labs(root):
        for language in LANGUAGES:
            original, copy = notebook_file(lab, language), student_notebook(lab, language)
            if not original.is_file():
                continue
            text = clean(original.read_bytes())  # ours may have been run and saved as well
            if not copy.exists() or is_outdated(copy, text) and is_unchanged(copy):
                write_copy(copy, text)
                written.append(copy)
            elif is_outdated(copy, text):
                kept.append(copy)
    return written, kept


def write_copy(copy: Path, text: bytes) -> None:
    """Write a student's notebook whole or not at all."""
    notebook = json.loads(text)
    notebook["metadata"]["minigpt"] = {**notebook["metadata"].get("minigpt", {}), "made_from": digest(text)}
    draft = copy.with_name(copy.name + ".new")
    draft.write_bytes(to_bytes(notebook))
    os.replace(draft, copy)


def is_outdated(copy: Path, text: bytes) -> bool:
    """Whether a copy was made from another text than this; one that cannot be read counts as such."""
    return made_from(copy) != digest(text)


def is_unchanged(copy: Path) -> bool:
    """Whether a copy was only run and saved, not edited."""
    origin = made_from(copy)
    if origin is None:
        return False
    notebook = json.loads(clean(copy.read_bytes()))
    del notebook["metadata"]["minigpt"]["made_from"]
    return digest(to_bytes(notebook)) == origin


def made_from(copy: Path) -> str | None:
    """The digest of the text that a copy was made from; None where it does not say so."""
    try:
        return json.loads(copy.read_bytes())["metadata"]["minigpt"]["made_from"]
    except (ValueError, KeyError, TypeError):
        return None


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
