"""How often the tutor is right: on held-out sentences of the corpus, and on sentences as people type them."""

from dataclasses import dataclass

from minigpt.corpus import corpus, typed
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
    stdev_tokens: float
    max_tokens: int
    mistakes: tuple[tuple[str, str, str], ...]  # (prompt, expected, got)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAccuracy:
    """How the tutor does on a list of hand-written sentences."""

    name: str  # "en", "es", or "outside"
    num_right: int
    num_sentences: int
    num_correct: int  # sentences of the list with nothing to correct
    num_spoilt: int   # of these, those that got a "correction"
    mistakes: tuple[tuple[str, str, str], ...]  # (text, expected, got)

    @property
    def right_percent(self) -> float:
        return 100 * self.num_right / self.num_sentences


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
    mean = sum(lengths) / len(lengths)
    return Accuracy(
        language=language, kind=kind, num_prompts=len(examples),
        exact_percent=100 * (len(examples) - len(mistakes)) / len(examples),
        min_tokens=min(lengths), mean_tokens=mean, max_tokens=max(lengths), mistakes=mistakes,
        stdev_tokens=(sum((length - mean) ** 2 for length in lengths) / len(lengths)) ** 0.5,
    )


def evaluate_typed(model: MiniGPT, language: str) -> TypedAccuracy:
    """Corrections of the hand-written sentences of a language."""
    sentences = typed.typed_sentences(language)
    prompts = [corpus.PREFIXES[language, "fix"] + sentence.text for sentence in sentences]
    answers = [answer.text for answer in answer_all(model, list(map(encode_prompt, prompts)))]
    mistakes = tuple((sentence.text, " | ".join(sentence.rights) or typed.OK[language], answer)
                     for sentence, answer in zip(sentences, answers) if not typed.is_right(sentence, answer, language))
    return TypedAccuracy(
        name=language, num_right=len(sentences) - len(mistakes), num_sentences=len(sentences), mistakes=mistakes,
        num_correct=sum(not sentence.rights for sentence in sentences),
        num_spoilt=sum(expected == typed.OK[language] for _, expected, _ in mistakes),
    )


def evaluate_lists(model: MiniGPT) -> list[TypedAccuracy]:
    """All hand-written lists: sentences of each language, then what lies outside the grammar."""
    return [*(evaluate_typed(model, language) for language in corpus.LANGUAGES), evaluate_outside(model)]


def evaluate_outside(model: MiniGPT) -> TypedAccuracy:
    """Whether the tutor says that it does not know what lies outside its grammar."""
    prompts = typed.outside_prompts()
    expected = [corpus.unknown("en" if prompt.startswith("fix") else "es") for prompt in prompts]
    answers = [answer.text for answer in answer_all(model, list(map(encode_prompt, prompts)))]
    mistakes = tuple(row for row in zip(prompts, expected, answers) if row[1] != row[2])
    return TypedAccuracy(name="outside", num_right=len(prompts) - len(mistakes), num_sentences=len(prompts), num_correct=0, num_spoilt=0,
                         mistakes=mistakes)
