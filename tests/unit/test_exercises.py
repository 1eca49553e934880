"""Exercise files: complete in both languages, or refused with the place of the error."""

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises, load_title, state_of
from tests.tools.sample import EXERCISES, SKELETON, SOLUTION, write_sample


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    return write_sample(tmp_path)


def test_an_exercise_speaks_the_users_language(lab, monkeypatch):
    first, second, last = load_exercises(lab)
    assert (first.id, first.function, first.minutes, first.needs) == ("3.1", "admit", 10, ())
    assert second.needs == ("3.1",) and last.function == ""
    assert first.title == "Fill the free seats" and len(first.hints) == 2
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert first.title == "Llena los slots libres"
    assert first.hints[0] == "¿Quién lleva más tiempo esperando?"
    assert (load_title(lab).en, load_title(lab).chosen) == ("Turns", "Turnos")


def test_a_stretch_exercise_says_so(lab):
    path = lab / "exercises.toml"
    path.write_text(EXERCISES.replace("minutes = 10", "minutes = 10\nstretch = true"), encoding="utf-8")
    assert [exercise.is_stretch for exercise in load_exercises(lab)] == [True, False, False]
    path.write_text(EXERCISES.replace("minutes = 10", 'minutes = 10\nstretch = "yes"'), encoding="utf-8")
    with pytest.raises(ValueError, match="stretch: 'yes'; write true"):
        load_exercises(lab)


@pytest.mark.parametrize("number", ["01", "02", "03"])
def test_these_labs_are_discussed_and_have_one_stretch_exercise(number):
    exercises = load_exercises(paths.resolve_lab(number))
    assert all(exercise.discussion and exercise.discussion.en != exercise.discussion.es for exercise in exercises)
    assert [exercise.is_stretch for exercise in exercises].count(True) == 1 and exercises[-1].is_stretch
def test_what_else_would_have_been_right_may_stand_there_in_both_languages(lab, monkeypatch):
    path, both = lab / "exercises.toml", 'minutes = 10\ndiscuss.en = "So."\ndiscuss.es = "Así."'
    path.write_text(EXERCISES.replace("minutes = 10", both), encoding="utf-8")
    first, second, _ = load_exercises(lab)
    assert (first.discussion.en, first.discussion.es, second.discussion) == ("So.", "Así.", None)
    path.write_text(EXERCISES.replace("minutes = 10", 'minutes = 10\ndiscuss.en = "So."'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"discuss\.es: missing"):
        load_exercises(lab)


@pytest.mark.parametrize("lab", ["04", "05", "06"])
def test_every_exercise_of_these_labs_is_discussed(lab):
    for exercise in load_exercises(paths.resolve_lab(lab)):
        assert exercise.discussion is not None and exercise.discussion.en != exercise.discussion.es


@pytest.mark.parametrize("old, new, named", [
    ('id = "3.2"', 'id = "3.1"', "exercise 3.1, id: '3.1'"),
    ('id = "3.2"', 'id = "4.2"', "exercise 4.2, id: '4.2'"),
    ('id = "3.2"', "id = 3.2", "exercise 3.2, id: 3.2"),
    ('needs = ["3.1"]', 'needs = ["3.3"]', "exercise 3.2, needs: '3.3'"),
    ('needs = ["3.1"]', 'needs = ["3.2"]', "exercise 3.2, needs: '3.2'"),
    ('needs = ["3.1"]', 'needs = "3.1"', "exercise 3.2, needs: '3.1'"),
    ("minutes = 10", "minutes = 0", "exercise 3.1, minutes: 0"),
    ("minutes = 10", "minutes = true", "exercise 3.1, minutes: True"),
    ("minutes = 10", "", "exercise 3.1, minutes: missing"),
    ('function = "admit"', 'function = "ad-mit"', "exercise 3.1, function: 'ad-mit'"),
    ('title.es = "Un paso"', "", "exercise 3.2, title.es: missing"),
    ('title.es = "Un paso"', 'title.es = " "', "exercise 3.2, title.es: ' '"),
    ('title.es = "Un paso"', 'title.es = "Un paso"\ntitle.fr = "Un pas"', "exercise 3.2, title.fr: 'Un pas'"),
    ('hints.en = ["Compare the two pictures."]', "hints.en = []", "exercise 3.3, hints.en: []"),
    ('hints.es = ["Compara los dos dibujos."]', 'hints.es = ["A", "B"]',
     "exercise 3.3, hints: {'en': 1, 'es': 2}"),
    ("minutes = 10", "minutes = 10\nminute = 9", "exercise 3.1, minute: 9"),
    ('title.es = "Turnos"', "", ""),  # a lab's own title is asked for by load_title
])
def test_a_fault_names_file_field_and_value(lab, old, new, named):
    path = lab / "exercises.toml"
    assert EXERCISES.count(old) == 1
    path.write_text(EXERCISES.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        load_exercises(lab)
        load_title(lab)
    assert str(path) in str(caught.value) and named in str(caught.value)


@pytest.mark.parametrize("text", ["", "not toml", 'title.en = "a"\nexercise = []', "exercise = [1]"])
def test_a_file_without_exercises_is_refused(lab, text):
    (lab / "exercises.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"exercises\.toml"):
        load_exercises(lab)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"exercises\.toml"):
        load_exercises(tmp_path / "03_none")


@pytest.mark.parametrize("source, state", [
    (SKELETON, "stub"),
    (SOLUTION, "written"),
    ("", "absent"),
    ("class admit_not: pass", "absent"),
    ("def admit(): raise NotImplementedError", "stub"),
    ("async def admit(): raise NotImplementedError('later')", "stub"),
    ("def admit():\n    '''Docstring alone.'''", "written"),
    ("def admit():\n    pass", "written"),
    ("def admit():\n    x = 1\n    raise NotImplementedError", "written"),
    ("def admit():\n    raise", "written"),
    ("def admit():\n    raise ValueError(NotImplementedError)", "written"),
    ("def admit(): raise NotImplementedError\ndef admit(): return 1", "written"),
    ("def admit(): return 1\ndef admit(): raise NotImplementedError", "stub"),
    ("admit = lambda server, in_flight: None", "written"),
    ("from elsewhere import admit", "written"),
    ("admit: object", "absent"),
    ("def outer():\n    def admit(): return 1", "absent"),
    ("raise SystemExit  # never run\ndef admit(): return 1", "written"),
])
def test_the_state_is_read_without_running_anything(source, state):
    assert state_of(source, "admit") == state


def test_a_class_is_a_stub_while_one_of_its_methods_is():
    assert state_of(SKELETON, "Server") == state_of(SKELETON, "Server.step") == "stub"
    assert state_of(SKELETON, "Server.__init__") == "written"
    assert state_of(SOLUTION, "Server") == "written"
    assert state_of(SOLUTION, "Server.none") == state_of(SOLUTION, "admit.step") == "absent"


def test_what_is_not_python_is_passed_on():
    with pytest.raises(SyntaxError):
        state_of("def admit(:", "admit")
