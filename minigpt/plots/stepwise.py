"""A slot timeline that grows step by step, under a slider where there is one."""

import math
from dataclasses import dataclass
from functools import lru_cache

from minigpt.analysis.slots import slot_spans, waiting_over_time
from minigpt.language import say
from minigpt.notebook.frontend import has_front_end, has_widgets
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, png_of, show, size_px, styled
from minigpt.plots.colours import COLOURS
from minigpt.plots.time_axis import make_axis
from minigpt.plots.timeline import (
    KEY,
    SLOT_IN,
    Names,
    add_key,
    draw_slots,
    draw_waiting,
    finish,
    make_panels,
    rows_of,
)
from minigpt.runtime.clock import NS
from minigpt.runtime.run_log import RunLog

PLAY_INTERVAL_MS = 600
STRIP_FRAMES = 4


def step_through(
    log: RunLog, first_s: float | None = None, *, max_steps: int = 60, in_steps: bool = True, names: Names = None
) -> None:
    """Show a run step by step: with a slider and a play button in a notebook, otherwise as a strip of four frames.

    At most the first `max_steps` steps; `first_s` ends it earlier, in seconds.
    """
    part = Part.of(log, first_s, max_steps, in_steps, names)
    if has_front_end() and has_widgets():
        show_player(part)
    else:
        show(strip(part), "step_through")


def figure_of_strip(
    log: RunLog, first_s: float | None = None, *, max_steps: int = 60, in_steps: bool = True, names: Names = None
):
    """The strip of four frames as a Figure."""
    return strip(Part.of(log, first_s, max_steps, in_steps, names))


step_through.figure = figure_of_strip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """The part of a run that is stepped through."""

    log: RunLog
    time_axis: object
    num_steps: int
    names: Names

    @classmethod
    def of(cls, log: RunLog, first_s: float | None, max_steps: int, in_steps: bool, names: Names) -> "Part":
        end_ns = math.inf if first_s is None else first_s * NS
        count = sum(step.start_ns < end_ns for step in log.steps[:max_steps])
        if not count:
            raise ValueError(f"first_s={first_s}: no step of this run begins before that. Give a larger value, or None for all")
        time_axis = make_axis(log, log.steps[count - 1].end_ns / NS, in_steps)
        return cls(log=log, time_axis=time_axis, num_steps=count, names=names)

    def title(self, number: int) -> str:
        return f"{say(en='step', es='paso')} {number}: {sentences.of_step(self.log, number, self.names)}"

    def draw(self, slots, number: int) -> float:
        """Draw the slots after step `number`, with a title; return where on the axis that is."""
        now = self.time_axis.x(self.log.steps[number - 1].end_ns)
        draw_slots(slots, self.log, self.time_axis, now, self.names)
        slots.axvline(now, color=COLOURS["target"], linewidth=1.6, clip_on=False)
        slots.set_title(self.title(number), fontsize=10.5)
        return now


@styled
def frame(part: Part, number: int):
    """The run after its first `number` steps."""
    figure, [(slots, waiting)] = make_panels([rows_of(part.log)])
    now = part.draw(slots, number)
    draw_waiting(waiting, part.log, part.time_axis, now)
    waiting.axvline(now, color=COLOURS["target"], linewidth=1.6, clip_on=False)
    # The axis must not jump from frame to frame: it is as high as the whole part needs.
    waiting.set_ylim(0, _most_waiting(part))
    finish(figure, [(slots, waiting)], part.time_axis)
    return figure


def _most_waiting(part: Part) -> int:
    end_ns = part.log.steps[part.num_steps - 1].end_ns
    return max([1, *(w.in_queue + w.forming for w in waiting_over_time(part.log) if w.time_ns <= end_ns)])


@styled
def strip(part: Part):
    """A few frames, one below the other: what the slider shows, on paper."""
    numbers = telling_steps(part.log, part.num_steps)
    figure = new_figure((max(rows_of(part.log) * SLOT_IN, 0.5) + 0.42) * len(numbers) + 0.9)
    panels = figure.subplots(len(numbers), 1, sharex=True, squeeze=False)[:, 0]
    for axes, number in zip(panels, numbers):
        part.draw(axes, number)
    panels[-1].set_xlabel(part.time_axis.label)
    part.time_axis.set_ticks(panels[-1])
    add_key(figure, KEY[:4], columns=4)
    steps = [f"{part.title(number)}." for number in numbers]
    return described(figure, " ".join([sentences.of_run(part.log, part.names), *steps]))


def telling_steps(log: RunLog, count: int, most: int = STRIP_FRAMES) -> list[int]:
    """Up to `most` of the first `count` steps in which a request joins or leaves, including the first and the last."""
    started = {span.start_ns for span in slot_spans(log)}
    left = {record.finish_ns for record in log.finished}
    telling = [k for k, step in enumerate(log.steps[:count], 1) if step.start_ns in started or step.end_ns in left]
    telling = sorted({1, count, *telling})
    if len(telling) <= most:
        return telling
    return [telling[round(i * (len(telling) - 1) / (most - 1))] for i in range(most)]


def show_player(part: Part) -> None:
    """A slider and a play button above the picture of a step."""
    import ipywidgets as widgets
    from IPython.display import display

    @lru_cache(maxsize=None)
    def picture(number: int) -> bytes:
        return png_of(frame(part, number))

    limits = dict(value=1, min=1, max=part.num_steps)
    slider = widgets.IntSlider(**limits, description=say(en="step", es="paso"))
    play = widgets.Play(**limits, interval=PLAY_INTERVAL_MS)
    width, height = size_px(frame(part, 1))
    image = widgets.Image(value=picture(1), format="png", width=width, height=height)
    told_now = widgets.Label(value=part.title(1))  # a widget's picture has no `alt` text: the step is described next to it
    slider.observe(lambda change: setattr(told_now, "value", part.title(change["new"])), names="value")
    # Linked in the browser: the slider moves at once, the picture follows when the kernel has drawn it.
    widgets.jslink((play, "value"), (slider, "value"))
    slider.observe(lambda change: setattr(image, "value", picture(change["new"])), names="value")
    display(widgets.VBox([widgets.HBox([play, slider]), told_now, image]))
