"""The three ways through the model give the same logits, whatever shares the batch and in whichever slots."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.kv_cache import CacheFull, KVCache
from minigpt.llm.model import Config
from tests.unit.small import GROUPED, SMALL, draw, greedy_alone, small_model

TOLERANCE = 1e-4  # logits, fp32
SHAPES = pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])


def assert_close(logits, expected):
    assert logits.shape == expected.shape
    assert float((logits - expected).abs().max()) <= TOLERANCE


def taken(config, num_slots):
    """A cache with all its slots taken, and the slots."""
    cache = KVCache(config, num_slots)
    return cache, [cache.allocate() for _ in range(num_slots)]


def prefill_in_chunks(model, tokens, chunk, cache, slots, expected):
    for start in range(0, len(tokens), chunk):
        piece = tokens[start : start + chunk]
        logits = model.prefill([piece], cache, slots)
        assert_close(logits[0], expected[start + len(piece) - 1])


class Row:
    """One sequence of a batch, and what it must get because it gets that when it is alone."""

    def __init__(self, model, prompt, num_tokens):
        self.prompt = prompt
        self.tokens, self.logits = greedy_alone(model, prompt, num_tokens)
        self.num_done = 0

    def check(self, logits):
        assert_close(logits, self.logits[self.num_done])
        assert int(logits.argmax()) == self.tokens[self.num_done]
        self.num_done += 1


def prefill(model, cache, rows):
    """Prefill the rows, a dict slot -> Row, in one pass."""
    slots = list(rows)
    for slot, logits in zip(slots, model.prefill([rows[s].prompt for s in slots], cache, slots), strict=True):
        rows[slot].check(logits)


def decode(model, cache, rows, num_steps):
    """Decode the rows for some steps, feeding each its own last token."""
    slots = list(rows)
    for _ in range(num_steps):
        last = [rows[s].tokens[rows[s].num_done - 1] for s in slots]
        for slot, logits in zip(slots, model.decode_step(last, cache, slots), strict=True):
            rows[slot].check(logits)


# -- cached and uncached ---------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1, 2, 7, 29])
@pytest.mark.parametrize(
    "config", [SMALL, GROUPED, Config()], ids=["one KV head", "two KV heads", "shipped shape"]
)
def test_cached_equals_uncached(config, chunk):
    model, tokens = small_model(config), draw(29 + 16)
    expected = model.forward(torch.tensor([tokens]))[0]
    cache, slots = taken(config, 1)
    prefill_in_chunks(model, tokens[:29], chunk, cache, slots, expected)
    for position in range(29, 45):
        assert_close(model.decode_step([tokens[position]], cache, slots)[0], expected[position])


@SHAPES
def test_chunks_of_different_lengths_continue_sequences_of_different_lengths(config):
    model, long, short = small_model(config), draw(30, seed=1), draw(9, seed=2)
    cache, slots = taken(config, 2)
    model.prefill([long[:20]], cache, slots[:1])
    logits = model.prefill([short[:4], long[20:21]], cache, [slots[1], slots[0]])
    assert_close(logits[0], model.forward(torch.tensor([short[:4]]))[0, -1])
    assert_close(logits[1], model.forward(torch.tensor([long[:21]]))[0, -1])
    logits = model.prefill([long[21:], short[4:]], cache, slots)
    assert_close(logits[0], model.forward(torch.tensor([long]))[0, -1])
    assert_close(logits[1], model.forward(torch.tensor([short]))[0, -1])


@SHAPES
def test_uncached_rows_do_not_see_each_other_or_the_future(config):
    model, a, b = small_model(config), draw(12, seed=1), draw(12, seed=2)
    together = model.forward(torch.tensor([a, b]))
    assert_close(together[1], model.forward(torch.tensor([b]))[0])
    assert_close(together[0, :5], model.forward(torch.tensor([a[:5]]))[0])


def test_the_order_of_tokens_matters():
    # Without positions, attention would give the last token of both the same logits: every test above would pass.
    model, tokens = small_model(), draw(12)
    swapped = [tokens[3], *tokens[1:3], tokens[0], *tokens[4:]]
    before, after = (model.forward(torch.tensor([t]))[0, -1] for t in (tokens, swapped))
    assert float((before - after).abs().max()) > 100 * TOLERANCE


# -- batched and alone -----------------------------------------------------------------------------


@SHAPES
def test_batched_equals_alone(config):
    model = small_model(config)
    cache, slots = taken(config, 3)
    rows = {slot: Row(model, draw(length, seed=length), 17) for slot, length in zip(slots, [1, 3, 7])}
    prefill(model, cache, rows)
    decode(model, cache, rows, 16)


@SHAPES
def test_a_sequence_takes_the_slot_of_one_that_ended_mid_run(config):
    model = small_model(config)
    cache, (a, b, c) = taken(config, 3)
    rows = {slot: Row(model, draw(length, seed=length), 20) for slot, length in zip((a, b, c), [3, 11, 5])}
    prefill(model, cache, rows)
    decode(model, cache, rows, 4)
    cache.free(b)
    decode(model, cache, {a: rows[a], c: rows[c]}, 1)  # a step with a hole in the middle
    assert cache.allocate() == b
    rows[b] = Row(model, draw(2, seed=9), 20)  # shorter than what the slot held
    prefill(model, cache, {b: rows[b]})
    decode(model, cache, rows, 14)


def test_the_same_prompt_gets_the_same_logits_before_and_after_another_used_its_slot():
    model = small_model()
    cache, slots = taken(SMALL, 1)
    answers = []
    for prompt in (draw(5, seed=1), draw(20, seed=2), draw(5, seed=1)):
        logits = [model.prefill([prompt], cache, slots)]
        logits += [model.decode_step([int(logits[-1].argmax())], cache, slots) for _ in range(8)]
        answers.append(torch.cat(logits))
        cache.free(slots[0])
        slots = [cache.allocate()]
    assert torch.equal(answers[0], answers[2])


@SHAPES
@pytest.mark.parametrize("slots", [(4, 0, 5), (2, 1, 0), (1, 2, 3), (0, 2), (5,)], ids=str)
def test_slots_may_be_any_in_any_order(config, slots):
    model = small_model(config)
    cache, _ = taken(config, 6)
    rows = {slot: Row(model, draw(3 + 4 * i, seed=slot), 9) for i, slot in enumerate(slots)}
    prefill(model, cache, rows)
    decode(model, cache, rows, 8)


# -- the edge of the context -----------------------------------------------------------------------


@SHAPES
def test_the_context_edge_is_reached_and_not_passed(config):
    model, tokens = small_model(config), draw(config.context, seed=5)
    expected = model.forward(torch.tensor([tokens]))[0]
    cache, slots = taken(config, 2)
    model.prefill([tokens[:3]], cache, slots[1:])
    prefill_in_chunks(model, tokens[:50], 25, cache, slots[:1], expected)
    for position in range(50, config.context):
        assert_close(model.decode_step([tokens[position]], cache, slots[:1])[0], expected[position])
    with pytest.raises(CacheFull, match="holds 64 tokens.*end it"):
        model.decode_step([1, 1], cache, slots)
    assert cache.lengths.tolist() == [
        64,
        3,
    ]  # the refused step has left no trace, neither here nor in the other
    assert_close(model.decode_step([tokens[3]], cache, slots[1:])[0], expected[3])


def test_a_prompt_may_fill_the_context_and_its_padding_may_not_reach_past_it():
    model, tokens = small_model(), draw(SMALL.context, seed=6)
    cache, slots = taken(SMALL, 2)
    model.prefill([tokens[:60]], cache, slots[:1])
    # The row of slot 0 ends at the edge; padded to 10 tokens it would lie beyond it.
    logits = model.prefill([tokens[60:], tokens[:10]], cache, slots)
    assert_close(logits[0], model.forward(torch.tensor([tokens]))[0, -1])
    assert_close(logits[1], model.forward(torch.tensor([tokens[:10]]))[0, -1])


def test_positions_far_beyond_512_are_right_in_the_shipped_shape():
    config, tokens = Config(), draw(1024, seed=7)
    model = small_model(config)
    expected = model.forward(torch.tensor([tokens]))[0]
    cache, slots = taken(config, 1)
    prefill_in_chunks(model, tokens[:1007], 504, cache, slots, expected)
    for position in range(1007, 1024):
        assert_close(model.decode_step([tokens[position]], cache, slots)[0], expected[position])
    with pytest.raises(CacheFull):
        model.decode_step([1], cache, slots)


# -- speed, by counting ----------------------------------------------------------------------------


class OperationCounter(TorchDispatchMode):
    """Counts the tensor operations that compute something while it is active.

    Views are left out: torch's own indexing takes one more of them when there is only one index.
    """

    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += not function.is_view
        return function(*args, **(kwargs or {}))


def num_operations(config, slots):
    model = random_model(config)
    cache, _ = taken(config, max(slots) + 1)
    model.prefill([draw(1 + slot % 5, seed=slot) for slot in slots], cache, slots)
    model.decode_step([1] * len(slots), cache, slots)  # makes the workspace
    with OperationCounter() as counter:
        model.decode_step([1] * len(slots), cache, slots)
    return counter.count


@SHAPES
@pytest.mark.parametrize("stride", [1, 2], ids=["in place", "by index"])
def test_the_number_of_operations_of_a_decode_step_does_not_depend_on_the_batch(config, stride):
    counts = {size: num_operations(config, [stride * i for i in range(size)]) for size in (1, 3, 8, 64)}
    if stride == 2:
        del counts[1]  # a single slot is always read in place
    assert len(set(counts.values())) == 1, counts
    assert counts[8] > 10 * config.num_layers  # the counter does count
