"""The policy arena: every policy on the same five workloads, one table.

Static, dynamic and continuous batching run on slots, each as long as the context; the others on blocks, with the same
KV memory. All on the virtual clock, with scripted answers.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

from minigpt.analysis import metrics
from minigpt.analysis.tables import aligned
from minigpt.language import say
from minigpt.runtime.clock import NS, VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.paged import prefix_cache
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.runtime.run_log import RunLog
from minigpt.runtime.server import run as run_on_slots
from minigpt.schedulers.dynamic import dynamic_batch_loop
from minigpt.schedulers.lines import fair_loop
from minigpt.schedulers.registry import GIVEN, POLICIES, PRODUCTION, load_loop
from minigpt.schedulers.speculative import speculative_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.clients import client_of, flood
from minigpt.workloads.memory_pressure import long_prompts, two_classes
from minigpt.workloads.shared_prefixes import shared_instruction
from minigpt.workloads.workload import CONTEXT, Workload, workload

SLOTS = 8
BLOCK_SIZE = 16
NUM_BLOCKS = 96  # KV of 1,536 tokens: one and a half contexts, where the slots have eight
TTFT_TARGET_S, ITL_TARGET_S = 0.050, 0.005  # goodput: first token in 50 ms, then no gap above 5 ms

WORKLOADS: dict[str, Callable[[], Workload]] = {
    "mixed": lambda: workload("mixed", load=0.8, num_requests=400, seed=5),
    "long prompts": lambda: long_prompts(400, seed=5),
    "two classes": lambda: two_classes(400, seed=5, load=1.5),
    "shared instruction": lambda: shared_instruction(0.75, 300, seed=5),
    "flood": lambda: flood(200, seed=5, start_s=0.2, end_s=0.8),
}


SPANISH = {
    "mixed": "mezcla del tutor", "long prompts": "prompts largos", "two classes": "dos clases", "static": "estático",
    "dynamic": "dinámico", "continuous": "continuo", "paged, max": "por bloques, max", "paged": "por bloques",
    "paged + chunks": "por bloques + trozos", "paged + chunks + classes": "por bloques + trozos + clases",
    "urgent p95": "p95 urgentes", "shared instruction": "instrucción común", "paged + prefixes": "por bloques + prefijos",
    "paged + guesses": "por bloques + adivinar", "flood": "avalancha", "paged, max + fair": "por bloques, max + justo",
    "light p95": "p95 ligero",
}


def shown(name: str) -> str:
    """A policy's or workload's name in the reader's language."""
    return say(en=name, es=SPANISH.get(name, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A policy in the arena: how it runs a workload, and what it stands for."""

    name: str
    run: Callable[[Workload], RunLog]


def entries(impl: str = GIVEN) -> list[Entry]:
    """All policies; `impl` says whose loops: given, the student's or the reference's.

    Prefix cache, guesses and token counters (Lab 06) are the given ones in any case.
    """
    slots = {
        "static": partial(on_slots, load_loop(POLICIES["static"], impl), streams=False),
        "dynamic": partial(on_slots, dynamic_batch_loop, streams=False),
        "continuous": partial(on_slots, load_loop(POLICIES["continuous"], impl), streams=True),
    }
    loop = load_loop(PRODUCTION, impl)
    block_settings = {
        "paged, max": {"admission": "max"},
        "paged": {"reserve_blocks": 2},
        "paged + chunks": {"reserve_blocks": 2, "token_budget": 64},
        "paged + chunks + classes": {"reserve_blocks": 2, "token_budget": 64, "aging_s": 0.3},
        "paged + prefixes": {"reserve_blocks": 2, "prefix": prefix_cache},
    }
    blocks = {name: partial(on_blocks, loop, settings) for name, settings in block_settings.items()}
    blocks["paged + guesses"] = partial(on_blocks, speculative_loop, {"reserve_blocks": 2, "num_guesses": 2})
    blocks["paged, max + fair"] = on_blocks_fairly
    return [Entry(name=name, run=run) for name, run in {**slots, **blocks}.items()]


def on_slots(loop: Callable, requests: Workload, *, streams: bool) -> RunLog:
    return run_on_slots(
        loop, requests, clock=VirtualClock(), runner=ScriptedRunner(), streams=streams, max_batch=SLOTS,
        max_inflight=SLOTS,
    )


def on_blocks(loop: Callable, settings: dict, requests: Workload) -> RunLog:
    return serve(requests, loop=loop, num_blocks=NUM_BLOCKS, block_size=BLOCK_SIZE, max_inflight=SLOTS, **settings)


def on_blocks_fairly(requests: Workload) -> RunLog:
    """Fair between clients; a client is a kind of requests."""
    clients = client_of(requests)
    return on_blocks(lambda server: fair_loop(server, clients), {}, requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One policy on one workload. Times in milliseconds; None: it does not stream."""

    policy: str
    workload: str
    ttft_p50_ms: float
    ttft_p95_ms: float
    ttft_p99_ms: float
    itl_p50_ms: float | None
    itl_p95_ms: float | None
    itl_p99_ms: float | None
    e2e_p50_ms: float
    e2e_p95_ms: float
    e2e_p99_ms: float
    urgent_p95_ms: float  # E2E of the most urgent class
    light_p95_ms: float  # E2E of the client (kind of requests) who asked for fewest tokens
    throughput_per_s: float
    goodput_per_s: float
    fairness: float  # Jain's index of latency per token: 1 is equal for all, 1/n is all for one
    kv_tokens: int  # the most KV memory taken at one time, in tokens


def score(entry: Entry, name: str, requests: Workload) -> Score:
    """Run a policy on a workload and judge it."""
    log = entry.run(requests)
    ttft, itl, e2e = metrics.ttft_s(log), metrics.itl_s(log), metrics.e2e_s(log)
    urgent = min(item.priority for item in requests.items)

    def ms(values: list[float]) -> tuple:
        return tuple(1e3 * metrics.percentile(values, percent) if values else None for percent in (50, 95, 99))

    figures = {
        f"{kind}_p{percent}_ms": value
        for kind, values in (("ttft", ttft), ("itl", itl), ("e2e", e2e))
        for percent, value in zip((50, 95, 99), ms(values))
    }
    classes = [each for each, record in zip(e2e, log.requests.values()) if record.item.priority == urgent]
    return Score(
        policy=entry.name, workload=name, urgent_p95_ms=1e3 * metrics.percentile(classes, 95),
        light_p95_ms=light_p95_ms(log),
        throughput_per_s=metrics.throughput_per_s(log), goodput_per_s=goodput_per_s(log), fairness=fairness(log),
        kv_tokens=kv_tokens(log), **figures,
    )


def goodput_per_s(log: RunLog) -> float:
    """Requests per second whose first token came in time and whose gaps were all short enough, of those that count."""
    good = 0
    for record in metrics.answered_in_window(log):
        times = [record.arrival_ns, *metrics.delivered_ns(log, record)]
        gaps = [(after - before) / NS for before, after in zip(times, times[1:])]
        good += bool(gaps) and gaps[0] <= TTFT_TARGET_S and all(gap <= ITL_TARGET_S for gap in gaps[1:])
    return good / metrics.arrival_window_s(log)


def fairness(log: RunLog) -> float:
    """Jain's index (Jain, Chiu and Hawe, 1984) of end-to-end latency per forward pass."""
    paces = [(record.finish_ns - record.arrival_ns) / record.item.num_steps for record in log.finished]
    return sum(paces) ** 2 / (len(paces) * sum(pace * pace for pace in paces))


def light_p95_ms(log: RunLog) -> float:
    """p95 of E2E of the client who asked for fewest tokens: where one floods, the first to suffer."""
    asked, latencies = Counter(), {}
    for record in log.finished:
        client = record.item.kind
        asked[client] += len(record.item.prompt_token_ids) + record.item.num_steps
        latencies.setdefault(client, []).append((record.finish_ns - record.arrival_ns) / NS)
    return 1e3 * metrics.percentile(latencies[min(asked, key=asked.get)], 95)


def kv_tokens(log: RunLog) -> int:
    """The most tokens of KV memory that were taken at one time: whole slots, or blocks."""
    if isinstance(log, PagedRunLog):
        return max(use.num_used_blocks for use in log.memory) * log.block_size
    return max(len(step.request_ids) for step in log.steps) * CONTEXT


def arena(
    impl: str = GIVEN, names: tuple[str, ...] = tuple(WORKLOADS), progress=lambda each, label: each
) -> list[Score]:
    """Every policy on every workload."""
    pairs = [(entry, name) for name in names for entry in entries(impl)]
    made = {name: WORKLOADS[name]() for name in names}
    return [score(entry, name, made[name]) for entry, name in progress(pairs, "arena")]


LATENCIES = (
    ("TTFT p50", "ttft_p50_ms"), ("p95", "ttft_p95_ms"), ("p99", "ttft_p99_ms"), ("ITL p50", "itl_p50_ms"),
    ("p95", "itl_p95_ms"), ("p99", "itl_p99_ms"), ("E2E p50", "e2e_p50_ms"), ("p95", "e2e_p95_ms"),
    ("p99", "e2e_p99_ms"),
)
OTHERS = (
    ("urgent p95", "urgent_p95_ms"), ("light p95", "light_p95_ms"), ("req/s", "throughput_per_s"), ("good/s", "goodput_per_s"),
    ("fair", "fairness"), ("KV", "kv_tokens"),
)


def table(scores: list[Score]) -> str:
    """All scores as text, two blocks per workload, so that lines fit a notebook; times in milliseconds."""
    blocks = []
    for name in dict.fromkeys(each.workload for each in scores):
        own = [asdict(each) for each in scores if each.workload == name]
        blocks += [_block(shown(name), own, columns) for columns in (LATENCIES, OTHERS)]
    return "\n\n".join(blocks)


def _block(title: str, scores: list[dict], columns: tuple[tuple[str, str], ...]) -> str:
    rows = [(title, *(shown(head) for head, _ in columns))]
    rows += [(shown(each["policy"]), *(_cell(key, each[key]) for _, key in columns)) for each in scores]
    return aligned(rows)


def _cell(key: str, value) -> str:
    if value is None:
        return "–"
    if key == "kv_tokens":
        return str(value)  # without a comma, which means something else in Spanish
    if key == "fairness":
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"
