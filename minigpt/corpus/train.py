"""Training of the tutor: next-token prediction on the answers of the corpus, from a seed, on two CPU cores."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from tqdm import tqdm

from minigpt.corpus import corpus
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.model import Config, MiniGPT
from minigpt.llm.tokenizer import EOS_TOKEN_ID, encode, encode_prompt

REWRITE = "rewrite"
TASKS = (*corpus.KINDS, REWRITE)
MATRICES = ("qkv", "attention_out", "gate_up", "down")  # of a layer
IGNORED = -100  # the target of a position whose prediction does not count: cross_entropy's own convention


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the shipped checkpoint was trained."""

    seed: int = 1
    num_steps: int = 16_500
    batch_size: int = 36  # sequences a step, a third of each task
    peak_learning_rate: float = 3e-3
    warmup_steps: int = 200
    weight_decay: float = 0.05
    max_gradient_norm: float = 1.0


def tensors_of(model: MiniGPT) -> list[torch.Tensor]:
    """Every weight of the model, once."""
    per_layer = [getattr(layer, name) for layer in model.layers for name in layer.__slots__]
    return [model.embedding, model.final_norm, *per_layer]


def learning_rate(step: int, recipe: Recipe) -> float:
    """Linear warm-up, then half a cosine down to a hundredth of the peak."""
    if step < recipe.warmup_steps:
        return recipe.peak_learning_rate * (step + 1) / recipe.warmup_steps
    done = (step - recipe.warmup_steps) / max(recipe.num_steps - recipe.warmup_steps, 1)
    return recipe.peak_learning_rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))


def training_pairs(task: str) -> list[tuple[list[int], list[int]]]:
    """The training examples of a task as (prompt tokens, answer tokens with EOS)."""
    texts = rewriting_examples() if task == REWRITE else [
        (example.prompt, example.answer) for example in corpus.examples(kind=task, split="train")
    ]
    return [(encode_prompt(prompt), [*encode(answer), EOS_TOKEN_ID]) for prompt, answer in texts]


def rewriting_examples() -> list[tuple[str, str]]:
    """A training sentence and the whole of it put right: a task of the training alone.

    Explanations quote the sentence. Learning to copy from a few quoted words takes thousands of steps; copying whole
    sentences is learned quickly, and then works for quotes as well.
    """
    return [
        (f"{REWRITE}: {sentence.text}", sentence.right)
        for language in corpus.LANGUAGES
        for sentence in corpus.sentences(language)
        if not corpus.is_held_out(sentence.text) and not corpus.is_held_out(sentence.right)
    ]


def batches(pairs: list, size: int, rng: random.Random) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Tokens and targets (size, T), padded on the right, without end; only the answer's tokens count as targets.

    Sequences of similar length share a batch: less padding is computed, and the order of batches stays random.
    """
    while True:
        order = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]) + rng.random() * 16)
        groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
        rng.shuffle(groups)
        yield from map(_padded, groups)


def _padded(group: list[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor]:
    widest = max(len(prompt) + len(answer) for prompt, answer in group) - 1
    tokens = torch.zeros(len(group), widest, dtype=torch.long)
    targets = torch.full((len(group), widest), IGNORED)
    for row, (prompt, answer) in enumerate(group):
        sequence = torch.tensor(prompt + answer)
        tokens[row, : len(sequence) - 1] = sequence[:-1]
        targets[row, len(prompt) - 1 : len(sequence) - 1] = sequence[len(prompt) :]
    return tokens, targets


def optimizers(model: MiniGPT, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon (Jordan, 2024; scaled as in Liu et al., 2025) for the layers' matrices: fewer steps; AdamW for the rest."""
    matrices = [getattr(layer, name) for layer in model.layers for name in MATRICES]
    others = [w for w in tensors_of(model) if not any(w is matrix for matrix in matrices)]
    return [
        torch.optim.Muon(matrices, lr=recipe.peak_learning_rate, weight_decay=recipe.weight_decay, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=recipe.peak_learning_rate, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


def train(recipe: Recipe = Recipe(), config: Config = Config()) -> tuple[MiniGPT, list[float]]:
    """Train a tutor; returns it and the loss of every step (nats per answer token, mean of the tasks)."""
    model = random_model(config, recipe.seed)
    losses = []
    with tqdm(steps(model, recipe), total=recipe.num_steps, desc="train", unit="step", disable=None) as bar:
        for loss in bar:
            losses.append(loss)
            if len(losses) % 50 == 0:
                bar.set_postfix(loss=f"{loss:.3f}")
    return model, losses


def steps(model: MiniGPT, recipe: Recipe) -> Iterator[float]:
    """Train a model in place; yields the loss of every step."""
    weights, rng = tensors_of(model), random.Random(recipe.seed)
    for weight in weights:
        weight.requires_grad_(True)
    both = optimizers(model, recipe)
    # Every step takes a batch of each task: as separate batches, since their lengths differ.
    streams = [batches(training_pairs(task), recipe.batch_size // len(TASKS), rng) for task in TASKS]
    for step in range(recipe.num_steps):
        yield sum(_backward(model, *next(stream)) for stream in streams) / len(streams)
        torch.nn.utils.clip_grad_norm_(weights, recipe.max_gradient_norm)
        for optimizer in both:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, recipe)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    for weight in weights:
        weight.requires_grad_(False)


def _backward(model: MiniGPT, tokens: torch.Tensor, targets: torch.Tensor) -> float:
    """Add the gradients of one batch to the weights'; its loss."""
    logits = model.forward(tokens)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
    loss.backward()
    return float(loss.detach())
