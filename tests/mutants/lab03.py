"""Wrong schedulers, each with the mistake that somebody is bound to make."""

from tests.mutants.mutant import Mutant

ADMIT_LOOP = "while len(in_flight) < server.max_inflight and not server.queue.empty():"
TAKE = "in_flight.append(server.queue.get_nowait())"
APPEND = """        if not is_eos:
            request.append(token)"""
ENDED = "if is_eos or request.num_output_tokens == request.max_tokens:"
RETIRE = """        in_flight.remove(request)
        server.respond(request)"""
LOOP_HEAD = "while in_flight or not server.queue.closed:"
LOOP = """        if not in_flight:
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)"""
LATENCIES = """    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - record["arrival_s"] for record in records
    )"""
RANK = "return latencies[math.ceil(len(latencies) * 95 / 100) - 1]"
INTERVAL = "math.ceil(num_resamples * share) - 1 for share"
DRAW = "before, after = zip(*rng.choices(pairs, k=len(pairs)))"
REDUCTION = "reductions.append(100 * (1 - p95_s(after) / p95_s(before)))"
GROUP_FREE = "free = server.max_inflight - len(in_flight)"
GROUP_SIZES = "group, patience_s = 2, 0.010"

MUTANTS = (
    Mutant(
        name="LIFO admission", old=TAKE, check="3.1/oldest_first", hint="only as many as there are free seats",
        new="""waiting = []
        while not server.queue.empty():
            waiting.append(server.queue.get_nowait())
        in_flight.extend(waiting[::-1][: server.max_inflight - len(in_flight)])""",
    ),
    Mutant(
        name="admits into a list of its own", old=TAKE, check="3.1/fills_every_free_slot", hint="keeps the old one",
        new="in_flight = [*in_flight, server.queue.get_nowait()]",
    ),
    Mutant(
        name="admits one a step", old=ADMIT_LOOP, check="3.1/fills_every_free_slot", hint="each free seat is filled",
        new="if len(in_flight) < server.max_inflight and not server.queue.empty():",
    ),
    Mutant(
        name="cap exceeded by one", old="len(in_flight) < server.max_inflight", new="len(in_flight) <= server.max_inflight",
        check="3.1/keeps_to_the_cap", hint="comparison with max_inflight",
    ),
    Mutant(
        name="admission waits for company", old=ADMIT_LOOP + "\n        " + TAKE, check="3.1/never_waits",
        hint="let time pass", new="""import queue
    while len(in_flight) < server.max_inflight:
        try:
            in_flight.append(server.queue.get(1.0))
        except queue.Empty:
            break""",
    ),
    Mutant(
        name="asks until somebody comes", old=ADMIT_LOOP + "\n        " + TAKE, check="3.1/never_waits", outcome="crashed",
        hint="leave the free seats empty", new="""while len(in_flight) < server.max_inflight and not server.queue.closed:
        if not server.queue.empty():
            in_flight.append(server.queue.get_nowait())""",
    ),
    Mutant(
        name="closed taken for empty", old="not server.queue.empty()", new="not server.queue.closed", outcome="crashed",
        check="3.1/never_waits", hint="asks something else",
    ),
    Mutant(
        name="waits if nobody is in flight", old="    " + ADMIT_LOOP, check="3.1/never_waits", hint="waiting is the loop's business",
        new="    if not in_flight and server.queue.empty() and not server.queue.closed:\n"
        "        in_flight.append(server.queue.get())\n    " + ADMIT_LOOP,
    ),
    Mutant(
        name="the shortest of all that wait", old=ADMIT_LOOP + "\n        " + TAKE, check="3.1/oldest_first",
        hint="There is nothing to sort", new="""waiting = []
    while not server.queue.empty():
        waiting.append(server.queue.get_nowait())
    waiting.sort(key=lambda request: request.max_tokens)
    in_flight.extend(waiting[: server.max_inflight - len(in_flight)])""",
    ),
    Mutant(
        name="counts admissions for good", old=ADMIT_LOOP, check="3.1/many_scenes", hint="later ones still know of it",
        new="seats = admit.__dict__.setdefault('seats', [])\n    if len(seats) > 20:\n        return\n    seats.append(1)\n    " + ADMIT_LOOP,
    ),
    Mutant(
        name="tokens given to the wrong request", old="zip(in_flight, server.model.forward_one_step(in_flight))",
        new="zip(in_flight[::-1], server.model.forward_one_step(in_flight))", check="3.2/each_gets_its_own_token",
        hint="order of the requests that you passed",
    ),
    Mutant(
        name="one pass a request", old="zip(in_flight, server.model.forward_one_step(in_flight))",
        new="[(each, server.model.forward_one_step([each])[0]) for each in in_flight]", check="3.2/one_pass_for_all",
        hint="share one pass",
    ),
    Mutant(
        name="EOS written into the answer", old=APPEND, new="        request.append(token)",
        check="3.2/eos_ends_and_is_not_stored", hint="not a token of the answer",
    ),
    Mutant(
        name="max_tokens off by one", old=ENDED, new="if is_eos or request.num_output_tokens > request.max_tokens:",
        check="3.2/ends_at_the_limit", hint="comparison with max_tokens",
    ),
    Mutant(
        name="takes out whoever has ended", old="            finished.append(request)\n", check="3.2/ends_at_the_limit",
        hint="until `retire`", new="            finished.append(request)\n            in_flight.remove(request)\n",
    ),
    Mutant(
        name="takes out whoever ends with EOS", old="            finished.append(request)\n", hint="skips a neighbour",
        check="3.2/eos_ends_and_is_not_stored", new="            finished.append(request)\n            in_flight.remove(request)\n",
    ),
    Mutant(
        name="the last token lost", old=APPEND + "\n        " + ENDED, check="3.2/ends_at_the_limit",
        hint="belongs to the answer", new="""        is_last = request.num_output_tokens == request.max_tokens - 1
        if not is_eos and not is_last:
            request.append(token)
        if is_eos or is_last:""",
    ),
    Mutant(
        name="EOS as the first token ends nothing", old="if is_eos or request", check="3.2/eos_ends_and_is_not_stored",
        hint="one whose first token is EOS", new="if is_eos and request.num_output_tokens or request",
    ),
    Mutant(
        name="a list that remembers", old="    finished = []\n", hint="is made once and kept",
        new="    finished = globals().setdefault('kept', [])\n", check="3.2/eos_ends_and_is_not_stored",
    ),
    Mutant(
        name="named twice", old="            finished.append(request)\n", check="3.2/many_batches", hint="each request ends once",
        new="            finished.append(request)\n            if is_eos and request.num_output_tokens == request.max_tokens - 1:\n"
        "                finished.append(request)\n",
    ),
    Mutant(
        name="new ones in a pass of their own", old="zip(in_flight, server.model.forward_one_step(in_flight))",
        new="[each for some in ([r for r in in_flight if r.output_token_ids], [r for r in in_flight if not r.output_token_ids])"
        " if some for each in zip(some, server.model.forward_one_step(some))]",
        check="3.2/one_pass_for_all", hint="new ones too",
    ),
    Mutant(
        name="answers whoever has ended", old="            finished.append(request)\n", check="3.2/only_computes",
        hint="the business of `retire`", new="            finished.append(request)\n            server.respond(request)\n",
    ),
    Mutant(
        name="rests after the step", old="    return finished\n", new="    server.clock.sleep(0.0001)\n    return finished\n",
        check="3.2/only_computes", hint="nothing else takes time",
    ),
    Mutant(
        name="one that ended a step", old="            finished.append(request)\n", check="3.2/many_batches",
        hint="several may end in one step", new="            finished = finished or [request]\n",
    ),
    Mutant(
        name="retires from a list of its own", old=RETIRE, check="3.3/frees_the_slots", hint="the loop keeps the old one",
        new="""        in_flight = [other for other in in_flight if other is not request]
        server.respond(request)""",
    ),
    Mutant(
        name="removes while walking along the list", old="""    for request in finished:
        in_flight.remove(request)
        server.respond(request)""", new="""    ended = [request.request_id for request in finished]
    for request in in_flight:
        if request.request_id in ended:
            in_flight.remove(request)
            server.respond(request)""", check="3.3/frees_the_slots", hint="walk along the list",
    ),
    Mutant(
        name="seat freed, answer forgotten", old=RETIRE, new="        in_flight.remove(request)",
        check="3.3/answers_at_once", hint="both answers leave then",
    ),
    Mutant(
        name="an empty answer is no answer", old=RETIRE, check="3.3/many_scenes", hint="an empty answer is one, too",
        new="""        in_flight.remove(request)
        if request.num_output_tokens:
            server.respond(request)""",
    ),
    Mutant(
        name="EOS added on leaving", old=RETIRE, check="3.3/many_scenes", hint="no token is added or lost on leaving",
        new="        if not request.num_output_tokens:\n            request.append(server.model.eos_token_id)\n" + RETIRE,
    ),
    Mutant(
        name="response held until the batch is empty", old=LOOP, check="3.4/the_scene_of_the_lab",
        hint="its seat stayed taken", new="""        if not in_flight:
            held = []
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        for request in finished:
            in_flight.remove(request)
        held.extend(finished)
        if not in_flight:
            for request in held:
                server.respond(request)""",
    ),
    Mutant(
        name="slot freed one step late", old=LOOP_HEAD + "\n" + LOOP, check="3.4/the_scene_of_the_lab",
        hint="its seat stayed taken", new="""finished = []
    while in_flight or not server.queue.closed:
        if not in_flight:
            in_flight.append(server.queue.get())
        ended = finished
        if len(ended) < len(in_flight):
            admit(server, in_flight)
            finished = [r for r in decode_one_step(server, in_flight) if r not in ended]
        else:
            finished = []
        retire(server, in_flight, ended)""",
    ),
    Mutant(
        name="requests dropped when the queue closes", old=LOOP_HEAD, new="while not server.queue.closed:",
        check="3.4/everybody_is_answered", hint="still in flight",
    ),
    Mutant(
        name="an answer loses tokens", old=RETIRE, check="3.4/everybody_is_answered", hint="must not change an answer",
        new="        del request.output_token_ids[30:]\n" + RETIRE,
    ),
    Mutant(
        name="busy-waiting", old="            in_flight.append(server.queue.get())",
        new="            while server.queue.empty():\n                server.clock.time()", check="3.4/waits_when_idle",
        outcome="crashed",
    ),
    Mutant(
        name="starts with the next arrival only", old="in_flight.append(server.queue.get())",
        new="server.clock.sleep(0.01)", check="3.4/waits_when_idle", outcome="crashed",
    ),
    Mutant(
        name="polls by sleeping", old="""            in_flight.append(server.queue.get())
        admit""", new="""            while server.queue.empty():
                server.clock.sleep(0.003)
        admit""", check="3.4/waits_when_idle", hint="starts at its arrival",
    ),
    Mutant(
        name="waits for a full batch", old=LOOP, check="3.4/starts_at_once", hint="nobody waits for company",
        new="""        import queue
        if not in_flight:
            in_flight.append(server.queue.get())
            try:
                while len(in_flight) < server.max_inflight:
                    in_flight.append(server.queue.get(server.max_wait_s))
            except queue.Empty:
                pass
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)""",
    ),
    Mutant(
        name="a running request starved by admissions", old=LOOP, check="3.4/nobody_starves",
        hint="pass all of in_flight", new="""        if not in_flight:
            in_flight.append(server.queue.get())
        known = len(in_flight)
        admit(server, in_flight)
        batch = in_flight[known:] or in_flight
        finished = decode_one_step(server, batch)
        retire(server, in_flight, finished)""",
    ),
    Mutant(
        name="admits twice a turn", old=LOOP, check="3.4/keeps_to_the_cap_all_along", hint="each way into in_flight has to look at the cap",
        new="""        if not in_flight or not server.queue.empty():
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)""",
    ),
    Mutant(
        name="half of the seats", old=ADMIT_LOOP, new=ADMIT_LOOP.replace("server.max_inflight", "(server.max_inflight + 1) // 2"),
        check="3.4/equal_lengths_in_one_burst", hint="a seat stayed empty",
    ),
    Mutant(
        name="admits only next to one", old="        admit(server, in_flight)\n", check="3.4/no_seat_is_empty",
        hint="on no condition of your own", new="        if len(in_flight) <= 1:\n            admit(server, in_flight)\n",
    ),
    Mutant(
        name="the result of get is dropped", old="in_flight.append(server.queue.get())", new="server.queue.get()",
        check="3.4/the_scene_of_the_lab", hint="the only trace of that request",
    ),
    Mutant(
        name="ends when nobody came for a while", old=LOOP, check="3.4/many_runs", hint="requests were still to come",
        new=LOOP.replace("            in_flight.append(server.queue.get())\n", """            try:
                in_flight.append(server.queue.get(0.02))
            except Exception:
                return
"""),
    ),
    Mutant(
        name="waits for company while others run", old="        admit(server, in_flight)\n", check="3.4/many_runs",
        hint="time passed between two steps", new="        if 1 < server.max_inflight and len(in_flight) == 1 and not "
        "server.queue.closed:\n            server.clock.sleep(1e-7)\n        admit(server, in_flight)\n",
    ),
    Mutant(
        name="a list of all runs", old="    in_flight = []\n", check="3.4/many_runs", hint="later ones still know of it",
        new="    in_flight = []\n    runs = globals().setdefault('runs', [])\n    runs.append(1)\n    if len(runs) > 9:\n        return\n",
    ),
    Mutant(
        name="trusts empty()", old=LOOP_HEAD, new="while in_flight or not server.queue.empty():", check="3.4/everybody_is_answered",
        hint="`closed` says that nobody will come any more",
    ),
    Mutant(
        name="waits although none will come", old=LOOP_HEAD, new="while True:", check="3.4/everybody_is_answered",
        outcome="crashed", hint="none will come",
    ),
    Mutant(
        name="one who ended is forgotten", old="retire(server, in_flight, finished)\n    # END", check="3.4/everybody_is_answered",
        new="retire(server, in_flight, finished[:1])\n    # END", hint="all who ended in it",
    ),
    Mutant(
        name="interpolated p95", old=RANK, check="3.5/nearest_rank", hint="never one between two",
        new="import numpy\n    return float(numpy.percentile(latencies, 95))",
    ),
    Mutant(
        name="p95 index off by one", old=RANK, new="return latencies[min(math.ceil(len(latencies) * 0.95), len(latencies) - 1)]",
        check="3.5/nearest_rank", hint="counted from 1",
    ),
    Mutant(
        name="mean reported as p95", old=RANK, new="return sum(latencies) / len(latencies)", check="3.5/nearest_rank",
        hint="th smallest",
    ),
    Mutant(
        name="latency counted from admission", old=LATENCIES, check="3.5/counts_from_arrival", hint="its client waited 3.5 s",
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
        new="        return 0.0", check="3.5/of_nothing", hint="raise ValueError",
    ),
    Mutant(
        name="p95 rank rounded to the nearest", old=RANK, check="3.5/many_runs", hint="Nearest-rank rounds up, always",
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
        name="latencies that remember", old="def p95_s(records):", check="3.5/many_runs", hint="later ones still know of it",
        new="def p95_s(records, seen=[]):\n    seen += records\n    records = list(seen)\n    return _p95_s(records)\n\n\ndef _p95_s(records):",
    ),
    Mutant(
        name="equal latencies counted once", old=RANK, check="3.5/many_runs", hint="use a list and no set",
        new="latencies = sorted(set(latencies))\n    " + RANK,
    ),
    Mutant(
        name="0.0 taken for no answer", old='if record["finish_s"] is None else', new='if not record["finish_s"] else',
        check="3.5/many_runs", hint="ask `is None`",
    ),
    Mutant(
        name="halves drawn apart", old=DRAW, check="3.6/pairs_by_request", hint="drawn apart",
        new="""before = [pair[0] for pair in rng.choices(pairs, k=len(pairs))]
        after = [pair[1] for pair in rng.choices(pairs, k=len(pairs))]""",
    ),
    Mutant(
        name="paired by place", old="""pairs = [(record, continuous[record["request_id"]]) for record in static_records]""",
        new="pairs = list(zip(static_records, continuous_records))", check="3.6/pairs_by_request", hint="paired by place",
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
        hint="the whole of the data is none of them", new="    reductions.append(100 * (1 - p95_s(continuous_records) / "
        "p95_s(static_records)))\n    for _ in range(num_resamples - 1):",
    ),
    Mutant(
        name="the first pair always drawn", old=DRAW, check="3.6/width", hint="with replacement",
        new="before, after = zip(pairs[0], *rng.choices(pairs, k=len(pairs) - 1))",
    ),
    Mutant(
        name="resamples and pairs swapped", old="for _ in range(num_resamples):\n        " + DRAW, check="3.6/pairs_by_request",
        outcome="crashed", hint="change places", new="for _ in pairs:\n        " + DRAW.replace("k=len(pairs)", "k=num_resamples"),
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
        name="a generator that goes on", old="rng = random.Random(seed)", check="3.6/seeds", hint="goes for the generator",
        new="rng = globals().setdefault('generator', random.Random(seed))",
    ),
    Mutant(
        name="the records sorted in place", old="    continuous = {", new="    continuous_records.sort(key=lambda record: "
        "record['request_id'])\n    continuous = {", check="3.6/pairs_by_request", hint="it belongs to the caller",
    ),
    Mutant(
        name="a scheduler in name only", old=LOOP, check="3.7/p95_falls", hint="slot timeline", new="""        if not in_flight:
            in_flight.append(server.queue.get())
            server.clock.sleep(server.max_wait_s)
            admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)""",
    ),
    Mutant(
        name="slower than what arrives", old=LOOP, new=LOOP + "\n        server.clock.sleep(0.004)", check="3.7/throughput_holds",
        hint="both should complete what arrives",
    ),
    Mutant(
        name="long answers cut", old="        server.respond(request)\n", check="3.7/answers_are_unchanged",
        hint="a token lost", new="        del request.output_token_ids[40:]\n        server.respond(request)\n",
    ),
    Mutant(
        name="grouped: more than the seats", old=GROUP_FREE, new="free = 99", check="3.8/a_scheduler_all_the_same",
        hint="only as many as are free",
    ),
    Mutant(
        name="grouped: no groups", old=GROUP_SIZES, new="group, patience_s = 1, 0.010", check="3.8/beats_the_reference",
        hint="until two or more can be admitted",
    ),
    Mutant(
        name="grouped: endless patience", old=GROUP_SIZES, new="group, patience_s = 6, 1.0", check="3.8/costs_little_at_light_load",
        hint="Bound the wait",
    ),
)  # fmt: skip
