"""`make browser`: finds a Chromium, or says how to get one; no other run of the tests starts a browser."""

import os
import subprocess
import sys

import pytest

from minigpt.cli import browser
from tests.tools.repo_files import ROOT


def test_the_browser_found_first_is_handed_on(child_commands, monkeypatch):
    monkeypatch.delenv("MINIGPT_BROWSER", raising=False)
    monkeypatch.setattr(browser.shutil, "which", lambda name: f"/bin/{name}" if name == "google-chrome" else None)
    assert browser.main(["-k", "03"]) == 0
    [(command, extra)] = child_commands
    assert command[1:3] == ["-m", "pytest"]
    assert command[-7:] == ["--dist", "loadgroup", "tests/browser", "-m", "not slow", "-k", "03"]
    assert extra["MINIGPT_BROWSER"] == "/bin/google-chrome"


def test_without_a_browser_the_way_out_is_said(child_commands, monkeypatch):
    monkeypatch.delenv("MINIGPT_BROWSER", raising=False)
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.setattr(browser.shutil, "which", lambda name: None)
    with pytest.raises(ValueError, match="apt-get install chromium .* MINIGPT_BROWSER="):
        browser.main([])
    assert child_commands == []


@pytest.mark.parametrize("given, collected", [({}, False), ({"MINIGPT_BROWSER": "x"}, True)])
def test_other_runs_leave_the_browser_out(given, collected):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MINIGPT_", "PYTEST_"))}
    done = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/browser"], cwd=ROOT,
                          env={**kept, **given}, stdout=subprocess.PIPE)
    assert (b"test_the_start_page" in done.stdout) == collected
