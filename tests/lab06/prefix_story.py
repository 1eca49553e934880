"""Calls of a prefix cache, with what is due after each of them.

It does not matter which free block a sequence gets. So blocks are compared by what is known of them: how
many sequences hold them, and by which key they can be found.
"""

from collections import Counter
from dataclasses import dataclass

from tests.grader.definition import expect_unchanged
from tests.grader.objects_apart import expect_apart
from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, t

FIELDS = ("free_blocks", "tables", "num_holders", "block_of", "key_of", "idle")
NAMES = {
    "result": t("what it returns", "lo que devuelve"),
    "free": t("number of free blocks", "número de bloques libres"),
    "found": t("keys found in the cache", "claves que se encuentran en la caché"),
    "idle": t("keys of the idle blocks, "
              "longest unused first", "claves de los bloques ociosos, primero el que lleva más sin uso"),
    "holders": t("holders of each block, by sequence", "secuencias que tienen cada bloque, por secuencia"),
    "keys": t("key of each block, by sequence", "clave de cada bloque, por secuencia"),
}
# Whatever a story is about: the call that went wrong is `share`.
STILL_IDLE = t(
    "share removes each block that it finds from `idle`, if it is there: a block that is held is not idle (exercise 6.2)",
    "share saca de `idle` cada bloque que encuentra, si está ahí: un bloque en uso no está ocioso (ejercicio 6.2)",
)

FREED_EARLY = t(
    "free gave up a block that another sequence still holds. A block becomes idle or free only when its own num_holders is 0, "
    "after this sequence is taken off (section 6.1)",
    "free soltó un bloque que otra secuencia aún tiene. Un bloque pasa a ocioso o a libre solo cuando su propio num_holders es "
    "0, una vez descontada esta secuencia (sección 6.1)",
)
IDLE_ORDER = t(
    "the right blocks are idle, in the wrong order: go through the table from its last block to its first, and let each block "
    "that becomes idle go to the end of idle. evict takes the first, and the end of a sequence has to go before its beginning "
    "(section 6.1)",
    "están ociosos los bloques correctos, pero en otro orden: recorre la tabla del último bloque al primero y haz que cada "
    "bloque que queda ocioso vaya al final de idle. evict toma el primero, y el final de una secuencia debe irse antes que su "
    "comienzo (sección 6.1)",
)


@dataclass(eq=False, slots=True)
class Block:
    """A block, by the definition."""

    holders: int = 0
    key: int | None = None


class Model:
    """A prefix cache by its definition."""

    def __init__(self, num_blocks: int):
        self.num_free, self.tables, self.found, self.idle = num_blocks, {}, {}, []

    def share(self, request_id, keys) -> int:
        shared = []
        for key in keys:
            if key not in self.found:
                break
            shared.append(self.found[key])
        for block in shared:
            block.holders += 1
        self.idle = [block for block in self.idle if block not in shared]
        self.tables[request_id] = shared
        return len(shared)

    def publish(self, request_id, keys) -> None:
        for block, key in zip(self.tables[request_id], keys):
            if block.key is None and key not in self.found:
                block.key, self.found[key] = key, block

    def grow(self, request_id, num_blocks) -> bool:
        table = self.tables.setdefault(request_id, [])
        missing = num_blocks - len(table)
        if missing > self.num_free + len(self.idle):
            return False
        for _ in range(missing):
            if self.num_free:
                self.num_free -= 1
            else:
                del self.found[self.idle.pop(0).key]
            table.append(Block(holders=1))
        return True

    def free(self, request_id) -> None:
        for block in self.tables.pop(request_id)[::-1]:
            block.holders -= 1
            if not block.holders:
                self.num_free += block.key is None
                self.idle += [block] if block.key is not None else []

    def leave(self, request_id, _num_blocks) -> None:
        """The first sequence of a new cache leaves, without the student's `free`: see `asked`."""
        self.free(request_id)

    def seen(self, result) -> dict:
        """What can be seen after a call."""
        return {
            "result": result, "free": self.num_free, "found": sorted(self.found), "idle": [block.key for block in self.idle],
            "holders": {i: [block.holders for block in table] for i, table in self.tables.items()},
            "keys": {i: [block.key for block in table] for i, table in self.tables.items()},
        }


def expect_story(student, num_blocks: int, calls, hint: Text, *, of_order: Text = IDLE_ORDER) -> None:
    """Fail the check unless everything is right after each call; `of_order` is for the right idle blocks in another order."""
    expect_due(num_blocks, calls, student.play("PrefixCache", [num_blocks], asked_all(calls), FIELDS), hint, of_order)


def expect_caches_apart(student, stories, hint: Text) -> None:
    """The same of several caches, (number of blocks, calls) each, that are used in turn."""
    expect_apart(student, "PrefixCache", [([num_blocks], asked_all(calls)) for num_blocks, calls in stories], FIELDS,
                 lambda number, told: expect_due(*stories[number], told, hint), section=t(" (section 6.1)", " (sección 6.1)"))


