"""La gramática española del tutor: una función corta por regla, que da sus errores (the Spanish grammar).

Every sentence has exactly one mistake, and no sentence fits two rules: a test checks it. Forms that would be
right in another reading ("tú habla" is an order, "quiero trabajo" a wish) are left out where they arise.
"""

from collections.abc import Callable, Iterator
from itertools import chain, product

from minigpt.corpus import words_es as words
from minigpt.corpus.error_example import ErrorExample, example, phrase

OK = "bien"
NOTHING_WRONG = "No hay ningún error: la frase está bien escrita."

_ENDINGS = {("m", False): "o", ("f", False): "a", ("m", True): "os", ("f", True): "as"}
_ARTICLES = {("m", False): "el", ("f", False): "la", ("m", True): "los", ("f", True): "las"}
_GENDER_NAMES = {"m": "masculino", "f": "femenino"}
_NUMBER_NAMES = {False: "singular", True: "plural"}
_OTHER = {"m": "f", "f": "m"}
# The wrong persons for each person. Not él for tú ("tú habla" may be an order).
_WRONG_PERSONS = {0: (2, 1), 1: (0, 5), 2: (5, 0), 3: (5, 0), 4: (5, 1), 5: (2, 3)}


def _nouns(*groups: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, str, bool]]:
    """Each noun in both numbers: its group, the form, the gender, whether it is plural."""
    for group in groups:
        for row in group:
            singular, plural, gender = row.split()
            yield group, singular, gender, False
            yield group, plural, gender, True


def _adjectives(group: tuple[str, ...], gender: str, plural: bool) -> list[str]:
    stems, invariable = words.ADJECTIVES[group]
    return [stem + _ENDINGS[gender, plural] for stem in stems.split()] + [
        pair.split()[plural] for pair in invariable.split(", ")]


def _doings(*tables: tuple[words.Verb, ...]) -> Iterator[tuple[words.Verb, str]]:
    return ((verb, complement) for verb in chain(*tables) for complement in verb.complements)


def _subjects(persons: set[int]) -> list[tuple[str, int]]:
    """Subjects of these persons, also left out where Spanish usually does."""
    named = [(who, person) for who, person in words.SUBJECTS.items() if person in persons]
    return named + [(who, person) for person, who in words.DROPPED.items() if person in persons]


def article_gender() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(*words.ADJECTIVES), words.OPENERS):
        right, wrong = _ARTICLES[gender, plural], _ARTICLES[_OTHER[gender], plural]
        why = f'"{noun}" es un nombre {_GENDER_NAMES[gender]}: lleva "{right}".'
        for adjective in _adjectives(group, gender, plural):
            yield example(phrase(opener, "{}", noun, "son" if plural else "es", adjective), wrong, right, why)
        for start in () if plural or opener else _starts(group):
            one = {"m": "un", "f": "una"}
            yield example(f"{start} {{}} {noun}", one[_OTHER[gender]], one[gender],
                        f'"{noun}" es un nombre {_GENDER_NAMES[gender]}: lleva "{one[gender]}".')


def _starts(group: tuple[str, ...]) -> tuple[str, ...]:
    """What one can say before "una camisa": by the kind of thing."""
    return {
        words.CLOTHES: ("compré", "Ana tiene", "busco", "mi madre quiere", "necesitamos",
                        "mis padres venden"),
        words.OBJECTS: ("compré", "Ana tiene", "busco", "mi madre quiere", "necesitamos",
                        "mis padres venden"),
        words.PLACES: ("conozco", "vi", "aquí hay", "Luis dibuja", "hoy visitamos"),
        words.IDEAS: ("hablamos de", "Ana habla de", "pienso en"),
    }[group]


def adjective_gender() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(*words.ADJECTIVES), words.OPENERS):
        subject = f"{_ARTICLES[gender, plural]} {noun} {'son' if plural else 'es'}"
        for stem in words.ADJECTIVES[group][0].split():
            yield _gender_fault(phrase(opener, subject, "{}"), stem, noun, gender, plural)
            for start in () if plural or opener or group is words.IDEAS else _starts(group):
                yield _gender_fault(f"{start} {'un' if gender == 'm' else 'una'} {noun} {{}}", stem, noun,
                                    gender, plural)
    for (people, gender), opener in product(((words.WOMEN, "f"), (words.MEN, "m")), words.OPENERS):
        for who, stem in product(people, words.PEOPLE_ADJECTIVES.split()):
            yield _gender_fault(phrase(opener, who, "es muy {}"), stem, who, gender, False)


