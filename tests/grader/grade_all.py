"""Grading a class: `python -m tests.grader.grade_all submissions --out results --lab 03`.

Each submission is graded by a process of its own, with the checks of this repository and only one file of the
submission. An existing report of the same file under the same checks is kept, unless the grader had failed. A problem
with one submission shows in its own row and affects no other.
"""

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from minigpt import paths
from minigpt.__main__ import leave_quietly
from minigpt.cli.arguments import Parser, count, new_folder
from minigpt.language import language, say
from tests.grader import report as reports
from tests.grader.class_page import write_page
from tests.grader.class_progress import shown_progress
from tests.grader.class_similarity import pairs_of
from tests.grader.class_table import write_table
from tests.grader.leftovers import remove_tree
from tests.grader.outcomes import GRADER_ERROR
from tests.grader.similarity import Pair
from tests.grader.submissions import Refused, Submission, find_submissions, labs_of, text_of

ROOT = paths.repository_root()
PATIENCE_S = 15.0  # for a grader to end when it is asked to
MOST_S = 3_600.0  # of one submission; far above what the grader's own limits allow
TABLE, PAGE, AT_WORK = "class.csv", "class.html", ".grading"  # in the folder of the results


@dataclass(frozen=True, slots=True)
class Job:
    """One submission for one lab; what it needs to be graded."""

    submission: Submission
    lab: Path
    folder: Path  # of its results
    options: tuple[str, ...]


