"""What holds the reference out of sight, for every user and every place of the interpreter; and that the ways are ways."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.grader.containment import ROWS
from tests.hostile.grading import ROOT, grade
from tests.hostile.ways_to_the_reference import ALL_WAYS, WAYS

OTHER_USER = 64_321
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what Linux offers")


def can_run_as(user: int) -> bool:
    """Whether this interpreter and this project are open to another user."""
    if os.geteuid() != 0:
        return False
    command = [sys.executable, "-c", "import minigpt.runtime.server"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, user=user, group=user, extra_groups=[])
    except PermissionError:
        return False
    return done.returncode == 0


@pytest.fixture
def open_folder():
    """A folder that every user may enter: pytest closes its own to others, again with each session that starts."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.parametrize("user", [None, OTHER_USER], ids=["this user", "another user"])
def test_ten_ways_to_the_reference_lead_nowhere(user, open_folder):
    if user is not None and not can_run_as(user):
        pytest.skip("not root, or this Python lies in a home that is closed to others")
    assert len(WAYS) == 10
    report = grade(ALL_WAYS, open_folder / "graded", user)
    (check,) = [check for check in report["checks"] if check["id"] == "3.6/width"]
    if report["worker"]["held"]["reference"]:
        assert check["outcome"] == "passed", check["got"]
    else:
        assert report["worker"]["own_view"] is False
        assert ROWS["reference"].if_not.en in report["not_enforced"]


def test_the_ways_do_lead_there_where_nothing_is_contained(tmp_path):
    report = grade(ALL_WAYS, tmp_path / "graded", MINIGPT_NO_NAMESPACES="1")
    (check,) = [check for check in report["checks"] if check["id"] == "3.6/width"]
    assert not report["worker"]["held"]["reference"] and ROWS["reference"].if_not.en in report["not_enforced"]
    assert check["outcome"] == "crashed" and "found: {'path'" in check["got"]
