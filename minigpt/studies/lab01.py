"""What Lab 01 times: one decode step in several ways, at the same lengths, and how many tensor operations it calls."""

import time
from statistics import median

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from minigpt.corpus.prompts import tutor_prompts
from minigpt.language import language, say
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import MiniGPT
from minigpt.studies.decode_floor import decode_once

COARSE_S = 1e-4  # a clock that ticks less often cannot time a step
MUCH_LONGER = 1.2  # times: by less than that, two measurements of a step differ for no reason


def pick_clock():
    """A clock of this thread's processor time, in seconds; where that is coarse (Windows), the wall's counter."""
    return time.perf_counter if _is_coarse() else time.thread_time


def warn_of_a_coarse_clock() -> None:
    """Say so where processor time cannot be measured."""
    if _is_coarse():
        print(say(en="This system's processor-time clock is too coarse for a step: wall time is used instead.",
                  es="El reloj de tiempo de procesador de este sistema es demasiado grueso para un paso: en su lugar se usa "
                     "el reloj de pared."))


def _is_coarse() -> bool:
    return time.get_clock_info("thread_time").resolution > COARSE_S


def median_ms(function, repeats: int = 20, warmup: int = 5) -> float:
    """The median processor time of a call, in milliseconds."""
    return median(call_times_ms(function, repeats, warmup)["cpu"])


def call_times_ms(function, calls: int, warmup: int = 0) -> dict[str, list[float]]:
    """The time of each call by both clocks, in milliseconds: "cpu" and "wall"."""
    for _ in range(warmup):
        function()
    clocks, times = {"cpu": pick_clock(), "wall": time.perf_counter}, {"cpu": [], "wall": []}
    for _ in range(calls):
        before = {name: clock() for name, clock in clocks.items()}
        function()
        for name, clock in clocks.items():
            times[name].append(1e3 * (clock() - before[name]))
    return times


def uncached_step(model: MiniGPT, context: int):
    """A function that computes the next token of one request without a cache: all of its tokens, afresh."""
    tokens = torch.arange(context)[None] % model.config.vocab_size  # (1, T)
    return torch.inference_mode()(lambda: model.forward(tokens))


def dict_caches(model: MiniGPT, batch_size: int, num_tokens: int, seed: int = 0) -> list[dict]:
    """The caches of `batch_size` requests in Lab 01's form: layer -> (keys, values), each (num_tokens, K, D).

    The tokens are drawn at random and computed by the model's own `prefill`.
    """
    cache = KVCache(model.config, batch_size, num_tokens)
    slots = [cache.allocate() for _ in range(batch_size)]
    generator = torch.Generator().manual_seed(seed)
    prompts = torch.randint(model.config.vocab_size, (batch_size, num_tokens), generator=generator).tolist()
    model.prefill(prompts, cache, slots)
    return [dict_cache(cache, slot) for slot in slots]


def dict_cache(cache: KVCache, slot: int) -> dict:
    """What a slot of the given cache holds, as a dict cache of its own."""
    heads = slice(slot * cache.num_kv_heads, (slot + 1) * cache.num_kv_heads)
    stored = [(of[:, heads, : cache.lengths[slot]].transpose(1, 2).contiguous()) for of in (cache.k, cache.v)]
    return {layer: (keys, values) for layer, (keys, values) in enumerate(zip(*stored))}  # (S, K, D) each


def batched_step(step, model: MiniGPT, batch_size: int, context: int):
    """A function that runs `step(model, caches, tokens)` on requests that then attend to `context` tokens each."""
    caches = dict_caches(model, batch_size, context - 1)
    tokens = [token % model.config.vocab_size for token in range(batch_size)]
    # The dicts are copied, not their tensors: so every call starts from the same lengths.
    return lambda: step(model, [dict(cache) for cache in caches], tokens)


def padded_step(step, pad, model: MiniGPT, batch_size: int, context: int):
    """A function that runs `step(model, padded, tokens)` on requests that then attend to `context` tokens each."""
    padded = pad(dict_caches(model, batch_size, context - 1), context)
    tokens = [token % model.config.vocab_size for token in range(batch_size)]
    # Every call starts from the same lengths, whether the step adds to that tensor or puts another into the dict.
    return lambda: step(model, {**padded, "lengths": padded["lengths"].clone()}, tokens)


