"""What a grade prints: every failure once, what the student's code printed, and scenes that are drawn."""

import json
from types import SimpleNamespace

import pytest

from tests.grader import junit, notes, report
from tests.grader.check import CheckInfo
from tests.grader.judge import Result
from tests.grader.outcomes import CRASHED, IMPORT_ERROR, MEANING, PASSED, WORD, WRONG, t
from tests.grader.resource_watchdog import Output
from tests.lab02.drawn import drawn

EXERCISES = [
    SimpleNamespace(id=name, function="", title=f"exercise {name}", is_stretch=name == "3.9") for name in ("3.1", "3.2", "3.9")
]


def result(exercise: str, number: int, outcome: str, **said) -> Result:
    info = CheckInfo(exercise=exercise, points=1, title=t(f"check {number}", f"comprobación {number}"), needs=())
    return Result(id=f"{exercise}/{number}", info=info, outcome=outcome, **said)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def test_the_same_failure_is_shown_once_and_then_counted(monkeypatch):
    results = [result("3.1", number, CRASHED, got="KeyError: 'x' (line 3)") for number in range(7)]
    results += [result("3.1", 7, PASSED), result("3.1", 8, CRASHED, got="TypeError")]
    results += [result("3.2", 0, CRASHED, got="KeyError: 'x' (line 3)")]
    text = report.table(results, EXERCISES)
    assert text.count("your code raised an exception: KeyError") == 1
    assert "the same for 6 more checks: KeyError: 'x' (line 3)" in text
    assert "the same for 1 more check: KeyError" in text.split("exercise 3.2")[1]
    assert "check 7" in text and "check 8" in text and "check 3" not in text
    assert "1 of 9 points" in text and "0 of 1 points" in text
    monkeypatch.setenv("MINIGPT_LANG", "es")
    text = report.table(results, EXERCISES)
    assert "lo mismo en 6 comprobaciones más: KeyError" in text and "lo mismo en 1 comprobación más: KeyError" in text


def test_a_long_failure_is_counted_in_one_short_line():
    results = [result("3.1", number, IMPORT_ERROR, got="x" * 5_000) for number in range(2)]
    last = report.table(results, EXERCISES).splitlines()[-1]
    assert "the same for 1 more check: xxx" in last and len(last) < 130


def test_wrong_results_are_all_shown_and_their_hint_once():
    results = [result("3.1", number, WRONG, expected=1, got=number + 2, hint=t("look", "mira")) for number in range(3)]
    text = report.table(results, EXERCISES)
    assert [f"got {number}" in text for number in (2, 3, 4)] == [True] * 3
    assert text.count("hint: look") == 1 and text.count("hint: as above") == 2


def test_a_hint_of_several_lines_keeps_its_columns():
    lines = report.check_lines(result("3.1", 0, WRONG, expected=1, got=2, hint=t("look\nA  AA", "mira\nA  AA")))
    assert "\n".join(lines).splitlines()[-1] == " " * 19 + "A  AA"


def worker_that_printed(text: str):
    output = Output()
    output.kept, output.num_bytes = text.encode()[:4_000], len(text.encode())
    return SimpleNamespace(output=output)


def test_what_the_code_printed_is_shown_within_bounds(monkeypatch):
    assert notes.printed_lines(worker_that_printed("")) == []
    lines = notes.printed_lines(worker_that_printed("uno\n\x1b[31mdos\x07\n"))
    assert lines[1:] == ["printed by your code, in all checks together:", "  | uno", "  | dos\\x07"]
    lines = notes.printed_lines(worker_that_printed("y" * 500 + "\n" + "z\n" * 10_000))
    assert len(lines) == 2 + notes.SHOWN_LINES + 2 and max(map(len, lines)) < 120
    assert "more lines" in lines[-2] and "truncated" in lines[-1]
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert notes.printed_lines(worker_that_printed("a"))[1].startswith("lo que imprimió tu código")


def test_a_scene_is_drawn_from_its_arrivals_and_lengths():
    text = str(drawn([(0, 2), (6, 3)], max_batch=4, ends_with_eos=True))
    assert text.splitlines()[1:] == ["ms    0    5    10", "A  2  AA.", "B  3        BBB."]
    assert "4 slots, max_wait_s is 5 ms" in text and "`.` is its EOS" in text