def asked_all(calls) -> list[tuple]:
    return [each for call in calls for each in asked(call)]


def asked(call: tuple) -> list[tuple]:
    """What a call of a story asks of the student's cache: itself, or what `free` is due to do, done by hand.

    `leave` is for the first sequence of a new cache, all of whose blocks are published: they are 0, 1, … in order.
    """
    name, *args = call
    if name != "leave":
        return [call]
    request_id, num_blocks = args
    held = [("num_holders.__setitem__", block, 0) for block in range(num_blocks)]
    return [*held, ("tables.pop", request_id), ("idle.update", dict.fromkeys(reversed(range(num_blocks))))]


def expect_due(num_blocks: int, calls, told: list[dict], hint: Text, of_order: Text = IDLE_ORDER) -> None:
    """Fail the check unless this is what the calls of one cache are due to give."""
    model, told = Model(num_blocks), iter(told)
    for at, call in enumerate(calls):
        each = [next(told) for _ in asked(call)][-1]
        if each["raised"]:
            raise CheckFailed(CRASHED, expected=said(call), got=f"{said(call)}: {each['said']}", hint=hint)
        expect_unchanged(("keys",), call[2:], each["after"][1:])
        result = getattr(model, call[0])(*call[1:])
        due, got = model.seen(result), seen(each["shown"], each["result"], num_blocks)
        for name in NAMES:
            hinted = likely(call[0], name, got[name], due[name], of_order) or hint
            expect(got[name] == due[name], hint=hinted, got=got[name], expected=told_of(name, due[name], calls[: at + 1]))
        expect_whole(each["shown"], num_blocks, calls[: at + 1], hint)


def likely(method: str, name: str, got, due, of_order: Text) -> Text | None:
    """The hint that the idle blocks themselves give, whatever a story is about."""
    if name != "idle" or not isinstance(got, list) or got == due:
        return None
    if method == "share" and Counter(got) > Counter(due):
        return STILL_IDLE
    return of_order if Counter(got) == Counter(due) else None


def seen(shown: dict, result, num_blocks: int) -> dict:
    """The same of the student's cache; what has another form is shown as it is."""
    try:
        key_of, holders = dict(shown["key_of"]), shown["num_holders"]
        tables = {i: list(table) for i, table in shown["tables"].items()}
        return {
            "result": result, "free": len(shown["free_blocks"]), "found": sorted(shown["block_of"]),
            "idle": [key_of.get(block) for block in shown["idle"]],
            "holders": {i: [holders[block] for block in table] for i, table in tables.items()},
            "keys": {i: [key_of.get(block) for block in table] for i, table in tables.items()},
        }
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return dict.fromkeys(NAMES, shown) | {"result": result}


def expect_whole(shown: dict, num_blocks: int, calls, hint: Text) -> None:
    """Each block is free, idle or in tables, and in no two of these; both directories say the same."""
    held = {block for table in shown["tables"].values() for block in table}
    places = Counter([*shown["free_blocks"], *shown["idle"], *held])
    wrong = [block for block in {*range(num_blocks), *places} if places[block] != 1]
    is_early = calls[-1][0] == "free" and any(block in held and places[block] > 1 for block in wrong)
    expect(not wrong, hint=FREED_EARLY if is_early else hint, got=told_of_places(shown, wrong), expected=told_of_calls(
        "each block once: free, idle or held", "cada bloque una vez: libre, ocioso o en uso", calls))
    turned = {block: key for key, block in shown["block_of"].items()}
    expect(turned == shown["key_of"], hint=hint, got=shown["key_of"], expected=told_of_calls(
        f"key_of {turned}, as block_of says", f"key_of {turned}, como dice block_of", calls))


def told_of_places(shown: dict, blocks) -> Text:
    """Where each of these blocks is, for a reader who knows what a cache keeps."""
    found = []
    for block in blocks:
        en = ["free"] * list(shown["free_blocks"]).count(block) + ["idle"] * (block in shown["idle"])
        es = ["libre"] * list(shown["free_blocks"]).count(block) + ["ocioso"] * (block in shown["idle"])
        tables = [request_id for request_id, table in shown["tables"].items() if block in table]
        en += [f"in table {request_id}" for request_id in tables]
        es += [f"en la tabla {request_id}" for request_id in tables]
        found.append((f"block {block} {' and '.join(en) or 'nowhere'}", f"bloque {block} {' y '.join(es) or 'en ninguna parte'}"))
    return t("; ".join(en for en, _ in found), "; ".join(es for _, es in found))


def told_of(name: str, due, calls) -> Text:
    return told_of_calls(f"{due} ({NAMES[name].en})", f"{due} ({NAMES[name].es})", calls)


def told_of_calls(en: str, es: str, calls) -> Text:
    last = ("… " if len(calls) > 6 else "") + ", ".join(map(said, calls[-6:]))
    return t(f"{en} after {last}", f"{es} tras {last}")


def said(call: tuple) -> str:
    return f"{call[0]}({', '.join(map(str, call[1:]))})"
