"""Generated files are what their sources make of them today, and give no solution away."""

from minigpt.paths import skeleton_file, solution_file
from tests.tools import build
from tests.tools.repo_files import ROOT, in_all
from tests.tools.skeleton import solution_lines
from tests.tools.spanish import RAISED, code_of, find_texts, is_exercise_line, read_pairs
from tests.tools.twins import differences

LABS = build.list_built_labs(ROOT)


@in_all(LABS)
def test_generated_files_are_in_step(path):
    stale = [file.relative_to(ROOT).as_posix() for file in build.out_of_step(build.build_lab(path))]
    assert stale == [], "run: python -m minigpt build"


def test_pages_made_from_data_are_in_step():
    stale = [path.relative_to(ROOT).as_posix() for path in build.out_of_step(build.build_pages())]
    assert stale == [], "run: python -m minigpt build"


# A skeleton that is not there at all is reported above.
@in_all([lab for lab in LABS if solution_file(lab).is_file() and skeleton_file(lab).is_file()])
def test_the_skeletons_hold_no_line_of_the_solution(path):
    # Read from the committed files, not from what the builder says it would write.
    secret = solution_lines(solution_file(path).read_text(encoding="utf-8"))
    for language in ("en", "es"):
        text = skeleton_file(path, language).read_text(encoding="utf-8")
        skeleton = {line.strip() for line in text.split("\n")}
        assert [line for line in secret if line in skeleton] == []


@in_all(LABS)
def test_the_skeletons_differ_in_docstrings_and_comments_alone(path):
    english, spanish = (skeleton_file(path, language).read_text(encoding="utf-8") for language in ("en", "es"))
    assert code_of(english) == code_of(spanish)
    texts = [len(find_texts(text)) for text in (english, spanish)]
    assert texts[0] == texts[1] > 0
    assert not any(is_exercise_line(place) for place in find_texts(spanish)), "a stub's line is left in English"
    assert RAISED[1] in spanish and RAISED[0] not in spanish


@in_all([build.spanish_source(lab) for lab in LABS])
def test_the_skeletons_say_the_same(path):
    pairs = read_pairs(path.read_text(encoding="utf-8"))
    slips = [(pair["en"], slip) for pair in pairs for slip in differences(pair["en"], pair["es"])]
    assert slips == []


def test_every_generated_file_has_a_source():
    left = [path.relative_to(ROOT).as_posix() for path in build.orphans(ROOT)]
    assert left == [], "delete them, or restore their sources"
