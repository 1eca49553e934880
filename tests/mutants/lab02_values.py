"""Wrong reports and shares of Lab 02: functions of plain values."""

from tests.mutants.mutant import Mutant

LATENCIES = """    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - record["arrival_s"] for record in records
    )
"""
RANKS = "math.ceil(percent * len(latencies) / 100)"
PICK = 'f"p{percent}_s": latencies[rank - 1]'
WASTE = """    num_slots = max_batch * len(steps)
    num_rows = sum(step["rows"] for step in steps)
    num_useful = sum(step["useful_rows"] for step in steps)
    return {"held": (num_rows - num_useful) / num_slots, "empty": (num_slots - num_rows) / num_slots}
"""

MUTANTS = (
    # -- 2.4 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="interpolated percentiles", old=PICK, check="2.4/nearest_rank", hint="never a value between two",
        new='f"p{percent}_s": sum(latencies[edge(percent / 100 * (len(latencies) - 1))] for edge in (math.floor, math.ceil)) / 2',
    ),
    Mutant(
        name="percentile index off by one", old=PICK, new='f"p{percent}_s": latencies[min(rank, len(latencies) - 1)]',
        check="2.4/nearest_rank", hint="The −1 is missing",
    ),
    Mutant(
        name="percentiles in milliseconds", old=PICK, new=PICK.replace(": ", ": 1000 * ", 1), check="2.4/nearest_rank",
        hint="That is in milliseconds",
    ),
    Mutant(
        name="mean reported as p50", old='"num_unanswered": latencies.count(math.inf)}', check="2.4/nearest_rank",
        hint="th smallest", new='"num_unanswered": 0, "p50_s": sum(latencies) / len(latencies) + 1}',
    ),
    Mutant(
        name="latency from service start", old=LATENCIES, check="2.4/counts_from_arrival", hint="counted from admitted_s",
        new=LATENCIES.replace('record["finish_s"] - record["arrival_s"]', 'record["finish_s"] - record["admitted_s"]'),
    ),
    Mutant(
        name="unanswered left out", old=LATENCIES, check="2.4/unanswered_is_a_miss", hint="finish_s None",
        new="""    latencies = sorted(r["finish_s"] - r["arrival_s"] for r in records if r["finish_s"] is not None)
""",
    ),
    Mutant(
        name="unanswered counted and left out", old=LATENCIES + "    ranks", check="2.4/unanswered_is_a_miss",
        hint="infinite, not left out", new="""    finished = sorted(r["finish_s"] - r["arrival_s"] for r in records if r["finish_s"] is not None)
    report = {f"p{p}_s": finished[math.ceil(p * len(finished) / 100) - 1] for p in (50, 95, 99)}
    return {**report, "max_s": finished[-1], "num_unanswered": len(records) - len(finished)}
    latencies = finished
    ranks""",
    ),
    Mutant(
        name="a report of nothing is zeros", old="""        raise ValueError("records is empty: there is no latency to report")""",
        new="        return dict.fromkeys(('p50_s', 'p95_s', 'p99_s', 'max_s', 'num_unanswered'), 0)",
        check="2.4/of_nothing", hint="raise a ValueError",
    ),
    Mutant(
        name="ranks rounded to the nearest", old=RANKS, new="max(1, round(percent * len(latencies) / 100))",
        check="2.4/many_runs", hint="Nearest-rank always rounds up",
    ),
    Mutant(
        name="a report that remembers", old="    return {**report,", check="2.4/many_runs", hint="is made once and kept",
        new="    return {**globals().setdefault('kept', report),",
    ),
    Mutant(
        name="infinity written into the records", old=LATENCIES, check="2.4/many_runs", hint="it belongs to the caller",
        new="""    for record in records:
        record["finish_s"] = math.inf if record["finish_s"] is None else record["finish_s"]
    latencies = sorted(record["finish_s"] - record["arrival_s"] for record in records)
""",
    ),
    Mutant(
        name="unanswered are those never admitted", old="latencies.count(math.inf)", check="2.4/many_runs",
        hint="whether they were admitted or not", new='sum(record["admitted_s"] is None for record in records)',
    ),
    # -- 2.5 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="waste over requests instead of slots", old=WASTE, check="2.5/counts_slots", hint="divide by slots",
        new=WASTE.replace("(num_rows - num_useful) / num_slots", "(num_rows - num_useful) / num_rows"),
    ),
    Mutant(
        name="mean of the batches' shares", old=WASTE, check="2.5/weighs_slots_alike", hint="add up first, divide once",
        new="""    batches = {}
    for step in steps:
        batches.setdefault(step["rows"], []).append(step)
    held = [sum(s["rows"] - s["useful_rows"] for s in b) / (max_batch * len(b)) for b in batches.values()]
    empty = [sum(max_batch - s["rows"] for s in b) / (max_batch * len(b)) for b in batches.values()]
    return {"held": sum(held) / len(held), "empty": sum(empty) / len(empty)}
""",
    ),
    Mutant(
        name="empty slots counted as held", old=WASTE, check="2.5/a_run", hint="3 of them held, 8 empty",
        new=WASTE.replace("(num_rows - num_useful)", "(num_slots - num_useful)"),
    ),
    Mutant(
        name="weighed by time", old=WASTE, check="2.5/many_runs", hint="however long its step took",
        new="""    spans = [step["end_s"] - step["start_s"] for step in steps]
    num_slots = max_batch * sum(spans)
    num_rows = sum(span * step["rows"] for span, step in zip(spans, steps))
    num_useful = sum(span * step["useful_rows"] for span, step in zip(spans, steps))
    return {"held": (num_rows - num_useful) / num_slots, "empty": (num_slots - num_rows) / num_slots}
""",
    ),
    Mutant(
        name="the list of steps used up", old=WASTE, check="2.5/many_runs", hint="it belongs to the caller",
        new="    steps, taken = [steps.pop() for _ in range(len(steps))], steps\n" + WASTE,
    ),
)
