"""Exercise 5.1: the block manager. Every block is free or in one table, and a token is stored where the table says."""

from minigpt.workloads.memory_pressure import long_sequences
from tests.grader.check import check
from tests.grader.objects_apart import expect_apart
from tests.grader.outcomes import Text, expect, expect_equal, explained_by, is_same, t
from tests.lab05.block_stories import Story, expect_no_exception, random_story
from tests.lab05.oracles import blocks_for

SIZE = 16
OTHER_SIZES = (1, 4, 7)
SHOWN = ("lengths",)


def expect_as_due(student, story: Story, hint: Text) -> None:
    found = story.first_difference(story.play(student))
    if found:
        expect(False, expected=found[1], got=found[2], hint=hint)


def free_after(student, num_blocks: int, block_size: int, *calls: tuple) -> int:
    """How many blocks are free after these calls: as many as sequences of one token still fit."""
    probes = [("allocate", 10_000 + i, 1) for i in range(num_blocks + 1)]
    told = student.play("BlockManager", [num_blocks, block_size], [*calls, *probes])
    for call, each in zip((*calls, *probes), told):
        expect_no_exception(call, each)
    results = [each["result"] for each in told[len(calls):]]
    return results.index(False) if False in results else len(results)


@check("5.1", points=1, en="takes as many blocks as the tokens need", es="toma tantos bloques como necesitan los tokens")
def test_takes_what_is_needed(student):
    told = student.play("BlockManager", [3, SIZE], [("allocate", i, 1) for i in range(4)])
    for i, each in enumerate(told):
        expect_no_exception(("allocate", i, 1), each)
    expect_equal([each["result"] for each in told], [True, True, True, False], hint=t(
        "(results of allocate for four sequences of one token, with 3 blocks): allocate may take every free block, "
        "including the last one; remove allocated blocks from free_blocks; if too few are free, return False, not None "
        "(section 5.1)",
        "(resultados de allocate para cuatro secuencias de un token, con 3 bloques): basta con los bloques libres justos, "
        "incluido el último; quita de free_blocks los que asignes; y si no alcanzan los libres, devuelve False, no None "
        "(sección 5.1)",
    ))
    expect_unknown_to_be_an_error(student)
    student.play("BlockManager", [3, SIZE], [("allocate", i, 1) for i in range(4)])
    second = student.play("BlockManager", [3, SIZE], [("free", 1), ("allocate", 2, 16)], again=True)
    found = [each["raised"] or each["result"] for each in second]
    expect_equal(found, ["ValueError", True], hint=t(
        "(free(1) and allocate(2, 16) of a second manager, after a first one gave blocks to 0, 1 and 2): a new manager starts "
        "empty. Whatever is defined in the class body, or as a default argument, is shared by all managers: create tables and "
        "lists in __init__ (section 5.1)",
        "(free(1) y allocate(2, 16) de un segundo gestor, después de que uno anterior diera bloques a 0, 1 y 2): un gestor "
        "nuevo empieza vacío. Lo que se define en el cuerpo de la clase, o como argumento por defecto, lo comparten todos los "
        "gestores: crea tablas y listas en __init__ (sección 5.1)",
    ))
    lengths = (1, 16, 17, 40, 48)
    found = [20 - free_after(student, 20, SIZE, ("allocate", 0, length)) for length in lengths]
    expect(found != [1, 2, 2, 3, 4], expected=[1, 1, 2, 3, 3], got=found, hint=t(
        "(blocks for 1, 16, 17, 40 and 48 tokens, 16 per block): 16 tokens fill one block, and 48 fill three. `n // size + 1` is "
        "one block too many where nothing is left over: round up, with -(-n // size) or math.ceil(n / size) (section 5.1)",
        "(bloques para 1, 16, 17, 40 y 48 tokens, 16 por bloque): 16 tokens llenan un bloque y 48 llenan tres. `n // size + 1` es "
        "un bloque de más donde no sobra nada: redondea hacia arriba, con -(-n // size) o math.ceil(n / size) (sección 5.1)",
    ))
    expect_equal(found, [1, 1, 2, 3, 3], hint=t(
        "(blocks for 1, 16, 17, 40 and 48 tokens, 16 per block): a partly filled block counts in full: round up (section 5.1)",
        "(bloques para 1, 16, 17, 40 y 48 tokens, 16 por bloque): un bloque a medio llenar cuenta entero: redondea hacia "
        "arriba (sección 5.1)",
    ))
    cases = [(size, length) for size in OTHER_SIZES for length in (1, 2 * size - 1, 2 * size, 2 * size + 1)]
    found = [20 - free_after(student, 20, size, ("allocate", 0, length)) for size, length in cases]
    expect_equal(found, [blocks_for(length, size) for size, length in cases], hint=t(
        f"(number of blocks for these pairs of block size and tokens: {cases}): self.block_size is not always 16 (section 5.1)",
        f"(número de bloques para estos pares de tamaño de bloque y tokens: {cases}): self.block_size no es siempre 16 "
        "(sección 5.1)",
    ))


