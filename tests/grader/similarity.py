"""Which submissions of a class resemble each other more than the exercises explain: a hint where to look, never a verdict.

Of each file the sequence of its tokens is taken, without comments, docstrings, layout and what the skeleton gives; names
are taken once as they are and once as "some name", so that renaming hides nothing. Two files share the runs of `RUN`
tokens that occur in both. Nothing of a submission is executed. (After Schleimer, Wilkerson and Aiken: Winnowing, 2003;
files of this size need no sampling.)
"""

import io
import keyword
import tokenize
from dataclasses import dataclass
from itertools import combinations

RUN = 12  # tokens: about one line and a half
LEAST_RUNS = 40  # of a file's own: below that, two files agree by themselves
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions and what they share, in percent of the smaller one's runs."""

    first: str
    second: str
    with_names_percent: float
    renamed_percent: float


def tokens_of(source: str) -> list[tokenize.TokenInfo]:
    """Return the tokens that mean something, up to where the file stops being Python."""
    found, starts_line = [], True
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            is_docstring = token.type == tokenize.STRING and starts_line
            if token.type not in LAYOUT and not is_docstring:
                found.append(token)
            starts_line = token.type in LAYOUT
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def runs_of(source: str, keeps_names: bool) -> set[tuple[str, ...]]:
    """Return every run of RUN tokens in a source text."""
    words = [token.string if keeps_names or token.type == tokenize.OP or keyword.iskeyword(token.string)
             else tokenize.tok_name[token.type] for token in tokens_of(source)]
    return {tuple(words[start:start + RUN]) for start in range(len(words) - RUN + 1)}


def similar_pairs(sources: dict[str, str], given: str, least_percent: float = 60.0, most_pairs: int = 20) -> list[Pair]:
    """Return the pairs that share most, by name of submission; `given` is the skeleton, which counts for nothing."""
    own = {}
    for name, source in sources.items():
        runs = [runs_of(source, keeps) - runs_of(given, keeps) for keeps in (True, False)]
        if min(map(len, runs)) >= LEAST_RUNS:
            own[name] = runs
    pairs = [Pair(first, second, *(shared_percent(a, b) for a, b in zip(own[first], own[second], strict=True)))
             for first, second in combinations(own, 2)]
    close = [pair for pair in pairs if max(pair.with_names_percent, pair.renamed_percent) >= least_percent]
    return sorted(close, key=lambda pair: (-pair.with_names_percent, -pair.renamed_percent, pair.first, pair.second))[:most_pairs]


def shared_percent(first: set, second: set) -> float:
    """Return which part of the smaller set lies in the other."""
    return 100 * len(first & second) / min(len(first), len(second))
