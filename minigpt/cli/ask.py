"""`python -m minigpt ask "fix: she go to school"`: the tutor's answer, byte by byte."""

import codecs
import sys

from minigpt.cli.arguments import Parser, count
from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt ask", description=say(
        en="Ask the tutor. Prompts begin with 'fix:' or 'explain:'.",
        es="Pregunta al tutor. Las preguntas empiezan por 'corrige:' o 'explica:'.",
    ))
    parser.add_argument("prompt", nargs="+")
    parser.add_argument("--max-tokens", type=count, default=128)
    args = parser.parse_args(argv)
    from minigpt.llm.tutor import load_tutor, stream

    # A character of several bytes is printed when its last byte has come.
    text = codecs.getincrementaldecoder("utf-8")(errors="replace")
    try:
        for token in stream(load_tutor(), " ".join(args.prompt), args.max_tokens):
            sys.stdout.write(text.decode(bytes([token])))
            sys.stdout.flush()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(text.decode(b"", final=True))
    return 0
