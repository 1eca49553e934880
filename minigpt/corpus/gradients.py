"""The gradients of a training step: the mean of the tasks' losses, computed by one process or by two.

Two processes with a thread each are faster than one with two: they meet once a step, not at every matrix product.
The second one sees the same weights, in shared memory, and leaves its gradients there.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from minigpt.corpus.training_data import IGNORED, batches
from minigpt.llm.model import MiniGPT

# Answers are a tenth of the tokens. To predict the sentence asked about as well teaches words and endings in fewer steps.
ASKED_SHARE = 0.15


@contextmanager
def quick_products() -> Iterator[None]:
    """Multiply matrices in bfloat16 with sums in float32, where the processor can: a step takes two thirds of its time.

    Attention as plain products, since the fused kernel is slow in this mode.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def tensors_of(model: MiniGPT) -> list[torch.Tensor]:
    """Every weight of the model, once."""
    per_layer = [getattr(layer, name) for layer in model.layers for name in layer.__slots__]
    return [model.embedding, model.final_norm, *per_layer]


class Gradients:
    """Adds up the gradients of a batch of each task in the weights' `grad`."""

    def __init__(self, model: MiniGPT, batch_sizes: dict[str, int], seed: int, num_processes: int = 1):
        self.weights = tensors_of(model)
        first = {"fix": batch_sizes["fix"]} if num_processes > 1 else batch_sizes
        second = {task: size for task, size in batch_sizes.items() if task not in first}
        self.num_tasks = len(batch_sizes)
        for weight in self.weights:
            weight.grad = torch.zeros_like(weight)
        self.own = _Worker(model, first, seed)
        self.helper = _Helper(model, second, seed) if second else None

    def compute(self) -> float:
        """A batch of each task; returns the loss."""
        if self.helper:
            self.helper.begin()
        loss = self.own.compute()
        if self.helper:
            loss += self.helper.end()
            for weight, other in zip(self.weights, self.helper.gradients):
                weight.grad += other
        return loss / self.num_tasks

    def stop(self) -> None:
        if self.helper:
            self.helper.stop()


class _Worker:
    """Batches of some tasks, and their gradients."""

    def __init__(self, model: MiniGPT, batch_sizes: dict[str, int], seed: int):
        self.model, self.weights = model, tensors_of(model)
        # Every task has its own batches, since their lengths differ.
        self.streams = [batches(task, size, seed) for task, size in batch_sizes.items()]

    def compute(self) -> float:
        for weight in self.weights:
            weight.grad.zero_()
        with quick_products():
            return sum(self._backward(*next(stream)) for stream in self.streams)

    def _backward(self, tokens: torch.Tensor, answers: torch.Tensor, asked: torch.Tensor) -> float:
        """Add the gradients of one batch; returns the loss of its answers alone."""
        logits = self.model.forward(tokens).flatten(0, 1)
        loss = F.cross_entropy(logits, answers.flatten(), ignore_index=IGNORED)
        (loss + ASKED_SHARE * F.cross_entropy(logits, asked.flatten(), ignore_index=IGNORED)).backward()
        return float(loss.detach())


class _Helper:
    """A second process that computes the gradients of its tasks at the same time."""

    def __init__(self, model: MiniGPT, batch_sizes: dict[str, int], seed: int):
        weights = tensors_of(model)
        for weight in weights:
            weight.data.share_memory_()
        self.gradients = [torch.zeros_like(weight).share_memory_() for weight in weights]
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        data = [weight.data for weight in weights]
        self.process = context.Process(target=_help, args=(theirs, model.config, data, self.gradients, batch_sizes, seed), daemon=True)
        self.process.start()

    def begin(self) -> None:
        self.pipe.send(True)

    def end(self) -> float:
        return self.pipe.recv()

    def stop(self) -> None:
        self.pipe.send(False)
        self.process.join()


def _help(pipe, config, data: list[torch.Tensor], gradients: list[torch.Tensor], batch_sizes: dict[str, int], seed: int) -> None:
    """The second process: its model is made of the first one's weights."""
    from minigpt.llm.checkpoint_io import random_model

    model = random_model(config, 0)
    for weight, shared, gradient in zip(tensors_of(model), data, gradients):
        weight.data = shared
        weight.requires_grad_(True)
        weight.grad = gradient
    worker = _Worker(model, batch_sizes, seed)
    while pipe.recv():
        pipe.send(worker.compute())
