"""Comments and docstrings are plain English: words that made sentences sound translated do not come back."""

import ast
import io
import re
import tokenize

from tests.tools.repo_files import ROOT, in_all, python_files

# What is refused, and what to write instead.
INSTEAD = {
    r"\b(some|any|every|no)body\b": "the request, the client, the student; no request, none",
    r"\bwhoever\b": "the one that, a request that",
    r"\bso many\b": "`num_requests` requests, this many",
    r"\bbeside\b": "next to, in addition to, compared with",
    r"(?<!there )\b(is|are|was) no (?!longer\b|more\b|other\b|such\b|need\b|room\b)(?=[a-z])": "is not a",
    r"\bmend(s|ed)?\b": "fix, repair",
    r"\bfaults?\b": "error",
    r"\bother way round\b": "reversed, the opposite",
    r"\banew\b": "again",
    r"\bfor ever\b": "forever",
    r"\bone (pass|slot|token|row|block|matrix|process|module) an? [a-z]": "one … per …",
}


def sources():
    """Return the Python files whose text is checked; this one names the words."""
    return [path for path in python_files("minigpt", "solutions", "tests") if path.name != "test_words.py"]


def texts(source):
    """Yield every comment and docstring of a source with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)


def odd_words(text):
    """Return the refused words of a text, each with what to write instead; code in `backticks` and "quotes" does not count."""
    prose = re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”", "", text)
    return [f"{found[0]!r}: write {instead}" for pattern, instead in INSTEAD.items()
            if (found := re.search(pattern, prose, re.IGNORECASE))]


@in_all(sources())
def test_comments_and_docstrings_use_plain_words(path):
    found = [f"{path.relative_to(ROOT)}:{line}: {odd}" for line, text in texts(path.read_text(encoding="utf-8"))
             for odd in odd_words(text)]
    assert found == []


def test_the_list_sees_what_it_should():
    for text in ("# nobody waits", "Whoever waits is taken.", "so many steps", "the line beside it", "this is no grade",
                 "mends it", "a fault of ours", "one slot a sequence", "the other way round", "waits for ever"):
        assert odd_words(text), text
    for text in ("none is free", "it is no longer there", "there is no queue", '"nobody" is a name', "the default", "one slot"):
        assert odd_words(text) == [], text
