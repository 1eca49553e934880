"""A decode step under the roofline: how much it computes, how much it reads, and which of the two limits a machine.

Williams, Waterman and Patterson (2009): a machine computes at most `flops_per_s` and reads at most `bytes_per_s`. Work
of few operations for each byte that it reads waits for memory, other work for arithmetic. The border between them is
the machine's ridge: operations per byte.
"""

from dataclasses import dataclass
from functools import partial

import torch

from minigpt.language import say
from minigpt.llm.model import Config, MiniGPT
from minigpt.llm.products import PackedProduct, Product, product_with
from minigpt.studies.lab01 import pick_clock

REPEATS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a machine can do at most."""

    name: str
    flops_per_s: float
    bytes_per_s: float

    @property
    def ridge(self) -> float:
        """Operations per byte above which arithmetic is the bottleneck."""
        return self.flops_per_s / self.bytes_per_s

    def at_best_s(self, step: "StepWork") -> float:
        """The least time that such a step can take."""
        return max(step.flops / self.flops_per_s, step.bytes / self.bytes_per_s)


# NVIDIA's data sheet of the A100 80GB SXM: 312 TFLOPS in 16 bits (dense), 2,039 GB/s.
A100 = Machine(name="A100", flops_per_s=312e12, bytes_per_s=2_039e9)
# Touvron et al. (2023), Llama 2 with 7 billion parameters; served in 16 bits.
LLAMA_2_7B = Config(vocab_size=32_000, width=4_096, num_layers=32, num_heads=32, num_kv_heads=32, head_size=128,
                    ffn_width=11_008, context=4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWork:
    """What one decode step of B sequences computes and reads. Activations stay in fast memory and are not counted."""

    batch_size: int
    flops: float
    weight_bytes: float  # read once, whatever B is
    kv_bytes: float  # each sequence's own

    @property
    def bytes(self) -> float:
        return self.weight_bytes + self.kv_bytes

    @property
    def intensity(self) -> float:
        """Operations per byte read."""
        return self.flops / self.bytes


def num_weights(cfg: Config) -> int:
    """Numbers in the matrices that a step multiplies by; the embedding counts as the output matrix."""
    per_layer = (cfg.num_heads + 2 * cfg.num_kv_heads) * cfg.head_size * cfg.width  # queries, keys, values
    per_layer += cfg.num_heads * cfg.head_size * cfg.width + 3 * cfg.width * cfg.ffn_width
    return cfg.num_layers * per_layer + cfg.vocab_size * cfg.width


def step_work(cfg: Config, batch_size: int, context: int, bytes_per_number: int, bytes_per_weight: int | None = None) -> StepWork:
    """The work of a step: a multiplication and an addition for each weight and row, and for each K and V attended to.

    Weights take as many bytes as K and V unless `bytes_per_weight` says otherwise.
    """
    attention = 2 * 2 * cfg.num_layers * cfg.num_heads * cfg.head_size * context  # scores, then the weighted sum
    kv_numbers = 2 * cfg.num_layers * cfg.num_kv_heads * cfg.head_size * context
    return StepWork(
        batch_size=batch_size, flops=batch_size * (2 * num_weights(cfg) + attention),
        weight_bytes=num_weights(cfg) * (bytes_per_weight or bytes_per_number), kv_bytes=batch_size * kv_numbers * bytes_per_number,
    )


def a_and_b_ms(cfg: Config, machine: Machine, context: int, bytes_per_number: int) -> tuple[float, float]:
    """The lower bound of t(B) = a + b·B where memory is the bottleneck, in milliseconds.

    a is the reading of the weights, b the reading of one sequence's K and V.
    """
    one = step_work(cfg, 1, context, bytes_per_number)
    return 1e3 * one.weight_bytes / machine.bytes_per_s, 1e3 * one.kv_bytes / machine.bytes_per_s


def bytes_per_weight(model: MiniGPT) -> int:
    """What a step reads for each weight here: packed ones have 16 bits (minigpt/llm/products.py)."""
    return 2 if isinstance(model.output_product, PackedProduct) else 4


def this_machine(num_bytes: int) -> Machine:
    """One thread here: the rate of a large matrix product, and of reading `num_bytes` (the weights) again and again."""
    size = 768
    a, b, out = torch.randn(size, size), torch.randn(size, size).half().float(), torch.empty(size, size)
    read = torch.ones(num_bytes // 4)
    product_s = min(_shortest_s(partial(product, a, out=out)) for product in (Product(b), product_with(b)))
    read_s = _shortest_s(read.sum)
    return Machine(name=say(en="your core", es="tu núcleo"), flops_per_s=2 * size**3 / product_s, bytes_per_s=num_bytes / read_s)


def _shortest_s(work) -> float:
    """The least processor time of several calls: a roof is what the machine can do, not what it usually does."""
    clock, times = pick_clock(), []
    for _ in range(REPEATS):
        start = clock()
        work()
        times.append(clock() - start)
    return max(min(times), 1e-9)


def table(steps: dict[str, tuple[Machine, list[StepWork]]]) -> str:
    """For each model on its machine: what a step of each size computes, reads, and is limited by."""
    head = say(en="model on machine          B   GFLOP    GB read   FLOP/byte   ridge   limited by     at best",
               es="modelo en máquina         B   GFLOP   GB leídos  FLOP/byte  cresta   límite       en el mejor caso")
    lines = [head]
    for name, (machine, works) in steps.items():
        for work in works:
            lack = say(en="memory", es="memoria") if work.intensity < machine.ridge else say(en="arithmetic", es="aritmética")
            lines.append(
                f"{f'{name}, {machine.name}':23}{work.batch_size:4} {work.flops / 1e9:7.3g}   {work.bytes / 1e9:8.3g}"
                f"   {work.intensity:9.3g}   {machine.ridge:5.3g}   {lack:10}  {1e3 * machine.at_best_s(work):7.3g} ms"
            )
    return "\n".join(lines)
