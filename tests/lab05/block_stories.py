"""Calls of a block manager, with what each of them must return.

A solution may choose which blocks a sequence gets, and how to keep them. So only what the methods say is read: how many
blocks are free shows in how many sequences of one token still fit, and `place` says where a token is stored.
"""

import random

from tests.grader.outcomes import CRASHED, CheckFailed, Text, is_same, t, with_type
from tests.lab05.oracles import blocks_for


class Story:
    """A list of calls on a pool, and for each its due result; `place` has none of its own."""

    def __init__(self, num_blocks: int, block_size: int):
        self.num_blocks, self.block_size = num_blocks, block_size
        self.calls: list[tuple] = []
        self.due: list = []
        self.lengths: dict[int, int] = {}

    @property
    def num_free(self) -> int:
        return self.num_blocks - sum(blocks_for(length, self.block_size) for length in self.lengths.values())

    def allocate(self, request_id: int, num_tokens: int) -> bool:
        fits = blocks_for(num_tokens, self.block_size) <= self.num_free
        if fits:
            self.lengths[request_id] = num_tokens
        self._note(("allocate", request_id, num_tokens), fits)
        return fits

    def append(self, request_id: int) -> bool:
        length = self.lengths[request_id]
        grows = length % self.block_size == 0
        fits = not grows or self.num_free > 0
        self.lengths[request_id] += fits
        self._note(("append", request_id), fits)
        return fits

    def free(self, request_id: int) -> None:
        known = self.lengths.pop(request_id, None) is not None
        self._note(("free", request_id), ANYTHING if known else "ValueError")

    def place(self, request_id: int, position: int) -> None:
        self._note(("place", request_id, position), ANYTHING)

    def _note(self, call: tuple, due) -> None:
        self.calls.append(call)
        self.due.append(due)

    def play(self, student, shown: tuple = ()) -> list[dict]:
        return student.play("BlockManager", [self.num_blocks, self.block_size], self.calls, shown)

    def first_difference(self, told: list[dict]) -> tuple[int, Text, object] | None:
        """The place of the first call with another result, what was due there, and what came."""
        for at, (call, due, each) in enumerate(zip(self.calls, self.due, told)):
            if due != "ValueError":
                expect_no_exception(call, each, due)
            got = each["raised"] or each["result"]
            if due is not ANYTHING and not is_same(got, due):
                return at, self.told_until(at, due), got if type(got) in (bool, str) else with_type(got)
        return None

    def told_until(self, at: int, due: object) -> Text:
        """What is due at a call, with the pool and the last calls that led there."""
        calls = [said(call) for call in self.calls[: at + 1] if call[0] != "place"]
        before = ("… " if len(calls) > 6 else "") + ", ".join(calls[-6:])
        pool = self.num_blocks, self.block_size
        en, es = (due.en, due.es) if isinstance(due, Text) else (f"{due} of", f"{due} en")
        return t(f"{en} the last of these calls (pool of {pool[0]} blocks of {pool[1]} tokens): {before}",
                 f"{es} la última de estas llamadas (pool de {pool[0]} bloques de {pool[1]} tokens): {before}")


def expect_no_exception(call: tuple, told: dict, due=""):
    """An exception in one of several calls is what the student sees, not a None among the results."""
    if told["raised"]:
        raise CheckFailed(CRASHED, expected=str(due), got=f"{said(call)}: {told['said']}")


def said(call: tuple) -> str:
    return f"{call[0]}({', '.join(map(str, call[1:]))})"


def random_story(seed: int, num_blocks: int, block_size: int, num_calls: int = 200) -> tuple[Story, list[dict]]:
    """Calls as a server would make them, on a pool that is often too small; ids come back after they have left.

    With it, for each look at the tables, the sequences and lengths at that moment: {(id, position): index of its call}.
    """
    rng, story, looks = random.Random(seed), Story(num_blocks, block_size), []
    for step in range(num_calls):
        kind = rng.choice(("allocate", "append", "append", "append", "free"))
        away = [i for i in range(8) if i not in story.lengths]
        if kind == "allocate" and away or not story.lengths:
            story.allocate(rng.choice(away), rng.randint(1, 5 * block_size))
        elif kind == "free":
            story.free(rng.choice(sorted(story.lengths)))
        else:
            story.append(rng.choice(sorted(story.lengths)))
        if step % 10 == 9:
            looks.append(look(story))
    for request_id in sorted(story.lengths):
        story.free(request_id)
    story.allocate(99, num_blocks * block_size)
    looks.append(look(story))
    return story, looks


def look(story: Story) -> dict[tuple[int, int], int]:
    """Ask where the first token of every block is stored."""
    asked = {}
    for request_id, length in sorted(story.lengths.items()):
        for position in range(0, length, story.block_size):
            asked[request_id, position] = len(story.calls)
            story.place(request_id, position)
    return asked


class _Anything:
    """The due result of a call whose result does not matter."""

    def __repr__(self) -> str:
        return ""


ANYTHING = _Anything()
