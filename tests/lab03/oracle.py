"""A function of plain values against its definition: many inputs in one load of the file, each compared exactly."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from minigpt.workloads.workload import Workload
from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, t, wrong
from tests.grader.student import Called
from tests.lab03.scenes import scene

CHANGED = t(
    "the result is right, but your function changed its argument: it belongs to the caller, who still needs it. Sort or "
    "change a copy (`sorted(…)` makes one), and do not modify anything that was passed to you",
    "el resultado es correcto, pero tu función modificó su argumento: pertenece a quien la llamó, que aún lo necesita. Ordena "
    "o modifica una copia (`sorted(…)` crea una) y no cambies nada de lo que recibiste",
)
REMEMBERS = t(
    "the first call is right, but later ones remember it. A default argument such as `found=[]` is made once and kept, and so "
    "is a list or dict outside the function: create it inside the function, in each call",
    "la primera llamada es correcta, pero las siguientes la recuerdan. Un argumento por defecto como `found=[]` se crea una "
    "sola vez y se conserva, igual que una lista o un diccionario de fuera de la función: créalo dentro de la función, en "
    "cada llamada",
)


def one_step_late(section: str) -> Text:
    """The hint where each request that reaches its limit ends a step after its last token."""
    return t(
        "(the requests end by their limit, max_tokens): each ends one step too late. Either its tokens are compared with "
        "max_tokens before this step's token is appended: append first, then compare. Or the comparison is `>`: a request has "
        f"ended when it has max_tokens tokens, not when it has more (section {section})",
        "(las peticiones terminan por su límite, max_tokens): cada una termina un paso tarde. O bien sus tokens se comparan con "
        "max_tokens antes de añadir el token de este paso: añádelo primero y compara después. O bien la comparación es `>`: una "
        f"petición ha terminado cuando tiene max_tokens tokens, no cuando tiene más (sección {section})",
    )


def one_step_early(section: str) -> Text:
    """The hint where each request that reaches its limit ends a step before its last token."""
    return t(
        "each request ends one step too early: with max_tokens=3 it must get a third token. Compare num_output_tokens with "
        "max_tokens itself, without − 1 or + 1: a token that has been appended is already counted "
        f"(section {section})",
        "cada petición termina un paso antes de tiempo: con max_tokens=3 le falta su tercer token. Compara num_output_tokens con "
        "el propio max_tokens, sin − 1 ni + 1: un token ya añadido ya está contado "
        f"(sección {section})",
    )


def two_prompts() -> Workload:
    """Two answers of 6 tokens, ended by the limit, to prompts of 1 and 3 tokens: 5 and 3 if the limit counts the prompt."""
    first, second = scene((0, 6), (0, 6)).items
    return Workload(name="two prompts", items=(first, replace(second, prompt_token_ids=(97, 98, 99))))


def prompt_counted(section: str) -> Text:
    """The hint where a request ends as soon as its prompt and its output together have max_tokens tokens."""
    return t(
        "each request ends when its prompt and its answer together have max_tokens tokens: the longer the prompt, the shorter "
        "the answer. max_tokens counts output tokens alone: compare it with request.num_output_tokens, not with num_tokens "
        f"(section {section})",
        "cada petición termina cuando su prompt y su respuesta suman max_tokens tokens: cuanto más largo el prompt, más corta "
        "la respuesta. max_tokens cuenta solo los tokens de salida: compáralo con request.num_output_tokens, no con num_tokens "
        f"(sección {section})",
    )


def expect_token_ids(outputs: dict, section: str) -> None:
    """Fail the check if something other than a token id was appended to a request."""
    strange = [(i, each) for i, tokens in outputs.items() for each in tokens if type(each) is not int]
    expect(not strange, got=strange[0] if strange else None,
           expected=t("token ids, which are whole numbers", "identificadores de token, que son números enteros"), hint=t(
               f"(request, what was appended to it): append one token, the request's own item of what forward_one_step returns "
               f"(section {section})",
               f"(petición, lo que se le añadió): añade un solo token, el que le toca de lo que devuelve forward_one_step (sección "
               f"{section})",
           ))


def expect_oracle(
    student, function: str, cases: Iterable[list], oracle: Callable, *, is_right: Callable, why: Callable,
    about: Callable[..., Text],
) -> None:
    """Call a function on each case's arguments and fail the check at the first answer that differs from the oracle's.

    `why(args, got)` is the hint for a wrong answer, `about(*args)` says in a few words what the input was. All calls
    happen in one load, so what one of them leaves behind meets the next; the arguments are compared, too.
    """
    for count, args in enumerate(cases):
        expected = oracle(*args)
        call = called(student, function, args, about(*args), again=count > 0)
        if not is_right(call.result, expected):
            if count and is_right(student.call(function, *args), expected):
                raise wrong(expected=expected, got=call.result, hint=followed(about(*args), REMEMBERS))
            raise wrong(expected=expected, got=call.result, hint=followed(about(*args), why(args, call.result)))
        if call.changed:
            raise wrong(expected=t("arguments left unchanged", "argumentos sin modificar"),
                        got=[call.after[i] for i in call.changed], hint=CHANGED)


def called(student, function: str, args: list, about: Text, *, again: bool) -> Called:
    """One call; if it raises, the message says for which input."""
    try:
        result, after = student.call_with(function, *args, again=again)
    except CheckFailed as failure:
        if failure.outcome == CRASHED and not failure.hint:
            failure.hint = about
        raise
    return Called(before=list(args), after=after, result=result)


def followed(about: Text, hint: Text) -> Text:
    return about.followed_by(t(" ", " ")).followed_by(hint)


def is_near(got, expected: float) -> bool:
    """Whether `got` is this number. Inputs are dyadic fractions, so 1e-9 only forgives another order of operations."""
    if type(got) not in (int, float):
        return False
    return got == expected or abs(got - expected) <= 1e-9 * max(1.0, abs(expected))
