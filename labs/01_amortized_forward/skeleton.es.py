"""Laboratorio 01, la pasada amortizada: una pasada (forward pass) sobre B peticiones cuesta mucho menos que B pasadas.

La caché KV (KV cache) de una petición es la más sencilla que funciona: un diccionario que asocia el índice de cada
capa con (keys, values), ambos de forma (S, K, D) y con el token más antiguo primero. Un diccionario vacío es una
petición sin tokens. Letras de las formas: minigpt/__init__.py. El modelo es un `MiniGPT`: minigpt/llm/model.py.
"""

import math
import statistics

import torch

from minigpt.llm.model import rms_norm, rotate


def length(cache):
    """Cuántos tokens guarda una caché; es también la posición del siguiente."""
    return len(cache[0][0]) if cache else 0


def project(model, layer, x, positions):
    """Consultas (queries) (B, H, D), claves (keys) (B, K, D) y valores (values) (B, K, D) de x (B, E).

    Consultas y claves ya están giradas según su posición (B,).
    """
    cfg = model.config
    qkv = rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv  # (B, (H + 2K)·D): un solo producto
    heads = qkv.view(len(x), -1, cfg.head_size)
    q, k, v = heads.split([cfg.num_heads, cfg.num_kv_heads, cfg.num_kv_heads], dim=1)
    cos, sin = model.cos[positions, None], model.sin[positions, None]  # (B, 1, D)
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def logits_of(model, x):
    """Devuelve los logits (B, V) de x (B, E), la salida de la última capa."""
    return rms_norm(x, model.final_norm, model.config.norm_eps) @ model.embedding.t()


def remember(cache, layer, k, v):
    """Pon la K y la V de los tokens más recientes, ambas (T, K, D), detrás de las que `cache` guarda para esta capa.

    `cache` se modifica ahí mismo (in place). Devuelve (keys, values) de todos los tokens hasta ahora, incluidos los más
    recientes: (S, K, D) cada uno.
    """
    # EJERCICIO 1.1 (unas 5 líneas)
    raise NotImplementedError("ejercicio 1.1: remember")


def attend(q, keys, values):
    """La atención de las consultas q (H, D) del último token sobre keys y values (S, K, D): (H·D,), cabeza tras cabeza.

    Los pesos de una consulta sobre los S tokens son softmax(q·clave / √D), por grandes que sean esos productos. H/K
    cabezas de consulta vecinas comparten una cabeza de clave y valor: con H = 4 y K = 2, las cabezas 0 y 1 leen la
    cabeza 0 de clave y valor; las 2 y 3, la 1.
    """
    # EJERCICIO 1.2 (unas 4 líneas)
    raise NotImplementedError("ejercicio 1.2: attend")


@torch.inference_mode()
def decode_one(model, cache, token):
    """Añade un token a una petición y devuelve los logits (V,) del siguiente. La caché guarda entonces un token más."""
    # EJERCICIO 1.3 (unas 8 líneas)
    raise NotImplementedError("ejercicio 1.3: decode_one")


@torch.inference_mode()
def decode_batch(model, caches, tokens):
    """Añade un token a cada una de las B peticiones, de cualquier longitud; devuelve los logits siguientes, (B, V).

    `tokens[i]` continúa la petición de `caches[i]`. Cada matriz de pesos se lee una sola vez, para todas las filas.
    """
    # EJERCICIO 1.4 (unas 11 líneas)
    raise NotImplementedError("ejercicio 1.4: decode_batch")


def answer_together(model, prompts, max_tokens=100):
    """Responde a varios prompts (ids de tokens, sin EOS) juntos, con `decode_batch` y decodificación voraz (greedy).

    En cada paso entra en el modelo un token de cada petición: primero los de su prompt, que es la forma más sencilla de
    prellenado (prefill), aunque lenta; después, los de su propia respuesta. Una petición sale con su EOS o tras
    `max_tokens`.
    """
    caches, tokens = [{} for _ in prompts], [list(prompt) for prompt in prompts]
    running = list(range(len(prompts)))
    while running:
        fed = [tokens[i][length(caches[i])] for i in running]
        logits = decode_batch(model, [caches[i] for i in running], fed)
        for i, best in zip(running, logits.argmax(dim=-1).tolist()):
            if length(caches[i]) == len(tokens[i]):  # el prompt ya está dentro: desde aquí cuenta lo que dice el modelo
                tokens[i].append(best)
        ended = {i for i in running if tokens[i][-1] == model.eos_token_id or len(tokens[i]) == len(prompts[i]) + max_tokens}
        running = [i for i in running if i not in ended]
    answers = [all_tokens[len(prompt) :] for prompt, all_tokens in zip(prompts, tokens)]
    return [[token for token in each if token != model.eos_token_id] for each in answers]


