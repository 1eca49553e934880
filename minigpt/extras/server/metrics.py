"""What /metrics shows, in Prometheus's form: latencies as clients feel them, and what is in the engine now.

Times run from a request's arrival at the server to the moment its bytes are handed to the network. TTFT and ITL are
those of streams; a client that does not stream sees one answer, whose time is its E2E.
"""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS_S = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75,
    1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120,
)  # fmt: skip


class ServerMetrics:
    """The metrics of one server around one engine."""

    def __init__(self, engine):
        self._registry = CollectorRegistry()
        self.ttft_s = self._histogram("time_to_first_token_seconds", "arrival to first token, streams only")
        self.itl_s = self._histogram("inter_token_latency_seconds", "gap between two tokens, streams only")
        self.e2e_s = self._histogram("e2e_request_latency_seconds", "arrival to last byte")
        self.num_requests = Counter(
            "minigpt_requests", "requests by their end: stop, length, cancelled, failed, timed_out, refused",
            ["end"], registry=self._registry,
        )  # fmt: skip
        self.num_prompt_tokens = Counter("minigpt_prompt_tokens", "tokens of prompts", registry=self._registry)
        self.num_output_tokens = Counter("minigpt_generation_tokens", "tokens delivered", registry=self._registry)
        self._gauge("num_requests_waiting", "requests in the queue", lambda: engine.load.num_waiting)
        self._gauge("num_requests_running", "requests in flight", lambda: engine.load.num_inflight)
        self._gauge("kv_slots_used", "slots of the KV cache that are taken", lambda: engine.load.num_kv_slots)
        self._gauge("kv_slots_total", "slots of the KV cache", lambda: engine.load.num_kv_slots_total)
        self._gauge("kv_tokens_used", "tokens with K and V in the cache", lambda: engine.load.num_kv_tokens)
        self._gauge("engine_healthy", "1, or 0 once the loop has failed", lambda: engine.state.is_healthy)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def _histogram(self, name: str, what: str) -> Histogram:
        return Histogram(f"minigpt_{name}", what, buckets=BUCKETS_S, registry=self._registry)

    def _gauge(self, name: str, what: str, value) -> None:
        Gauge(f"minigpt_{name}", what, registry=self._registry).set_function(value)


class Stopwatch:
    """The times of one request."""

    def __init__(self, metrics: ServerMetrics, arrival_s: float):
        self._metrics, self.arrival_s = metrics, arrival_s
        self._last_s: float | None = None  # when the last token left

    def tokens_left(self, num_tokens: int) -> None:
        """So many tokens of a stream have just left together."""
        if num_tokens == 0:
            return
        now_s = time.perf_counter()
        if self._last_s is None:
            self._metrics.ttft_s.observe(now_s - self.arrival_s)
        else:
            self._metrics.itl_s.observe(now_s - self._last_s)
        for _ in range(num_tokens - 1):
            self._metrics.itl_s.observe(0.0)
        self._last_s = now_s

    def ended(self, end: str, num_prompt_tokens: int, num_output_tokens: int) -> None:
        """The request is over; only what was answered to its end has a latency."""
        self._metrics.num_requests.labels(end).inc()
        self._metrics.num_prompt_tokens.inc(num_prompt_tokens)
        self._metrics.num_output_tokens.inc(num_output_tokens)
        if end in ("stop", "length"):
            self._metrics.e2e_s.observe(time.perf_counter() - self.arrival_s)
