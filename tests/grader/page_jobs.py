"""What the page asks of Python: each job takes and gives plain data, and `job` finds it by its name.

    check     the checks of a lab or of one exercise, against the text in the editor
    compare   both servers under the sliders' settings, one of them with the student's own loop if asked for
    scene     a lab's hand-worked scene, step by step
    load      the file alone, where a lab has no loop
    blocks    the blocks of a server with little memory, with the student's own loop if asked for
"""

import json
import os
import sys
import tempfile
import types
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from minigpt import paths


def _without_matplotlib() -> None:
    """Where there is no matplotlib, let `minigpt.plots` be found without its __init__, which draws with it."""
    if find_spec("matplotlib") is None:
        package = types.ModuleType("minigpt.plots")
        package.__path__ = [str(Path(paths.__file__).parent / "plots")]
        sys.modules["minigpt.plots"] = package


def job(name: str, request: str, tell: Callable[[str], None]) -> str:
    """Do one job; `tell` gets pieces of JSON on the way."""
    asked = json.loads(request)
    os.environ["MINIGPT_LANG"] = asked["language"]
    with tempfile.TemporaryDirectory() as folder:  # checks keep what they computed by a file's name: each its own
        file = Path(folder) / f"{paths.lab_module(paths.resolve_lab(asked['lab']))}.py"
        file.write_text(asked["text"], encoding="utf-8")
        return json.dumps(JOBS[name](asked, file, lambda what: tell(json.dumps(what))))


def _student(asked: dict, file: Path, tell: Callable[[dict], None]):
    from tests.grader import in_page

    return in_page.student_of(file, asked["lab"], asked["lost"], lambda function: tell({"calls": function}))


def check(asked: dict, file: Path, tell: Callable[[dict], None]) -> dict:
    from tests.grader import in_page, report

    student = _student(asked, file, tell)
    judge = in_page.run_checks(student, asked["lab"], asked["only"],
                               lambda result: tell({"check": result.id, "outcome": result.outcome}))
    return {**in_page.report_of(judge, asked["lab"]),
            "table": report.table(list(judge.results.values()), judge.exercises)}


def compare(asked: dict, file: Path, tell: Callable[[dict], None]) -> dict:
    from minigpt.extras.browser import figures
    from minigpt.runtime.clock import VirtualClock

    settings = figures.Settings(**asked["settings"])
    runs, own = {}, {}
    for policy in ("static", "continuous"):
        if policy == asked["own"]:
            limits = {**settings.server(), "clock": VirtualClock()}
            runs[policy], own = _own_run(asked, file, tell, policy, settings.workload(), limits)
        runs[policy] = runs.get(policy) or figures.given_run(policy, settings)
    return {**figures.comparison(**runs), **own}


def scene(asked: dict, file: Path, tell: Callable[[dict], None]) -> dict:
    from minigpt.extras.browser import figures
    from minigpt.runtime.clock import steps_clock
    from minigpt.workloads.workload import scene as workload_of

    requests, slots = figures.SCENES[asked["lab"]]
    log, own = None, {}
    if asked["own"]:
        limits = {"max_batch": slots, "max_inflight": slots, "clock": steps_clock()}
        log, own = _own_run(asked, file, tell, asked["own"], workload_of(**requests), limits)
    policy = asked["own"] or asked["policy"]
    return {**figures.stepped(log or figures.given_scene(policy, asked["lab"]), asked["lab"]), **own}


def load(asked: dict, file: Path, tell: Callable[[dict], None]) -> dict:
    return _tried(_student(asked, file, tell), lambda student: student.worker.fresh())[1]


def blocks(asked: dict, file: Path, tell: Callable[[dict], None]) -> dict:
    from minigpt.extras.browser import figures_04_05 as figures
    from minigpt.runtime.clock import VirtualClock

    log, own = None, {}
    if asked["own"]:
        limits = {**figures.limits(asked["num_blocks"]), "clock": VirtualClock()}
        log, own = _own_run(asked, file, tell, asked["own"], figures.crowd(), limits)
    return {**figures.block_map(log or figures.given_blocks(asked["num_blocks"])), **own}


def _own_run(asked: dict, file: Path, tell, policy: str, workload, settings: dict) -> tuple:
    """The student's run, or None, and what went wrong."""
    from minigpt.schedulers.registry import PRODUCTION

    def run(student):
        if policy == PRODUCTION.name:
            return student.run_production(workload, **settings)
        return student.run_loop(policy, workload, **settings)

    return _tried(_student(asked, file, tell), run)


def _tried(student, work: Callable) -> tuple:
    """What comes of work with a student's file, or None; and what there is to say of it."""
    from tests.grader import in_page
    from tests.grader.judge import read_source
    from tests.grader.outcomes import MEANING, NOT_IMPLEMENTED, CheckFailed

    try:
        read_source(student.file)
        return work(student), {"own": True, **in_page.printed_by(student)}
    except CheckFailed as failure:
        said = ": ".join(str(part) for part in (MEANING[failure.outcome], failure.got) if part)
        said += f". {failure.hint}" if str(failure.hint) else ""
        return None, {"own": False, "is_missing": failure.outcome == NOT_IMPLEMENTED, "failed": said,
                      **in_page.printed_by(student)}


JOBS = {"check": check, "compare": compare, "scene": scene, "load": load, "blocks": blocks}
_without_matplotlib()
