"""The skeleton holds everything of the solution but what the student is to write."""

import re

import pytest

from minigpt.notebook.exercises import load_exercises
from tests.tools.sample import SKELETON, SOLUTION, SPANISH, SPANISH_SKELETON, write_sample
from tests.tools.skeleton import build_skeleton, check_skeleton, count_lines, solution_lines
from tests.tools.spanish import build_spanish


@pytest.fixture
def exercises(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    return load_exercises(write_sample(tmp_path))


def test_each_region_becomes_a_stub(exercises):
    assert build_skeleton(SOLUTION, exercises) == SKELETON


def test_only_lines_of_code_are_counted():
    assert count_lines(SOLUTION) == {"3.1": 4, "3.2": 1}


def test_nothing_of_a_region_is_left(exercises):
    lines = [line for line in solution_lines(SOLUTION) if line]
    assert "return admit(self, [])" in lines and "import heapq as secret_tool" in lines
    skeleton = build_skeleton(SOLUTION, exercises)
    assert not [line for line in lines if line in skeleton]


def test_the_skeleton_runs_up_to_the_first_call(exercises):
    names = {}
    exec(build_skeleton(SOLUTION, exercises), names)
    with pytest.raises(NotImplementedError, match=r"exercise 3\.1: admit"):
        names["admit"](None, [])
    with pytest.raises(NotImplementedError, match=r"exercise 3\.2: Server\.step"):
        names["Server"]().step()


END = "    # END SOLUTION\n\n"
BEGIN = "# BEGIN SOLUTION 3.1"


@pytest.mark.parametrize("old, new, line, message", [
    (END, "\n\n", 22, "begins inside the one of line 12"),
    ("        # END SOLUTION\n", "", 35, "never ended"),
    (END, "    # END HIDDEN\n", 19, "does not end '# BEGIN SOLUTION 3.1' of line 12"),
    (END, "    # END SOLUTION 3.2\n", 19, "does not end"),
    (END, "# END SOLUTION\n", 19, "indent it like the beginning in line 12"),
    ("import queue\n", "import queue\n# END HIDDEN\n", 4, "no region is open"),
    (BEGIN, "# BEGIN SOLUTION", 12, "has an exercise's id"),
    (BEGIN, "# BEGIN SOLUTION admit", 12, "nearly a marker"),
    (BEGIN, "#BEGIN SOLUTION 3.1", 12, "nearly a marker"),
    (BEGIN, "x = 1  # BEGIN SOLUTION 3.1", 12, "nearly a marker"),
    (BEGIN, "# begin solution 3.1", 12, "nearly a marker"),
    (BEGIN, "# BEGIN SOLUTION 3.3", 12, "3.3 has no function"),
    (BEGIN, "# BEGIN SOLUTION 3.2", 12, "region lies in 'admit'"),
    ("        return admit(self, [])\n        # END SOLUTION",
     "        # nothing\n        # END SOLUTION\n        return 1", 35, "holds no code"),
    ("class Server:", "class Server(:", 28, "not Python"),
])
def test_a_malformed_marker_is_refused_with_its_line(exercises, old, new, line, message):
    assert SOLUTION.count(old) == 1
    with pytest.raises(ValueError, match=rf"^line {line}: .*{re.escape(message)}"):
        build_skeleton(SOLUTION.replace(old, new), exercises)


def test_an_end_may_repeat_its_exercise(exercises):
    assert build_skeleton(SOLUTION.replace(END, "    # END SOLUTION 3.1\n\n"), exercises) == SKELETON


def test_a_function_without_a_region_is_refused(exercises):
    text = SOLUTION.replace("        # BEGIN SOLUTION 3.2\n", "").replace("        # END SOLUTION\n", "")
    with pytest.raises(ValueError, match=r"3\.2 \(Server\.step\) has no region"):
        build_skeleton(text, exercises)


def test_given_lines_beside_a_region_are_refused(exercises):
    begin = "        # BEGIN SOLUTION 3.2\n"
    text = SOLUTION.replace(begin, "        given = 1\n" + begin)
    with pytest.raises(ValueError, match=r"3\.2: the region must be the whole body of 'Server\.step'"):
        build_skeleton(text, exercises)


def test_the_spanish_skeleton_differs_in_texts_alone(exercises):
    assert build_spanish(SKELETON, SPANISH) == SPANISH_SKELETON
    check_skeleton(SPANISH_SKELETON, exercises)


@pytest.mark.parametrize("old, new, message", [
    ("Given, but for one method.", "Given, all of it.", "text 3: the skeleton says 'Given, but for one method.'"),
    ('"so many seats"', '"so many seats"\nes = "tantas"\n\n[[text]]\nen = "and more"', "text 5: the skeleton has no 'and more'"),
    ('\n[[text]]\nen = "so many seats"\nes = "tantos slots"\n', "", "text 4: the skeleton says 'so many seats'"),
    ('"tantos slots"', '""', "text 4: "),
    ('"tantos slots"', '"tantos slots"\nfr = "places"', "text 4: "),
    ('"tantos slots"', f'"{"muy " * 30}largo"', "over 120 columns"),
    ("salvo un método", 'salvo\\n\\"\\"\\"\\nimport os\\n\\"\\"\\" uno', "the code of the two skeletons differs"),
])
def test_a_translation_out_of_step_is_refused(old, new, message):
    assert SPANISH.count(old) == 1
    with pytest.raises(ValueError, match=re.escape(message)):
        build_spanish(SKELETON, SPANISH.replace(old, new))


def test_a_change_of_the_english_asks_for_a_new_translation():
    with pytest.raises(ValueError, match="text 2: the skeleton says 'Move those who wait to the free seats.'"):
        build_spanish(SKELETON.replace("Move waiting requests", "Move those who wait"), SPANISH)
