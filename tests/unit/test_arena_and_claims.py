"""The arena compares policies fairly; the ledger is written in both languages and says what it measured."""

import json

import pytest

from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.studies import engine_survey, policy_comparison
from minigpt.studies.claims import beyond, ledger, production, scheduling, serving
from minigpt.studies.claims.ledger import CONDITION, UNCLEAR, Claim, Finding, Text
from tests.lab05.facts import FACTS
from tests.lab05.scenes import accounting_fault

EVERY_CLAIM = (*scheduling.CLAIMS, *production.CLAIMS, *beyond.CLAIMS, *serving.CLAIMS)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def test_every_policy_answers_everything_with_the_same_tokens():
    requests = policy_comparison.WORKLOADS["two classes"]()
    for entry in policy_comparison.entries():
        log = entry.run(requests)
        assert {i: record.answer for i, record in log.requests.items()} == {i.request_id: i.answer for i in requests.items}
        if isinstance(log, PagedRunLog):
            assert accounting_fault(log) is None


def test_the_table_names_each_policy_once_a_block_and_fits_a_notebook():
    scores = policy_comparison.arena(names=("mixed",))
    blocks = [block.splitlines() for block in policy_comparison.table(scores).split("\n\n")]
    assert len(blocks) == 2
    for lines in blocks:
        assert [line.split("  ")[0] for line in lines[1:]] == [entry.name for entry in policy_comparison.entries()]
        assert len({len(line) for line in lines}) == 1 and len(lines[0]) <= 100
    assert all(0 < score.fairness <= 1 and score.goodput_per_s <= score.throughput_per_s * 1.1 for score in scores)


ROW = ledger.Row(
    claim=Claim(id="a", lab="05", said=Text("said | so", "dicho"), literature=Text("paper", "artículo"), measure=None),
    finding=Finding(text=Text("measured", "medido"), verdict=CONDITION, figures={"x": 1.0}),
)


def test_the_ledger_is_a_table_between_markers():
    english, spanish = (ledger.markdown([ROW], code).splitlines() for code in ("en", "es"))
    assert english[0] == ledger.BEGIN and english[-1] == ledger.END
    assert english[3] == "| said \\| so | paper | measured | **in some cases** | 05 |"
    assert spanish[3] == "| dicho | artículo | medido | **en algunos casos** | 05 |"
    assert json.loads(ledger.as_json([ROW]))[0]["measured"] == {"en": "measured", "es": "medido"}


def test_a_page_gets_the_table_between_its_markers(tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"before\n{ledger.BEGIN}\nold\n{ledger.END}\nafter\n", encoding="utf-8")
    assert ledger.put_between_markers(page, ledger.markdown([ROW], "en"))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n" + ledger.BEGIN) and text.endswith(ledger.END + "\nafter\n") and "old" not in text
    page.write_text("no markers", encoding="utf-8")
    assert not ledger.put_between_markers(page, "x") and not ledger.put_between_markers(tmp_path / "none.md", "x")


def test_claims_are_bilingual_and_told_apart():
    assert len({claim.id for claim in EVERY_CLAIM}) == len(EVERY_CLAIM) >= 20
    for claim in EVERY_CLAIM:
        assert claim.said.en != claim.said.es and claim.literature.en != claim.literature.es
    assert set(ledger.SPANISH_VERDICTS) == {ledger.HOLDS, CONDITION, ledger.WRONG, UNCLEAR}


# Those that measure this processor would make a test depend on what else runs; the model's own are slow.
@pytest.mark.parametrize("claim", [c for c in EVERY_CLAIM if c.id not in ("dispatch", "grouped-query", "quantized")],
                         ids=lambda claim: claim.id)
def test_what_is_measured_supports_the_verdict(claim):
    finding = claim.measure()
    assert finding.verdict != UNCLEAR
    assert finding.text.en != finding.text.es and finding.figures


def test_the_survey_covers_what_is_asked():
    assert {each.engine for each in engine_survey.EVIDENCE} == set(engine_survey.ENGINES) == set(engine_survey.GIVEN) == set(FACTS)
    for answers in FACTS.values():
        assert set(answers) == set(engine_survey.CHOICES)
        assert all(answer in engine_survey.CHOICES[question] for question, answer in answers.items())
    assert all(each.source and each.en and each.es for each in engine_survey.EVIDENCE)
    assert len(engine_survey.table(FACTS).splitlines()) == 1 + len(engine_survey.ENGINES)