def _gender_fault(frame: str, stem: str, noun: str, gender: str, plural: bool) -> ErrorExample:
    right = stem + _ENDINGS[gender, plural]
    return example(frame, stem + _ENDINGS[_OTHER[gender], plural], right,
                 f'Con "{noun}" el adjetivo va en {_GENDER_NAMES[gender]}: "{right}".')


def adjective_number() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(*words.ADJECTIVES), words.OPENERS):
        subject = f"{_ARTICLES[gender, plural]} {noun} {'son' if plural else 'es'}"
        pairs = zip(_adjectives(group, gender, plural), _adjectives(group, gender, not plural), strict=True)
        for right, wrong in pairs:
            yield example(phrase(opener, subject, "{}"), wrong, right,
                        f'Con "{noun}" el adjetivo va en {_NUMBER_NAMES[plural]}: "{right}".')


def plural_after_number() -> Iterator[ErrorExample]:
    for group in (words.CLOTHES, words.OBJECTS, words.PLACES):
        for row, start, number in product(group, _starts(group), words.NUMBERS):
            singular, plural, _ = row.split()
            tails = ("", "en la tienda", "en el mercado") if start in ("compré", "busco") else ("",)
            for tail in tails:
                yield example(phrase(start, number, "{}", tail), singular, plural,
                            f'Tras "{number}" el nombre va en plural: "{plural}".')


def this_that() -> Iterator[ErrorExample]:
    forms = ({("m", False): "este", ("f", False): "esta", ("m", True): "estos", ("f", True): "estas"},
             {("m", False): "ese", ("f", False): "esa", ("m", True): "esos", ("f", True): "esas"})
    for (group, noun, gender, plural), form in product(_nouns(*words.ADJECTIVES), forms):
        right = form[gender, plural]
        why = f'"{noun}" es un nombre {_GENDER_NAMES[gender]} {_NUMBER_NAMES[plural]}: "{right}".'
        for adjective, opener in product(_adjectives(group, gender, plural), words.OPENERS[:3]):
            for wrong in (form[_OTHER[gender], plural], form[gender, not plural]):
                yield example(phrase(opener, "{}", noun, "son" if plural else "es", adjective), wrong, right,
                            why)


def possessive() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(words.CLOTHES, words.OBJECTS), words.OPENERS):
        for adjective in _adjectives(group, gender, plural):
            frame = phrase(opener, "{}", noun, "son" if plural else "es", adjective)
            for pair in ("mi mis", "tu tus", "su sus"):
                right, wrong = pair.split()[plural], pair.split()[not plural]
                yield example(frame, wrong, right,
                            f'"{noun}" es {_NUMBER_NAMES[plural]}: el posesivo es "{right}".')
            right, wrong = "nuestr" + _ENDINGS[gender, plural], "nuestr" + _ENDINGS[_OTHER[gender], plural]
            yield example(frame, wrong, right, f'"{noun}" es un nombre {_GENDER_NAMES[gender]}: "{right}".')


def stressed_a() -> Iterator[ErrorExample]:
    for (noun, rests), opener in product(words.STRESSED_A, words.OPENERS):
        for rest in rests.split(", "):
            yield example(phrase(opener, "{}", noun, rest), "la", "el",
                        f'"{noun}" empieza por a tónica: lleva "el".')
            if rest.startswith("de"):
                continue  # "esta ala del avión" is not idiomatic
            for masculine, feminine in (("este", "esta"), ("ese", "esa"), ("aquel", "aquella"),
                                        ("nuestro", "nuestra")):
                yield example(phrase(opener, "{}", noun, rest), masculine, feminine,
                            f'"{noun}" es un nombre femenino: "{feminine} {noun}".')


def verb_person() -> Iterator[ErrorExample]:
    for who, person in words.SUBJECTS.items():
        habits = product(_doings(words.REGULAR, words.IRREGULAR), words.HABIT_TAILS)
        for (verb, rest), tail in chain(habits, product(_doings(words.STATES), ("",))):
            right = verb.present[person]
            for wrong in _WRONG_PERSONS[person]:
                yield example(phrase(who, "{}", rest, tail), verb.present[wrong], right,
                            f'Con "{who}" la forma del verbo es "{right}".')


