"""How time advances for a server, and what a loop sees of it."""

from collections.abc import Callable

from minigpt.language import say
from minigpt.runtime.clock import NS, StepShape, to_ns
from minigpt.runtime.errors import BusyWait, ServingError

MAX_IDLE_POLLS = 10_000


class TimeKeeper:
    """Lets time pass on a clock, and notices a loop that does not."""

    def __init__(self, clock):
        self._clock = clock
        self._idle_polls = 0
        self.max_idle_polls = MAX_IDLE_POLLS

    @property
    def now_ns(self) -> int:
        return self._clock.now_ns

    def progress(self) -> None:
        """Note that the loop has made progress."""
        self._idle_polls = 0

    def poll(self) -> None:
        """Count a poll that lets no time pass."""
        self._idle_polls += 1
        if self._idle_polls > self.max_idle_polls and self._clock.name != "wall":
            raise BusyWait(say(
                en=f"the loop asked {self.max_idle_polls} times in a row without letting time pass. "
                "Nothing can change until it does: wait with queue.get(timeout_s=...) or clock.sleep(s). "
                "Or should your loop have ended?",
                es=f"el bucle preguntó {self.max_idle_polls} veces seguidas sin dejar pasar tiempo. "
                "Nada puede cambiar hasta que pase: espera con queue.get(timeout_s=...) o clock.sleep(s). "
                "¿O debería haber acabado tu bucle?",
            ))

    def wait_until(self, time_ns: int) -> None:
        """Let time pass to a moment; one in the past changes nothing."""
        if time_ns > self._clock.now_ns:
            self._clock.wait_until(time_ns)
            self.progress()

    def wait_for_arrival(self, source, timeout_s: float | None) -> None:
        """Let time pass to the earlier of the source's next arrival and the end of the timeout."""
        next_ns = source.next_ns
        if timeout_s is None and next_ns is None:
            raise ServingError(say(
                en="queue.get() would wait forever: every client is waiting for an answer. Respond first",
                es="queue.get() esperaría para siempre: todos los clientes esperan una respuesta. Responde antes",
            ))
        deadline_ns = next_ns if timeout_s is None else self.now_ns + to_ns(timeout_s)
        self.wait_until(deadline_ns if next_ns is None else min(next_ns, deadline_ns))

    def step(self, shape: StepShape, compute: Callable):
        """Let a forward pass take its time; return what it computed."""
        self.progress()
        return self._clock.step(shape, compute)


class ServerClock:
    """`server.clock`."""

    def __init__(self, time_keeper: TimeKeeper):
        self._time = time_keeper

    @property
    def now_ns(self) -> int:
        """The same in nanoseconds, for the runtime's own use."""
        return self._time.now_ns

    def time(self) -> float:
        """Seconds since the run began."""
        self._time.poll()
        return self._time.now_ns / NS

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self._time.poll()
        self._time.wait_until(self._time.now_ns + to_ns(seconds))
