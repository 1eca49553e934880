"""What running and saving puts into a notebook, taken out again to the byte."""

import asyncio
import json

import pytest

from minigpt.notebook.saved_notebook import clean
from tests.tools.repo_files import ROOT, in_all, notebooks

LAB = "labs/02_x"


@in_all(notebooks())
def test_a_built_notebook_is_clean_already(path):
    assert clean(path.read_bytes()) == path.read_bytes()


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}", b'{"cells": 3}', b'{"cells": [{}]}', b'{"cells": [3]}',
                                  b'{"cells": []}', b'{"cells": [], "metadata": 3}', b'["\\ud800"]'])
def test_what_is_no_notebook_stays_as_it_is(data):
    assert clean(data) == data


def as_saved():
    """A notebook that was run, as JupyterLab sends it to be saved."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

    code = new_code_cell("a = 'ñ'\na", id="c1", execution_count=3, metadata={"editable": True, "tags": []},
                         outputs=[new_output("stream", text="año\n")])
    prose = new_markdown_cell("# Título", id="c0", metadata={"jp-MarkdownHeadingCollapsed": True})
    return new_notebook(cells=[prose, code],
                        metadata={"minigpt": {"lab": "02_x"}, "widgets": {"state": {}},
                                  "kernelspec": {"display_name": "Python 3 (ipykernel)", "name": "python3"},
                                  "language_info": {"name": "python", "version": "3.12.1"}})


@pytest.mark.parametrize("name, has_outputs", [
    ("02_x.ipynb", False), ("02_x.es.ipynb", False), ("x.ipynb", True), ("x.es.ipynb", True), ("02.ipynb", True),
])
def test_jupyters_server_saves_the_original_without_outputs(tmp_path, name, has_outputs):
    import nbformat
    from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

    settings = json.loads((ROOT / "minigpt" / "jupyter" / "jupyter_server_config.json").read_text(encoding="utf-8"))
    (tmp_path / LAB).mkdir(parents=True)
    manager = AsyncLargeFileManager(root_dir=str(tmp_path), **settings["ContentsManager"])
    model = {"type": "notebook", "format": "json", "content": as_saved()}
    asyncio.run(manager.save(model, f"{LAB}/{name}"))
    saved = (tmp_path / LAB / name).read_bytes()
    expected = clean((nbformat.writes(as_saved()) + "\n").encode("utf-8"))
    assert ("año" in saved.decode("utf-8")) == has_outputs and (saved == expected) == (not has_outputs)


def test_the_hook_leaves_other_files_alone(tmp_path):
    from minigpt.notebook.saved_notebook import before_saving

    model = {"type": "file", "content": "text"}
    before_saving(path="02_x/02_x.ipynb", model=model, contents_manager=None)
    before_saving(path="02_x/02_x.ipynb", model={"type": "notebook", "content": None})
    assert model == {"type": "file", "content": "text"}
