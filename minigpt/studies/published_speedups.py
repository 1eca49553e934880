"""The headline, taken apart: 8×, 23× and 36.9×, with the published set-ups as named workloads.

23× (Anyscale, 2023): OPT-13B on an A100 (here: of 40 GB), 1,000 prompts of 512 tokens in one burst, output lengths
exponential with mean 128, redrawn until at most the cap; static batches of 16, 12, 8 or 4 for caps of 32, 128, 512 or
1,536. Its naive server decodes every batch to the longest output of the whole data set. 36.9× (Orca, OSDI 2022,
section 6.2): GPT-3 175B on 16 A100s, inputs uniform from 32 to 512, outputs from 1 to 128, Poisson arrivals, request
rates compared at an equal *median* latency per token (190 ms: 0.185 requests/s with FasterTransformer, 6.81 with Orca).

Scaled: every length is divided by `SCALE`, and what a token costs is multiplied by it, so that prompts, answers and
steps keep their proportions. Times are calculated from the size of the model and the data sheet of the machine.
"""

import random
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.runtime.clock import NS, StepCost, StepShape, VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.run_log import RunLog
from minigpt.runtime.server import run as run_on_slots
from minigpt.schedulers.registry import GIVEN, POLICIES, load_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.lengths import exponential
from minigpt.workloads.workload import WorkItem, Workload, arriving, poisson, requests_of_lengths

SCALE = 4
STATIC_BATCH = {32: 16, 128: 12, 512: 8, 1536: 4}  # Anyscale: cap of the output -> batch of the static servers
PUBLISHED = {"naive static": 1, "optimized static": 4, "continuous": 8, "continuous and paged": 23}  # cap 1,536


def a100_cost(billions: float, gpus: int = 1, kv_bytes: int = 819_200) -> StepCost:
    """Step times of a model in 16 bits on A100s: reading the weights, computing prompts, reading the cache.

    1.555 TB/s of memory and 60 % of 312 TFLOPS per GPU; a step also takes 2 ms for everything else.
    """
    weights_s = billions * 2e9 / (1.555e12 * gpus)
    token_s = billions * 2e9 / (0.6 * 312e12 * gpus)
    return StepCost(
        # One step here stands for SCALE steps, one token for SCALE tokens.
        step_overhead_ns=round((weights_s + 0.002) * SCALE * NS), per_sequence_ns=round(token_s * SCALE * NS),
        prefill_overhead_ns=round(0.002 * NS), per_prefill_token_ns=round(token_s * SCALE * NS),
        per_context_token_ns=round(kv_bytes * SCALE**2 / (1.555e12 * gpus) * NS),
    )


OPT_13B = a100_cost(13)
KV_PLACES = round(14e9 / 819_200 / SCALE)  # 40 GB minus 26 GB of weights; 819 kB per token