class ClassRun:
    """All jobs of one call, and the processes that work on them."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self._checks = {}  # the fingerprint of each lab's checks
        self._running: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self._is_over = False

    def jobs(self) -> list[Job]:
        """Every submission with the lab that was asked for, or with each lab whose file is in it."""
        found = find_submissions(self.args.folder, taken=(TABLE, PAGE, f"{TABLE}.new", f"{PAGE}.new", AT_WORK))
        if not found:
            raise ValueError(say(en=f"no folder, .zip or .py in {self.args.folder}",
                                 es=f"no hay carpeta, .zip ni .py en {self.args.folder}"))
        wanted = [paths.resolve_lab(self.args.lab)] if self.args.lab else None
        pairs = [(one, lab) for one in found for lab in wanted or labs_of(one)]
        for one in found:
            name = reports.shown(one.name)
            if one.note:
                print(one.note)
            if one not in [each for each, _ in pairs]:
                print(say(en=f"{name}: it holds no lab's file; pass LAB=NN to count it as zero",
                          es=f"{name}: no contiene el archivo de ningún laboratorio; con LAB=NN cuenta como cero"))
        return [self._job(one, lab) for one, lab in pairs]

    def _job(self, submission: Submission, lab: Path) -> Job:
        options = [f"--limits={self.args.limits}"] if self.args.limits else []
        options += ["--scripted"] if self.args.scripted else []
        if self.args.class_seed:
            text = os.fsencode(f"{self.args.class_seed}:{submission.name}")
            options += ["--seed", str(1 + int.from_bytes(hashlib.sha256(text).digest()[:4], "big") % (2**31 - 1))]
        return Job(submission, lab, self.args.out / submission.name / f"lab{lab.name[:2]}", tuple(options))

    def grade(self, job: Job) -> dict:
        """The report of one job: the existing one, or a new one. Never raises because of a submission."""
        try:
            made = self._grade(job)
        except Exception as error:  # a full disk, a folder in the way: this row says so
            made = _named(_without_report(job, f"{type(error).__name__}: {error}"), job, "")
        return made | {"folder": job.folder.relative_to(self.args.out).as_posix()}

    def _grade(self, job: Job) -> dict:
        try:
            text, refused = text_of(job.submission, job.lab), ""
        except Refused as error:
            text, refused = b"", str(error)
        mark = self._fingerprint(job, text, refused)
        finished = read_report(job.folder / "report.json")
        if finished.get("fingerprint") == mark and not has_failed(finished):
            return finished
        job.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._at_work()) as place:
            file = Path(place) / paths.student_file(job.lab).name
            file.write_bytes(text)
            made = _named(self._run(job, file, refused), job, refused) | {"fingerprint": mark}
        reports.write_json(job.folder / "results.json", reports.as_gradescope(made))
        # Last and in one step: an existing report is complete.
        reports.write_json(job.folder / "report.json.new", made)
        os.replace(job.folder / "report.json.new", job.folder / "report.json")
        return made

    def _at_work(self) -> Path:
        """A folder for what is being graded; the next run removes what a killed run left in it."""
        folder = self.args.out / AT_WORK
        folder.mkdir(exist_ok=True)
        return folder

    def _run(self, job: Job, file: Path, refused: str) -> dict:
        target = file.with_suffix(".json")
        command = [sys.executable, "-m", "tests.grader.grade", job.lab.name[:2], "--file", str(file), "--no-measure", "--with-parent",
                   "--json", str(target), "--hide", str(self.args.folder.resolve()), "--hide", str(self.args.out.resolve()),
                   *job.options, *([f"--refused={refused}"] if refused else [])]
        with self._lock:
            if self._is_over:
                raise KeyboardInterrupt
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, start_new_session=True)
            self._running.add(process)
        try:
            said = process.communicate(timeout=MOST_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
        self._running.discard(process)
        if self._is_over:
            raise KeyboardInterrupt
        said = f"status {process.returncode}: {said[-500:].decode('utf-8', 'replace')}"
        return read_report(target) or _without_report(job, said)

    def stop(self) -> None:
        """End what is running: the interrupted submissions are graded next time."""
        with self._lock:
            self._is_over = True
            running = tuple(self._running)
        for process in running:
            process.terminate()  # it ends its worker and removes the worker's folder
        for process in running:
            try:
                process.wait(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()

    def _fingerprint(self, job: Job, text: bytes, refused: str) -> str:
        if job.lab not in self._checks:
            self._checks[job.lab] = checks_fingerprint(job.lab)
        parts = [text, refused.encode(), self._checks[job.lab].encode(), repr(job.options).encode(), language().encode()]
        return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def checks_fingerprint(lab: Path) -> str:
    """A digest of everything that a grade depends on besides the submission."""
    digest = hashlib.sha256()
    folders = [ROOT / "minigpt", ROOT / "tests" / "grader", ROOT / "tests" / f"lab{lab.name[:2]}", ROOT / "solutions"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in sorted([*files, lab / "exercises.toml"]):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def read_report(path: Path) -> dict:
    """A completely written report; an empty one otherwise."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and "checks" in found else {}


def has_failed(report: dict) -> bool:
    """Whether the grader itself failed in it: such a report is shown, but not kept."""
    outcomes = {check.get("outcome") for check in report["checks"]}
    return not outcomes or GRADER_ERROR in outcomes or report.get("note", "").startswith(GRADER_ERROR)


def _named(report: dict, job: Job, refused: str) -> dict:
    """A report with the name of its submission, and the note for the table."""
    notes = [refused, report.get("note", ""), *report.get("not_finite", {}).values(), job.submission.note]
    return report | {"submission": reports.shown(job.submission.name), "note": "; ".join(filter(None, notes))}


def _without_report(job: Job, said: str) -> dict:
    """The replacement for the report of a grader that wrote none."""
    return {"lab": job.lab.name[:2], "score": 0, "max_score": 0, "exercises": [], "checks": [], "measurements": {},
            "note": reports.shown(f"{GRADER_ERROR}: {said}")}