def irregular_first_person() -> Iterator[ErrorExample]:
    for infinitive, mistakes, right, complements in words.FIRST_PERSONS:
        is_state = infinitive in ("saber", "tener", "conocer", "caber")
        starts = list(product(("", "yo", "yo no", "creo que", "Elena sabe que"),
                              ("",) if is_state else words.HABIT_TAILS))
        starts += [] if is_state else [("siempre", ""), ("nunca", ""), ("hoy", ""), ("mañana", "")]
        for wrong, rest, (start, tail) in product(mistakes.split(), complements.split(", "), starts):
            yield example(phrase(start, "{}", rest, tail), wrong, right,
                        f'El verbo "{infinitive}" es irregular: se dice "{right}".')


def stem_change() -> Iterator[ErrorExample]:
    for infinitive, change, rows, complements in words.STEM_CHANGES:
        for row, rest, tail in product(rows.split(", "), complements.split(", "),
                                       ("", "hoy", "a veces", "casi siempre")):
            person, wrong, right = row.split()
            for who, _ in _subjects({int(person)}):
                yield example(phrase(who, "{}", rest, tail), wrong, right,
                            f'En "{infinitive}" {change}: se dice "{right}".')


def preterite_time() -> Iterator[ErrorExample]:
    for (who, person), when in product(_subjects({0, 1, 2, 3, 5}), words.PAST_TIMES):
        for verb, rest in _doings(words.REGULAR, words.IRREGULAR):
            present, right = verb.present[person], verb.preterite[person]
            if present == right:
                continue  # "hablamos" is both
            why = f'Con "{when}" se usa el pretérito: "{right}".'
            yield example(phrase(who, "{}", rest, when), present, right, why)
            yield example(phrase(when, who, "{}", rest), present, right, why)


def irregular_preterite() -> Iterator[ErrorExample]:
    verbs = {verb.infinitive: verb for verb in words.IRREGULAR}
    for infinitive, mistakes in words.PRETERITE_MISTAKES:
        verb = verbs[infinitive]
        for mistake, rest, when in product(mistakes.split(", "), verb.complements, ("", *words.PAST_TIMES)):
            person, wrong = mistake.split()
            right = verb.preterite[int(person)]
            for who, _ in _subjects({int(person)}):
                yield example(phrase(when, who, "{}", rest), wrong, right,
                            f'El pretérito de "{infinitive}" es irregular: "{right}".')


def irregular_participle() -> Iterator[ErrorExample]:
    for infinitive, wrong, right, complements in words.PARTICIPLES:
        for (who, person), rest, tail, ya in product(
                _subjects({0, 1, 2, 3, 5}), complements.split(", "), words.PERFECT_TAILS, ("", "ya")):
            yield example(phrase(who, ya, words.HABER[person], "{}", rest, tail), wrong, right,
                        f'El participio de "{infinitive}" es irregular: "{right}".')


def infinitive_after_verb() -> Iterator[ErrorExample]:
    verbs = [doing for doing in _doings(words.REGULAR) if doing[0].infinitive not in words.OTHER_WORDS_TOO]
    for row, (who, person), (verb, rest) in product(words.INFINITIVE_HEADS, _subjects({0, 2, 5}), verbs):
        head = row.split()[(0, 2, 5).index(person)].replace("_", " ")
        yield example(phrase(who, head, "{}", rest), verb.present[person], verb.infinitive,
                    f'Tras "{head}" va el infinitivo: "{verb.infinitive}".')


