"""Rows of boxes: the blocks of prompts that begin alike, and the tokens of steps that check guesses."""

from matplotlib.patches import Patch, Rectangle

from minigpt.language import say
from minigpt.llm.tokenizer import decode
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS

ROW_IN, FONT = 0.42, 9
DARK = ("prefill", "useful", "continuous", "static")


@shown
def shared_blocks(rows: list[tuple[str, list[int], int, int]], block_size: int):
    """Prompts as rows of blocks, each with the number of its block in memory: found there, or computed.

    A row is (name, its blocks, how many of them were found, its tokens).
    """
    drawn = []
    for name, blocks, num_found, num_tokens in rows:
        boxes = []
        for place, block in enumerate(blocks):
            is_full = (place + 1) * block_size <= num_tokens
            kind = "continuous" if place < num_found else "useful" if is_full else "held"
            boxes.append((str(block), kind))
        drawn.append((name, boxes))
    legend = {
        "continuous": say(en="found: computed by an earlier request", es="encontrado: lo calculó una petición anterior"),
        "useful": say(en="computed, full", es="calculado, lleno"),
        "held": say(en="computed, not full: no key", es="calculado, no lleno: sin clave"),
    }
    found, total = sum(row[2] for row in rows), sum(len(row[1]) for row in rows)
    figure = _draw(drawn, legend, 1.0, say(en=f"block of the prompt ({block_size} tokens each)",
                                           es=f"bloque del prompt (de {block_size} tokens)"))
    return described(figure, say(
        en=f"{len(rows)} prompts with {total} blocks in all, of which {found} were found in the cache; the others were computed.",
        es=f"{len(rows)} prompts con {total} bloques en total, de los que {found} se encontraron en la caché; los demás se calcularon.",
    ))


@shown
def checked_guesses(steps: list[tuple[list[int], list[int]]], most: int = 12):
    """Steps as rows of tokens: guesses that were right, the model's own token, guesses that were wrong.

    A step is (its guesses, the tokens that were kept); the last of those is the model's own.
    """
    drawn = []
    for number, (guesses, kept) in enumerate(steps[:most], 1):
        num_right = len(kept) - 1
        boxes = [(letter(token), "useful") for token in kept[:num_right]] + [(letter(kept[-1]), "continuous")]
        boxes += [(letter(token), "static") for token in guesses[num_right:]]
        drawn.append((str(number), boxes))
    legend = {
        "useful": say(en="guessed correctly", es="acierto"),
        "continuous": say(en="the model's own", es="propio del modelo"),
        "static": say(en="guessed wrongly: dropped", es="fallo: se descarta"),
    }
    figure = _draw(drawn, legend, 1.0, say(en="tokens of the step", es="tokens del paso"), say(en="step", es="paso"))
    tokens = sum(len(kept) for _, kept in steps)
    return described(figure, say(
        en=f"{len(steps)} steps that gave {tokens} tokens; of {sum(len(guesses) for guesses, _ in steps)} guesses "
           f"{tokens - len(steps)} were right.",
        es=f"{len(steps)} pasos que dieron {tokens} tokens; de {sum(len(guesses) for guesses, _ in steps)} adivinados, "
           f"{tokens - len(steps)} acertaron.",
    ))


def letter(token: int) -> str:
    """A token as it can be read in a small box."""
    text = decode([token])
    return {"": "END", " ": "␣", "\n": "⏎"}.get(text, text if text.isprintable() and text != "\ufffd" else "·")


def _draw(rows, legend: dict[str, str], width: float, xlabel: str, ylabel: str = ""):
    figure = new_figure(0.95 + ROW_IN * len(rows))
    axes = figure.subplots()
    widest = max(len(boxes) for _, boxes in rows)
    for row, (_, boxes) in enumerate(rows):
        for place, (text, kind) in enumerate(boxes):
            axes.add_patch(Rectangle((place * width, row - 0.4), width * 0.94, 0.8, facecolor=COLOURS[kind]))
            axes.text((place + 0.47) * width, row, text, ha="center", va="center_baseline", fontsize=FONT,
                      color="white" if kind in DARK else "black")
    axes.set(xlim=(0, max(widest, 6) * width), ylim=(len(rows) - 0.5, -0.5), xlabel=xlabel, ylabel=ylabel)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xticks([(place + 0.47) * width for place in range(widest)], [str(place) for place in range(widest)])
    axes.tick_params(length=0)
    patches = [Patch(facecolor=COLOURS[kind], label=words) for kind, words in legend.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(legend), fontsize=9)
    return figure
