"""Training of the tutor: next-token prediction on the answers of the corpus, from a seed, on two CPU cores."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from tqdm import tqdm

from minigpt import corpus
from minigpt.model import Config, MiniGPT
from minigpt.tokenizer import EOS_TOKEN_ID, encode, encode_prompt
from minigpt.weights import random_model

IGNORED = -100  # the target of a position whose prediction does not count: cross_entropy's own convention


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the shipped checkpoint was trained."""

    seed: int = 1
    num_steps: int = 9_000
    batch_size: int = 48  # sequences a step
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
    done = (step - recipe.warmup_steps) / (recipe.num_steps - recipe.warmup_steps)
    return recipe.peak_learning_rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))


def training_pairs() -> list[tuple[list[int], list[int]]]:
    """The training examples as (prompt tokens, answer tokens with EOS)."""
    return [
        (encode_prompt(example.prompt), [*encode(example.answer), EOS_TOKEN_ID])
        for example in corpus.examples(split="train")
    ]


def batches(pairs: list, recipe: Recipe) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Tokens and targets (B, T) of each step, padded on the right; only the answer's tokens count as targets.

    Sequences of similar length share a batch: less padding is computed, and the order of batches stays random.
    """
    rng = random.Random(recipe.seed)
    step, size = 0, recipe.batch_size
    while step < recipe.num_steps:
        order = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]) + rng.random() * 16)
        groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
        rng.shuffle(groups)
        for group in groups[: recipe.num_steps - step]:
            yield _padded(group)
            step += 1


def _padded(group: list[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor]:
    widest = max(len(prompt) + len(answer) for prompt, answer in group) - 1
    tokens = torch.zeros(len(group), widest, dtype=torch.long)
    targets = torch.full((len(group), widest), IGNORED)
    for row, (prompt, answer) in enumerate(group):
        sequence = torch.tensor(prompt + answer)
        tokens[row, : len(sequence) - 1] = sequence[:-1]
        targets[row, len(prompt) - 1 : len(sequence) - 1] = sequence[len(prompt) :]
    return tokens, targets


def train(recipe: Recipe = Recipe(), config: Config = Config()) -> tuple[MiniGPT, list[float]]:
    """Train a tutor; returns it and the loss of every step (nats per answer token)."""
    torch.manual_seed(recipe.seed)
    model = random_model(config, recipe.seed)
    weights = tensors_of(model)
    for weight in weights:
        weight.requires_grad_(True)
    matrices = [w for w in weights if w.dim() == 2]
    scales = [w for w in weights if w.dim() == 1]
    groups = [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": scales, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=recipe.peak_learning_rate, betas=(0.9, 0.98))
    losses = []
    bar = tqdm(batches(training_pairs(), recipe), total=recipe.num_steps, desc="train", unit="step")
    for step, (tokens, targets) in enumerate(bar):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, recipe)
        logits = model.forward(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, recipe.max_gradient_norm)
        optimizer.step()
        losses.append(float(loss.detach()))
        if step % 50 == 0:
            bar.set_postfix(loss=f"{losses[-1]:.3f}")
    for weight in weights:
        weight.requires_grad_(False)
    return model, losses
