"""Mini-GPT's own engine: the loop of Lab 03 on the wall clock, in process."""

from contextlib import contextmanager

from minigpt.clock import NS
from minigpt.extras.engines.interface import Served, Setting
from minigpt.replay import replay
from minigpt.workload import Workload


def absent() -> None:
    return None


@contextmanager
def opened(setting: Setting):
    def serve(items):
        burst = Workload(name="engines", items=tuple(items))
        log = replay("continuous", burst, clock="wall", impl=setting.impl, max_inflight=setting.num_inflight)
        return [
            Served(request_id=request_id, token_ids=life.answer, finish_s=life.finish_ns / NS,
                   first_s=life.token_times_ns[0] / NS)
            for request_id, life in log.requests.items() if life.finish_ns is not None
        ]  # fmt: skip

    yield serve
