"""Workloads: which requests come, how long they are, and when they arrive; all from a seed."""

import random
from dataclasses import dataclass, replace

from minigpt.corpus.prompts import tutor_prompts
from minigpt.language import say
from minigpt.runtime.clock import StepCost, to_ns
from minigpt.workloads.lengths import parse_lengths
from minigpt.workloads.static_capacity import static_capacity

MAX_ANSWER_TOKENS = 128  # the token limit of tutor requests: longer than any answer
CONTEXT = 1024  # tokens that one sequence of the Mini-GPT can hold


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One request of a workload."""

    request_id: int
    prompt_token_ids: tuple[int, ...]
    max_tokens: int  # most output tokens
    arrival_ns: int | None  # None: when a closed-loop client sends it
    answer: tuple[int, ...] | None = None  # known beforehand, without EOS: for runs without the model
    ignore_eos: bool = False  # the answer goes on to max_tokens
    priority: int = 0  # lower is more urgent
    kind: str = ""  # what it is, for reports: "fix", "explain"

    def __post_init__(self):
        if not self.prompt_token_ids:
            raise ValueError(f"request {self.request_id}: prompt is empty. Give at least one token")
        if self.max_tokens < 1:
            raise ValueError(f"request {self.request_id}: max_tokens={self.max_tokens}. Ask for at least one token")
        total = len(self.prompt_token_ids) + self.max_tokens
        if total > CONTEXT:
            raise ValueError(
                f"request {self.request_id}: {len(self.prompt_token_ids)} prompt tokens and max_tokens="
                f"{self.max_tokens} make {total}, and the context holds {CONTEXT}. Shorten one of them"
            )

    @property
    def num_steps(self) -> int:
        """Forward passes of the scripted answer: one per token, and one for EOS if the limit does not end it first."""
        return min(len(self.answer) + 1, self.max_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Requests in order of arrival."""

    name: str
    items: tuple[WorkItem, ...]
    num_clients: int | None = None  # closed loop: this many clients, each waiting for its answer
    think_ns: int = 0  # closed loop: pause of a client between an answer and its next request
    notes: tuple[str, ...] = ()  # what was scaled or left out

    def __post_init__(self):
        if not self.items:
            raise ValueError(f"workload {self.name!r} has no requests")
        if len({item.request_id for item in self.items}) < len(self.items):
            raise ValueError(f"workload {self.name!r} uses a request_id twice: ids must differ")


# -- requests ---------------------------------------------------------------------------------------------------


def tutor_requests(num_requests: int, rng: random.Random, explain_share: float = 0.2) -> list[WorkItem]:
    """Corrections and a share of explanations, as users of the tutor would send them."""
    if not 0 <= explain_share <= 1:
        raise ValueError(f"explain_share={explain_share}: a share lies between 0 and 1")
    pool = tutor_prompts()
    kinds = ["explain" if rng.random() < explain_share else "fix" for _ in range(num_requests)]
    prompts = [rng.choice(pool[kind]) for kind in kinds]
    return [
        WorkItem(
            request_id=i, prompt_token_ids=prompt.token_ids, max_tokens=MAX_ANSWER_TOKENS, arrival_ns=0,
            answer=prompt.answer_ids, kind=prompt.kind,
        )
        for i, prompt in enumerate(prompts)
    ]


