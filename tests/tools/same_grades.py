"""Grade right and wrong submissions again and again on a busy machine: each has one result, whatever varies.

    python -m tests.tools.same_grades --number 1000 --seed 1

Every round grades the same submissions, in an order of its own, in new processes: two at a time on two cores, each with
a random hash seed and number of threads for the checks and for the student's worker. A submission is a reference or a
mutant, graded against one exercise. Its result is what a student sees: outcome, points and hint of every check.
Exit status 0: no submission had two results.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.grader import session
from tests.mutants.test_mutants import LABS, mutants_of
from tests.tools.mutation import warm

PER_LAB = 20  # submissions of a round, half of them wrong
THREADS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A file, to be graded against one exercise."""

    lab: str
    exercise: str
    name: str  # of the mutant; "" for the reference

    def source(self) -> str:
        if self.name:
            return next(one for one in mutants_of(self.lab) if one.name == self.name).source(self.lab)
        return paths.solution_file(paths.resolve_lab(self.lab)).read_text(encoding="utf-8")


def main(argv: list[str]) -> int:
    args = parse(argv)
    if args.batch:
        return grade_batch(json.loads(args.batch))
    submissions = [one for lab in LABS for one in draw(lab, args.seed)]
    rounds = -(-args.number // len(submissions))
    found = results(submissions, rounds, args.seed, args.jobs)
    unequal = {one: seen for one, seen in found.items() if len(seen) > 1}
    for (lab, exercise, name), seen in unequal.items():
        print(f"lab {lab}, {exercise} {name or 'reference'}: {len(seen)} results", *sorted(seen), sep="\n  ")
    print(f"{rounds * len(submissions)} grades of {len(found)} submissions, {len(unequal)} with more than one result")
    return 1 if unequal else 0


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.same_grades")
    parser.add_argument("--number", type=int, default=200, help="grades in all, rounded up to whole rounds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 1), help="processes at a time")
    parser.add_argument("--batch", default="", help=argparse.SUPPRESS)  # for its own processes
    return parser.parse_args(argv)


def draw(lab: str, seed: int) -> list[Submission]:
    """References and mutants of a lab, this many of each."""
    rng, half = random.Random(f"{lab} {seed}"), PER_LAB // 2
    exercises = [exercise.id for exercise in load_exercises(paths.resolve_lab(lab))]
    right = [Submission(lab=lab, exercise=exercise, name="") for exercise in rng.sample(exercises, min(half, len(exercises)))]
    mutants = rng.sample(mutants_of(lab), PER_LAB - len(right))
    return right + [Submission(lab=lab, exercise=one.check.split("/")[0], name=one.name) for one in mutants]


def results(submissions: list[Submission], rounds: int, seed: int, jobs: int) -> dict[tuple, set[str]]:
    """For each submission the different results that it had."""
    rng, batches = random.Random(seed), []
    for _ in range(rounds):
        for lab in rng.sample(LABS, len(LABS)):
            here = [(one.lab, one.exercise, one.name) for one in submissions if one.lab == lab]
            batches.append({"submissions": rng.sample(here, len(here)), "threads": rng.choice(THREADS),
                            "hash_seed": rng.randrange(2**32)})
    found: dict[tuple, set[str]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for done, told in enumerate(pool.map(in_new_process, batches), start=1):
            for one, result in told:
                found.setdefault(tuple(one), set()).add(json.dumps(result, ensure_ascii=False))
            unequal = sum(len(seen) > 1 for seen in found.values())
            print(f"{done} of {len(batches)} processes, {unequal} with more than one result", file=sys.stderr, flush=True)
    return found


def variables(batch: dict) -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    return {"PYTHONHASHSEED": str(batch["hash_seed"]), **dict.fromkeys(names, str(batch["threads"]))}


def in_new_process(batch: dict) -> list:
    command = [sys.executable, "-m", "tests.tools.same_grades", "--batch", json.dumps(batch)]
    done = subprocess.run(command, env={**os.environ, **variables(batch)}, capture_output=True, text=True, encoding="utf-8",
                          cwd=paths.repository_root())
    if done.returncode:
        raise RuntimeError(f"{batch}: {done.stderr[-2_000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def grade_batch(batch: dict) -> int:
    """Grade in this process; the last line printed is [[submission, [[check, outcome, points, hint], …]], …]."""
    usual = session._environment  # the worker's own variables: one thread, as it is
    told = []
    with patch.object(session, "_environment", partial(_with, usual, variables(batch))):
        for lab, exercise, name in batch["submissions"]:
            submission = Submission(lab=lab, exercise=exercise, name=name)
            seen = warm.grader_of(lab).results(submission.source(), exercise)
            told.append(([lab, exercise, name], [
                [result.id, result.outcome, result.points, str(getattr(result.hint, "en", result.hint))] for result in seen]))
        warm.close_all()
    print(json.dumps(told))
    return 0


def _with(usual, more: dict[str, str], home) -> dict[str, str]:
    return {**usual(home), **more}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
