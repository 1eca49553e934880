"""Submissions that resemble each other: what is shared, what is given to all, and what no text may do to the grader."""

import re

import pytest

from minigpt import paths
from tests.grader import class_page, class_similarity
from tests.grader.similarity import Pair, runs_of, similar_pairs

LAB = paths.resolve_lab("03")
REFERENCE = paths.solution_file(LAB).read_text(encoding="utf-8")
SKELETON = paths.skeleton_file(LAB).read_text(encoding="utf-8")
SPANISH = paths.skeleton_file(LAB, "es").read_text(encoding="utf-8")
OTHERS = "\n".join((paths.repository_root() / "minigpt" / name).read_text(encoding="utf-8")
                   for name in ("schedulers/continuous.py", "analysis/metrics.py", "analysis/block_bootstrap.py"))


def test_a_copy_with_other_comments_layout_and_names_is_seen():
    copied = re.sub(r"\b(in_flight|finished|pairs|request)\b", r"my_\1", REFERENCE)
    copied = re.sub(r"#.*", "# mine", copied).replace("    ", "  ")
    (pair,) = similar_pairs({"ada": REFERENCE, "bob": copied}, SKELETON)
    assert pair.renamed_percent == 100 and pair.with_names_percent < 60
    (pair,) = similar_pairs({"ada": REFERENCE, "bob": REFERENCE.replace("# ", "#  ")}, SKELETON)
    assert pair.with_names_percent == 100


def test_the_same_lab_written_by_another_hand_is_none():
    assert similar_pairs({"ada": REFERENCE, "given": OTHERS}, SKELETON) == []
    (pair,) = similar_pairs({"ada": REFERENCE, "given": OTHERS}, SKELETON, least_percent=0)
    assert 0 < pair.with_names_percent < 40


def test_what_everybody_was_given_counts_for_nothing_in_either_language():
    assert similar_pairs({"ada": SKELETON, "bob": SPANISH, "eve": SKELETON}, SKELETON, least_percent=0) == []
    assert runs_of(SPANISH, False) == runs_of(SKELETON, False)


def test_those_that_share_most_come_first_and_not_too_many():
    half = REFERENCE[:REFERENCE.index("def p95")] + "\n" + OTHERS
    pairs = similar_pairs({"a": REFERENCE, "b": half, "c": REFERENCE}, SKELETON, least_percent=1)
    assert (pairs[0].first, pairs[0].second) == ("a", "c") and len(pairs) == 3
    assert len(similar_pairs({str(name): REFERENCE for name in range(9)}, SKELETON, most_pairs=4)) == 4


@pytest.mark.parametrize("text", ["", "\0", "def f(:\n  '''", "((((" * 500, "x = '\n", "\tif a:\n  b\n c", "é" * 5000, "\x0c\\"])
def test_no_text_stops_it(text):
    assert similar_pairs({"a": text, "b": text, "c": REFERENCE}, SKELETON) == []


def test_the_page_shows_the_pairs_as_a_hint(monkeypatch, tmp_path):
    report = {"lab": "03", "submission": "<ada>", "folder": "ada/lab03", "score": 1, "max_score": 5, "checks": [], "exercises": [],
              "measurements": {}, "note": ""}
    pairs = class_similarity.pairs_of(LAB, {"ada/lab03": REFERENCE.encode(), "bob/lab03": REFERENCE.encode(), "eve/lab03": b"\xff"})
    assert pairs == [Pair("ada/lab03", "bob/lab03", 100.0, 100.0)]
    for language, words in (("en", "never what happened"), ("es", "nunca qué pasó")):
        monkeypatch.setenv("MINIGPT_LANG", language)
        class_page.write_page(tmp_path / "page.html", [report, {**report, "submission": "bob", "folder": "bob/lab03"}], {"03": pairs})
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert words in text and '<a href="#ada/lab03">&lt;ada&gt;</a></td><td><a href="#bob/lab03">' in text
        class_page.write_page(tmp_path / "page.html", [report])
        assert words not in (tmp_path / "page.html").read_text(encoding="utf-8")
