"""What the page's figures show, as plain numbers: the same functions run in the page and in a process.

The page moves the sliders of `Settings`, and draws what comes back: stays in slots, those who wait, and the figures of
the run. Times are in milliseconds since the run began.
"""

import math
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.analysis.slots import num_slots, slot_spans, waiting_over_time
from minigpt.plots import sentences
from minigpt.runtime.run_log import RunLog
from minigpt.simulation.run import replay
from minigpt.workloads.workload import Workload, scene, workload

NS_PER_MS = 1_000_000
NUM_REQUESTS, SEED = 400, 7
SHOWN_MS = 500.0  # of a run; its figures count all of it
# From no spread at all to much; the first four have a mean of 16 tokens.
SPREADS = ("constant:16", "uniform:8,24", "uniform:1,31", "exponential:16,128", "mixed")

# The scenes of the notebooks that are worked out by hand: each request's arrival in ms and its length, and the slots.
SCENES = {
    "02": ({"A": (0, 4), "B": (3, 12), "C": (6, 2), "D": (8, 6), "E": (9, 3)}, 3),
    "03": ({"A": (0, 3), "B": (0, 30), "C": (0, 5)}, 2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the sliders stand."""

    load: float = 0.7  # share of what the static server could complete
    spread: int = 4  # of the lengths: a place in SPREADS
    cap: int = 8  # slots, of both servers
    max_wait_ms: float = 5.0  # of the static server

    def workload(self) -> Workload:
        """The requests that both servers get."""
        return workload(SPREADS[self.spread], load=self.load, num_requests=NUM_REQUESTS, seed=SEED, max_batch=self.cap)

    def server(self) -> dict:
        """The servers' limits."""
        return {"max_batch": self.cap, "max_inflight": self.cap, "max_wait_s": self.max_wait_ms / 1e3}


def given_run(policy: str, settings: Settings) -> RunLog:
    """The run of a given loop."""
    return replay(policy, settings.workload(), impl="given", tokens="scripted", **settings.server())


def given_scene(policy: str, lab: str) -> RunLog:
    """A given loop in a lab's scene; a step takes a millisecond."""
    requests, slots = SCENES[lab]
    return replay(policy, scene(**requests), impl="given", clock="steps", tokens="scripted", max_batch=slots, max_inflight=slots)


def comparison(static: RunLog, continuous: RunLog) -> dict:
    """Two runs of the same requests, and what the second one gains."""
    runs = {"static": drawn(static, SHOWN_MS), "continuous": drawn(continuous, SHOWN_MS)}
    before, after = (runs[name]["figures"] for name in runs)
    is_known = before["p95_ms"] and None not in (before["p95_ms"], after["p95_ms"])
    return {**runs, "p95_reduction_percent": 100 * (1 - after["p95_ms"] / before["p95_ms"]) if is_known else None}


def drawn(log: RunLog, shown_ms: float = math.inf, names: dict[int, str] | None = None) -> dict:
    """One run: its first `shown_ms` to draw, its figures in all, and the sentence that says the picture."""
    end_ms = min(log.end_ns / NS_PER_MS, shown_ms)
    spans = [span for span in slot_spans(log) if span.start_ns / NS_PER_MS < end_ms]
    return {
        "slots": max([num_slots(log), *(span.slot + 1 for span in spans)]), "end_ms": end_ms,
        "spans": [
            [span.slot, (names or {}).get(span.request_id, span.request_id),
             *(time_ns / NS_PER_MS for time_ns in (span.start_ns, span.prefill_until_ns, span.useful_until_ns, span.end_ns))]
            for span in spans
        ],
        "waiting": [[point.time_ns / NS_PER_MS, point.in_queue, point.forming] for point in waiting_over_time(log)
                    if point.time_ns / NS_PER_MS <= end_ms],
        "figures": figures_of(log), "sentence": sentences.of_run(log, names),
    }


def figures_of(log: RunLog) -> dict:
    """The figures under a timeline; None for what is infinite or unknown."""
    found = metrics.summarize(log)
    figures = {"p95_ms": found.e2e_p95_ms, "ttft_p95_ms": found.ttft_p95_ms, "throughput_per_s": found.throughput_per_s,
               "slot_use_percent": found.slot_use_percent, "num_unfinished": found.num_unfinished}
    return {name: None if value is None or not math.isfinite(value) else value for name, value in figures.items()}


def stepped(log: RunLog, lab: str) -> dict:
    """A run of a lab's scene, with what each step does."""
    names = dict(enumerate(SCENES[lab][0]))
    steps = [[step.end_ns / NS_PER_MS, sentences.of_step(log, number, names)] for number, step in enumerate(log.steps, 1)]
    return {**drawn(log, names=names), "steps": steps}
