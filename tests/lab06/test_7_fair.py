"""Exercise 6.7: virtual token counters. Whose turn it is, and by how much two clients' service may differ."""

from minigpt.analysis.service import largest_difference, service_over_time
from minigpt.runtime.clock import VirtualClock
from minigpt.schedulers.lines import OUTPUT_WEIGHT, PROMPT_WEIGHT
from minigpt.workloads.clients import FLOODER, QUIET, client_of
from tests.grader.check import check
from tests.grader.objects_apart import expect_apart
from tests.grader.outcomes import CheckFailed, Text, expect, explained_by, t, wrong
from tests.grader.seeds import graded_seed
from tests.lab05.block_stories import expect_no_exception, said
from tests.lab06.crowds import SLOTS, flooded, most_apart, p95_ms
from tests.lab06.turns import all_pairs, due_turns, new_beside_idle, queued_story, story

MISTAKES = {
    "prompts for nothing": t(
        "prompts count as well: admit adds prompt_weight for each token of the prompt (section 6.4)",
        "los prompts también cuentan: admit suma prompt_weight por cada token del prompt (sección 6.4)",
    ),
    "output for nothing": t(
        "output counts as well, token by token: count_token adds output_weight (section 6.4)",
        "la salida también cuenta, token a token: count_token suma output_weight (sección 6.4)",
    ),
    "a token of a prompt is 1": t(
        "each token of a prompt counts prompt_weight, which is not always 1 (section 6.4)",
        "cada token de un prompt cuenta prompt_weight, que no siempre es 1 (sección 6.4)",
    ),
    "a token of an answer is 1": t(
        "each token of an answer counts output_weight, not 1 (section 6.4)",
        "cada token de una respuesta cuenta output_weight, no 1 (sección 6.4)",
    ),
    "weights exchanged": t(
        "a token of an answer counts output_weight, not prompt_weight (section 6.4)",
        "un token de una respuesta cuenta output_weight, no prompt_weight (sección 6.4)",
    ),
    "a prompt is a prompt": t(
        "a long prompt is more service than a short one: admit adds prompt_weight for each of its tokens (section 6.4)",
        "un prompt largo es más servicio que uno corto: admit suma prompt_weight por cada uno de sus tokens (sección 6.4)",
    ),
    "most first": t(
        "the client with the lowest counter is next, "
        "not the highest (section 6.4)", "le toca al contador más bajo, no al más alto (sección 6.4)",
    ),
    "those who do not wait, too": t(
        "only a client with a request in the queue can be next (section 6.4)",
        "solo le puede tocar a un cliente con alguna petición en la fila (sección 6.4)",
    ),
    "ties in order of arrival": t(
        "if counters are equal, the first in alphabetical order is next (section 6.4)",
        "con contadores iguales, le toca al primero por orden alfabético (sección 6.4)",
    ),
    "never lifts": t(
        "a client that was away comes back with a low counter and has the server to itself: when it joins the queue and "
        "has no other request in it, lift its counter to the lowest of the waiting clients. If you do that already: ask "
        "whether it waits, and who else does, before you count its new request in num_waiting; after that it always waits, "
        "and its own counter is the lowest (section 6.4)",
        "un cliente que estuvo fuera vuelve con un contador bajo y se queda con el servidor: cuando llega a la fila sin "
        "nada en ella, eleva su contador hasta el más bajo de los que esperan. Si ya lo haces: mira si espera, y quién más, "
        "antes de contar su nueva petición en num_waiting; después siempre espera, y el contador más bajo es el suyo (sección "
        "6.4)",
    ),
    "nobody there, no lift": t(
        "lift the counter even if no client waits: to that of the client that left the queue last (section 6.4)",
        "eleva el contador aunque no espere ningún cliente: hasta el del último que salió de la fila (sección 6.4)",
    ),
    "lifts to the lowest of all": t(
        "if no client waits, lift to the counter of the one that left the queue last, not to the lowest of all that ever came "
        "(section 6.4)",
        "si no espera ningún cliente, eleva hasta el contador del último que salió de la fila, no hasta el más bajo de todos "
        "los que vinieron alguna vez (sección 6.4)",
    ),
    "lifts to the highest": t(
        "lift to the lowest counter of the waiting clients: at the highest, the client would have to wait for all of them "
        "(section 6.4)",
        "eleva hasta el contador más bajo de los que esperan: con el más alto, el cliente tendría que esperar a todos "
        "(sección 6.4)",
    ),
    "lowers too": t(
        "a counter is never lowered: a client that has had more than those that wait keeps its own. Take the maximum (section "
        "6.4)",
        "un contador no se baja nunca: un cliente que recibió más que los que esperan conserva el suyo. Toma el máximo "
        "(sección 6.4)",
    ),
    "the last to leave, whoever waits": t(
        "the client that left the queue last counts only if no client waits; otherwise lift to the lowest counter of those that "
        "wait (section 6.4)",
        "el último cliente que salió cuenta solo si no espera nadie; si no, eleva hasta el contador más bajo de los que esperan "
        "(sección 6.4)",
    ),
    "only while it waits": t(
        "output also counts for a client that has nothing in the queue any more: its requests are in flight (section 6.4)",
        "la salida cuenta también para un cliente que ya no tiene nada en la fila: sus peticiones están en vuelo (sección 6.4)",
    ),
    "those in flight, too": t(
        "lift to the lowest counter of the clients that wait in the queue now: those whose requests are all in flight or answered "
        "do not count (section 6.4)",
        "eleva hasta el contador más bajo de los clientes que esperan ahora en la fila: no cuentan los que tienen todo en vuelo o "
        "respondido (sección 6.4)",
    ),
    "lifts newcomers only": t(
        "a client that comes back is lifted like a new one: what counts is that it has nothing in the queue now. It is "
        "lifted to the lowest counter of those that wait; its own is not among them (section 6.4)",
        "a un cliente que vuelve se le eleva el contador como a uno nuevo: lo que cuenta es que ahora no tiene nada en la "
        "fila. Se eleva hasta el más bajo de los que esperan, y el suyo no está entre ellos (sección 6.4)",
    ),
    "the counter at that time": t(
        "lift to what the counter of the last client to leave is now: its requests in flight have had tokens since (section 6.4)",
        "eleva hasta lo que vale ahora el contador del último que salió: sus peticiones en vuelo han recibido tokens desde "
        "entonces (sección 6.4)",
    ),
    "0 is nothing": t(
        "the lowest counter of the waiting clients may be 0, which `or` and `if` treat as false: lift to the client that left "
        "last only if no client waits (section 6.4)",
        "el contador más bajo de los que esperan puede ser 0, que `or` e `if` toman por nada: eleva hasta el del último que "
        "salió solo si no espera nadie (sección 6.4)",
    ),
    "lifts at every arrival": t(
        "lift only a client that has nothing in the queue yet: one that already waits has its place (section 6.4)",
        "eleva solo el contador de un cliente que aún no tiene nada en la fila: el que ya espera conserva el suyo (sección "
        "6.4)",
    ),
}
# In the order in which they are tried: what explains all that was answered is the likely mistake.
GENERAL = t(
    "(whose turn it is): the waiting client with the lowest counter; ties are broken alphabetically. A prompt counts when it "
    "is admitted, an output token when it comes; when a client joins the queue and has nothing else in it, its counter is "
    "lifted first (section 6.4)",
    "(a quién le toca): al cliente en espera con el contador más bajo; entre iguales, al primero por orden alfabético. Un "
    "prompt cuenta al admitirse; un token de salida, al llegar; si un cliente llega a la fila sin "
    "nada en ella, antes se eleva su contador (sección 6.4)",
)

