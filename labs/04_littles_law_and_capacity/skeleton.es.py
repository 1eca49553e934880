"""Laboratorio 04, ley de Little y capacidad: lo que se puede saber de un servidor antes de comprarlo.

`records` es lo que da `log.records()`: una lista de diccionarios, uno por petición, con `request_id`, `arrival_s`
(llegada programada), `admitted_s` (tomada de la cola) y `finish_s` (respondida); los dos últimos son None si
la petición no llegó hasta ahí.

`lengths` es una lista de pares, uno por petición ya vista: (tokens del prompt, pasos). Un paso da un token; si la
respuesta acaba con EOS, este ocupa uno más. `cost` contiene los coeficientes de un paso, en nanosegundos: mira
`COST`.
"""

import math
from dataclasses import asdict

from minigpt.analysis.littles_law import columns_of, number_inside, sample_times
from minigpt.runtime.clock import StepCost
from minigpt.simulation import fleet

COST = asdict(StepCost())  # step_overhead_ns (a), per_sequence_ns (b), prefill_overhead_ns, per_prefill_token_ns, …
CAPS = (1, 2, 4, 8, 16, 32, 64, 128)  # topes de peticiones en vuelo que vale la pena probar


def rate_and_mean_stay(records, stage, start_s, end_s):
    """λ y W de una etapa en una ventana: peticiones que entran por segundo y su estancia media en segundos.

    Cuentan las peticiones que entran en start_s ≤ t < end_s. Su estancia cuenta entera, aunque salgan después de
    `end_s`; la de una petición que no salió nunca es infinita. `columns_of(stage)` nombra las dos columnas, entrada y
    salida; una petición cuya entrada es None no entró nunca. Si no entra ninguna, no hay estancia media: ValueError.
    """
    # EJERCICIO 4.1 (unas 6 líneas)
    raise NotImplementedError("ejercicio 4.1: rate_and_mean_stay")


def mean_number(records, stage, start_s, end_s):
    """L: cuántas peticiones hay en la etapa entre `start_s` y `end_s`, de media en el tiempo.

    Recorre los momentos en que una entra o sale y suma (peticiones dentro) · (tiempo hasta el siguiente). Solo
    cuenta lo que cae en la ventana; una petición que no salió nunca está dentro hasta el final.
    """
    # EJERCICIO 4.2 (unas 11 líneas)
    raise NotImplementedError("ejercicio 4.2: mean_number")


def sample_the_law(records, warm_up, every_s):
    """L, λ y W de todo el sistema en una ventana; L se muestrea en el registro, como lo haría un observador con reloj.

    La ventana va desde la llegada de la petición número `warm_up` (por orden de llegada, desde 0) hasta la última
    llegada. L es el número medio de peticiones dentro, en instantes que no dependen de lo que hace el servidor: los da
    `sample_times`, uno cada `every_s`, y `number_inside` cuenta. λ y W son las de la misma ventana.
    """
    # EJERCICIO 4.3 (unas 5 líneas)
    raise NotImplementedError("ejercicio 4.3: sample_the_law")


def throughput_per_s(lengths, in_flight, cost):
    """Peticiones por segundo que completa un servidor continuo con `in_flight` peticiones siempre en vuelo.

    Cada petición está en vuelo varios pasos; en un paso medio salen in_flight / (media de pasos) y entran otras tantas.
    Las demás reciben una pasada de decodificación (decode). Peticiones por segundo: las que salen en un paso entre lo
    que dura el paso.
    """
    # EJERCICIO 4.4 (unas 9 líneas)
    raise NotImplementedError("ejercicio 4.4: throughput_per_s")


def mean_time_in_system_s(lengths, rate_per_s, cap, cost):
    """Tiempo medio de la llegada a la respuesta, predicho con la escalera de estados; math.inf si no da abasto.

    Con n peticiones en el sistema, el servidor completa throughput_per_s(min(n, cap)): las que pasan del tope esperan.
    El sistema sube de n − 1 a n (con tasa `rate_per_s`) tantas veces como baja. De ahí sale la fracción de tiempo en
    cada estado, su media L y, con la ley de Little, W.
    """
    # EJERCICIO 4.5 (unas 10 líneas)
    raise NotImplementedError("ejercicio 4.5: mean_time_in_system_s")


def kv_bytes_per_token(model):
    """Bytes que la caché KV guarda de un token de una secuencia.

    `model` es un diccionario con num_layers, num_heads (cabezas de consulta), num_kv_heads, head_size y
    bytes_per_element.
    """
    # EJERCICIO 4.6 (unas 2 líneas)
    raise NotImplementedError("ejercicio 4.6: kv_bytes_per_token")


def sequences_that_fit(budget_bytes, model, lengths, way, block_size):
    """Cuántas secuencias comparten una memoria de `budget_bytes`, tomadas por orden hasta que una no cabe.

    `lengths` son sus longitudes finales en tokens. `way` dice cuántas posiciones para tokens recibe cada una:
    "maximum", todo el `context` del modelo; "exact", su longitud; "blocks", bloques enteros de `block_size` tokens.
    """
    # EJERCICIO 4.7 (unas 7 líneas)
    raise NotImplementedError("ejercicio 4.7: sequences_that_fit")


def plan(rate_per_s, p95_target_s, lengths, max_cap):
    """La flota más pequeña cuyo p95 cumple el objetivo: (número de réplicas, tope en vuelo de cada una).

    De los topes que vale la pena probar (`CAPS` y el propio `max_cap`), elige el de menor p95, sin pasar de
    `max_cap`: más no cabría en la memoria de una réplica. Una flota la simula
    `fleet.p95_s(lengths, rate_per_s, num_replicas, cap)`. Da abasto solo si rate_per_s / num_replicas es menor que lo
    que completa una réplica: descarta los topes con los que no da abasto. Lanza ValueError si ninguna flota puede
    cumplir el objetivo.
    """
    # EJERCICIO 4.8 (unas 11 líneas)
    raise NotImplementedError("ejercicio 4.8: plan")
