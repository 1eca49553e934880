"""Forty starts of `serve` with loops that cannot serve: not one looks as if it did."""

import functools

import pytest

from minigpt.cli import serve
from tests.extras import loops

HANGING = ("spinning", "c_call")  # in Python, and in a call in C that never gives the interpreter back
WORDS = {
    "unwritten": "exercise 3.4.*write it first", "raising": "the student's mistake.*fix it",
    "spinning": "hangs|did not answer its first requests", "c_call": "nothing was heard|did not answer its first requests",
    "lying": "not what the model computed.*fix it",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORDS)
def test_each_of_forty_starts_refuses(kind, monkeypatch, capsys):
    """14 of 20 said "Serving": the state overtook the reason of the failure. How often it did was a matter of chance."""
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.setattr(serve, "WARM_UP_S", 4.0)  # longer than the three seconds after which a silent loop is named
    monkeypatch.setattr(serve, "load_any_loop", functools.partial(loops.make_any_loop, kind))
    for _ in range(8):
        with pytest.raises(ValueError, match=WORDS[kind]) as caught:
            serve.main(["--port", "0", "--impl", "solution"])
        said = capsys.readouterr()
        assert "\n" not in str(caught.value) and "Serving" not in said.out
        assert "has not answered yet" in said.err or kind not in HANGING
