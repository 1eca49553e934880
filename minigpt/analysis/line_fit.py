"""How well t(B) = a + b·B describes measured steps, and whether the bare products bend in the same way."""

from minigpt.language import say

LARGE_MISFIT_PERCENT = 15.0
SMALL_SHARE = 0.15  # of a gap: less of it in the products alone is not worth a word


def describe_fit(fit_line, sizes, step_ms, product_ms) -> str:
    """How far the line of `fit_line` lies from each measured step, in words.

    `product_ms`: times of the matrix products alone, at the same sizes.
    """
    off = misfit_percent(fit_line, sizes, step_ms)
    words = ", ".join(f"B={size} {value:+.0f} %" for size, value in zip(sizes, off))
    lines = [say(en=f"the line minus the measured time at each point: {words}",
                 es=f"la recta menos el tiempo medido en cada punto: {words}")]
    if all(abs(value) <= LARGE_MISFIT_PERCENT for value in off):
        return "\n".join([*lines, say(en="within 15 % of every point", es="a menos de un 15 % de cada punto")])
    lines[0] += say(en="; where it is more than 15 %:", es="; donde es más de un 15 %:")
    gaps = [misfit_ms(fit_line, sizes, times) for times in (step_ms, product_ms)]
    for size, percent, gap, of_products in zip(sizes, off, *gaps):
        if abs(percent) > LARGE_MISFIT_PERCENT:
            lines.append(f"B={size}: {_reason(gap, of_products)}")
    return "\n".join(lines)


def misfit_percent(fit_line, sizes, step_ms) -> list[float]:
    """By how many per cent the line lies above (+) or below (−) each measured point."""
    return [100 * gap / time for gap, time in zip(misfit_ms(fit_line, sizes, step_ms), step_ms)]


def misfit_ms(fit_line, sizes, times_ms) -> list[float]:
    """By how many milliseconds the line through these times lies above (+) or below (−) each of them."""
    a, b = fit_line(sizes, times_ms)
    return [a + b * size - time for size, time in zip(sizes, times_ms)]


def _reason(gap_ms: float, of_products_ms: float) -> str:
    """Whether a line fitted to the products alone misses by as much in the same direction, by a part of it, or not."""
    above = gap_ms > 0
    miss = say(en=f"the line lies {abs(gap_ms):.2f} ms {'above' if above else 'below'}",
               es=f"la recta queda {abs(gap_ms):.2f} ms por {'encima' if above else 'debajo'}")
    share = of_products_ms / gap_ms
    if share >= 0.5:
        return miss + say(
            en=", and so does a line fitted to the products alone: a row does not cost the same at every B",
            es=", y la de los productos solos también: una fila no cuesta lo mismo con cada B")
    if share >= SMALL_SHARE:
        return miss + say(
            en=f", a line fitted to the products alone only {abs(of_products_ms):.2f} ms; the difference is noise, or a cost "
               "that is neither per step nor per row",
            es=f"; la de los productos solos, {abs(of_products_ms):.2f}; el resto es azar, o un coste que no es ni por paso ni "
               "por fila")
    return miss + say(
        en="; the products alone do not curve like this: it is noise, or a cost that is neither per step nor per row",
        es="; los productos solos no se curvan así: es azar, o un coste que no es ni por paso ni por fila")
