"""A request that is used again after its answer has left is recognised in both languages of a report."""

import pytest

from minigpt.runtime.errors import ServingError
from tests.grader.outcomes import CRASHED, CheckFailed, t
from tests.lab02.batch_by_batch import has_left
from tests.unit.small import item, make_server


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_runtimes_words_are_known(language, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    server = make_server(item(0))
    request = server.queue.get()
    server.respond(request)
    with pytest.raises(ServingError) as raised:
        server.respond(request)
    words = f"ServingError: {raised.value}"
    assert has_left(CheckFailed(CRASHED, got=t(words, words), raised=("ServingError", "ValueError")))
    assert not has_left(CheckFailed(CRASHED, got=t("ServingError: no", "ServingError: no"), raised=("ServingError",)))
