"""What prefix caching saves, and when (Lab 06): against the share of the common beginning, and against the memory.

All on the virtual clock and with scripted answers, unless said. `code` has `PrefixCache` and `block_keys`: the given
module, or a student's file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.runtime.paged import prefix_cache
from minigpt.runtime.paged.prefix_pool import PrefixPool
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.simulation.paged_run import serve
from minigpt.workloads.shared_prefixes import conversations, shared_instruction
from minigpt.workloads.workload import Workload

SHARES = (0.0, 0.25, 0.5, 0.75, 0.9)
POOLS = (48, 96, 192, 384, 768)  # blocks
BLOCK_SIZE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A run with or without sharing."""

    hit_percent: float  # of all tokens of prompts that started, those that were found
    num_prefilled: int  # prompt tokens computed
    ttft_p95_ms: float


def run(requests: Workload, code=None, **settings) -> PagedRunLog:
    """One run of the given loop; without `code` nothing is shared."""
    return serve(requests, impl="given", prefix=code, block_size=BLOCK_SIZE, **settings)


def saved(log: PagedRunLog) -> Saved:
    """What a run computed and how long first tokens took."""
    return Saved(
        hit_percent=hit_percent(log), num_prefilled=sum(step.num_prefill_tokens for step in log.steps),
        ttft_p95_ms=1e3 * metrics.percentile(metrics.ttft_s(log), 95),
    )


def hit_percent(log: PagedRunLog) -> float:
    """Of all tokens of requests that started, the share that was in the cache; 0 where nothing is shared."""
    asked = sum(lookup.num_tokens for lookup in log.prefix_lookups)
    return 100 * sum(lookup.num_found for lookup in log.prefix_lookups) / asked if asked else 0.0


def by_share(code=prefix_cache, shares: Sequence[float] = SHARES, *, seed: int = 3) -> dict[str, list[Saved]]:
    """Without and with a cache, for each share of the prompt that all requests have in common."""
    workloads = [shared_instruction(share, seed=seed) for share in shares]
    return {name: [saved(run(requests, each)) for requests in workloads] for name, each in (("none", None), ("cached", code))}


def by_memory(code=prefix_cache, pools: Sequence[int] = POOLS, *, seed: int = 3) -> dict[str, list[Saved]]:
    """Conversations in pools of different sizes, without and with a cache."""
    requests = conversations(seed=seed)
    return {
        name: [saved(run(requests, each, num_blocks=num_blocks)) for num_blocks in pools]
        for name, each in (("none", None), ("cached", code))
    }


def forward_order(code):
    """The same cache that makes the beginning of a sequence idle first, and so evicts it first."""

    class BeginningFirst(code.PrefixCache):
        def free(self, request_id):
            self.tables[request_id].reverse()
            super().free(request_id)

    return type("Forward", (), {"PrefixCache": BeginningFirst, "block_keys": staticmethod(code.block_keys)})


def talk_on_the_model(code, *, num_blocks: int = 80, seed: int = 5) -> PagedRunLog:
    """A few conversations that the Mini-GPT really answers, in a pool that is too small to keep all of them."""
    return run(conversations(8, 4, seed=seed), code, num_blocks=num_blocks, tokens="model")


def num_different(first: PagedRunLog, second: PagedRunLog) -> int:
    """How many answers of two runs over the same requests differ."""
    return sum(first.requests[i].answer != second.requests[i].answer for i in first.requests)


def what_sharing_gains(plain: Sequence[Saved], cached: Sequence[Saved], shares: Sequence[int]) -> str:
    """In words, from the figures: by how much more TTFT falls than the work, at the largest share; and at the smallest."""
    work = plain[-1].num_prefilled / cached[-1].num_prefilled
    wait = plain[-1].ttft_p95_ms / cached[-1].ttft_p95_ms
    none = plain[0].ttft_p95_ms / cached[0].ttft_p95_ms
    return say(
        en=f"with {shares[-1]} % in common: prefill work falls by a factor of {work:.1f}, p95 TTFT by {wait:.1f}; "
           f"with {shares[0]} %: × {none:.2f}",
        es=f"con {shares[-1]} % en común: {work:.1f} veces menos que calcular, p95 TTFT {wait:.1f} veces menor; "
           f"con {shares[0]} %: × {none:.2f}",
    )


def what_is_left(hits: Sequence[float], pools: Sequence[int] = POOLS) -> str:
    """In words, from the figures: what the smallest and the largest pool find."""
    return say(
        en=f"found: {hits[0]:.0f} % with {pools[0]} blocks, {hits[-1]:.0f} % with {pools[-1]}",
        es=f"encontrado: {hits[0]:.0f} % con {pools[0]} bloques, {hits[-1]:.0f} % con {pools[-1]}",
    )


def tables(code, lengths: Sequence[tuple[int, int]] = ((56, 0), (56, 37), (44, 32), (70, 56))) -> list[tuple]:
    """Prompts that come one after the other, each (tokens, of which the first ones are those of the first prompt).

    For each, to be drawn: a name, its blocks, how many were found, its tokens.
    """
    pool, rows = PrefixPool(32, BLOCK_SIZE, code), []
    for number, (num_tokens, num_common) in enumerate(lengths):
        tokens = [*range(num_common), *(1_000 * (number + 1) + i for i in range(num_tokens - num_common))]
        tokens = tokens if number else list(range(num_tokens))
        pool.allocate(number, num_tokens, 0, tokens)
        pool.publish(number, tokens)
        rows.append(("ABCDEFGH"[number], list(pool.block_table(number)), pool.lookups[-1].num_found // BLOCK_SIZE, num_tokens))
    return rows
