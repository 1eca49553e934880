"""Stretch 2.7: `early_batch_loop`, static batching that drops ended rows and answers at once."""

from minigpt.analysis.latency_phases import ready_s
from minigpt.runtime.clock import VirtualClock
from minigpt.schedulers.static import static_batch_loop
from minigpt.simulation.run import replay
from minigpt.studies.static_variants import dropping
from minigpt.workloads.workload import workload
from tests.grader.check import check
from tests.grader.definition import KEPT
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.scenes import answers, finish_ms, scene, scripted_answers


@check("2.7", points=0, en="each answer is sent in the step that ends it", es="cada respuesta sale en el paso en que termina")
def test_answers_leave_at_once(student):
    """Two slots, a wait of 5 ms; no request joins a running batch: C waits for B.

    ms    0    5    10   15
    A  2  AA
    B  9  BBBBBBBBB
    C  3    .......CCC
    """
    requests = scene((0, 2), (0, 9), (1, 3), (1, 5))
    log = student.run_loop("static", requests, function="early_batch_loop", max_batch=2)
    expect_equal(answers(log), scripted_answers(requests), hint=t(
        "(request: its tokens): append each token to its own request, unless it is EOS, before you check whether the limit is "
        "reached. Removing from a list inside its own `for` loop skips the next item: loop over a copy, list(running) "
        "(section 2.3)",
        "(petición: sus tokens): añade cada token a su propia petición, salvo que sea EOS, antes de comprobar si se alcanzó "
        "el límite. Quitar elementos de la lista que recorre el `for` hace que se salte el siguiente: recorre una copia, "
        "list(running) (sección 2.3)",
    ))
    expect_equal(finish_ms(log), {0: 2.0, 1: 9.0, 2: 12.0, 3: 14.0}, hint=t(
        "(when each answer left, in ms): respond in the step in which a request ends, and collect the next batch only when the "
        "last member has ended (section 2.11)",
        "(cuándo salió cada respuesta, en ms): responde en el paso en que termina una petición, y reúne el lote siguiente solo "
        "cuando ha terminado la última (sección 2.11)",
    ))
    second = student.run_loop("static", requests, function="early_batch_loop", max_batch=2, again=True)
    expect_equal(finish_ms(second), finish_ms(log), hint=KEPT)


@check("2.7", points=0, en="no row is computed for nothing, and no token is lost",
       es="ninguna fila se calcula en balde y no se pierde ningún token")
def test_no_row_for_nothing(student):
    requests = workload("mixed", load=0.9, num_requests=200, seed=student.seed)
    log = student.run_loop("static", requests, function="early_batch_loop", clock=VirtualClock())
    wasted = sum(len(step.request_ids) - len(step.useful_ids) for step in log.steps)
    expect_equal(wasted, 0, hint=t(
        "(rows computed for requests that had ended): pass only the requests that are still running (section 2.11)",
        "(filas calculadas para peticiones ya terminadas): pasa solo las que siguen en marcha (sección 2.11)",
    ))
    expect(answers(log) == scripted_answers(requests), expected=t("every answer complete", "cada respuesta completa"),
           got=t("another answer", "otra respuesta"), hint=t(
        "EOS is not an output token, and nothing is appended after the end (section 2.3)",
        "EOS no es un token de salida, y después del final no se añade nada (sección 2.3)",
    ))


@check("2.7", points=0, en="the same latencies that section 2.11 calculated from a log",
       es="las mismas latencias que la sección 2.11 calculó a partir de un registro")
def test_the_latencies_of_the_study(student):
    requests = workload("mixed", load=0.7, num_requests=200, seed=student.seed + 1)
    log = student.run_loop("static", requests, function="early_batch_loop", clock=VirtualClock())
    read = ready_s(replay("static", requests, loop=dropping(static_batch_loop), tokens="scripted"))
    measured = [record["finish_s"] - record["arrival_s"] if record["finish_s"] is not None else None
                for record in sorted(log.records(), key=lambda record: record["arrival_s"])]
    off = sum(own is None or abs(own - wanted) > 1e-9 for own, wanted in zip(measured, read))
    expect_equal(off, 0, hint=t(
        "(of 200 requests, those whose latency differs from the one in the log of a server that drops ended rows): your loop "
        "collects its batches at different moments; start collecting as soon as the last one has ended (section 2.11)",
        "(de 200 peticiones, aquellas cuya latencia no es la del registro de un servidor que quita filas terminadas): tu "
        "bucle reúne los lotes en otros momentos; empieza a reunir en cuanto termine el anterior (sección 2.11)",
    ))
