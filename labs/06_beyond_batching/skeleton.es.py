"""Laboratorio 06 (opcional), más allá del batching: lo que los motores han añadido después, en pequeño.

Funciones y dos clases; los bucles que las usan ya están escritos (minigpt/schedulers, minigpt/runtime/paged). Ningún
ejercicio necesita uno posterior, y cada una de las cinco partes es independiente.
"""

from minigpt.schedulers.in_line import ByClient, ByPrediction, serve_in_line

# -- 1: el mismo comienzo, calculado una vez -------------------------------------------------------------------------


def block_keys(token_ids, block_size):
    """Devuelve una clave por cada bloque lleno de `token_ids`, en orden: dos bloques tienen la misma clave si todos los
    tokens hasta el final de cada uno son iguales, y solo entonces.

    Una clave es un entero o un texto, del mismo tamaño por largo que sea el prompt. `hash((a, b))` combina varios
    números en uno; una lista no tiene hash, una tupla de números sí. Lo que no llena un bloque no tiene clave.
    """
    # EJERCICIO 6.1 (unas 5 líneas)
    raise NotImplementedError("ejercicio 6.1: block_keys")


class PrefixCache:
    """Bloques que las secuencias comparten. En todo momento cada uno está en uso, ocioso o libre.

    Una secuencia tiene los bloques de su tabla, y un bloque puede estar en varias tablas. Un bloque que se encuentra
    por una clave y no está en ninguna tabla está ocioso: sus K y V se quedan hasta que haga falta la memoria.
    """

    def __init__(self, num_blocks):
        self.free_blocks = list(range(num_blocks))  # no hay nada útil en ellos
        self.tables = {}  # id de petición -> sus bloques, en el orden de sus tokens
        self.num_holders = [0] * num_blocks  # de cada bloque: en cuántas tablas está
        self.block_of = {}  # clave -> el bloque que se encuentra con ella
        self.key_of = {}  # lo mismo al revés: bloque -> clave
        self.idle = {}  # bloque -> None: un dict conserva el orden, y el que lleva más sin uso va primero

    def share(self, request_id, keys):
        """Empieza una secuencia con los bloques que ya tienen su comienzo, y devuelve cuántos son.

        Son los bloques que se encuentran con `keys`, desde la primera hasta la primera clave que no se encuentra. A
        cada uno lo usa una secuencia más, y un bloque en uso no está en `idle`. Pasan a ser la tabla de la secuencia.
        """
        # EJERCICIO 6.2 (unas 10 líneas)
        raise NotImplementedError("ejercicio 6.2: PrefixCache.share")

    def free(self, request_id):
        """La secuencia sale: a cada uno de sus bloques lo usa una secuencia menos.

        De los que ya no usa ninguna, los que se pueden encontrar pasan a ociosos y los demás a libres. El último
        bloque de una secuencia pasa a ocioso primero: sin los anteriores no sirve, así que se desaloja antes que ellos.
        """
        # EJERCICIO 6.3 (unas 6 líneas)
        raise NotImplementedError("ejercicio 6.3: PrefixCache.free")

    def publish(self, request_id, keys):
        """Ya escrito: los primeros bloques de la secuencia, uno por clave de `keys`, están calculados y llenos, y desde
        ahora se pueden encontrar.

        A cada clave le corresponde un solo bloque, y a cada bloque una sola clave: se queda el que se publicó primero.
        """
        for block, key in zip(self.tables[request_id], keys):
            if key not in self.block_of and block not in self.key_of:
                self.block_of[key] = block
                self.key_of[block] = key

    def grow(self, request_id, num_blocks):
        """Ya escrito: una secuencia recibe bloques propios hasta tener `num_blocks`. True, o False si no alcanzan."""
        table = self.tables.setdefault(request_id, [])
        missing = num_blocks - len(table)
        if missing > len(self.free_blocks) + len(self.idle):
            return False
        for _ in range(missing):
            block = self.free_blocks.pop(0) if self.free_blocks else self.evict()
            self.num_holders[block] = 1
            table.append(block)
        return True

    def evict(self):
        """Ya escrito: vacía el bloque que lleva más tiempo ocioso y devuélvelo: ya no se puede encontrar."""
        block = next(iter(self.idle))
        del self.idle[block]
        del self.block_of[self.key_of.pop(block)]
        return block


# -- 2: adivinar varios tokens, comprobarlos en una pasada -----------------------------------------------------------


def propose(token_ids, num_tokens, longest=3):
    """Adivina hasta `num_tokens` tokens: los que siguieron a una aparición anterior de los últimos de la secuencia.

    Toma los últimos `longest` tokens y busca los mismos en un lugar anterior; de varios lugares cuenta el último. ¿No
    hay ninguno? Entonces los últimos `longest` − 1, y así hasta el último solo. Si también ese es nuevo, devuelve [].
    """
    # EJERCICIO 6.4 (unas 6 líneas)
    raise NotImplementedError("ejercicio 6.4: propose")


def accept(guesses, choices):
    """Devuelve lo que una secuencia conserva de una pasada que comprobó `guesses`: (tokens nuevos, posiciones que se
    descartan).

    `choices` tiene un token más que `guesses`: choices[j] es lo que dice el modelo tras los j primeros adivinados. Se
    conservan estos hasta el primero que el modelo no habría dicho; ahí vale lo que elige el modelo. La pasada ha
    guardado en la caché K y V de todo lo adivinado, y las de lo que no se conserva deben descartarse.
    """
    # EJERCICIO 6.5 (unas 4 líneas)
    raise NotImplementedError("ejercicio 6.5: accept")


