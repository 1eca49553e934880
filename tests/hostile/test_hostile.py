"""Every hostile submission gets its outcome, costs nobody else a point, and leaves nothing behind."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from minigpt import paths
from tests.hostile.hostile import Hostile
from tests.hostile.in_calls import CALLS, VALUES
from tests.hostile.in_loading import LOADING
from tests.hostile.in_the_process import FILES, LINES, MARK, PROCESSES, SLEEPER, STATE
from tests.mutants.lab03 import MUTANTS
from tests.tools.ahead import started_ahead
from tests.tools.repo_files import ROOT, source_files

BANK = (*CALLS, *VALUES, *PROCESSES, *FILES, *LINES, *STATE, *LOADING)
EXPECTED_CHECKS = {mutant.check for mutant in MUTANTS}  # each check rejects one: tests/mutants
LIMITS = "cpu_s=2,wall_s=6,memory_mb=512,total_s=60"  # far below the usual ones: these are meant to be reached
MOST_S = 400  # of one submission on a machine that is busy with others; idle it is a few seconds
MOST_REPORT_BYTES = 100_000
OPEN_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these use what Unix offers")


@pytest.fixture(scope="session")
def graded(request, tmp_path_factory):
    """The report of each submission that this run asks for; as many are graded at once as there are cores."""
    folder = tmp_path_factory.mktemp("hostile")
    before = fingerprints()
    with started_ahead(request.session, ("hostile",), lambda one: grade(one, folder / f"año {BANK.index(one)}")) as graded:
        yield graded
    changed = sorted(name for name, mark in fingerprints().items() if before.get(name) != mark)
    remove_marks()
    if os.environ.get("MINIGPT_UNDISTURBED"):  # set by `make check`; somebody may be editing otherwise
        assert changed == [], "files of the project changed meanwhile"


def grade(hostile: Hostile, folder: Path) -> dict:
    """Grade one submission in a process of its own; the report, with what the run left behind."""
    folder.mkdir()
    file, report, homes = folder / "continuous_batching.py", folder / "report.json", folder / "homes"
    homes.mkdir()
    file.write_bytes(hostile.source())
    for name, text in hostile.beside:
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.grader.grade", "03", "--file", str(file), "--scripted", "--limits", LIMITS,
               "--json", str(report), "--gradescope", str(folder / "gs.json"), "--junit", str(folder / "junit.xml")]  # fmt: skip
    environment = {**os.environ, "MINIGPT_LANG": "en", "PYTHONUTF8": "1", "TMPDIR": str(homes)}
    start_s = time.monotonic()
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", timeout=MOST_S)
    assert report.is_file(), f"no report (status {run.returncode}):\n{run.stdout[-3000:]}{run.stderr[-3000:]}"
    text = report.read_text(encoding="utf-8")
    return {
        **json.loads(text), "status": run.returncode, "seconds": time.monotonic() - start_s, "size": len(text),
        "said": run.stdout + run.stderr, "left": [*running_below(homes), *homes.iterdir()],
        "files": sorted(path.name for path in folder.iterdir()),
    }  # fmt: skip


def running_below(homes: Path) -> list[str]:
    """Processes of workers whose working folder was there."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if str(homes) in line and "tests.grader.grade" not in line:
            found.append(line)
    return found


def fingerprints() -> dict[str, str]:
    """What each file of the project holds; and the names in its folders."""
    files = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in source_files() if path.is_file()}
    return files | {str(path): "new" for path in ROOT.rglob(f"{MARK}*")}


def remove_marks() -> None:
    for folder in (ROOT, *map(Path, OPEN_FOLDERS)):
        for path in folder.glob(f"**/{MARK}*") if folder == ROOT else folder.glob(f"{MARK}*"):
            path.unlink()


@pytest.mark.parametrize("hostile", [pytest.param(one, id=one.name) for one in BANK])
def test_hostile(hostile, graded):
    report = graded(hostile)
    own = [check for check in report["checks"] if hostile.hits(check["exercise"])]
    others = [check for check in report["checks"] if not hostile.hits(check["exercise"])]
    if not (hostile.shown == "FileNotFoundError" and not report["worker"]["hidden_folders"]):  # else it is said
        assert {check["outcome"] for check in own} <= hostile.outcomes, own
        assert hostile.shown in json.dumps(own, ensure_ascii=False)
        assert any(check["outcome"] != "passed" for check in own) or not hostile.some_fail
    assert [check for check in others if check["outcome"] != "passed"] == []
    assert report["status"] == (0 if report["score"] == report["max_score"] else 1)
    assert report["left"] == []
    assert report["size"] < MOST_REPORT_BYTES and "\x1b" not in report["said"]
    assert "Traceback" not in report["said"]
    assert str(ROOT) in hostile.within or str(ROOT) not in json.dumps(report["checks"])
    assert {check["id"] for check in report["checks"]} == EXPECTED_CHECKS


def test_no_sleeper_is_left(graded):
    left = [process.pid for process in psutil.process_iter(["cmdline"]) if SLEEPER in " ".join(process.info["cmdline"] or [])]
    assert left == []


def test_no_file_is_left_where_the_system_can_prevent_it(graded):
    if paths.repository_root().stat().st_uid != 0 or os.geteuid() != 0:
        pytest.skip("only root can give a worker a user of its own: the report says so")
    found = [path for folder in OPEN_FOLDERS for path in Path(folder).glob(f"{MARK}*")]
    assert [*found, *ROOT.rglob(f"{MARK}*")] == []


def test_a_long_output_is_said_to_be_cut(graded):
    report = graded(next(one for one in BANK if one.name == "floods the output"))
    assert report["printed"]["truncated_bytes"] > 50_000_000
    assert "truncated" in report["said"] and "\x00" not in report["printed"]["text"]


def test_the_bank_is_large():
    assert len({one.name for one in BANK}) == len(BANK) >= 30
