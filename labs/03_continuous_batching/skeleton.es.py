"""Laboratorio 03, batching continuo: planificar pasos de un token, no peticiones.

El bucle guarda las peticiones que están en vuelo (in flight). En cada paso llena los slots libres con las de la
cola, ejecuta una pasada del modelo (forward pass) y deja salir enseguida las que han terminado. `server` se describe
en minigpt/runtime/server.py.
"""

import math
import queue  # queue.Empty es lo que lanza `get_nowait` cuando no espera ninguna; `empty()` permite saberlo antes
import random


def admit(server, in_flight):
    """Llena los slots libres de `in_flight` (modifica esa misma lista) con las de la cola, primero la más antigua.

    Nunca hay más de `server.max_inflight` peticiones en vuelo, y aquí no se espera nunca: las peticiones
    en curso perderían ese tiempo.
    """
    # EJERCICIO 3.1 (unas 2 líneas)
    raise NotImplementedError("ejercicio 3.1: admit")


def decode_one_step(server, in_flight):
    """Una pasada del modelo con todas las peticiones en vuelo; devuelve la lista de las que terminan en ella.

    A cada petición se le añade su token, salvo que sea EOS, que no es un token de la salida. Una petición ha terminado
    cuando su token es `server.model.eos_token_id` o cuando tiene `max_tokens` tokens de salida.
    """
    # EJERCICIO 3.2 (unas 8 líneas)
    raise NotImplementedError("ejercicio 3.2: decode_one_step")


def retire(server, in_flight, finished):
    """Saca de `in_flight` (de esa misma lista) las peticiones de `finished` y envía sus respuestas, en este paso."""
    # EJERCICIO 3.3 (unas 3 líneas)
    raise NotImplementedError("ejercicio 3.3: retire")


def continuous_batch_loop(server):
    """Atiende hasta que la cola esté cerrada y no quede ninguna en vuelo: admitir, decodificar un paso, retirar.

    Si no hay ninguna en vuelo, no hay nada que calcular: espera a la próxima llegada, tarde lo que tarde.
    """
    # EJERCICIO 3.4 (unas 7 líneas)
    raise NotImplementedError("ejercicio 3.4: continuous_batch_loop")


def p95_s(records):
    """El p95 de rango más cercano (nearest rank) de la latencia total, en segundos: el ⌈0.95·n⌉-ésimo menor.

    `records` es una lista de diccionarios, uno por petición, con `request_id`, `arrival_s` (llegada programada),
    `admitted_s` (tomada de la cola) y `finish_s` (respondida); los dos últimos son None si la petición no llegó hasta
    ahí. La latencia cuenta desde la llegada programada; la de una petición sin respuesta es infinita. Sin
    registros: ValueError.
    """
    # EJERCICIO 3.5 (unas 6 líneas)
    raise NotImplementedError("ejercicio 3.5: p95_s")


def reduction_interval(static_records, continuous_records, num_resamples, seed):
    """Un intervalo bootstrap del 95 % (bajo, alto) de la reducción del p95, en porcentaje.

    Las dos listas contienen las mismas peticiones, en cualquier orden: emparéjalas por `request_id`. Una remuestra
    (resample) sortea tantos pares como haya, con reemplazo, y calcula 100·(1 − p95 continuo / p95 estático). Bajo y
    alto son los percentiles 2.5 y 97.5, de rango más cercano, de `num_resamples` reducciones así, sorteadas con
    `random.Random(seed)`.
    """
    # EJERCICIO 3.6 (unas 10 líneas)
    raise NotImplementedError("ejercicio 3.6: reduction_interval")


def grouped_batch_loop(server):
    """Batching continuo en que las recién llegadas comparten prellenado: entran en grupo o, tras un rato, una sola.

    Una pasada de prellenado (prefill) tiene un coste fijo, así que dos prompts en un paso cuestan menos que en dos. Si
    hay alguna en vuelo, las que llegan esperan a que pueda entrar un grupo, pero ninguna espera más de un tiempo
    límite; sin ninguna en vuelo, esperar no aporta nada. Primero la más antigua, y nunca más de `server.max_inflight`
    en vuelo. El tamaño del grupo y el límite los eliges tú.
    """
    # EJERCICIO 3.8 (unas 13 líneas)
    raise NotImplementedError("ejercicio 3.8: grouped_batch_loop")