def run_class(args: argparse.Namespace) -> int:
    """Grade the class; 0 if every submission has its report, 1 if the grader itself failed somewhere."""
    run = ClassRun(args)
    jobs, made = run.jobs(), {}
    args.out.mkdir(parents=True, exist_ok=True)
    remove_tree(args.out / AT_WORK)
    with ThreadPoolExecutor(args.jobs) as pool:
        waiting = {pool.submit(run.grade, job): job for job in jobs}
        try:
            for done in shown_progress(as_completed(waiting), total=len(jobs)):
                made[waiting[done]] = done.result()
        except BaseException:
            run.stop()
            pool.shutdown(cancel_futures=True)
            raise
    remove_tree(args.out / AT_WORK)
    return _write_results(args.out, [made[job] for job in jobs], _similar(jobs, made))


def _similar(jobs: list[Job], made: dict[Job, dict]) -> dict[str, list[Pair]]:
    """Of each lab, the pairs of submissions that resemble each other; a file that cannot be read is left out."""
    sources: dict[Path, dict[str, bytes]] = {}
    for job in jobs:
        with contextlib.suppress(Refused, OSError):
            sources.setdefault(job.lab, {})[made[job]["folder"]] = text_of(job.submission, job.lab)
    return {lab.name[:2]: pairs_of(lab, texts) for lab, texts in sources.items()}


def _write_results(out: Path, in_order: list[dict], pairs: dict[str, list[Pair]]) -> int:
    write_table(out / TABLE, in_order)
    write_page(out / PAGE, in_order, pairs)
    failed = [one for one in in_order if has_failed(one)]
    print(say(en=f"{len(in_order)} reports; the class at a glance: {out / PAGE}; its table: {out / TABLE}",
              es=f"{len(in_order)} informes; la clase de un vistazo: {out / PAGE}; su tabla: {out / TABLE}"))
    for one in failed:
        print(say(en=f"the grader failed on {one['submission']}, lab {one['lab']}: run it again, and report it if it still fails",
                  es=f"el corrector falló con {one['submission']}, laboratorio {one['lab']}: repítelo, y avísanos si persiste"))
    return 1 if failed else 0


def limits_text(text: str) -> str:
    """Limits as each grader will read them: a mistake is said once, and not in every submission's report."""
    from tests.grader.grade import parse_limits

    parse_limits(text)
    return text


def parse(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog="python -m minigpt grade-all", description=say(
        en="Grade a class: each sub-folder, .zip or .py of a folder is a submission.",
        es="Califica una clase: cada subcarpeta, .zip o .py de una carpeta es una entrega."))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, help=say(en="folder of the results", es="carpeta de resultados"))
    parser.add_argument("--lab", default="", help=say(
        en="its number; without it, the file's name decides", es="su número; sin él decide el nombre del archivo"))
    parser.add_argument("--class-seed", default="", help=say(
        en="any text: gives every student a workload of their own", es="un texto: da a cada estudiante su propia carga"))
    parser.add_argument("--jobs", type=count, default=os.cpu_count() or 1)
    parser.add_argument("--limits", type=limits_text, default="", metavar="cpu_s=10,wall_s=12,memory_mb=1024")
    parser.add_argument("--scripted", action="store_true", help=say(en="without the model", es="sin el modelo"))
    args = parser.parse_args(argv)
    here = os.environ.get("MINIGPT_CALLED_FROM", "")
    args.folder, args.out = Path(here, args.folder), Path(here, args.out)
    if not args.folder.is_dir():
        raise ValueError(say(en=f"{args.folder} is not a folder: pass DIR=submissions",
                             es=f"{args.folder} no es una carpeta: escribe DIR=entregas"))
    try:
        new_folder(args.out)
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"--out: {error}") from None
    folder, out = args.folder.resolve(), args.out.resolve()
    if out == folder or folder in out.parents:
        raise ValueError(say(en=f"the results would end up among the submissions: choose a folder other than {args.out}",
                             es=f"los resultados quedarían entre las entregas: elige una carpeta distinta de {args.out}"))
    return args


def main(argv: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = run_class(parse(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return leave_quietly()
    except ValueError as error:
        print(f"minigpt: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(say(en="interrupted: run the same command again "
                     "to continue from here", es="interrumpido: repite la misma orden para continuar desde aquí"))
        return 130


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main())
