"""The graded checks (tests/labNN) run under the grader alone: `python -m minigpt grade 03`, and tests/grader_tests."""

collect_ignore_glob = ["lab[0-9][0-9]"]
