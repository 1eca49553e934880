"""The formula of section 4.6 term by term, and what it gives with the mistakes that are easy to make."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import permutations

from minigpt.runtime.clock import StepCost
from tests.grader.outcomes import t

COST = asdict(StepCost())  # what stands at the top of the student's file


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the mean step is made of; exact, until the last line."""

    in_flight: int
    mean_steps: Fraction
    mean_prompt: Fraction
    attended: Fraction  # tokens that a whole request attends to, on average
    of_answers: Fraction  # those of them that are its own answer's

    @property
    def entering(self) -> Fraction:
        return self.in_flight / self.mean_steps

    @property
    def share_with_prefill(self) -> Fraction:
        return 1 - (1 - 1 / self.mean_steps) ** self.in_flight


def terms_of(lengths, in_flight: int) -> Terms:
    count = len(lengths)
    return Terms(
        in_flight=in_flight, mean_steps=Fraction(sum(steps for _, steps in lengths), count),
        mean_prompt=Fraction(sum(prompt for prompt, _ in lengths), count),
        attended=Fraction(sum(prompt + k - 1 for prompt, steps in lengths for k in range(2, steps + 1)), count),
        of_answers=Fraction(sum(k - 1 for _, steps in lengths for k in range(2, steps + 1)), count),
    )


def requests_per_s(
    lengths, in_flight, cost, *, leaving=None, rows=None, context=None, with_prefill=None, prompts=None
) -> float:
    """Requests per second; a slip replaces a term by something else, as a function of the terms."""
    terms = terms_of(lengths, in_flight)
    leaving = leaving(terms) if leaving else terms.entering
    decode_ns = cost["step_overhead_ns"] + cost["per_sequence_ns"] * (rows(terms) if rows else in_flight - leaving)
    context_ns = cost["per_context_token_ns"] * (context(terms) if context else leaving * terms.attended)
    share = with_prefill(terms) if with_prefill else terms.share_with_prefill
    tokens = prompts(terms) if prompts else leaving * terms.mean_prompt
    prefill_ns = cost["prefill_overhead_ns"] * share + cost["per_prefill_token_ns"] * tokens
    return float(leaving / (decode_ns + context_ns + prefill_ns) * 10**9)


def _with(**otherwise):
    return lambda lengths, in_flight, cost: requests_per_s(lengths, in_flight, cost, **otherwise)


def _per_request(extra):
    """Context with `extra` tokens more, or fewer, in each decode step of every request."""
    return _with(context=lambda terms: terms.entering * (terms.attended + extra * (terms.mean_steps - 1)))


def _times(factor):
    """The right answer in another unit."""
    return lambda lengths, in_flight, cost: factor(terms_of(lengths, in_flight)) * requests_per_s(lengths, in_flight, cost)


def _without(name):
    return lambda lengths, in_flight, cost: requests_per_s(lengths, in_flight, cost | {name: 0})


def _swapped_in(name, other):
    """The coefficient `other` in the place of `name`, as after copying a line."""
    def answer(lengths, in_flight, cost):
        if not cost[other]:
            raise LookupError("what costs nothing cannot be told from what is missing")
        return requests_per_s(lengths, in_flight, cost | {name: cost[other]})

    return answer


