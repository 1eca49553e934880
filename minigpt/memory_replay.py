"""Running a workload through Lab 05's loop on a server with a block pool."""

from collections.abc import Callable

from minigpt.block_pool import BlockPool
from minigpt.clock import make_clock
from minigpt.memory_log import MemoryLog
from minigpt.memory_server import MemoryServer
from minigpt.paged_tokens import PagedChunks, ScriptedChunks
from minigpt.policies import Policy, code_file, implementation, load_loop, load_module
from minigpt.workload import Workload

PRODUCTION = Policy(name="production", lab="05", function="production_loop", streams=True)
ROOMY_BLOCKS = 1_024  # so many that memory never matters


def make_chunks(kind: str, workload: Workload, pool: BlockPool):
    """A token source for a server with a block pool: `model` (the shipped tutor) or `scripted` (known answers)."""
    if kind == "scripted":
        return ScriptedChunks()
    if kind != "model":
        raise ValueError(f"tokens={kind!r}: choose model or scripted")
    from minigpt.tutor import load_tutor

    longest = max(len(item.prompt_token_ids) + item.max_tokens for item in workload.items)
    return PagedChunks(load_tutor(), pool, len(workload.items), longest)


def memory_server(
    workload: Workload, *, clock="virtual", tokens="scripted", num_blocks: int = ROOMY_BLOCKS, block_size: int = 16,
    **settings,
) -> MemoryServer:  # fmt: skip
    """A server with a block pool; `clock` and `tokens` by name, or as objects; settings are those of `MemoryServer`."""
    pool = BlockPool(num_blocks, block_size)
    source = make_chunks(tokens, workload, pool) if isinstance(tokens, str) else tokens
    time = make_clock(clock) if isinstance(clock, str) else clock
    return MemoryServer(workload, clock=time, tokens=source, pool=pool, **settings)


def serve(workload: Workload, *, loop: Callable | None = None, impl: str | None = None, **settings) -> MemoryLog:
    """Serve a workload with Lab 05's loop (or with `loop`) on a server with a block pool; what happened.

    `impl` is student or solution (default: MINIGPT_IMPL); the other settings are those of `memory_server`.
    """
    loop = loop or load_loop(PRODUCTION, impl or implementation())
    server = memory_server(workload, **settings)
    loop(server)
    return server.log.closed_at(server.clock.now_ns)


def loop_with(code, *names: str) -> Callable:
    """Lab 05's loop in which the functions `names` are those of `code`, and all others the reference's.

    So each idea can be measured as soon as it is written, before those that come after it in the lab.
    """
    module = load_module(code_file(PRODUCTION.lab, "solution"))
    for name in names:
        setattr(module, name, getattr(code, name))
    return module.production_loop
