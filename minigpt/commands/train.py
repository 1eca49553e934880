"""`python -m minigpt train`: train the tutor from its seed and write the checkpoint, its loss plot and model card."""

import argparse
import time
from dataclasses import replace
from pathlib import Path

from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m minigpt train", description=say(
        en="Train the tutor from its seed.", es="Entrena el tutor desde su semilla.",
    ))  # fmt: skip
    parser.add_argument("--out", type=Path, help=say(en="folder for the checkpoint", es="carpeta del modelo"))
    parser.add_argument("--steps", type=int, help=say(en="fewer or more steps", es="menos o más pasos"))
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    from minigpt import model_card, threads, train, weights

    threads.torch_threads(args.threads)
    recipe = train.Recipe() if args.steps is None else replace(train.Recipe(), num_steps=args.steps)
    start = time.perf_counter()
    model, losses = train.train(recipe)
    minutes = (time.perf_counter() - start) / 60
    out = args.out or weights.CHECKPOINT
    weights.save_checkpoint(model, out)
    model_card.write(out, recipe, losses, minutes)
    print(say(en=f"Trained in {minutes:.1f} minutes: {out}", es=f"Entrenado en {minutes:.1f} minutos: {out}"))
    return 0
