"""Parts of English sentences: subjects, things, verbs with what follows them."""

from dataclasses import dataclass
from functools import cache

from minigpt.corpus import names
from minigpt.corpus.dice import Dice
from minigpt.corpus.en import words_nouns as nouns
from minigpt.corpus.en import words_verbs as verbs
from minigpt.corpus.error_example import phrase

VOWEL_SOUNDS = ("a", "e", "i", "o", "u", "hour", "honest", "8", "11")
CONSONANT_SOUNDS = ("uni", "euro", "use", "one", "ukulele")
SHORT_FORMS = {
    "I am": "I'm", "he is": "he's", "she is": "she's", "it is": "it's", "we are": "we're", "you are": "you're", "they are": "they're", "is not": "isn't",
    "are not": "aren't", "that is": "that's",
}
POSSESSIVES = "my your his her our their my my"


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a sentence is about."""

    text: str
    person: str  # "I", "one" (he, she, it, a name) or "many" (you, we, they, two names)
    kind: str    # the words of an explanation: `With a plural subject …`

    @property
    def singular(self) -> bool:
        return self.person == "one"

    def pick(self, singular: str, plural: str) -> str:
        """The verb form for this subject: "goes" or "go"."""
        return singular if self.person == "one" else plural

    @property
    def be(self) -> str:
        return {"I": "am", "one": "is", "many": "are"}[self.person]

    @property
    def was(self) -> str:
        return "were" if self.person == "many" else "was"


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb and what may follow it."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    complements: tuple[str, ...]

    @property
    def irregular(self) -> bool:
        return self.past != regular_past(self.base)


def article(noun: str) -> str:
    """"a" or "an", by the sound that the noun begins with."""
    low = noun.lower()
    return "an" if low.startswith(VOWEL_SOUNDS) and not low.startswith(CONSONANT_SOUNDS) else "a"


def plural(noun: str) -> str:
    head, _, last = noun.rpartition(" ")
    last = nouns.IRREGULAR_PLURALS.get(last) or _with_s(last)
    return phrase(head, last)


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh", "z")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def third_person(base: str) -> str:
    return {"do": "does", "go": "goes", "have": "has"}.get(base) or _with_s(base)


_DOUBLED = "stop plan run swim sit get win cut put chat shop hit drop grab begin forget prefer travel".split()


def regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


def gerund(base: str) -> str:
    if base.endswith("e") and not base.endswith(("ee", "be")):
        return (base[:-2] + "y" if base.endswith("ie") else base[:-1]) + "ing"
    return base + (base[-1] if base in _DOUBLED else "") + "ing"


@cache
def verbs_of(table: str) -> tuple[Verb, ...]:
    found = []
    for line in table.strip().splitlines():
        forms, complements = line.split(": ")
        base, *irregular = forms.split()
        past, participle = irregular or (regular_past(base), regular_past(base))
        found.append(Verb(base, third_person(base), past, participle, gerund(base),
                          tuple(text.replace("_", " ") for text in complements.split(", "))))
    return tuple(found)


STATIVE = ("like", "love", "want", "need", "know", "understand", "hate", "prefer", "believe", "remember")


@cache
def verb(base: str) -> Verb:
    """A verb by its base form: of the tables, or a regular one."""
    known = {each.base: each for each in verbs_of(verbs.ACTIONS)}
    return known.get(base) or verbs_of(f"{base}: x")[0]


@cache
def actions() -> tuple[Verb, ...]:
    """What people do: without "rain"."""
    return tuple(each for each in verbs_of(verbs.ACTIONS) if each.base != "rain")


def action(dice: Dice) -> tuple[Verb, str]:
    """A verb and its complement."""
    verb = dice.pick(actions())
    return verb, complement(dice, verb)


def complement(dice: Dice, verb: Verb) -> str:
    text = dice.pick(verb.complements)
    return _OBJECTS[text[1:]](dice) if text.startswith("@") else text


def noun(dice: Dice, table: str) -> str:
    """A noun of a table; now and then an invented one."""
    return names.invented(dice) if dice.chance(0.03) else dice.word(table)


def count_table(dice: Dice) -> str:
    return dice.pick((nouns.OBJECTS, nouns.OBJECTS, nouns.ANIMALS, nouns.CLOTHES, nouns.FOODS, nouns.IDEAS, nouns.PERSONS))


def thing(dice: Dice, table: str | None = None) -> str:
    """A noun with its determiner, as an object of a verb: "an old car", "three apples", "my books"."""
    word = noun(dice, table or count_table(dice))
    adjective = dice.maybe(nouns.ATTRIBUTES, 0.2)
    start = dice.below(10)
    if start < 4:
        return phrase(article(adjective or word), adjective, word)
    if start < 6:
        return phrase("the", adjective, word)
    if start < 7:
        return phrase(dice.word(POSSESSIVES), adjective, word)
    if start < 8:
        return phrase(dice.word("some many the my these those a_few two three four"), adjective, plural(word))
    return phrase(dice.word("some the his her their our"), adjective, plural(word))


def mass(dice: Dice, table: str) -> str:
    return phrase(dice.word("some the a_lot_of too_much some"), noun(dice, table))


_OBJECTS = {
    "food": lambda dice: thing(dice, nouns.FOODS), "object": lambda dice: thing(dice, nouns.OBJECTS),
    "clothing": lambda dice: thing(dice, nouns.CLOTHES), "animal": lambda dice: thing(dice, nouns.ANIMALS),
    "person": lambda dice: one_person(dice) if dice.chance(0.5) else thing(dice, nouns.PERSONS),
    "massfood": lambda dice: mass(dice, nouns.MASS_FOODS), "to": lambda dice: dice.word(nouns.PLACES_TO),
    "drink": lambda dice: f"{dice.word('a_cup_of a_glass_of some')} {dice.word('water milk tea coffee juice')}",
    "readable": lambda dice: f"a {dice.word('book letter story poem message report')}",
    "makeable": lambda dice: f"a {dice.word('cake plan list mistake sandwich pizza dress table')}",
    "language": lambda dice: dice.word(nouns.LANGUAGES), "subject": lambda dice: dice.word(nouns.SUBJECTS),
    "sport": lambda dice: dice.word(nouns.SPORTS), "instrument": lambda dice: f"the {dice.word(nouns.INSTRUMENTS)}",
    "animals": lambda dice: plural(noun(dice, nouns.ANIMALS)),
}


def one_person(dice: Dice) -> str:
    """A single person who is neither speaker nor listener."""
    kind = dice.below(100)
    if kind < 38:
        return names.anybody(dice)
    if kind < 64:
        return phrase(dice.word(POSSESSIVES), dice.maybe("little older best new old", 0.1), noun(dice, nouns.RELATIVES))
    if kind < 68:
        return f"{names.anybody(dice)}'s {dice.word(nouns.RELATIVES)}"
    if kind < 70:
        if dice.chance(0.5):
            return phrase("my", dice.word("friend brother cousin uncle"), names.man(dice))
        return phrase("my", dice.word("friend sister cousin aunt"), names.woman(dice))
    if kind < 90:
        return phrase(dice.word("the the the that this"), dice.maybe(nouns.QUALITIES, 0.1), noun(dice, nouns.PERSONS), _which(dice))
    if kind < 93:
        return phrase(dice.word("every each"), dice.word(nouns.PERSONS))
    return phrase("the", dice.word(nouns.JOBS))


def _which(dice: Dice) -> str:
    """Sometimes, words that say which one: nouns that the verb does not agree with."""
    return dice.maybe(WHICH, 0.07)


WHICH = """from_Spain in_my_class with_the_hat next_door in_the_garden from_the_shop with_long_hair on_the_bus in_the_room at_the_door in_the_photos
with_the_dogs from_my_school in_the_street of_my_friends"""


def people(dice: Dice) -> str:
    """Several persons."""
    kind = dice.below(100)
    if kind < 13:
        return dice.word("my_parents her_parents his_parents our_parents the_people my_grandparents the_police your_parents people")
    if kind < 45:
        return phrase(dice.word("my my his her our their"), plural(noun(dice, nouns.RELATIVES)))
    if kind < 50:
        return f"{names.anybody(dice)}'s {plural(dice.word(nouns.RELATIVES))}"
    if kind < 60:
        return phrase(dice.word("all_the many some most all_my both some_of_the two_of_my several"), plural(dice.word(nouns.PERSONS)))
    return phrase(dice.word("the the the these those two"), plural(noun(dice, nouns.PERSONS)), _which(dice))


def joined(dice: Dice) -> str:
    start = dice.below(8)
    if start < 4:
        return f"{one_person(dice)} and {one_person(dice)}"
    if start < 6:
        return f"{names.anybody(dice)} and {names.anybody(dice)}"
    return f"{one_person(dice)} and I"


def subject(dice: Dice, only: str | None = None) -> Subject:
    """A person or people; `only` "one" or "many" keeps to these."""
    start = dice.below(100)
    if only == "one" or only is None and start < 50:
        if dice.chance(0.3):
            who = dice.word("he she he she it")
            return Subject(who, "one", f'"{who}"')
        if dice.chance(0.06):
            who = dice.word("everybody everyone somebody someone")
            return Subject(who, "one", f'"{who}"')
        if dice.chance(0.08):
            return Subject(phrase("the", noun(dice, nouns.ANIMALS)), "one", "one animal or thing")
        return Subject(one_person(dice), "one", "one person")
    if only is None and start < 60:
        return Subject("I", "I", '"I"')
    if dice.chance(0.4):
        who = dice.word("you we they we they")
        return Subject(who, "many", f'"{who}"')
    if dice.chance(0.5):
        return Subject(joined(dice), "many", "two people")
    if dice.chance(0.1):
        return Subject(phrase(dice.word("the my our"), plural(noun(dice, nouns.ANIMALS))), "many", "a plural subject")
    return Subject(people(dice), "many", "a plural subject")


def thing_subject(dice: Dice) -> Subject:
    """Something that is not a person, with the right number."""
    table = dice.pick((nouns.OBJECTS, nouns.OBJECTS, nouns.CLOTHES, nouns.FOODS, nouns.IDEAS))
    if dice.chance(0.5):
        return Subject(phrase(dice.word("the the my your his her our this that"), noun(dice, table)), "one",
                       "one animal or thing")
    if dice.chance(0.15):
        return Subject(phrase(dice.word("the my his her"), dice.word(nouns.PAIRS)), "many", "a plural subject")
    if dice.chance(0.12):
        return Subject(f"the {dice.word(table)} and the {dice.word(table)}", "many", "two things")
    return Subject(phrase(dice.word("the the my your his her our these those"), plural(noun(dice, table))), "many",
                   "a plural subject")


def state(dice: Dice) -> str:
    """What a person can be: "tired", "at home", "very tall", "a good friend" comes elsewhere."""
    start = dice.below(10)
    if start < 4:
        return phrase(dice.maybe("very so very really too", 0.3), dice.word(nouns.FEELINGS))
    if start < 6:
        return phrase(dice.maybe("very so very really", 0.3), dice.word(nouns.QUALITIES))
    return dice.word(nouns.PLACES_AT) if start < 9 else dice.word(nouns.ORIGINS)


def thing_state(dice: Dice) -> str:
    if dice.chance(0.3):
        return dice.word(nouns.PLACES_THING)
    return phrase(dice.maybe("very too so really", 0.3), dice.word(nouns.THING_QUALITIES))


def opener(dice: Dice) -> str:
    return dice.maybe("I_think maybe they_say I_know_that she_says_that but and sometimes of_course well, I_hope", 0.1)
