"""`python -m minigpt arena`: all policies on the same five workloads."""

import json
from dataclasses import asdict

from minigpt.cli.arguments import Parser, new_file, write_text
from minigpt.language import say
from minigpt.schedulers.lab_file import unwritten


def main(argv: list[str]) -> int:
    from minigpt.notebook.progress import progress
    from minigpt.schedulers.registry import GIVEN, IMPLEMENTATIONS
    from minigpt.studies.policy_comparison import ITL_TARGET_S, TTFT_TARGET_S, arena, table

    parser = Parser(prog="python -m minigpt arena", description=say(
        en="Every policy on the same five workloads, on the virtual clock.",
        es="Todas las políticas con las mismas cinco cargas de trabajo, con el reloj virtual.",
    ))
    parser.add_argument("--impl", default=GIVEN, choices=(GIVEN, *IMPLEMENTATIONS), help=say(
        en="whose loops: given (the default), yours or the reference's", es="de quién son los bucles: los dados (given), los tuyos o los de la "
                                                       "referencia"))
    parser.add_argument("--json", type=new_file, help=say(en="also write the figures here", es="escribe aquí las cifras"))
    args = parser.parse_args(argv)
    try:
        scores = arena(args.impl, progress=progress)
    except NotImplementedError as stub:
        missing = unwritten(stub)
        raise ValueError(say(
            en=f"not all of your policies are written yet ({missing}): the arena needs labs 02, 03 and 05",
            es=f"aún no están escritas todas tus políticas ({missing}): hacen falta los laboratorios 02, 03 y 05",
        )) from None
    print(table(scores), "", say(
        en=f"Times in ms. good/s: first token within {1e3 * TTFT_TARGET_S:.0f} ms, no gap above {1e3 * ITL_TARGET_S:.0f} ms. "
           "fair: Jain's index of latency per token. KV: tokens of memory taken. urgent: the most urgent class.",
        es=f"Tiempos en ms. good/s: primer token en {1e3 * TTFT_TARGET_S:.0f} ms, ningún hueco de más de "
        f"{1e3 * ITL_TARGET_S:.0f} ms. fair: índice de Jain de la latencia por token. KV: tokens de memoria ocupados. "
        "urgentes: la clase más urgente.",
    ), sep="\n")
    if args.json:
        write_text(args.json, json.dumps([asdict(each) for each in scores], ensure_ascii=False, indent=2) + "\n")
    return 0
