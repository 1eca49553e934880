"""The command line before any command runs: versions, help, mistakes, encodings."""

import os
import re
import subprocess
import sys

import pytest

from minigpt import __main__ as command_line
from minigpt.environment.python_version import is_supported
from minigpt.paths import repository_root


def run(*arguments, **settings):
    """Run the command line in the environment at hand and return (status, stdout, stderr) as text."""
    variables = {**os.environ, "MINIGPT_ENV": "current", **settings}
    done = subprocess.run([sys.executable, "-m", "minigpt", *arguments], cwd=repository_root(), env=variables,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@pytest.mark.parametrize("version, supported", [
    ((3, 10, 0), True), ((3, 13, 9), True),
    ((3, 9, 18), False), ((3, 14, 0), False), ((2, 7, 18), False), ((4, 0, 0), False),
])
def test_supported_versions(version, supported):
    assert is_supported(version) is supported


def test_an_unsupported_version_is_refused_before_anything_else(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 14, 1, "final", 0))
    monkeypatch.setenv("MINIGPT_LANG", "nonsense")
    assert command_line.main(["setup"]) == 2
    english, spanish = capsys.readouterr().err.splitlines()
    for line in (english, spanish):
        assert "3.14.1" in line
        assert "make setup PYTHON=python3.12" in line and "py -3.12 -m minigpt setup" in line
    assert english.startswith("The labs need") and spanish.startswith("Los laboratorios necesitan")


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",)])
def test_help_lists_every_command_in_the_users_language(arguments):
    status, english, _ = run(*arguments, MINIGPT_LANG="en")
    assert status == 0
    for command in command_line.COMMANDS:
        assert re.search(rf"^  {command.name} +{re.escape(command.en)}$", english, re.MULTILINE)
    _, spanish, _ = run(*arguments, MINIGPT_LANG="es")
    assert all(command.es in spanish for command in command_line.COMMANDS)
    assert all(command.en != command.es for command in command_line.COMMANDS)


def test_accents_are_printed_in_a_c_locale():
    status, text, _ = run("help", LC_ALL="C", PYTHONUTF8="0", MINIGPT_LANG="es")
    assert status == 0 and "gramática" in text


def test_a_path_with_accents_is_shown_as_it_is_in_a_c_locale():
    code = "import sys; from minigpt.__main__ import write_utf8; write_utf8(); print(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, "/tmp/ñandú"], cwd=repository_root(), check=True,
                          env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}, stdout=subprocess.PIPE)
    assert done.stdout.decode("utf-8").strip() == "/tmp/ñandú"


def test_what_no_encoding_can_write_becomes_a_question_mark():
    error = UnicodeEncodeError("utf-8", "a\ud800\udcf1", 1, 3, "surrogates not allowed")
    assert command_line.undecoded_bytes(error) == (b"?\xf1", 3)


def test_an_unknown_command_is_named_and_the_commands_listed():
    status, _, message = run("grdae", MINIGPT_LANG="en")
    assert status == 2
    assert "'grdae'" in message and "grade" in message and len(message.splitlines()) == 1


def test_a_wrong_language_is_said_without_a_traceback():
    status, _, message = run("help", MINIGPT_LANG="fr")
    assert status == 2
    assert "MINIGPT_LANG='fr'" in message and len(message.splitlines()) == 1


def test_a_command_without_its_modules_says_how_to_get_them(monkeypatch, capsys):
    lost = command_line.Command("lost", "minigpt.cli.lost", None, None, "en", "es")
    monkeypatch.setattr(command_line, "COMMANDS", (lost,))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert command_line.main(["lost"]) == 2
    assert "lost needs the module 'minigpt.cli.lost'" in capsys.readouterr().err


def test_every_make_target_is_a_command_and_the_other_way_round():
    text = (repository_root() / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^([\w-]+):\n\t@\$\(MINIGPT\) ([\w-]+)", text, re.MULTILINE))
    assert recipes.pop("help") == "help"
    assert recipes == {command.name: command.name for command in command_line.COMMANDS if command.make}
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE).group(1).split()
    assert sorted(phony) == sorted([*recipes, "help"])


def test_paths_of_grade_are_relative_to_where_it_was_called(tmp_path):
    (tmp_path / "mine.py").write_text("def admit(server, in_flight):\n    pass\n", encoding="utf-8")
    command = [sys.executable, "-m", "minigpt", "grade", "03", "--only", "3.1", "--file", "mine.py", "--json", "report.json"]
    variables = {**os.environ, "MINIGPT_ENV": "current", "MINIGPT_LANG": "en", "PYTHONPATH": str(repository_root())}
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, encoding="utf-8")
    assert "no such file" not in done.stdout and "3.1 admit" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "report.json").is_file()


@pytest.mark.parametrize("command", ["plan", "grade"])
def test_help_is_whole_in_spanish(command):
    status, text, _ = run(command, "--help", MINIGPT_LANG="es")
    assert status == 0 and text.startswith("uso: ") and "muestra esta ayuda" in text
    assert not re.search(r"usage|options:|positional|show this", text)


def test_argparse_names_a_mistake_in_the_users_language(monkeypatch):
    from minigpt.cli.arguments import Parser

    for language, words in (("es", "argumento --impl: opción no válida"), ("en", "argument --impl: invalid choice")):
        monkeypatch.setenv("MINIGPT_LANG", language)
        parser = Parser(prog="trial")
        parser.add_argument("--impl", choices=("a", "b"))
        with pytest.raises(ValueError, match=words):
            parser.parse_args(["--impl", "c"])


def test_every_spanish_word_stands_for_one_that_argparse_says():
    import argparse
    import inspect

    from minigpt.cli.argparse_words import SPANISH

    source = inspect.getsource(argparse)
    said = [english for english in SPANISH if english.split("%")[0].strip() in source]
    assert len(said) == len(SPANISH)
    assert all(re.findall(r"%\(?\w+", english) == re.findall(r"%\(?\w+", spanish) for english, spanish in SPANISH.items())