RAISED = t(
    "next_client is called only while a request waits, and a client that was never seen before may arrive. num_waiting counts "
    "a client's requests in the queue: one more at each arrival, one fewer at each admission (section 6.4)",
    "a next_client se la llama solo cuando espera alguna petición, y puede llegar un cliente que nunca estuvo. num_waiting "
    "cuenta las peticiones de un cliente en la fila: una más por llegada, una menos por admisión (sección 6.4)",
)


def expect_turns(student, stories) -> None:
    """Fail the check at the first turn that is not due, with the hint of the mistake that explains the turns of all stories."""
    got = [turns_of(student, weights, calls) for weights, calls in stories]
    due = [due_turns(*each) for each in stories]
    for (_, calls), mine, right in zip(stories, got, due):
        if mine != right:
            made = (name for name in MISTAKES if all(due_turns(*each, name) == turns for each, turns in zip(stories, got)))
            raise first_wrong(calls, mine, right, MISTAKES.get(next(made, ""), GENERAL))


def first_wrong(calls, mine, right, hint: Text) -> CheckFailed:
    """The failure at the first turn that is not due."""
    place = next(i for i, pair in enumerate(zip(mine, right)) if pair[0] != pair[1])
    return wrong(expected=before(calls, place, right[place]), got=mine[place], hint=hint)


def turns_of(student, weights, calls) -> list:
    """Whose turn it was, by the student's counters."""
    return turns_in(calls, student.play("TokenCounters", list(weights), calls))


