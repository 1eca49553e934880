"""One area, counted twice: row by row as stays, column by column as the number inside."""

from matplotlib.ticker import MaxNLocator

from minigpt.analysis.littles_law import number_inside
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS, concept_name, ink

ROW_IN = 0.3  # height of a request's row
MS = 1e3  # milliseconds in a second


@shown
def presence(records: list[dict], names: list[str] | None = None):
    """Above, each request's stay, in the queue and in flight; below, how many are inside at each moment.

    `records` are those of `log.records()`, all of them answered; `names`: what to write next to the rows.
    """
    if any(record["finish_s"] is None for record in records):
        raise ValueError("records: a request without an answer has no end to draw; leave it out")
    names = names or [str(record["request_id"]) for record in records]
    figure = new_figure(2.6 + ROW_IN * len(records))
    stays, inside = figure.subplots(2, 1, sharex=True, height_ratios=(0.6 + ROW_IN * len(records), 1.5))
    _draw_stays(stays, records, names)
    _draw_inside(inside, records)
    inside_at = number_inside(records, "system", sorted(record["arrival_s"] for record in records))
    stays_ms = [MS * (record["finish_s"] - record["arrival_s"]) for record in records]
    return described(figure, say(
        en=f"{len(records)} requests; they stay {sentences.number(min(stays_ms))} to {sentences.number(max(stays_ms))} ms; "
           f"at most {max(inside_at)} are inside at once.",
        es=f"{len(records)} peticiones; se quedan de {sentences.number(min(stays_ms))} a {sentences.number(max(stays_ms))} ms; "
           f"llega a haber {max(inside_at)} dentro a la vez.",
    ))


def _draw_stays(axes, records: list[dict], names: list[str]) -> None:
    labelled: set[str] = set()
    for row, record in enumerate(records):
        for stage, start, end in (("queue", "arrival_s", "admitted_s"), ("useful", "admitted_s", "finish_s")):
            width = MS * (record[end] - record[start])
            axes.barh(row, width, left=MS * record[start], height=0.8, color=COLOURS[stage])
            if width and stage not in labelled:
                labelled.add(stage)
                words = say(en="in flight", es="en vuelo") if stage == "useful" else concept_name(stage)
                # Next to the first bar of its kind, where there is room: to the right of all bars.
                axes.annotate(words, (1.015, row), xycoords=("axes fraction", "data"), color=ink(COLOURS[stage]),
                              va="center", annotation_clip=False)
    axes.set_yticks(range(len(records)), names)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_title(say(en="row by row: how long each one stays", es="por filas: cuánto se queda cada una"))


def _draw_inside(axes, records: list[dict]) -> None:
    times = sorted({0.0, *(record[key] for record in records for key in ("arrival_s", "finish_s"))})
    counts = number_inside(records, "system", times)
    axes.fill_between([MS * time for time in times], counts, step="post", color=COLOURS["held"], alpha=0.6)
    axes.step([MS * time for time in times], counts, where="post", color=COLOURS["measured"])
    axes.set(xlabel=say(en="time (ms)", es="tiempo (ms)"), ylabel=say(en="requests inside", es="peticiones dentro"))
    axes.set_xlim(0, MS * times[-1])
    axes.set_ylim(0, max(counts) * 1.12)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x")
    axes.set_title(say(en="column by column: how many are inside", es="por columnas: cuántas hay dentro"))
