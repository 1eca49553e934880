"""One padded step with a mistake in it that is easy to make, and the hint that names the mistake: for exercise 1.9."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from minigpt.llm.model import rms_norm, rotate
from tests.grader.outcomes import Text, t
from tests.lab01.scenes import is_close


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How a step decodes; the defaults are right."""

    hint: Text = t("", "")
    hidden: Callable = lambda places, lengths: places > lengths
    grown: int = 0  # by how much the lengths have grown before the step
    per_layer: int = 0  # by how much they grow in each layer
    is_masked_early: bool = False  # what is hidden was worked out before the lengths grew
    later: int = 0  # positions by which the new token is rotated too far
    is_scaled: bool = True
    in_turn: bool = False  # query heads take the key/value heads in turn
    keeps_x: bool = True  # what attention gives is added to x, not put in its place

    def logits(self, spec, padded: dict, fed: list[int]):
        """The logits (B, V); `padded` stays as it is."""
        import torch

        model, lengths = spec.build(), padded["lengths"] + self.grown
        x = model.embedding[torch.tensor(fed)]
        for index, layer in enumerate(model.layers):
            now = lengths + self.per_layer * index
            attended = self.attended(
                model, layer, x, now, [padded[name][index].clone() for name in ("keys", "values")],
                padded["lengths"] if self.is_masked_early else now,
            )
            x = x * self.keeps_x + attended @ layer.attention_out
            x = layer.feed_forward(x, model.config.norm_eps)
        return rms_norm(x, model.final_norm, model.config.norm_eps) @ model.embedding.t()

    def attended(self, model, layer, x, lengths, kept: list, masked):
        """What attention gives each row (B, H·D); places are hidden by the lengths `masked`."""
        import torch

        cfg, rows = model.config, torch.arange(len(x))
        heads = (rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv).view(len(x), -1, cfg.head_size)
        q, k, v = heads.split([cfg.num_heads, cfg.num_kv_heads, cfg.num_kv_heads], dim=1)
        turn = [table[lengths + self.later, None] for table in (model.cos, model.sin)]
        for tensor, new in zip(kept, (rotate(k, *turn), v)):
            tensor[rows, lengths] = new
        which = [head % cfg.num_kv_heads if self.in_turn else head * cfg.num_kv_heads // cfg.num_heads
                 for head in range(cfg.num_heads)]
        keys, values = (tensor[:, :, which] for tensor in kept)  # (B, S, H, D): each query head has its own
        scores = torch.einsum("bhd,bshd->bhs", rotate(q, *turn), keys) / (math.sqrt(cfg.head_size) if self.is_scaled else 1)
        hidden = self.hidden(torch.arange(keys.shape[1])[None], masked[:, None])
        weights = scores.masked_fill(hidden[:, None], -math.inf).softmax(dim=-1)
        return torch.einsum("bhs,bshd->bhd", weights, values).reshape(len(x), -1)


SLIPS = (
    Step(hidden=lambda places, lengths: places >= lengths, hint=t(
        "the new token does not see itself: its place is lengths[i], so hide what comes after that, places > lengths[i], not ≥ "
        "(section 1.11)",
        "el token nuevo no se ve a sí mismo: su sitio es lengths[i], así que oculta lo que queda detrás, sitios > lengths[i], no "
        "≥ (sección 1.11)",
    )),
    Step(hidden=lambda places, lengths: places > lengths + 1, hint=t(
        "one place too many is seen: the new token is at lengths[i], and everything after it is hidden (section 1.11)",
        "se ve un sitio de más: el token nuevo está en lengths[i], y todo lo que queda detrás se oculta (sección 1.11)",
    )),
    Step(hidden=lambda places, lengths: places < -lengths, hint=t(
        "the room after a request's tokens is seen as well: a score of 0 still has a weight. Give those places −∞ before the "
        "softmax (section 1.11)",
        "también se ve el sitio que queda detrás de los tokens de una petición: una puntuación de 0 aún tiene peso. Da a esos "
        "sitios −∞ antes del softmax (sección 1.11)",
    )),
    Step(is_scaled=False, hint=t(
        "the scores are not divided by √D (section 1.11)", "las puntuaciones no se dividen por √D (sección 1.11)",
    )),
    Step(in_turn=True, hint=t(
        "query heads that share a key/value head are neighbours, as in 1.2; yours take them in turn (section 1.11)",
        "las cabezas de consulta que comparten una de claves y valores son vecinas, como en 1.2; las tuyas las toman por turnos "
        "(sección 1.11)",
    )),
    *(Step(grown=grown, per_layer=per_layer, is_masked_early=is_early, hint=t(
        "the lengths grow too early: lengths[i] is the new token's place, counted from 0, so add 1 only after the last layer "
        "(section 1.11)",
        "las longitudes crecen demasiado pronto: lengths[i] es el sitio del token nuevo, contando desde 0, así que suma 1 solo "
        "tras la última capa (sección 1.11)",
    )) for grown, per_layer in ((1, 0), (0, 1), (1, 1)) for is_early in (False, True)),
    Step(later=1, hint=t(
        "the new token is at position lengths[i], counted from 0, not at lengths[i] + 1: positions are used before the lengths "
        "grow (section 1.11)",
        "el token nuevo está en la posición lengths[i], contando desde 0, no en lengths[i] + 1: las posiciones se usan antes de "
        "que crezcan las longitudes (sección 1.11)",
    )),
    Step(keeps_x=False, hint=t(
        "what attention gives is added to x; it does not replace x (section 1.11)",
        "lo que da la atención se suma a x; no sustituye a x (sección 1.11)",
    )),
)


def slip_hint(got, spec, padded: dict, fed: list[int]) -> Text | None:
    """The hint of the slip that gives just these logits; None if none does."""
    return next((slip.hint for slip in SLIPS if is_close(got, slip.logits(spec, padded, fed), tolerance=1e-3)), None)