def turns_in(calls, told: list[dict]) -> list:
    """Whose turn it was, from what each of the calls was told."""
    for call, each in zip(calls, told):
        with explained_by(RAISED):
            expect_no_exception(call, each)
    return [each["result"] for (name, *_), each in zip(calls, told) if name == "next_client"]


def before(calls, place: int, due: str) -> Text:
    """What is due at a turn, and the last calls that led to it."""
    at = [i for i, (name, *_) in enumerate(calls) if name == "next_client"][place]
    last = (", ".join(said(call) for call in calls[max(0, at - 6) : at]))
    dots = "… " if at > 6 else ""
    return t(f"{due}, after {dots}{last}", f"{due}, tras {dots}{last}")


@check("6.7", points=2, en="tokens are counted, and they decide the turn", es="se cuentan los tokens, y ellos deciden el turno")
def test_counts(student):
    expect_turns(student, [queued_story(seed) for seed in range(12)])


def after_a_while(weights=(1, 2)) -> tuple[tuple, list]:
    """B is served while A is away. Then both want much, and take turns: A has no claim to all that it missed."""
    calls = [("arrive", "A"), ("next_client",), ("admit", "A", 1)]
    for _ in range(5):
        calls += [("arrive", "B"), ("next_client",), ("admit", "B", 100)]
    calls += [("arrive", "B")] * 4 + [("arrive", "A")] * 4
    for _ in range(6):
        calls.append(("next_client",))
        calls.append(("admit", due_turns(weights, calls)[-1], 10))
    return weights, calls


@check("6.7", points=2, en="a client that was away does not get ahead", es="un cliente que estuvo fuera no vuelve con ventaja")
def test_lifts(student):
    expect_turns(student, [after_a_while(), new_beside_idle(), *(story(seed) for seed in range(30))])
    expect_counters_apart(student, [story(seed) for seed in range(3)])


def expect_counters_apart(student, stories) -> None:
    """Fail the check unless several counters, used in turn, do as each does alone."""
    def expect_due(number: int, told: list[dict]) -> None:
        calls, right = stories[number][1], due_turns(*stories[number])
        if (mine := turns_in(calls, told)) != right:
            raise first_wrong(calls, mine, right, GENERAL)

    made = [(list(weights), calls) for weights, calls in stories]
    expect_apart(student, "TokenCounters", made, (), expect_due, section=t(" (section 6.4)", " (sección 6.4)"))


def run_fair(student, requests, *, again: bool = False):
    host = student.paged_server(requests, clock=VirtualClock(), max_inflight=SLOTS)
    student.call_on(host, "fair_loop", client_of(requests), again=again)
    return host.server.log.closed_at(host.server.clock.now_ns)


@check("6.7", points=3, en="a flood slows only the client that causes it",
       es="una avalancha solo retrasa al cliente que la causa")
def test_flood(student):
    requests, greedy = flooded(graded_seed(student.seed))
    log = run_fair(student, requests)
    quiet, flooder = p95_ms(log, QUIET), p95_ms(log, FLOODER)
    student.measurements |= {"quiet_p95_ms": quiet, "flooder_p95_ms": flooder}
    expect(quiet < flooder / 3, expected=t("p95 of B, C and D below a third of A's", "p95 de B, C y D menor que un tercio del de A"),
           got=f"{quiet:.0f} / {flooder:.0f} ms", hint=t(
        "(A sends 600 per second for 0.4 s): B, C and D ask for less than their share, so they should hardly notice (section "
        "6.4)",
        "(A envía 600 por segundo durante 0.4 s): B, C y D piden menos de lo que les toca, así que apenas deberían notarlo "
        "(sección 6.4)",
    ))
    for each, served in ((requests, log), (greedy, run_fair(student, greedy, again=True))):
        expect_bounded(each, served)


def expect_bounded(requests, log) -> None:
    moments = service_over_time(log, client_of(requests), prompt_weight=PROMPT_WEIGHT, output_weight=OUTPUT_WEIGHT)
    bound = most_apart(requests)
    apart = max(largest_difference(moments, *pair) for pair in all_pairs({item.kind for item in requests.items}))
    expect(apart <= bound, expected=f"≤ 2U = {bound:g}", got=f"{apart:g}", hint=t(
        "(the largest difference between the service of two clients while both had requests waiting): the paper proves that "
        "it is at most 2U if the lowest counter is always next (section 6.4)",
        "(la mayor diferencia entre el servicio de dos clientes mientras ambos tenían peticiones en espera): el artículo "
        "demuestra que es 2U como mucho si siempre le toca al contador más bajo (sección 6.4)",
    ))