# -- 3, 4, 5: quién va primero, equidad entre clientes, dos tipos de máquinas ----------------------------------------


def next_in_line(predicted, overtaken, most_overtaken):
    """Devuelve la posición (desde 0) de la siguiente petición que se admite. Ambas listas van por orden de llegada.

    `predicted[i]` dice cuánto durará probablemente la petición i: va primero la más corta; entre iguales, la que llegó
    antes. `overtaken[i]` dice cuántas veces la han adelantado: cuántas llegaron después y se admitieron antes. Ninguna
    puede ser adelantada más de `most_overtaken` veces; con None no hay límite.
    """
    # EJERCICIO 6.6 (unas 3 líneas)
    raise NotImplementedError("ejercicio 6.6: next_in_line")


class TokenCounters:
    """Contadores virtuales de tokens: cuánto servicio lleva cada cliente y a quién le toca. Un cliente es un nombre.

    El servicio se cuenta en tokens: cada uno de un prompt vale `prompt_weight`; cada uno de una respuesta,
    `output_weight`.
    """

    def __init__(self, prompt_weight, output_weight):
        self.prompt_weight, self.output_weight = prompt_weight, output_weight
        self.service = {}  # cliente -> su contador
        self.num_waiting = {}  # cliente -> sus peticiones en la fila
        self.last_to_leave = None  # el último cliente que se quedó sin peticiones en la fila

    def arrive(self, client):
        """Una petición del cliente llega a la fila.

        Si el cliente aún no tiene ninguna allí, primero se eleva su contador: hasta el más bajo de los clientes que
        esperan o, si no espera nadie, hasta el del último cliente que salió de la fila. Un contador empieza en 0 y
        no se baja nunca.
        """
        # EJERCICIO 6.7 (unas 5 líneas)
        raise NotImplementedError("ejercicio 6.7: TokenCounters")

    def next_client(self):
        """Devuelve el cliente que espera con el contador más bajo; entre iguales, el primero por orden alfabético."""
        # EJERCICIO 6.7 (alrededor de una línea)
        raise NotImplementedError("ejercicio 6.7: TokenCounters")

    def admit(self, client, num_prompt_tokens):
        """Una petición del cliente sale de la fila, y se calcula su prompt."""
        # EJERCICIO 6.7 (unas 4 líneas)
        raise NotImplementedError("ejercicio 6.7: TokenCounters")

    def count_token(self, client):
        """Una petición del cliente, en vuelo, ha recibido un token de salida."""
        # EJERCICIO 6.7 (alrededor de una línea)
        raise NotImplementedError("ejercicio 6.7: TokenCounters")


def split_machines(num_machines, lengths, cost, link, in_flight):
    """Reparte máquinas entre prefill y decode: devuelve (máquinas de prefill, de decode, peticiones por segundo).

    `lengths` son pares (tokens del prompt, pasos). Una máquina de prefill calcula un prompt tras otro, y mientras tanto
    su enlace envía K y V del anterior: cuenta lo que más tarda. Una de decode hace los demás pasos de `in_flight`
    peticiones juntas. Toma el reparto que más completa; entre iguales, el que tiene menos máquinas de prefill.
    `cost` y `link` son diccionarios de nanosegundos. `cost` tiene prefill_overhead_ns (de un prompt),
    per_prefill_token_ns, step_overhead_ns (de un paso de decode), per_sequence_ns (de cada petición en él) y
    per_context_token_ns.
    """
    # EJERCICIO 6.8 (unas 10 líneas)
    raise NotImplementedError("ejercicio 6.8: split_machines")


def route(way, in_flight, cached_tokens, drawn, most_ahead):
    """Devuelve la posición (desde 0) de la réplica a la que va una petición; entre iguales, la menor.

    `in_flight[i]` son las peticiones que hay dentro de la réplica i; `cached_tokens[i]`, los tokens de este prompt que
    guarda su caché. Según `way`: "least" toma la de menos peticiones en vuelo; "two", la de menos de las dos posiciones
    de `drawn`, sacados al azar. "prefix" toma, de las réplicas que guardan más del prompt, la de menos en vuelo,
    salvo que tenga más de `most_ahead` por encima de la menos ocupada de todas: entonces, esta última.
    """
    # EJERCICIO 6.9 (unas 9 líneas)
    raise NotImplementedError("ejercicio 6.9: route")


# -- ya escrito: bucles que llaman a tus funciones, y una suma del laboratorio 04 -----------------------------------


def shortest_first_loop(server, predicted, most_overtaken):
    """Atiende en el orden de tu `next_in_line`; `predicted` va por request_id."""
    serve_in_line(server, ByPrediction(next_in_line, predicted, most_overtaken))


def fair_loop(server, client_of):
    """Atiende según tus `TokenCounters`; `client_of` va por request_id."""
    serve_in_line(server, ByClient(TokenCounters(prompt_weight=1, output_weight=2), client_of))


def mean_attended(lengths):
    """Devuelve a cuántos tokens atienden en total los pasos de decode de una petición, de media.

    El paso k = 2 … n atiende a prompt + k − 1.
    """
    return sum((steps - 1) * prompt + steps * (steps - 1) / 2 for prompt, steps in lengths) / len(lengths)
