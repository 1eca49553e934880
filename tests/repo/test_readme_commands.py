"""Every command block of the READMEs runs, in a copy of the repository, or says on the page why it is not run here."""

import os
import shutil
import subprocess
import sys

import pytest

from minigpt.paths import list_labs, solution_file, student_file
from tests.tools.pages import Block, blocks
from tests.tools.repo_files import ROOT, source_files

READMES = [ROOT / "README.md", ROOT / "README.es.md"]
TRACE = "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
    f"2023-11-16 18:15:{second:02d}.{tenth}000000,{40 + second},{5 + second % 9}\n" for second in range(30) for tenth in (1, 6))


def shown(path) -> list[Block]:
    return blocks(path.read_text(encoding="utf-8"))


def test_each_block_is_run_or_says_why_not_in_both_languages_alike():
    english, spanish = map(shown, READMES)
    assert english == spanish
    assert all(len(block.not_run) > 15 for block in english if block.not_run), "a reason, please"
    assert sum(not block.not_run for block in english) >= len(english) / 2


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy with what the commands read: a student's file, submissions, a trace."""
    folder = tmp_path_factory.mktemp("readme") / "labs of mine"
    for path in source_files():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    lab = next(lab for lab in list_labs(folder) if lab.name.startswith("03"))
    (folder / "submissions" / "ada").mkdir(parents=True)
    for target in (student_file(lab), folder / "submission.py", folder / "submissions" / "ada" / student_file(lab).name):
        shutil.copyfile(solution_file(lab), target)
    (folder / "trace.csv").write_text(TRACE, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("readme")
@pytest.mark.skipif(shutil.which("bash") is None or shutil.which("make") is None, reason="needs bash and make")
@pytest.mark.parametrize("block", [pytest.param(block, id=block.commands.split("\n")[0])
                                   for block in shown(READMES[0]) if not block.not_run])
def test_a_block_runs(clone, block):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MINIGPT_")}
    # `python` on the page is the one at hand, in which everything is installed.
    variables |= {"MINIGPT_ENV": "current", "MINIGPT_LANG": "en", "PYTHON": sys.executable, "PYTHONPATH": str(clone)}
    commands = f'python() {{ "$PYTHON" "$@"; }}\n{block.commands}'
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=clone, env=variables, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0 and done.stdout.strip(), done.stdout[-2000:] + done.stderr[-2000:]