def expect_unknown_to_be_an_error(student) -> None:
    [told] = student.play("BlockManager", [3, SIZE], [("free", 1)])
    expect_equal(told["raised"] or told["result"], "ValueError", hint=t(
        "(free(1) of a new manager): a sequence that holds no blocks cannot be freed: ask whether it is in tables, and raise "
        "ValueError (section 5.1)",
        "(free(1) en un gestor nuevo): una secuencia que no tiene bloques no se puede liberar: comprueba si está en tables y "
        "lanza ValueError (sección 5.1)",
    ))


NEVER_GROWS = t(
    "(blocks after 14 tokens and after each of four more): append has taken no block for the 17th token. It has to "
    "count each token in lengths[request_id], and compare that with what the table's blocks hold (section 5.1)",
    "(bloques tras 14 tokens y tras cada uno de cuatro más): append no tomó ningún bloque para el 17.º token. Debe contar "
    "cada token en lengths[request_id] y comparar esa cuenta con lo que cabe en los bloques de la tabla (sección 5.1)",
)


@check("5.1", points=1, en="a new block only when the last one is full",
       es="un bloque nuevo solo cuando el último está lleno")
def test_grows_when_full(student):
    grown = [("allocate", 0, 14), *[("append", 0)] * 4]
    found = [8 - free_after(student, 8, SIZE, *grown[: i + 1]) for i in range(len(grown))]
    expect_equal(found, [1, 1, 1, 2, 2], hint=NEVER_GROWS if found == [1] * 5 else t(
        "(blocks after 14 tokens and after each of four more): the 15th and 16th tokens fit into the first block, the 17th "
        "opens the second (section 5.1)",
        "(bloques tras 14 tokens y tras cada uno de cuatro más): el 15.º y el 16.º caben en el primer bloque; el 17.º "
        "abre "
        "el segundo (sección 5.1)",
    ))
    for size in (SIZE, *OTHER_SIZES):
        expect_each_token_counted(student, size)


