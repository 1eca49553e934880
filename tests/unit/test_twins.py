"""The comparison of the two languages: it forgives a translation and no slip."""

import pytest

from tests.tools.twins import differences, numbers


@pytest.mark.parametrize("english, spanish", [
    ("It took 2.5 ms.", "Tardó 2,5 ms."),
    ("1,500 tokens, 12,000.5 more", "1500 tokens, 12\u00a0000,5 más"),
    ("1,500 tokens", "1.500 tokens"),
    ("1,024,000 blocks", "1\u202f024\u202f000 bloques"),
    ("See 3.1 and Python 3.12.4.", "Mira 3.1 y Python 3.12.4."),
    ("×1.6–4 and -30…-70 %", "×1,6–4 y -30…-70 %"),
    ("the 95th; p95; int8; A100", "el 95.º; el p95; en int8; una A100"),
    ("steps 3, 30 and 300", "pasos 3, 30 y 300"),
    ("0.125 of it", "0,125 de eso"),
    ("$L = \\lambda W$, $0.5$", "$L=\\lambda W$, $0{,}5$"),
    ("$t_{\\text{wait}}$", "$t_{\\text{espera}}$"),
    ("`a` then `b`", "`b` tras `a`, y otra vez `b`"),
    ("[paper](https://a.b/c_2023.pdf)", "[artículo](https://a.b/c_2023.pdf)"),
    ("[start](README.md)", "[inicio](README.es.md)"),
    ("# A\n\n## B", "# C\n\n## D"),
    ("```sh\nmake lab  # open\n```", "```sh\nmake lab  # abre\n```"),
    ("```text\n3 passed\n```", "```text\n3 superadas\n```"),
])
def test_a_translation_is_accepted(english, spanish):
    assert differences(english, spanish) == []


@pytest.mark.parametrize("english, spanish, kind", [
    ("It took 2.5 ms.", "Tardó 25 ms.", "numbers"),
    ("3 and 3", "3", "numbers"),
    ("1,500 tokens", "1,500 tokens", "numbers"),
    ("1.125 of it", "1.125 de eso", "numbers"),
    ("0.5 ms", "medio ms", "numbers"),
    ("$a+b$", "$a-b$", "formulas"),
    ("`admit`", "`admitir`", "code"),
    ("[x](https://a.b/1)", "[x](https://a.b/2)", "links"),
    ("see https://a.b/1", "mira https://a.b/2", "links"),
    ("# A\n\n## B", "# A\n\n### B", "headings"),
    ("```sh\nmake lab\n```", "```sh\nmake laboratorio\n```", "listings"),
    ("```text\n1\n```", "```text\n1\n2\n```", "listings"),
])
def test_a_slip_is_named(english, spanish, kind):
    assert [line.split(":")[0] for line in differences(english, spanish)] == [kind]


def test_numbers_are_counted_in_one_spelling():
    assert numbers("12\u00a0000, 1.500,5, 3.1", "es") == numbers("12,000, 1,500.5, 3.1", "en")
