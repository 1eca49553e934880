"""What must hold for every run of Lab 05's loop, with any functions, judged by the log alone."""

import random

from minigpt.workloads.workload import Workload
from tests.lab05.oracles import due_time
from tests.lab05.scenes import MS, scene

NS = 1_000_000_000


def crowded_scene(seed: int) -> Workload:
    """Arrivals in bursts, long prompts among short ones, three classes."""
    rng = random.Random(seed)
    requests, now_ms = [], 0.0
    for _ in range(16):
        now_ms += rng.choice((0, 0, 1, 2.5, 20))
        requests.append((now_ms, rng.choice((4, 12, 40, 90)), rng.choice((1, 2, 8, 25)), rng.choice((0, 0, 1, 2))))
    return scene(*requests)


def overtakers(log, aging_s: float) -> list[str]:
    """Requests that got blocks while another one, due earlier, waited: "9 before 4"."""
    holding, found = set(), []
    ends_ns = [0, *(step.end_ns for step in log.steps)]
    for event in log.block_events:
        if event.taken and event.request_id not in holding:
            holding.add(event.request_id)
            looked_ns = max(end for end in ends_ns if end <= event.time_ns)  # the loop takes arrivals after a step
            mine = place(log, event.request_id, aging_s)
            for i, record in log.requests.items():
                waits = record.arrival_ns <= looked_ns and i not in holding and i not in log.refusals
                has_left = record.finish_ns is not None and record.finish_ns <= event.time_ns
                if waits and not has_left and place(log, i, aging_s) < mine:
                    found.append(f"{event.request_id} > {i}")
        elif event.freed:
            holding.discard(event.request_id)
    return found


def place(log, request_id: int, aging_s: float) -> tuple[float, int]:
    record = log.requests[request_id]
    return due_time((record.arrival_ns / NS, record.item.priority), aging_s), request_id


def late_answers(log) -> list[str]:
    """Answers that did not leave in the step in which their last token came."""
    last_ns = {i: step.end_ns for step in log.steps for i in step.request_ids}
    records = log.requests.items()
    return [f"{i}: {(record.finish_ns - last_ns[i]) / MS:g} ms" for i, record in records
            if record.finish_ns is not None and i in last_ns and record.finish_ns > last_ns[i]]


def empty_slots(log) -> list[str]:
    """Steps in which a slot was empty while a request waited; for runs with more memory than they need, and no budget."""
    found = []
    for step in log.steps:
        here = [record for record in log.requests.values() if record.arrival_ns <= step.start_ns]
        present = sum(record.finish_ns is None or record.finish_ns > step.start_ns for record in here)
        if len(step.request_ids) < min(present, log.max_inflight):
            found.append(f"{len(step.request_ids)}/{log.max_inflight} ({present - len(step.request_ids)})")
    return found


def crowded_steps(log) -> list[int]:
    """Sizes of steps with more requests than there are slots."""
    return [len(step.request_ids) for step in log.steps if len(step.request_ids) > log.max_inflight]


def course(log) -> dict[int, tuple]:
    """When each request got its tokens and its answer, in ms: what its client sees."""
    return {i: ([round(ns / MS, 3) for ns in record.token_times_ns], record.finish_ns and round(record.finish_ns / MS, 3))
            for i, record in log.requests.items()}
