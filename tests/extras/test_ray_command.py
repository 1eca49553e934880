"""`python -m minigpt ray` where Ray is not: what it refuses, and the environment that it makes for itself."""

import importlib.util
import os

import pytest

from minigpt.cli import ray as command
from minigpt.extras import own_environment
from minigpt.extras.own_environment import OwnEnvironment
from minigpt.paths import repository_root


@pytest.fixture(autouse=True)
def english_and_without_ray(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.delenv("MINIGPT_ENV", raising=False)
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "as the user set it")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.mark.parametrize("options, words", [
    (["--rate", "900"], "--rate and --p95-ms go together"),
    (["--rate", "900", "--p95-ms", "80", "--replicas", "3"], "leave --replicas and --max-inflight out"),
    (["--quiet-rate", "5"], "--quiet-rate needs --rate"),
    (["--address", "auto", "--nodes", "2"], "--nodes and --try-out emulate one"),
    (["--replicas", "0"], "--replicas: 0: it must be positive"),
    (["--time-limit-s", "nan"], "--time-limit-s: nan: it must be positive"),
])
def test_what_contradicts_itself_is_said_before_anything_is_installed(options, words, monkeypatch):
    monkeypatch.setattr(OwnEnvironment, "install", lambda self: pytest.fail("installed"))
    with pytest.raises(ValueError, match=words):
        command.main(options)


@pytest.fixture
def children(monkeypatch):
    """The commands that would have run, with a status of 0."""
    ran = []

    def run(command, cwd=None, extra=None):
        ran.append([str(part) for part in command])
        if command[1:3] == ["-m", "venv"]:
            command[3].mkdir(exist_ok=True)
        return 0

    for module in (command, own_environment):
        monkeypatch.setattr(module, "run_child", run)
    return ran


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty repository with Ray's requirements."""
    for module in (command, own_environment):
        monkeypatch.setattr(module, "repository_root", lambda: tmp_path)
    requirements = tmp_path / command.REQUIREMENTS
    requirements.parent.mkdir(parents=True)
    requirements.write_text("# a comment\ntorch==2.13.0\nray[serve]\n", encoding="utf-8")
    return tmp_path


def touch_python(environment):
    environment.python.parent.mkdir(parents=True)
    environment.python.touch()


def test_the_command_runs_again_where_ray_is(children, root):
    environment = command.own_environment()
    touch_python(environment)
    assert command.main(["--replicas", "3"]) == 0
    *installing, again = children
    assert [words[1:4] for words in installing] == [["-m", "pip", "install"]] * 2
    assert installing[0][-2:] == ["-r", str(root / command.REQUIREMENTS)] and installing[1][-2:] == ["-e", "."]
    assert again == [str(environment.python), "-m", "minigpt", "ray", "--replicas", "3"]
    # The second time there is nothing to install, until the requirements change.
    assert environment.is_installed and command.main([]) == 0 and len(children) == 4
    (root / command.REQUIREMENTS).write_text("torch==2.13.0\n", encoding="utf-8")
    assert not environment.is_installed


def test_torch_comes_first_from_an_index_of_its_own(children, root, monkeypatch):
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    environment = command.own_environment()
    assert environment.install() == 0
    assert children[0][1:3] == ["-m", "venv"]
    assert children[1][-3:] == ["--index-url", "https://example.org/cpu", "torch==2.13.0"]


def test_a_failed_installation_leaves_no_stamp(children, root, monkeypatch):
    monkeypatch.setattr(own_environment, "run_child", lambda *_, **__: 1)
    assert command.main([]) == 1
    assert not command.own_environment().is_installed and children == []


def test_a_python_of_the_users_own_is_told_what_it_lacks(monkeypatch):
    monkeypatch.setenv("MINIGPT_ENV", "current")
    with pytest.raises(ValueError, match="pip install -r minigpt/extras/requirements-ray.txt"):
        command.main([])


def test_a_cluster_of_the_commands_own_has_a_token_of_its_own(children, root):
    assert command.main(["--address", "auto"]) == 0
    assert os.environ["RAY_AUTH_TOKEN"] == "as the user set it"
    assert command.main([]) == 0
    token = os.environ["RAY_AUTH_TOKEN"]
    assert os.environ["RAY_AUTH_MODE"] == "token" and len(token) >= 32
    assert command.main([]) == 0 and os.environ["RAY_AUTH_TOKEN"] != token


def test_rays_torch_is_the_labs():
    folder = repository_root()
    pinned = [line for line in (folder / "requirements.txt").read_text("utf-8").splitlines() if line[:5] == "torch"]
    assert pinned[0] in (folder / command.REQUIREMENTS).read_text("utf-8").splitlines()
