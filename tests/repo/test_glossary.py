"""Spanish texts use the words of labs/glossary.toml, and none of those that it replaced."""

import pytest

from tests.tools.glossary import OldWord, find_old, old_words, terms
from tests.tools.repo_files import ROOT, source_files

OLD = old_words()
# The tutor speaks everyday Spanish, in which a plaza is a square; the glossary and its test name the old words.
NOT_OURS = ("minigpt/corpus/", "labs/glossary.toml", "tests/repo/test_glossary.py", "tests/tools/glossary.py", "tests/hostile/")
TWO_LANGUAGES = (".py", ".toml", "notebook.md", "CODE_OF_CONDUCT.md", ".yml", ".js", ".html")


def spanish_files():
    """Yield every file in which Spanish stands; generated notebooks and skeletons are read in their sources."""
    for path in source_files():
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(NOT_OURS) and name.endswith((*TWO_LANGUAGES, ".es.md")):
            yield path, name


def test_no_replaced_word_is_left():
    found = [f"{name}: …{place}… (write: {word.better})" for path, name in spanish_files()
             for word, place in find_old(path, OLD)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("word", OLD, ids=[word.old for word in OLD])
def test_each_replaced_word_is_seen_and_its_better_one_is_not(word, tmp_path):
    page = tmp_path / "page.es.md"
    planted = word.old.replace("*", "")
    for sentence in (f"Esto es {planted}, y nada más.", f"Dice\n{planted.replace(' ', chr(10))}\naquí.", planted.upper()):
        page.write_text(sentence, encoding="utf-8")
        assert find_old(page, [word]), sentence
    assert word.found_in(word.better) == []


def test_words_inside_f_strings_of_python_are_seen(tmp_path):
    code = tmp_path / "code.py"
    code.write_text('say(en=f"{n} seats", es=f"{n} asientos, "\n    f"{m} libres")\n', encoding="utf-8")
    assert len(find_old(code, [OldWord("asiento*", "slot")])) == 1


def test_a_word_may_stay_where_it_means_something_else():
    word = next(word for word in OLD if word.old == "entrada*")
    assert word.found_in("una petición cuya entrada es None") == []
    assert len(word.found_in("una entrada larga; cuya entrada es None")) == 1


def test_numbers_with_their_sign_behind_are_seen_and_products_are_not():
    word = next(word for word in OLD if word.old == "4×")
    assert all(word.found_in(text) for text in ("unas 36.9× más", "~8× sin bloques", "es 4×."))
    assert not any(word.found_in(text) for text in ("×4", "128×64 pesos", "3 × 4", "p95×2"))


def test_a_term_stands_once():
    for language in ("en", "es"):
        said = [getattr(term, language) for term in terms()]
        assert len(said) == len(set(said))
