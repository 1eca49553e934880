"""The class page's section on submissions that resemble each other."""

from collections.abc import Callable
from pathlib import Path

from minigpt import paths
from minigpt.language import say
from tests.grader.similarity import Pair, similar_pairs


def pairs_of(lab: Path, sources: dict[str, bytes]) -> list[Pair]:
    """Compare what was handed in for one lab; `sources` by the folder of the report."""
    texts = {name: text.decode("utf-8", "replace") for name, text in sources.items()}
    return similar_pairs(texts, paths.skeleton_file(lab).read_text(encoding="utf-8"))


def note() -> str:
    """Say what the table shows, and what it does not."""
    return say(
        en="The share of the smaller file's own token sequences that also occur in the other file: with the names as they "
           "are, and with all names made equal. Short exercises have few right answers, and people learn together: the "
           "figures show where to look, never what happened.",
        es="La fracción de las secuencias de tokens propias del archivo menor que también aparecen en el otro: con los "
           "nombres tal cual, y con todos los nombres igualados. Los ejercicios cortos tienen pocas respuestas correctas y se "
           "aprende en compañía: las cifras dicen dónde mirar, nunca qué pasó.")


def rows(pairs: list[Pair], link: Callable[[str], str]) -> list[str]:
    """Return the table's rows; `link` makes a link of a report's folder."""
    return [f'<tr><td>{link(pair.first)}</td><td>{link(pair.second)}</td><td class="n">{pair.with_names_percent:.0f} %</td>'
            f'<td class="n">{pair.renamed_percent:.0f} %</td></tr>' for pair in pairs]


def heads() -> tuple[str, ...]:
    return (say(en="submission", es="entrega"), say(en="and", es="y"), say(en="same tokens", es="mismos tokens"),
            say(en="same except for names", es="mismos salvo los nombres"))
