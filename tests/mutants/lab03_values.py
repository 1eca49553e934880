"""Wrong p95s and intervals of Lab 03: functions of plain values."""

from tests.mutants.mutant import Mutant

LATENCIES = """    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - record["arrival_s"] for record in records
    )"""
RANK = "return latencies[math.ceil(len(latencies) * 95 / 100) - 1]"
INTERVAL = "math.ceil(num_resamples * share) - 1 for share"
DRAW = "before, after = zip(*rng.choices(pairs, k=len(pairs)))"
REDUCTION = "reductions.append(100 * (1 - p95_s(after) / p95_s(before)))"

MUTANTS = (
    Mutant(
        name="interpolated p95", old=RANK, check="3.5/nearest_rank", hint="never a value between two",
        new="place = 0.95 * (len(latencies) - 1)\n    return (latencies[math.floor(place)] + latencies[math.ceil(place)]) / 2",
    ),
    Mutant(
        name="p95 index off by one", old=RANK, new="return latencies[min(math.ceil(len(latencies) * 0.95), len(latencies) - 1)]",
        check="3.5/nearest_rank", hint="The −1 is missing",
    ),
    Mutant(
        name="p95 in milliseconds", old=RANK, new=RANK.replace("return ", "return 1000 * "), check="3.5/nearest_rank",
        hint="That is in milliseconds",
    ),
    Mutant(
        name="mean reported as p95", old=RANK, new="return sum(latencies) / len(latencies)", check="3.5/nearest_rank",
        hint="th smallest",
    ),
    Mutant(
        name="p95 in milliseconds", old=RANK, new="return 1_000 * latencies[math.ceil(len(latencies) * 95 / 100) - 1]",
        check="3.5/nearest_rank", hint="That is in milliseconds",
    ),
    Mutant(
        name="latencies not sorted", old=LATENCIES, new=LATENCIES.replace("sorted(", "list("), check="3.5/nearest_rank",
        hint="sort them before",
    ),
    Mutant(
        name="latency counted from admission", old=LATENCIES, check="3.5/counts_from_arrival", hint="counted from admitted_s",
        new="""    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - (record["admitted_s"] or 0) for record in records
    )""",
    ),
    Mutant(
        name="unanswered requests left out", old=LATENCIES, check="3.5/unanswered_is_a_miss", hint="not left out",
        new="""    latencies = sorted(r["finish_s"] - r["arrival_s"] for r in records if r["finish_s"] is not None)""",
    ),
    Mutant(
        name="p95 of nothing is 0", old="""        raise ValueError("records is empty: the p95 of nothing is not defined")""",
        new="        return 0.0", check="3.5/of_nothing", hint="raise a ValueError",
    ),
    Mutant(
        name="p95 rank rounded to the nearest", old=RANK, check="3.5/many_runs", hint="Nearest-rank always rounds up",
        new="return latencies[max(1, round(len(latencies) * 0.95)) - 1]",
    ),
    Mutant(
        name="infinity written into the records", old=LATENCIES, check="3.5/many_runs", hint="it belongs to the caller",
        new="""    for record in records:
        record["finish_s"] = math.inf if record["finish_s"] is None else record["finish_s"]
    latencies = sorted(record["finish_s"] - record["arrival_s"] for record in records)""",
    ),
    Mutant(
        name="the records sorted", old=LATENCIES, check="3.5/many_runs", hint="Sort or change a copy",
        new="""    records.sort(key=lambda record: (record["finish_s"] is None, (record["finish_s"] or 0) - record["arrival_s"]))
""" + LATENCIES,
    ),
    Mutant(
        name="latencies that remember", old="def p95_s(records):", check="3.5/many_runs", hint="later ones remember it",
        new="def p95_s(records, seen=[]):\n    seen += records\n    records = list(seen)\n    return _p95_s(records)\n\n\ndef _p95_s(records):",
    ),
    Mutant(
        name="equal latencies counted once", old=RANK, check="3.5/many_runs", hint="use a list, not a set",
        new="latencies = sorted(set(latencies))\n    " + RANK,
    ),
    Mutant(
        name="0.0 taken for no answer", old='if record["finish_s"] is None else', new='if not record["finish_s"] else',
        check="3.5/many_runs", hint="test `is None`",
    ),
    Mutant(
        name="halves drawn apart", old=DRAW, check="3.6/pairs_by_request", hint="drawn separately",
        new="""before = [pair[0] for pair in rng.choices(pairs, k=len(pairs))]
        after = [pair[1] for pair in rng.choices(pairs, k=len(pairs))]""",
    ),
    Mutant(
        name="paired by place", old="""pairs = [(record, continuous[record["request_id"]]) for record in static_records]""",
        new="pairs = list(zip(static_records, continuous_records))", check="3.6/pairs_by_request", hint="paired by position",
    ),
    Mutant(
        name="drawn without replacement", old=DRAW, new="before, after = zip(*rng.sample(pairs, k=len(pairs)))",
        check="3.6/width", hint="draw without replacement",
    ),
    Mutant(
        name="seeded anew for each resample", old=DRAW, new="rng = random.Random(seed)\n        " + DRAW, check="3.6/width",
        hint="every resample was the same draw",
    ),
    Mutant(
        name="ranks cut off", old=INTERVAL, new="int(num_resamples * share) for share", check="3.6/ranks",
        hint="counts from 0",
    ),
    Mutant(
        name="ranks cut off, counted from 0", old=INTERVAL, new="int(num_resamples * share) - 1 for share",
        check="3.6/ranks", hint="cut off (int or //)",
    ),
    Mutant(
        name="ranks rounded to the nearest", old=INTERVAL, new="max(0, round(num_resamples * share) - 1) for share",
        check="3.6/ranks", hint="rounded to the nearest",
    ),
    Mutant(
        name="the seed is not used", old="rng = random.Random(seed)", new="rng = random.Random()", check="3.6/seeds",
        hint="two runs with the same seed",
    ),
    Mutant(
        name="reductions of the mean", old=REDUCTION, check="3.6/of_the_p95", hint="means, medians",
        new="""mean = lambda half: sum(each["finish_s"] - each["arrival_s"] for each in half) / len(half)
        reductions.append(100 * (1 - mean(after) / mean(before)))""",
    ),
    Mutant(
        name="a fraction for per cent", old=REDUCTION, new=REDUCTION.replace("100 * (1", "(1"), check="3.6/pairs_by_request",
        hint="the reduction is in per cent",
    ),
    Mutant(
        name="what is left for what was saved", old=REDUCTION, new="reductions.append(100 * p95_s(after) / p95_s(before))",
        check="3.6/pairs_by_request", hint="what is left",
    ),
    Mutant(
        name="99 % interval", old="(0.025, 0.975)", new="(0.005, 0.995)", check="3.6/width", hint="That is a 99 % interval",
    ),
    Mutant(
        name="90 % interval", old="(0.025, 0.975)", new="(0.05, 0.95)", check="3.6/width", hint="That is a 90 % interval",
    ),
    Mutant(
        name="half as many pairs", old=DRAW, new=DRAW.replace("k=len(pairs)", "k=max(1, len(pairs) // 2)"), check="3.6/width",
        hint="half as many pairs",
    ),
    Mutant(
        name="one pair too many", old=DRAW, new=DRAW.replace("k=len(pairs)", "k=len(pairs) + 1"), check="3.6/width",
        hint="one pair too many",
    ),
    Mutant(
        name="the whole of the data for a resample", old="    for _ in range(num_resamples):", check="3.6/ranks",
        hint="the reduction of the original data is not one of them", new="    reductions.append(100 * (1 - p95_s(continuous_records) / "
        "p95_s(static_records)))\n    for _ in range(num_resamples - 1):",
    ),
    Mutant(
        name="the first pair always drawn", old=DRAW, check="3.6/width", hint="with replacement",
        new="before, after = zip(pairs[0], *rng.choices(pairs, k=len(pairs) - 1))",
    ),
    Mutant(
        name="resamples and pairs swapped", old="for _ in range(num_resamples):\n        " + DRAW, check="3.6/pairs_by_request",
        outcome="crashed", hint="Did you swap", new="for _ in pairs:\n        " + DRAW.replace("k=len(pairs)", "k=num_resamples"),
    ),
    Mutant(
        name="a hundred resamples at most", old="for _ in range(num_resamples):", check="3.6/ranks", hint="a fixed number",
        new="num_resamples = min(num_resamples, 100)\n    for _ in range(num_resamples):",
    ),
    Mutant(
        name="always a thousand resamples", old="for _ in range(num_resamples):", new="num_resamples = 1_000\n    for _ in range(num_resamples):",
        check="3.6/ranks", hint="a fixed number",
    ),
    Mutant(
        name="always the same seed", old="rng = random.Random(seed)", new="rng = random.Random(7)", check="3.6/seeds",
        hint="with the seed that you are given",
    ),
    Mutant(
        name="a generator that goes on", old="rng = random.Random(seed)", check="3.6/seeds", hint="applies to the generator",
        new="rng = globals().setdefault('generator', random.Random(seed))",
    ),
    Mutant(
        name="the records sorted in place", old="    continuous = {", new="    continuous_records.sort(key=lambda record: "
        "record['request_id'])\n    continuous = {", check="3.6/pairs_by_request", hint="it belongs to the caller",
    ),
)
