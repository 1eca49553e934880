"""Generated files are what their sources make of them today, and give no solution away."""

from minigpt.paths import skeleton_file, solution_file
from tests.tools import build
from tests.tools.repo_files import ROOT, for_each
from tests.tools.skeleton import solution_lines

LABS = build.list_built_labs(ROOT)


@for_each(LABS)
def test_generated_files_are_in_step(path):
    stale = [file.relative_to(ROOT).as_posix() for file in build.out_of_step(build.build_lab(path))]
    assert stale == [], "run: python -m minigpt build"


# A skeleton that is not there at all is reported above.
@for_each([lab for lab in LABS if solution_file(lab).is_file() and skeleton_file(lab).is_file()])
def test_the_skeleton_holds_no_line_of_the_solution(path):
    # Read from the committed file, not from what the builder says it would write.
    skeleton = {line.strip() for line in skeleton_file(path).read_text(encoding="utf-8").split("\n")}
    secret = solution_lines(solution_file(path).read_text(encoding="utf-8"))
    assert [line for line in secret if line in skeleton] == []


def test_every_generated_file_has_a_source():
    left = [path.relative_to(ROOT).as_posix() for path in build.orphans(ROOT)]
    assert left == [], "delete them, or restore their sources"
