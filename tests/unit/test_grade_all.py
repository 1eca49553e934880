"""A class is graded whole, whatever is among its submissions, and is not graded twice."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from html.parser import HTMLParser
from urllib.parse import unquote_to_bytes

import pytest

from minigpt import paths
from tests.grader import class_page, class_progress, class_table, grade_all
from tests.grader.grade_all import ClassRun, parse

ROOT = paths.repository_root()
LAB = paths.resolve_lab("03")
OPTIONS = ["--lab", "3", "--scripted", "--limits", "cpu_s=2,wall_s=6,memory_mb=512"]


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """Whole, untouched and hostile submissions, damaged ones, and names of every kind."""
    folder = tmp_path_factory.mktemp("class") / "entregas año 1"
    folder.mkdir()
    (folder / "Íñigo Peña.py").write_bytes(paths.solution_file(LAB).read_bytes())
    (folder / "=fresh").mkdir()
    (folder / "=fresh" / "continuous_batching.py").write_bytes(paths.skeleton_file(LAB).read_bytes())
    (folder / "gone.py").write_text("import os\nos._exit(0)\n")
    os.symlink(folder / "Íñigo Peña.py", folder / "neighbour.py")
    with zipfile.ZipFile(folder / "damaged.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("continuous_batching.py", paths.solution_file(LAB).read_text(encoding="utf-8"))
    data = bytearray((folder / "damaged.zip").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (folder / "damaged.zip").write_bytes(data)
    (folder / "class.csv").mkdir()
    if sys.platform == "linux":
        os.mkfifo(folder / "pipe.zip")
        open(os.path.join(os.fsencode(folder), b"Mu\xf1oz\x1b.py"), "w", encoding="utf-8").close()
    return folder


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="names of bytes, pipes, and signals to a parent's child")


def run(folder, out, *options):
    command = [sys.executable, "-m", "minigpt", "grade-all", str(folder), "--out", str(out), *OPTIONS, *options]
    environment = {**os.environ, "MINIGPT_LANG": "en", "MINIGPT_ENV": "current", "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def graded(class_folder):
    out = class_folder.parent / "results"
    done = run(class_folder, out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def table(out):
    with (out / "class.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def test_the_table_of_the_class(graded):
    rows = table(graded)
    assert {"'=fresh", "gone", "neighbour", "Íñigo Peña", "damaged", "class.csv (2)"} <= set(rows)
    whole = rows["Íñigo Peña"]
    assert whole["score"] == whole["max_score"] and 30 < float(whole["p95_reduction_percent"]) < 70
    assert rows["'=fresh"]["not_implemented"] == whole["passed"] and rows["'=fresh"]["score"] == "0"
    assert rows["gone"]["score"] == "0" == whole["grader_error"]
    assert "symbolic link" in rows["neighbour"]["note"] and rows["neighbour"]["import_error"] == whole["passed"]


def test_a_damaged_submission_costs_the_others_nothing(graded):
    rows = table(graded)
    assert "the zip cannot be read" in rows["damaged"]["note"] and rows["damaged"]["score"] == "0"
    assert rows["damaged"]["import_error"] == rows["Íñigo Peña"]["passed"]
    assert "graded as class.csv (2)" in rows["class.csv (2)"]["note"]


@LINUX
def test_pipes_and_names_in_any_bytes_have_their_rows(graded):
    rows = table(graded)
    assert "ordinary file" in rows["pipe"]["note"] and rows[r"Mu\udcf1oz\x1b"]["score"] == "0"
    assert len(rows) == 8


class Page(HTMLParser):
    """The ids and links of a page, and whether every tag is closed."""

    def __init__(self, text: str):
        super().__init__()
        self.ids, self.links, self.open = set(), set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open += [tag] if tag != "meta" else []
        found = dict(attributes)
        self.ids |= {found["id"]} if "id" in found else set()
        self.links |= {found["href"]} if "href" in found else set()
        assert tag != "script"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_of_the_class_says_who_is_stuck_where(graded):
    text = (graded / "class.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    rows = table(graded)
    reports = {link for link in page.links if not link.startswith("#")}
    assert len(reports) == len(rows) == len(page.ids)
    for link in reports:
        place = os.path.join(os.fsencode(graded), unquote_to_bytes(link))
        assert os.path.isfile(place), link
    assert {link[1:] for link in page.links if link.startswith("#")} == page.ids
    assert "Who is stuck where" in text and "p95 reduction" in text and "\x1b" not in text


def test_the_page_is_in_the_readers_language_and_trusts_no_name(monkeypatch, tmp_path):
    check = {"id": "3.1/x", "exercise": "3.1", "title": "<b>t</b>", "outcome": "wrong", "got": "<i>", "hint": "&"}
    report = {"lab": "03", "submission": "<script>", "folder": "<script>/lab03", "score": 1, "max_score": 5, "checks": [check],
              "exercises": [{"id": "3.1", "points": 1, "max_points": 2}, {"id": "3.2", "points": 0, "max_points": 3}],
              "measurements": {"p95_reduction_percent": 41.0}, "note": "\u202e"}
    other = {**report, "folder": "b/lab03", "measurements": {"p95_reduction_percent": None}}
    for language, words in (("en", "Who is stuck where"), ("es", "Quién se ha atascado y dónde")):
        monkeypatch.setenv("MINIGPT_LANG", language)
        class_page.write_page(tmp_path / "page.html", [report, other])
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert words in text and "<script>" not in text and "<b>" not in text and "\u202e" not in text
        Page(text)
    assert class_page.stuck_at(["3.1", "3.2"], report) == "3.1"
    assert class_page.bins([41.0, 44.9, 52.0, -3.0]) == {-5: 1, 0: 0, **dict.fromkeys(range(5, 40, 5), 0), 40: 2, 45: 0, 50: 1}


def test_each_has_its_reports(graded):
    for folder in graded.glob("*/lab03"):
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        gradescope = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        assert gradescope["score"] == report["score"] and len(gradescope["tests"]) == len(report["checks"])
        assert sorted(path.name for path in folder.iterdir()) == ["report.json", "results.json"]


def test_only_what_changed_is_graded_again(graded, class_folder):
    before = {path: path.stat().st_mtime_ns for path in graded.glob("*/lab03/report.json")}
    (class_folder / "gone.py").write_text("def broken(:\n")
    unfinished = graded / "=fresh" / "lab03" / "report.json"
    unfinished.write_text("{")  # as an interruption of another program would leave it
    assert run(class_folder, graded).returncode == 0
    changed = [path.parent.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert sorted(changed) == ["=fresh", "gone"]


def test_each_student_has_a_seed_of_their_own(class_folder, tmp_path):
    def seeds(*options):
        run = ClassRun(parse([str(class_folder), "--out", str(tmp_path), "--lab", "03", *options]))
        return [job.options for job in run.jobs()]

    assert len(set(seeds("--class-seed", "autumn"))) == len(list(class_folder.iterdir()))
    assert seeds("--class-seed", "autumn") == seeds("--class-seed", "autumn") != seeds("--class-seed", "spring")
    assert set(seeds()) == {()}


@pytest.mark.parametrize("out", ["", "inside"])
def test_results_do_not_lie_among_the_submissions(out, tmp_path):
    done = run(tmp_path, tmp_path / out)
    assert done.returncode == 2 and "a folder other than" in done.stderr


def test_an_empty_class_is_an_error(tmp_path):
    done = run(tmp_path, tmp_path.parent / "out")
    assert done.returncode == 2 and "no folder, .zip or .py" in done.stderr


def test_names_are_no_formulas():
    assert class_table._harmless("=1+1") == "'=1+1" and class_table._harmless("Ana") == "Ana"


def class_run(folder, out, *options):
    out.mkdir(exist_ok=True)
    run = ClassRun(parse([str(folder), "--out", str(out), "--lab", "03", *options]))
    return run, run.jobs()


def made_up(outcome: str) -> dict:
    return {"lab": "03", "score": 0, "max_score": 1, "exercises": [], "measurements": {},
            "checks": [{"id": "3.1/a", "exercise": "3.1", "title": "a", "outcome": outcome, "points": 0, "max_points": 1,
                        "expected": None, "got": None, "hint": ""}]}


def test_an_error_of_the_grader_is_never_final(tmp_path, monkeypatch):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ana.py").write_text("x = 1")
    answers = ["grader_error", "passed", "passed"]
    asked = []

    def answer(self, job, file, refused):
        asked.append(job.submission.name)
        return made_up(answers[len(asked) - 1])

    monkeypatch.setattr(ClassRun, "_run", answer)
    for _ in range(4):
        run, (job,) = class_run(folder, tmp_path / "out")
        run.grade(job)
    assert asked == ["ana", "ana"], "graded again after the error, and not after a grade"


def test_whatever_goes_wrong_with_one_is_its_row_alone(tmp_path, monkeypatch):
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    for name in ("ana.py", "blas.py", "eva.py"):
        (folder / name).write_text("x = 1")
    out.mkdir()
    (out / "blas").write_text("a file in the way")
    monkeypatch.setattr(ClassRun, "_run", lambda self, job, file, refused: made_up("passed"))
    status = grade_all.run_class(parse([str(folder), "--out", str(out), "--lab", "03", "--jobs", "1"]))
    rows = table(out)
    assert status == 1 and list(rows) == ["ana", "blas", "eva"]
    assert rows["blas"]["note"].startswith("grader_error") and rows["ana"]["passed"] == rows["eva"]["passed"] == "1"


@LINUX
def test_a_run_that_is_killed_goes_on_and_leaves_nothing(tmp_path):
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    (folder / "done.py").write_bytes(b"def broken(:")
    (folder / "hangs.py").write_bytes(paths.solution_file(LAB).read_bytes() + b"\nwhile True: pass\n")
    command = [sys.executable, "-m", "tests.grader.grade_all", str(folder), "--out", str(out), "--lab", "03", "--scripted",
               "--jobs", "1", "--limits", "cpu_s=600,wall_s=600"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(tmp_path)})
    wait_for(lambda: list(tmp_path.glob("minigpt-worker-*/home")) and (out / "done" / "lab03" / "report.json").is_file())
    running.send_signal(signal.SIGKILL)
    running.wait()
    wait_for(lambda: not list(tmp_path.glob("minigpt-worker-*")))  # the grader has ended its worker, and tidied up
    (folder / "hangs.py").write_bytes(b"def broken(:")
    before = (out / "done" / "lab03" / "report.json").stat().st_mtime_ns
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (out / "done" / "lab03" / "report.json").stat().st_mtime_ns == before
    assert list(table(out)) == ["done", "hangs"] and not (out / ".grading").exists()


def wait_for(holds, most_s: float = 120):
    until_s = time.monotonic() + most_s
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.2)


def test_progress_says_how_long_it_will_take(capsys, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert class_progress.line(40, 200, 120) == "40 of 200 submissions, about 8 min left"
    assert "less than a minute" in class_progress.line(199, 200, 600)
    monkeypatch.setattr(class_progress, "EVERY_S", 0.0)
    assert list(class_progress.shown_progress(iter("abc"), 3)) == ["a", "b", "c"]
    assert capsys.readouterr().err.count("of 3 submissions") == 2
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert class_progress.line(40, 200, 120) == "40 de 200 entregas, queda aproximadamente 8 min"
