"""Slips written by hand from the exercises' texts, whose first message used to leave open what is wrong; by lab."""

from tests.mutants.mutant import Mutant

P95 = "sorted(values)[math.ceil(len(values) * 95 / 100) - 1]"
LATENCY = "latencies[math.ceil(len(latencies) * 95 / 100) - 1]"
RANKS = "math.ceil(percent * len(latencies) / 100) for"
PROFILE = "sorted(server.profile)[rank - 1]"

BY_LAB = {
    "01": (
        Mutant(
            name="an index rounded down", old=P95, new="sorted(values)[int(0.95 * len(values))]", check="1.6/nearest_rank",
            hint="one too high whenever p/100·n is a whole number",
        ),
        Mutant(
            name="the rank as an index", old=P95, new="sorted(values)[math.ceil(0.95 * len(values))]",
            check="1.6/nearest_rank", outcome="crashed", hint="The −1 is missing",
        ),
    ),
    "02": (
        Mutant(
            name="ranks of n − 1", old=RANKS, new="round(percent / 100 * (len(latencies) - 1)) + 1 for",
            check="2.4/nearest_rank", hint="computed from n − 1",
        ),
    ),
    "03": (
        Mutant(
            name="a rank rounded down", old=LATENCY, new="latencies[int(0.95 * len(latencies)) - 1]",
            check="3.5/nearest_rank", hint="rounded down (int or //)",
        ),
    ),
    "04": (),
    "05": (
        Mutant(
            name="the rank of a profile as an index", old=PROFILE, new="sorted(server.profile)[rank]", check="5.2/profiled",
            outcome="crashed", hint="The −1 is missing",
        ),
    ),
    "06": (),
}
