"""`python -m minigpt train`: train the tutor from its seed and write the checkpoint, its loss plot and model card."""

import sys
import time
from dataclasses import replace
from pathlib import Path

from minigpt.cli.arguments import Parser, count, new_folder
from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt train", description=say(
        en="Train the tutor from its seed.", es="Entrena el tutor desde su semilla.",
    ))
    parser.add_argument("--out", type=new_folder, help=say(en="folder for the checkpoint", es="carpeta del modelo"))
    parser.add_argument("--steps", type=count, help=say(en="fewer steps, to try it out", es="menos pasos, para probar"))
    parser.add_argument("--processes", type=count, default=2, help=say(en="1 or 2, a thread each", es="1 o 2, con un hilo cada uno"))
    parser.add_argument("--state", type=Path, help=say(
        en="file to go on from, and to write every few minutes", es="archivo desde el que seguir y en el que guardar cada pocos minutos"))
    args = parser.parse_args(argv)
    from minigpt.corpus import model_card, prompts, train
    from minigpt.llm import checkpoint_io

    recipe = train.Recipe()
    if args.steps is not None:
        recipe = replace(recipe, num_steps=args.steps)
    start = time.perf_counter()
    model, losses = train.train(recipe, state=args.state, num_processes=args.processes)
    minutes = (time.perf_counter() - start) / 60
    out = args.out or checkpoint_io.CHECKPOINT
    checkpoint_io.save_checkpoint(model, out)
    model = checkpoint_io.load_checkpoint(out)  # rounded to fp16: as every user will run it
    model_card.write(out, model, recipe, losses, minutes, args.processes)
    print(say(en=f"Trained in {minutes:.1f} minutes: {out}", es=f"Entrenado en {minutes:.1f} minutos: {out}"))
    try:
        num_prompts = prompts.write_pool(model, path=out / prompts.POOL.name)
    except ValueError as error:  # after a few steps only
        print(error, file=sys.stderr)
        return 1
    print(say(en=f"with {num_prompts} prompts for workloads", es=f"con {num_prompts} preguntas para las cargas"))
    return 0
