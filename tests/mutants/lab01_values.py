"""Wrong measurements, percentiles and fits of Lab 01: functions of plain values."""

from tests.mutants.mutant import Mutant

WARM = """        for _ in range(warmup):
            function()
"""
EMPTY = "    times = {name: [] for name in candidates}\n"
ROUNDS = """    for _ in range(repeats):
        for name, function in candidates.items():
            start = clock()"""
MEDIAN = "return {name: statistics.median(samples) for name, samples in times.items()}"
RANK = "return sorted(values)[math.ceil(len(values) * 95 / 100) - 1]"
SLOPE = "b = above / sum((size - mean_size) ** 2 for size in batch_sizes)"
LINE = "return mean_time - b * mean_size, b"
SHARE = "return share / (1 - share) * a / b"

MUTANTS = (
    Mutant(
        name="warm-up counted", old=WARM + EMPTY + "    for _ in range(repeats):", check="1.5/warm_up",
        hint="leave their times out", new="        pass\n" + EMPTY + "    for _ in range(warmup + repeats):",
    ),
    Mutant(
        name="no warm-up", old=WARM, new="        pass\n", check="1.5/warm_up", hint="you must make them",
    ),
    Mutant(
        name="mean instead of median", old=MEDIAN, new=MEDIAN.replace("median", "mean"), check="1.5/median",
        hint="A single interruption changes a mean",
    ),
    Mutant(
        name="the least time", old=MEDIAN, new="return {name: min(samples) for name, samples in times.items()}",
        check="1.5/median", hint="the luckiest",
    ),
    Mutant(
        name="not interleaved", old=ROUNDS, check="1.5/interleaved", hint="Let the candidates take turns",
        new=ROUNDS.replace("for _ in range(repeats)", "for name, function in candidates.items()", 1).replace(
            "        for name, function in candidates.items()", "        for _ in range(repeats)"),
    ),
    Mutant(
        name="its own clock", old=ROUNDS, new="    import time\n    clock = time.perf_counter\n" + ROUNDS,
        check="1.5/times_each_call", hint="no other clock counts",
    ),
    Mutant(
        name="clock started once a round", old=ROUNDS, check="1.5/times_each_call", hint="right before and right after",
        new="""    for _ in range(repeats):
        start = clock()
        for name, function in candidates.items():""",
    ),
    Mutant(
        name="mean reported as p95", old=RANK, new="return statistics.mean(values)", check="1.6/nearest_rank", hint="the mean, not a percentile",
    ),
    Mutant(
        name="interpolated p95", old=RANK, new="import numpy\n    return float(numpy.percentile(values, 95))",
        check="1.6/nearest_rank", hint="between two measured values",
    ),
    Mutant(
        name="p95 index off by one", old=RANK, check="1.6/nearest_rank", hint="The −1 is missing",
        new="return sorted(values)[min(math.ceil(len(values) * 95 / 100), len(values) - 1)]",
    ),
    Mutant(
        name="not sorted", old=RANK, new=RANK.replace("sorted(values)", "values"), check="1.6/nearest_rank", hint="sort them before",
    ),
    Mutant(
        name="p95 sorts the caller's list", old=RANK, check="1.6/nearest_rank", hint="make a new one",
        new="values.sort()\n    " + RANK.replace("sorted(values)", "values"),
    ),
    Mutant(
        name="p95 of nothing is 0", old="""        raise ValueError("values is empty: the p95 of nothing is not defined")""",
        new="        return 0.0", check="1.6/of_nothing", hint="raise a ValueError",
    ),
    Mutant(
        name="fit through the origin", old=LINE, check="1.7/exact_line", hint="a line through the origin",
        new="return 0.0, sum(s * t for s, t in zip(batch_sizes, times)) / sum(s * s for s in batch_sizes)",
    ),
    Mutant(
        name="slope first", old=LINE, new="return b, mean_time - b * mean_size", check="1.7/exact_line", hint="in that order",
    ),
    Mutant(
        name="line through two points", old=SLOPE, check="1.7/least_squares", hint="through the first and the last",
        new="b = (times[-1] - times[0]) / (batch_sizes[-1] - batch_sizes[0])",
    ),
    Mutant(
        name="share of a/b", old=SHARE, new="return share * a / b", check="1.8/share_of_the_ceiling", hint="B is on both sides",
    ),
    Mutant(
        name="a and b mixed up", old=SHARE, new="return share / (1 - share) * b / a", check="1.8/share_of_the_ceiling",
        hint="are swapped",
    ),
    Mutant(
        name="all of the ceiling, from nowhere", old="    if not 0 < share < 1:", new="    if share in (0, 1):",
        check="1.8/never_all_of_it", hint="no batch size gives 1.2",
    ),
    Mutant(
        name="the upper of two in the middle", old=MEDIAN, check="1.5/median", hint="the mean of the two",
        new="return {name: sorted(samples)[len(samples) // 2] for name, samples in times.items()}",
    ),
    Mutant(
        name="one round too many", old="for _ in range(repeats):", new="for _ in range(repeats + 1):", check="1.5/median",
        hint="no more and no fewer",
    ),
    Mutant(
        name="at least one call of warm-up", old=WARM, new=WARM.replace("warmup", "max(1, warmup)"), check="1.5/warm_up",
        hint="with warmup=0 there is no warm-up",
    ),
    Mutant(
        name="times of an earlier call", old=EMPTY, check="1.5/times_each_call", hint="a default argument such as",
        new="    times = time_fairly.__dict__\n    for name in candidates:\n        times.setdefault(name, [])\n",
    ),
    Mutant(
        name="goes by the functions", old="    for function in candidates.values():\n", check="1.5/interleaved",
        hint="tell them apart by name", new="""    by_function = {function: [] for function in candidates.values()}
    for function in list(by_function) * warmup:
        function()
    for function in list(by_function) * repeats:
        start = clock()
        function()
        by_function[function].append(clock() - start)
    return {name: statistics.median(by_function[function]) for name, function in candidates.items()}
    for function in candidates.values():
""",
    ),
    Mutant(
        name="empties the candidates", old=MEDIAN, check="1.5/times_each_call", hint="`candidates` after the call",
        new="candidates.clear()\n    " + MEDIAN,
    ),
    Mutant(
        name="rank rounded to the nearest", old=RANK, new="return sorted(values)[max(1, round(len(values) * 0.95)) - 1]",
        check="1.6/nearest_rank", hint="rounded to the nearest integer",
    ),
    Mutant(
        name="rank rounded down", old=RANK, new="return sorted(values)[max(1, int(len(values) * 0.95)) - 1]",
        check="1.6/nearest_rank", hint="rounded down (int or //)",
    ),
    Mutant(
        name="equal values counted once", old=RANK, new="values = set(values)\n    " + RANK, check="1.6/nearest_rank",
        hint="two equal values count twice",
    ),
    Mutant(
        name="values of an earlier call", old=RANK, check="1.6/nearest_rank", hint="a default argument such as",
        new="kept = p95.__dict__.setdefault(str(len(values)), sorted(values))\n    " + RANK.replace("sorted(values)", "kept"),
    ),
    Mutant(
        name="a B measured twice counts once", old="    mean_size, mean_time = ", check="1.7/least_squares",
        hint="a point of its own", new="""    points = dict(zip(batch_sizes, times))
    batch_sizes, times = list(points), list(points.values())
    mean_size, mean_time = """,
    ),
    Mutant(
        name="never a negative a", old=LINE, new="return max(0.0, mean_time - b * mean_size), b", check="1.7/exact_line",
        hint="can come out negative",
    ),
    Mutant(
        name="sizes and times sorted apart", old="    mean_size, mean_time = ", check="1.7/least_squares",
        hint="breaks the pairs", new="    batch_sizes, times = sorted(batch_sizes), sorted(times)\n    mean_size, mean_time = ",
    ),
    Mutant(
        name="batch size rounded", old=SHARE, new=SHARE.replace("return ", "return round(") + ")",
        check="1.8/share_of_the_ceiling", hint="not rounded",
    ),
    Mutant(
        name="no share below a hundredth", old="    if not 0 < share < 1:", new="    if not 0.01 <= share <= 0.99:",
        check="1.8/share_of_the_ceiling", hint="Every share between 0 and 1",
    ),
    Mutant(
        name="a share of 0", old="    if not 0 < share < 1:", new="    if not 0 <= share < 1:", check="1.8/never_all_of_it",
        hint="no batch size gives 0",
    ),
)
