"""A class of 200, with 20 damaged or hostile members: 200 rows, and every other grade is the one that is given alone."""

import csv
import json
import os
import subprocess
import sys
import time
import zipfile

import pytest

from minigpt import paths
from tests.hostile import in_calls, in_files, in_the_kernel, in_the_process, in_time
from tests.hostile.grading import ROOT
from tests.mutants.lab03 import MUTANTS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="pipes, names in any bytes")]
LAB = paths.resolve_lab("03")
WANTED = paths.student_file(LAB).name
SIZE, NUM_ODD, MOST_MINUTES = 200, 20, 12
HOSTILE = {
    "os._exit(0)": in_calls.CALLS, "endless loop": in_calls.CALLS, "a million numbers": in_calls.VALUES,
    "a daemon": in_the_process.PROCESSES, "writes into the project": in_the_process.FILES,
    "closes all files": in_the_process.LINES, "a message that drips in": in_time.WAITING,
    "shared memory of System V": in_time.MEMORY, "folders three thousand deep": in_files.LEFTOVERS,
    "five gigabytes in a hundred files": in_files.SPACE, "an exception of half characters": in_the_kernel.WORDS,
}


def texts() -> dict[str, bytes]:
    """What the others have written: the reference, nothing yet, and a few mistakes."""
    found = {"whole": paths.solution_file(LAB).read_bytes(), "untouched": paths.skeleton_file(LAB).read_bytes()}
    return found | {mutant.check.replace("/", " "): mutant.source("03").encode() for mutant in MUTANTS[:10]}


def hostile_texts() -> dict[str, bytes]:
    return {name: next(one for one in bank if one.name == name).source() for name, bank in HOSTILE.items()}


def make_class(folder) -> dict[str, str]:
    """Write the class; for each ordinary member the name of its text."""
    folder.mkdir()
    of, kinds = {}, list(texts().items())
    for number in range(SIZE - NUM_ODD):
        kind, text = kinds[number % len(kinds)]
        name = f"student {number:03d}"
        (folder / name).mkdir()
        (folder / name / WANTED).write_bytes(text)
        of[name] = kind
    for name, text in hostile_texts().items():
        (folder / f"z {name.replace('/', ' ')}.py").write_bytes(text)
    whole = texts()["whole"]
    for name, method in (("deflate", zipfile.ZIP_DEFLATED), ("lzma", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(folder / f"{name}.zip", "w", method) as archive:
            archive.writestr(WANTED, whole)
        data = bytearray((folder / f"{name}.zip").read_bytes())
        data[len(data) // 2] ^= 0xFF
        (folder / f"{name}.zip").write_bytes(data)
    (folder / "class.csv").mkdir()
    (folder / "empty.zip").write_bytes(b"")
    os.mkfifo(folder / "pipe.zip")
    os.symlink("/etc/passwd", folder / "link.py")
    (folder / "closed").mkdir(mode=0)
    open(os.path.join(os.fsencode(folder), b"Mu\xf1oz.py"), "w", encoding="utf-8").close()
    (folder / "student 000.zip").write_bytes(b"not a zip")
    return of


def grade_class(folder, out, *options: str):
    command = [sys.executable, "-m", "tests.grader.grade_all", str(folder), "--out", str(out), "--lab", "03", "--scripted",
               "--limits", "cpu_s=2,wall_s=10,memory_mb=512,total_s=100", "--jobs", "2", *options]
    environment = {**os.environ, "MINIGPT_LANG": "en"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")


def grades(out) -> dict[str, list]:
    """What each row says next to its name."""
    with (out / "class.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row.pop("submission"): list(row.values()) for row in csv.DictReader(file)}


def test_a_class_of_200(tmp_path):
    of = make_class(tmp_path / "class")
    alone = tmp_path / "alone"
    alone.mkdir()
    for kind, text in texts().items():
        (alone / f"{kind}.py").write_bytes(text)
    assert grade_class(alone, tmp_path / "out alone").returncode == 0
    start_s = time.monotonic()
    done = grade_class(tmp_path / "class", tmp_path / "out")
    minutes = (time.monotonic() - start_s) / 60
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    expected, found = grades(tmp_path / "out alone"), grades(tmp_path / "out")
    assert len(found) == SIZE
    # One folder's short name is also a zip's: it keeps its own.
    assert {name: found[name] for name in of} == {name: expected[kind] for name, kind in of.items()}
    assert (tmp_path / "out" / "class.html").is_file()
    for report in (tmp_path / "out").glob("*/lab03/report.json"):
        json.loads(report.read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name))
    if os.environ.get("MINIGPT_UNDISTURBED"):  # nothing else runs: see `make check`
        assert minutes <= MOST_MINUTES
    print(f"{minutes:.1f} minutes")
