"""Laboratorio 02, batching estático: reunir un lote (batch), ejecutarlo hasta el final y responder.

El bucle espera a que se forme un lote, ejecuta pasos con el lote entero hasta que termina su última
petición y envía juntas todas sus respuestas. `server` se describe en minigpt/runtime/server.py.
"""

import math
import queue


def collect_batch(server):
    """El siguiente lote, una lista de hasta `server.max_batch` peticiones; una lista vacía si la cola está cerrada.

    A la primera petición se la espera lo que haga falta. La espera a las demás acaba `server.max_wait_s` después de que
    llegara la primera (no desde que esta función empezó a mirar), o en cuanto el lote está lleno. Las más antiguas,
    primero.
    """
    # EJERCICIO 2.1 (unas 11 líneas)
    raise NotImplementedError("ejercicio 2.1: collect_batch")


def run_full_inference(server, batch):
    """Ejecuta el lote entero, paso a paso, hasta que termina su última petición; calcula también las filas terminadas.

    Cada paso entrega todo `batch` a `server.model.forward_one_step`. Una petición termina con EOS, que no es un token
    de la salida, o cuando tiene `max_tokens` tokens de salida; después no se le añade nada. Esta función no envía
    respuestas.
    """
    # EJERCICIO 2.2 (unas 9 líneas)
    raise NotImplementedError("ejercicio 2.2: run_full_inference")


def static_batch_loop(server):
    """Atiende lote tras lote hasta que la cola se cierre; las respuestas de un lote salen juntas, al terminar este."""
    # EJERCICIO 2.3 (unas 4 líneas)
    raise NotImplementedError("ejercicio 2.3: static_batch_loop")


def latency_report(records):
    """Lo que notaron los clientes: un diccionario con `p50_s`, `p95_s`, `p99_s`, `max_s` y `num_unanswered`.

    `records` es una lista de diccionarios, uno por petición, con `request_id`, `arrival_s` (llegada programada),
    `admitted_s` (tomada de la cola) y `finish_s` (respondida); los dos últimos son None si la petición no llegó hasta
    ahí. La latencia cuenta desde la llegada programada; sin respuesta es infinita. Los percentiles son de rango más
    cercano (nearest rank): el ⌈p/100·n⌉-ésimo menor. Sin registros: ValueError.
    """
    # EJERCICIO 2.4 (unas 8 líneas)
    raise NotImplementedError("ejercicio 2.4: latency_report")


def wasted_slot_share(steps, max_batch):
    """Qué fracción de los slots no produjo ningún token: un diccionario con dos fracciones de 0 a 1, `held` y `empty`.

    `steps` es una lista de diccionarios, uno por paso, con `rows` (todas las filas que calculó) y `useful_rows` (las de
    peticiones que no habían terminado antes). Un paso ofrece `max_batch` slots, se llenen o no. Un slot retenido (held)
    es una fila calculada para una petición ya terminada; en uno vacío (empty) no hay fila. Hay al menos un paso.
    """
    # EJERCICIO 2.5 (unas 4 líneas)
    raise NotImplementedError("ejercicio 2.5: wasted_slot_share")


def early_batch_loop(server):
    """Un lote tras otro, como `static_batch_loop`, con ambos remedios: sin filas terminadas, y respuesta inmediata.

    En cada paso van las peticiones del lote que no han terminado; cada respuesta sale en el paso en que termina su
    petición. El siguiente lote se reúne cuando ha terminado la última: ninguna entra en un lote en marcha.
    """
    # EJERCICIO 2.7 (unas 8 líneas)
    raise NotImplementedError("ejercicio 2.7: early_batch_loop")
