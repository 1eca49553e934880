"""Little's law with an L that does not come from the log: an observer at the door counts while the server runs.

The log gives λ and W, and if L is sampled from it as well, all three share its errors: they agree even where the log is
wrong. The observer at the door does not read the log; so the law can fail, and a failure says that the log is wrong,
that the window cuts off too much, or that the observer's watch is in step with the clients.
"""

import random
from bisect import bisect_right
from collections.abc import Callable

from minigpt.analysis.littles_law import sample_times
from minigpt.analysis.tables import aligned
from minigpt.language import say
from minigpt.runtime.clock import NS, OneMillisecondAStep, StepCost, VirtualClock, to_ns
from minigpt.schedulers.registry import GIVEN, find_policy, load_loop
from minigpt.studies.lab04 import continuous_loop, serve, serve_rate
from minigpt.workloads.workload import Workload, arriving, requests_of_lengths


class Door(VirtualClock):
    """A virtual clock with an observer at the server's door, who has a watch and two counters.

    Every `every_s` from `offset_s` on the observer notes how many are inside: those that have come, minus the answers
    that have left. The observer sees clients come and answers go, and nothing else.
    """

    def __init__(self, requests: Workload, every_s: float, offset_s: float = 0.0, cost=StepCost()):
        super().__init__(cost)
        self._arrivals_ns = sorted(item.arrival_ns for item in requests.items)
        self._every_ns, self._next_ns = to_ns(every_s), to_ns(offset_s)
        self._num_left = 0
        self.counts: list[tuple[float, int]] = []  # (time in seconds, how many inside)

    def watching(self, loop: Callable) -> Callable:
        """The loop, with every answer counted as it leaves."""

        def watched(server):
            respond = server.respond

            def counted(request):
                respond(request)  # refused if it has left already: then nothing came out
                self._num_left += 1

            server.respond = counted
            loop(server)

        return watched

    def wait_until(self, time_ns: int) -> None:
        self._look_until(time_ns)
        super().wait_until(time_ns)

    def step(self, shape, compute: Callable):
        result = compute()
        end_ns = self.now_ns + self.cost.step_ns(shape)
        self._look_until(end_ns)
        self.now_ns = end_ns
        return result

    def _look_until(self, time_ns: int) -> None:
        # Nothing leaves while time passes; what arrives is known to the nanosecond.
        while self._next_ns < time_ns:
            inside = bisect_right(self._arrivals_ns, self._next_ns) - self._num_left
            self.counts.append((self._next_ns / NS, inside))
            self._next_ns += self._every_ns

    def mean_inside(self, start_s: float, end_s: float) -> float:
        """L of a window: the mean of the counts taken in it."""
        counts = [inside for time_s, inside in self.counts if start_s <= time_s < end_s]
        return sum(counts) / len(counts)


def observed(
    requests: Workload, every_s: float = 0.005, *, loop: Callable | None = None, **settings
) -> tuple[list[dict], Door]:
    """The log of a run of `loop` (else the reader's of Lab 03), and the observer at its door."""
    door = Door(requests, every_s, **settings)
    log = serve(requests, clock=door, loop=door.watching(loop or continuous_loop()))
    return log.records(), door


# -- logs that lie ----------------------------------------------------------------------------------------------


def logs_that_lie(records: list[dict]) -> dict[str, list[dict]]:
    """One run as four logs tell it: as it was, and with an error of three kinds that are common."""
    noted_late = [{**record, "arrival_s": record["admitted_s"]} for record in records]
    skewed = [{**record, "arrival_s": record["arrival_s"] - 0.003} for record in records]
    return {
        say(en="correct log", es="sin errores"): records,
        say(en="arrival noted when admitted", es="llegada anotada al admitir"): noted_late,
        say(en="client's clock 3 ms behind", es="reloj del cliente 3 ms atrasado"): skewed,
        say(en="one line in 20 lost", es="perdida una línea de cada 20"): [
            record for i, record in enumerate(records) if i % 20 != 19
        ],
    }


def gaps_of_logs(law: Callable, records: list[dict], door: Door, warm_up: int) -> dict[str, tuple[float, float, float, float]]:
    """For each log: L sampled from the log itself, L counted at the door, λ·W, and by how many per cent the door's L
    differs from λ·W. `law(records, warm_up, every_s)` returns L, λ and W of the log."""
    arrivals = sorted(record["arrival_s"] for record in records)
    outside = door.mean_inside(arrivals[warm_up], arrivals[-1])
    found = {}
    for name, log in logs_that_lie(records).items():
        inside, rate, stay = law(log, warm_up, 0.005)
        found[name] = inside, outside, rate * stay, 100 * (outside / (rate * stay) - 1)
    return found


def table(found: dict[str, tuple[float, float, float, float]]) -> str:
    """The gaps as text."""
    heads = ("", say(en="L from the log", es="L del registro"), say(en="L at the door", es="L en la puerta"), "λ·W",
             say(en="door against λ·W", es="puerta frente a λ·W"))
    return aligned([heads, *(
        (name, f"{inside:.2f}", f"{outside:.2f}", f"{product:.2f}", f"{gap:+.1f} %")
        for name, (inside, outside, product, gap) in found.items()
    )])


# -- where it fails with a right log ----------------------------------------------------------------------------


def gaps_by_load(
    law: Callable, lengths, capacity_per_s: float, loads=(0.8, 1.2), sizes=(500, 2_000, 8_000), seeds=range(5), **settings
) -> dict:
    """λ·W over L − 1, in per cent, over the number of requests, at each load: for each size a list with one value per
    seed. Here L is sampled from the log."""

    def gap(rate_per_s: float, size: int, seed: int) -> float:
        records = serve_rate(lengths, rate_per_s, num_requests=size, seed=seed, **settings).records()
        inside, rate, stay = law(records, size // 20, 0.005)
        return 100 * (rate * stay / inside - 1)

    return {say(en=f"load {load}", es=f"carga {load}"):
            [[gap(load * capacity_per_s, size, seed) for seed in seeds] for size in sizes] for load in loads}


def metronome(num_requests: int = 400) -> Workload:
    """Three tokens every 5 ms: with a millisecond per step each request is inside for 3 ms of 5, and L is 0.6."""
    items = requests_of_lengths([3] * num_requests, random.Random(0))
    return arriving(items, sample_times(0.0, 0.005 * num_requests, 0.005)[:num_requests], "metronome")


def metronome_seen(every_s: float, offset_s: float) -> float:
    """L of the metronome, sampled by a watch of that period.

    The watch is what is tried here, so the loop is the given one: no line about a reader's that is not written yet.
    """
    requests, given = metronome(), load_loop(find_policy("continuous"), GIVEN)
    records, door = observed(requests, every_s, loop=given, offset_s=offset_s, cost=OneMillisecondAStep())
    return door.mean_inside(0.0, max(record["arrival_s"] for record in records))
