"""A submission has one result, whatever the hash seed, the number of threads and the load of the machine."""

import pytest

from tests.tools import same_grades


@pytest.mark.slow
def test_each_submission_has_one_result(capsys):
    assert same_grades.main(["--number", "200", "--seed", "1"]) == 0, capsys.readouterr().out
    assert "200 grades of 100 submissions, 0 with more than one result" in capsys.readouterr().out


def test_a_second_result_is_reported(monkeypatch, capsys):
    told = iter([[[["01", "1.6", ""], "passed"]], [[["01", "1.6", ""], "wrong"]]])
    monkeypatch.setattr(same_grades, "LABS", ["01"])
    monkeypatch.setattr(same_grades, "in_new_process", lambda batch: next(told))
    assert same_grades.main(["--number", "40", "--jobs", "1"]) == 1
    assert "lab 01, 1.6 reference: 2 results" in capsys.readouterr().out
