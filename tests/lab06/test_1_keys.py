"""Exercise 6.1: keys of full blocks. The same key for the same beginning, and for nothing else."""

import random

from tests.grader.check import check
from tests.grader.definition import expect_unchanged
from tests.grader.outcomes import Text, expect, expect_equal, t
from tests.lab06.oracles import full_prefixes, related_prompts

SIZES = (1, 4, 7, 16)


ONE_EACH = t("one key for each full block (section 6.1)", "una clave por bloque lleno (sección 6.1)")


def one_key_each(student, prompts, block_size: int) -> list[list]:
    """The same, and as many of them as there are full blocks: else there is nothing to compare."""
    found = keys_of(student, prompts, block_size)
    expect_equal([len(keys) for keys in found], [len(prompt) // block_size for prompt in prompts], hint=ONE_EACH)
    return found


def keys_of(student, prompts, block_size: int) -> list[list]:
    """The student's keys of each prompt, all in one load of the file: keys need not mean anything to another process."""
    found = []
    for called in student.calls("block_keys", *([list(prompt), block_size] for prompt in prompts)):
        expect_unchanged(("token_ids",), called.before, called.after)
        keys = called.result
        is_row = isinstance(keys, (list, tuple)) and all(type(key) in (int, str) for key in keys)
        expect(is_row, expected=t("a list of numbers or strings", "una lista de números o textos"), got=keys, hint=t(
            "return a list with one key for each full block; a key is a whole number or a string (section 6.1)",
            "devuelve una lista con una clave por bloque lleno; una clave es un entero o un texto (sección 6.1)",
        ))
        found.append(list(keys))
    return found


@check("6.1", points=1, en="full blocks have a key, the rest have none", es="los bloques llenos tienen clave; el resto, no")
def test_full_blocks_only(student):
    cases = [(length, size) for size in SIZES for length in (0, size - 1, size, 2 * size - 1, 2 * size, 3 * size + 1)]
    found = {}
    for size in SIZES:
        lengths = [length for length, of_size in cases if of_size == size]
        keys = keys_of(student, [range(length) for length in lengths], size)
        found |= {(length, size): len(each) for length, each in zip(lengths, keys)}
    expect_equal(found, {(length, size): length // size for length, size in cases}, hint=t(
        "(number of keys by number of tokens and block size): one key for each full block. Tokens that do not fill a block "
        "have no key: that block will still be written to, so no other sequence may share it (section 6.1)",
        "(número de claves por número de tokens y tamaño de bloque): una clave por bloque lleno. Los tokens que no llenan un "
        "bloque no tienen clave: en ese bloque aún se escribirá, así que ninguna otra secuencia puede compartirlo (sección "
        "6.1)",
    ))


@check("6.1", points=1, en="the same prefix, the same keys", es="el mismo comienzo, las mismas claves", negative=True)
def test_same_beginning(student):
    for size in SIZES:
        prompts = related_prompts(random.Random(size), size)
        for same in by_prefix(prompts, one_key_each(student, prompts, size), size).values():
            expect(len(same) == 1, expected=t("one key", "una clave"), got=sorted(map(str, same)), hint=t(
                "(keys of blocks with the same tokens up to their ends, from several prompts): a key depends only on these "
                "tokens, not on what comes after, nor on the call (section 6.1)",
                "(claves de bloques con los mismos tokens hasta su final, de varios prompts): una clave depende solo de esos "
                "tokens, no de lo que viene después ni de la llamada (sección 6.1)",
            ))


@check("6.1", points=2, en="a different prefix, different keys", es="otro comienzo, otras claves", negative=True)
def test_other_beginning(student):
    for size in SIZES:
        prompts = related_prompts(random.Random(size), size)
        holder = {}
        for prefix, keys in by_prefix(prompts, one_key_each(student, prompts, size), size).items():
            for key in keys:
                other = holder.setdefault(key, prefix)
                expect(other == prefix, expected=t("two keys", "dos claves"), got=t(
                    f"the same key for different blocks: {shown(other, size)} and {shown(prefix, size)}",
                    f"la misma clave para bloques distintos: {shown(other, size)} y {shown(prefix, size)}"), hint=why_same(other, prefix))
    expect_far_apart(student)


def why_same(one: tuple, other: tuple) -> Text:
    """The hint for two beginnings with the same key."""
    if "".join(map(str, one)) == "".join(map(str, other)):
        return t(
            "1 and 23, written one after the other, look like 12 and 3: hash the numbers themselves, or put something "
            "between them (section 6.1)",
            "1 y 23, escritos uno tras otro, parecen 12 y 3: aplica el hash a los propios números, o pon algo entre ellos "
            "(sección 6.1)",
        )
    return t(
        "a token's K and V depend on every token before it, and on their order: chain the keys: make each one from the previous "
        "key and all tokens of its block (section 6.1)",
        "K y V de un token dependen de todos los anteriores y de su orden: encadena las claves: haz cada una con la "
        "anterior y con todos los tokens de su bloque (sección 6.1)",
    )


def expect_far_apart(student) -> None:
    """Fail the check if a long prompt's blocks, of which no two have the same beginning, share a key by chance."""
    rng = random.Random(6)
    [keys] = one_key_each(student, [[rng.randrange(257) for _ in range(2_000)]], 1)
    expect(len({*keys}) == len(keys), expected=t("2000 different keys", "2000 claves distintas"), got=len({*keys}), hint=t(
        "(a prompt of 2,000 blocks of one token): if keys can take only a few values, two blocks soon get the same one, and a "
        "sequence would read another's K and V. Keep the whole hash, not a remainder or a few of its digits (section 6.1)",
        "(un prompt de 2000 bloques de un token): una clave que admite pocos valores se repite pronto, y una secuencia "
        "leería K y V de otra. Conserva el hash entero: ni un resto ni unas pocas cifras (sección 6.1)",
    ))


def by_prefix(prompts, keys, size: int) -> dict[tuple, set]:
    """All keys that blocks with the same tokens up to their ends got."""
    found: dict[tuple, set] = {}
    for prompt, row in zip(prompts, keys):
        for prefix, key in zip(full_prefixes(prompt, size), row):
            found.setdefault(prefix, set()).add(key)
    return found


def shown(prefix: tuple, size: int) -> str:
    """The blocks that lead to a key, the last two of them in full."""
    blocks = [list(prefix[i : i + size][:4]) for i in range(0, len(prefix), size)]
    return ("… " if len(blocks) > 2 else "") + " ".join(map(str, blocks[-2:])) + ("…" if size > 4 else "")


@check("6.1", points=1, en="keys stay small", es="las claves no crecen", negative=True)
def test_stay_small(student):
    long = [list(range(256)) * 4]
    [keys] = one_key_each(student, long, 4)
    widest = max(len(str(key)) for key in keys)
    expect(widest <= 128, expected=t("at most 128 characters", "a lo sumo 128 caracteres"), got=widest,
           hint=t("(the longest of the 256 keys of a long prompt, printed): a key that spells out all tokens is correct but "
                  "grows with them: make one number from the previous key and the block (section 6.1)",
                  "(la más larga de las 256 claves de un prompt largo, escrita): una clave que enumera todos los tokens "
                  "es correcta, pero crece con ellos: haz un solo número con la clave anterior y el bloque (sección 6.1)"))
