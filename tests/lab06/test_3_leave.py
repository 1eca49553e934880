"""Exercise 6.3: who leaves, and what stays until memory is needed."""

import random

from tests.grader.check import check
from tests.grader.outcomes import t
from tests.lab06.prefix_story import Model, expect_caches_apart, expect_story

FIRST = ("grow", 0, 4), ("publish", 0, [11, 12, 13])


@check("6.3", points=2, en="a block is in use until the last of its holders leaves",
       es="un bloque está en uso hasta que sale la última secuencia que lo tiene")
def test_until_the_last_leaves(student):
    expect_story(student, 9, [
        *FIRST, ("share", 1, [11, 12]), ("grow", 1, 4), ("free", 0), ("share", 2, [11, 12, 13]), ("free", 1), ("free", 2),
    ], t(
        "free lowers num_holders of each block of the table by one. Only a block without holders becomes idle (if it has a "
        "key) or free (if it has none) (section 6.1)",
        "free resta uno a num_holders de cada bloque de la tabla. Solo un bloque que ya no usa ninguna secuencia pasa a "
        "ocioso (si tiene clave) o a libre (si no la tiene) (sección 6.1)",
    ))


@check("6.3", points=1, en="an idle block can still be found", es="un bloque ocioso aún se encuentra")
def test_found_while_idle(student):
    expect_story(student, 9, [*FIRST, ("free", 0), ("share", 1, [11, 12, 13]), ("free", 1), ("share", 2, [11])], t(
        "blocks with a key keep their K and V when their sequence leaves: they stay in block_of and go to idle (section 6.1)",
        "los bloques con clave conservan sus K y V cuando su secuencia sale: siguen en block_of y pasan a idle (sección 6.1)",
    ))


@check("6.3", points=2, en="evicts the block that has been unused the longest",
       es="desaloja el bloque que lleva más tiempo sin uso")
def test_longest_unused_first(student):
    hint = t(
        "evict takes the first of idle, so that must be the block that has been idle the longest: a block that becomes idle "
        "goes to the end (self.idle[block] = None), even if it was idle and shared before (section 6.1)",
        "evict toma el primero de idle, así que ese ha de ser el que lleva más tiempo ocioso: el que pasa a ocioso va al final "
        "(self.idle[bloque] = None), aunque antes ya estuviera ocioso y se compartiera (sección 6.1)",
    )
    used = [("grow", i, 1) for i in range(3)] + [("publish", i, [i + 50]) for i in range(3)] + [("free", i) for i in (1, 0, 2)]
    expect_story(student, 3, [*used, ("grow", 7, 1), ("grow", 8, 1), ("grow", 9, 2)], hint, of_order=hint)
    expect_story(student, 3, [*used, ("share", 7, [51]), ("free", 7), ("grow", 8, 2), ("share", 9, [51])], hint, of_order=hint)


@check("6.3", points=1, en="the end of a sequence goes before its beginning", es="el final de una secuencia se va antes que su comienzo")
def test_end_first(student):
    hint = t(
        "go through the table from its last block to its first: the last becomes idle first, so it is evicted first. In the "
        "opposite order, the first block would be evicted, and those after it could never be found again (section 6.1)",
        "recorre la tabla del último bloque al primero: el último queda ocioso antes y se desaloja antes. Al revés se iría "
        "el primer bloque, y los de detrás no se encontrarían nunca más (sección 6.1)",
    )
    expect_story(student, 4, [
        ("grow", 0, 4), ("publish", 0, [11, 12, 13, 14]), ("free", 0), ("grow", 1, 2), ("share", 2, [11, 12, 13, 14]),
    ], hint, of_order=hint)


@check("6.3", points=2, en="no block is ever lost", es="nunca se pierde ningún bloque", negative=True)
def test_conserved(student):
    hint = t(
        "after every call each block is free, idle or held, and counted once for each sequence that holds it "
        "(exercises 6.2 and 6.3; section 6.1)",
        "tras cada llamada cada bloque está libre, ocioso o en uso, y se cuenta una vez por cada secuencia que lo tiene "
        "(ejercicios 6.2 y 6.3; sección 6.1)",
    )
    stories = [(num_blocks, random_calls(random.Random(seed), num_blocks)) for seed, num_blocks in enumerate((6, 9, 14))]
    for story in stories:
        expect_story(student, *story, hint)
    expect_caches_apart(student, stories, hint)


def random_calls(rng: random.Random, num_blocks: int, count: int = 90) -> list[tuple]:
    """What a server asks of a cache: sequences of three families come, share, compute, grow and leave."""
    model, calls, inside, number = Model(num_blocks), [], {}, 0

    def call(name, *args):
        calls.append((name, *args))
        return getattr(model, name)(*args)

    while len(calls) < count:
        number += 1
        family, length = rng.randrange(3), rng.randint(1, num_blocks // 2)
        keys = [100 * family + i + (40 * number if i >= 3 and rng.random() < 0.5 else 0) for i in range(length)]
        call("share", number, keys)
        if call("grow", number, length):
            inside[number] = keys
            call("publish", number, keys[: rng.randint(0, length)])
        else:
            call("free", number)
        while inside and (rng.random() < 0.5 or len(inside) > 3):
            leaves = rng.choice(sorted(inside))
            if rng.random() < 0.7:
                call("publish", leaves, inside[leaves])
            inside.pop(leaves)
            call("free", leaves)
    return calls
