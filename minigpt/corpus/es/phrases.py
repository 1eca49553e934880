"""Parts of Spanish sentences: subjects, things, adjectives that agree, verbs with what follows them."""

from dataclasses import dataclass

from minigpt.corpus import names
from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.error_example import phrase
from minigpt.corpus.es import words_nouns as nouns
from minigpt.corpus.es.conjugation import Verb, actions

UNACCENTED = str.maketrans("áéíóú", "aeiou")
_PLURALS = {"examen": "exámenes", "imagen": "imágenes", "joven": "jóvenes", "jersey": "jerséis", "paraguas": "paraguas", "cumpleaños": "cumpleaños",
            "microondas": "microondas", "lunes": "lunes", "abrelatas": "abrelatas", "origen": "orígenes"}
POSSESSIVES = ("mi", "tu", "su")


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a sentence is about."""

    text: str
    person: int  # 0 yo, 1 tú, 2 él, 3 nosotros, 4 vosotros, 5 ellos
    gender: str  # "f" or "m" of the adjectives; "" if it is not known
    kind: str    # for explanations: `Con "nosotros" …`, `Con dos personas …`

    @property
    def plural(self) -> bool:
        return self.person > 2


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its gender."""

    one: str
    gender: str

    @property
    def many(self) -> str:
        return plural(self.one)

    def form(self, is_plural: bool) -> str:
        return self.many if is_plural else self.one


def plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word[-1] in "ns" and word[-2] in "áéíóú" and word != "país":
        return word[:-2] + word[-2].translate(UNACCENTED) + word[-1] + "es"
    return word + "es"


def inflect(adjective: str, gender: str, is_plural: bool) -> str:
    """An adjective that agrees: "rojo" becomes "rojas", "francés" becomes "francesa"."""
    if adjective.endswith("o") and gender == "f":
        adjective = adjective[:-1] + "a"
    elif gender == "f" and adjective.endswith(("dor", "és", "án", "ñol")) and adjective != "cortés":
        adjective = adjective[:-2] + adjective[-2:].translate(UNACCENTED) + "a"
    return plural(adjective) if is_plural else adjective


def article(gender: str, is_plural: bool = False) -> str:
    return {"f": ("la", "las"), "m": ("el", "los")}[gender][is_plural]


def a(gender: str, is_plural: bool = False) -> str:
    return {"f": ("una", "unas"), "m": ("un", "unos")}[gender][is_plural]


def this(gender: str, is_plural: bool, word: str = "est") -> str:
    """"este", "esta", "estos", "estas"; with "es" or "aquel" further away."""
    if word == "aquel":
        return {"f": ("aquella", "aquellas"), "m": ("aquel", "aquellos")}[gender][is_plural]
    return word + {"f": ("a", "as"), "m": ("e", "os")}[gender][is_plural]


def noun(dice: Dice, *tables: dict[str, str], invent: float = 0.03) -> Noun:
    """A noun of one of the tables; now and then an invented one."""
    gender = "f" if dice.chance(0.5) else "m"
    if dice.chance(invent):
        return Noun(names.invented(dice, "a" if gender == "f" else "o"), gender)
    while True:
        word = dice.word(dice.pick(tables)[gender])
        if word not in words_of(nouns.STRESSED_A):
            return Noun(word, gender)


THINGS = (nouns.OBJECTS, nouns.OBJECTS, nouns.CLOTHES, nouns.FOODS, nouns.IDEAS)
COUNTABLE = (*THINGS, nouns.ANIMALS, nouns.PERSONS)


def thing(dice: Dice, *tables: dict[str, str]) -> str:
    """A noun with its determiner, as an object of a verb: "una mesa", "los libros", "mi coche rojo"."""
    word, many = noun(dice, *(tables or THINGS)), dice.chance(0.35)
    start = dice.below(10)
    if start < 4:
        head = a(word.gender, many) if not many or dice.chance(0.3) else dice.word(nouns.NUMBERS)
    elif start < 7:
        head = article(word.gender, many)
    elif start < 9:
        head = dice.pick(POSSESSIVES) + ("s" if many else "")
    else:
        head = this(word.gender, many, dice.pick(("est", "es")))
    adjective = inflect(dice.word(nouns.THING_ADJECTIVES), word.gender, many) if dice.chance(0.2) else ""
    return phrase(head, word.form(many), adjective)


def complement(dice: Dice, verb: Verb) -> str:
    text = dice.pick(verb.complements)
    return _OBJECTS[text[1:]](dice) if text.startswith("@") else text


