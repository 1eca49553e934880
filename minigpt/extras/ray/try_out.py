"""Two hundred requests to one replica, to two, and to two of which one is killed on the way. On emulated machines.

What must hold at the end: every request was answered once, or failed and its client was notified; those that failed
were in flight on the killed replica; the others went on; and another replica has taken its place.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import httpx

from minigpt.analysis.metrics import Summary
from minigpt.analysis.tables import ROWS, summary_table
from minigpt.extras.load import client
from minigpt.extras.load import report as load_report
from minigpt.extras.load.completion_stream import BrokenStream, Reply, read_completion
from minigpt.extras.ray.nodes import Seen, kill, look_at, signature
from minigpt.language import say
from minigpt.runtime.clock import NS
from minigpt.workloads.workload import Workload, workload

LENGTHS, NUM_REQUESTS, RATE_PER_S = "uniform:32,192", 200, 12.0
SHOWN = ("e2e_p50_ms", "e2e_p95_ms", "ttft_p50_ms", "ttft_p95_ms", "throughput_per_s", "tokens_per_s",
         "num_requests", "num_unfinished")
POLL_S = 0.25
WITNESS_TOKENS = 192


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of the workload."""

    name: str
    requests: Workload
    replies: Sequence[Reply]  # in the workload's order
    summary: Summary
    shares: dict[str, int]  # answered by each replica that existed before and after
    killed: str | None = None  # the replica
    witness: Reply | None = None  # a request of ours that the killed replica was answering at that moment
    killed_ns: int | None = None  # when, since the start of the schedule
    replaced_s: float | None = None  # from the kill until another one served

    @property
    def failures(self) -> dict[str, int]:
        return load_report.failures(self.replies)


def requests(num: int = NUM_REQUESTS, rate_per_s: float = RATE_PER_S, seed: int = 0) -> Workload:
    """Lengths that the server cannot shorten: an answer's number of tokens shows whether it came once and whole."""
    return workload(LENGTHS, rate_per_s=rate_per_s, num_requests=num, seed=seed)


def run(url: str, deploy: Callable[[int], None]) -> list[Trial]:
    """The three trials; `deploy(n)` makes the application have n replicas."""
    load = requests()
    deploy(1)
    trials = [trial(say(en="1 replica", es="1 réplica"), url, load, 1)]
    deploy(2)
    trials.append(trial(say(en="2 replicas", es="2 réplicas"), url, load, 2))
    trials.append(trial_with_a_kill(say(en="2, one killed", es="2, una muere"), url, load))
    return trials


def trial(name: str, url: str, load: Workload, num_replicas: int) -> Trial:
    """Send the workload to this many replicas."""
    before = look_at(url, num_replicas)
    _, replies, end_ns = asyncio.run(client.load(load, url))
    return _trial(name, load, replies, end_ns, _shares(before, look_at(url, num_replicas)))


def trial_with_a_kill(name: str, url: str, load: Workload) -> Trial:
    """Send the workload to two replicas; when a third of it has arrived, end the process of one."""
    before = look_at(url, 2)
    victim, witness, replies, end_ns, killed_ns, kill_s = asyncio.run(_send_and_kill(url, load))
    # The replacement may have come while requests were still under way: its time counts from then.
    after = _until_replaced(url, victim)
    replaced_s = max(0.0, time.perf_counter() - kill_s)
    return _trial(name, load, replies, end_ns, _shares(before, after), killed=victim, witness=witness,
                  killed_ns=killed_ns, replaced_s=replaced_s)


async def _send_and_kill(url: str, load: Workload):
    sending = asyncio.ensure_future(client.load(load, url))
    await asyncio.sleep(load.items[len(load.items) // 3].arrival_ns / NS)
    victim, witness, kill_s = await _kill_in_mid_answer(url)
    _, replies, end_ns = await sending
    # The schedule started when the last request ended, minus the time that this took.
    zero_ns = time.perf_counter_ns() - end_ns
    return victim, witness, replies, end_ns, round(kill_s * NS) - zero_ns, kill_s


async def _kill_in_mid_answer(url: str) -> tuple[str, Reply, float]:
    """End the replica that answers a request of ours, at its first token: so there is always something to lose."""
    item, reply = replace(requests(num=1).items[0], max_tokens=WITNESS_TOKENS), Reply()
    async with client.make_client(url) as http:
        body = client.request_body(item, client.Target(url=url, model=await client.find_model(http, None)))
        async with http.stream("POST", "/v1/completions", content=body) as response:
            name, pid = signature(response)
            chunks = response.aiter_raw()
            await anext(chunks)
            kill(pid)
            kill_s = time.perf_counter()
            try:
                await read_completion(chunks, reply, time.perf_counter_ns)
            except (BrokenStream, httpx.HTTPError) as error:
                reply.failure, reply.detail = "lost", str(error)
    return name, reply, kill_s


def _until_replaced(url: str, killed: str, timeout_s: float = 120.0) -> dict[str, Seen]:
    """Two replicas, none of which is the killed one."""
    deadline_s = time.monotonic() + timeout_s
    while killed in (seen := look_at(url, 2, timeout_s)) and time.monotonic() < deadline_s:
        time.sleep(POLL_S)
    return seen


def _shares(before: dict[str, Seen], after: dict[str, Seen]) -> dict[str, int]:
    counted = {name: seen.num_answered for name, seen in before.items()}
    return {name: seen.num_answered - counted.get(name, 0) for name, seen in after.items()}


def _trial(name: str, load: Workload, replies: Sequence[Reply], end_ns: int, shares: dict, **more) -> Trial:
    log = load_report.run_log(load, replies, end_ns)
    summary = load_report.summarize(log, replies, float("inf"))
    return Trial(name=name, requests=load, replies=replies, summary=summary, shares=shares, **more)


def report(trials: Sequence[Trial]) -> str:
    """The trials side by side, and what became of the killed replica's requests."""
    lines = [summary_table({each.name: each.summary for each in trials}, [row for row in ROWS if row[0] in SHOWN])]
    for each in trials:
        shares = " + ".join(str(count) for count in each.shares.values())
        lines.append(say(en=f"{each.name}: answers per replica, of those running at the end: {shares}",
                         es=f"{each.name}: respuestas por réplica, de las que están en marcha al final: {shares}"))
        failed = ", ".join(f"{count} × {what}" for what, count in each.failures.items()) or say(en="none", es="ninguna")
        lines.append(say(en=f"  failed with an error: {failed}", es=f"  fallaron con un error: {failed}"))
        if each.replaced_s is not None:
            lines.append(say(en=f"  another replica was serving at most {each.replaced_s:.1f} s after the kill",
                             es=f"  otra réplica atendía, como mucho, {each.replaced_s:.1f} s después"))
    return "\n".join(lines)


def record(trials: Sequence[Trial]) -> list[dict]:
    """All of it as plain data."""
    return [
        {"name": each.name, **{field: getattr(each.summary, field) for field in SHOWN}, "shares": each.shares,
         "failures": each.failures, "killed": each.killed, "replaced_s": each.replaced_s}
        for each in trials
    ]
