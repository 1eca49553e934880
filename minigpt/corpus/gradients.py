"""The gradients of a training step: the mean of the tasks' losses, computed by one process or by two.

Two processes with a thread each are faster than one with two: they meet once a step, not at every matrix product.
The second one sees the same weights, in shared memory, and leaves its gradients there.
"""

import torch
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F

from minigpt.corpus.training_data import IGNORED, batches
from minigpt.llm.model import MiniGPT


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
        return sum(self._backward(*next(stream)) for stream in self.streams)

    def _backward(self, tokens: torch.Tensor, targets: torch.Tensor) -> float:
        logits = self.model.forward(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        loss.backward()
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
