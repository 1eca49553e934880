"""The table of the README: what the server uses, ignores and refuses, from the declaration in `fields.py`.

    python -m minigpt.extras.server.field_table      writes it between its markers, in both languages
"""

import json
from pathlib import Path

from minigpt.extras.server.fields import BOTH, FIELDS, IGNORED, NEUTRAL, USED, Field

BEGIN, END = "<!-- fields:begin -->", "<!-- fields:end -->"
PAGES = {"en": "README.md", "es": "README.es.md"}
WORDS = {
    "en": ("field", "what the server does with it", "ignored: answers are greedy, or it is bookkeeping",
           "refused with 400 unless null, left out, or the value given here", "any other name is refused with 400"),
    "es": ("campo", "qué hace el servidor con él", "ignorado: se decodifica de forma voraz (greedy), o es un dato administrativo",
           "rechazado con 400 salvo null, ausente o el valor indicado", "cualquier otro nombre se rechaza con 400"),
}


def table(language: str) -> str:
    """The rows of all fields, as Markdown."""
    field, what, ignored, refused, other = WORDS[language]
    rows = [f"| {field} | {what} |", "|---|---|"]
    rows += [f"| {_name(each)} | {getattr(each, language)} |" for each in FIELDS if each.use == USED]
    rows.append(f"| {', '.join(_name(each) for each in FIELDS if each.use == IGNORED)} | {ignored} |")
    rows.append(f"| {', '.join(_name(each) + _values(each) for each in FIELDS if each.use == NEUTRAL)} | {refused} |")
    return "\n".join([*rows, f"| … | {other} |"])


def _name(field: Field) -> str:
    where = "" if field.where == BOTH else f" ({field.where[0]})"
    return f"`{field.name}`{where}"


def _values(field: Field) -> str:
    # 0 and 0.0 are the same value to a reader.
    shown = dict.fromkeys(json.dumps(int(value) if type(value) is float else value) for value in field.neutral)
    return f" ({' / '.join(f'`{value}`' for value in shown)})" if shown else ""


def with_table(text: str, language: str) -> str:
    """A page's text with the table between its markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(language)}\n{END}{after}"


def main() -> None:
    folder = Path(__file__).parents[1]
    for language, name in PAGES.items():
        page = folder / name
        page.write_text(with_table(page.read_text(encoding="utf-8"), language), encoding="utf-8")


if __name__ == "__main__":
    main()
