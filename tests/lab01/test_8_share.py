"""Exercise 1.8: `batch_for_share`, from where on a larger batch hardly pays."""

from tests.grader.check import check
from tests.grader.outcomes import expect_number, t
from tests.lab01.test_6_p95 import expect_value_error


@check("1.8", points=2, en="half and 90 % of the ceiling", es="la mitad y el 90 % del techo")
def test_share_of_the_ceiling(student):
    for a, b, share, wanted in ((0.6, 0.04, 0.5, 15.0), (0.6, 0.04, 0.9, 135.0), (2.0, 0.5, 0.8, 16.0)):
        expect_number(student.call("batch_for_share", a, b, share), wanted, tolerance=1e-6, hint=t(
            "a = {a} ms, b = {b} ms: solve B / (a + b·B) = {share} · 1/b for B. At half of the ceiling what is shared "
            "costs as much as what is added: a = b·B (section 1.9)",
            "a = {a} ms, b = {b} ms: despeja B en B / (a + b·B) = {share} · 1/b. En la mitad del techo, lo compartido "
            "cuesta tanto como lo añadido: a = b·B (sección 1.9)",
        ).format(a=a, b=b, share=share))  # fmt: skip


@check("1.8", points=1, en="the ceiling itself is out of reach", es="el techo mismo no se alcanza", negative=True)
def test_never_all_of_it(student):
    for share in (1, 1.2, 0):
        expect_value_error(student, "batch_for_share", 0.6, 0.04, share, hint=t(
            "no batch gives {share} of the ceiling: raise ValueError with the value (section 1.9)",
            "ningún lote da {share} del techo: lanza ValueError con el valor (sección 1.9)",
        ).format(share=share))  # fmt: skip
