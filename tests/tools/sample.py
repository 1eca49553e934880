"""A lab of two exercises in the smallest repository: what the builders' own tests work on."""

from pathlib import Path

EXERCISES = '''
title.en = "Turns"
title.es = "Turnos"

[[exercise]]
id = "3.1"
function = "admit"
minutes = 10
needs = []
title.en = "Fill the free seats"
title.es = "Llena los slots libres"
hints.en = ["Who has waited longest?", "Take from the front until the seats are full."]
hints.es = ["¿Quién lleva más tiempo esperando?", "Toma del frente hasta llenar los slots."]

[[exercise]]
id = "3.2"
function = "Server.step"
minutes = 1
needs = ["3.1"]
title.en = "One step"
title.es = "Un paso"
hints.en = ["It calls what you wrote in 3.1."]
hints.es = ["Llama a lo que escribiste en 3.1."]

[[exercise]]
id = "3.3"
function = ""
minutes = 5
needs = ["3.1", "3.2"]
title.en = "Faster than before"
title.es = "Más rápido que antes"
hints.en = ["Compare the two pictures."]
hints.es = ["Compara los dos dibujos."]
'''

SOLUTION = '''"""Turns: who sits where, ¡año!"""

import queue

# BEGIN HIDDEN
import heapq as secret_tool
# END HIDDEN


def admit(server, in_flight):
    """Move waiting requests to the free seats."""
    # BEGIN SOLUTION 3.1
    # The queue is in order of arrival.
    while len(in_flight) < server.max_inflight:

        try:
            in_flight.append(server.queue.get_nowait())
        except queue.Empty: return
    # END SOLUTION


# BEGIN HIDDEN
def only_the_reference_needs_me():
    return secret_tool


# END HIDDEN
class Server:
    """Given, but for one method."""

    def __init__(self):
        self.max_inflight = 8  # so many seats

    def step(self):
        # BEGIN SOLUTION 3.2
        return admit(self, [])
        # END SOLUTION
'''

SKELETON = '''"""Turns: who sits where, ¡año!"""

import queue


def admit(server, in_flight):
    """Move waiting requests to the free seats."""
    # EXERCISE 3.1 (about 4 lines)
    raise NotImplementedError("exercise 3.1: admit")


class Server:
    """Given, but for one method."""

    def __init__(self):
        self.max_inflight = 8  # so many seats

    def step(self):
        # EXERCISE 3.2 (about 1 line)
        raise NotImplementedError("exercise 3.2: Server.step")
'''

SPANISH = '''
[[text]]
en = "Turns: who sits where, ¡año!"
es = "Turnos: quién se sienta dónde, ¡año!"

[[text]]
en = "Move waiting requests to the free seats."
es = """
Pasa las peticiones que esperan
a los slots libres.
"""

[[text]]
en = "Given, but for one method."
es = "Ya escrita, salvo un método."

[[text]]
en = "so many seats"
es = "tantos slots"
'''

SPANISH_SKELETON = '''"""Turnos: quién se sienta dónde, ¡año!"""

import queue


def admit(server, in_flight):
    """Pasa las peticiones que esperan
    a los slots libres.
    """
    # EJERCICIO 3.1 (unas 4 líneas)
    raise NotImplementedError("ejercicio 3.1: admit")


class Server:
    """Ya escrita, salvo un método."""

    def __init__(self):
        self.max_inflight = 8  # tantos slots

    def step(self):
        # EJERCICIO 3.2 (alrededor de una línea)
        raise NotImplementedError("ejercicio 3.2: Server.step")
'''

NOTEBOOK = '''
%% en
# Turns
Two requests share a batch of 2.5 rows.
%% es
# Turnos
Dos peticiones comparten un lote de 2,5 filas.
%% code
guess = None
%% exercise 3.1 en
Oldest first.
%% exercise 3.1 es
Primero la más antigua.
%% code
lab.check("3.1")
%% exercise 3.2 en
One step.
%% exercise 3.2 es
Un paso.
%% exercise 3.3 en
Look.
%% exercise 3.3 es
Mira.
'''


def write_sample(root: Path) -> Path:
    """Write the sample's four sources below a repository's root and return the lab's folder."""
    lab, solution = root / "labs" / "03_turns", root / "solutions" / "03_turns"
    lab.mkdir(parents=True)
    solution.mkdir(parents=True)
    (lab / "exercises.toml").write_text(EXERCISES, encoding="utf-8")
    (solution / "turns.py").write_text(SOLUTION, encoding="utf-8")
    (solution / "skeleton.es.toml").write_text(SPANISH, encoding="utf-8")
    (solution / "notebook.md").write_text(NOTEBOOK, encoding="utf-8")
    return lab
