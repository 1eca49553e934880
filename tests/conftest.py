"""The graded checks (tests/labNN) run under the grader alone: `python -m minigpt grade 03`, and tests/grader_tests."""

from minigpt.simulation import garbage

collect_ignore_glob = ["lab[0-9][0-9]"]


def pytest_configure():
    garbage.look_rarely()  # collecting the tests makes many lasting objects, too


def pytest_collection_finish():
    garbage.look_rarely()
