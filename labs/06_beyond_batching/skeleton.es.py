"""Laboratorio 06 (opcional), más allá del batching: lo que los motores han añadido desde entonces, en pequeño.

Funciones y una clase; los bucles que las usan ya están escritos (minigpt/schedulers, minigpt/runtime/paged). Ningún
ejercicio necesita uno posterior, y cada una de las cinco partes se sostiene sola.
"""


# -- 1: el mismo comienzo, calculado una vez -------------------------------------------------------------------------


def block_keys(token_ids, block_size):
    """Una clave por cada bloque lleno de `token_ids`, en orden: dos bloques tienen la misma clave si todos los tokens
    hasta el final de cada uno son iguales, y solo entonces.

    Una clave es un entero o un texto, del mismo tamaño por largo que sea el prompt. `hash((a, b))` hace de varios
    números uno solo. Lo que no llena un bloque no tiene clave.
    """
    # EJERCICIO 6.1 (unas 5 líneas)
    raise NotImplementedError("ejercicio 6.1: block_keys")


# -- 3, 4, 5: quién va primero, justicia entre clientes, dos tipos de máquinas ---------------------------------------
