"""Exercise 5.1: the block manager. Every block is free or in one table, and a token lies where the table says."""

import random

from minigpt.workloads.memory_pressure import long_sequences
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t

SIZE = 16
SHOWN = ("free_blocks", "tables", "lengths")


def play(student, num_blocks: int, *calls, block_size: int = SIZE):
    return student.play("BlockManager", [num_blocks, block_size], list(calls), SHOWN)


def table(told: dict, request_id: int) -> list:
    """A sequence's table after a call; whatever is no table is an empty one."""
    tables = told["shown"]["tables"]
    found = tables.get(request_id) if isinstance(tables, dict) else None
    return found if isinstance(found, list) else []


def num_free(told: dict) -> int:
    free = told["shown"]["free_blocks"]
    return len(free) if isinstance(free, list) else -1


@check("5.1", points=1, en="takes as many blocks as the tokens need", es="toma los bloques que piden los tokens")
def test_takes_what_is_needed(student):
    lengths = (1, 16, 17, 40)
    told = play(student, 20, *(("allocate", i, length) for i, length in enumerate(lengths)))
    found = [len(table(each, i)) for i, each in enumerate(told)]
    expect_equal(found, [1, 1, 2, 3], hint=t(
        "(blocks for 1, 16, 17 and 40 tokens, 16 a block): a block that has begun is a whole block: round up "
        "(section 5.1)",
        "(bloques para 1, 16, 17 y 40 tokens, 16 por bloque): un bloque empezado es un bloque entero: redondea hacia "
        "arriba (sección 5.1)",
    ))  # fmt: skip


@check("5.1", points=1, en="a new block only when the last one is full",
       es="un bloque nuevo solo cuando el último está lleno")  # fmt: skip
def test_grows_when_full(student):
    told = play(student, 8, ("allocate", 0, 14), *[("append", 0)] * 4)
    found = [len(table(each, 0)) for each in told]
    expect_equal(found, [1, 1, 1, 2, 2], hint=t(
        "(blocks after 14 tokens and after each of four more): the 15th and 16th fit into the first block, the 17th "
        "opens "
        "the second (section 5.1)",
        "(bloques tras 14 tokens y tras cada uno de cuatro más): el 15.º y el 16.º caben en el primer bloque; el 17.º "
        "abre "
        "el segundo (sección 5.1)",
    ))  # fmt: skip


@check("5.1", points=1, en="says no without taking anything", es="dice que no sin tomar nada")
def test_refuses_cleanly(student):
    calls = ("allocate", 0, 32), ("allocate", 1, 17), ("allocate", 2, 16), ("append", 0), ("free", 2), ("append", 0)
    told = play(student, 3, *calls)
    results = [each["result"] for each in told]
    expect_equal(results, [True, False, True, False, None, True], hint=t(
        "(3 blocks; results of allocate 32, allocate 17, allocate 16, append, free, append): with too few free blocks "
        "the answer is False, and when one is free again, append finds it (section 5.1)",
        "(3 bloques; resultados de allocate 32, allocate 17, allocate 16, append, free, append): si no alcanzan los "
        "bloques libres la respuesta es False, y cuando uno queda libre, append lo encuentra (sección 5.1)",
    ))  # fmt: skip
    expect_equal([num_free(each) for each in told], [1, 1, 0, 0, 1, 0], hint=t(
        "(free blocks after each call): an allocate that says False takes none of the blocks that there are; an append "
        "that says False counts no token either, else the next one misses that it needs a block (section 5.1)",
        "(bloques libres tras cada llamada): un allocate que dice False no toma ninguno de los que hay; un append que "
        "dice False tampoco cuenta el token, o el siguiente no verá que necesita un bloque (sección 5.1)",
    ))  # fmt: skip