def ser_estar() -> Iterator[ErrorExample]:
    place = 'Para un lugar se usa "estar": "{}".'
    groups = [(words.WOMEN, "a", "es está"), (words.MEN, "o", "es está"),
              (words.PLURAL_PEOPLE, "os", "son están")]
    for (people, ending, forms), opener in product(groups, words.OPENERS):
        ser, estar = forms.split()
        for who in people:
            said = [(rest, ser, estar, place) for rest in words.HERE.split(", ")]
            said += [(f"{stem}{ending}", ser, estar, 'Para un estado pasajero se usa "estar": "{}".')
                     for stem in words.TEMPORARY.split()]
            said += [(f"{stem}{ending}", estar, ser, 'Para una profesión se usa "ser": "{}".')
                     for stem in words.PROFESSIONS.split()]
            said += [(rest, estar, ser, 'Para el origen se usa "ser": "{}".')
                     for rest in words.ORIGINS.split(", ")]
            for rest, wrong, right, why in said:
                yield example(phrase(opener, who, "{}", rest), wrong, right, why.format(right))
        for row in words.THINGS_HERE:
            thing, rests = row.split(":")
            for rest in rests.split(", "):
                yield example(phrase(opener, thing, "{}", rest), "es", "está", place.format("está"))


def missing_accent() -> Iterator[ErrorExample]:
    openers = ("", "creo que", "dicen que", "ya sé que", "es verdad que", "Elena dice que", "parece que", "veo que",
               "está claro que", "Luis cree que", "todos saben que", "es seguro que", "mi madre dice que")
    for (word, reason, frames), opener in product(words.ACCENTS, openers):
        for frame in frames.split("|"):
            yield example(phrase(opener, frame), word.translate(words.UNACCENTED), word,
                        f'"{word}" {reason}: lleva tilde.')


def contraction() -> Iterator[ErrorExample]:
    joined = '"{}" y "el" se unen en una palabra: "{}".'
    moves = [("a el", "al", joined.format("a", "al"), row.split()) for row in words.MOTION_TO]
    moves += [("de el", "del", joined.format("de", "del"), row.split()) for row in words.MOTION_FROM]
    for (wrong, right, why, verb), (who, person), place, tail in product(
            moves, _subjects({0, 1, 2, 3, 5}), words.MASCULINE_PLACES,
            ("", "hoy", "en autobús", "a las tres")):
        yield example(phrase(who, verb[person], "{}", place, tail), wrong, right, why)
    for row, opener in product(words.OWNED, words.OPENERS):
        frame, owners = row.split(":")
        for owner in owners.split():
            yield example(phrase(opener, frame.replace("del {}", f"{{}} {owner}")), "de el", "del",
                        joined.format("de", "del"))


def _pairs(table: tuple[tuple[str, str, str], ...]) -> Iterator[tuple[str, str]]:
    """Each sentence with two words to join, as a frame that lacks the second, and that second word."""
    for firsts, seconds, frames in table:
        for first, second, frame, opener in product(firsts.split(), seconds.split(), frames.split("|"),
                                                    words.OPENERS):
            yield phrase(opener, frame.format(f"{first} {{}}")), second


def y_to_e() -> Iterator[ErrorExample]:
    for frame, second in _pairs(words.Y_TO_E):
        yield example(frame, f"y {second}", f"e {second}", f'Ante el sonido i, la "y" pasa a "e": e {second}.')
    for frame, second in _pairs(words.STAYS_Y):
        yield example(frame, f"e {second}", f"y {second}", f'Ante "hie" no cambia la "y": y {second}.')


def o_to_u() -> Iterator[ErrorExample]:
    for frame, second in _pairs(words.O_TO_U):
        yield example(frame, f"o {second}", f"u {second}", f'Ante el sonido o, la "o" pasa a "u": u {second}.')


def muy_mucho() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(*words.ADJECTIVES), words.OPENERS[:2]):
        for adjective in _adjectives(group, gender, plural):
            if adjective.startswith("enorme"):
                continue  # "muy enorme" is not idiomatic
            frame = phrase(opener, _ARTICLES[gender, plural], noun, "son" if plural else "es", "{}",
                           adjective)
            yield example(frame, "mucho", "muy", f'Ante el adjetivo "{adjective}" se usa "muy".')
    for row, start in product(words.MUCHO_NOUNS, words.HAVING):
        noun, ending = row.split()
        for opener in words.OPENERS:
            yield example(phrase(opener, start, "{}", noun), "muy", f"much{ending}",
                        f'Ante el nombre "{noun}" se usa "much{ending}".')
    for who, opener in product(words.WOMEN + words.MEN, words.OPENERS):
        for verb in words.MUCHO_VERBS.split():
            yield example(phrase(opener, who, verb, "{}"), "muy", "mucho",
                        f'Tras el verbo "{verb}" se usa "mucho".')
        for adverb, verbs in words.WITH_ADVERB.items():
            for verb in verbs.split():
                yield example(phrase(opener, who, verb, "{}", adverb), "mucho", "muy",
                            f'Ante el adverbio "{adverb}" se usa "muy".')


