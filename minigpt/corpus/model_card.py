"""The card of a trained checkpoint: what it was trained on and how, how good it is, and what it is not for."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # a file is written, with or without a display
import matplotlib.pyplot as plt  # noqa: E402

from minigpt.corpus import corpus  # noqa: E402
from minigpt.corpus.evaluate import GROUPS, Accuracy, evaluate  # noqa: E402
from minigpt.corpus.train import TASKS, Recipe  # noqa: E402
from minigpt.llm.checkpoint_io import to_hf  # noqa: E402
from minigpt.llm.model import MiniGPT  # noqa: E402

NUM_PROMPTS = 600  # held-out prompts a group

CARD = """# Model card: the Mini-GPT grammar tutor

A decoder-only transformer in the Llama shape with {num_parameters:,} parameters ({width} wide, {num_layers} layers,
{num_heads} query heads on {num_kv_heads} key/value head, {context} tokens of context), over UTF-8 bytes and one
end-of-sequence token. It corrects one grammar mistake in a short English or Spanish sentence (`fix:`, `corrige:`) or
names the rule (`explain:`, `explica:`).

## Data

Sentences of a small grammar of our own (`minigpt/corpus/corpus.py`): {sentences}. Nothing was taken from anywhere.
One sentence in ten, chosen by a hash of its text, is held out of training in every form.

## Training

`make train`: seed {seed}, {num_steps:,} steps of {batch_size} sequences, a third each of {tasks}; Muon for the layers'
matrices and AdamW for the rest. The learning rate warms up over {warmup} steps and falls as half a cosine from {peak}.
It took {minutes:.0f} minutes with {threads} on the machine that made this file. Weights are stored in fp16 and computed in fp32.

![loss of every step](loss.png)

## Accuracy and lengths

Greedy answers to {num_prompts} held-out prompts per group, exactly equal to the corpus's; lengths in tokens, without EOS.

| language | kind | exact match | shortest | mean | longest |
|---|---|---|---|---|---|
{rows}

## Limits

It knows the words of its grammar and one mistake per sentence. On anything else its answers are confident nonsense. It is
made for measuring how language models are served: do not use it for anything that matters.
"""


def write(
    folder: Path, model: MiniGPT, recipe: Recipe, losses: list[float], minutes: float, num_threads: int,
) -> list[Accuracy]:
    """Evaluate a trained model and write README.md and loss.png into its folder; returns the accuracies."""
    rows = [evaluate(model, *group, NUM_PROMPTS) for group in GROUPS]
    plot_losses(losses, folder / "loss.png")
    sizes = {name: getattr(model.config, name) for name in model.config.__slots__}
    text = CARD.format(
        **sizes, num_parameters=sum(tensor.numel() for tensor in to_hf(model).values()),
        sentences=" and ".join(f"{len(corpus.sentences(code)):,} {name} sentences"
                               for code, name in (("en", "English"), ("es", "Spanish"))),
        seed=recipe.seed, num_steps=recipe.num_steps, batch_size=recipe.batch_size, tasks=", ".join(TASKS),
        peak=recipe.peak_learning_rate,
        warmup=recipe.warmup_steps, minutes=minutes, threads=f"{num_threads} thread{'s' if num_threads > 1 else ''}",
        num_prompts=NUM_PROMPTS,
        rows="\n".join(map(_table_row, rows)),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return rows


def _table_row(row: Accuracy) -> str:
    lengths = f"{row.min_tokens} | {row.mean_tokens:.1f} | {row.max_tokens}"
    return f"| {row.language} | {row.kind} | {row.exact_percent:.1f} % | {lengths} |"


def plot_losses(losses: list[float], path: Path) -> None:
    """Draw the loss of every step, and its mean over a hundred."""
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.plot(losses, color="#BBBBBB", linewidth=0.6, label="each step")
    means = [sum(losses[i : i + 100]) / 100 for i in range(0, len(losses) - 99, 100)]
    axes.plot(range(50, 100 * len(means), 100), means, color="#0072B2", label="mean of 100 steps")
    axes.set(xlabel="step", ylabel="loss (nats per answer token)", yscale="log")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
