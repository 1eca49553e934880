"""What holds a worker is measured, said, and no more is promised; the container's recipe is one that can be used."""

import os
import re
import sys
from types import SimpleNamespace

import pytest
import yaml

from minigpt import paths
from tests.grader import containment, notes, view
from tests.tools import containment_table

ROOT = paths.repository_root()
RECIPE = ROOT / "labs" / "container"


@pytest.fixture(scope="module")
def measured():
    return containment_table.measure()


def test_the_pages_promise_nothing_that_is_not_so_here(measured):
    assert measured
    for language, name in containment_table.PAGES.items():
        page = containment_table.read((ROOT / "labs" / name).read_text(encoding="utf-8"))
        assert set(page) == set(containment_table.COLUMNS)
        for column, held in measured.items():
            yes = getattr(containment_table.YES, language)
            promised = {row for row, cell in page[column].items() if cell == yes}
            assert {row for row in promised if not held[row]} == set(), (name, column)


def test_both_pages_say_the_same():
    pages = [containment_table.read((ROOT / "labs" / name).read_text(encoding="utf-8")) for name in containment_table.PAGES.values()]
    cells = [[list(column.values()) for column in page.values()] for page in pages]
    words = {"yes": "sí", "no": "no", "?": "?"}
    assert [[words[cell] for cell in column] for column in cells[0]] == cells[1]


def test_a_table_keeps_what_was_not_measured(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    before = {column: dict.fromkeys(containment.ROWS, "yes") for column in containment_table.COLUMNS}
    table = containment_table.written({"user": dict.fromkeys(containment.ROWS, False)}, before, "en")
    page = containment_table.read(f"{containment_table.BEGIN}\n{table}\n{containment_table.END}")
    assert set(page["user"].values()) == {"no"} and set(page["container"].values()) == {"yes"}


def test_a_row_that_does_not_hold_is_said_in_both_languages(monkeypatch):
    held = {name: name != "network" for name in containment.ROWS}
    worker = SimpleNamespace(held=held, all_ended=True, left_behind={"a\x1b"})
    for language, words in (("en", "could use the network"), ("es", "podía usar la red")):
        monkeypatch.setenv("MINIGPT_LANG", language)
        said = notes.not_enforced(worker)
        assert len(said) == 2 and words in said[0] and r"a\x1b" in said[1]


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_a_view_covers_the_project_wherever_it_would_be_seen(tmp_path):
    places = dict(home="/h", given="/g", copied=(), built_in="/b")
    prefix = tmp_path / "prefix"
    project = prefix / "src" / "labs"
    for folder in (project / ".venv" / "lib", project / "solutions", project / ".git"):
        folder.mkdir(parents=True)
    inside = str(project / ".venv")
    made = view.make_view(python=[str(prefix), inside], project=str(project), hidden=[], **places)
    order = [path for path, _ in made.mounts if path.startswith(str(tmp_path))]
    assert order == [str(prefix), str(project), inside], "the cover lies over the one and under the other"
    assert dict(made.mounts)[str(project)] == ""
    # An environment that was made right in the project's folder.
    (project / "lib").mkdir()
    made = dict(view.make_view(python=[str(project)], project=str(project), hidden=[], **places).mounts)
    assert made[str(project)] == str(project) and made[str(project / "solutions")] == made[str(project / ".git")] == ""
    assert str(project / "lib") not in made
    # One that lies somewhere else: the project is not seen at all.
    made = dict(view.make_view(python=[inside], project=str(tmp_path / "other"), hidden=[], **places).mounts)
    assert str(tmp_path / "other") not in made and "/home" not in made and "/etc" not in made


def test_the_group_of_a_container_bounds_its_memory(tmp_path, monkeypatch):
    (tmp_path / "max").write_text("max\n")
    (tmp_path / "some").write_text("4294967296\n")
    assert containment._limit_bytes(tmp_path / "max") == containment.NO_LIMIT_BYTES
    assert containment._limit_bytes(tmp_path / "some") == 2**32 < containment.NO_LIMIT_BYTES
    assert containment._limit_bytes(tmp_path / "none") == containment.NO_LIMIT_BYTES


def instructions() -> list[tuple[str, str]]:
    text = (RECIPE / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def test_the_dockerfile_can_be_followed():
    found = instructions()
    known = {"FROM", "ENV", "COPY", "RUN", "WORKDIR", "ENTRYPOINT"}
    assert found[0][0] == "FROM" and {word for word, _ in found} <= known
    for word, rest in found:
        if word == "COPY":
            *sources, _ = rest.split()
            assert all((ROOT / source).exists() for source in sources), rest
    stages = [rest.split() for word, rest in found if word == "FROM"]
    assert stages[1][0] == stages[0][2] == "worker"
    ignored = (RECIPE / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    copied = {source.rstrip("/") for word, rest in found if word == "COPY" for source in rest.split()[:-1]}
    assert {f"!{source}" for source in copied} <= set(ignored) and "!.git" not in ignored and "*" in ignored


def test_the_reference_is_not_in_the_workers_layer_and_closed_in_the_graders():
    found = instructions()
    second = [index for index, (word, _) in enumerate(found) if word == "FROM"][1]
    first = " ".join(rest for _, rest in found[:second])
    assert not re.search(r"solutions|tests|labs/", first)
    rest = [rest for word, rest in found[second:] if word == "RUN"]
    assert "install -d -m 0700 -o root /labs /class" in rest[0] and rest[-1].endswith("chmod 0700 /labs")
    assert not any(word == "USER" for word, _ in found)  # root, so that each worker becomes another user


def test_the_compose_file_gives_away_nothing_more_than_is_needed():
    data = yaml.safe_load((RECIPE / "compose.yaml").read_text(encoding="utf-8"))
    (grade,) = data["services"].values()
    assert grade["network_mode"] == "none" and grade["read_only"] is True and grade["cap_drop"] == ["ALL"]
    assert set(grade["cap_add"]) == {"CHOWN", "SETUID", "SETGID", "KILL", "DAC_OVERRIDE", "FOWNER"}
    assert not {"privileged", "pid", "ipc", "devices"} & set(grade)
    assert grade["mem_limit"] and grade["pids_limit"] <= 1_024
    assert (RECIPE / grade["build"]["context"]).resolve() == ROOT.resolve()
    assert (ROOT / grade["build"]["dockerfile"]).is_file()
    places = dict(volume.rsplit("}:", 1)[1].partition(":")[::2] for volume in grade["volumes"])
    entry = next(rest for word, rest in instructions() if word == "ENTRYPOINT")
    assert places == {"/class/in": "ro", "/class/out": ""} and all(f'"{place}"' in entry for place in places)
    size = re.search(r"/tmp:size=(\d+)m", grade["tmpfs"][0])
    assert int(size[1]) * 2**20 <= view.QUOTA_BYTES, "else the sum of what a worker writes is not bounded"


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
def test_it_is_contained_with_the_containers_rights_alone(tmp_path):
    """Root without SYS_ADMIN, in a folder that only root may enter; this is what the image does."""
    from tests.unit.as_in_the_container import held_in_the_container

    if os.geteuid() != 0 or os.stat(sys.base_prefix).st_mode & 0o005 != 0o005:
        pytest.skip("only root can have a part of root's rights")
    held = held_in_the_container(tmp_path)
    if held is None:
        pytest.skip("this Python lies in a folder that is closed to others; the image's does not")
    for row in ("reference", "reading", "changing", "ending", "descendants"):
        assert held[row], row