def test_a_traceback_of_the_worker_is_not_shown_and_one_of_the_students_is():
    ours = 'Traceback (most recent call last):\n  File "/x/tests/grader/worker.py", line 54, in main\n    f()\nTypeError: no\n'
    theirs = 'Traceback (most recent call last):\n  File "mine.py", line 1, in <module>\nValueError: mine\n'
    for text in (ours, ours + theirs, "Traceback (most recent call last):\n"):
        assert notes.printed_lines(worker_that_printed(text)) == []
        assert [line[4:] for line in notes.printed_lines(worker_that_printed(f"before\n{text}"))[2:]] == ["before"]
    lines = notes.printed_lines(worker_that_printed(f"before\n{theirs}after\n"))
    assert [line[4:] for line in lines[2:]] == ["before", *theirs.splitlines(), "after"]


def test_what_is_infinite_is_null_in_json_with_a_word_beside_it(tmp_path):
    figures = {"p95_continuous_ms": float("inf"), "p95_reduction_percent": float("-inf"), "throughput_ratio": 1.0,
               "gap_p95_ms": (1.0, float("nan")), "gap_p99_ms": (1.0, 2.0)}
    data = report.as_json("03", "student", [result("3.1", 0, WRONG, expected=1.0, got=float("inf"))], figures, {})
    report.write_json(tmp_path / "r.json", data)

    def refuse(name):
        raise ValueError(name)

    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert found["measurements"] == {"p95_continuous_ms": None, "p95_reduction_percent": None, "throughput_ratio": 1.0,
                                     "gap_p95_ms": [1.0, None], "gap_p99_ms": [1.0, 2.0]}
    assert set(found["not_finite"]) == {"p95_continuous_ms", "p95_reduction_percent", "gap_p95_ms"}
    assert "without an answer" in found["not_finite"]["p95_reduction_percent"]
    assert "inf (requests without an answer" in report.headline([], figures)


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\u2028", "\udcf1", "\ufeff"])
def test_nothing_that_a_screen_obeys_reaches_a_report(character, tmp_path):
    text = f"before{character}after"
    data = report.as_json("03", "student", [result("3.1", 0, CRASHED, got=text, hint=text)], {}, {})
    report.write_json(tmp_path / "r.json", data)
    report.write_json(tmp_path / "g.json", report.as_gradescope(data))
    junit.write(tmp_path / "j.xml", data)
    said = report.table([result("3.1", 0, CRASHED, got=text)], EXERCISES)
    for written in (said, *((tmp_path / name).read_text(encoding="utf-8") for name in ("r.json", "g.json", "j.xml"))):
        assert character not in written and "after" in written


def test_a_stretch_exercise_has_no_points_in_the_table():
    head = report.table([result("3.9", 1, PASSED)], EXERCISES).splitlines()[0]
    assert head.startswith("3.9 exercise 3.9") and head.endswith("stretch, no points")


def test_a_run_of_a_stretch_exercise_alone_counts_its_checks(monkeypatch):
    info = CheckInfo(exercise="3.9", points=0, title=t("look", "mira"), needs=())
    results = [Result(id=outcome, info=info, outcome=outcome) for outcome in (PASSED, WRONG, PASSED)]
    assert report.headline(results, {}) == "2 of 3 checks passed; a stretch exercise has no points"
    shown = report.as_gradescope(report.as_json("03", "student", results, {}, {}))["tests"]
    assert [each["status"] for each in shown] == ["passed", "failed", "passed"]
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert report.headline(results, {}) == "comprobaciones superadas: 2 de 3; una ampliación no da puntos"
    assert report.headline([result("3.1", 1, PASSED)], {}) == "puntuación: 1 de 1"


@pytest.mark.parametrize("outcome", MEANING)
def test_a_spanish_report_has_a_spanish_word_and_the_one_of_the_data(outcome, monkeypatch):
    checked = result("3.1", 0, outcome)
    assert report.check_lines(checked)[0].split() == [outcome, "check", "0"]
    monkeypatch.setenv("MINIGPT_LANG", "es")
    line = report.check_lines(checked)[0]
    assert line.startswith(f"  {WORD[outcome].es:16} comprobación 0") and len(WORD[outcome].es) <= 16
    assert line.endswith(f" ({outcome})") == (outcome != PASSED) and WORD[outcome].es != outcome
