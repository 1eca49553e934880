"""``python -m minigpt release DIR``: the package as a class gets it, without answers.

Left out are the references, the wrong solutions and the tests of the repository. What has to stay although it would
answer an exercise is *sealed*: it runs as before, and its text cannot be read or searched. Every check runs and can pass.
"""

import base64
import shutil
import zlib
from pathlib import Path

from minigpt.cli.arguments import Parser
from minigpt.language import say
from minigpt.paths import repository_root
from tests.tools.repo_files import source_files

LEFT_OUT = (
    "solutions", ".ci", ".devcontainer", ".github", "CONTRIBUTING.md", "tests/browser", "tests/extras", "tests/grader_tests", "tests/hf", "tests/hostile",
    "tests/mutants", "tests/repo", "tests/tools", "tests/unit",
)
# Given code that holds an answer, and the exercises that it would answer.
SEALED = {
    "minigpt/analysis/block_bootstrap.py": "3.6",
    "minigpt/analysis/metrics.py": "1.6, 2.4, 2.5, 3.5, 3.6",
    "minigpt/llm/kv_memory.py": "4.6, 4.7",
    "minigpt/runtime/paged/block_pool.py": "5.1",
    "minigpt/runtime/paged/prefix_cache.py": "6.1, 6.2, 6.3",
    "minigpt/schedulers/static.py": "2.1, 2.2, 2.3",
    "minigpt/schedulers/dynamic.py": "2.1",
    "minigpt/schedulers/continuous.py": "3.1, 3.2, 3.3, 3.4",
    "minigpt/schedulers/lines.py": "6.6, 6.7",
    "minigpt/schedulers/paged.py": "5.2, 5.3, 5.4, 5.5",
    "minigpt/schedulers/speculative.py": "6.4, 6.5",
    "minigpt/simulation/capacity.py": "4.4",
    "minigpt/simulation/plan_search.py": "4.8",
    "minigpt/simulation/routing.py": "6.9",
    "minigpt/studies/head_count.py": "4.2",
    "minigpt/studies/victims.py": "5.5",
}
SEALED_FOLDERS = ("tests/lab",)  # the checks know what they expect
LINE = 118

STUB = '''"""Sealed in the student edition: reading it would answer {what}. It runs like the open file."""

import base64
import zlib

TEXT = (
{lines}
)
exec(compile(zlib.decompress(base64.b85decode(TEXT)).decode("utf-8"), __file__, "exec"))
'''


def is_left_out(name: str) -> bool:
    """Whether a file of the repository, by its path, has no place in the student edition."""
    return any(name == folder or name.startswith(folder + "/") for folder in LEFT_OUT)


def exercises_answered(name: str) -> str:
    """What a file would answer, in words for its stub; empty if it may be read."""
    if name in SEALED:
        return f"exercises {SEALED[name]}"
    is_check = name.startswith(SEALED_FOLDERS) and name.endswith(".py") and not name.endswith("__init__.py")
    return "the exercises that it checks" if is_check else ""


def sealed(source: str, what: str) -> str:
    """A module that runs `source` without showing it."""
    text = base64.b85encode(zlib.compress(source.encode("utf-8"), 9)).decode("ascii")
    parts = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    # In base 85 neither quotes nor backslashes occur.
    return STUB.format(what=what, lines="\n".join(f'    "{part}"' for part in parts))


def write_edition(folder: Path) -> list[str]:
    """Write the edition into an empty or new folder; the files that it holds. Raises ValueError if it is in use."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(say(
            en=f"{folder} is not an empty folder: choose another, nothing of yours is overwritten",
            es=f"{folder} no es una carpeta vacía: elige otra; nada tuyo se sobrescribe",
        ))
    written = []
    for path in source_files():
        name = path.relative_to(repository_root()).as_posix()
        if is_left_out(name):
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if what := exercises_answered(name):
            target.write_text(sealed(path.read_text(encoding="utf-8"), what), encoding="utf-8")
        else:
            shutil.copyfile(path, target)
        written.append(name)
    return written


def main(argv: list[str]) -> int:
    """The command."""
    parser = Parser(prog="python -m minigpt release", description=say(
        en="Write the student edition: no solutions, no wrong solutions, no readable answer; every check runs.",
        es="Escribe la edición para estudiantes: sin soluciones ni respuestas legibles; todas las comprobaciones corren.",
    ))
    parser.add_argument("folder", type=Path, metavar="DIR", help=say(en="a new folder", es="una carpeta nueva"))
    folder = parser.parse_args(argv).folder
    written = write_edition(folder)
    print(say(
        en=f"{folder}: {len(written)} files. Hand it out as an archive or as a repository of its own.",
        es=f"{folder}: {len(written)} archivos. Repártela como archivo comprimido o como repositorio propio.",
    ))
    return 0
