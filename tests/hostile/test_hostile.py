"""Every hostile submission gets its outcome, costs no other submission a point, and leaves nothing behind."""

import hashlib
import json
import os
import sys
from pathlib import Path

import psutil
import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.grader.containment import ROWS, trial
from tests.hostile import in_files, in_the_kernel, in_time
from tests.hostile.grading import grade
from tests.hostile.hostile import ALL, Hostile
from tests.hostile.in_calls import CALLS, VALUES
from tests.hostile.in_loading import LOADING
from tests.hostile.in_the_process import FILES, LINES, MARK, PROCESSES, SLEEPER, STATE
from tests.hostile.ways_to_the_reference import EACH_WAY
from tests.mutants.lab03 import MUTANTS
from tests.tools.ahead import started_ahead
from tests.tools.repo_files import ROOT, source_files

FIRST_BANK = (*CALLS, *VALUES, *PROCESSES, *FILES, *LINES, *STATE, *LOADING)
SECOND_BANK = (
    *in_time.WAITING, *in_time.MEMORY, *in_files.LEFTOVERS, *in_files.SPACE, *in_files.CHANGES, *in_the_kernel.ESCAPES,
    *in_the_kernel.WATCHERS, *in_the_kernel.WORDS, *in_the_kernel.LOADED,
)
BANK = (*FIRST_BANK, *SECOND_BANK, *EACH_WAY)
# One for each mechanism.
QUICK = {
    "os._exit(0)", "endless loop", "memory bomb", "always-equal objects", "floods the output", "a daemon",
    "writes into the project", "closes all files", "patched clocks", "sys.exit() at import", "a million numbers",
    "sleeps a millisecond at a time", "a message that drips in", "steps without end", "a message of ten million lists",
    "shared memory of System V", "closed folders", "files in every open folder there is", "five gigabytes in a hundred files",
    "takes the covers off", "reaches the network", "two processes on one line", "an exception that turns the text around",
}
STRETCH = {exercise.id for exercise in load_exercises(paths.resolve_lab("03")) if exercise.is_stretch}  # no part of a grade
# Each check rejects one: tests/mutants.
EXPECTED_CHECKS = {mutant.check for mutant in MUTANTS if mutant.check.split("/")[0] not in STRETCH}
MOST_REPORT_BYTES = 100_000
OPEN_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these use what Unix offers")


FLOODS = "floods the output"
FLOOD = pytest.mark.xdist_group("flood")  # two tests look at one long run


@pytest.fixture(scope="session")
def graded(request, tmp_path_factory):
    """The report of each submission that this run asks for; as many are graded at once as there are cores."""
    folder = tmp_path_factory.mktemp("hostile")
    before = fingerprints()

    def grade_one(hostile: Hostile, only: str = "") -> dict:
        return grade(hostile, folder / f"año {BANK.index(hostile)} {only}", only=only)

    with started_ahead(request.session, ("hostile", "only"), grade_one) as graded:
        yield graded
    changed = sorted(name for name, mark in fingerprints().items() if before.get(name) != mark)
    remove_marks()
    if os.environ.get("MINIGPT_UNDISTURBED"):  # set by `make check`; otherwise files may be edited meanwhile
        assert changed == [], "files of the project changed meanwhile"


def fingerprints() -> dict[str, str]:
    """What each file of the project holds; and the names in its folders."""
    files = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in source_files() if path.is_file()}
    return files | {str(path): "new" for path in ROOT.rglob(f"{MARK}*")}


def remove_marks() -> None:
    for folder in (ROOT, *map(Path, OPEN_FOLDERS)):
        for path in folder.glob(f"**/{MARK}*") if folder == ROOT else folder.glob(f"{MARK}*"):
            path.unlink()


def cases():
    """Every submission graded as a whole; those in QUICK also on the exercise that they are about, which is quick."""
    for hostile in BANK:
        is_quick = hostile.name in QUICK
        if is_quick and hostile.exercise != ALL:
            marks = FLOOD if hostile.name == FLOODS else ()
            yield pytest.param(hostile, hostile.exercise, id=f"{hostile.name}, {hostile.exercise}", marks=marks)
        yield pytest.param(hostile, "", id=hostile.name,
                           marks=() if is_quick and hostile.exercise == ALL else pytest.mark.slow)


@pytest.mark.parametrize("hostile, only", list(cases()))
def test_hostile(hostile, only, graded):
    if hostile.is_dangerous and (trial()["why_not"] or os.environ.get("MINIGPT_NO_NAMESPACES")):
        pytest.skip("it would do here what it tries: a report says beforehand that this is not prevented")
    report = graded(hostile, only)
    own = [check for check in report["checks"] if hostile.hits(check["exercise"])]
    others = [check for check in report["checks"] if not hostile.hits(check["exercise"])]
    not_held = [row for row in hostile.needs if not report["worker"]["held"][row]]
    for row in not_held:
        assert ROWS[row].if_not.en in report["not_enforced"]
    if not not_held:
        assert {check["outcome"] for check in own} <= hostile.outcomes, own
        assert hostile.shown in json.dumps(own, ensure_ascii=False)
        assert any(check["outcome"] != "passed" for check in own) or not hostile.some_fail
        assert report["left"] == []
    assert [check for check in others if check["outcome"] != "passed"] == []
    assert report["status"] == (0 if report["score"] == report["max_score"] else 1)
    assert report["size"] < MOST_REPORT_BYTES
    assert report["said"].replace("\n", "").isprintable(), "nothing that a screen obeys"
    assert "Traceback" not in report["said"]
    assert str(ROOT) in hostile.within or str(ROOT) not in json.dumps(report["checks"])
    assert {check["id"] for check in report["checks"]} == {check for check in EXPECTED_CHECKS if check.startswith(only)}


def test_no_sleeper_is_left(graded):
    left = [process.pid for process in psutil.process_iter(["cmdline"]) if SLEEPER in " ".join(process.info["cmdline"] or [])]
    assert left == []


def test_no_file_is_left_where_the_system_can_prevent_it(graded):
    if trial()["why_not"] and (paths.repository_root().stat().st_uid != 0 or os.geteuid() != 0):
        pytest.skip("a worker has neither a view nor a user of its own here: the report says so")
    found = [path for folder in OPEN_FOLDERS for path in Path(folder).glob(f"{MARK}*")]
    assert [*found, *ROOT.rglob(f"{MARK}*")] == []


def test_nothing_of_system_v_is_left(graded):
    if os.path.exists("/proc/sysvipc/shm"):
        found = [line for kind in ("shm", "sem", "msg") for line in Path(f"/proc/sysvipc/{kind}").read_text(encoding="utf-8").splitlines()
                 if line.split()[0] in {str(0x4D000 + number) for number in range(3)}]
        assert found == [] or trial()["why_not"]


@FLOOD
def test_a_long_output_is_said_to_be_cut(graded):
    report = graded(next(one for one in BANK if one.name == FLOODS), "3.6")
    assert report["printed"]["truncated_bytes"] > 50_000_000
    assert "truncated" in report["said"] and "\x00" not in report["printed"]["text"]


def test_the_bank_is_large():
    assert len({one.name for one in BANK}) == len(BANK)
    assert len(SECOND_BANK) >= 60 and len(FIRST_BANK) >= 70
    assert {one.name for one in BANK} >= QUICK
