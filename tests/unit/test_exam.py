"""The numbers in solutions/EXAM.md are those of the given code."""

from minigpt.analysis import metrics
from minigpt.llm.kv_memory import MIB, bytes_per_token, places, sequences_that_fit
from minigpt.llm.model_shapes import Shape
from minigpt.runtime.clock import StepCost
from minigpt.simulation.run import replay
from minigpt.workloads.workload import scene
from tests.tools.repo_files import ROOT

PAGES = [(ROOT / "solutions" / name).read_text(encoding="utf-8") for name in ("EXAM.md", "EXAM.es.md")]


def said(*pieces: str) -> bool:
    return all(piece in page for page in PAGES for piece in pieces)


def test_a_step():
    cost = StepCost()
    a, b = cost.step_overhead_ns / 1e6, cost.per_sequence_ns / 1e6
    assert said(f"t(B) = {a:g} ms + {b:g} ms · B", f"1 / {a + b:g} ms = {1e3 / (a + b):.0f}; 8 / {a + 8 * b:.3f} ms = {8e3 / (a + 8 * b):.0f}.")
    assert said(f"1 / {b:g} ms = {1e3 / b:.0f}", f"a / b = {a / b:.1f}", "B = 14")


def test_three_clients_in_two_slots():
    abc = scene(A=3, B=30, C=5)
    for policy, words in (("static", "30, 30, 35 ms"), ("continuous", "3, 30, 8 ms")):
        log = replay(policy, abc, clock="steps", tokens="scripted", impl="given", max_batch=2, max_inflight=2)
        times = [round(log.requests[index].finish_ns / 1e6) for index in range(3)]
        assert ", ".join(map(str, times)) + " ms" == words and said(words)
    first = [3, 30]
    wasted, rows = sum(max(first) - one for one in first), 2 * max(first)
    assert f"{wasted} of {rows}, {100 * wasted / rows:.0f} %" in PAGES[0] and f"{wasted} de {rows}, el {100 * wasted / rows:.0f} %" in PAGES[1]


def test_percentiles():
    assert metrics.percentile([0.5] * 94 + [2, 3, 4, 5, 6, 7], 95) == 2
    assert metrics.percentile(list(range(10)), 95) == 9


def test_memory():
    shape = Shape(name="exam", num_layers=4, num_heads=4, num_kv_heads=2, head_size=32, bytes_per_element=4, context=256)
    size = bytes_per_token(shape)
    tokens = 64 * MIB // size
    assert said(f"= {size} bytes", f"{64 * MIB} / {size} = {tokens} tokens")
    assert sequences_that_fit(tokens, [256] * 200, "maximum", context=256) == 128 and said("128 se")
    unused = [places(length, "blocks", context=1024) - length for length in range(497, 513)]
    assert sum(unused) / 16 == 7.5 and round(100 * 7.5 / 512, 1) == 1.5 and said("7.5", "1.5 %")
