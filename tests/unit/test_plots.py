"""Figures: each draws from a small run, in both languages, with units on its axes, and is shown once."""

import base64
import html
import math
import queue
import re
import types

import pytest
from matplotlib import _pylab_helpers
from matplotlib.colors import to_rgb

from minigpt import plots
from minigpt.paths import repository_root
from minigpt.plots import canvas, sentences, stepwise
from minigpt.plots.colours import USEFUL_SHADES, colours_of, concept_name, ink
from minigpt.plots.labels import spread_apart
from minigpt.runtime.clock import VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.server import run
from minigpt.workloads.workload import WorkItem, arriving

LENGTHS = {0: 3, 1: 30, 2: 5}  # A, B and C


def static_loop(server):
    while not server.queue.closed:
        batch = [server.queue.get()]
        while len(batch) < server.max_batch and not server.queue.empty():
            batch.append(server.queue.get_nowait())
        for _ in range(max(request.max_tokens for request in batch)):
            tokens = server.model.forward_one_step(batch)
            for request, token in zip(batch, tokens):
                if token != server.model.eos_token_id:
                    request.append(token)
        for request in batch:
            server.respond(request)


def continuous_loop(server):
    in_flight = []
    while in_flight or not server.queue.closed:
        try:
            while len(in_flight) < server.max_inflight:
                in_flight.append(server.queue.get(timeout_s=0))
        except queue.Empty:
            pass
        for request, token in zip(list(in_flight), server.model.forward_one_step(in_flight)):
            request.append(token)
            if request.num_output_tokens == request.max_tokens:
                in_flight.remove(request)
                server.respond(request)


@pytest.fixture(scope="module")
def runs():
    """Two slots for A (3 tokens), B (30) and C (5), all there at once."""
    items = [
        WorkItem(request_id=i, prompt_token_ids=(1, 2), max_tokens=n, arrival_ns=0, answer=(97,) * n, ignore_eos=True)
        for i, n in LENGTHS.items()
    ]
    settings = dict(runner=ScriptedRunner(), max_batch=2, max_inflight=2)
    workload = arriving(items, [0.0] * len(items), "by hand")
    return types.SimpleNamespace(
        static=run(static_loop, workload, clock=VirtualClock(), streams=False, **settings),
        continuous=run(continuous_loop, workload, clock=VirtualClock(), **settings),
    )