def requests_of_lengths(output_lengths: list[int], rng: random.Random, prompt_lengths=None) -> list[WorkItem]:
    """Requests of given output lengths, EOS ignored. Prompts are the tutor's, cut or repeated to `prompt_lengths`."""
    pool = tutor_prompts()["fix"]
    items = []
    for i, length in enumerate(output_lengths):
        prompt = rng.choice(pool).token_ids
        if prompt_lengths is not None:
            prompt = (prompt * (prompt_lengths[i] // len(prompt) + 1))[: prompt_lengths[i]]
        answer = (ord("a"),) * length
        items.append(
            WorkItem(
                request_id=i, prompt_token_ids=prompt, max_tokens=length, arrival_ns=0, answer=answer, ignore_eos=True
            )
        )
    return items


# -- arrivals ---------------------------------------------------------------------------------------------------


def poisson(num: int, rate_per_s: float, rng: random.Random) -> list[float]:
    """Arrival times in seconds of independent clients."""
    return gamma(num, rate_per_s, 1.0, rng)


def gamma(num: int, rate_per_s: float, burstiness: float, rng: random.Random) -> list[float]:
    """Arrival times with gamma-distributed gaps: burstiness 1 is Poisson, below 1 comes in bursts (vLLM's meaning)."""
    for name, value in (("rate", rate_per_s), ("burstiness", burstiness)):
        if not value > 0:
            raise ValueError(f"{name}={value}: it must be positive")
    now, times = 0.0, []
    for _ in range(num):
        now += rng.gammavariate(burstiness, 1 / (rate_per_s * burstiness))
        times.append(now)
    return times


def arriving(items: list[WorkItem], times_s: list[float], name: str, **settings) -> Workload:
    """A workload of these requests at these times (a burst: all zero)."""
    timed = [replace(item, arrival_ns=to_ns(time)) for item, time in zip(items, times_s, strict=True)]
    return Workload(name=name, items=tuple(timed), **settings)


def closed_loop(items: list[WorkItem], num_clients: int, name: str, think_s: float = 0.0) -> Workload:
    """A workload in which each of `num_clients` clients waits for its answer before it sends its next request."""
    if num_clients < 1:
        raise ValueError(f"num_clients={num_clients}: a closed loop needs at least one client")
    unsent = tuple(replace(item, arrival_ns=None) for item in items)
    return Workload(name=name, items=unsent, num_clients=num_clients, think_ns=to_ns(think_s))


def scene(**requests: int | tuple[float, int]) -> Workload:
    """A tiny workload to follow by hand: one request per keyword, of that length, all arriving at once.

    A pair gives an arrival in milliseconds, too: `scene(A=(0, 3), B=(2.5, 30))`.

    >>> [item.max_tokens for item in scene(A=3, B=30).items]
    [3, 30]
    """
    pairs = [value if isinstance(value, tuple) else (0.0, value) for value in requests.values()]
    items = requests_of_lengths([length for _, length in pairs], random.Random(0))
    return arriving(items, [arrival_ms / 1e3 for arrival_ms, _ in pairs], ", ".join(requests))


# -- by name ----------------------------------------------------------------------------------------------------


def _number(text: str, parameter: str, default):
    """The number after a name's colon, of its default's kind."""
    try:
        return type(default)(parameter) if parameter else default
    except ValueError:
        raise ValueError(f"{text!r}: after the colon comes a number, such as {default}") from None


def make_items(name: str, num_requests: int, rng: random.Random) -> list[WorkItem]:
    """Requests by name: `mixed` (the tutor's own, `mixed:0.3` for 30 % explanations) or a distribution of lengths."""
    if num_requests < 1:
        raise ValueError(f"num_requests={num_requests}: a workload needs at least one request")
    kind, _, share = name.partition(":")
    if kind == "mixed":
        return tutor_requests(num_requests, rng, _number(name, share, 0.2))
    sampler = parse_lengths(name)
    return requests_of_lengths([sampler(rng) for _ in range(num_requests)], rng)


def workload(
    name: str = "mixed", *, load: float | None = None, rate_per_s: float | None = None, arrivals: str = "poisson",
    num_requests: int = 200, seed: int = 0, max_batch: int = 8, cost: StepCost = StepCost(),
) -> Workload:
    """A workload by name, from a seed.

    `name` is `mixed` or a distribution (`two_point:3,30,0.5`); `arrivals` is `poisson`, `burst`, `gamma:BURSTINESS`
    or `closed:CLIENTS`. Open-loop arrivals need a rate: requests per second, or `load`, a share of what a static
    server could complete of these very requests on the virtual clock.
    """
    rng = random.Random(seed)
    items = make_items(name, num_requests, rng)
    return schedule(items, name, rng, load=load, rate_per_s=rate_per_s, arrivals=arrivals, max_batch=max_batch, cost=cost)


def schedule(
    items: list[WorkItem], name: str, rng: random.Random, *, load: float | None, rate_per_s: float | None,
    arrivals: str, max_batch: int, cost: StepCost = StepCost(), notes: tuple[str, ...] = (),
) -> Workload:
    """A workload of these requests, arriving as `workload` says."""
    num_requests = len(items)
    process, _, parameter = arrivals.partition(":")
    if parameter and process in ("burst", "poisson"):
        raise ValueError(f"arrivals={arrivals!r}: " + say(en=f"{process} takes no number "
                                                             "after it", es=f"{process} no lleva número"))
    if process == "burst":
        return arriving(items, [0.0] * num_requests, name, notes=notes)
    if process == "closed":
        return replace(closed_loop(items, _number(arrivals, parameter, 8), name), notes=notes)
    if (load is None) == (rate_per_s is None):
        raise ValueError(f"load={load}, rate_per_s={rate_per_s}: {process} arrivals need exactly one of them")
    if load is not None:
        rate_per_s = load * static_capacity(items, max_batch, cost)
    if process == "poisson":
        return arriving(items, poisson(num_requests, rate_per_s, rng), name, notes=notes)
    if process == "gamma":
        burstiness = _number(arrivals, parameter, 0.5)
        return arriving(items, gamma(num_requests, rate_per_s, burstiness, rng), name, notes=notes)
    raise ValueError(f"arrivals={arrivals!r}: choose poisson, burst, gamma:BURSTINESS or closed:CLIENTS")
