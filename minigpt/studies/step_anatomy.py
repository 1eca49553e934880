"""What a decode step consists of, measured: its matrix products, its calls, and the rest.

The calls are measured as the same step on a model so small that there is nothing to compute: the same lines of Python
and the same number of tensor operations. The rest is what neither explains: norms, softmax, sums, and moving K and V.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from minigpt.language import say
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.model import MiniGPT
from minigpt.plots.colours import concept_name
from minigpt.studies.decode_floor import all_products, decode_once

TINY = dict(width=8, head_size=2, ffn_width=8)
TINY_CONTEXT = 2  # tokens: the new one and one before it
PARTS = ("products", "calls", "rest")
UNSHARED_GAIN = 1.1  # times: passes that share nothing gain less than that by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class StepParts:
    """One step of B requests and what it consists of, in milliseconds of processor time."""

    way: str
    batch_size: int
    step_ms: float
    products_ms: float  # attention's two included, the calls themselves not
    calls_ms: float

    @property
    def name(self) -> str:
        """The label of its bar."""
        return f"{concept_name(self.way)} · B = {self.batch_size} · {self.step_ms:.1f} ms"

    @property
    def rest_ms(self) -> float:
        """What is left; zero if the two parts, each measured separately, already exceed the step."""
        return max(0.0, self.step_ms - self.products_ms - self.calls_ms)

    @property
    def percent(self) -> dict[str, float]:
        """The parts in per cent of their sum."""
        parts = {name: getattr(self, f"{name}_ms") for name in PARTS}
        return {name: 100 * value / sum(parts.values()) for name, value in parts.items()}

    @property
    def largest(self) -> str:
        return max(PARTS, key=self.percent.get)


def tiny_twin(model: MiniGPT) -> MiniGPT:
    """A model of as many layers and heads, in which no operation has anything to compute."""
    return random_model(replace(model.config, **TINY))


def jobs(model: MiniGPT, step: Callable, sizes: Sequence[int], context: int) -> dict[tuple, Callable]:
    """What is to be timed in turns; `step(model, batch_size, context)` makes a function that runs the student's step.

    First the steps of the whole model, each way from the largest batch down, then those of the tiny one. Taken in another
    order, a step for one right after other work finds its caches emptied, takes up to twice as long as it did in 1.8,
    and the rest is blamed for it.
    """
    makers = {"products": all_products, "student's products": partial(all_products, own=False), "given": decode_once, "student": step}
    keys = [(name, size) for name in makers for size in sorted(sizes, reverse=True)]
    whole = {(name, size): makers[name](model, size, context) for name, size in keys}
    tiny = tiny_twin(model)
    return whole | {(name, size, "calls"): makers[name](tiny, size, TINY_CONTEXT) for name, size in keys}


def parts_of(times_s: Mapping[tuple, float], sizes: Sequence[int]) -> list[StepParts]:
    """The parts of both steps from the times of `jobs`, in seconds."""
    ms = {key: 1e3 * value for key, value in times_s.items()}
    return [
        StepParts(way=way, batch_size=size, step_ms=ms[way, size], calls_ms=ms[way, size, "calls"],
                  products_ms=max(0.0, ms[products, size] - ms[products, size, "calls"]))
        for way, products in (("given", "products"), ("student", "student's products")) for size in sizes
    ]


def in_words(parts: StepParts) -> str:
    """Which part is the largest, the name for such a step, and why it may have no rest."""
    name, share = f"{concept_name(parts.way)}, B = {parts.batch_size}", parts.percent[parts.largest]
    no_rest = "" if parts.rest_ms else say(en="; no rest: timed apart, the two parts exceed the step",
                                           es="; sin resto: medidas por separado, las dos partes superan el paso")
    return name + ": " + {
        "products": say(en=f"matmul-bound ({share:.0f} % products)",
                        es=f"limitado por los productos ({share:.0f} % productos)"),
        "calls": say(en=f"Python-bound ({share:.0f} % calls)", es=f"limitado por Python ({share:.0f} % llamadas)"),
        "rest": say(en=f"bound by the rest ({share:.0f} %)", es=f"limitado por el resto ({share:.0f} %)"),
    }[parts.largest] + no_rest


def gains(sizes: Sequence[int], per_s: Mapping[str, Sequence[float]]) -> str:
    """How many times the throughput of the smallest batch each way reaches at the largest one, in words.

    Passes that share nothing should gain nothing; where they do, why.
    """
    first, last = sizes[0], sizes[-1]
    grown = ", ".join(f"{concept_name(way)} ×{row[-1] / row[0]:.1f}" for way, row in per_s.items())
    words = say(en=f"tokens per second at B = {last} against B = {first}: {grown}",
                es=f"tokens por segundo con B = {last} frente a B = {first}: {grown}")
    if "separate" not in per_s or per_s["separate"][-1] < UNSHARED_GAIN * per_s["separate"][0]:
        return words
    return words + say(en="\n(a pass each shares nothing; but only the first of a step follows other work)",
                       es="\n(las pasadas separadas no comparten nada; pero solo la primera de un paso sigue a otro trabajo)")
