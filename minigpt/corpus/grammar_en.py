"""The English grammar of the tutor: one short function per rule, which yields its mistakes.

Every sentence has exactly one mistake, and no sentence fits two rules: a test checks it. What keeps rules
apart are small decisions in the tables, such as leaving out verbs whose past looks like their base.
"""

from collections.abc import Callable, Iterator
from itertools import chain, product

from minigpt.corpus import words_en as words
from minigpt.corpus.error_example import ErrorExample, example, phrase

OK = "ok"
NOTHING_WRONG = "Nothing is wrong here: the sentence is correct."

_BE = {"I": "am", **{who: "are" for who in words.PLURAL[1:]}, **{who: "is" for who in words.SINGULAR}}
_OPENERS = ("", "I think", "they say", "maybe", "we know that")


def _actions(verbs: tuple[words.Verb, ...]) -> Iterator[tuple[words.Verb, str]]:
    """Each verb with each of its complements."""
    return ((verb, complement) for verb in verbs for complement in verb.complements)


def _verbs_only() -> Iterator[tuple[words.Verb, str]]:
    return ((verb, rest) for verb, rest in _actions(words.ACTIONS) if verb.base not in words.NOUNS_TOO)


def _present() -> Iterator[tuple[words.Verb, str]]:
    """Verbs with complement and tail: only what can be a habit gets "every day"."""
    for (verb, complement), tail in product(_actions(words.ACTIONS), words.HABIT_TAILS):
        yield verb, phrase(complement, tail)
    yield from _actions(words.STATES)


def _pick(who: str, singular: str, plural: str) -> str:
    return singular if who in words.SINGULAR else plural


def third_person_s() -> Iterator[ErrorExample]:
    for who, (verb, rest) in product(words.SINGULAR, _present()):
        yield example(f"{who} {{}} {rest}", verb.base, verb.third,
                    f'With "{who}" the present tense takes -s: {verb.third}.')


def no_s_in_plural() -> Iterator[ErrorExample]:
    for who, (verb, rest) in product(words.PLURAL, _present()):
        yield example(f"{who} {{}} {rest}", verb.third, verb.base,
                    f'With "{who}" the present tense takes no -s: {verb.base}.')


def be_present() -> Iterator[ErrorExample]:
    time_keeper = product(words.FEELINGS + words.PLACES, ("", "now", "today"))
    states = [phrase(*state) for state in time_keeper]
    for opener, who, state in product(_OPENERS, words.PEOPLE, (*states, *words.ORIGINS)):
        right = _BE[who]
        for wrong in {"am": ("is", "are"), "is": ("are",), "are": ("is",)}[right]:
            yield example(phrase(opener, who, "{}", state), wrong, right,
                        f'With "{who}" the right form of "be" is "{right}".')


def be_past() -> Iterator[ErrorExample]:
    for who, state, when in product(words.PEOPLE, words.FEELINGS + words.PLACES, words.PAST_TIMES):
        right = "was" if who == "I" else _pick(who, "was", "were")
        wrong = "were" if right == "was" else "was"
        why = f'With "{who}" the past of "be" is "{right}".'
        yield example(f"{who} {{}} {state} {when}", wrong, right, why)
        yield example(f"{when} {who} {{}} {state}", wrong, right, why)


def have_has() -> Iterator[ErrorExample]:
    for opener, who, thing in product(_OPENERS, words.PEOPLE, words.POSSESSIONS):
        right, wrong = _pick(who, "has", "have"), _pick(who, "have", "has")
        yield example(phrase(opener, who, "{}", thing), wrong, right,
                    f'With "{who}" the right form of "have" is "{right}".')


def do_does() -> Iterator[ErrorExample]:
    for who, (verb, rest) in product(words.PEOPLE, _present()):
        right, wrong = _pick(who, "doesn't", "don't"), _pick(who, "don't", "doesn't")
        yield example(f"{who} {{}} {verb.base} {rest}", wrong, right,
                    f'With "{who}" the negative form is "{right}".')
        right, wrong = _pick(who, "does", "do"), _pick(who, "do", "does")
        yield example(f"{{}} {who} {verb.base} {rest}", wrong, right,
                    f'With "{who}" the question begins with "{right}".')


