"""``python -m minigpt check [--quick] [PYTEST'S OPTIONS]``: what an instructor runs before handing the labs out.

In this order, so that what is cheap and telling fails first; the tests find labs and notebooks by pattern:

1. tests/repo           skeletons, notebooks and languages are in step; style; imports; graded seeds are safe
2. tests/unit           the given code, the grader and its parts
3. tests/grader_tests   the reference passes every check, a fresh skeleton none (each `not_implemented`); it stays so
                        with other hash seeds and thread counts
4. tests/mutants        each wrong solution is rejected with its hint, and each check rejects one
5. tests/hostile        hostile submissions get their outcome, do no damage, and leave nothing behind
6. tests/repo/test_notebooks.py   every notebook runs under nbval, in both languages
"""

import sys

from minigpt.environment import process
from minigpt.language import say
from minigpt.paths import repository_root

NOTEBOOKS = "tests/repo/test_notebooks.py"
PARTS = (
    ("repo", ["tests/repo", f"--ignore={NOTEBOOKS}"], True),
    ("unit", ["tests/unit"], True),
    ("grader_tests", ["tests/grader_tests"], True),
    ("mutants", ["tests/mutants"], True),
    ("hostile", ["tests/hostile"], False),
    ("notebooks", [NOTEBOOKS], False),
)


def main(argv: list[str]) -> int:
    """Run all parts, also after one has failed; 0 if all passed."""
    is_quick, options = "--quick" in argv, [word for word in argv if word != "--quick"]
    failed = []
    for name, where, is_in_quick in PARTS:
        if is_quick and not is_in_quick:
            continue
        print(f"== {name}", flush=True)
        # MINIGPT_UNDISTURBED: no one is editing, so any change to the project is an error.
        status = process.run_child([sys.executable, "-m", "pytest", "-q", *where, *options], cwd=repository_root(),
                                       extra={"MINIGPT_UNDISTURBED": "1"})
        if status == 130:  # Ctrl-C
            return status
        if status != 0:
            failed.append(name)
    done = say(en="all checks passed", es="pasaron todas las comprobaciones")
    names = ", ".join(failed)
    print(done if not failed else say(en=f"these parts failed: {names}", es=f"fallaron estas partes: {names}"))
    return 1 if failed else 0
