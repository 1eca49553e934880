"""`python -m minigpt eval`: how often the shipped tutor is right, on held-out sentences and on hand-written ones."""

import json
from dataclasses import asdict

from minigpt.cli.arguments import Parser, count, new_file, whole, write_text
from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt eval", description=say(
        en="Exact match of the tutor's answers on held-out sentences, and its corrections of sentences as people type them.",
        es="Acierto exacto del tutor en frases reservadas y sus correcciones de frases como las escribe la gente.",
    ))
    parser.add_argument("--num", type=count, default=500, help=say(en="prompts per group", es="preguntas por grupo"))
    parser.add_argument("--seed", type=whole(), default=0)
    parser.add_argument("--json", type=new_file, help=say(en="also write the figures here", es="escribe aquí las cifras"))
    parser.add_argument("--mistakes", action="store_true", help=say(en="list every mistake", es="lista cada error"))
    args = parser.parse_args(argv)
    from minigpt.corpus.evaluate import GROUPS, evaluate, evaluate_lists
    from minigpt.llm.tutor import load_tutor
    from minigpt.notebook.progress import progress

    model = load_tutor()
    rows = [evaluate(model, *group, args.num, args.seed) for group in progress(GROUPS, "eval")]
    print(say(en="language  kind      prompts   exact %   tokens min / mean / max",
              es="idioma    tipo      preguntas exacto %  tokens mín / media / máx"))
    for row in rows:
        print(
            f"{row.language:8}  {row.kind:8}  {row.num_prompts:7}   {row.exact_percent:7.2f}"
            f"   {row.min_tokens} / {row.mean_tokens:.1f} / {row.max_tokens}"
        )
        if args.mistakes:
            print(*(f"    {p}  ->  {got!r}  ({expected!r})" for p, expected, got in row.mistakes), sep="\n")
    lists = evaluate_lists(model)
    _print_lists(lists, args.mistakes)
    if args.json:
        write_text(args.json, json.dumps([asdict(row) for row in (*rows, *lists)], ensure_ascii=False, indent=2) + "\n")
    return 0


def _print_lists(lists: list, mistakes: bool) -> None:
    """The hand-written lists: `minigpt/corpus/typed/`."""
    print("", say(en="as people type them   right          correct ones that were changed",
                  es="como se escribe       bien           correctas que cambió"), sep="\n")
    for row in lists:
        spoilt = f"{row.num_spoilt} / {row.num_correct}" if row.num_correct else ""
        print(f"{row.name:20}  {row.num_right:3} / {row.num_sentences} ({row.right_percent:.0f} %)   {spoilt}".rstrip())
        if mistakes:
            print(*(f"    {text}  ->  {got!r}  ({expected})" for text, expected, got in row.mistakes), sep="\n")
