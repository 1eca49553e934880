"""Exercise 6.2: blocks that are found by their keys, and shared."""

from tests.grader.check import check
from tests.grader.outcomes import t
from tests.lab06.prefix_story import expect_caches_apart, expect_story

FIRST = ("grow", 0, 4), ("publish", 0, [11, 12, 13])


@check("6.2", points=2, en="shares the prefix that is cached", es="comparte el comienzo que ya está en la caché")
def test_shares_the_beginning(student):
    hint = t(
        "go through the keys while they are found; put each block that is found into the new table. Return how many there are (section 6.1)",
        "recorre las claves mientras se encuentren; pon cada bloque encontrado en la tabla nueva. Devuelve cuántos son "
        "(sección 6.1)",
    )
    expect_story(student, 20, [*FIRST, ("share", 1, [11, 12, 13]), ("share", 2, [11, 12, 99]), ("share", 3, [11])], hint)
    expect_story(student, 20, [
        *FIRST, ("share", 5, [11, 12]), ("grow", 5, 4), ("publish", 5, [11, 12, 53, 54]), ("share", 6, [11, 12, 53, 54, 55]),
    ], hint)


@check("6.2", points=1, en="a shared block is no longer idle", es="un bloque compartido ya no está ocioso")
def test_takes_out_of_idle(student):
    """Without the student's own `free`, which comes later: what it would leave behind is put there."""
    hint = t(
        "(leave(0, 3): the first sequence is gone, and its three blocks are idle). Idle blocks can be found as well: a block "
        "that is shared leaves idle, or it would be evicted while in use; the others stay there (section 6.1)",
        "(leave(0, 3): la primera secuencia ya no está, y sus tres bloques están ociosos). También se encuentran los bloques "
        "ociosos: el que se comparte sale de idle, o lo desalojarían aunque esté en uso; los demás siguen ahí (sección 6.1)",
    )
    idle = ("grow", 0, 3), ("publish", 0, [11, 12, 13]), ("leave", 0, 3)
    stories = [[*idle, ("share", 1, keys), ("share", 2, [11, 12]), ("grow", 2, 4), ("share", 3, [11])]
               for keys in ([11, 12, 13], [11, 12, 99], [11], [99], [])]
    for calls in stories:
        expect_story(student, 8, calls, hint)
    expect_caches_apart(student, [(8, stories[1]), (8, stories[0]), (8, stories[3])], hint)


@check("6.2", points=1, en="stops at the first key that is not found", es="se detiene en la primera clave que no encuentra",
       negative=True)
def test_stops_at_a_gap(student):
    expect_story(student, 20, [*FIRST, ("share", 1, [99, 12, 13]), ("share", 2, [11, 99, 13]), ("share", 3, [])], t(
        "a block is useful only after all those before it: the shared part ends at the first key that is not found. A "
        "sequence that shares nothing has an empty table (section 6.1)",
        "un bloque solo sirve detrás de todos los anteriores: en la primera clave que no se encuentra acaba la parte "
        "compartida. Una secuencia que no comparte nada tiene una tabla vacía (sección 6.1)",
    ))


@check("6.2", points=1, en="counts the holders of a block", es="cuenta cuántas secuencias tienen cada bloque")
def test_counts_holders(student):
    hint = t(
        "each shared block gets one more holder: num_holders counts the tables that it appears in (section 6.1)",
        "a cada bloque compartido lo usa una secuencia más: num_holders cuenta en cuántas tablas está (sección 6.1)",
    )
    calls = [*FIRST, ("share", 1, [11, 12]), ("share", 2, [11]), ("grow", 2, 3), ("share", 3, [11, 12, 13]), ("grow", 1, 3)]
    expect_story(student, 20, calls, hint)
    others = [*FIRST, ("share", 4, [11, 12, 13]), ("share", 2, [12]), ("grow", 2, 5), ("publish", 2, [51, 52]), ("share", 3, [51])]
    expect_caches_apart(student, [(20, calls), (12, others)], hint)