def expect_each_token_counted(student, size: int) -> None:
    """Two sequences grow in turn, by more than two blocks each."""
    story, due = Story(12, size), []
    for call in [("allocate", 3, size + 1), ("allocate", 5, size), *[("append", 5), ("append", 3)] * (2 * size + 1)]:
        getattr(story, call[0])(*call[1:])
        due.append(story.num_free)
    hint = t(
        "append returns True whenever there is a place for the token, in the last block or in a new one, and counts each "
        "token once, for its own sequence: lengths[request_id] (section 5.1)",
        "append devuelve True siempre que haya sitio para el token, en el último bloque o en uno nuevo, y cuenta cada token "
        "una vez, en su propia secuencia: lengths[request_id] (sección 5.1)",
    )
    expect_as_due(student, story, hint)
    for at in (len(due) // 2, len(due) - 2, len(due) - 1):
        found = free_after(student, 12, size, *story.calls[: at + 1])
        expect(found == due[at], expected=story.told_until(at, t(f"{due[at]} free blocks after", f"{due[at]} bloques libres tras")),
               got=found, hint=hint)


@check("5.1", points=1, en="a refusal takes no blocks", es="si devuelve False, no toma bloques")
def test_refuses_cleanly(student):
    calls = ("allocate", 0, 32), ("allocate", 1, 17), ("allocate", 2, 16), ("append", 0), ("free", 2), ("append", 0)
    story = Story(3, SIZE)
    for name, *args in calls:
        getattr(story, name)(*args)
    expect_as_due(student, story, t(
        "if too few blocks are free, return False and take nothing; when a block is free again, append finds it (section 5.1)",
        "si no alcanzan los bloques libres, devuelve False y no tomes nada; cuando un bloque vuelve a estar libre, append lo "
        "encuentra (sección 5.1)",
    ))
    expect_no_trace_of_a_no(student)
    found = [free_after(student, 3, SIZE, *calls[: i + 1]) for i in range(len(calls))]
    expect_equal(found, [1, 1, 0, 0, 1, 0], hint=t(
        "(free blocks after each of these calls): an allocate or append that returns False takes no blocks, even if some are "
        "free: it changes nothing (section 5.1)",
        "(bloques libres tras cada una de estas llamadas): un allocate o append que devuelve False no toma bloques, aunque "
        "queden libres: no cambia nada (sección 5.1)",
    ))


def expect_no_trace_of_a_no(student) -> None:
    full = Story(2, 4)
    full.allocate(0, 3), full.allocate(1, 4), full.append(0)
    expect_as_due(student, full, t(
        "no block is free, but the sequence's last block has a free place: this append needs no new block (section 5.1)",
        "no hay bloques libres, pero el último bloque de la secuencia tiene un sitio libre: este append no necesita un "
        "bloque nuevo (sección 5.1)",
    ))
    counted = Story(2, 4)
    counted.allocate(0, 4), counted.allocate(1, 1)
    for _ in range(3):
        counted.append(0)
    counted.free(1)
    for _ in range(5):
        counted.append(0)
    expect_as_due(student, counted, t(
        "an append that returns False must not count the token either; otherwise lengths counts more tokens than the blocks "
        "hold (section 5.1)",
        "un append que devuelve False tampoco debe contar el token; si no, lengths indica más tokens de los que hay en los "
        "bloques (sección 5.1)",
    ))
    left = Story(2, 4)
    left.allocate(0, 9), left.allocate(0, 8)
    hint = t(
        "an allocate that returns False leaves no trace of the sequence, neither in tables nor in lengths "
        "(section 5.1)",
        "un allocate que devuelve False no deja rastro de la secuencia, ni en tables ni en lengths (sección 5.1)",
    )
    expect_as_due(student, left, hint)
    kept = student.play("BlockManager", [2, 4], [("allocate", 0, 9)], ("lengths", "tables"))[0]["shown"]
    found = {name: value for name, value in kept.items() if isinstance(value, dict)}
    expect_equal(found, {name: {} for name in found}, hint=hint)


@check("5.1", points=2, en="a token is stored where its table says", es="un token está donde dice su tabla", needs_torch=True)
def test_place(student):
    """Three sequences grow in turn, so that their blocks are mixed; then the real K and V are looked up."""
    story, written = mixed_story()
    told = story.play(student)
    expect_places(story, told)
    places = {where: told[at[-1]]["result"] for where, at in written.items()}
    expect_pairs(places)
    moved = [where for where, at in written.items() if not all(is_same(told[i]["result"], places[where]) for i in at)]
    expect_equal(moved, [], hint=t(
        "(sequence and position of tokens whose place changed after later appends): K and V are never moved: append adds new "
        "blocks at the end of the table and keeps its order, and place counts rows from the table's beginning (section 5.1)",
        "(secuencia y posición de tokens cuyo sitio cambió tras appends posteriores): K y V no se mueven nunca: append añade "
        "los bloques nuevos al final de la tabla y conserva su orden, y place cuenta las filas desde el principio (sección 5.1)",
    ))
    expect_same_logits(places, {i: max(p for j, p in places if j == i) + 1 for i in (2, 4, 7)})


def expect_places(story: Story, told: list[dict]) -> None:
    """Fail the check if a call raised; where it is `place`, the table is too short."""
    with explained_by(t(
        "(a token that was appended has no block): each block that append takes goes to the end of its sequence's table, "
        "block 0 like any other, though 0 counts as false (section 5.1)",
        "(un token añadido no tiene bloque): cada bloque que toma append va al final de la tabla de su secuencia, también el "
        "bloque 0, aunque 0 cuente como falso (sección 5.1)",
    )):
        story.first_difference(told)


def mixed_story() -> tuple[Story, dict]:
    """Sequences 2, 4 and 7 on blocks that others have left out of order; where each token was written, and is later."""
    story, written = Story(16, 4), {}
    for i in range(8, 12):
        story.allocate(i, 8)

    def ask(request_id, position):
        written.setdefault((request_id, position), []).append(len(story.calls))
        story.place(request_id, position)

    for i, length in ((2, 3), (4, 5), (7, 7)):
        story.allocate(i, length)
        for position in range(length):
            ask(i, position)
    for i in (9, 11, 8, 10):
        story.free(i)
    for step in range(27):
        request_id = (2, 4, 7)[step % 3]
        story.append(request_id)
        ask(request_id, story.lengths[request_id] - 1)
    for where in list(written):
        ask(*where)
    return story, written


def expect_pairs(places: dict) -> None:
    """Each place is (block of the pool, place in it): the same block for four tokens in turn, and for no others."""
    is_pair = all(isinstance(p, (list, tuple)) and len(p) == 2 and type(p[0]) is type(p[1]) is int for p in places.values())
    at = {where: place[1] if is_pair else place for where, place in places.items()}
    expect_equal(at, {where: where[1] % 4 for where in places}, hint=t(
        "(place in its block of each token, by sequence and position): return (block, place in the block), with 4 tokens per "
        "block, counted from 0: token 5 is the second of its sequence's second block (section 5.1)",
        "(sitio en su bloque de cada token, por secuencia y posición): devuelve (bloque, sitio en el bloque), 4 tokens "
        "por bloque, contando desde 0: el token 5 es el segundo del segundo bloque de su secuencia (sección 5.1)",
    ))
    holders = {}
    for (i, position), (block, _) in places.items():
        holders.setdefault(block, set()).add((i, position // 4))
    wrong = {block: sorted(those) for block, those in holders.items() if len(those) > 1 or not 0 <= block < 16}
    expect_equal(wrong, {}, hint=t(
        "(blocks that hold more than one (sequence, block of the sequence), or do not belong to the pool): block 5 // 4 = 1 "
        "of a sequence is the second entry *of its table*: return the block id in that entry (section 5.1)",
        "(bloques que contienen más de un (secuencia, bloque de la secuencia), o que no son del pool): el bloque 5 // 4 = 1 "
        "de una secuencia es el segundo elemento *de su tabla*: devuelve el id que está ahí (sección 5.1)",
    ))


def expect_same_logits(places, lengths) -> None:
    """Attention over these blocks gives the logits of the cache of Lab 01, and K is stored where `place` says."""
    import torch

    from minigpt.llm.checkpoint_io import random_model
    from minigpt.llm.kv_cache import KVCache
    from minigpt.llm.model import Config
    from minigpt.llm.paged_kv_cache import PagedKVCache

    config = Config(width=32, num_layers=2, num_heads=4, head_size=8, ffn_width=48, context=64)
    model = random_model(config, seed=1)
    ids = list(lengths)
    prompts = [[(7 * i + k) % 250 for k in range(lengths[i] - 1)] for i in ids]
    slots, paged = KVCache(config, 3), PagedKVCache(config, 16, 4, 3)
    for row, i in enumerate(ids):
        slots.allocate(), paged.allocate()
        paged.set_table(row, [places[i, position][0] for position in range(0, lengths[i], 4)])
    for cache in (slots, paged):
        model.prefill(prompts, cache, [0, 1, 2])
    both = [model.decode_step([5, 6, 7], cache, [0, 1, 2]) for cache in (slots, paged)]
    keys = all(torch.equal(paged.k[0, b, 0, at], slots.k[0, ids.index(i), p]) for (i, p), (b, at) in places.items())
    expect(keys and torch.allclose(*both, atol=1e-5), expected=t("the same logits", "los mismos logits"),
           got=f"{float((both[0] - both[1]).abs().max()):.3g}", hint=t(
        "(largest difference): two sequences share a block, or a token is looked up in another sequence's block (section 5.1)",
        "(mayor diferencia): dos secuencias comparten un bloque, o un token se busca en el bloque de otra secuencia (sección "
        "5.1)",
    ))


@check("5.1", points=2, en="free and used blocks always add up to the pool",
       es="bloques libres y ocupados suman siempre el pool entero", negative=True)
def test_conserved(student):
    hint = t(
        "after every call each block is either free or in exactly one table. If a block is found twice, or more are free than "
        "exist, it was freed twice, or taken but left among the free blocks. If you get False although blocks should be free, "
        "a block was never freed (section 5.1)",
        "tras cada llamada, cada bloque está libre o en una sola tabla. Si un bloque aparece dos veces, o hay más libres de "
        "los que existen, se liberó dos veces, o se tomó sin quitarlo de los libres. Si obtienes False cuando debería haber "
        "bloques libres, alguno nunca se liberó (sección 5.1)",
    )
    stories = [random_story(seed, *pool) for seed, pool in enumerate(((12, 4), (7, 1), (9, 16), (12, 4)))]
    for story, looks in stories:
        expect_story(story, looks, story.play(student, SHOWN), hint)
    expect_apart(
        student, "BlockManager", [([story.num_blocks, story.block_size], story.calls) for story, _ in stories], SHOWN,
        lambda number, told: expect_story(*stories[number], told, hint), section=t(" (section 5.1)", " (sección 5.1)"),
    )


def expect_story(story: Story, looks: list[dict], told: list[dict], hint: Text) -> None:
    """Fail the check unless a random story went as it is due, and at every look each block was in one place."""
    found = story.first_difference(told)
    if found:
        expect(False, expected=found[1], got=found[2], hint=hint)
    for asked in looks:
        expect_distinct({where: told[at]["result"] for where, at in asked.items()}, story.num_blocks, hint)
    expect_forgotten(told[-1]["shown"]["lengths"])


def expect_distinct(blocks: dict, num_blocks: int, hint: Text) -> None:
    """Each block of the sequences is one of the pool's, and no two are the same."""
    holder = {}
    for (request_id, _), place in blocks.items():
        block = place[0] if isinstance(place, (list, tuple)) and place else place
        ok = type(block) is int and 0 <= block < num_blocks
        expect(ok, expected=t(f"a block from 0 to {num_blocks - 1}", f"un bloque de 0 a {num_blocks - 1}"), got=place,
               hint=hint)
        once = t("each block once", "cada bloque una vez")
        expect(block not in holder, expected=once, hint=hint, got=t(
            f"block {block} is held by sequences {holder.get(block)} and {request_id}",
            f"el bloque {block} está en las secuencias {holder.get(block)} y {request_id}"))
        holder[block] = request_id


def expect_forgotten(lengths) -> None:
    """Only the last sequence of a story is still there."""
    if isinstance(lengths, dict):
        expect_equal(sorted(lengths), [99], hint=t(
            "(ids in lengths when all but sequence 99 have left): remove a sequence from lengths too when it leaves, or a "
            "server that runs for weeks fills up with them (section 5.1)",
            "(ids en lengths cuando ya salieron todas menos la 99): borra también de lengths la secuencia que sale, o un "
            "servidor que funcione semanas se llenará de ellas (sección 5.1)",
        ))


@check("5.1", points=1, en="a second free is an error", es="liberar por segunda vez es un error")
def test_freed_once(student):
    calls = ("allocate", 0, 20), ("allocate", 1, 20), ("free", 0), ("free", 0), ("free", 7)
    told = student.play("BlockManager", [4, SIZE], list(calls))
    expect_equal([each["raised"] for each in told], [None, None, None, "ValueError", "ValueError"], hint=t(
        "(what each call raised): freeing a sequence that has left, or never arrived, is an error of the caller: raise "
        "ValueError, or its blocks could be handed out twice (section 5.1)",
        "(qué lanzó cada llamada): liberar una secuencia que ya salió, o que nunca llegó, es un error de quien llama: lanza "
        "ValueError, o sus bloques podrían entregarse dos veces (sección 5.1)",
    ))
    again = Story(4, SIZE)
    for num_tokens in (20, 40, 64):
        again.allocate(3, num_tokens), again.append(3), again.free(3), again.free(3)
    expect_as_due(student, again, t(
        "a preempted sequence comes back with the same id: it must be possible to allocate and free it again (section 5.1)",
        "una secuencia desalojada vuelve con el mismo id: debe poder asignarse y liberarse de nuevo (sección 5.1)",
    ))


@check("5.1", points=1, en="wastes half a block per sequence: under 4 % on long ones",
       es="desperdicia medio bloque por secuencia: menos del 4 % en las largas")
def test_waste(student):
    lengths = [len(item.prompt_token_ids) + len(item.answer) for item in long_sequences(60, seed=5).items]
    due = sum(blocks_for(length, SIZE) for length in lengths)
    # One block too few in the pool for them: the last sequence must be refused. In a pool of just enough all fit.
    calls = [("allocate", i, length) for i, length in enumerate(lengths)]
    results = [[each["result"] for each in student.play("BlockManager", [num, SIZE], calls)] for num in (due, due - 1)]
    num_placed = [row.count(True) for row in results]
    expect_equal(num_placed, [60, 59], hint=t(
        f"(how many sequences of about 600 tokens fit, in pools of {due} and {due - 1} blocks): 60 take {due} blocks, a waste "
        "of 1.3 %: only the last block of a sequence may have empty places (section 5.1)",
        f"(cuántas secuencias de unos 600 tokens caben, en pools de {due} y {due - 1} bloques): 60 ocupan {due} bloques, un "
        "desperdicio del 1.3 %: solo el último bloque de una secuencia puede tener sitios vacíos (sección 5.1)",
    ))