def anyscale(cap: int = 1536, num_requests: int = 400, seed: int = 0) -> Workload:
    """The burst of the 23× benchmark, scaled; each request asks for as much as the cap allows and stops before."""
    rng, draw = random.Random(seed), exponential(128, cap)
    outputs = [max(1, round(draw(rng) / SCALE)) for _ in range(num_requests)]
    items = [
        WorkItem(
            request_id=i, prompt_token_ids=(97,) * (512 // SCALE), max_tokens=cap // SCALE, arrival_ns=0,
            answer=(97,) * output,
        )
        for i, output in enumerate(outputs)
    ]
    return Workload(name=f"anyscale:{cap}", items=tuple(items))


def orca(rate_per_s: float, num_requests: int = 300, seed: int = 0) -> Workload:
    """Requests of Orca's main experiment, scaled, at a rate."""
    rng = random.Random(seed)
    outputs = [max(1, round(rng.randint(1, 128) / SCALE)) for _ in range(num_requests)]
    prompts = [round(rng.randint(32, 512) / SCALE) for _ in range(num_requests)]
    items = requests_of_lengths(outputs, rng, prompts)
    return arriving(items, poisson(num_requests, rate_per_s, rng), "orca")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One server of the autopsy, on the burst of the 23× benchmark."""

    name: str
    seconds: float  # until the last answer
    batch: float  # requests that ran together, on average over time
    output_tokens_per_s: float
    all_tokens_per_s: float  # the same with prompt tokens, as the benchmark counts


def autopsy(cap: int = 1536, num_requests: int = 400) -> list[Stage]:
    """Five servers on the same burst, each with one change against the one before."""
    requests, batch = anyscale(cap, num_requests), STATIC_BATCH[cap]
    places = {"num_blocks": KV_PLACES // 4, "block_size": 4, "max_inflight": 256, "clock": VirtualClock(OPT_13B)}
    padded_s = static_s(requests, batch, to_longest_of_all=True)
    optimized_s = static_s(requests, batch, to_longest_of_all=False)
    slots = continuous_run(requests, batch)
    reserved = serve(requests, impl="given", admission="max", **places)
    paged = serve(requests, impl="given", **{**places, "clock": VirtualClock(OPT_13B)}, reserve_blocks=8)
    found = [("naive static", padded_s, batch), ("static, own longest", optimized_s, batch)]
    found += [("continuous, same batch", slots.end_ns / NS, mean_batch(slots)),
              ("continuous, memory by max", reserved.end_ns / NS, mean_batch(reserved)),
              ("continuous, memory in blocks", paged.end_ns / NS, mean_batch(paged))]
    outputs = sum(len(item.answer) for item in requests.items) * SCALE
    prompts = sum(len(item.prompt_token_ids) for item in requests.items) * SCALE
    return [
        Stage(name=name, seconds=seconds, batch=size, output_tokens_per_s=outputs / seconds,
              all_tokens_per_s=(outputs + prompts) / seconds)
        for name, seconds, size in found
    ]


def stage_name(stage: Stage) -> str:
    """A stage's name in the reader's language."""
    spanish = {
        "naive static": "estático ingenuo", "static, own longest": "estático, hasta la más larga del lote",
        "continuous, same batch": "continuo, mismo lote", "continuous, memory by max": "continuo, memoria por máximo",
        "continuous, memory in blocks": "continuo, memoria por bloques",
    }
    return say(en=stage.name, es=spanish[stage.name])


def static_s(requests: Workload, batch: int, *, to_longest_of_all: bool) -> float:
    """Time of a static server: each batch runs to its longest member, or to the longest of the whole burst."""
    longest = max(item.num_steps for item in requests.items)
    total_ns = 0
    for start in range(0, len(requests.items), batch):
        items = requests.items[start : start + batch]
        steps = longest if to_longest_of_all else max(item.num_steps for item in items)
        prompts = sum(len(item.prompt_token_ids) for item in items)
        total_ns += OPT_13B.step_ns(StepShape(num_decode=0, num_prefill_tokens=prompts, num_context_tokens=0))
        # The context grows by one token per sequence each step: the sum is that of a step in the middle.
        middle = prompts + len(items) * steps // 2
        shape = StepShape(num_decode=len(items), num_prefill_tokens=0, num_context_tokens=middle)
        total_ns += (steps - 1) * OPT_13B.step_ns(shape)
    return total_ns / NS


def continuous_run(requests: Workload, slots: int, cost: StepCost = OPT_13B) -> RunLog:
    """Lab 03's loop with this many slots."""
    return run_on_slots(
        load_loop(POLICIES["continuous"], GIVEN), requests, clock=VirtualClock(cost), runner=ScriptedRunner(),
        max_batch=slots, max_inflight=slots,
    )


def mean_batch(log: RunLog) -> float:
    """Requests in a step, on average over the time of the steps."""
    time_ns = sum(step.end_ns - step.start_ns for step in log.steps)
    return sum(len(step.request_ids) * (step.end_ns - step.start_ns) for step in log.steps) / time_ns


# -- Orca: two rates at one median latency --------------------------------------------------------------------------

GPT3_175B = a100_cost(175, gpus=16, kv_bytes=4_718_592)
ORCA_TARGET_S = 0.0315  # median latency per token: twice that of an empty machine, as in the paper
ORCA_SLOTS = 32


def median_pace_s(log: RunLog) -> float:
    """Median of end-to-end latency per output token: what Orca calls normalized latency."""
    paces = [(record.finish_ns - record.arrival_ns) / NS / (len(record.token_ids) * SCALE) for record in log.finished]
    return metrics.percentile(paces, 50)


def highest_rate_per_s(policy: str, slots: int, target_s: float = ORCA_TARGET_S, steps: int = 8) -> float:
    """The highest arrival rate at which a policy keeps the median latency per token, to within a few per cent."""
    found = POLICIES[policy]
    loop, low, high = load_loop(found, GIVEN), 0.1, 50.0

    def keeps(rate_per_s: float) -> bool:
        log = run_on_slots(
            loop, orca(rate_per_s), clock=VirtualClock(GPT3_175B), runner=ScriptedRunner(), streams=found.streams,
            max_batch=slots, max_inflight=slots, max_wait_s=0.0,
        )
        return median_pace_s(log) <= target_s

    for _ in range(steps):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low