def impersonal_haber() -> Iterator[ErrorExample]:
    for wrong, right, times in words.HABER_FORMS:
        table = words.HABER_EVENTS if right == "hubo" else words.HABER_THINGS
        for gender, when, opener in product("mf", ("", *times.split(", ")), words.OPENERS[:4]):
            for thing, many in product(table[gender].split(", "), words.MANY[gender]):
                yield example(phrase(opener, when, "{}", many, thing), wrong, right,
                            f'"haber" va aquí en singular: "{right}".')
    for gender, when, opener in product("mf", ("hoy", "este mes", "este año", "ya"), words.OPENERS[:4]):
        for thing, many in product(words.HABER_EVENTS[gender].split(", "), words.MANY[gender]):
            yield example(phrase(opener, when, "{}", many, thing), "han habido", "ha habido",
                        '"haber" va aquí en singular: "ha habido".')


def personal_a() -> Iterator[ErrorExample]:
    tails = ("", "hoy", "los domingos", "a menudo", "esta tarde")
    rows = [(row, whom, True) for row, whom in product(words.SEEING, words.PEOPLE_SEEN)]
    rows += [(row, what, False) for row, things in words.THINGS_SEEN for what in things.split(", ")]
    for (row, what, is_person), tail in product(rows, tails):
        for verb, subjects in zip(row.split(), words.SEERS, strict=True):
            wrong, right = (what, f"a {what}") if is_person else (f"a {what}", what)
            why = f'Con {"personas hace falta" if is_person else "cosas no se pone"} la "a": {right}.'
            for who in subjects:
                if who != what and not (tail and verb.startswith("conoc")):
                    yield example(phrase(who, verb, "{}", tail), wrong, right, why)


def verbs_like_gustar() -> Iterator[ErrorExample]:
    for (pair, ones, many), dative, opener, much in product(words.GUSTAR, words.DATIVES, words.OPENERS,
                                                            ("", "mucho")):
        singular, plural = pair.split()
        if much and singular == "encanta":
            continue  # "me encanta mucho" is not idiomatic
        for things, wrong, right, number in ((ones, plural, singular, "singular"),
                                             (many, singular, plural, "plural")):
            for thing in things.split(", "):
                yield example(phrase(opener, dative, "{}", much, thing), wrong, right,
                            f'"{thing}" es {number}: se dice "{right}".')


def double_degree() -> Iterator[ErrorExample]:
    for (group, noun, gender, plural), opener in product(_nouns(*words.ADJECTIVES), words.OPENERS[:4]):
        subject = phrase(opener, _ARTICLES[gender, plural], noun, "son" if plural else "es")
        for stem in words.SUPERLATIVES[group].split():
            right = stem + _ENDINGS[gender, plural]
            yield example(f"{subject} {{}}", f"muy {right}", right,
                        f'"{right}" ya es superlativo: sobra "muy".')
        for right, rival in product(("mejores", "peores") if plural else ("mejor", "peor"),
                                    ("antes", "ayer", "nunca")):
            yield example(f"{subject} {{}} que {rival}", f"más {right}", right,
                        f'"{right}" ya es comparativo: sobra "más".')
    for (people, ending), opener in product(((words.WOMEN, "a"), (words.MEN, "o")), words.OPENERS):
        for who, stem in product(people, words.PEOPLE_SUPERLATIVES.split()):
            yield example(phrase(opener, who, "es {}"), f"muy {stem}{ending}", stem + ending,
                        f'"{stem}{ending}" ya es superlativo: sobra "muy".')


RULES: dict[str, Callable[[], Iterator[ErrorExample]]] = {rule.__name__: rule for rule in (
    article_gender, adjective_gender, adjective_number, plural_after_number, this_that, possessive,
    stressed_a, verb_person, irregular_first_person, stem_change, preterite_time, irregular_preterite,
    irregular_participle, infinitive_after_verb, ser_estar, missing_accent, contraction, y_to_e, o_to_u,
    muy_mucho, impersonal_haber, personal_a, verbs_like_gustar, double_degree,
)}