_OBJECTS = {
    "object": lambda dice: thing(dice, nouns.OBJECTS), "food": lambda dice: thing(dice, nouns.FOODS), "clothing": lambda dice: thing(dice, nouns.CLOTHES),
    "mass": lambda dice: dice.word(nouns.MASS[dice.pick("fm")]), "massdrink": lambda dice: dice.word("agua leche vino café té zumo cerveza"),
    "to": lambda dice: dice.word(nouns.PLACES_TO), "language": lambda dice: dice.word(nouns.LANGUAGES), "school": lambda dice: dice.word(nouns.SCHOOL),
    "instrument": lambda dice: dice.word(nouns.INSTRUMENTS),
}


def action(dice: Dice) -> tuple[Verb, str]:
    verb = dice.pick(actions())
    return verb, complement(dice, verb)


WHICH = "de_Ana de_mi_clase del_pueblo de_mis_amigos de_al_lado con_gafas de_mi_padre de_los_vecinos de_la_tienda de_Luis del_barrio de_Madrid"


def one_person(dice: Dice) -> tuple[str, str]:
    """A single person and the gender."""
    gender, kind = dice.pick("fm"), dice.below(100)
    if kind < 38:
        return (names.woman(dice) if gender == "f" else names.man(dice)), gender
    if kind < 66:
        return f"{dice.pick(POSSESSIVES)} {dice.word(nouns.RELATIVES[gender])}", gender
    if kind < 69:
        return f"mi {dice.word(nouns.RELATIVES[gender])} {names.woman(dice) if gender == 'f' else names.man(dice)}", gender
    if kind < 72:
        return f"cada {dice.word(nouns.PERSONS[gender])}", gender
    person = dice.word(nouns.PERSONS[gender] if dice.chance(0.8) else nouns.RELATIVES[gender])
    head = article(gender) if kind < 92 else this(gender, False, dice.pick(("est", "es")))
    return phrase(head, person, dice.maybe(WHICH, 0.12)), gender


def people(dice: Dice) -> tuple[str, str]:
    """Several persons, and m unless all are women."""
    gender, kind = dice.pick("fm"), dice.below(100)
    if kind < 42:
        return f"{dice.word('mis tus sus mis')} {plural(dice.word(nouns.RELATIVES[gender]))}", gender
    if kind < 50:
        return f"{inflect('nuestro', gender, True)} {plural(dice.word(nouns.RELATIVES[gender]))}", gender
    if kind < 56:
        return dice.word("mis_padres tus_padres sus_padres mis_abuelos"), "m"
    persons = plural(dice.word(nouns.PERSONS[gender]))
    if kind < 66:
        head = dice.pick((f"{inflect('todo', gender, True)} {article(gender, True)}", f"{inflect('todo', gender, True)} mis", inflect("mucho", gender, True),
                          inflect("alguno", gender, True), "dos", "tres"))
        return f"{head} {persons}", gender
    head = dice.pick((article(gender, True), article(gender, True), this(gender, True), this(gender, True, "es")))
    return phrase(head, persons, dice.maybe(WHICH, 0.12)), gender


def joined(dice: Dice) -> tuple[str, str]:
    """Two persons; m unless both are women."""
    (one, first), (two, second) = one_person(dice), one_person(dice)
    if dice.chance(0.35):
        one, first = (names.woman(dice), "f") if dice.chance(0.5) else (names.man(dice), "m")
        two, second = (names.woman(dice), "f") if dice.chance(0.5) else (names.man(dice), "m")
    return f"{one} {and_(one, two)} {two}", "f" if first == second == "f" else "m"


def shown(dice: Dice, who: Subject) -> str:
    """The subject, or nothing where the verb says enough: "trabajo aquí", more rarely "trabajan aquí"."""
    return who.text if dice.chance((0.35, 0.35, 0.88, 0.6, 0.6, 0.88)[who.person]) else ""


def and_(word: str, after: str) -> str:
    """"y", or "e" before the sound i."""
    low = after.lower().replace("í", "i")
    return "e" if low.startswith(("i", "hi")) and not low.startswith(("hie", "hia", "io", "ia")) else "y"


