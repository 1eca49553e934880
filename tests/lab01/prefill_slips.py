"""One prefill pass with a mistake in it that is easy to make, and the hint that names the mistake: for stretch 1.10."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from minigpt.llm.model import rms_norm, rotate
from tests.grader.outcomes import Text, t
from tests.lab01.scenes import is_close


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """How a pass computes the T new tokens of a prompt, of which `before` are in the dict; the defaults are right."""

    hint: Text = t("", "")
    first: Callable = lambda before, count, layer: before  # the position of the first new token
    hidden: Callable = lambda places, own, before: places > own
    filled_with: float = -math.inf  # the scores of what is hidden
    is_late: bool = False  # hidden after the softmax, not before
    by_token: bool = True  # heads in order for each token, not tokens in order for each head
    is_scaled: bool = True
    in_turn: bool = False  # query heads take the key/value heads in turn
    feeds: Callable = lambda feed, x, added: feed(x + added)  # from x and what attention adds to the next x
    is_mixed: bool = True  # the heads' results are multiplied by attention_out
    row: int = -1  # whose logits are returned

    def logits(self, spec, cache: dict, tokens: list[int]):
        """The logits (V,); `cache` stays as it is."""
        import torch

        model = spec.build()
        x = model.embedding[torch.tensor(tokens)]
        for index, layer in enumerate(model.layers):
            added = self.attended(model, index, x, cache.get(index))
            if self.is_mixed or added.shape != x.shape:  # where H·D is not E, it cannot be added as it is
                added = added @ layer.attention_out
            x = self.feeds(lambda y, layer=layer: layer.feed_forward(y, model.config.norm_eps), x, added)
        return (rms_norm(x[self.row], model.final_norm, model.config.norm_eps) @ model.embedding.t()).flatten()

    def attended(self, model, index: int, x, kept):
        """What attention gives each token (T, H·D)."""
        import torch

        cfg, layer, count = model.config, model.layers[index], len(x)
        before = len(kept[0]) if kept else 0
        heads = (rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv).view(count, -1, cfg.head_size)
        q, k, v = heads.split([cfg.num_heads, cfg.num_kv_heads, cfg.num_kv_heads], dim=1)
        own = torch.arange(count) + self.first(before, count, index)
        turn = [table[own, None] for table in (model.cos, model.sin)]
        new = rotate(k, *turn), v
        which = [head % cfg.num_kv_heads if self.in_turn else head * cfg.num_kv_heads // cfg.num_heads
                 for head in range(cfg.num_heads)]
        keys, values = (torch.cat([old, one])[:, which] if kept else one[:, which] for old, one in zip(kept or new, new))
        scores = torch.einsum("thd,shd->hts", rotate(q, *turn), keys) / (math.sqrt(cfg.head_size) if self.is_scaled else 1)
        hidden = self.hidden(torch.arange(before + count)[None], own[:, None], before)
        seen = scores if self.is_late else scores.masked_fill(hidden, self.filled_with)
        weights = seen.softmax(dim=-1).masked_fill(hidden & torch.tensor(self.is_late), 0.0)
        attended = torch.einsum("hts,shd->htd", weights, values)
        return (attended.transpose(0, 1) if self.by_token else attended).reshape(count, -1)


FROM_ZERO = t(
    "positions count from 0 although the dict already holds tokens: the first new token is at position length(cache), read "
    "before layer 0 remembers. The mask compares places with these positions, too (section 1.11)",
    "las posiciones cuentan desde 0 aunque el diccionario ya guarda tokens: el primer token nuevo está en la posición "
    "length(cache), leída antes de que la capa 0 guarde. También la máscara compara los sitios con esas posiciones (sección "
    "1.11)",
)
SLIPS = (
    Pass(first=lambda before, count, layer: 0, hint=FROM_ZERO),
    Pass(first=lambda before, count, layer: 0, hidden=lambda places, own, before: places > own + before, hint=FROM_ZERO),
    Pass(hidden=lambda places, own, before: places > own - before, hint=t(
        "the mask counts from 0 although the dict already holds tokens: a new token sees all of those, and the new ones up to "
        "itself, so hide the places after its own position, length(cache) + t (section 1.11)",
        "la máscara cuenta desde 0 aunque el diccionario ya guarda tokens: un token nuevo los ve todos, y los nuevos hasta él "
        "mismo; oculta los sitios posteriores a su propia posición, length(cache) + t (sección 1.11)",
    )),
    Pass(hidden=lambda places, own, before: (places > own) | (places < before), hint=t(
        "the new tokens see only each other: they attend to what the dict held before, too (section 1.11)",
        "los tokens nuevos solo se ven entre sí: también atienden a lo que el diccionario guardaba antes (sección 1.11)",
    )),
    *(Pass(first=first, hint=t(
        "the length of the dict is read after layer 0 has remembered the prompt, and so it is too large: read it once, before "
        "the loop over the layers (section 1.11)",
        "la longitud del diccionario se lee cuando la capa 0 ya ha guardado el prompt, así que es demasiado grande: léela una "
        "vez, antes del bucle por las capas (sección 1.11)",
    )) for first in (lambda before, count, layer: before + count * (layer > 0),)),
    *(Pass(hidden=hidden, first=lambda before, count, layer: before + 1, hint=t(
        "each position is one too high: the first new token is at length(cache), since positions count from 0 (section 1.11)",
        "cada posición es una de más: el primer token nuevo está en length(cache), porque las posiciones cuentan desde 0 (sección "
        "1.11)",
    )) for hidden in (lambda places, own, before: places > own, lambda places, own, before: places > own - 1)),
    Pass(hidden=lambda places, own, before: places < 0, hint=t(
        "each token sees those after it as well: give their scores −∞ before the softmax (section 1.11)",
        "cada token ve también los que vienen detrás: da a sus puntuaciones −∞ antes del softmax (sección 1.11)",
    )),
    Pass(filled_with=0.0, hint=t(
        "a score of 0 still has a weight: give the tokens that come later −∞ before the softmax (section 1.11)",
        "una puntuación de 0 aún tiene peso: da −∞ a los tokens posteriores antes del softmax (sección 1.11)",
    )),
    Pass(is_late=True, hint=t(
        "the weights of the later tokens are set to 0 after the softmax, and the others no longer add up to 1: give them a "
        "score of −∞ before the softmax (section 1.11)",
        "los pesos de los tokens posteriores se ponen a 0 después del softmax, y los demás ya no suman 1: dales una puntuación "
        "de −∞ antes del softmax (sección 1.11)",
    )),
    Pass(by_token=False, hint=t(
        "the heads' results are joined in the wrong order: bring them to (T, H, D) before you reshape to (T, H·D), so that a row "
        "holds all heads of one token (section 1.11)",
        "los resultados de las cabezas se juntan en otro orden: llévalos a (T, H, D) antes de darles la forma (T, H·D), para que "
        "cada fila tenga todas las cabezas de un token (sección 1.11)",
    )),
    Pass(hidden=lambda places, own, before: (places >= own) & (places > 0), hint=t(
        "a token does not see itself: hide only the places after its own position, >, not ≥ (section 1.11)",
        "un token no se ve a sí mismo: oculta solo los sitios posteriores a su posición, > y no ≥ (sección 1.11)",
    )),
    Pass(hidden=lambda places, own, before: places > own + 1, hint=t(
        "each token sees one place too many, the next token: hide all places after its own position (section 1.11)",
        "cada token ve un sitio de más, el token siguiente: oculta todos los sitios posteriores a su posición (sección 1.11)",
    )),
    Pass(hidden=lambda places, own, before: places < own, hint=t(
        "the mask is the wrong way round: it hides the tokens before and leaves those after. Hide places > position (section "
        "1.11)",
        "la máscara está al revés: oculta los tokens anteriores y deja los posteriores. Oculta los sitios > posición (sección "
        "1.11)",
    )),
    Pass(row=0, hint=t(
        "those are the logits of the first token: the last row says what comes after the prompt (section 1.11)",
        "esos son los logits del primer token: la última fila dice qué viene después del prompt (sección 1.11)",
    )),
    Pass(is_scaled=False, hint=t(
        "the scores are not divided by √D (section 1.11)", "las puntuaciones no se dividen por √D (sección 1.11)",
    )),
    Pass(in_turn=True, hint=t(
        "query heads that share a key/value head are neighbours, as in 1.2; yours take them in turn (section 1.11)",
        "las cabezas de consulta que comparten una de claves y valores son vecinas, como en 1.2; las tuyas las toman por turnos "
        "(sección 1.11)",
    )),
)
# The two halves of a layer, for any step: section 1.4 has them, 1.11 uses them again.
HALVES = (
    Pass(is_mixed=False, hint=t(
        "what attention gives is added as it is: multiply it by the matrix first, … @ layer.attention_out",
        "lo que da la atención se suma tal cual: multiplícalo antes por la matriz, … @ layer.attention_out",
    )),
    Pass(feeds=lambda feed, x, added: feed(added), hint=t(
        "what attention gives is added to x; it does not replace x", "lo que da la atención se suma a x; no sustituye a x",
    )),
    Pass(feeds=lambda feed, x, added: feed(x) + added, hint=t(
        "the feed-forward comes before attention has been added: first x = x + attention, then feed_forward of that",
        "`feed_forward` se aplica antes de sumar la atención: primero x = x + atención, después `feed_forward` de eso",
    )),
    Pass(feeds=lambda feed, x, added: x + added + feed(x + added), hint=t(
        "x is added twice: `feed_forward` returns x with its own part added already, so x = layer.feed_forward(x, …)",
        "x se suma dos veces: `feed_forward` devuelve x con su parte ya sumada, así que x = layer.feed_forward(x, …)",
    )),
    Pass(feeds=lambda feed, x, added: x + added, hint=t(
        "the feed-forward is missing: each layer has two halves, attention and `layer.feed_forward`",
        "falta `feed_forward`: cada capa tiene dos mitades, la atención y `layer.feed_forward`",
    )),
    Pass(feeds=lambda feed, x, added: feed(x), hint=t(
        "what attention gives is not used: add it to x, x = x + … @ layer.attention_out",
        "lo que da la atención no se usa: súmalo a x, x = x + … @ layer.attention_out",
    )),
)


def slip_hint(got, spec, cache: dict, tokens: list[int]) -> Text | None:
    """The hint of the slip that gives just these logits; None if none does."""
    found = next((slip.hint for slip in SLIPS if _gives(slip, got, spec, cache, tokens)), None)
    return found or halves_hint(got, spec, cache, tokens, t(" (section 1.11)", " (sección 1.11)"))


def halves_hint(got, spec, cache: dict, tokens: list[int], section: Text) -> Text | None:
    """The same for a mistake in how the two halves of a layer are joined."""
    found = next((slip.hint for slip in HALVES if _gives(slip, got, spec, cache, tokens)), None)
    return found and found.followed_by(section)


def _gives(slip: Pass, got, spec, cache: dict, tokens: list[int]) -> bool:
    return is_close(got, slip.logits(spec, cache, tokens), tolerance=1e-3)
