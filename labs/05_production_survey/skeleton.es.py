"""Laboratorio 05, panorama de producción: lo que los motores de producción añaden al batching continuo, en pequeño.

El bucle del final de este archivo ya está escrito. En cada paso consulta a tus funciones: quién va después, si
cabe, qué calcula este paso y, cuando la memoria se acaba, quién cede y cómo. `server` se describe en
minigpt/runtime/paged/server.py.
"""

import heapq


class BlockManager:
    """Bloques (blocks) de `block_size` tokens para muchas secuencias: cuáles están libres y de quién son los demás."""

    def __init__(self, num_blocks, block_size):
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks))  # ids, primero el más bajo
        self.tables = {}  # id de petición -> sus bloques, en el orden de sus tokens
        self.lengths = {}  # id de petición -> sus tokens

    def allocate(self, request_id, num_tokens):
        """Da a una secuencia nueva los bloques que ocupan `num_tokens` tokens y devuelve True.

        Si no alcanzan los libres, no cambia nada y devuelve False.
        """
        # EJERCICIO 5.1 (unas 6 líneas)
        raise NotImplementedError("ejercicio 5.1: BlockManager")

    def append(self, request_id):
        """Haz sitio para un token más: otro bloque solo si el último está lleno. Devuelve True, o False como arriba."""
        # EJERCICIO 5.1 (unas 7 líneas)
        raise NotImplementedError("ejercicio 5.1: BlockManager")

    def free(self, request_id):
        """La secuencia ha salido: sus bloques quedan libres. Una secuencia que no está aquí (o ya no): ValueError."""
        # EJERCICIO 5.1 (unas 5 líneas)
        raise NotImplementedError("ejercicio 5.1: BlockManager")

    def place(self, request_id, position):
        """Dónde está el token en `position` (desde 0) de una secuencia: (bloque, sitio en el bloque)."""
        # EJERCICIO 5.1 (alrededor de una línea)
        raise NotImplementedError("ejercicio 5.1: BlockManager")


def tokens_to_reserve(server, request, in_flight):
    """Para cuántos tokens hay que reservar bloques si se admite `request` ahora; None si tiene que esperar.

    Según `server.admission`: "max" reserva el prompt y `max_tokens`. "profiled" reserva el prompt y el percentil
    `server.profile_percent` de rango más cercano (nearest rank) de `server.profile` (longitudes de salida ya vistas),
    pero al menos `request.num_tokens` y nunca más que "max". "watermark" (marca de agua) reserva `request.num_tokens`:
    lo que hay ahora.

    Con todas las reglas tiene que esperar si al admitirla quedan libres menos de `server.reserve_blocks` bloques; sin
    ninguna en vuelo no hace falta que quede ninguno.
    """
    # EJERCICIO 5.2 (unas 11 líneas)
    raise NotImplementedError("ejercicio 5.2: tokens_to_reserve")


def plan_step(in_flight, token_budget):
    """Qué calcula el próximo paso: una lista de (petición, número de sus próximos tokens).

    Primero, un token para cada petición a la que le falta uno por calcular (`num_tokens` − `num_computed_tokens`):
    están en curso, y nada puede hacerlas esperar. Lo que queda de `token_budget` va a las demás, en el orden de
    `in_flight`, a cada una lo que necesita o lo que quede. Con None no hay límite.
    """
    # EJERCICIO 5.3 (unas 8 líneas)
    raise NotImplementedError("ejercicio 5.3: plan_step")


def place_in_line(request, aging_s):
    """La clave que ordena la fila de peticiones: una tupla (tiempo en segundos, id de petición); primero la menor.

    Una petición tiene `arrival_time_s`, `priority` (0 es la más urgente) y `request_id`. Cada `aging_s` segundos de
    espera compensan un escalón de prioridad: una petición de prioridad 1 va antes que una de prioridad 0 que llega más
    de `aging_s` después de ella. Los empates, por orden de id.
    """
    # EJERCICIO 5.4 (alrededor de una línea)
    raise NotImplementedError("ejercicio 5.4: place_in_line")


