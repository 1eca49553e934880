"""What the tutor is trained on: sentences of the corpus as batches of tokens and targets, without end."""

import random
from collections.abc import Iterator

import torch

from minigpt.corpus import corpus
from minigpt.corpus.corpus import Sentence
from minigpt.llm.tokenizer import EOS_TOKEN_ID, encode, encode_prompt

REWRITE = "rewrite"
IGNORED = -100  # the target of a position whose prediction does not count: cross_entropy's own convention
PREFIX = 8  # tokens that say which task it is, about: there is nothing to learn in predicting them
WIDTHS = 16  # lengths are multiples of this: the library prepares its products again for each new shape
TURNS = ("en", "es", "en", "es", "en", "es", "es")  # Spanish has more forms to learn
LOOK_AHEAD = 24  # batches that are drawn together and sorted by length: little padding


def training_pair(sentence: Sentence, task: str) -> tuple[list[int], list[int]]:
    """Prompt tokens, and answer tokens with EOS.

    "rewrite" answers with the whole sentence put right, a task of the training alone: explanations quote words, and
    copying is learned from whole sentences in far fewer steps than from a few quoted words.
    """
    if task == REWRITE:
        prompt, answer = f"{REWRITE}: {sentence.text}", sentence.right
    else:
        found = corpus.example(sentence, task)
        prompt, answer = found.prompt, found.answer
    return encode_prompt(prompt), [*encode(answer), EOS_TOKEN_ID]


def batches(task: str, size: int, seed: int) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Tokens, targets in the answer and targets in the sentence asked about, (size, T) each and padded on the right, without end.

    The sentences never come twice on purpose.

    Sequences of similar length share a batch: less padding is computed, and the order of batches stays random.
    """
    rng = random.Random(f"{task} {seed}")
    streams = {language: corpus.sentences(language, seed=rng.getrandbits(32)) for language in corpus.LANGUAGES}
    while True:
        drawn = [next(streams[TURNS[i % len(TURNS)]]) for i in range(size * LOOK_AHEAD)]
        if task == REWRITE:  # what lies outside the grammar cannot be put right
            drawn = [sentence for sentence in drawn if sentence.rule != corpus.OUTSIDE]
        pairs = sorted((training_pair(sentence, task) for sentence in drawn), key=lambda pair: len(pair[0]) + len(pair[1]))
        groups = [pairs[i : i + size] for i in range(0, len(pairs) - size + 1, size)]
        rng.shuffle(groups)
        yield from map(_padded, groups)


def _padded(group: list[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    widest = max(len(prompt) + len(answer) for prompt, answer in group) - 1
    widest += -widest % WIDTHS
    tokens = torch.zeros(len(group), widest, dtype=torch.long)
    answers, asked = (torch.full((len(group), widest), IGNORED) for _ in range(2))
    for row, (prompt, answer) in enumerate(group):
        sequence = torch.tensor(prompt + answer)
        tokens[row, : len(sequence) - 1] = sequence[:-1]
        answers[row, len(prompt) - 1 : len(sequence) - 1] = sequence[len(prompt) :]
        asked[row, PREFIX : len(prompt) - 1] = sequence[PREFIX + 1 : len(prompt)]
    return tokens, answers, asked
