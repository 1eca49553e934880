"""What a repository is expected to bring: licences that detectors know, one version everywhere, a valid citation."""

import re
import subprocess
import sys
import venv

import pytest
import yaml
from licenseclassifier import identify_license

import minigpt
from minigpt.notebook.exercises import tomllib
from tests.tools.repo_files import ROOT, source_files
from tests.tools.student_edition import is_left_out

LICENCES = {"LICENSE": "MIT", "LICENSE-CC-BY-4.0": "CC-BY-4.0"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LICENCES)
def test_a_detector_finds_just_this_licence_in_its_file(name):
    assert [found.id for found in identify_license(read(name))] == [LICENCES[name]]


def test_every_licence_is_declared_wherever_one_is_declared():
    citation, project = yaml.safe_load(read("CITATION.cff")), tomllib.loads(read("pyproject.toml"))["project"]
    assert sorted(citation["license"]) == sorted(LICENCES.values()) == sorted(project["license"].split(" AND "))
    assert sorted(project["license-files"]) == sorted(LICENCES)
    for page in ("README.md", "README.es.md"):
        assert all(f"]({name})" in read(page) for name in LICENCES), f"{page} links to each licence"


def test_no_other_licence_file_hides_anywhere_and_the_student_edition_keeps_both():
    names = {path.relative_to(ROOT).as_posix() for path in source_files() if path.name.startswith(("LICEN", "COPYING"))}
    assert names == set(LICENCES) and not any(is_left_out(name) for name in names)


def test_one_version_everywhere():
    newest = re.search(r"^## (\d+\.\d+\.\d+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert newest[1] == minigpt.__version__ == yaml.safe_load(read("CITATION.cff"))["version"]


@pytest.mark.slow
def test_cffconvert_accepts_the_citation(tmp_path):
    # In an environment of its own: it wants a jsonschema that is older than JupyterLab's.
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    wanted = ["cffconvert>=2,<3", "setuptools<81"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    command = [python, "-m", "cffconvert", "--validate", "-i", str(ROOT / "CITATION.cff")]
    script = python.with_name("cffconvert") if python.with_name("cffconvert").exists() else None
    done = subprocess.run([script, *command[3:]] if script else command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0 and "valid" in done.stdout, done.stdout + done.stderr
