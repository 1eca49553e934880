"""What a message says of the place of a mistake: which rows of a tensor, and where a block is."""

import pytest
import torch

from tests.grader.outcomes import CheckFailed, t
from tests.lab01.scenes import expect_rows
from tests.lab06.prefix_story import told_of_places

HINT = t("a hint", "una pista")


def got_of(rows: list, wanted: list):
    with pytest.raises(CheckFailed) as caught:
        expect_rows(torch.tensor(rows), [torch.tensor(row) for row in wanted], hint=HINT)
    return caught.value.got


def test_wrong_rows_are_told_from_right_ones():
    got = got_of([[1.0, 2.0], [3.0, 9.0], [5.0, 6.0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert got.en == "a largest difference of 5 (wrong rows: 1; right rows: 0, 2)"
    assert got.es == "una diferencia máxima de 5 (filas incorrectas: 1; filas correctas: 0, 2)"


def test_rows_are_not_named_where_all_are_wrong():
    assert got_of([[1.0], [2.0]], [[3.0], [5.0]]).en == "a largest difference of 3"


def test_places_of_blocks():
    shown = {"free_blocks": [0, 2, 2], "idle": {0: None}, "tables": {7: [0, 3]}}
    told = told_of_places(shown, [0, 1, 2])
    assert told.en == "block 0 free and idle and in table 7; block 1 nowhere; block 2 free and free"
    assert told.es == "bloque 0 libre y ocioso y en la tabla 7; bloque 1 en ninguna parte; bloque 2 libre y libre"
