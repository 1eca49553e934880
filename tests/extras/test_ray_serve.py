"""A lab's loop on two emulated machines, through Ray's proxy; and a replica that is killed under load.

    make ray-test          (without make: python -m minigpt ray-test)

This makes .venv-ray (1.4 GB) the first time. No other command collects this file: see conftest.py.
"""

import asyncio
import json
import time

import httpx
import pytest

from minigpt.extras.engines.server_process import free_port
from minigpt.extras.ray import nodes, serve, try_out
from minigpt.extras.ray.scaling import Scaling, fixed
from minigpt.llm.tutor import load_tutor, stream
from minigpt.runtime.clock import NS
from minigpt.schedulers.registry import find_policy, load_loop

CAP = 8
POLICY = find_policy("continuous")
SETTINGS = serve.ReplicaSettings(policy=POLICY, max_inflight=CAP, time_limit_s=60.0)
PROMPT = "explain: she go to school"


def deploy(scaling: Scaling, loop=None, **options):
    loop = loop or load_loop(POLICY, "solution")
    serve.deploy(serve.application(loop, scaling, SETTINGS, max_replicas_per_node=1, **options))


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture(scope="module")
def url():
    """The proxy of two emulated machines with a replica on each."""
    port = free_port()
    with nodes.emulated_nodes(2):
        serve.start_proxy("127.0.0.1", port, 60.0)
        deploy(fixed(2, CAP))
        yield f"http://127.0.0.1:{port}"


class BusyMachine:
    """A cluster whose nodes do not start in time, a given number of times."""

    def __init__(self, num_failures):
        self.num_failures, self.num_nodes = num_failures, 0

    def add_node(self, **_):
        if self.num_failures:
            self.num_failures -= 1
            raise Exception("The current node timed out during startup.")
        self.num_nodes += 1


def test_a_node_that_missed_its_deadline_is_started_again():
    cluster = BusyMachine(num_failures=2)
    nodes.add_node(cluster)
    assert cluster.num_nodes == 1
    with pytest.raises(Exception, match="timed out during startup"):
        nodes.add_node(BusyMachine(num_failures=3))


def test_an_address_where_nobody_is_is_said_at_once():
    with pytest.raises(ValueError, match="no Ray cluster accepts this connection"):
        with serve.connected(f"127.0.0.1:{free_port()}", 1):
            pass


def completion(url, **fields):
    return httpx.post(f"{url}/v1/completions", json={"prompt": PROMPT, **fields}, timeout=60, trust_env=False)


def test_an_answer_is_the_tutors_whole_or_streamed(url):
    answer = list(stream(load_tutor(), PROMPT))
    whole = completion(url, return_token_ids=True)
    assert whole.json()["choices"][0]["token_ids"] == answer
    events = [line[6:] for line in completion(url, return_token_ids=True, stream=True).text.splitlines() if line]
    assert events[-1] == "[DONE]"
    pieces = [json.loads(event)["choices"][0]["token_ids"] for event in events[:-1]]
    assert len(pieces) > 5 and sum(pieces, []) == answer
    assert completion(url, max_tokens=0).status_code == 400


def test_tokens_leave_the_proxy_one_by_one(url):
    times_s = []
    body = {"prompt": PROMPT, "max_tokens": 200, "ignore_eos": True, "stream": True}
    with httpx.stream("POST", f"{url}/v1/completions", json=body, timeout=60, trust_env=False) as response:
        for _ in response.iter_raw():
            times_s.append(time.perf_counter())
    gaps_s = [after - before for before, after in zip(times_s, times_s[1:], strict=False)]
    assert len(times_s) > 50 and max(gaps_s) < (times_s[-1] - times_s[0]) / 2


