"""How often the tutor's answer is exactly the corpus's, on sentences it never saw."""

from dataclasses import dataclass

from minigpt.corpus import corpus
from minigpt.llm.model import MiniGPT
from minigpt.llm.tokenizer import encode_prompt
from minigpt.llm.tutor import answer_all

GROUPS = tuple((language, kind) for language in ("en", "es") for kind in ("fix", "explain"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Exact match and answer lengths on one language and kind."""

    language: str
    kind: str
    num_prompts: int
    exact_percent: float
    min_tokens: int  # answer lengths, without EOS
    mean_tokens: float
    max_tokens: int
    mistakes: tuple[tuple[str, str, str], ...]  # (prompt, expected, got)


def evaluate(model: MiniGPT, language: str, kind: str, num_prompts: int, seed: int = 0) -> Accuracy:
    """Exact match on held-out prompts of one language and kind."""
    examples = corpus.sample(num_prompts, seed=seed, language=language, kind=kind, split="held_out")
    answers = list(answer_all(model, [encode_prompt(example.prompt) for example in examples]))
    lengths = [len(answer.token_ids) for answer in answers]
    mistakes = tuple(
        (example.prompt, example.answer, answer.text)
        for example, answer in zip(examples, answers)
        if answer.text != example.answer or not answer.ended
    )
    return Accuracy(
        language=language, kind=kind, num_prompts=len(examples),
        exact_percent=100 * (len(examples) - len(mistakes)) / len(examples),
        min_tokens=min(lengths), mean_tokens=sum(lengths) / len(lengths), max_tokens=max(lengths), mistakes=mistakes,
    )
