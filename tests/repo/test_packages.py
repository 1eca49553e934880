"""What `pip install` makes of this repository: a wheel that is the given code alone, an sdist that is all of it."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from minigpt import __main__ as command_line
from tests.tools.repo_files import ROOT, source_files

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packages")]
BUILD = "import sys, setuptools.build_meta as b; out = sys.argv[1]; b.build_sdist(out); b.build_wheel(out)"  # they replace argv
# Made by a student or by a command: no package may carry them.
STUDENTS_OWN = ("labs/start.md", "labs/03_continuous_batching/continuous_batching.py",
                "labs/03_continuous_batching/lab03.ipynb", "labs/03_continuous_batching/lab03.es.ipynb")
WORKS = {
    "ask": (["fix: she go to school"], "goes"),
    "workload": (["--num", "3", "--out", "w.jsonl"], ""),
    "plan": (["--help"], "p95"),
    "arena": (["--help"], "--impl"),
    "load": (["--help"], "--"),
    "bench": (["--help"], "--repeats"),
    "eval": (["--help"], ""),
    "export": (["--help"], "gguf"),
}


def names_in(files) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with both packages, built from a copy in which a student has worked."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for path in source_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name in STUDENTS_OWN:
        (copy / name).write_text("mine\n", encoding="utf-8")
    subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=copy, check=True, capture_output=True)
    return out


def one(folder: Path, ending: str) -> Path:
    (found,) = folder.glob(f"*{ending}")
    return found


def pip_install(package: Path, site: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(site)]
    subprocess.run([*command, str(package)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def site(built, tmp_path_factory):
    """The wheel, installed."""
    folder = tmp_path_factory.mktemp("site")
    pip_install(one(built, ".whl"), folder)
    return folder


def run(site: Path, cwd: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MINIGPT_")}
    variables |= {"PYTHONPATH": str(site), "MINIGPT_LANG": "en", "PYTHONUTF8": "1"} | settings
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=variables, capture_output=True, text=True, encoding="utf-8")


def test_the_wheel_is_the_package_with_all_that_it_reads(built):
    wanted = {name for name in names_in(source_files()) if name.startswith("minigpt/")}
    with zipfile.ZipFile(one(built, ".whl")) as wheel:
        names = set(wheel.namelist())
    assert {name for name in names if name.startswith("minigpt/")} == wanted
    kept = {name.split("/", 1)[1] for name in names - wanted}
    assert {"licenses/LICENSE", "licenses/LICENSE-CC-BY-4.0", "entry_points.txt"} <= kept


def test_the_sdist_is_the_repository_without_a_students_work(built):
    with tarfile.open(one(built, ".tar.gz")) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        names -= {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isdir() and "/" in member.name}
    made = {name for name in names if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    assert names - made == names_in(source_files())


def test_an_installed_sdist_is_the_wheel(built, site, tmp_path):
    pip_install(one(built, ".tar.gz"), tmp_path)
    listed = [{path.relative_to(folder).as_posix(): path.read_bytes() for path in (folder / "minigpt").rglob("*")
               if path.is_file() and path.suffix != ".pyc"} for folder in (site, tmp_path)]
    assert listed[0] == listed[1]


@pytest.mark.parametrize("name", WORKS)
def test_what_a_wheel_can_do_works_from_any_folder(site, tmp_path, name):
    arguments, said = WORKS[name]
    done = run(site, tmp_path, "-m", "minigpt", name, *arguments)
    assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr


def test_every_command_that_a_wheel_has_is_tried():
    assert set(WORKS) == set(command_line.WITHOUT_CHECKOUT)


@pytest.mark.parametrize("language, said", [("en", "needs the repository"), ("es", "necesita el repositorio")])
def test_what_needs_a_clone_says_so_and_touches_nothing(site, tmp_path, language, said):
    before = sorted(path for path in site.rglob("*") if "__pycache__" not in path.parts)
    others = [command.name for command in command_line.COMMANDS if command.name not in WORKS]
    assert "lab" in others and "clean" in others
    code = "import sys; from minigpt.__main__ import main; print(*[main([name]) for name in sys.argv[1:]])"
    done = run(site, tmp_path, "-c", code, *others, MINIGPT_LANG=language)
    assert done.stdout.split() == ["2"] * len(others)
    assert done.stderr.count(said) == len(others)
    assert sorted(path for path in site.rglob("*") if "__pycache__" not in path.parts) == before
    assert list(tmp_path.iterdir()) == []


def test_an_unpacked_sdist_is_a_clone(built, tmp_path):
    with tarfile.open(one(built, ".tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    graded = run(folder, folder, "-m", "minigpt", "grade", "02", "--impl", "solution", "--no-measure", MINIGPT_ENV="current")
    assert graded.returncode == 0, graded.stdout + graded.stderr
    tests = ["tests/repo/test_in_step.py", "tests/repo/test_names.py", "tests/unit/test_paths.py"]
    tested = run(folder, folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert tested.returncode == 0 and " passed" in tested.stdout, tested.stdout