def test_health_waits_behind_nobody(url):
    """It used to queue: with 40 requests before it, it came with the last of them."""
    body = {"prompt": PROMPT, "max_tokens": 900, "ignore_eos": True}

    async def health_among_forty():
        async with httpx.AsyncClient(base_url=url, timeout=120, trust_env=False) as client:
            asked = [asyncio.create_task(client.post("/v1/completions", json=body)) for _ in range(40)]
            await asyncio.sleep(1)  # all of them are inside: sixteen in flight, the others in the proxy's queue
            reply = await client.get("/health")
            num_open = sum(not task.done() for task in asked)
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            return reply, num_open

    reply, num_open = asyncio.run(health_among_forty())
    assert reply.status_code == 200 and reply.json() == {"status": "healthy", "reason": "", "num_replicas": 2}
    assert num_open > 16


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/v1/nowhere", 404), ("GET", "/v1/completions", 405), ("POST", "/health", 405), ("GET", "/health/x", 404),
])
def test_what_is_not_there_is_said_in_openais_form(url, method, path, status):
    reply = httpx.request(method, url + path, timeout=60, trust_env=False)
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (status, "http_error") and f"{method} {path} does not exist" in error["message"]


def test_one_replica_killed_under_load(url):
    load = try_out.requests()
    trial = try_out.trial_with_a_kill("one killed", url, load)
    answered = [reply for reply in trial.replies if reply.finish_ns is not None]
    failed = [reply for reply in trial.replies if reply.failure is not None]
    # Each request has one end, which its client heard of ...
    assert len(trial.replies) == 200 == len(answered) + len(failed)
    assert not [reply for reply in answered if reply.failure is not None]
    # ... and an answer came once and whole: it has exactly the tokens that were asked for.
    assert all(
        reply.num_tokens == item.max_tokens
        for item, reply in zip(load.items, trial.replies, strict=True) if reply.finish_ns is not None
    )
    # Lost is what was in flight on the killed replica at that moment, and no more: our own request was.
    assert trial.witness.failure and trial.witness.finish_ns is None
    assert len(failed) <= CAP - 1
    pairs = list(zip(load.items, trial.replies, strict=True))
    last_ns = trial.killed_ns + NS
    assert all(item.arrival_ns <= last_ns for item, reply in pairs if reply.failure)
    # How many arrive later depends on how busy the machine was before; the next test sends sixty more.
    assert all(reply.finish_ns for item, reply in pairs if item.arrival_ns > last_ns)
    # Another replica stands in its place.
    seen = nodes.look_at(url, 2)
    assert trial.killed not in seen and len(seen) == 2 and trial.replaced_s < 60


def test_both_replicas_work_and_nothing_is_lost(url):
    """After the kill: the replacement takes its share."""
    load = try_out.requests(num=60)
    trial = try_out.trial("two", url, load, 2)
    assert trial.failures == {} and trial.summary.num_unfinished == 0
    assert sum(trial.shares.values()) == 60 and min(trial.shares.values()) >= 12


def test_the_autoscaler_adds_a_replica_under_load(url):
    """From one to two, once there are more requests inside than the target."""
    scaling = Scaling(min_replicas=1, max_replicas=2, target_ongoing_requests=1.0, max_ongoing_requests=CAP)
    # Ray's own delays are half a minute: a test does not wait for them.
    impatient = {"upscale_delay_s": 0.5, "look_back_period_s": 2.0, "metrics_interval_s": 0.5}
    deploy(scaling, autoscaling_config=scaling.options["autoscaling_config"] | impatient)
    assert serve.num_running() == 1
    trial = try_out.trial("growing", url, try_out.requests(num=120), 1)
    assert trial.failures == {} and trial.summary.num_unfinished == 0
    assert len(nodes.look_at(url, 2)) == 2


def unwritten_loop(server):
    raise NotImplementedError("exercise 3.5: continuous_batch_loop")


def test_a_loop_that_is_not_written_is_said(url):
    with pytest.raises(ValueError, match="exercise 3.5: continuous_batch_loop") as caught:
        deploy(fixed(2, CAP), unwritten_loop)
    assert "\n" not in str(caught.value)
