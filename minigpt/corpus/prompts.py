"""The tutor's prompts for workloads, with its answers: held-out sentences that it answers without doubt.

`checkpoint/prompts.jsonl` holds prompts whose greedy answer has a logit gap above `MIN_GAP` at every step, so that
rounding on another machine cannot change a token, and with it a length, and with it a p95. `make train` writes it;
`pool_lengths.txt` says which lengths it has.
"""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from minigpt.llm.tokenizer import encode, encode_prompt

POOL = Path(__file__).parent.parent / "checkpoint" / "prompts.jsonl"
MIN_GAP = 0.01  # logits
KINDS = ("fix", "explain")
NUM_A_TURN, EXACT_TURNS, MOST_TURNS = 3_000, 16, 40  # held-out examples of a language and kind that are tried


@dataclass(frozen=True, slots=True, kw_only=True)
class TutorPrompt:
    """A prompt and the tutor's answer to it."""

    prompt: str
    answer: str
    kind: str  # fix or explain
    language: str  # en or es

    @property
    def token_ids(self) -> tuple[int, ...]:
        return tuple(encode_prompt(self.prompt))

    @property
    def answer_ids(self) -> tuple[int, ...]:
        """The answer's tokens, without EOS."""
        return tuple(encode(self.answer))


@lru_cache(maxsize=1)
def tutor_prompts() -> dict[str, tuple[TutorPrompt, ...]]:
    """The pool by kind."""
    lines = POOL.read_text(encoding="utf-8").splitlines()
    prompts = [TutorPrompt(**json.loads(line)) for line in lines]
    return {kind: tuple(prompt for prompt in prompts if prompt.kind == kind) for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the pool, for a prompt and an answer of these lengths in tokens."""

    language: str
    kind: str
    num_prompt_tokens: int
    num_answer_tokens: int

    def fits(self, prompt: TutorPrompt, slack: int) -> bool:
        return (self.kind == prompt.kind and self.language == prompt.language and self.num_answer_tokens == len(prompt.answer_ids)
                and abs(self.num_prompt_tokens - len(prompt.token_ids)) <= slack)


def places() -> tuple[Place, ...]:
    """The places of the pool in order. A new tutor says other things, but no figure of the labs moves with it."""
    from minigpt.corpus.tables import lines  # here: the web page reads the pool and trains no tutor

    rows = (line.split() for line in lines("pool_lengths.txt"))
    return tuple(Place(language, kind, int(prompt), int(answer)) for language, kind, prompt, answer in rows)


def write_pool(model, path: Path = POOL, seed: int = 0) -> int:
    """Write the pool from held-out sentences of the corpus, one for each place; returns how many."""
    from minigpt.corpus import corpus

    free, found = list(enumerate(places())), {}
    for turn in range(MOST_TURNS):
        slack = max(0, turn - EXACT_TURNS)  # a prompt may be a few tokens off, if it has to
        for language, kind in sorted({(place.language, place.kind) for _, place in free}):
            examples = corpus.sample(NUM_A_TURN, seed=seed + turn, language=language, kind=kind, without=(corpus.OUTSIDE,))
            _fill(model, free, [TutorPrompt(prompt=e.prompt, answer=e.answer, kind=kind, language=language) for e in examples], found, slack)
        if not found:
            break
    if free:
        raise ValueError(f"the tutor has no sure answer for {len(free)} places of the pool, such as {free[0][1]}: train it longer")
    rows = [json.dumps(asdict(found[number]), ensure_ascii=False) + "\n" for number in sorted(found)]
    path.write_text("".join(rows), encoding="utf-8")
    return len(rows)


def _fill(model, free: list[tuple[int, Place]], prompts: list[TutorPrompt], found: dict[int, TutorPrompt], slack: int) -> None:
    """Put prompts that fit into places that are free, if the model answers them rightly and without doubt."""
    from minigpt.llm.tutor import answer_all

    taken = {prompt.prompt for prompt in found.values()}
    fitting = [prompt for prompt in prompts if prompt.prompt not in taken and _place_for(prompt, free, slack)]
    for prompt, answer in zip(fitting, answer_all(model, [list(prompt.token_ids) for prompt in fitting])):
        entry = _place_for(prompt, free, slack)
        if entry and answer.ended and answer.text == prompt.answer and answer.smallest_gap > MIN_GAP:
            found[entry[0]] = prompt
            free.remove(entry)


def _place_for(prompt: TutorPrompt, free: list[tuple[int, Place]], slack: int) -> tuple[int, Place] | None:
    """The first free place for a prompt; a place's answer has exactly its length."""
    return next((entry for entry in free if entry[1].fits(prompt, slack)), None)
