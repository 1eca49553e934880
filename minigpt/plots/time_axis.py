"""The horizontal axis of a timeline: seconds, milliseconds, or steps of a run."""

from dataclasses import dataclass, replace

import numpy as np
from matplotlib.ticker import MaxNLocator

from minigpt.language import say
from minigpt.runtime.clock import NS
from minigpt.runtime.run_log import RunLog


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """Time since the run began."""

    unit_ns: float
    label: str
    end: float  # in units

    def x(self, time_ns: int) -> float:
        return time_ns / self.unit_ns

    def until(self, end: float) -> "TimeAxis":
        return replace(self, end=end)

    def set_ticks(self, axes) -> None:
        """Matplotlib's own ticks are good."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepAxis:
    """Steps done: the k-th step reaches from k − 1 to k, however long it took, and idle time has no width."""

    times_ns: np.ndarray
    steps: np.ndarray
    label: str
    end: float

    def x(self, time_ns: int) -> float:
        return float(np.interp(time_ns, self.times_ns, self.steps))

    def until(self, end: float) -> "StepAxis":
        return replace(self, end=end)

    def set_ticks(self, axes) -> None:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16, steps=[1, 2, 5, 10]))


def make_axis(log: RunLog, first_s: float | None, in_steps: bool) -> TimeAxis | StepAxis:
    """The axis of a run, or of its first `first_s` seconds."""
    if first_s is not None and not first_s > 0:
        raise ValueError(f"first_s={first_s}: how many seconds to show? Give a positive number, or None for all")
    end_ns = log.end_ns if first_s is None else first_s * NS
    return step_axis(log, end_ns) if in_steps else time_axis(end_ns)


def time_axis(end_ns: float) -> TimeAxis:
    """Milliseconds up to two seconds, seconds beyond."""
    if end_ns <= 2 * NS:
        return TimeAxis(unit_ns=NS / 1e3, label=say(en="time (ms)", es="tiempo (ms)"), end=max(end_ns, 1) / NS * 1e3)
    return TimeAxis(unit_ns=NS, label=say(en="time (s)", es="tiempo (s)"), end=end_ns / NS)


def step_axis(log: RunLog, end_ns: float) -> StepAxis:
    """Steps of a run up to a time."""
    if not log.steps:
        raise ValueError("in_steps=True: this run has no steps to count")
    times_ns = np.array([time_ns for step in log.steps for time_ns in (step.start_ns, step.end_ns)])
    steps = np.array([count for k in range(len(log.steps)) for count in (k, k + 1)], dtype=float)
    end = float(np.interp(end_ns, times_ns, steps))
    return StepAxis(times_ns=times_ns, steps=steps, label=say(en="steps done", es="pasos hechos"), end=max(end, 1.0))