@pytest.fixture(params=["en", "es"])
def language(request, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", request.param)
    return request.param


def texts(figure):
    """Everything that is written in a figure."""
    found = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
        found += [text.get_text() for text in axes.texts]
    return [text for text in found if text]


DRAWINGS = {
    "slot_timelines": lambda runs: plots.slot_timelines.figure(runs, first_s=None),
    "slot_timelines in steps": lambda runs: plots.slot_timelines.figure(runs, None, in_steps=True, names={0: "A"}),
    "slot_timeline": lambda runs: plots.slot_timeline.figure(runs.static, first_s=0.01, title="ρ = 0.7"),
    "step_through": lambda runs: plots.step_through.figure(runs.continuous, names={0: "A"}),
    "latency_curves": lambda runs: plots.latency_curves.figure(runs),
    "intervals": lambda runs: plots.intervals.figure({"a": [(1, 3), (4, 6)], "b": [(2, 3)]}, 2.5, "p95 (%)"),
    "reduction_map": lambda runs: plots.reduction_map.figure([0.3, 0.9], [0, 1], [[-5, 0], [35.2, None]]),
    "lines": lambda runs: plots.lines.figure(
        [1, 2, 4], {"static": [3, 2, None], "ours": [1, 1, 1]}, "B (sequences)", "t (ms)",
        bands={"ours": ([0, 0, 0], [2, 2, 2])}, targets={"target": 2}, logx=True),
    "bars": lambda runs: plots.bars.figure(["static", "other"], [12345.6, 1.5], "ms", xlabel="p95"),
    "grouped_bars": lambda runs: plots.grouped_bars.figure(["a", "b"], {"ours": [1, 2], "static": [-3, 4]}, "ms"),
    "histogram": lambda runs: plots.histogram.figure([1, 2, 2, math.inf], "ms", {"p50": 2, "p95": 2}, of="E2E"),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_draws_and_names_its_axes_with_units(name, runs, language):
    figure = DRAWINGS[name](runs)
    assert canvas.png_of(figure).startswith(b"\x89PNG")
    assert figure.axes[-1].get_xlabel()
    # Bars have names instead of a scale.
    assert "bars" in name or all(axes.get_ylabel() for axes in figure.axes)
    assert _pylab_helpers.Gcf.figs == {}  # nothing is left open for the inline backend to show again


@pytest.mark.parametrize("name", DRAWINGS)
def test_what_a_figure_shows_is_said_with_its_values(name, runs, language):
    from nbformat.v4 import new_output  # here: a second that other test processes need not wait

    words = canvas.describe(DRAWINGS[name](runs), name)
    assert not words.startswith("[") and re.search(r"\d", words) and words.endswith(".")
    bundle, sizes = canvas.in_mime_types(DRAWINGS[name](runs), name)
    assert f'alt="{html.escape(words)}"' in bundle["text/html"] and bundle["text/plain"] == words
    texts_of_it = {**bundle, "image/png": base64.b64encode(bundle["image/png"]).decode()}
    new_output("display_data", texts_of_it, metadata=sizes)  # raises where it fits no notebook


@pytest.mark.parametrize("name, words", [
    ("lines", "Lines of t (ms) over B (sequences): static from 3 at 1 to 2 at 2; ours from 1 at 1 to 1 at 4."),
    ("slot_timelines in steps", "static: A in slot 1 from 0 to 14.8 ms, finished at 1.69 ms"),
    ("grouped_bars", "Bars of ms. a: ours 1, static −3; b: ours 2, static 4."),
    ("intervals", "Intervals of p95 (%), and how many contain 2.5: a, 1 of 2; b, 1 of 1."),
    ("reduction_map", "Map of p95 reduction by continuous batching (%) at load 0.3, 0.9. 1: 35, –; 0: −5, 0."),
    ("several runs", "Bars of ratio (×): a 2 (from 1 to 5); b 3."),
])
def test_what_is_said_of_a_figure(name, words, runs, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    draw = {**DRAWINGS, "several runs": lambda _: plots.bars.figure(["a", "b"], [[1, 2, 5], 3], "×", xlabel="ratio")}[name]
    assert words in canvas.describe(draw(runs), name)


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_that_is_written_is_cut_off(name, runs, language):
    figure = DRAWINGS[name](runs)
    figure.draw_without_rendering()  # lays it out
    width, height = figure.bbox.size
    for text in [text for part in (*figure.axes, *figure.legends) for text in part.texts]:
        box = text.get_window_extent()
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, text.get_text()


def test_labels_speak_the_language(runs, language):
    found = " ".join(text for draw in DRAWINGS.values() for text in texts(draw(runs)))
    words = {"en": ["waiting\n(requests)", "time (ms)", "steps done", "finished, slot still held", "load ρ"],
             "es": ["esperan\n(peticiones)", "tiempo (ms)", "pasos hechos", "terminada, pero", "carga ρ"]}
    other = {"en": "es", "es": "en"}[language]
    assert all(word in found for word in words[language])
    assert not any(word in found for word in words[other])


def first_row(axes):
    """Begin and end of every bar of slot 1."""
    bars = [bar for bar in axes.patches if abs(bar.get_y() + bar.get_height() / 2) < 0.01]
    return {(round(bar.get_x(), 6), round(bar.get_x() + bar.get_width(), 6)) for bar in bars}


def test_a_timeline_shows_a_leave_at_step_3_and_c_in_its_slot(runs, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    figure = plots.slot_timelines.figure(runs, None, in_steps=True, names={0: "A", 1: "B", 2: "C"})
    static, continuous = figure.axes[0], figure.axes[2]
    assert [text.get_text() for text in static.texts] == ["A", "B", "C"]
    assert (3, 30) in first_row(static)  # A's slot, held for nothing
    assert {(0, 3), (3, 8)} <= first_row(continuous)  # A, and from step 4 on C


def test_a_step_is_told_in_words(runs, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    names = {0: "A", 1: "B", 2: "C"}
    assert sentences.of_step(runs.continuous, 3, names) == "decodes A, B · answers A"
    assert sentences.of_step(runs.continuous, 4, names) == "prefills C · decodes B"
    assert sentences.of_step(runs.static, 4, names) == "decodes B · computes for nothing A"
    assert stepwise.telling_steps(runs.continuous, 30) == [1, 3, 8, 30]


def test_latencies_without_an_answer_and_lists_of_latencies(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    figure = plots.latency_curves.figure({"student": [0.01, 0.02, math.inf], "given": [0.01, 0.01, 0.01]}, log=True)
    words = "\n".join(texts(figure))
    assert "yours\np50 = 20.0 ms\np95 = never answered" in words


@pytest.mark.parametrize("call, words", [
    (lambda runs: plots.slot_timeline(runs.static, first_s=0), "first_s=0"),
    (lambda runs: plots.reduction_map([1], [1, 2], [[1]]), "one row per spread"),
    (lambda runs: plots.lines([1, 2], {"a": [1]}, "x", "y"), "1 values for 2 x"),
    (lambda runs: plots.bars(["a"], [1, 2], "ms"), "one value per label"),
    (lambda runs: plots.histogram([math.inf], "ms"), "no finite value"),
    (lambda runs: plots.latency_curves({"static": []}), "no request"),
])
def test_a_wrong_call_says_what_is_wrong(call, words, runs):
    with pytest.raises(ValueError, match=words):
        call(runs)


def test_colours_can_be_told_apart():
    """Also without their hue: useful work, held and empty slots differ in brightness."""
    assert len(set(plots.COLOURS.values())) == len(plots.COLOURS)

    def brightness(key):
        return sum(share * part for share, part in zip((0.299, 0.587, 0.114), to_rgb(plots.COLOURS[key])))

    greys = sorted(map(brightness, ("prefill", "useful", "held", "empty")))
    assert min(after - before for before, after in zip(greys, greys[1:])) > 0.1
    assert len(set(USEFUL_SHADES)) == 3
    assert colours_of(["static", "ours"])["static"] == plots.COLOURS["static"]
    assert len(set(colours_of(["static", "continuous", "a", "b", "c"]).values())) == 5
    assert ink(plots.COLOURS["forming"]) != plots.COLOURS["forming"]
    assert ink(plots.COLOURS["continuous"]).upper() == plots.COLOURS["continuous"]
    assert concept_name("a + b·B") == "a + b·B"


def test_labels_move_apart_as_little_as_they_must():
    assert spread_apart([0, 10, 20], gap=2) == [0, 10, 20]
    assert spread_apart([5, 5.5], gap=2) == [4.25, 6.25]
    assert spread_apart([9, 1], gap=2) == [9, 1]
    assert spread_apart([], gap=2) == []


def test_outside_a_notebook_a_figure_is_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.setattr(canvas.tempfile, "gettempdir", lambda: str(tmp_path))
    assert plots.bars(["a"], [1], "ms") is None
    path = tmp_path / "minigpt-figures" / "bars.png"
    assert path.stat().st_size > 1000 and capsys.readouterr().out == f"Figure: {path}\n"


CELLS = {
    "last": "plots.bars(['static'], [1], 'ms')",
    "in the middle": "plots.bars(['static'], [1], 'ms')\n1 + 1",
    "with pyplot loaded": "import matplotlib.pyplot as plt\nplots.bars(['static'], [1], 'ms')",
    "steps": """
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog
log = RunLog(workload=None, clock="virtual", streams=True, max_batch=2, max_inflight=2, end_ns=10)
log.steps.append(StepLog(start_ns=0, end_ns=10, request_ids=(0,), useful_ids=(0,), num_prefill_tokens=1))
log.requests[0] = RequestLog(item=None, arrival_ns=0, admitted_ns=0, finish_ns=10)
plots.step_through(log)""",
    "bar": "from minigpt.notebook.progress import progress\nfor _ in progress(range(3), 'loads'): pass",
}


@pytest.mark.parametrize("front_end", [False, True])
def test_a_notebook_shows_each_figure_once(front_end, monkeypatch):
    """In a real kernel, without and with a viewer."""
    from nbclient import NotebookClient

    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    if front_end:
        monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    from nbformat.v4 import new_code_cell, new_notebook

    cells = ["from minigpt import plots", *CELLS.values()]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": repository_root()}}).execute()
    outputs = dict(zip(CELLS, [cell.outputs for cell in notebook.cells[1:]]))
    for name in ("last", "in the middle", "with pyplot loaded"):
        shown = [output for output in outputs[name] if "image/png" in output.get("data", {})]
        assert len(shown) == 1 and shown[0].metadata["image/png"]["width"] == 864
        assert shown[0].data["text/plain"].startswith("Bars of ms: static 1")
        assert 'alt="Bars of ms: static 1' in shown[0].data["text/html"] and "data:image/png" in shown[0].data["text/html"]
    kinds = [kind for output in outputs["steps"] for kind in output.data]
    assert ("application/vnd.jupyter.widget-view+json" if front_end else "image/png") in kinds
    # What a bar leaves behind: nothing that can be seen.
    left = [output.get("text") or output.data["text/plain"] for output in outputs["bar"]]
    assert "".join(left).split("\r")[-1].strip() == "" and "widget" not in str(outputs["bar"])
    assert not any(output.get("name") == "stderr" for cell in outputs.values() for output in cell)


def test_one_value_far_out_does_not_press_a_histogram_into_one_bar():
    usual = [0.8 + 0.001 * i for i in range(100)]
    figure = plots.histogram.figure([*usual, 24.6, math.inf], "ms", {"p95": 0.9})
    assert figure.axes[0].get_xlim()[1] < 1.5
    assert any("1 more, up to 24.6 ms" in text for text in texts(figure))
    whole = plots.histogram.figure(usual, "ms")
    assert sum(patch.get_height() for patch in whole.axes[0].patches) == 100 and texts(whole) == ["ms", "number of requests"]
