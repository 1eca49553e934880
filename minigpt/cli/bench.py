"""`python -m minigpt bench`: how much longer the decode step takes than its matrix products alone."""

from minigpt.cli.arguments import Parser, count
from minigpt.language import say
from minigpt.studies import product_libraries
from minigpt.studies.decode_floor import BATCH_SIZES, CONTEXTS, measure, report


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt bench", description=say(
        en="Time a decode step against its matrix products alone, without and with attention's: one thread, processor time.",
        es="Mide un paso de decodificación frente a sus productos de matrices, sin y con los de atención: un hilo, tiempo de CPU.",
    ))
    parser.add_argument("--repeats", type=count, default=40)
    args = parser.parse_args(argv)
    from minigpt.llm.tutor import load_tutor
    from minigpt.notebook.progress import progress

    model = load_tutor()
    cases = [(batch, context) for context in CONTEXTS for batch in BATCH_SIZES]
    print(report([measure(model, *case, repeats=args.repeats) for case in progress(cases, "bench")]))
    print()
    print(product_libraries.report(model, args.repeats))
    return 0