def separate_steps(model: MiniGPT, batch_size: int, context: int):
    """A function that decodes each of `batch_size` requests in a pass of its own, with the given slot cache."""
    alone = decode_once(model, 1, context)

    def run():
        for _ in range(batch_size):
            alone()

    return run


def count_operations(function) -> int:
    """How many tensor operations one call of `function` makes, including views, once it is warm."""
    function()
    with _Counter() as counter:
        function()
    return counter.num_calls


class _Counter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.num_calls = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.num_calls += 1
        return operation(*args, **(kwargs or {}))


def masked_in_words(sizes, times_ms: dict[str, list[float]]) -> str:
    """At each size, how long the masked step takes against the given one and the one with a loop, in words."""
    rows = zip(sizes, times_ms["padded"], times_ms["given"], times_ms["student"])
    return "\n".join(say(
        en=f"B = {size}: your masked step takes {padded / given:.2f} times as long as the given one, "
           f"{padded / looped:.2f} times as long as your loop",
        es=f"B = {size}: tu paso con máscara tarda {padded / given:.2f} veces lo que el código dado y {padded / looped:.2f} veces "
           f"lo que tu bucle",
    ) for size, padded, given, looped in rows)


def measured_twice(sizes, in_a_row_ms: list[float], in_turns_ms: list[float]) -> str:
    """How a step for 32 compares with one for 1 in 1.1 and in 1.8, and why the smaller step may take longer in turns."""
    (one, again), (many, many_again) = ((in_a_row_ms[at], in_turns_ms[at]) for at in (0, sizes.index(32)))
    first, second = many / one, many_again / again
    words = say(en=f"a step for 32 compared with one for 1: {first:.1f} × in 1.1, {second:.1f} × in 1.8; "
                   f"for 1: {one:.2f} ms, then {again:.2f} ms; for 32: {many:.2f}, then {many_again:.2f}",
                es=f"un paso para 32 frente a uno para 1: {first:.1f} × en 1.1, {second:.1f} × en 1.8; "
                   f"para 1: {one:.2f} ms, luego {again:.2f} ms; para 32: {many:.2f}, luego {many_again:.2f}")
    if again < MUCH_LONGER * one:
        return words
    return words + say(
        en="\n(in 1.1 the same step ran again and again; in 1.8 each follows other work, and has to refill the processor's caches)",
        es="\n(en 1.1 se repetía el mismo paso; en 1.8 cada uno sigue a otro trabajo y tiene que volver a llenar las cachés del procesador)")


def growth_in_words(counts: list[int]) -> str:
    """The operations of the masked step at B = 2 and at B = 32, and what it means if there are more."""
    shown = say(en="operations, masked, at B = 2 and 32:", es="operaciones, con máscara, con B = 2 y 32:") + " {} {}".format(*counts)
    if counts[1] <= counts[0]:
        return shown
    return shown + say(en=" (they grow with the rows: is there still a loop over the requests?)",
                       es=" (crecen con las filas: ¿queda un bucle sobre las peticiones?)")


def guess_at(size: int, sizes, guess, convert) -> list:
    """`convert(guess)` at the place of `size` and None elsewhere: one point of a figure, or none without a guess."""
    is_number = isinstance(guess, (int, float)) and not isinstance(guess, bool) and guess > 0
    return [convert(guess) if is_number and each == size else None for each in sizes]


class WarmingLaptop:
    """A machine on which every call takes longer than the one before, with the clock that shows it."""

    def __init__(self, call_ms: float, growth: float):
        self._now_ms, self._call_ms, self._growth = 0.0, call_ms, growth

    def clock(self) -> float:
        """The time in milliseconds."""
        return self._now_ms

    def work(self) -> None:
        """One call of something."""
        self._now_ms += self._call_ms
        self._call_ms *= self._growth


def feed(step, model: MiniGPT, tokens: list[int]) -> dict:
    """Put the tokens of a prompt into an empty dict cache one by one; the cache."""
    cache: dict = {}
    for token in tokens:
        step(model, cache, token)
    return cache


def some_prompts(count: int) -> list:
    """Prompts to the tutor in the reader's language: corrections first, an explanation last."""
    own = {kind: [each for each in pool if each.language == language()] for kind, pool in tutor_prompts().items()}
    return [*own["fix"][: count - 1], own["explain"][0]]
