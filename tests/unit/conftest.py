"""Fixtures: a repository in a temporary folder, and child processes that are only recorded."""

import pytest

from minigpt.environment import install, layout, process, rerun


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of its own, without an environment, in a path with a space and an accent."""
    repository = tmp_path / "mi año"
    repository.mkdir()
    (repository / "requirements.txt").write_text("numpy\ntorch==1.2.3  # pinned\n", encoding="utf-8")
    (repository / "requirements-test.txt").write_text("hypothesis\n", encoding="utf-8")
    (repository / "requirements-browser.txt").write_text("playwright\n", encoding="utf-8")
    (repository / "minigpt" / "extras").mkdir(parents=True)
    (repository / "minigpt" / "extras" / "requirements-serve.txt").write_text("starlette\n", encoding="utf-8")
    monkeypatch.setattr(layout, "repository_root", lambda: repository)
    monkeypatch.setattr(install, "repository_root", lambda: repository)
    monkeypatch.setenv("MINIGPT_LANG", "en")
    for name in ("MINIGPT_ENV", "TORCH_INDEX", rerun.RERUN_MARK):
        monkeypatch.delenv(name, raising=False)
    return repository


@pytest.fixture
def ready_repository(repository):
    """The same with an environment that looks finished."""
    python = layout.environment_python()
    python.parent.mkdir(parents=True)
    python.write_bytes(b"")
    for needs in layout.REQUIREMENTS:
        layout.stamp_file(needs).write_text(layout.fingerprint(needs), encoding="utf-8")
    return repository


@pytest.fixture
def child_commands(monkeypatch):
    """Record the commands of child processes instead of running them; each returns the status put into it."""
    class Children(list):
        status = 0

        def run(self, command, cwd=None, extra=None):
            self.append(([str(part) for part in command], extra))
            return self.status

    recorded = Children()
    monkeypatch.setattr(process, "run_child", recorded.run)
    return recorded
