"""Spanish rules of spelling: accents, words that sound alike, letters."""

from functools import cache

from minigpt.corpus import names
from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.error_example import Marked, opened
from minigpt.corpus.es import grammar_nouns, grammar_pronouns, grammar_usage, grammar_verbs
from minigpt.corpus.es import words_nouns as nouns
from minigpt.corpus.es.phrases import UNACCENTED, inflect, plural
from minigpt.corpus.tables import lines, misspelt


def _filled(dice: Dice, sentence: str) -> str:
    """A sentence of the lists with names and things in it; its question mark stays."""
    for mark, put in (("@name", names.woman(dice)), ("@city", dice.word("Madrid Lima Sevilla París México")), ("@job", dice.word(nouns.JOBS["m"])),
                      ("@adj", dice.word("alto guapo listo fuerte joven simpático grande viejo")),
                      ("@thing", dice.word(nouns.OBJECTS["m"])), ("@rel", dice.word(nouns.RELATIVES[dice.pick("fm")])),
                      ("@place", dice.word("el_baño la_estación el_hotel la_calle_Mayor tu_casa el_museo la_parada"))):
        sentence = sentence.replace(mark, put)
    return sentence.replace("?", "??")


def tilde(dice: Dice) -> Marked:
    """"El es médico", "tu eres mi amigo", "no se"."""
    sentence = _filled(dice, dice.pick(lines("es/accents.txt")))
    good = sentence.split("|")[1].split("]")[0]
    has = "lleva" if good != good.translate(UNACCENTED) else "no lleva"
    return Marked(sentence, f"Con este sentido la palabra {has} acento: {{}}.")


def question_tilde(dice: Dice) -> Marked:
    """"Donde vives?", "no sé que hacer"."""
    return Marked(_filled(dice, dice.pick(lines("es/questions.txt"))), "Al preguntar o exclamar lleva acento: {}.")


@cache
def accented_words() -> frozenset[str]:
    """Words of the tables whose accent, or ñ, can only be missing: without it they are not words."""
    tables = [table for group in (nouns.OBJECTS, nouns.CLOTHES, nouns.FOODS, nouns.IDEAS, nouns.ANIMALS, nouns.PERSONS, nouns.MASS, nouns.JOBS,
        nouns.RELATIVES)
              for table in group.values()]
    tables += [nouns.THING_ADJECTIVES, nouns.PEOPLE_ADJECTIVES, nouns.THING_STATES, nouns.STATES, nouns.SCHOOL, nouns.LANGUAGES, nouns.SPORTS,
        nouns.PLACES_IN,
               nouns.PLACES_TO, nouns.WITH_ACCENT]
    found = {word for table in tables for entry in words_of(table) for word in entry.split()}
    found |= {plural(word) for word in found if word.isalpha()}
    found |= {inflect(word, "f", False) for word in words_of(nouns.PEOPLE_ADJECTIVES + nouns.THING_ADJECTIVES)}
    other_words = ("papá", "esté", "té", "él", "tú", "aún", "médico", "médica", "número", "público")
    return frozenset(word for word in found if word != _stripped(word) and word not in other_words)


def _stripped(word: str) -> str:
    return word.translate(UNACCENTED).replace("ñ", "n")


RIGHT_OF = (grammar_nouns.adjective_gender, grammar_nouns.noun_number, grammar_nouns.attribute, grammar_nouns.determiner_gender, grammar_nouns.article_gender,
            grammar_verbs.verb_person, grammar_verbs.be_person, grammar_verbs.progressive, grammar_usage.estar, grammar_usage.ser, grammar_usage.contraction,
            grammar_pronouns.gustar)


def missing_accent(dice: Dice) -> Marked:
    """A right sentence of another rule in which one word has lost its accent, or its ñ."""
    while True:
        words = opened(dice.pick(RIGHT_OF)(dice)).right.split()
        places = [index for index, word in enumerate(words) if word in accented_words()]
        if places:
            break
    index = dice.pick(places)
    word = words[index]
    bad = word.translate(UNACCENTED) if word.translate(UNACCENTED) != word else word.replace("ñ", "n")
    words[index] = f"[{bad}|{word}]"
    return Marked(" ".join(words),
        f'Esta palabra se escribe con {"eñe" if "n" in bad and "ñ" in word and word.translate(UNACCENTED) == word else "acento"}: {{}}.')


def spelling(dice: Dice) -> Marked:
    bad, good, sentences = dice.pick(misspelt("es/misspelt.txt"))
    return Marked(dice.pick(sentences).replace("@", f"[{bad}|{good}]").replace("?", "??"), "La palabra se escribe así: {}, letra por letra.")


RULES = {tilde: 6, question_tilde: 3, missing_accent: 10, spelling: 5}
LISTED = frozenset({tilde, question_tilde, spelling})  # whole sentences from a list
