"""A check explains the failures that its own words fit, and no others."""

import pytest

from tests.grader.outcomes import CRASHED, IMPORT_ERROR, TIMED_OUT, WRONG, CheckFailed, explained_by, t

OWN, OTHERS = t("of the check", "de la comprobación"), t("of the failure", "del fallo")


@pytest.mark.parametrize("failed, own_hint, meant, expected", [
    (CRASHED, "", "", OWN), (CRASHED, OTHERS, "", OTHERS), (IMPORT_ERROR, "", "", ""),
    (TIMED_OUT, OTHERS, TIMED_OUT, OWN), (CRASHED, "", CRASHED, OWN), (IMPORT_ERROR, "", CRASHED, ""), (WRONG, OTHERS, CRASHED, OTHERS),
])
def test_only_a_failure_that_it_fits_gets_the_hint(failed, own_hint, meant, expected):
    with pytest.raises(CheckFailed) as raised, explained_by(OWN, outcome=meant):
        raise CheckFailed(failed, hint=own_hint)
    assert raised.value.hint == expected
