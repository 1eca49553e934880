"""How well t(B) = a + b·B describes measured steps, and where it is far off, why: computed from the data, not assumed."""

import math

from minigpt.language import say

LARGE_MISFIT_PERCENT = 15.0
FEW_ROWS = 2


def describe_fit(fit_line, sizes, step_ms, product_ms) -> str:
    """How far the line of `fit_line` lies from each measured step, in words.

    `product_ms` are the times of the bare matrix products at the same sizes, which begin with 1, 2, 4.
    """
    off = misfit_percent(fit_line, sizes, step_ms)
    far = [size for size, value in zip(sizes, off) if abs(value) > LARGE_MISFIT_PERCENT]
    words = ", ".join(f"B={size} {value:+.0f} %" for size, value in zip(sizes, off))
    lines = [say(en=f"the line beside each measured point: {words}",
                 es=f"la recta junto a cada punto medido: {words}")]  # fmt: skip
    if not far:
        lines.append(say(en="within 15 % of every point", es="a menos del 15 % de cada punto"))
    if any(size <= FEW_ROWS for size in far):
        lines.append(_few_rows(fit_line, sizes, step_ms, product_ms))
    others = ", ".join(f"B={size}" for size in far if size > FEW_ROWS)
    if others:
        lines.append(say(en=f"{others}: more than 15 % off; measure again when the machine is quieter",
                         es=f"{others}: más de un 15 % de diferencia; vuelve a medir con la máquina más tranquila"))  # fmt: skip
    return "\n".join(lines)


def misfit_percent(fit_line, sizes, step_ms) -> list[float]:
    """By how many per cent the line lies above (+) or below (−) each measured point."""
    a, b = fit_line(sizes, step_ms)
    return [100 * ((a + b * size) / time - 1) for size, time in zip(sizes, step_ms)]


def _few_rows(fit_line, sizes, step_ms, product_ms) -> str:
    """Why a line misses the smallest batches: there a further row costs more than later on."""
    first, last = (
        1e3 * (product_ms[to] - product_ms[start]) / (sizes[to] - sizes[start]) for start, to in ((0, 2), (-3, -1))
    )
    # "Within" is a bound, so it is rounded up; a hair above a whole number is the rounding of floats.
    rest = math.ceil(max(map(abs, misfit_percent(fit_line, sizes[2:], step_ms[2:]))) - 1e-9)
    why = say(en="which is no reason here: measure again when the machine is quieter",
              es="lo que aquí no explica nada: vuelve a medir con la máquina más tranquila")  # fmt: skip
    if first > last:
        why = say(en="the routines compute several rows at once, and few rows do not fill them",
                  es="las rutinas calculan varias filas a la vez, y con pocas no se llenan")  # fmt: skip
    return say(
        en=f"the smallest batches are off: there a further row adds {first:.0f} µs of bare products, later on {last:.0f} µs"
           f"\n({why}).\nFitted from B = {sizes[2]} on, the line is within {rest} % of those points",
        es=f"los lotes más pequeños se apartan: ahí una fila más añade {first:.0f} µs de productos, y más adelante "
           f"{last:.0f} µs\n({why}).\nAjustada desde B = {sizes[2]}, la recta queda a menos del {rest} % de esos puntos",
    )  # fmt: skip
