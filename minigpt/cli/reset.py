"""`python -m minigpt reset NN`: a fresh copy of a lab's skeleton, after a backup of what was there."""

import os
from datetime import datetime

from minigpt import paths
from minigpt.cli.arguments import Parser
from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt reset", description=say(
        en="Start a lab again from its skeleton; your file is kept as a backup.",
        es="Vuelve a empezar un laboratorio desde su esqueleto; tu archivo se guarda como copia.",
    ))
    parser.add_argument("lab")
    lab = paths.resolve_lab(parser.parse_args(argv).lab)
    file = paths.student_file(lab)
    if file.exists():
        backup = _free_name(file)
        os.replace(file, backup)
        print(say(en=f"your file is now {backup}", es=f"tu archivo está ahora en {backup}"))
    paths.ensure_student_file(lab)
    print(say(en=f"fresh skeleton: {file}", es=f"esqueleto nuevo: {file}"))
    return 0


def _free_name(file):
    """An unused name next to the file: two resets within one second must not lose a backup."""
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    candidates = (file.with_name(f"{file.name}.bak-{stamp}{suffix}") for suffix in ("", *(f"-{n}" for n in range(2, 99))))
    return next(candidate for candidate in candidates if not candidate.exists())