OTHER_UNIT = t(
    "the coefficients of `cost` are in nanoseconds: a second has 10⁹ of them (section 4.6)",
    "los coeficientes de `cost` están en nanosegundos: un segundo tiene 10⁹ (sección 4.6)",
)
SLIPS = (
    *((_times(lambda terms, factor=factor: factor), OTHER_UNIT) for factor in (1e-9, 1e-6, 1e-3, 1e3)),
    (_times(lambda terms: float(terms.mean_steps)), t(
        "these are steps or tokens per second: with B in flight, B/n̄ requests end in each step (section 4.6)",
        "estos son pasos o tokens por segundo: con B en vuelo terminan B/n̄ peticiones en cada paso (sección 4.6)",
    )),
    (_with(leaving=lambda terms: terms.in_flight / (terms.mean_steps + 1)), t(
        "a request stays for n̄ steps, including the step of its EOS, if it has one: in_flight / n̄, not n̄ + 1 (section 4.6)",
        "una petición se queda n̄ pasos, incluido el de su EOS, si lo hay: in_flight / n̄, no n̄ + 1 (sección 4.6)",
    )),
    (_with(rows=lambda terms: terms.in_flight), t(
        "requests that enter in a step are prefilled in it and get no decode row: B − B/n̄ rows, not B (section 4.6)",
        "las peticiones que entran en un paso se prellenan en él y no ocupan fila de decodificación: B − B/n̄ filas, no B "
        "(sección 4.6)",
    )),
    (_with(rows=lambda terms: terms.in_flight - 1), t(
        "on average B/n̄ requests enter in a step, not one: B − B/n̄ rows (section 4.6)",
        "de media entran B/n̄ peticiones por paso, no una: B − B/n̄ filas (sección 4.6)",
    )),
    (_per_request(1), t(
        "decode step k = 2 … n attends to the prompt and k − 1 more tokens, not k (section 4.6)",
        "el paso de decodificación k = 2 … n atiende al prompt y a k − 1 tokens más, no k (sección 4.6)",
    )),
    (_per_request(-1), t(
        "decode step k = 2 … n attends to the prompt and k − 1 more tokens, not k − 2: its own token is in the cache by then "
        "(section 4.6)",
        "el paso de decodificación k = 2 … n atiende al prompt y a k − 1 tokens más, no k − 2: su propio token ya "
        "está en la caché (sección 4.6)",
    )),
    (_with(context=lambda terms: terms.entering * (terms.attended + terms.mean_prompt)), t(
        "a request of n steps has n − 1 decode steps, k = 2 … n: its first step is the prefill, which reads nothing from the "
        "cache (section 4.6)",
        "una petición de n pasos tiene n − 1 de decodificación, k = 2 … n: el primero es el prellenado, que no lee nada de la "
        "caché (sección 4.6)",
    )),
    (_with(context=lambda terms: terms.entering * (terms.mean_steps - 1) * (terms.mean_prompt + terms.mean_steps / 2)), t(
        "this is the context of a request of mean length, but long requests are in flight more often. Add up the context of "
        "each request, then take the mean (section 4.6)",
        "este es el contexto de una petición de longitud media, pero las largas están en vuelo más a menudo. Suma el contexto "
        "de cada petición y después calcula la media (sección 4.6)",
    )),
    (_with(context=lambda terms: terms.entering * terms.mean_prompt), t(
        "this counts the prompt once per request: each of its n − 1 decode steps attends to the prompt again, and to the "
        "answer so far (section 4.6)",
        "esto cuenta el prompt una vez por petición: cada uno de sus n − 1 pasos de decodificación atiende otra vez al prompt, "
        "y a la respuesta que lleva (sección 4.6)",
    )),
    *((_with(context=context), t(
        "the answer is missing from the context: decode step k = 2 … n attends to the prompt and to k − 1 more tokens "
        "(section 4.6)",
        "falta la respuesta en el contexto: el paso de decodificación k = 2 … n atiende al prompt y a k − 1 tokens más "
        "(sección 4.6)",
    )) for context in (
        lambda terms: terms.entering * (terms.attended - terms.of_answers),
        lambda terms: terms.entering * (terms.mean_steps - 1) * terms.mean_prompt,
    )),
    (_with(context=lambda terms: terms.entering * terms.of_answers), t(
        "the prompt is missing from the context: decode step k = 2 … n attends to the prompt and to k − 1 more tokens "
        "(section 4.6)",
        "falta el prompt en el contexto: el paso de decodificación k = 2 … n atiende al prompt y a k − 1 tokens más "
        "(sección 4.6)",
    )),
    (_with(with_prefill=lambda terms: 1), t(
        "not every step has a prefill pass: in a share (1 − 1/n̄)^B of the steps no request enters (section 4.6)",
        "no todos los pasos tienen pasada de prellenado: en una fracción (1 − 1/n̄)^B no entra ninguna petición (sección 4.6)",
    )),
    (_with(with_prefill=lambda terms: terms.entering), t(
        "requests that enter in the same step share one prefill pass: a share 1 − (1 − 1/n̄)^B of the steps pays its overhead "
        "(section 4.6)",
        "las peticiones que entran en un mismo paso comparten una pasada de prellenado: su coste fijo se paga en una fracción "
        "1 − (1 − 1/n̄)^B de los pasos (sección 4.6)",
    )),
    (_with(with_prefill=lambda terms: 1 - terms.share_with_prefill), t(
        "(1 − 1/n̄)^B is the share of the steps in which no request enters: only the other steps pay the overhead (section "
        "4.6)",
        "(1 − 1/n̄)^B es la fracción de los pasos en que no entra ninguna petición: el coste fijo se paga solo en los demás "
        "(sección 4.6)",
    )),
    (_with(context=lambda terms: terms.in_flight * terms.attended), t(
        "the context of a whole request is read over n̄ steps: a mean step has B/n̄ times that, not B times (section 4.6)",
        "el contexto de una petición entera se lee a lo largo de n̄ pasos: un paso medio tiene B/n̄ veces eso, no B veces "
        "(sección 4.6)",
    )),
    (lambda lengths, in_flight, cost: requests_per_s(lengths, in_flight, COST), t(
        "this is the result for `COST`, at the top of the file: take the coefficients from the argument `cost` (section 4.6)",
        "este es el resultado con `COST`, al principio del archivo: toma los coeficientes del argumento `cost` (sección 4.6)",
    )),
    *((_without(name), t(
        f"cost['{name}'] does not count in this result: it is missing, or another coefficient stands in its place (section 4.6)",
        f"cost['{name}'] no cuenta en este resultado: falta, o hay otro coeficiente en su lugar (sección 4.6)",
    )) for name in COST),
    *((_swapped_in(name, other), t(
        f"cost['{other}'] stands where cost['{name}'] belongs (section 4.6)",
        f"cost['{other}'] ocupa el lugar de cost['{name}'] (sección 4.6)",
    )) for name, other in permutations(COST, 2)),
    (_with(prompts=lambda terms: terms.mean_prompt), t(
        "on average B/n̄ prompts enter in a step, not one (section 4.6)",
        "de media entran B/n̄ prompts por paso, no uno (sección 4.6)",
    )),
)