def base_after_do() -> Iterator[ErrorExample]:
    for who, (verb, rest) in product(words.PEOPLE, _present()):
        auxiliary = _pick(who, "doesn't", "don't")
        for word, wrong in ((auxiliary, verb.third), ("didn't", verb.past)):
            yield example(f"{who} {word} {{}} {rest}", wrong, verb.base,
                        f'After "{word}" use the base form of the verb: {verb.base}.')


def past_time() -> Iterator[ErrorExample]:
    doings = list(_actions(words.ACTIONS + words.ACCIDENTS))
    for who, (verb, rest), when in product(words.PEOPLE, doings, words.PAST_TIMES):
        present = _pick(who, verb.third, verb.base)
        why = f'"{when}" asks for the past tense: {verb.past}.'
        yield example(f"{who} {{}} {rest} {when}", present, verb.past, why)
        yield example(f"{when} {who} {{}} {rest}", present, verb.past, why)


def irregular_past() -> Iterator[ErrorExample]:
    doings = list(_actions(words.ACTIONS + words.ACCIDENTS))
    for who, (verb, rest), when in product(words.PEOPLE, doings, ("", *words.PAST_TIMES)):
        regular = words.DOUBLED.get(verb.base) or verb.base + ("d" if verb.base.endswith("e") else "ed")
        if verb.past.endswith("ed") and verb.base != "feed":
            continue
        yield example(phrase(who, "{}", rest, when), regular, verb.past,
                    f'The past of "{verb.base}" is irregular: {verb.past}.')


def participle_after_have() -> Iterator[ErrorExample]:
    doings = list(_actions(words.ACTIONS + words.ACCIDENTS))
    for who, (verb, rest), tail in product(words.PEOPLE, doings, words.PERFECT_TAILS):
        have = _pick(who, "has", "have")
        for wrong in {verb.base, verb.past} - {verb.participle} - words.NOUNS_TOO:
            yield example(phrase(who, have, "{}", rest, tail), wrong, verb.participle,
                        f'After "{have}" use the past participle: {verb.participle}.')


def base_after_modal() -> Iterator[ErrorExample]:
    for who, modal, (verb, rest), tail in product(
            words.SINGULAR, words.MODALS, _actions(words.ACTIONS), words.FUTURE_TAILS):
        yield example(phrase(who, modal, "{}", rest, tail), verb.third, verb.base,
                    f'After "{modal}" use the base form of the verb: {verb.base}.')


def no_to_after_modal() -> Iterator[ErrorExample]:
    for who, modal, (verb, rest), tail in product(
            words.PEOPLE, words.MODALS, _actions(words.ACTIONS), words.FUTURE_TAILS):
        right = f"{modal} {verb.base}"
        yield example(phrase(who, "{}", rest, tail), f"{modal} to {verb.base}", right,
                    f'After "{modal}" there is no "to": {right}.')


def to_after_verb() -> Iterator[ErrorExample]:
    for who, (third, plain), (verb, rest) in product(
            words.PEOPLE, words.TO_VERBS.items(), _verbs_only()):
        head = _pick(who, third, plain)
        yield example(f"{who} {head} {{}} {rest}", verb.base, f"to {verb.base}",
                    f'After "{head}" the verb needs "to": to {verb.base}.')


def gerund() -> Iterator[ErrorExample]:
    for who, (verb, rest) in product(words.PEOPLE, _verbs_only()):
        why = f"the verb takes the -ing form: {verb.gerund}."
        for third, plain in words.GERUND_VERBS.items():
            head = _pick(who, third, plain)
            yield example(f"{who} {head} {{}} {rest}", f"to {verb.base}", verb.gerund, f'After "{head}" {why}')
            yield example(f"{who} {head} {{}} {rest}", verb.base, verb.gerund, f'After "{head}" {why}')
        for third, (plain, preposition) in words.GERUND_PREPOSITIONS.items():
            if preposition == "at" and verb.base not in words.SKILLS:
                continue
            head = _pick(who, third, plain.replace("are ", "am ") if who == "I" else plain)
            yield example(f"{who} {head} {{}} {rest}", verb.base, verb.gerund, f'After "{preposition}" {why}')