def preempt_last(server, in_flight):
    """La memoria se acabó: desaloja (preempt) a la última de la fila, sácala de `in_flight` (in place) y devuélvela.

    Sus primeros `num_computed_tokens` tokens tienen K y V. "recompute" (recalcular) las descarta, y más tarde cuesta un
    prellenado (prefill) de esos tokens: `server.cost["prefill_s"]`, y `["prefill_token_s"]` por token. "swap" (copiar)
    copia a otra memoria los bloques que ocupan esos tokens (y ningún otro), y más tarde, de vuelta: cada vez,
    `["swap_block_s"]` por bloque y `["swap_token_s"]` por cada uno de los `block_size` sitios de un bloque. Toma lo más
    barato (a igual coste, recompute). La petición conserva sus tokens: seguirá donde estaba.
    """
    # EJERCICIO 5.5 (unas 8 líneas)
    raise NotImplementedError("ejercicio 5.5: preempt_last")


def survey():
    """Lo que hacen nueve motores: {motor: {pregunta: respuesta}}, con los motores y preguntas de
    minigpt/studies/engine_survey.py.

    "unit": qué unidad se planifica, un lote ("batch") de peticiones o un paso ("step"). "memory": qué se reserva
    al admitir una petición: "max" (todo lo que pueda llegar a necesitar), una estimación ("estimate"), lo que necesita
    ahora ("now") o nada ("none": no hay caché KV). "when_full": con la memoria KV agotada, la nueva espera ("waits"),
    se desaloja a una en curso, que sigue más tarde ("preempts"), o se corta para siempre a una en curso ("ends").
    "long_prompts": enteros ("whole") o, si son largos, por trozos ("chunks").
    """
    # EJERCICIO 5.6 (unas 13 líneas)
    raise NotImplementedError("ejercicio 5.6: survey")


# -- ya escrito: el bucle que llama a tus funciones ------------------------------------------------------------------


def take_arrivals(server, waiting, in_flight):
    """Pasa a `waiting` las que han llegado; rechaza enseguida una petición que no cabría ni en todos los bloques."""
    arrived = [] if waiting or in_flight else [server.queue.get()]  # nada que hacer: espera a la próxima llegada
    while not server.queue.empty():
        arrived.append(server.queue.get_nowait())
    for request in arrived:
        needed = server.blocks.needed(request.num_prompt_tokens + request.max_tokens)
        if needed > server.blocks.num_total:
            server.refuse(request, f"needs up to {needed} blocks, and the pool has {server.blocks.num_total}")
        else:
            waiting.append(request)


def admit(server, waiting, in_flight):
    """Admite en el orden de la fila mientras haya slot y memoria; ninguna adelanta a la primera."""
    waiting.sort(key=lambda request: place_in_line(request, server.aging_s))
    while waiting and len(in_flight) < server.max_inflight:
        num_tokens = tokens_to_reserve(server, waiting[0], in_flight)
        if num_tokens is None or not server.blocks.reserve(waiting[0], num_tokens):
            break
        in_flight.append(waiting.pop(0))
    in_flight.sort(key=lambda request: place_in_line(request, server.aging_s))


def make_room(server, plan, waiting, in_flight):
    """Reserva los bloques de un paso, primero para la primera de la fila, y desaloja mientras falten.

    Devuelve lo que queda del plan.
    """
    for request, num_tokens in sorted(plan, key=lambda part: place_in_line(part[0], server.aging_s)):
        while request in in_flight and not server.blocks.reserve(request, request.num_computed_tokens + num_tokens):
            waiting.append(preempt_last(server, in_flight))
    return [part for part in plan if part[0] in in_flight]


def run_step(server, plan, in_flight):
    """Un paso; los tokens van a sus peticiones, y las que han terminado salen."""
    for (request, _), token in zip(plan, server.model.forward_chunks(plan)):
        if token is None:
            continue  # un trozo de un prompt: su último token aún no está calculado
        is_eos = token == server.model.eos_token_id
        if not is_eos:
            request.append(token)
        if is_eos or request.num_output_tokens == request.max_tokens:
            in_flight.remove(request)
            server.respond(request)


def production_loop(server):
    """Atiende hasta que la cola esté cerrada y ninguna espere ni esté en curso."""
    waiting, in_flight = [], []
    while waiting or in_flight or not server.queue.closed:
        take_arrivals(server, waiting, in_flight)
        admit(server, waiting, in_flight)
        if in_flight:
            plan = plan_step(in_flight, server.token_budget)
            run_step(server, make_room(server, plan, waiting, in_flight), in_flight)
