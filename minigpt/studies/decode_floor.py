"""The decode step against two lower bounds: the same matrix products and nothing else, timed interleaved in one run.

One thread and processor time, so that other programs do not count. The first floor is the step's linear layers, by the
model's own products, into given memory (`out=`), without attention: no step of this model can be faster.
The second adds attention's two products per layer over a cache of the same size, which grows with the context.
The same linear layers by `torch.mm` are timed as well: what the floor would be without packed weights.
"""

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import MiniGPT
from minigpt.llm.products import LINEAR, Product

BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64)
CONTEXTS = (64, 256)  # tokens that each sequence attends to


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTime:
    """Processor time of one decode step at one batch size and context, over the repeats."""

    batch_size: int
    context: int  # attended tokens per sequence
    step_ms: float  # median
    p10_ms: float
    p90_ms: float
    floor_ms: float  # median of the linear layers' matrix products alone
    ratio: float  # median over the repeats of step / floor, each pair timed side by side
    attention_floor_ms: float  # the same with attention's two products
    attention_ratio: float  # step / this second floor
    mm_ms: float  # the linear layers' products by torch.mm
    mm_ratio: float  # step / these

    @property
    def tokens_per_s(self) -> float:
        return self.batch_size / self.step_ms * 1e3


def decode_once(model: MiniGPT, batch_size: int, context: int):
    """A function that runs one decode step of `batch_size` sequences, each attending to `context` tokens."""
    cache = KVCache(model.config, batch_size, context)
    slots = [cache.allocate() for _ in range(batch_size)]
    tokens = [token % model.config.vocab_size for token in range(batch_size)]

    def run():
        cache.lengths.fill_(context - 1)
        model.decode_step(tokens, cache, slots)

    return run


def matrix_products(model: MiniGPT, batch_size: int, own: bool = True):
    """A function that runs the matrix products of one decode step's linear layers alone: the model's own, or `torch.mm`."""
    return _run_all(_linear_products(model, batch_size, own))


def all_products(model: MiniGPT, batch_size: int, context: int, own: bool = True):
    """A function that runs those, and each layer's two products of attention over a cache of the same size."""
    cfg, linear = model.config, _linear_products(model, batch_size, own)
    cache = KVCache(cfg, batch_size, context)
    read = cache.reader(torch.arange(batch_size), context)
    per_head = batch_size * cfg.num_kv_heads, cfg.num_heads // cfg.num_kv_heads  # B·K, H/K
    queries, weights = torch.randn(*per_head, cfg.head_size), torch.randn(*per_head, context)
    scores, gathered = torch.empty_like(weights), torch.empty_like(queries)
    products = []
    for index in range(cfg.num_layers):
        keys, values = read(index)  # (B·K, D, S), (B·K, S, D)
        attention = [(partial(torch.bmm, queries, keys), scores), (partial(torch.bmm, weights, values), gathered)]
        products += [linear[4 * index], *attention, *linear[4 * index + 1 : 4 * index + 4]]
    return _run_all([*products, linear[-1]])


def _linear_products(model: MiniGPT, batch_size: int, own: bool) -> list[tuple]:
    """The linear layers of a step in order, as (product, output)."""
    weights = [(getattr(layer, name), getattr(by, name)) for layer, by in zip(model.layers, model.products) for name in LINEAR]
    weights.append((model.embedding.t().contiguous(), model.output_product))
    inputs = {width: torch.randn(batch_size, width) for width in {len(weight) for weight, _ in weights}}
    return [(partial(product if own else Product(weight), inputs[len(weight)]), torch.empty(batch_size, weight.shape[1]))
            for weight, product in weights]


def _run_all(products: list[tuple]):
    @torch.inference_mode()
    def run():
        for product, out in products:
            product(out=out)

    return run


def processor_ms(function, calls: int = 1) -> float:
    """Processor time of one call, in milliseconds, as the mean of `calls` consecutive ones."""
    # FBGEMM leaves the wide registers as they are, which slows MKL's products of a row or two after it. A kernel clears them.
    torch.ones(64).add_(1)
    start = time.thread_time_ns()
    for _ in range(calls):
        function()
    return (time.thread_time_ns() - start) / calls / 1e6


def measure(model: MiniGPT, batch_size: int, context: int, repeats: int = 40) -> StepTime:
    """Time the decode step and its floors in turn, `repeats` times, after a warm-up of all."""
    functions = (decode_once(model, batch_size, context), matrix_products(model, batch_size),
                 all_products(model, batch_size, context), matrix_products(model, batch_size, own=False))
    for function in functions * 5:
        function()
    rounds = np.array([[processor_ms(function, 3) for function in functions] for _ in range(repeats)])
    steps, floors, attention_floors, mm = rounds.T
    p10, median, p90 = np.percentile(steps, [10, 50, 90])
    return StepTime(
        batch_size=batch_size, context=context, step_ms=float(median), p10_ms=float(p10), p90_ms=float(p90),
        floor_ms=float(np.median(floors)), ratio=float(np.median(steps / floors)),
        attention_floor_ms=float(np.median(attention_floors)),
        attention_ratio=float(np.median(steps / attention_floors)),
        mm_ms=float(np.median(mm)), mm_ratio=float(np.median(steps / mm)),
    )


def report(rows: list[StepTime]) -> str:
    """The measurements as a table."""
    head = "context  batch   step ms (p10–p90)        tokens/s   floor ms   × floor   with attention   × that"
    lines = [head + "   torch.mm ms   × that   × step at B=1"]
    for row in rows:
        alone = next(r for r in rows if r.context == row.context and r.batch_size == min(BATCH_SIZES))
        lines.append(
            f"{row.context:7d}  {row.batch_size:5d}   {row.step_ms:7.3f} ({row.p10_ms:.3f}–{row.p90_ms:.3f})"
            f"   {row.tokens_per_s:9,.0f}   {row.floor_ms:8.3f}   {row.ratio:7.2f}   {row.attention_floor_ms:14.3f}"
            f"   {row.attention_ratio:6.2f}   {row.mm_ms:11.3f}   {row.mm_ratio:6.2f}   {row.step_ms / alone.step_ms:13.2f}"
        )
    return "\n".join(lines)
