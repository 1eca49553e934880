"""An attribute that is not there is answered with those that are: to a loop in a notebook, and to one that is graded."""

import copy
import pickle

import pytest

from minigpt.runtime.request import Request
from minigpt.simulation.paged_run import paged_server
from minigpt.workloads.workload import scene
from tests.grader.worker import orders

REQUEST = Request(request_id=1, prompt_token_ids=(1,), max_tokens=3, arrival_time_s=0.5)
FACTS = {"max_batch": 8, "max_wait_s": 0.0, "max_inflight": 8, "eos_token_id": 0, "requests": [], "memory": None}


@pytest.fixture(params=["en", "es"], autouse=True)
def language(request, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", request.param)


@pytest.mark.parametrize("thing, wrong, known", [
    (REQUEST, "arrival", "arrival_time_s"),
    (REQUEST, "arrival_s", "priority"),
    (paged_server(scene(A=3)), "cap", "max_inflight"),
    (paged_server(scene(A=3)).blocks, "free", "num_free"),
    (orders.RemoteServer(None, FACTS), "cap", "max_inflight"),
], ids=["request", "request again", "server", "blocks", "graded"])
def test_the_error_lists_what_there_is(thing, wrong, known):
    with pytest.raises(AttributeError) as caught:
        getattr(thing, wrong)
    words = str(caught.value).replace(",", " ").split()
    assert repr(wrong) in str(caught.value) and known in words
    assert not any(word.startswith("_") or word == "known_request" for word in words)


def test_what_python_asks_for_is_answered_plainly():
    assert not hasattr(REQUEST, "arrival")
    assert copy.copy(REQUEST).arrival_time_s == pickle.loads(pickle.dumps(REQUEST)).arrival_time_s == 0.5
