"""A notebook as it was before it was run: two that differ only in their outputs are the same text."""

import json
import re

# Every kernel and editor writes its own version here. What builds the notebooks writes this.
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ORIGINAL = re.compile(r"(^|/)[0-9]{2}_[^/]*/[0-9]{2}_[^/]*\.ipynb$")


def clean(data: bytes) -> bytes:
    """Return a notebook without outputs and without what editors add; anything else stays as it is."""
    try:
        notebook = json.loads(data)
        strip(notebook)
        return to_bytes(notebook)
    except (ValueError, KeyError, TypeError, AttributeError):
        return data


def strip(notebook: dict) -> None:
    """Take out of a notebook what running and saving has put into it."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    ours = notebook["metadata"].get("minigpt")
    notebook["metadata"] = {**KERNEL, **({"minigpt": ours} if ours else {})}


def to_bytes(notebook: dict) -> bytes:
    """Write a notebook as nbformat does, to the byte."""
    return (json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")


def before_saving(path: str, model: dict, **_) -> None:
    """JupyterLab's hook (jupyter/jupyter_server_config.json): an original is saved without outputs.

    So a student who opens an original instead of their own copy leaves no change that conflicts with `git pull`.
    """
    # A git filter would not do: git takes a file of another size as changed before it asks the filter.
    if model.get("type") == "notebook" and ORIGINAL.search(path) and model.get("content"):
        strip(model["content"])
