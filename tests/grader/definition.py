"""A student's function compared with a definition on many inputs, in one load of the file; its arguments are checked too.

The definition is computed on this side. An input on which it raises ValueError must raise one in the student's code as
well. `slips` are mistakes that are easy to make: if one of them explains the answer, its hint names it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.grader import channel
from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, is_same, t, with_type, wrong

KEPT = t(
    "this call is wrong after other calls, but right on its own. Something is kept from one call to the next: a default "
    "argument such as `seen=[]` is made once and then shared by all calls, and so is anything outside the function",
    "esta llamada da un resultado incorrecto después de otras llamadas, pero correcto por sí sola. Algo se conserva de una "
    "llamada a la siguiente: un argumento por defecto como `seen=[]` se crea una vez y lo comparten todas las llamadas, igual "
    "que lo que está fuera de la función",
)
CHANGED = t(
    "(`{name}` after the call): the function must not change its arguments. `sort`, `pop`, `clear`, `update` and `x[i] = …` "
    "change an object that the caller still uses; `sorted(x)`, `list(x)` and `dict(x)` make a new one",
    "(`{name}` tras la llamada): la función no debe cambiar sus argumentos. `sort`, `pop`, `clear`, `update` y `x[i] = …` "
    "cambian un objeto que quien llama sigue usando; `sorted(x)`, `list(x)` y `dict(x)` crean uno nuevo",
)



class Raised:
    """Stands for a ValueError in the place of an answer."""

    def __repr__(self) -> str:
        return "ValueError"


VALUE_ERROR = Raised()
CASES_MORE = 12  # two mistakes can agree on one case, hardly on a dozen


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A mistake that is easy to make: what it returns, and the hint that names it."""

    answer: Callable
    hint: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a function has to return."""

    function: str
    arguments: tuple[str, ...]  # their names, for messages
    truth: Callable  # of the arguments; ValueError where the function must raise one
    near: Callable = is_same  # (got, expected): whether that is right
    shown: Callable = repr  # a short form of an answer
    slips: tuple[Slip, ...] = ()


def as_row(value):
    """A tensor with one axis as the list of its numbers; anything else as it is."""
    return value.tolist() if getattr(value, "ndim", 0) == 1 else value


def near_numbers(share: float) -> Callable:
    """Whether a number, or each of several, is right to within this share of it, or of 1e-3 if that is larger."""

    def is_near(got, wanted) -> bool:
        if isinstance(wanted, (list, tuple)):
            return isinstance(got, (list, tuple)) and len(got) == len(wanted) and all(map(is_near, got, wanted))
        if type(got) not in (int, float) or not math.isfinite(wanted):
            return type(got) in (int, float) and got == wanted
        return abs(got - wanted) <= share * max(abs(wanted), 1e-3)

    return is_near


def expect_defined(student, definition: Definition, cases: Iterable[tuple], *, hint) -> None:
    """Fail the check unless the function answers each case as it is defined, and leaves its arguments as they were.

    `hint` is a text, or makes one of a case's arguments. The first case comes once more at the end.
    """
    cases = list(cases)
    for count, args in enumerate([*cases, cases[0]]):
        got, after = answer(student, definition.function, args, again=count > 0)
        wanted = _true_answer(definition, args)
        if not _will_do(definition, got, wanted):
            if count and _will_do(definition, answer(student, definition.function, args)[0], wanted):
                hint = KEPT
            else:
                hint = _slip_hint(student, definition, cases, count, got) or hint
            _fail(definition, got, wanted, hint if isinstance(hint, Text) else hint(*args))
        expect_unchanged(definition.arguments, args, after)


def expect_worked_out(student, definition: Definition, cases: Iterable[tuple], answers: Iterable, *, hint) -> None:
    """`expect_defined` on cases whose answers were worked out by hand: the definition itself has to give them."""
    cases = list(cases)
    assert [definition.truth(*args) for args in cases] == list(answers), "the definition itself"
    expect_defined(student, definition, cases, hint=hint)


def answer(student, function: str, args, *, again: bool = False) -> tuple:
    """What a call returns and its arguments afterwards; a ValueError is an answer, a crash is kept for `_fail`."""
    try:
        return student.call_with(function, *args, again=again)
    except CheckFailed as failure:
        if failure.outcome != CRASHED:
            raise
        return (VALUE_ERROR if "ValueError" in failure.raised else failure), list(args)


def expect_unchanged(names, before, after) -> None:
    """Fail the check if a call has changed one of its arguments."""
    for name, old, new in zip(names, before, after):
        expect(channel.pack(old) == channel.pack(new), hint=CHANGED.format(name=name),
               expected=t("unchanged", "sin cambios"), got=repr(new)[:100])


def _true_answer(definition: Definition, args):
    try:
        return definition.truth(*args)
    except ValueError:
        return VALUE_ERROR


def _will_do(definition: Definition, got, wanted) -> bool:
    if isinstance(got, (CheckFailed, Raised)) or wanted is VALUE_ERROR:
        return got is wanted
    return definition.near(got, wanted)


def _fail(definition: Definition, got, wanted, hint: Text) -> None:
    expected = _shown(definition, wanted)
    if isinstance(got, CheckFailed):
        raise CheckFailed(CRASHED, expected=expected, got=got.got, hint=hint)
    raise wrong(expected=expected, got=_shown(definition, got), hint=hint)


def _slip_hint(student, definition: Definition, cases: list, count: int, got) -> Text | None:
    """The hint of the slip that explains this answer, the right ones before it, and those of some cases after it."""
    if not definition.slips:
        return None
    answers = [(args, _true_answer(definition, args)) for args in cases[:count]] + [(cases[count % len(cases)], got)]
    for args in cases[count + 1 : count + 1 + CASES_MORE]:
        answers.append((args, answer(student, definition.function, args)[0]))
    wanted = _true_answer(definition, answers[count][0])
    found = []
    for slip in definition.slips:
        is_wrong_here = not _explains(definition, slip, answers[count][0], wanted)
        if is_wrong_here and all(_explains(definition, slip, *each) for each in answers):
            found.append(slip.hint)
    return one_of(found)


def one_of(hints: Iterable[Text]) -> Text | None:
    """The hint where slips explain all answers; of several it cannot be known which one it is, so two are named."""
    one, other, *_ = (*dict.fromkeys(hints), None, None)
    if other is None:
        return one
    return t(f"more than one mistake gives just this. Either: {one.en}. Or: {other.en}",
             f"más de un error da justo esto. O bien: {one.es}. O bien: {other.es}")


def _explains(definition: Definition, slip: Slip, args, got) -> bool:
    try:
        return _will_do(definition, got, slip.answer(*args))
    except (ArithmeticError, LookupError, TypeError, ValueError):  # of an empty list, say
        return isinstance(got, (CheckFailed, Raised))


def _shown(definition: Definition, value):
    try:
        return repr(value) if value is VALUE_ERROR else definition.shown(value)
    except (AttributeError, LookupError, TypeError, ValueError):  # the answer is of another type
        return with_type(value)
