"""Two machines on one: Ray's own emulation of a cluster, for trying out what happens when a replica is gone.

Each node is a scheduler (raylet) and worker processes of its own; they share the processor, so nothing gets faster.
"""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import ray
from ray import serve
from ray.cluster_utils import Cluster

from minigpt.extras.ray.serve import REPLICA_HEADER
from minigpt.language import say

ANSWERED = re.compile(r'^minigpt_requests_total\{end="(?:stop|length)"\} (\d+)', re.MULTILINE)
INFLIGHT = re.compile(r"^minigpt_num_requests_running (\d+)", re.MULTILINE)
START_ATTEMPTS = 3


@contextmanager
def emulated_nodes(num_nodes: int):
    """Run a cluster of `num_nodes` nodes inside this context; one replica fits on each."""
    cluster = Cluster()
    try:
        for _ in range(num_nodes):
            add_node(cluster)
        ray.init(address=cluster.address, log_to_driver=False)
        yield cluster
    finally:
        if ray.is_initialized():
            serve.shutdown()
            ray.shutdown()
        cluster.shutdown()


def add_node(cluster: Cluster) -> None:
    """A node with one core; the first is the head. A busy machine may miss Ray's own deadline, so it is tried again."""
    for attempts_left in reversed(range(START_ATTEMPTS)):
        try:
            cluster.add_node(num_cpus=1, include_dashboard=False)
            return
        except Exception:  # Ray raises nothing more specific
            if not attempts_left:
                raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A replica as a client sees it."""

    name: str
    num_answered: int  # requests, to their end
    num_inflight: int


def look_at(url: str, num_replicas: int, timeout_s: float = 60.0) -> dict[str, Seen]:
    """`num_replicas` replicas, by name, each asked for its metrics through the proxy. TimeoutError if there are fewer."""
    found: dict[str, Seen] = {}
    deadline_s = time.monotonic() + timeout_s
    while len(found) < num_replicas:
        if time.monotonic() > deadline_s:
            raise TimeoutError(say(en=f"{len(found)} of {num_replicas} replicas answered in {timeout_s:g} s",
                                   es=f"{len(found)} de {num_replicas} réplicas respondieron en {timeout_s:g} s"))
        for seen in _asked_at_once(url, 2 * num_replicas):
            found[seen.name] = seen
    return found


def _asked_at_once(url: str, times: int) -> list[Seen]:
    """Questions that meet in the proxy: the fewest-in-flight rule spreads them."""
    with httpx.Client(base_url=url, timeout=10.0, trust_env=False) as client, ThreadPoolExecutor(times) as pool:
        replies = list(pool.map(lambda _: client.get("/metrics"), range(times)))
    return [_seen(reply) for reply in replies if REPLICA_HEADER.decode() in reply.headers]


def _seen(reply: httpx.Response) -> Seen:
    name, _ = signature(reply)
    answered, inflight = (sum(map(int, kind.findall(reply.text))) for kind in (ANSWERED, INFLIGHT))
    return Seen(name=name, num_answered=answered, num_inflight=inflight)


def signature(reply: httpx.Response) -> tuple[str, int]:
    """The name of the replica that sent a response, and its process (a number on its machine)."""
    name, pid = reply.headers[REPLICA_HEADER.decode()].split()
    return name, int(pid)


def kill(pid: int) -> None:
    """End a replica's process at once, as a machine that loses its power would."""
    os.kill(pid, signal.SIGKILL)
