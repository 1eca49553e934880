"""How far a class run is, and how long it will take: a bar in a terminal, otherwise a line now and then."""

import sys
import time
from collections.abc import Iterable, Iterator

from minigpt.language import say
from minigpt.notebook.progress import progress

EVERY_S = 30.0


def shown_progress(done: Iterable, total: int, stream=None) -> Iterator:
    """Iterate over results as they are finished."""
    stream = sys.stderr if stream is None else stream
    if stream.isatty():
        yield from progress(done, say(en="submissions", es="entregas"), total=total)
        return
    start_s = told_s = time.monotonic()
    for count, one in enumerate(done, start=1):
        now_s = time.monotonic()
        if now_s - told_s >= EVERY_S and count < total:
            told_s = now_s
            print(line(count, total, now_s - start_s), file=stream, flush=True)
        yield one


def line(count: int, total: int, spent_s: float) -> str:
    """What is done and what is left, at the pace so far."""
    left_min = spent_s / count * (total - count) / 60
    left = say(en="less than a minute", es="menos de un minuto") if left_min < 1 else f"{left_min:.0f} min"
    return say(en=f"{count} of {total} submissions, about {left} left",
               es=f"{count} de {total} entregas, queda aproximadamente {left}")
