"""Wrong schedulers, each with a mistake that students are bound to make."""

from tests.mutants import by_hand, first_message, fresh, lab03_first_message, lab03_values
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
GROUP_FREE = "free = server.max_inflight - len(in_flight)"
GROUP_SIZES = "group, patience_s = 2, 0.010"

MUTANTS = (
    Mutant(
        name="LIFO admission", old=TAKE, check="3.1/oldest_first", hint="only as many as there are free slots",
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
        name="admits one a step", old=ADMIT_LOOP, check="3.1/fills_every_free_slot", hint="fill every free slot",
        new="if len(in_flight) < server.max_inflight and not server.queue.empty():",
    ),
    Mutant(
        name="cap exceeded by one", old="len(in_flight) < server.max_inflight", new="len(in_flight) <= server.max_inflight",
        check="3.1/keeps_to_the_cap", hint="comparison with max_inflight",
    ),
    Mutant(
        name="cap exceeded by one where slots are filled", old="len(in_flight) < server.max_inflight",
        new="len(in_flight) <= server.max_inflight", check="3.1/fills_every_free_slot", hint="more than max_inflight",
    ),
    Mutant(
        name="cap exceeded by one in random scenes", old="len(in_flight) < server.max_inflight",
        new="len(in_flight) <= server.max_inflight", check="3.1/many_scenes", hint="of them taken",
    ),
    Mutant(
        name="empty without its parentheses", old=ADMIT_LOOP, new=ADMIT_LOOP.replace("empty()", "empty"),
        check="3.1/fills_every_free_slot", hint="`empty` is a method",
    ),
    Mutant(
        name="empty without its parentheses, and the clock stands still", old=ADMIT_LOOP,
        new=ADMIT_LOOP.replace("empty()", "empty"), check="3.1/never_waits", hint="did not get its free slot",
    ),
    Mutant(
        name="get instead of get_nowait", old=ADMIT_LOOP + "\n        " + TAKE, check="3.1/never_waits", outcome="crashed",
        new="while len(in_flight) < server.max_inflight:\n        in_flight.append(server.queue.get())",
        hint="`get()` would wait",
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
        hint="leave the free slots empty", new="""while len(in_flight) < server.max_inflight and not server.queue.closed:
        if not server.queue.empty():
            in_flight.append(server.queue.get_nowait())""",
    ),
    Mutant(
        name="closed taken for empty", old=ADMIT_LOOP, new=ADMIT_LOOP.replace("empty()", "closed"), outcome="crashed",
        check="3.1/never_waits", hint="means something else",
    ),
    Mutant(
        name="waits if no request is in flight", old="    " + ADMIT_LOOP, check="3.1/never_waits", hint="waiting is the loop's job",
        new="    if not in_flight and server.queue.empty() and not server.queue.closed:\n"
        "        in_flight.append(server.queue.get())\n    " + ADMIT_LOOP,
    ),
    Mutant(
        name="the shortest of all that wait", old=ADMIT_LOOP + "\n        " + TAKE, check="3.1/oldest_first",
        hint="There is no need to sort", new="""waiting = []
    while not server.queue.empty():
        waiting.append(server.queue.get_nowait())
    waiting.sort(key=lambda request: request.max_tokens)
    in_flight.extend(waiting[: server.max_inflight - len(in_flight)])""",
    ),
    Mutant(
        name="counts admissions for good", old=ADMIT_LOOP, check="3.1/many_scenes", hint="later ones remember it",
        new="slots = admit.__dict__.setdefault('slots', [])\n    if len(slots) > 20:\n        return\n    slots.append(1)\n    " + ADMIT_LOOP,
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
        check="3.2/ends_at_the_limit", hint="the comparison is `>`",
    ),
    Mutant(
        name="takes out whoever has ended", old="            finished.append(request)\n", check="3.2/ends_at_the_limit",
        hint="until `retire`", new="            finished.append(request)\n            in_flight.remove(request)\n",
    ),
    Mutant(
        name="takes out requests that end with EOS", old="            finished.append(request)\n", hint="skips an item",
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
        check="3.2/one_pass_for_all", hint="including new ones",
    ),
    Mutant(
        name="answers whoever has ended", old="            finished.append(request)\n", check="3.2/only_computes",
        hint="the job of `retire`", new="            finished.append(request)\n            server.respond(request)\n",
    ),
    Mutant(
        name="rests after the step", old="    return finished\n", new="    server.clock.sleep(0.0001)\n    return finished\n",
        check="3.2/only_computes", hint="nothing else takes time",
    ),
    Mutant(
        name="one that ended a step", old="            finished.append(request)\n", check="3.2/many_batches",
        hint="several requests may end in the same step", new="            finished = finished or [request]\n",
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
            server.respond(request)""", check="3.3/frees_the_slots", hint="iterate over the list",
    ),
    Mutant(
        name="slot freed, answer forgotten", old=RETIRE, new="        in_flight.remove(request)",
        check="3.3/answers_at_once", hint="both answers leave then",
    ),
    Mutant(
        name="an empty answer does not count", old=RETIRE, check="3.3/many_scenes", hint="an empty answer is an answer, too",
        new="""        in_flight.remove(request)
        if request.num_output_tokens:
            server.respond(request)""",
    ),
    Mutant(
        name="EOS added on leaving", old=RETIRE, check="3.3/many_scenes", hint="retiring a request adds no token",
        new="        if not request.num_output_tokens:\n            request.append(server.model.eos_token_id)\n" + RETIRE,
    ),
    Mutant(
        name="response held until the batch is empty", old=LOOP, check="3.4/the_scene_of_the_lab",
        hint="its slot stayed taken", new="""        if not in_flight:
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
        hint="its slot stayed taken", new="""finished = []
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
        admit""", check="3.4/waits_when_idle", hint="a request should start when it arrives",
    ),
    Mutant(
        name="waits for a full batch", old=LOOP, check="3.4/starts_at_once", hint="no request waits for others",
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
        name="waits for another request in every turn", old="        if not in_flight:\n            in_flight.append(server",
        new="        if server.queue:\n            in_flight.append(server", check="3.4/the_scene_of_the_lab",
        outcome="crashed", hint="while requests were in flight",
    ),
    Mutant(
        name="retires one per call", old=RETIRE, check="3.3/frees_the_slots", hint="not one per call",
        new=RETIRE + "\n        break",
    ),
    Mutant(
        name="admits twice a turn", old=LOOP, check="3.4/keeps_to_the_cap_all_along", hint="must check the cap first",
        new="""        if not in_flight or not server.queue.empty():
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)""",
    ),
    Mutant(
        name="half of the slots", old=ADMIT_LOOP, new=ADMIT_LOOP.replace("server.max_inflight", "(server.max_inflight + 1) // 2"),
        check="3.4/equal_lengths_in_one_burst", hint="a slot stayed empty",
    ),
    Mutant(
        name="admits only next to one", old="        admit(server, in_flight)\n", check="3.4/no_slot_is_empty",
        hint="without any condition of your own", new="        if len(in_flight) <= 1:\n            admit(server, in_flight)\n",
    ),
    Mutant(
        name="the result of get is dropped", old="in_flight.append(server.queue.get())", new="server.queue.get()",
        check="3.4/the_scene_of_the_lab", hint="hands out each request only once",
    ),
    Mutant(
        name="ends when no request came for a while", old=LOOP, check="3.4/many_runs", hint="requests were still to come",
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
        name="a list of all runs", old="    in_flight = []\n", check="3.4/many_runs", hint="later ones remember it",
        new="    in_flight = []\n    runs = globals().setdefault('runs', [])\n    runs.append(1)\n    if len(runs) > 9:\n        return\n",
    ),
    Mutant(
        name="trusts empty()", old=LOOP_HEAD, new="while in_flight or not server.queue.empty():", check="3.4/everybody_is_answered",
        hint="`closed` says that no more will come",
    ),
    Mutant(
        name="waits although none will come", old=LOOP_HEAD, new="while True:", check="3.4/everybody_is_answered",
        outcome="crashed", hint="no more will come",
    ),
    Mutant(
        name="one who ended is forgotten", old="retire(server, in_flight, finished)\n    # END", check="3.4/everybody_is_answered",
        new="retire(server, in_flight, finished[:1])\n    # END", hint="retire all requests that ended in it",
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
        hint="both servers should complete everything",
    ),
    Mutant(
        name="long answers cut", old="        server.respond(request)\n", check="3.7/answers_are_unchanged",
        hint="a token was lost", new="        del request.output_token_ids[40:]\n        server.respond(request)\n",
    ),
    Mutant(
        name="grouped: alone it waits for company", old="not in_flight or ", new="",
        check="3.8/waits_are_bounded", outcome="crashed", hint="no request was in flight",
    ),
    Mutant(
        name="grouped: more than the slots", old=GROUP_FREE, new="free = 99", check="3.8/a_scheduler_all_the_same",
        hint="only as many as are free",
    ),
    Mutant(
        name="grouped: no groups", old=GROUP_SIZES, new="group, patience_s = 1, 0.010", check="3.8/beats_the_reference",
        hint="until two or more can be admitted",
    ),
    Mutant(
        name="grouped: endless patience", old=GROUP_SIZES, new="group, patience_s = 6, 1.0", check="3.8/costs_little_at_light_load",
        hint="Limit the wait",
    ),
    *lab03_values.MUTANTS,
    *fresh.BY_LAB["03"],
    *first_message.BY_LAB["03"],
    *lab03_first_message.MUTANTS,
    *by_hand.BY_LAB["03"],
)
