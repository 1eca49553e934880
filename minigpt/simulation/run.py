"""Running workloads through policies: one run, or two policies over the very same requests."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from minigpt.analysis import metrics
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import make_clock
from minigpt.runtime.interleave import in_turns
from minigpt.runtime.model_runner import ModelRunner, ScriptedRunner
from minigpt.runtime.run_log import RunLog
from minigpt.runtime.server import run
from minigpt.schedulers.registry import find_policy, implementation, load_loop
from minigpt.workloads.workload import Workload

MEASURED = ("cpu", "wall")  # clocks on which a run's first steps would be slower than those after them
SPARE_SLOTS = 8  # in the KV cache, beyond the cap: a loop that exceeds the cap shows it in its log, not as a crash


def make_runner(kind: str, workload: Workload, num_slots: int):
    """A token source: `model` (the shipped tutor) or `scripted` (the workload's known answers)."""
    if kind == "scripted":
        return ScriptedRunner()
    if kind != "model":
        raise ValueError(f"tokens={kind!r}: choose model or scripted")
    from minigpt.llm.tutor import load_tutor

    longest = max(len(item.prompt_token_ids) + item.max_tokens for item in workload.items)
    return ModelRunner(load_tutor(), num_slots + SPARE_SLOTS, longest)


def warm_up() -> None:
    """Compute some steps that serve no request: a process's first steps bring code and weights into memory."""
    from minigpt.llm.kv_cache import KVCache
    from minigpt.llm.tutor import load_tutor

    model = load_tutor()
    cache = KVCache(model.config, 8, 64)
    slots = [cache.allocate() for _ in range(8)]
    model.prefill([[65] * 16 for _ in slots], cache, slots)
    for _ in range(32):
        model.decode_step([65] * len(slots), cache, slots)


def counting(loop: Callable, num_requests: int, label: str) -> Callable:
    """The loop, with a bar in the terminal that counts its answers."""

    def counted(server) -> None:
        answers = iter(progress(range(num_requests), label))
        respond = server.respond

        def counted_respond(request) -> None:
            respond(request)
            next(answers, None)

        server.respond = counted_respond
        loop(server)
        list(answers)  # to the end: the bar goes away

    return counted


def replay(
    policy: str, workload: Workload, *, clock="virtual", tokens: str = "model", impl: str | None = None,
    loop: Callable | None = None, max_batch: int = 8, max_wait_s: float = 0.005, max_inflight: int = 8,
    shows_progress: bool = False,
) -> RunLog:
    """Serve a workload with a policy's loop (or with `loop`); return the log.

    `clock` is virtual, cpu or wall, or a clock object, which is running already and gets no warm-up; `impl` is given,
    student or solution (default: MINIGPT_IMPL).
    """
    found = find_policy(policy)
    loop = loop or load_loop(found, impl or implementation())
    runner = make_runner(tokens, workload, max(max_batch, max_inflight))
    if shows_progress:
        loop = counting(loop, len(workload.items), policy)
    if clock in MEASURED and tokens == "model":
        warm_up()
    return run(
        # A wall clock runs from here on: everything slow has to be done before.
        loop, workload, clock=make_clock(clock) if isinstance(clock, str) else clock, runner=runner,
        max_batch=max_batch, max_wait_s=max_wait_s, max_inflight=max_inflight, streams=found.streams,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The same requests under two policies."""

    static: RunLog
    continuous: RunLog

    @property
    def p95_reduction_percent(self) -> float:
        return metrics.p95_reduction_percent(self.static, self.continuous)

    @property
    def throughput_ratio(self) -> float | None:
        """Continuous over static; None if one of them answered no request within the arrival window."""
        continuous, static = metrics.throughput_per_s(self.continuous), metrics.throughput_per_s(self.static)
        return continuous / static if continuous and static else None


def replay_both(
    workload: Workload, *, impl: str | None = None, clock: str = "virtual", continuous_first: bool = False, **settings
) -> Runs:
    """Serve a workload with the given static policy and with the continuous loop of `impl`.

    On the CPU clock the two compute their steps in turn, so that both run at the same speed.
    """
    static = partial(replay, "static", workload, impl="given", **settings)
    continuous = partial(replay, "continuous", workload, impl=impl, **settings)
    both = (continuous, static) if continuous_first else (static, continuous)
    if clock == "cpu":
        if settings.get("tokens", "model") == "model":
            warm_up()
        logs = in_turns(*(lambda own, one=one: one(clock=own) for one in both))
    else:
        logs = [one(clock=clock) for one in both]
    return Runs(static=logs[both.index(static)], continuous=logs[both.index(continuous)])
