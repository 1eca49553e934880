"""A notebook's code, which its source holds once for both languages, with the texts of one of them.

    plots.bars(names, values, say(en="calls", es="llamadas"))  # how many? || ¿cuántas?

becomes, in Spanish,

    plots.bars(names, values, "llamadas")  # ¿cuántas?

so that no line is read twice. `say` is not a function here: a notebook does not import it.
"""

import ast
import io
import tokenize

LANGUAGES = ("en", "es")


def in_one_language(code: str, language: str) -> str:
    """Return the code with its comments and texts in one language; a ValueError names what is not in both."""
    return with_texts(with_comments(code, language), language)


def with_comments(code: str, language: str) -> str:
    """Put one half of each comment in its place."""
    lines = code.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            halves = [half.strip() for half in token.string.removeprefix("#").split("||")]
            if len(halves) != len(LANGUAGES) or not all(halves):
                raise ValueError(f"{token.string!r} is not in both languages; write '# English || Spanish'")
            lines[row - 1] = f"{lines[row - 1][:column]}# {halves[LANGUAGES.index(language)]}"
    return "\n".join(lines)


def with_texts(code: str, language: str) -> str:
    """Put one text of each `say(en=…, es=…)` in its place."""
    while calls := [node for node in ast.walk(ast.parse(code)) if is_say(node)]:
        call = calls[-1]  # of two, one inside the other, the inner one
        texts = {keyword.arg: ast.get_source_segment(code, keyword.value) for keyword in call.keywords}
        if call.args or tuple(texts) != LANGUAGES:
            raise ValueError(f"{ast.unparse(call)} is not in both languages; write say(en=…, es=…)")
        code = replaced(code, call, texts[language])
    return code


def is_say(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"


def replaced(code: str, node: ast.AST, text: str) -> str:
    """Return the code with a text in a node's place."""
    lines = code.encode().split(b"\n")  # an ast counts columns in bytes
    before = b"\n".join([*lines[:node.lineno - 1], lines[node.lineno - 1][:node.col_offset]]).decode()
    after = b"\n".join([lines[node.end_lineno - 1][node.end_col_offset:], *lines[node.end_lineno:]]).decode()
    stands_in_brackets = before.endswith("(") and after.startswith(")")
    return before + (text if "\n" not in text or stands_in_brackets else f"({text})") + after


def without_texts(code: str) -> str:
    """What remains of a cell's code if its texts and comments are empty: the same in both languages."""
    return ast.dump(Empty().visit(ast.parse(code)))


def texts_of(code: str) -> list[str]:
    """The texts of a cell's code, in order, and its comments."""
    tree = Empty()
    tree.visit(ast.parse(code))
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return tree.texts + [token.string for token in tokens if token.type == tokenize.COMMENT]


class Empty(ast.NodeTransformer):
    """Takes the texts out of a tree, and keeps them."""

    def __init__(self):
        self.texts = []

    def visit_JoinedStr(self, node):
        self.texts.append(ast.unparse(node))
        return ast.Constant("")

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.texts.append(node.value)
            return ast.Constant("")
        return node
