"""Mini-GPT's own engine: the loop of Lab 03 on the wall clock, in process."""

from contextlib import contextmanager

from minigpt.extras.engines.interface import Served, Setting
from minigpt.llm.checkpoint_io import load_checkpoint
from minigpt.runtime.clock import NS, WallClock
from minigpt.runtime.model_runner import ModelRunner
from minigpt.runtime.server import run
from minigpt.schedulers.registry import find_policy, load_loop
from minigpt.workloads.workload import Workload


def absent() -> None:
    return None


@contextmanager
def opened(setting: Setting):
    # The exported weights, which every engine reads, not a checkpoint that may be retrained meanwhile.
    model = load_checkpoint(setting.folder)
    runner = ModelRunner(model, setting.num_inflight, setting.num_tokens)
    loop = load_loop(find_policy("continuous"), setting.impl)

    def serve(items):
        burst = Workload(name="engines", items=tuple(items))
        log = run(loop, burst, clock=WallClock(), runner=runner, max_inflight=setting.num_inflight)
        return [
            Served(request_id=request_id, token_ids=record.answer, finish_s=record.finish_ns / NS,
                   first_s=record.token_times_ns[0] / NS)
            for request_id, record in log.requests.items() if record.finish_ns is not None
        ]

    yield serve