def random_story(seed: int, num_blocks: int) -> list[tuple]:
    """Two hundred calls as a server would make them, on a pool that is often too small."""
    rng, story, alive = random.Random(seed), [], []
    for step in range(200):
        kind = rng.choice(("allocate", "append", "append", "free"))
        if kind == "allocate" or not alive:
            story.append(("allocate", step, rng.randint(1, 40)))
            alive.append(step)
        elif kind == "append":
            story.append(("append", rng.choice(alive)))
        else:
            story.append(("free", alive.pop(rng.randrange(len(alive)))))
    return story + [("free", request_id) for request_id in alive]


def honest_story(seed: int, num_blocks: int, block_size: int) -> list[tuple]:
    """A random story without calls for sequences that found no place."""
    free, held, kept = num_blocks, {}, []
    for name, request_id, *rest in random_story(seed, num_blocks):
        if name == "allocate":
            needed = -(-rest[0] // block_size)
            if needed <= free:
                free -= needed
                held[request_id] = [needed, rest[0]]
        elif request_id not in held:
            continue
        elif name == "free":
            free += held.pop(request_id)[0]
        else:
            blocks, tokens = held[request_id]
            grows = tokens == blocks * block_size
            if not grows or free:
                free -= grows
                held[request_id] = [blocks + grows, tokens + 1]
        kept.append((name, request_id, *rest))
    return kept


@check("5.1", points=2, en="free and used blocks add up to the pool, always",
       es="bloques libres y ocupados suman siempre el pool entero", negative=True)  # fmt: skip
def test_conserved(student):
    for seed in (1, 2, 3):
        story = honest_story(seed, 12, 4)
        for call, told in zip(story, play(student, 12, *story, block_size=4)):
            free, tables = told["shown"]["free_blocks"], told["shown"]["tables"]
            expect(all_blocks(free, tables) == list(range(12)), expected=t(
                "each of the blocks 0 to 11 once", "cada bloque de 0 a 11 una vez",
            ), got=f"{call}: free {free}, tables {tables}", hint=t(
                "after every call each block is free or in one table. More than once: it was freed twice, or taken "
                "and left "
                "among the free. Missing: it was never freed (section 5.1)",
                "tras cada llamada, cada bloque está libre o en una tabla. Repetido: se liberó dos veces, o se tomó "
                "sin "
                "quitarlo de los libres. Si falta: nunca se liberó (sección 5.1)",
            ))  # fmt: skip


def all_blocks(free, tables) -> list | None:
    """Every free and every held block in order; None if these are not lists of block ids."""
    lists = [free, *tables.values()] if isinstance(tables, dict) else [None]
    if not all(isinstance(each, list) and all(type(block) is int for block in each) for each in lists):
        return None
    return sorted(block for each in lists for block in each)


@check("5.1", points=1, en="a second free is an error", es="liberar por segunda vez es un error")
def test_freed_once(student):
    told = play(student, 4, ("allocate", 0, 20), ("allocate", 1, 20), ("free", 0), ("free", 0), ("free", 7))
    expect_equal([each["raised"] for each in told], [None, None, None, "ValueError", "ValueError"], hint=t(
        "(what each call raised): freeing a sequence that has left, or never came, is a mistake of the caller: raise "
        "ValueError, or its blocks could be handed out twice (section 5.1)",
        "(qué lanzó cada llamada): liberar una secuencia que ya salió, o que nunca vino, es un error de quien llama: "
        "lanza "
        "ValueError, o sus bloques podrían entregarse dos veces (sección 5.1)",
    ))  # fmt: skip


@check("5.1", points=1, en="wastes half a block a sequence: under 4 % on long ones",
       es="desperdicia medio bloque por secuencia: menos del 4 % en las largas")  # fmt: skip
def test_waste(student):
    lengths = [len(item.prompt_token_ids) + len(item.answer) for item in long_sequences(60, seed=5).items]
    told = student.play("BlockManager", [4_000, SIZE], [("allocate", i, n) for i, n in enumerate(lengths)], ("tables",))
    held = SIZE * sum(len(table(told[-1], i)) for i in range(len(lengths)))
    waste_percent = 100 * (1 - sum(lengths) / held) if held else 100.0
    expect(0 <= waste_percent < 4, expected="< 4 %", got=f"{waste_percent:.1f} %", hint=t(
        "(places without a token, 60 sequences of some 600 tokens): only the last block of a sequence may have empty "
        "places "
        "(section 5.1)",
        "(sitios sin token, 60 secuencias de unos 600 tokens): solo el último bloque de una secuencia puede tener "
        "sitios "
        "vacíos (sección 5.1)",
    ))  # fmt: skip


@check("5.1", points=2, en="a token lies where its table says", es="un token está donde dice su tabla")
def test_place(student):
    """Three sequences grow in turn, so that their blocks are mixed; then the real K and V are looked up."""
    story = [("allocate", i, 3 + 2 * i) for i in range(3)] + [("append", i % 3) for i in range(27)]
    told = play(student, 16, *story, block_size=4)
    lengths = {i: 3 + 2 * i + 9 for i in range(3)}
    asked = [(i, position) for i in range(3) for position in range(lengths[i])]
    places = [each["result"] for each in play(student, 16, *story, *(("place", *ask) for ask in asked), block_size=4)]
    tables = {i: table(told[-1], i) for i in range(3)}
    held = all_blocks([], tables)
    expect(held is not None and held == sorted({*held} & {*range(16)}), expected=t("block ids", "ids de bloques"),
           got=f"{tables}", hint=t("a table holds ids of blocks, each of them once (section 5.1)",
                                   "una tabla contiene ids de bloques, cada uno una vez (sección 5.1)"))  # fmt: skip
    expected = [(tables[i][position // 4], position % 4) for i, position in asked if position // 4 < len(tables[i])]
    expect_equal(places[len(story):], expected, hint=t(
        "(block and place in it, for each token): 4 tokens a block: token 5 is the second of the table's second block. "
        "Counting starts at 0 (section 5.1)",
        "(bloque y sitio en él, de cada token): 4 tokens por bloque: el token 5 es el segundo del segundo bloque de la "
        "tabla. Se cuenta desde 0 (sección 5.1)",
    ))  # fmt: skip
    expect_same_logits(tables, lengths, dict(zip(asked, places[len(story):])))


def expect_same_logits(tables, lengths, places) -> None:
    """Attention over these blocks gives the logits of the cache of Lab 01, and K lies where `place` says."""
    import torch

    from minigpt.llm.checkpoint_io import random_model
    from minigpt.llm.kv_cache import KVCache
    from minigpt.llm.model import Config
    from minigpt.llm.paged_kv_cache import PagedKVCache

    config = Config(width=32, num_layers=2, num_heads=4, head_size=8, ffn_width=48, context=64)
    model = random_model(config, seed=1)
    prompts = [[(7 * i + k) % 250 for k in range(lengths[i] - 1)] for i in range(3)]
    slots, paged = KVCache(config, 3), PagedKVCache(config, 16, 4, 3)
    for i in range(3):
        slots.allocate(), paged.allocate()
        paged.set_table(i, tables[i])
    for cache in (slots, paged):
        model.prefill(prompts, cache, [0, 1, 2])
    both = [model.decode_step([5, 6, 7], cache, [0, 1, 2]) for cache in (slots, paged)]
    keys = all(torch.equal(paged.k[0, b, 0, at], slots.k[0, i, p]) for (i, p), (b, at) in places.items())
    expect(keys and torch.allclose(*both, atol=1e-5), expected=t("the same logits", "los mismos logits"),
           got=f"{float((both[0] - both[1]).abs().max()):.3g}", hint=t(
        "(largest difference): two sequences share a block, or a token is looked up in another's (section 5.1)",
        "(mayor diferencia): dos secuencias comparten un bloque, o un token se busca en el de otra (sección 5.1)",
    ))  # fmt: skip
