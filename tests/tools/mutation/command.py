"""`python -m minigpt mutation [LAB …]`: wrong solutions made by machine, and which of them the checks let through.

    python -m minigpt mutation                      all labs, as `make test-all` does: some 20 minutes on two idle cores
    python -m minigpt mutation 03                   one lab
    python -m minigpt mutation 03 --only 3.6        one exercise: seconds
    python -m minigpt mutation --sample 200 --seed 1    this many of all, drawn at random
    python -m minigpt mutation 03 --list            the mutants themselves, without grading

Each mutant is the reference with one change (expressions.py, lines.py), graded against its own exercise only. It
survives if every check of that exercise passes. A survivor is either a hole in the checks, to be closed, or a right
answer in another form: then it belongs in tests/mutants/equivalent.toml, with the reason, in the words that are printed
here after `-` and `+`. Exit status 0: at most 1 % of all survive that are not listed.
"""

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from minigpt import paths
from minigpt.cli.arguments import Parser, count, whole
from minigpt.language import say
from minigpt.notebook.exercises import load_exercises
from tests.tools.mutation import equivalent, warm
from tests.tools.mutation.mutations import Mutation, mutations

MOST_SURVIVORS_PERCENT = 1.0
REPORT_EVERY_S = 5.0  # how far it is


def main(argv: list[str]) -> int:
    """Make, grade, print; 0 if few enough survive."""
    args = parse(argv)
    chosen = choose(args)
    if args.list:
        for mutation in chosen:
            print(f"{mutation.exercise} {mutation.operator}\n{mutation.diff}\n")
        return 0
    reasons = equivalent.load()
    survivors = [one for one, failure in graded(chosen, args.jobs) if failure is None]
    unknown = [one for one in survivors if not any(entry.is_about(one) for entry in reasons)]
    print(report(chosen, survivors, unknown))
    return 0 if 100 * len(unknown) <= MOST_SURVIVORS_PERCENT * len(chosen) else 1


def parse(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog="python -m minigpt mutation", description=say(
        en="Grade machine-made wrong solutions, and print those that pass.",
        es="Califica soluciones erróneas generadas automáticamente y muestra las que pasan."))
    parser.add_argument("lab", nargs="*", help=say(en="its number: 03; all by default", es="su número: 03; si falta, todos"))
    parser.add_argument("--only", default="", metavar="3.6", help=say(en="one exercise", es="un ejercicio"))
    parser.add_argument("--sample", type=count, metavar="N", help=say(en="this many, at random", es="solo este número de ellas, al azar"))
    parser.add_argument("--seed", type=whole(), default=0)
    parser.add_argument("--jobs", type=count, default=os.cpu_count() or 1, help=say(en="processes", es="procesos"))
    parser.add_argument("--list", action="store_true", help=say(en="print, do not grade", es="muestra sin calificar"))
    return parser.parse_args(argv)


def choose(args: argparse.Namespace) -> list[Mutation]:
    """The mutants that were asked for, in the order of labs and exercises."""
    names = args.lab or ([f"{args.only.split('.')[0]:0>2}"] if args.only else None)
    labs = [paths.resolve_lab(name) for name in names] if names else paths.list_labs()
    exercises = {exercise.id for lab in labs for exercise in load_exercises(lab)}
    if args.only and args.only not in exercises:
        raise ValueError(say(en=f"no exercise {args.only!r}; there are: {', '.join(sorted(exercises))}",
                             es=f"no hay ejercicio {args.only!r}; hay: {', '.join(sorted(exercises))}"))
    found = [one for lab in labs for one in mutations(lab) if args.only in ("", one.exercise)]
    if args.sample is not None and args.sample < len(found):
        drawn = set(random.Random(args.seed).sample(range(len(found)), args.sample))
        found = [one for index, one in enumerate(found) if index in drawn]
    return found


def graded(chosen: list[Mutation], jobs: int):
    """Yield each mutant with its first failure (None: it survives), and say from time to time how far it is."""
    start = said = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(1, jobs), mp_context=context, initializer=warm.prepare_process) as pool:
        asked = dict.fromkeys((one.lab, one.exercise) for one in chosen)
        for (lab, exercise), failure in zip(asked, pool.map(warm.reference_failure, *zip(*asked))):
            if failure:
                raise ValueError(say(en=f"the reference of lab {lab} does not pass {exercise} itself: {failure}",
                                     es=f"la propia referencia del laboratorio {lab} no pasa {exercise}: {failure}"))
        failures = pool.map(warm.first_failure, *zip(*((one.lab, one.exercise, one.source) for one in chosen)))
        for done, (one, failure) in enumerate(zip(chosen, failures), start=1):
            yield one, failure
            if time.monotonic() - said > REPORT_EVERY_S or done == len(chosen):
                said = time.monotonic()
                print(how_far(one.exercise, done, len(chosen), said - start), file=sys.stderr, flush=True)


def how_far(exercise: str, done: int, total: int, spent_s: float) -> str:
    left_s = spent_s / done * (total - done)
    return say(en=f"{exercise}: {done} of {total}, {spent_s:.0f} s, about {left_s:.0f} s to go",
               es=f"{exercise}: {done} de {total}, {spent_s:.0f} s, faltan unos {left_s:.0f} s")


def report(chosen: list[Mutation], survivors: list[Mutation], unknown: list[Mutation]) -> str:
    """Survivors with their diffs, then a table by exercise."""
    lines = []
    for one in unknown:
        says = say(en=f"{one.exercise} survives: {one.operator}", es=f"{one.exercise} sobrevive: {one.operator}")
        lines += [says, one.diff, ""]
    made, alive, left = (Counter(one.exercise for one in some) for some in (chosen, survivors, unknown))
    lines.append(say(en="exercise  mutants  survivors  not listed", es="ejercicio mutantes sobreviven sin anotar"))
    lines += [f"{exercise:8} {number:8} {alive[exercise]:10} {left[exercise]:11}" for exercise, number in made.items()]
    share = 100 * len(unknown) / max(1, len(chosen))
    lines.append(f"{'':8} {len(chosen):8} {len(survivors):10} {len(unknown):11}   {share:.1f} %")
    return "\n".join(lines)