def time_fairly(candidates, repeats, warmup, clock):
    """La mediana del tiempo de una llamada a cada candidata, en la unidad del reloj: un diccionario nombre -> tiempo.

    `candidates` asocia nombres con funciones sin argumentos; `clock()` devuelve la hora. Primero se llama `warmup`
    veces a cada candidata, y eso no cuenta. Después vienen `repeats` rondas; en cada una se llama una vez a cada
    candidata, y se mira el reloj antes y después.
    """
    # EJERCICIO 1.5 (unas 10 líneas)
    raise NotImplementedError("ejercicio 1.5: time_fairly")


def p95(values):
    """El p95 de rango más cercano (nearest rank): el ⌈0.95·n⌉-ésimo menor de n valores; la lista queda como estaba.

    Sin valores: ValueError.
    """
    # EJERCICIO 1.6 (unas 3 líneas)
    raise NotImplementedError("ejercicio 1.6: p95")


def fit_line(batch_sizes, times):
    """Los números (a, b) con los que a + b·B queda más cerca de los tiempos, por mínimos cuadrados."""
    # EJERCICIO 1.7 (unas 4 líneas)
    raise NotImplementedError("ejercicio 1.7: fit_line")


def batch_for_share(a, b, share):
    """El tamaño de lote (sin redondear) con el que B / (a + b·B) alcanza esta fracción (share) de su techo 1/b.

    El techo en sí no se alcanza nunca: si la fracción no está entre 0 y 1, lanza ValueError.
    """
    # EJERCICIO 1.8 (unas 3 líneas)
    raise NotImplementedError("ejercicio 1.8: batch_for_share")


def pad(caches, room):
    """Las cachés de B peticiones, reunidas en una: un diccionario con "keys", "values" y "lengths".

    Claves (keys) y valores (values) tienen la forma (capas, B, room, K, D): primero, lo que guarda la petición; el
    resto son ceros. `lengths` (B,) dice cuántos tokens guarda cada una. Ninguna puede guardar más de `room`.
    """
    lengths = torch.tensor([length(cache) for cache in caches])
    padded = {"lengths": lengths}
    for place, name in enumerate(("keys", "values")):
        parts = [[cache[layer][place] for cache in caches] for layer in caches[0]]
        shape = (len(parts), len(caches), room, *parts[0][0].shape[1:])
        padded[name] = torch.zeros(shape)
        for layer, row in ((layer, row) for layer in range(len(parts)) for row in range(len(caches))):
            padded[name][layer, row, : lengths[row]] = parts[layer][row]
    return padded


@torch.inference_mode()
def decode_padded(model, padded, tokens):
    """Añade, sin bucle, un token a cada una de las B peticiones, de cualquier longitud; devuelve los logits (B, V).

    `padded` es lo que devuelve `pad`, con sitio para un token más. Se modifica ahí mismo (in place): la K y la V de
    cada token nuevo se escriben en la posición que marca la longitud de su petición, y `lengths` aumenta en uno. Una
    petición atiende a sus propios tokens, incluido el nuevo, y a nada de lo que queda detrás de ellos.
    """
    # EJERCICIO 1.9 (unas 18 líneas)
    raise NotImplementedError("ejercicio 1.9: decode_padded")


@torch.inference_mode()
def prefill(model, cache, tokens):
    """Añade a una petición los T tokens de un prompt en una sola pasada; devuelve los logits (V,) del token siguiente.

    `cache` puede estar vacía o guardar una parte anterior del prompt. El token t ve lo que la caché guardaba antes y
    los tokens nuevos hasta el propio t, pero ninguno posterior.
    """
    # EJERCICIO 1.10 (unas 15 líneas)
    raise NotImplementedError("ejercicio 1.10: prefill")
