"""A client's handle on its request: the events that it gets, and the stop sequences that end its answer."""

import asyncio
import queue
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

from minigpt.llm.tokenizer import EOS_TOKEN_ID

STOP, LENGTH, CANCELLED, FAILED = "stop", "length", "cancelled", "failed"
QUEUE_FULL, ENGINE_DOWN = "queue_full", "engine_down"  # refusals that came later, from an engine in another process


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOutput:
    """News of one request. The last one has a reason; every request gets exactly one of those."""

    token_ids: tuple[int, ...] = ()  # new since the last event, without EOS and without a stop sequence
    reason: str | None = None  # stop, length, cancelled, failed, queue_full or engine_down
    error: str = ""  # why it failed or was refused

    def then(self, later: "RequestOutput") -> "RequestOutput":
        """Both as one."""
        return RequestOutput(token_ids=self.token_ids + later.token_ids, reason=later.reason, error=later.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """What a client asks of its answer, beyond prompt and token limit."""

    ignore_eos: bool = False
    min_tokens: int = 0  # neither EOS nor a stop ends the answer before it has this many
    stop: tuple[tuple[int, ...], ...] = ()  # sequences of token ids
    stop_token_ids: frozenset[int] = frozenset()
    priority: int = 0  # lower is more urgent, to a policy that looks at it

    @property
    def holds_eos_back(self) -> bool:
        return self.ignore_eos or self.min_tokens > 0


class RequestHandle:
    """One request that an engine has accepted. Iterating over it waits for its events (unless a listener gets them)."""

    def __init__(
        self, item, options: AnswerOptions | None = None, listener: Callable[[RequestOutput], None] | None = None
    ):
        self.item, self.options = item, options or AnswerOptions()
        self.is_cancelled = self.is_finished = False
        self.num_output_tokens = 0  # delivered so far
        self.num_chosen = 0  # tokens that the loop has seen, EOS not counted
        self._held = StopSequences(self.options.stop)
        self._ready: list[int] = []  # may be delivered
        self._inbox: queue.SimpleQueue[RequestOutput] = queue.SimpleQueue()
        self._listener = listener or self._inbox.put

    @property
    def request_id(self) -> int:
        return self.item.request_id

    @property
    def num_prompt_tokens(self) -> int:
        return len(self.item.prompt_token_ids)

    def __iter__(self) -> Iterator[RequestOutput]:
        while True:
            event = self._inbox.get()
            yield event
            if event.reason is not None:
                return

    def choose(self, token_id: int) -> int:
        """Record a token that the model has computed; return EOS in its place if the answer ends here."""
        if self.is_cancelled or token_id == EOS_TOKEN_ID:
            return EOS_TOKEN_ID
        may_stop = self.num_chosen + 1 >= self.options.min_tokens
        if may_stop and token_id in self.options.stop_token_ids:
            return EOS_TOKEN_ID
        self._ready += self._held.feed(token_id, may_match=may_stop)
        if self._held.is_matched:
            return EOS_TOKEN_ID
        self.num_chosen += 1
        return token_id

    def deliver(self) -> None:
        """Send the tokens that may leave."""
        if self._ready and not self.is_finished:
            self._send()

    def finish(self, reason: str, error: str = "") -> None:
        """Send the last event, with every token that was held back."""
        if self.is_finished:
            return
        self.is_finished = True
        if not self._held.is_matched:
            self._ready += self._held.tokens
        self._send(reason=reason, error=error)

    def _send(self, **ending) -> None:
        event = RequestOutput(token_ids=tuple(self._ready), **ending)
        self.num_output_tokens += len(self._ready)
        self._ready = []
        try:
            self._listener(event)
        except Exception:  # an error of one client must not end the loop, which serves the others
            self.is_cancelled = True


class StopSequences:
    """Holds back what may be the beginning of a stop sequence.

    >>> held = StopSequences([[1, 2, 3]])
    >>> [held.feed(token) for token in (7, 1, 2, 2, 1, 2, 3)], held.is_matched
    ([[7], [], [], [1, 2, 2], [], [], []], True)
    """

    def __init__(self, sequences: Sequence[Sequence[int]]):
        self._sequences = [list(sequence) for sequence in sequences]
        self.tokens: list[int] = []  # held back
        self.is_matched = False

    def feed(self, token_id: int, may_match: bool = True) -> list[int]:
        """The tokens that may leave now. At a match the sequence itself is dropped."""
        self.tokens.append(token_id)
        for sequence in self._sequences if may_match else ():
            if self.tokens[-len(sequence) :] == sequence:
                self.is_matched = True
                return self._let_go(keep=len(sequence))
        return self._let_go(keep=max((self._overlap(sequence) for sequence in self._sequences), default=0))

    def _overlap(self, sequence: list[int]) -> int:
        """How many of the held tokens, at their end, begin the sequence."""
        longest = min(len(sequence) - 1, len(self.tokens))
        return next((n for n in range(longest, 0, -1) if self.tokens[-n:] == sequence[:n]), 0)

    def _let_go(self, keep: int) -> list[int]:
        cut = len(self.tokens) - keep
        gone, self.tokens = self.tokens[:cut], self.tokens[cut:]
        return gone


class Mailbox:
    """Takes events from an engine's threads into the running asyncio loop, which is woken once for all of a step's."""

    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._pending: deque[tuple[asyncio.Queue, RequestOutput]] = deque()
        self._is_called = False

    def post(self, inbox: asyncio.Queue, event: RequestOutput) -> None:
        self._pending.append((inbox, event))
        if not self._is_called:
            self._is_called = True
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_called = False  # first: what is posted from here on schedules another call, at worst a needless one
        while self._pending:
            inbox, event = self._pending.popleft()
            inbox.put_nowait(event)


class AsyncOutputs:
    """A listener for a request whose events are read in the running asyncio loop."""

    def __init__(self, mailbox: Mailbox | None = None):
        self._mailbox, self._inbox = mailbox or Mailbox(), asyncio.Queue()

    def __call__(self, event: RequestOutput) -> None:
        self._mailbox.post(self._inbox, event)

    async def __aiter__(self) -> AsyncIterator[RequestOutput]:
        while True:
            event = await self._inbox.get()
            # What has come meanwhile is sent together: a slow reader must not fall further and further behind.
            while not self._inbox.empty():
                event = event.then(self._inbox.get_nowait())
            yield event
            if event.reason is not None:
                return
