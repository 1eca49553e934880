"""What starts on an old Python must be readable there; the package must compile on every supported one.

Other interpreters are tried where they are found: by the tests, not at import, since every test process imports this.
"""

import ast
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from minigpt.paths import repository_root

# They are read, if only to say "this Python is too old", before it is known which Python reads them.
READ_BY_OLD_PYTHONS = ("__init__", "__main__", "language", "environment/__init__", "environment/python_version")
COMPILE_EACH = (
    "import sys\n"
    "for path in sys.argv[1:]:\n"
    "    with open(path, encoding='utf-8') as file:\n"
    "        compile(file.read(), path, 'exec')\n"
)


@cache
def find_interpreters():
    """Map "3.x" to an interpreter that runs, from the PATH or from pyenv's folder."""
    minors = range(6, 14)
    candidates = [Path(sys.executable)]
    candidates += [Path(found) for minor in minors if (found := shutil.which(f"python3.{minor}"))]
    candidates += sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
    found = {}
    for path in candidates:
        version = version_of(path)
        if version and version.startswith("3.") and int(version[2:]) in minors:
            found.setdefault(version, path)
    return found


def version_of(path):
    """Ask an interpreter for "major.minor"; None if it does not run (a launcher without its Python)."""
    try:
        done = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                              capture_output=True, timeout=20, check=True)
        return done.stdout.decode("ascii").strip()
    except (OSError, subprocess.SubprocessError):
        return None


def supported():
    """Those that the labs run on; never empty: this one is among them."""
    return {version: path for version, path in find_interpreters().items() if int(version[2:]) >= 10}


def unsupported():
    """Those that are too old; often there are none."""
    return {version: path for version, path in find_interpreters().items() if int(version[2:]) < 10}


def package_files():
    """Return every Python file of the package."""
    return sorted((repository_root() / "minigpt").rglob("*.py"))


@pytest.mark.parametrize("name", READ_BY_OLD_PYTHONS)
def test_what_old_pythons_read_has_no_newer_syntax(name):
    path = repository_root() / "minigpt" / f"{name}.py"
    ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 6))


@pytest.mark.parametrize("name", ["__init__", "__main__"])
def test_the_top_imports_only_the_standard_library(name):
    path = repository_root() / "minigpt" / f"{name}.py"
    top = ast.parse(path.read_text(encoding="utf-8")).body
    imported = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in top if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_the_package_compiles_on_every_supported_python():
    done = {version: subprocess.run([path, "-c", COMPILE_EACH, *package_files()], capture_output=True)
            for version, path in supported().items()}
    assert done
    assert {version: one.stderr.decode("utf-8", "replace") for version, one in done.items() if one.returncode != 0} == {}


@pytest.mark.parametrize("settings", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}], ids=["as-is", "C"])
def test_an_unsupported_python_is_told_so(settings):
    if not unsupported():
        pytest.skip("no Python before 3.10 is here")
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    for version, path in unsupported().items():
        done = subprocess.run([path, "-m", "minigpt", "setup"], cwd=repository_root(), env=variables, capture_output=True)
        text = done.stderr.decode("utf-8")
        assert (done.returncode, done.stdout) == (2, b"")
        assert f"this is Python {version}." in text and f"este es Python {version}." in text
        assert text.count("make setup PYTHON=python3.12") == 2
