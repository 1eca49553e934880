"""Wrong static servers, each with a mistake that students are bound to make."""

from tests.mutants import by_hand, first_message, fresh, lab02_values
from tests.mutants.mutant import Mutant

FIRST = """    try:
        batch = [server.queue.get()]
    except queue.Empty:
        return []
"""
DEADLINE = "    deadline_s = batch[0].arrival_time_s + server.max_wait_s\n"
FILL = """    while len(batch) < server.max_batch:
        try:
            batch.append(server.queue.get(deadline_s - server.clock.time()))
        except queue.Empty:
            break
"""
STEP = "for request, token in zip(batch, server.model.forward_one_step(batch)):"
RUN = f"""    while running:
        {STEP}
            if request not in running:
                continue
            if token != server.model.eos_token_id:
                request.append(token)
            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                running.remove(request)
"""
SKIP = """            if request not in running:
                continue
"""
NOT_EOS = """            if token != server.model.eos_token_id:
                request.append(token)
"""
LOOP = """    while batch := collect_batch(server):
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
"""
EARLY_LEAVE = """                    running.remove(request)
                    server.respond(request)"""
EARLY_COLLECT = "while running := collect_batch(server):"

MUTANTS = (
    # -- 2.1 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="LIFO collection", old=FIRST + DEADLINE + FILL, check="2.1/oldest_first", hint="from which end of the queue",
        new="""    if server.queue.closed:
        return []
    waiting = [server.queue.get()]
    deadline_s = waiting[0].arrival_time_s + server.max_wait_s
    while len(waiting) < server.max_batch or not server.queue.empty():
        try:
            waiting.append(server.queue.get(deadline_s - server.clock.time()))
        except queue.Empty:
            break
    batch = waiting[::-1][: server.max_batch]
""",
    ),
    Mutant(
        name="a wait that is over takes no more requests", old=FILL, check="2.1/oldest_first", hint="get(0) does not wait",
        new=FILL.replace("        try:\n", """        left_s = deadline_s - server.clock.time()
        if left_s <= 0:
            break
        try:
"""),
    ),
    Mutant(
        name="batch cap exceeded by one", old="while len(batch) < server.max_batch:", new="while len(batch) <= server.max_batch:",
        check="2.1/keeps_to_max_batch", hint="comparison with max_batch",
    ),
    Mutant(
        name="batch cap exceeded by one in random batches", old="while len(batch) < server.max_batch:",
        new="while len(batch) <= server.max_batch:", check="2.1/many_batches", hint="The batch is too large",
    ),
    Mutant(
        name="never waits for company", old="server.queue.get(deadline_s - server.clock.time())", new="server.queue.get_nowait()",
        check="2.1/waits_for_company", hint="The batch leaves 5 ms after the first arrival",
    ),
    Mutant(
        name="an arrival at the deadline is left behind", old="server.queue.get(deadline_s - server.clock.time())",
        new="server.queue.get(max(0.0, deadline_s - server.clock.time() - 1e-6))", check="2.1/waits_for_company",
        hint="with the requests that came by then",
    ),
    Mutant(
        name="a full batch waits on", old=FILL, new=FILL + "    server.clock.sleep(max(0.0, deadline_s - server.clock.time()))\n",
        check="2.1/full_batch_leaves_at_once", hint="waiting longer gains nothing",
    ),
    Mutant(
        name="deadline restarted by each arrival", old="server.queue.get(deadline_s - server.clock.time())",
        new="server.queue.get(server.max_wait_s)", check="2.1/deadline_is_not_restarted", hint="fix the deadline once",
    ),
    Mutant(
        name="deadline from when the loop began to look", old=FIRST + DEADLINE, check="2.1/deadline_waits_for_the_first",
        hint="from the moment the function was called", new="    deadline_s = server.clock.time() + server.max_wait_s\n" + FIRST,
    ),
    Mutant(
        name="deadline from when the first was taken", old=DEADLINE, check="2.1/deadline_runs_from_the_first_arrival",
        hint="count from arrival_time_s", new="    deadline_s = server.clock.time() + server.max_wait_s\n",
    ),
    Mutant(
        name="a late bus leaves those at the stop", old=FILL, check="2.1/deadline_runs_from_the_first_arrival",
        hint="with all waiting requests", new=FILL.replace(
            "while len(batch) < server.max_batch:",
            "while len(batch) < server.max_batch and server.clock.time() < deadline_s:"),
    ),
    Mutant(
        name="the last batch is dropped when the queue closes", old=FILL, check="2.1/when_the_queue_closes",
        hint="return the requests you have collected", new=FILL.replace("            break", "            if server.queue.closed:\n"
                                                    "                return []\n            break"),
    ),
    Mutant(
        name="a closed queue is not noticed", old=FIRST, new="    batch = [server.queue.get()]\n",
        check="2.1/when_the_queue_closes", outcome="crashed",
    ),
    Mutant(
        name="looks every millisecond", old=FIRST, check="2.1/many_batches", hint="sleeping and checking again",
        new="""    while server.queue.empty():
        if server.queue.closed:
            return []
        server.clock.sleep(0.001)
    batch = [server.queue.get()]
""",
    ),
    Mutant(
        name="five milliseconds, whatever max_wait_s says", old="+ server.max_wait_s\n", new="+ 0.005\n",
        check="2.1/many_batches", hint="server.max_wait_s",
    ),
    Mutant(
        name="a batch that remembers", old="        batch = [server.queue.get()]\n",
        new="        batch = globals().setdefault('kept', [])\n        batch.append(server.queue.get())\n",
        check="2.1/many_batches", hint="is made once and kept",
    ),
    # -- 2.2 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="tokens given to the wrong request", old=STEP, new=STEP.replace("zip(batch,", "zip(batch[::-1],"),
        check="2.2/own_tokens", hint="order of the requests that you passed",
    ),
    Mutant(
        name="finished rows dropped from the step", old=STEP, check="2.2/all_rows_in_every_step",
        hint="including rows that have ended", new="rows = [request for request in batch if request in running]\n        "
        + STEP.replace("(batch, ", "(rows, ").replace("step(batch)", "step(rows)"),
    ),
    Mutant(
        name="one pass per request", old=STEP, check="2.2/all_rows_in_every_step", hint="once per step, with the whole list",
        new="for request, token in [(each, server.model.forward_one_step([each])[0]) for each in batch]:",
    ),
    Mutant(
        name="steps on to the largest max_tokens", old=RUN, check="2.2/stops_with_the_longest",
        hint="even if max_tokens would allow more",
        new=RUN.replace("while running:", "for _ in range(max(request.max_tokens for request in batch)):"),
    ),
    Mutant(
        name="ends with the first EOS", old=RUN, check="2.2/stops_with_the_longest", hint="while a request is still running",
        new=RUN.replace(NOT_EOS, "            if token == server.model.eos_token_id:\n                return\n" + NOT_EOS),
    ),
    Mutant(
        name="answers when a request ends", old=RUN, check="2.2/all_rows_in_every_step", outcome="crashed",
        hint="answering is the loop's job", new=RUN + "                server.respond(request)\n",
    ),
    Mutant(
        name="EOS stored", old=NOT_EOS, new="            request.append(token)\n", check="2.2/eos_is_not_stored",
        hint="ends a request and is not stored",
    ),
    Mutant(
        name="rows that have ended are written on", old=SKIP + NOT_EOS, new="            request.append(token)\n"
        + SKIP, check="2.2/ends_at_the_limit", hint="nothing is appended after that",
    ),
    Mutant(
        name="max_tokens off by one", old=RUN,
        new=RUN.replace("== request.max_tokens", ">= request.max_tokens - 1"),
        check="2.2/ends_at_the_limit", hint="in the step that produces its third token",
    ),
    Mutant(
        name="answers inside the run", old=RUN, new=RUN + "    for request in batch:\n        server.respond(request)\n",
        check="2.2/sends_no_answer", hint="answering is the loop's job",
    ),
    Mutant(
        name="the batch emptied", old=RUN, check="2.2/own_tokens", hint="took requests out of the list",
        new="""    rows = list(batch)
    while batch:
        for request, token in zip(rows, server.model.forward_one_step(rows)):
            if request not in batch:
                continue
            if token != server.model.eos_token_id:
                request.append(token)
            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                batch.remove(request)
""",
    ),
    Mutant(
        name="a set that remembers", old="    running = set(batch)\n", check="2.2/many_batches", hint="is made once and kept",
        new="""    known = globals().setdefault("known", set())
    running = {request for request in batch if request.request_id not in known}
    known.update(request.request_id for request in batch)
""",
    ),
    Mutant(
        name="rests after each step", old=RUN, check="2.2/many_batches", hint="nothing else takes time",
        new=RUN + "        server.clock.sleep(0.0001)\n",
    ),
    # -- 2.3 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="answers held until the workload ends", old=LOOP, check="2.3/the_scene_of_the_lab", hint="leave together",
        new="""    served = []
    while batch := collect_batch(server):
        run_full_inference(server, batch)
        served += batch
    for request in served:
        server.respond(request)
""",
    ),
    Mutant(
        name="collects while others could be served", old=LOOP, check="2.3/full_batch_starts_at_once", hint="row by row",
        new="""    batch = collect_batch(server)
    while batch:
        following = collect_batch(server)
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
        batch = following
""",
    ),
    Mutant(
        name="a late bus waits its time again", old=DEADLINE, check="2.3/wait_over_while_busy", hint="row by row",
        new="    deadline_s = max(batch[0].arrival_time_s, server.clock.time()) + server.max_wait_s\n",
    ),
    Mutant(
        name="one more step after EOS", old=RUN, check="2.3/eos_takes_its_step", hint="row by row", new=RUN
        + "    if token == server.model.eos_token_id:\n        server.model.forward_one_step(batch)\n",
    ),
    Mutant(
        name="shortest first out of the crowd", old=LOOP, check="2.3/a_crowd", hint="row by row",
        new=LOOP.replace("run_full_inference(server, batch)", "batch += collect_batch(server)\n"
                         "        batch.sort(key=lambda request: request.max_tokens)\n"
                         "        for half in (batch[:2], batch[2:]):\n"
                         "            run_full_inference(server, half)"),
    ),
    Mutant(
        name="always waits the full time", old=FILL, check="2.3/alone", hint="row by row",
        new="    server.clock.sleep(max(0.0, deadline_s - server.clock.time()))\n" + FILL,
    ),
    Mutant(
        name="the last batch is collected and not run", old=LOOP, check="2.3/everybody_is_answered",
        hint="its batch is still to be run", new="""    batch = collect_batch(server)
    while not server.queue.closed:
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
        batch = collect_batch(server)
""",
    ),
    Mutant(
        name="no request is answered", old=LOOP, check="2.3/everybody_is_answered", hint="no answer was sent",
        new=LOOP.replace("            server.respond(request)\n", "            pass\n"),
    ),
    Mutant(
        name="the first of each batch alone is answered", old=LOOP, check="2.3/the_scene_of_the_lab",
        hint="each request of the batch", new=LOOP.replace("in batch:", "in batch[:1]:"),
    ),
    Mutant(
        name="trusts empty()", old=LOOP, check="2.3/alone", hint="no request is waiting right now",
        new=LOOP.replace("while batch := collect_batch(server):", "while not server.queue.empty():\n        batch = collect_batch(server)"),
    ),
    Mutant(
        name="goes on without a batch", old=LOOP, check="2.3/alone", outcome="crashed", hint="ends when collect_batch returns",
        new=LOOP.replace("while batch := collect_batch(server):", "while True:\n        batch = collect_batch(server)\n"
                         "        if not batch:\n            continue"),
    ),
    Mutant(
        name="answers before it runs", old=LOOP, check="2.3/the_scene_of_the_lab", outcome="crashed",
        hint="Run the whole batch first", new=LOOP.replace("        run_full_inference(server, batch)\n", "")
        + "        run_full_inference(server, batch)\n",
    ),
    Mutant(
        name="goes on after the last batch", old=LOOP, check="2.3/alone", outcome="crashed",
        new=LOOP.replace("while batch := collect_batch(server):", "while True:\n        batch = collect_batch(server)"),
    ),
    Mutant(
        name="an answer loses tokens", old=LOOP, check="2.3/everybody_is_answered", hint="must not change an answer",
        new=LOOP.replace("            server", "            del request.output_token_ids[30:]\n            server"),
    ),
    Mutant(
        name="sleeps until a request comes", old=LOOP, check="2.3/many_runs", hint="The loop itself must not wait",
        new="""    while not server.queue.closed:
        if server.queue.empty():
            server.clock.sleep(0.001)
            continue
        batch = collect_batch(server)
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
""",
    ),
    Mutant(
        name="a hundred batches are enough", old=LOOP, check="2.3/many_runs", hint="still to come",
        new=LOOP.replace("while batch := collect_batch(server):", "for _ in range(100):\n        batch = collect_batch(server)\n"
                         "        if not batch:\n            return"),
    ),
    Mutant(
        name="a loop that remembers", old=LOOP, check="2.3/many_runs", hint="is made once and kept",
        new="    runs = globals().setdefault('runs', [])\n    runs.append(1)\n    if len(runs) > 9:\n        return\n" + LOOP,
    ),
    # -- 2.4, 2.5 ----------------------------------------------------------------------------------------------
    *lab02_values.MUTANTS,
    # -- 2.6 ----------------------------------------------------------------------------------------------------
    Mutant(
        name="a bus that rests after each round", old=LOOP, new=LOOP + "        server.clock.sleep(0.002)\n",
        check="2.6/hand_worked_timeline", hint="which batch started too early or too late",
    ),
    Mutant(
        name="goes on collecting for a while", old=DEADLINE, check="2.6/p95", hint="it is too high",
        new="    deadline_s = server.clock.time() + 2 * server.max_wait_s\n",
    ),
    Mutant(
        name="answers sent early", old=RUN, check="2.6/no_answer_is_early", hint="before the longest member",
        new="""    while running:
        rows = [request for request in batch if request in running]
        for request, token in zip(rows, server.model.forward_one_step(rows)):
            if token != server.model.eos_token_id:
                request.append(token)
            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                running.remove(request)
                server.respond(request)
    batch.clear()
""",
    ),
    Mutant(
        name="long answers cut", old=LOOP, check="2.6/answers_are_unchanged", hint="a token was lost",
        new=LOOP.replace("            server", "            del request.output_token_ids[40:]\n            server"),
    ),
    Mutant(
        name="early: answers wait for the batch", old=EARLY_LEAVE, check="2.7/answers_leave_at_once",
        hint="in the step in which a request ends",
        new=EARLY_LEAVE.replace("server.respond(request)", "server.clock.sleep(0.001), server.respond(request)"),
    ),
    Mutant(
        name="early: ended rows ride along", old=EARLY_COLLECT, check="2.7/no_row_for_nothing",
        hint="only the requests that are still running", new="static_batch_loop(server)\n    while running := collect_batch(server):",
    ),
    Mutant(
        name="early: waits before each batch", old=EARLY_COLLECT, check="2.7/the_latencies_of_the_study",
        hint="as soon as the last one has ended",
        new="while running := (server.queue.empty() or server.clock.sleep(0.0002), collect_batch(server))[1]:",
    ),
    *fresh.BY_LAB["02"],
    *first_message.BY_LAB["02"],
    *by_hand.BY_LAB["02"],
)
