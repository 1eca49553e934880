"""The tutor's prompts for workloads, with its answers: held-out sentences that it answers without doubt.

`checkpoint/prompts.jsonl` holds prompts whose greedy answer has a logit gap above `MIN_GAP` at every step, so that
rounding on another machine cannot change a token, and with it a length, and with it a p95. `make train` writes it.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from minigpt.llm.tokenizer import encode, encode_prompt

POOL = Path(__file__).parent.parent / "checkpoint" / "prompts.jsonl"
MIN_GAP = 0.01  # logits
KINDS = ("fix", "explain")


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


def write_pool(model, num_per_group: int = 300, seed: int = 0, path: Path = POOL) -> int:
    """Write the pool from held-out sentences of the corpus; returns how many prompts were kept."""
    from minigpt.corpus import corpus
    from minigpt.corpus.evaluate import GROUPS
    from minigpt.llm.tutor import answer_all

    kept = []
    for language, kind in GROUPS:
        examples = corpus.sample(num_per_group, seed=seed, language=language, kind=kind, split="held_out")
        answers = answer_all(model, [encode_prompt(example.prompt) for example in examples])
        kept += [
            {"prompt": example.prompt, "answer": answer.text, "kind": kind, "language": language}
            for example, answer in zip(examples, answers)
            if answer.ended and answer.smallest_gap > MIN_GAP and encode(answer.text) == list(answer.token_ids)
        ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept), encoding="utf-8")
    return len(kept)
