"""How a check can end, and what a report says then, in both languages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from minigpt.language import language

PASSED, WRONG, NOT_IMPLEMENTED, BLOCKED = "passed", "wrong", "not_implemented", "blocked"
IMPORT_ERROR, CRASHED, PROCESS_ENDED, TIMED_OUT = "import_error", "crashed", "process_ended", "timed_out"
OUT_OF_MEMORY, INCONCLUSIVE, GRADER_ERROR = "out_of_memory", "inconclusive", "grader_error"


@dataclass(frozen=True, slots=True)
class Text:
    """The same sentence in both languages; `str` gives the reader's."""

    en: str
    es: str

    def __str__(self) -> str:
        return self.es if language() == "es" else self.en

    def format(self, **values) -> "Text":
        return Text(self.en.format(**values), self.es.format(**values))

    def followed_by(self, other: "Text | str") -> "Text":
        """This text, and another one right after it."""
        other = other if isinstance(other, Text) else Text(other, other)
        return Text(self.en + other.en, self.es + other.es)


def t(en: str, es: str) -> Text:
    """A text in both languages."""
    return Text(en, es)


# What each outcome means, in one plain line.
MEANING = {
    PASSED: t("works as it should", "hace lo que debe"),
    WRONG: t("it ran, but the result is not the expected one", "se ejecutó, pero el resultado no es el esperado"),
    NOT_IMPLEMENTED: t("not written yet", "aún sin escribir"),
    BLOCKED: t("waits for an earlier exercise", "espera a un ejercicio anterior"),
    IMPORT_ERROR: t("the file could not be loaded", "no se pudo cargar el archivo"),
    CRASHED: t("your code raised an exception", "tu código lanzó una excepción"),
    PROCESS_ENDED: t("your code ended the process", "tu código terminó el proceso"),
    TIMED_OUT: t("it did not finish in time", "no terminó a tiempo"),
    OUT_OF_MEMORY: t("it asked for more memory than allowed", "pidió más memoria de la permitida"),
    INCONCLUSIVE: t("the measurement was too noisy to decide", "la medida fue demasiado ruidosa para decidir"),
    GRADER_ERROR: t("the grader itself failed: please report it", "falló el propio corrector: avísanos, por favor"),
}
# What a report calls each outcome; data have the English word in both languages.
WORD = {
    PASSED: t(PASSED, "superada"), WRONG: t(WRONG, "incorrecta"), NOT_IMPLEMENTED: t(NOT_IMPLEMENTED, "sin escribir"),
    BLOCKED: t(BLOCKED, "en espera"), IMPORT_ERROR: t(IMPORT_ERROR, "error al cargar"), CRASHED: t(CRASHED, "excepción"),
    PROCESS_ENDED: t(PROCESS_ENDED, "fin del proceso"), TIMED_OUT: t(TIMED_OUT, "tiempo agotado"),
    OUT_OF_MEMORY: t(OUT_OF_MEMORY, "sin memoria"), INCONCLUSIVE: t(INCONCLUSIVE, "no concluyente"),
    GRADER_ERROR: t(GRADER_ERROR, "error interno"),
}


class CheckFailed(Exception):
    """A check that did not pass; it holds what the report will say."""

    def __init__(
        self, outcome: str, *, expected: object = None, got: object = None, hint: Text | str = "",
        raised: tuple[str, ...] = (), where: str = "",
    ):
        super().__init__(outcome)
        self.outcome, self.expected, self.got, self.hint = outcome, expected, got, hint
        self.raised = raised  # the classes of the exception that the code under test raised, its own first
        self.where = where  # the function of the student's file that raised it


def wrong(*, expected, got, hint: Text) -> CheckFailed:
    """A result that is not the expected one."""
    return CheckFailed(WRONG, expected=expected, got=got, hint=hint)


@contextmanager
def explained_by(hint: Text, *, outcome: str = "") -> Iterator[None]:
    """A failure in here that brings no hint of its own gets this one; with `outcome`, those with that outcome, and no other.

    A file that cannot be loaded fails at the first call, wherever that is: no call explains it.
    """
    try:
        yield
    except CheckFailed as failure:
        without_hint = not failure.hint and failure.outcome != IMPORT_ERROR
        if failure.outcome == outcome if outcome else without_hint:
            failure.hint = hint
        raise


def expect(condition: bool, *, expected, got, hint: Text) -> None:
    """Fail the check unless the condition holds."""
    if not condition:
        raise wrong(expected=expected, got=got, hint=hint)


def expect_equal(got, expected, *, hint: Text) -> None:
    """Fail the check unless the two are the same plain value; a tuple may stand for a list, and 3.0 for 3."""
    got_shown = got if _kind(got) == _kind(expected) else with_type(got)
    expect(is_same(got, expected), expected=expected, got=got_shown, hint=hint)


def is_same(got, expected) -> bool:
    """Whether two plain values are the same to the last item; types count, since True is not 1."""
    if _kind(got) != _kind(expected):
        return False
    if isinstance(got, (list, tuple)):
        return len(got) == len(expected) and all(map(is_same, got, expected))
    if isinstance(got, dict):
        return got.keys() == expected.keys() and all(is_same(got[key], expected[key]) for key in got)
    return bool(got == expected)


def _kind(value):
    kind = type(value)
    return {tuple: "sequence", list: "sequence", int: "number", float: "number"}.get(kind, kind)


def expect_number(got, expected: float, *, tolerance: float, hint: Text) -> None:
    """Fail the check unless `got` is a number within an absolute tolerance."""
    is_number = type(got) in (int, float)
    expect(is_number and abs(got - expected) <= tolerance, expected=expected, got=got if is_number else with_type(got),
           hint=hint)


def with_type(value) -> str:
    """A value of a type other than the expected one: 3.5 and "3.5" must not look the same in a report."""
    text = str(value) if type(value).__name__ == "Unknown" or value is None else repr(value)
    return text if type(value).__name__ in ("Unknown", "NoneType") else f"{text[:200]} ({type(value).__name__})"


def expect_value_error(student, function: str, *args, hint: Text) -> None:
    """Fail the check unless the call raises ValueError."""
    try:
        got = student.call(function, *args)
    except CheckFailed as failure:
        if failure.outcome != CRASHED:
            raise
        if "ValueError" in failure.raised:
            return
        raise CheckFailed(CRASHED, expected="ValueError", got=failure.got, hint=hint) from None
    expect(False, expected="ValueError", got=got, hint=hint)