def subject(dice: Dice, only: str = "") -> Subject:
    """A person or people; `only` "one" or "many" keeps to he, she or they."""
    start = dice.below(100)
    if only == "one" or not only and start < 40:
        if dice.chance(0.25):
            who = dice.word("él ella ella él usted")
            return Subject(who, 2, {"él": "m", "ella": "f"}.get(who, ""), f'"{who}"')
        if dice.chance(0.08):
            animal = noun(dice, nouns.ANIMALS)
            return Subject(f"{dice.pick((article(animal.gender), dice.pick(POSSESSIVES)))} {animal.one}", 2, animal.gender, "una persona o cosa")
        if dice.chance(0.05):
            return Subject(dice.word("todo_el_mundo alguien la_gente mi_familia la_policía"), 2, "", "una persona o cosa")
        return Subject(*_with_gender(one_person(dice), 2), "una persona o cosa")
    if not only and start < 52:
        return Subject("yo", 0, "", '"yo"')
    if not only and start < 60:
        return Subject("tú", 1, "", '"tú"')
    if not only and start < 74:
        return _we(dice)
    if not only and start < 77:
        who = dice.word("vosotros vosotras vosotros")
        return Subject(who, 4, "f" if who.endswith("as") else "m", f'"{who}"')
    if dice.chance(0.25):
        who = dice.word("ellos ellas ustedes ellos")
        return Subject(who, 5, {"ellos": "m", "ellas": "f"}.get(who, ""), f'"{who}"')
    if dice.chance(0.45):
        return Subject(*_with_gender(joined(dice), 5), "dos personas")
    return Subject(*_with_gender(people(dice), 5), "un sujeto plural")


def _with_gender(who: tuple[str, str], person: int) -> tuple[str, int, str]:
    return who[0], person, who[1]


def _we(dice: Dice) -> Subject:
    if dice.chance(0.55):
        who = dice.word("nosotros nosotros nosotras")
        return Subject(who, 3, "f" if who.endswith("as") else "m", f'"{who}"')
    other, _ = one_person(dice)
    if dice.chance(0.1):
        other = "tú"
    return Subject(f"{other} y yo", 3, "m", '"nosotros"')


def thing_subject(dice: Dice, only: str = "") -> tuple[Subject, Noun]:
    """Something that is not a person, and its noun."""
    word = noun(dice, *THINGS)
    many = only == "many" or not only and dice.chance(0.4)
    head = dice.pick((article(word.gender, many), article(word.gender, many), dice.pick(POSSESSIVES) + ("s" if many else ""), this(word.gender, many),
                      this(word.gender, many, "es")))
    return Subject(phrase(head, word.form(many)), 5 if many else 2, word.gender, "un sujeto plural" if many else "una persona o cosa"), word


SER, ESTAR = "soy eres es somos sois son".split(), "estoy estás está estamos estáis están".split()
FUE, ERA = "fui fuiste fue fuimos fuisteis fueron".split(), "era eras era éramos erais eran".split()
ESTABA = "estaba estabas estaba estábamos estabais estaban".split()


def be_state(dice: Dice, who: Subject) -> tuple[str, str]:
    """A form of "estar" or "ser" and a fitting predicate for a person: "está", "cansada"."""
    gender = who.gender or dice.pick("fm")
    start = dice.below(10)
    forms = ESTAR if start < 7 else SER
    past = dice.chance(0.15)
    if start < 4:
        return (ESTABA if past else forms)[who.person], phrase(dice.maybe("muy tan", 0.3), inflect(_state(dice, gender), gender, who.plural))
    if start < 7:
        return (ESTABA if past else forms)[who.person], dice.word(nouns.PLACES_IN)
    if start < 9:
        return (ERA if past else forms)[who.person], phrase(dice.maybe("muy tan", 0.3), inflect(dice.word(nouns.PEOPLE_ADJECTIVES), gender, who.plural))
    return forms[who.person], dice.word(nouns.ORIGINS)


def _state(dice: Dice, gender: str) -> str:
    while True:
        word = dice.word(nouns.STATES)
        if word != "embarazada" and word != "vivo":
            return word


def thing_be(dice: Dice, who: Subject) -> tuple[str, str]:
    start = dice.below(10)
    if start < 5:
        return (SER if dice.chance(0.85) else ERA)[who.person], phrase(dice.maybe("muy demasiado", 0.25),
            inflect(dice.word(nouns.THING_ADJECTIVES), who.gender, who.plural))
    if start < 7:
        return ESTAR[who.person], phrase(dice.maybe("muy", 0.1), inflect(dice.word(nouns.THING_STATES), who.gender, who.plural))
    return ESTAR[who.person], dice.word(nouns.PLACES_THING)


def opener(dice: Dice) -> str:
    return dice.maybe("creo_que dicen_que pero y a_veces parece_que sé_que porque", 0.1)
