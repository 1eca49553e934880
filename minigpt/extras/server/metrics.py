"""What /metrics shows, in Prometheus's format: latencies as clients see them, and what is in the engine now.

Times run from a request's arrival at the server to the moment its bytes are handed to the network. TTFT and ITL are
those of streams; a client that does not stream sees one answer, whose time is its E2E.
"""

import time
from collections import deque

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from minigpt.analysis.metrics import percentile
from minigpt.extras.server.api_error import REFUSALS

BUCKETS_S = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75,
    1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120,
)
ENDS = ("stop", "length", "cancelled", "failed", "timed_out", "refused")
NUM_RECENT = 200  # answers whose p95 the page at / shows


class ServerMetrics:
    """The metrics of one server around one engine. Every series is there from the start, at 0."""

    def __init__(self, engine):
        self._registry = CollectorRegistry()
        self.ttft_s = self._histogram("time_to_first_token_seconds", "arrival to first token, streams only")
        self.itl_s = self._histogram("inter_token_latency_seconds", "gap between two tokens, streams only")
        self.e2e_s = self._histogram("e2e_request_latency_seconds", "arrival to last byte")
        self.num_requests = self._counter("requests", f"requests by their end: {', '.join(ENDS)}", end=ENDS)
        self.num_refused = self._counter("requests_refused", "refused requests by the error's code", reason=REFUSALS)
        self.num_prompt_tokens = self._counter("prompt_tokens", "tokens of the prompts that were accepted")
        self.num_output_tokens = self._counter("generation_tokens", "tokens delivered")
        self._gauge("num_requests_waiting", "requests in the queue", lambda: engine.load.num_waiting)
        self._gauge("num_requests_running", "requests in flight", lambda: engine.load.num_inflight)
        self._gauge("kv_slots_used", "slots of the KV cache that are taken", lambda: engine.load.num_kv_slots)
        self._gauge("kv_slots_total", "slots that the policy may take", lambda: engine.load.num_kv_slots_total)
        self._gauge("kv_tokens_used", "tokens with K and V in the cache", lambda: engine.load.num_kv_tokens)
        self._gauge("engine_healthy", "1, or 0 once the loop has failed", lambda: engine.state.is_healthy)
        self.recent_e2e_s: deque[float] = deque(maxlen=NUM_RECENT)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def recent_p95_s(self) -> float | None:
        """p95 of end-to-end latency of the last answers; None if there was none."""
        return percentile(list(self.recent_e2e_s), 95) if self.recent_e2e_s else None

    def _histogram(self, name: str, what: str) -> Histogram:
        return Histogram(f"minigpt_{name}", what, buckets=BUCKETS_S, registry=self._registry)

    def _counter(self, name: str, what: str, **labels: tuple[str, ...]) -> Counter:
        counter = Counter(f"minigpt_{name}", what, list(labels), registry=self._registry)
        for values in labels.values():
            for value in values:
                counter.labels(value)
        return counter

    def _gauge(self, name: str, what: str, value) -> None:
        Gauge(f"minigpt_{name}", what, registry=self._registry).set_function(value)


class Stopwatch:
    """The times of one request."""

    def __init__(self, metrics: ServerMetrics, arrival_s: float):
        self._metrics, self.arrival_s = metrics, arrival_s
        self._last_s: dict[int, float] = {}  # when the last token of each of its answers left

    def tokens_left(self, num_tokens: int, index: int = 0) -> None:
        """`num_tokens` tokens of a stream have just left together."""
        if num_tokens == 0:
            return
        now_s = time.perf_counter()
        if not self._last_s:
            self._metrics.ttft_s.observe(now_s - self.arrival_s)
        if index in self._last_s:
            self._metrics.itl_s.observe(now_s - self._last_s[index])
        for _ in range(num_tokens - 1):
            self._metrics.itl_s.observe(0.0)
        self._last_s[index] = now_s

    def ended(self, end: str, num_prompt_tokens: int, num_output_tokens: int, refusal: str = "") -> None:
        """The request is over; only what was answered to its end has a latency."""
        self._metrics.num_requests.labels(end).inc()
        if end == "refused":
            self._metrics.num_refused.labels(refusal if refusal in REFUSALS else "invalid_value").inc()
            return
        self._metrics.num_prompt_tokens.inc(num_prompt_tokens)
        self._metrics.num_output_tokens.inc(num_output_tokens)
        if end in ("stop", "length"):
            e2e_s = time.perf_counter() - self.arrival_s
            self._metrics.e2e_s.observe(e2e_s)
            self._metrics.recent_e2e_s.append(e2e_s)
