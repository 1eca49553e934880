"""Training of the tutor: next-token prediction on the answers of the corpus, from a seed, on two CPU cores."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tqdm import tqdm

from minigpt.corpus.gradients import Gradients, tensors_of
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.model import Config, MiniGPT
from minigpt.llm.products import LINEAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the shipped checkpoint was trained."""

    seed: int = 1
    num_steps: int = 28_000
    fix_batch: int = 30  # sequences a step of each task; about as many tokens in "fix" as in the other two
    explain_batch: int = 13
    rewrite_batch: int = 6
    peak_learning_rate: float = 3e-3
    warmup_steps: int = 300
    decay_share: float = 0.6  # of the steps, at the end
    weight_decay: float = 0.05
    max_gradient_norm: float = 1.0

    @property
    def batch_sizes(self) -> dict[str, int]:
        return {"fix": self.fix_batch, "explain": self.explain_batch, "rewrite": self.rewrite_batch}


def learning_rate(step: int, recipe: Recipe) -> float:
    """Linear warm-up, the peak for a while, then straight down to a hundredth of it, for most of the time.

    Unlike a cosine, this lets a training be made longer after it has begun.
    """
    rising = (step + 1) / recipe.warmup_steps
    falling = (recipe.num_steps - step) / (recipe.decay_share * recipe.num_steps)
    return recipe.peak_learning_rate * max(0.01, min(1.0, rising, falling))


def optimizers(model: MiniGPT, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon (Jordan, 2024; scaled as in Liu et al., 2025) for the layers' matrices: fewer steps; AdamW for the rest."""
    matrices = [getattr(layer, name) for layer in model.layers for name in LINEAR]
    others = [w for w in tensors_of(model) if not any(w is matrix for matrix in matrices)]
    return [
        torch.optim.Muon(matrices, lr=recipe.peak_learning_rate, weight_decay=recipe.weight_decay, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=recipe.peak_learning_rate, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


class Trainer:
    """A model in training, a step at a time; saved, it goes on later where it stopped."""

    def __init__(self, recipe: Recipe = Recipe(), config: Config = Config(), state: Path | None = None, num_processes: int = 1):
        self.recipe = recipe
        self.model = random_model(config, recipe.seed)
        self.weights = tensors_of(self.model)
        for weight in self.weights:
            weight.requires_grad_(True)
        self.optimizers = optimizers(self.model, recipe)
        self.losses: list[float] = []  # of every step, nats per answer token, mean of the tasks
        if state is not None and state.exists():
            self._load(state)
        # The sentences of a training that goes on are new ones: their seed is the step at which it begins.
        self.gradients = Gradients(self.model, recipe.batch_sizes, recipe.seed * 1_000_003 + len(self.losses), num_processes)

    def step(self) -> float:
        loss = self.gradients.compute()
        torch.nn.utils.clip_grad_norm_(self.weights, self.recipe.max_gradient_norm)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(len(self.losses), self.recipe)
            optimizer.step()
        self.losses.append(loss)
        return loss

    def save(self, path: Path) -> None:
        """Everything that the next step needs, in one file that is never half written."""
        state = {"weights": [weight.detach() for weight in self.weights], "losses": self.losses, "recipe": asdict(self.recipe),
                 "optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def _load(self, path: Path) -> None:
        state = torch.load(path, weights_only=True)
        with torch.no_grad():
            for weight, saved in zip(self.weights, state["weights"], strict=True):
                weight.copy_(saved)
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.losses = state["losses"]

    def finish(self) -> MiniGPT:
        self.gradients.stop()
        for weight in self.weights:
            weight.requires_grad_(False)
            weight.grad = None
        return self.model


def train(recipe: Recipe = Recipe(), config: Config = Config(), *, state: Path | None = None, save_every: int = 200,
          num_processes: int = 1) -> tuple[MiniGPT, list[float]]:
    """Train a tutor; returns it and the loss of every step. With `state` it goes on from that file, and writes it."""
    trainer = Trainer(recipe, config, state, num_processes)
    with tqdm(total=recipe.num_steps, initial=len(trainer.losses), desc="train", unit="step", mininterval=5, disable=None) as bar:
        for loss in _steps(trainer):
            bar.update()
            done = len(trainer.losses)
            if done % 50 == 0:
                bar.set_postfix(loss=f"{loss:.3f}")
            if state is not None and (done % save_every == 0 or done == recipe.num_steps):
                trainer.save(state)
    return trainer.finish(), trainer.losses


def _steps(trainer: Trainer) -> Iterator[float]:
    while len(trainer.losses) < trainer.recipe.num_steps:
        yield trainer.step()
