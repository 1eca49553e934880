"""Mistakes of first readers of Lab 03 whose first message used to name something else: each is named by now."""

from tests.mutants.mutant import Mutant

ADMIT = """while len(in_flight) < server.max_inflight and not server.queue.empty():
        in_flight.append(server.queue.get_nowait())"""
FINISHED = "            finished.append(request)\n"
BODY_OF_STEP = """    finished = []
    for request, token in zip(in_flight, server.model.forward_one_step(in_flight)):
"""
RETIRE = """        in_flight.remove(request)
        server.respond(request)"""
TOP_OF_LOOP = """    in_flight = []
    while in_flight or not server.queue.closed:
"""
WAIT_THEN_ADMIT = """        if not in_flight:
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished"""

MUTANTS = (
    Mutant(
        name="as many turns as slots", old=ADMIT, check="3.1/fills_every_free_slot", hint="count also those that were in flight",
        new="""for _ in range(server.max_inflight):
        if not server.queue.empty():
            in_flight.append(server.queue.get_nowait())""",
    ),
    Mutant(
        name="answers at once", old=FINISHED, new=FINISHED + "            server.respond(request)\n",
        check="3.2/eos_ends_and_is_not_stored", hint="the job of `retire`",
    ),
    Mutant(
        name="steps until one has ended", old=BODY_OF_STEP, check="3.2/each_gets_its_own_token", hint="one step only",
        new=BODY_OF_STEP.replace("    for", "    while not finished:\n      for"),
    ),
    Mutant(
        name="taken out of both lists", old=RETIRE, new=RETIRE + "\n        finished.remove(request)",
        check="3.3/frees_the_slots", hint="out of `in_flight` only",
    ),
    Mutant(
        name="answers the list", old=RETIRE, new="        in_flight.remove(request)\n    server.respond(finished)", outcome="crashed",
        check="3.3/frees_the_slots", hint="takes one request",
    ),
    Mutant(
        name="answers and keeps", old=RETIRE, new="        server.respond(request)",
        check="3.3/frees_the_slots", hint="with `in_flight.remove(request)`",
    ),
    Mutant(
        name="waits after it has admitted", old=WAIT_THEN_ADMIT, check="3.4/many_runs", hint="Also after `get()`",
        new="""        admit(server, in_flight)
        if not in_flight:
            in_flight.append(server.queue.get())
        finished""",
    ),
    Mutant(
        name="and for or", old=TOP_OF_LOOP, new=TOP_OF_LOOP.replace(" or not", " and not"),
        check="3.4/the_scene_of_the_lab", hint="`or`, not `and`",
    ),
    Mutant(
        name="a new list in every turn", old=TOP_OF_LOOP, check="3.4/the_scene_of_the_lab", hint="make that list once",
        new="    while not server.queue.closed:\n        in_flight = []\n",
    ),
)