def article_a_an() -> Iterator[ErrorExample]:
    buys = ("bought", "found", "wanted", "lost", "saw", "asked for")
    things = [(f"{who} {verb}", noun) for who, verb in product(words.PEOPLE, buys)
              for noun in words.AN_OBJECTS + words.A_OBJECTS]
    jobs = [(f"{who} is", job) for who in words.SINGULAR for job in words.AN_JOBS + words.A_JOBS]
    for (start, noun), tail in chain(product(things, ("", "yesterday", "in the shop")),
                                     product(jobs, ("", "in London"))):
        vowel = noun in words.AN_OBJECTS + words.AN_JOBS
        wrong, right, sound = ("a", "an", "vowel") if vowel else ("an", "a", "consonant")
        first = noun.split()[0]
        rest = noun.removeprefix(first).strip()
        yield example(phrase(start, "{}", rest, tail), f"{wrong} {first}", f"{right} {first}",
                    f'"{first}" starts with a {sound} sound: {right} {first}.')


def plural_after_number() -> Iterator[ErrorExample]:
    frames = {
        words.OBJECTS: ("{who} bought {n} {{}}", "{who} found {n} {{}} at home",
                        "there are {n} {{}} in the room"),
        words.FOODS: ("{who} ate {n} {{}}", "{who} bought {n} {{}} at the market",
                      "there are {n} {{}} on the plate"),
        words.ANIMALS: ("{who} saw {n} {{}}", "there are {n} {{}} near the river",
                        "{who} drew {n} {{}} and a tree"),
    }
    for nouns, patterns in frames.items():
        for noun, pattern, who, number in product(nouns, patterns, words.PEOPLE, words.NUMBERS):
            singular, plural = noun.split()
            yield example(pattern.format(who=who, n=number), singular, plural,
                        f'After "{number}" the noun is plural: {plural}.')


def irregular_plural() -> Iterator[ErrorExample]:
    for (singular, wrong, right, group), who in product(words.IRREGULAR_PLURALS, words.PEOPLE):
        for frame, opener in product(words.PLURAL_FRAMES[group], ("", "maybe")):
            frame = phrase(opener, frame).replace("{who}", who)
            yield example(frame, wrong, right, f'The right plural of "{singular}" is "{right}".')


def uncountable() -> Iterator[ErrorExample]:
    for (noun, wrong, starts), who, tail in product(
            words.UNCOUNTABLES, words.PEOPLE, ("", "yesterday", "this morning", "last week")):
        for start in starts.split(", "):
            yield example(phrase(who, start, "{}", tail), wrong, noun,
                        f'"{noun}" is uncountable and takes no -s: {noun}.')


def much_many() -> Iterator[ErrorExample]:
    for noun, who in product(words.MUCH + words.MANY, words.PEOPLE):
        right, wrong, why = ("much", "many", "cannot") if noun in words.MUCH else ("many", "much", "can")
        not_, do = _pick(who, "doesn't", "don't"), _pick(who, "does", "do")
        be = "isn't" if noun in words.MUCH else "aren't"
        for frame in (f"{who} {not_} have {{}} {noun}", f"{who} {not_} need {{}} {noun} today",
                      f"how {{}} {noun} {do} {who} need", f"{who} didn't have {{}} {noun} yesterday",
                      f"{who} said there {be} {{}} {noun} left"):
            yield example(frame, wrong, right, f'"{noun}" {why} be counted, so we use "{right}".')


def this_these() -> Iterator[ErrorExample]:
    pairs = (("this", "these"), ("that", "those"))
    nouns = [noun.split() for noun in words.OBJECTS + words.FOODS]
    # No "I think" here: "I think that books are new" has no mistake.
    for (one, many), (singular, plural), opener in product(pairs, nouns, ("", "maybe")):
        for state in words.THING_ADJECTIVES:
            yield example(phrase(opener, "{}", plural, "are", state), one, many,
                        f'The noun "{plural}" is plural: use "{many}".')
            yield example(phrase(opener, "{}", singular, "is", state), many, one,
                        f'The noun "{singular}" is singular: use "{one}".')


