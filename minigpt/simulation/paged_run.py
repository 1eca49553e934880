"""Running a workload through Lab 05's loop on a server with a block pool."""

from collections.abc import Callable

from minigpt.runtime.clock import make_clock
from minigpt.runtime.paged.block_pool import BlockPool
from minigpt.runtime.paged.model_runner import PagedModelRunner, PagedScriptedRunner
from minigpt.runtime.paged.prefix_pool import PrefixPool
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.runtime.paged.server import PagedServer, make_paged_server
from minigpt.schedulers.paged import production_loop
from minigpt.schedulers.registry import PRODUCTION, implementation, load_loop
from minigpt.workloads.workload import Workload

ROOMY_BLOCKS = 1_024  # enough that memory never matters


def make_paged_runner(kind: str, workload: Workload, pool: BlockPool):
    """A token source for a server with a block pool: `model` (the shipped tutor) or `scripted` (known answers)."""
    if kind == "scripted":
        return PagedScriptedRunner()
    if kind != "model":
        raise ValueError(f"tokens={kind!r}: choose model or scripted")
    from minigpt.llm.tutor import load_tutor

    longest = max(len(item.prompt_token_ids) + item.max_tokens for item in workload.items)
    return PagedModelRunner(load_tutor(), pool, len(workload.items), longest)


def paged_server(
    workload: Workload, *, clock="virtual", tokens="scripted", num_blocks: int = ROOMY_BLOCKS, block_size: int = 16,
    prefix=None, **settings,
) -> PagedServer:
    """A server with a block pool; `clock` and `tokens` by name, or as objects; settings are those of `make_paged_server`.

    `prefix` is a module with `PrefixCache` and `block_keys` (the given one, or a student's file): then blocks are shared.
    """
    pool = PrefixPool(num_blocks, block_size, prefix) if prefix else BlockPool(num_blocks, block_size)
    runner = make_paged_runner(tokens, workload, pool) if isinstance(tokens, str) else tokens
    time = make_clock(clock) if isinstance(clock, str) else clock
    return make_paged_server(workload, clock=time, runner=runner, pool=pool, **settings)


def serve(workload: Workload, *, loop: Callable | None = None, impl: str | None = None, **settings) -> PagedRunLog:
    """Serve a workload with Lab 05's loop (or with `loop`) on a server with a block pool; return the log.

    `impl` is given, student or solution (default: MINIGPT_IMPL); the other settings are those of `paged_server`.
    """
    loop = loop or load_loop(PRODUCTION, impl or implementation())
    server = paged_server(workload, **settings)
    loop(server)
    return server.log.closed_at(server.clock.now_ns)


def loop_with(code, *names: str) -> Callable:
    """The given loop of Lab 05, with the decisions `names` made by the functions of `code`.

    That way each idea can be measured as soon as it is written, before the later ones of the lab.
    """
    return production_loop.with_functions(**{name: getattr(code, name) for name in names})
