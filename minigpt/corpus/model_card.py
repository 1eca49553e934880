"""The card of a trained checkpoint: what it was trained on and how, how good it is, and what it is not for."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # a file is written, with or without a display
import matplotlib.pyplot as plt  # noqa: E402

from minigpt.corpus import corpus  # noqa: E402
from minigpt.corpus.evaluate import GROUPS, Accuracy, TypedAccuracy, evaluate, evaluate_lists  # noqa: E402
from minigpt.corpus.train import Recipe  # noqa: E402
from minigpt.llm.checkpoint_io import to_hf  # noqa: E402
from minigpt.llm.model import MiniGPT  # noqa: E402

NUM_PROMPTS = 600  # held-out prompts a group

CARD = """# Model card: the Mini-GPT grammar tutor

A decoder-only transformer in the Llama shape with {num_parameters:,} parameters ({width} wide, {num_layers} layers,
{num_heads} query heads on {num_kv_heads} key/value head, {context} tokens of context), over UTF-8 bytes and one
end-of-sequence token. It corrects one grammar mistake in a short English or Spanish sentence (`fix:`, `corrige:`) or
names the rule (`explain:`, `explica:`); to anything else it says that it only knows short sentences.

## Data

Sentences of a grammar of our own (`minigpt/corpus/`), drawn anew for every step: {num_rules}. Nothing was taken from anywhere.
{outside:.0f} % are no sentence of the grammar at all, {correct:.0f} % have no mistake. One sentence in ten, chosen by a hash of its right
version, is held out of training in every form; so are the hand-written sentences in `minigpt/corpus/typed/`. Fixed expressions
and misspellings come from lists, {introduced:.0f} % of them with a greeting or a few more words: the same expression may so have been seen
in another sentence than the one held out.

## Training

`make train`: seed {seed}, {num_steps:,} steps of {batches} sequences; Muon for the layers' matrices and
AdamW for the rest. The learning rate warms up over {warmup} steps to {peak} and falls over the last {decay:.0f} %.
It took {minutes:.0f} minutes with {processes} on the machine that made this file. Weights are stored in fp16 and computed in fp32.

![loss of every step](loss.png)

## Accuracy and lengths

Greedy answers to {num_prompts} held-out prompts per group, exactly equal to the corpus's; every rule is drawn as often as every
other, the rarest as well. Lengths in tokens, without EOS.

| language | kind | exact match | shortest | mean | standard deviation | longest |
|---|---|---|---|---|---|---|
{rows}

Sentences as people type them (`minigpt/corpus/typed/`), written by hand before the training and kept out of it:

| list | right | sentences with nothing wrong that it changed |
|---|---|---|
{typed_rows}

## Limits

It knows short sentences with at most one mistake of a kind that its grammar has, and the tables above say how often it is
wrong even there: it overlooks a mistake, sees one where there is none, or miswrites a word. It is made for measuring how
language models are served: do not use it for anything that matters.
"""


def write(
    folder: Path, model: MiniGPT, recipe: Recipe, losses: list[float], minutes: float, num_processes: int,
) -> list[Accuracy]:
    """Evaluate a trained model and write README.md and loss.png into its folder; returns the accuracies."""
    rows = [evaluate(model, *group, NUM_PROMPTS) for group in GROUPS]
    lists = evaluate_lists(model)
    plot_losses(losses, folder / "loss.png")
    sizes = {name: getattr(model.config, name) for name in model.config.__slots__}
    text = CARD.format(
        **sizes, num_parameters=sum(tensor.numel() for tensor in to_hf(model).values()),
        num_rules=" and ".join(f"{len(corpus.rules(code)) - 2} rules of {name}" for code, name in (("en", "English"), ("es", "Spanish"))),
        outside=100 * corpus.OUTSIDE_SHARE, introduced=100 * corpus.INTRODUCED_SHARE, correct=100 * corpus.CORRECT_SHARE, seed=recipe.seed,
        num_steps=recipe.num_steps, batches=", ".join(f"{size} {task}" for task, size in recipe.batch_sizes.items()),
        peak=recipe.peak_learning_rate, decay=100 * recipe.decay_share, warmup=recipe.warmup_steps, minutes=minutes,
        processes="one process" if num_processes == 1 else "two processes", num_prompts=NUM_PROMPTS,
        rows="\n".join(map(_table_row, rows)), typed_rows="\n".join(map(_typed_row, lists)),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return rows


def _table_row(row: Accuracy) -> str:
    lengths = f"{row.min_tokens} | {row.mean_tokens:.1f} | {row.stdev_tokens:.1f} | {row.max_tokens}"
    return f"| {row.language} | {row.kind} | {row.exact_percent:.1f} % | {lengths} |"


def _typed_row(row: TypedAccuracy) -> str:
    spoilt = f"{row.num_spoilt} of {row.num_correct}" if row.num_correct else ""
    return f"| {row.name} | {row.num_right} of {row.num_sentences} ({row.right_percent:.0f} %) | {spoilt} |"


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