def there_is_are() -> Iterator[ErrorExample]:
    groups = ((words.OBJECTS, ("in the room", "in the shop", "at home", "in the office")),
              (words.FOODS, ("on the plate", "in the kitchen", "in the basket")),
              (words.ANIMALS, ("in the field", "near the river", "on the farm", "behind the house")))
    for nouns, places in groups:
        for noun, place, number, opener in product(nouns, places, words.NUMBERS, _OPENERS):
            singular, plural = noun.split()
            one = f"{'an' if singular[0] in 'aeiou' else 'a'} {singular}"
            yield example(phrase(opener, "there {}", number, plural, place), "is", "are",
                        f'"{plural}" is plural, so we say "there are".')
            yield example(phrase(opener, "there {}", one, place), "are", "is",
                        f'"{singular}" is singular, so we say "there is".')


def comparative() -> Iterator[ErrorExample]:
    people = [(f"{who} {_BE[who]}", rival) for who, rival in product(words.PEOPLE, words.RIVALS)
              if (who, rival) != ("I", "than me")]
    things = [(f"{start} {noun.split()[0]} is", rival) for start, noun, rival in product(
        ("this", "my", "her"), words.OBJECTS, ("than that one", "than the old one", "than yours"))]
    for pairs, table in ((people, words.SHORT_COMPARATIVES), (things, words.THING_COMPARATIVES)):
        for (start, rival), (short, right) in product(pairs, table.items()):
            frame = f"{start} {{}} {rival}"
            yield example(frame, f"more {right}", right, f'"{right}" is a comparative: it takes no "more".')
            yield example(frame, f"more {short}", right, f'The comparative of "{short}" is "{right}".')
    for (start, rival), (adjective, wrong) in product(people, words.LONG_COMPARATIVES.items()):
        yield example(f"{start} {{}} {rival}", wrong, f"more {adjective}",
                    f'The comparative of "{adjective}" is "more {adjective}".')


def object_pronoun() -> Iterator[ErrorExample]:
    verbs = [(*row.split(), "a verb") for row in words.OBJECT_VERBS]
    after = [(f"{start} {word}", f"{start} {word}", f'"{word}"')
             for word, starts in words.OBJECT_PREPOSITIONS for start in starts.split(", ")]
    pronouns = {**words.PRONOUNS, "I": "me"}
    for who, (wrong, right), tail in product(words.PEOPLE, pronouns.items(), ("", "too", "as well")):
        if who == wrong or {who, wrong} == {"I", "we"}:
            continue  # that would need "myself"
        for third, plain, what in verbs + after:
            yield example(phrase(who, _pick(who, third, plain), "{}", tail), wrong, right,
                        f'After {what} the pronoun takes the object form: {right}.')


def subject_pronoun() -> Iterator[ErrorExample]:
    for (right, wrong), (verb, rest) in product(words.PRONOUNS.items(), _present()):
        yield example(f"{{}} {_pick(right, verb.third, verb.base)} {rest}", wrong, right,
                    f'The subject of a verb is "{right}", not "{wrong}".')


def preposition_of_time() -> Iterator[ErrorExample]:
    for kind, right, times, wrongs in words.TIMES:
        events = words.SMALL_EVENTS if kind in ("a day", "a clock time") else words.LARGE_EVENTS
        for event, time, wrong, opener in product(events, times.split(", "), wrongs.split(), _OPENERS):
            yield example(phrase(opener, event, "{}", time), wrong, right,
                        f'Before {kind} we use "{right}": {right} {time}.')


RULES: dict[str, Callable[[], Iterator[ErrorExample]]] = {rule.__name__: rule for rule in (
    third_person_s, no_s_in_plural, be_present, be_past, have_has, do_does, base_after_do, past_time,
    irregular_past, participle_after_have, base_after_modal, no_to_after_modal, to_after_verb, gerund,
    article_a_an, plural_after_number, irregular_plural, uncountable, much_many, this_these, there_is_are,
    comparative, object_pronoun, subject_pronoun, preposition_of_time,
)}
