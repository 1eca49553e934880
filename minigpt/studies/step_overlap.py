"""What a step's Python costs while the next one could be computed, and what one sweep over the batch size trades (Lab 06)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.simulation.paged_run import serve
from minigpt.studies import speculation

CAPS = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepParts:
    """A step on this processor, in milliseconds: what the scheduler's Python takes, and the model's pass."""

    python_ms: float
    model_ms: float

    def gain(self, model_ms: float | None = None) -> float:
        """How much faster steps follow each other when the next one's Python runs during this one's pass."""
        model = self.model_ms if model_ms is None else model_ms
        return (self.python_ms + model) / max(self.python_ms, model)


def parts_of_a_step(batch: int = 8) -> StepParts:
    """Processor time of a step of the given paged loop: without the model, and of the model alone."""
    requests = speculation.answers(max(60, 3 * batch))
    serve(speculation.answers(batch), impl="given", max_inflight=batch)  # the first run imports and fills caches: not timed
    start = time.thread_time_ns()
    log = serve(requests, impl="given", max_inflight=batch)
    python_ms = (time.thread_time_ns() - start) / 1e6 / len(log.steps)
    return StepParts(python_ms=python_ms, model_ms=speculation.step_ms(batch, 0))


def what_overlap_gains(parts: StepParts) -> str:
    """In words, from the figures: which of the two parts is longer, and so what is left when they overlap."""
    share = 100 * parts.python_ms / (parts.python_ms + parts.model_ms)
    hidden = parts.python_ms <= parts.model_ms
    return say(
        en=f"{share:.0f} % of a step is Python; with overlap {'all of it is hidden' if hidden else 'the model still waits for it'}: "
           f"× {parts.gain():.2f}. With a pass of 20 ms, typical of a large model, × {parts.gain(20.0):.2f}",
        es=f"el {share:.0f} % de un paso es Python; con solapamiento, {'queda oculto entero' if hidden else 'el modelo aún espera una parte'}: "
           f"× {parts.gain():.2f}. Con una pasada de 20 ms, como la de un modelo grande, × {parts.gain(20.0):.2f}",
    )


def frontier(caps: Sequence[int] = CAPS, num_guesses: int = 0) -> list[tuple[float, float, str]]:
    """For each cap on the requests in flight: tokens a second of one client, of all together, and the cap.

    All requests are there at once, on the virtual clock. A client's speed is one over the median gap between its tokens.
    """
    requests, points = speculation.answers(200), []
    for cap in caps:
        log, _ = speculation.run(requests, num_guesses, max_inflight=cap)
        num_tokens = sum(len(record.token_ids) for record in log.requests.values())
        pace_s = metrics.percentile(metrics.tpot_s(log), 50)
        points.append((1 / pace_s, num_tokens / (log.end_ns / 1e9), str(cap)))
    return points
