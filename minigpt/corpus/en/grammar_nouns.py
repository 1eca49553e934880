"""English rules about nouns, their determiners, adjectives and pronouns."""

from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.en import words_nouns as nouns
from minigpt.corpus.en import words_verbs as words
from minigpt.corpus.en.phrases import (
    Subject,
    action,
    article,
    count_table,
    noun,
    one_person,
    opener,
    plural,
    state,
    subject,
    thing_state,
    thing_subject,
    verb,
)
from minigpt.corpus.error_example import Marked, phrase


def _getting(dice: Dice) -> str:
    """A subject and a transitive verb in agreement."""
    who = subject(dice)
    if dice.chance(0.5):
        return f"{who.text} {dice.word('bought saw found lost sold broke ate took sent forgot had drew brought washed painted')}"
    base = dice.word("have want need like see buy sell use take eat carry")
    return f"{who.text} {who.pick(verb(base).third, base)}"


def _sometimes(dice: Dice) -> str:
    return dice.maybe("here at_home in_the_shop in_the_kitchen too at_work at_the_market there in_Paris for_Anna", 0.3)


def plural_after_number(dice: Dice) -> Marked:
    """"I have two dog", "these book are new"."""
    word = noun(dice, count_table(dice) if dice.chance(0.85) else nouns.TIMES + " " + nouns.RELATIVES + " " + nouns.BODY)
    many = plural(word)
    if word == many or word == "person":
        word, many = "boy", "boys"
    number = dice.word(nouns.NUMBERS + " many several a_few these those some_of_the all_the many several a_lot_of both")
    adjective = dice.maybe(nouns.ATTRIBUTES, 0.15)
    why = f'After "{number}" the noun is plural: {{}}.'
    if dice.chance(0.3):
        be = dice.word("are are were")
        if number in ("a lot of", "some of the", "all the", "both") or dice.chance(0.4):
            return Marked(phrase(number, adjective, f"[{word}|{many}]", be, thing_state(dice)), why)
        return Marked(phrase(opener(dice), "there", be, number if number not in ("these", "those", "both") else "many", adjective, f"[{word}|{many}]",
                             dice.word(nouns.PLACES_THING)), why if number not in ("these", "those", "both") else 'After "many" the noun is plural: {}.')
    return Marked(phrase(opener(dice), _getting(dice), number, adjective, f"[{word}|{many}]", _sometimes(dice)), why)


def irregular_plural(dice: Dice) -> Marked:
    """"The childs are here", "my foots hurt"."""
    one, wrong, right, kind = dice.pick(nouns.WRONG_PLURALS)
    why = f'The right plural of "{one}" is "{right}".'
    be = dice.word("are were")
    who = subject(dice)
    frames = {
        "person": [f"the [{wrong}|{right}] {be} {state(dice)}", f"there {be} {dice.word(nouns.NUMBERS)} [{wrong}|{right}] {dice.word(nouns.PLACES_AT)}",
                   f"these [{wrong}|{right}] {action(dice)[0].base} a lot",
                   f"{who.text} {who.pick('has', 'have')} {dice.word(nouns.NUMBERS)} [{wrong}|{right}]",
                   f"the [{wrong}|{right}] {be} {action(dice)[0].gerund}", f"{who.text} saw some [{wrong}|{right}] in the park"],
        "body": [f"my [{wrong}|{right}] {dice.word('hurt are_cold are_white are_clean')}", f"{who.text} washed {dice.word('his her my')} [{wrong}|{right}]",
                 f"{who.text} {who.pick('has', 'have')} big [{wrong}|{right}]"],
        "place": [f"{who.text} visited {dice.word(nouns.NUMBERS)} [{wrong}|{right}]", f"the [{wrong}|{right}] {be} {thing_state(dice)}",
        f"there {be} many [{wrong}|{right}] here"],
    }
    others = [f"{_getting(dice)} {dice.word(nouns.NUMBERS)} [{wrong}|{right}]", f"the [{wrong}|{right}] {be} {thing_state(dice)}",
              f"there {be} some [{wrong}|{right}] {dice.word(nouns.PLACES_THING)}", f"these [{wrong}|{right}] {be} {thing_state(dice)}"]
    return Marked(phrase(opener(dice), dice.pick(frames.get(kind, others))), why)


def uncountable(dice: Dice) -> Marked:
    """"Some informations", "an advice"."""
    word = dice.word(nouns.UNCOUNTABLE_S)
    why = f'"{word}" is uncountable and takes no -s: {{}}.'
    who = subject(dice)
    if word != "news" and dice.chance(0.75):
        return Marked(phrase(opener(dice), who.text, dice.word("needed wanted had found got lost asked_for bought brought"),
                             dice.word("some a_lot_of more the some"), f"[{word}s|{word}]", _sometimes(dice)), why)
    word = dice.word("advice information furniture luggage money homework news")
    return Marked(phrase(who.text, dice.word("needed wanted had got asked_for gave_me"), f"[{article(word)} {word}|some {word}]", _sometimes(dice)),
                  f'"{word}" cannot be counted, so it takes "some": {{}}.')


def much_many(dice: Dice) -> Marked:
    """"Much friends", "how many water"."""
    is_mass = dice.chance(0.5)
    word = dice.word(nouns.MASS) if is_mass else plural(noun(dice, count_table(dice)))
    right, wrong, can = ("much", "many", "cannot") if is_mass else ("many", "much", "can")
    who = subject(dice)
    not_, do = who.pick("doesn't", "don't"), who.pick("does", "do")
    be = "isn't" if is_mass else "aren't"
    sentence = dice.pick((
        f"{who.text} {not_} have [{wrong}|{right}] {word}", f"{who.text} {not_} need [{wrong}|{right}] {word} today",
        f"how [{wrong}|{right}] {word} {do} {who.text} {dice.word('need have want buy')}?",
        f"{who.text} didn't {dice.word('have buy see find')} [{wrong}|{right}] {word}",
        f"there {be} [{wrong}|{right}] {word} {dice.word(nouns.PLACES_THING)}", f"{who.text} {who.pick('has', 'have')} too [{wrong}|{right}] {word}",
        f"{who.text} {who.pick('has', 'have')} [{wrong}|{right}] {word}" if not is_mass else f"there is too [{wrong}|{right}] {word} here",
        f"how [{wrong}|{right}] {word} {'is' if is_mass else 'are'} there?"))
    return Marked(sentence, f'The noun {can} be counted, so we use "{{}}".')


def this_these(dice: Dice) -> Marked:
    """"This shoes are new", "those man"."""
    word = noun(dice, count_table(dice))
    many = plural(word)
    if word == many:
        word, many = "book", "books"
    near = dice.chance(0.6)
    one, several = ("this", "these") if near else ("that", "those")
    adjective = dice.maybe(nouns.ATTRIBUTES, 0.12)
    be = dice.chance(0.6)
    if dice.chance(0.6):
        noun_, wrong, right, number, verb = many, one, several, "plural", "are"
    else:
        noun_, wrong, right, number, verb = word, several, one, "singular", "is"
    why = f'The noun is {number}, so we use "{{}}".'
    if be:
        verb = verb if dice.chance(0.8) else {"is": "was", "are": "were"}[verb]
        return Marked(phrase(opener(dice) if right != "that" and wrong != "that" else "", f"[{wrong}|{right}]", adjective, noun_, verb,
            thing_state(dice)), why)
    if dice.chance(0.15):
        noun_ = phrase("my", noun_)
        return Marked(phrase(f"[{wrong}|{right}]", verb, noun_), why)
    return Marked(phrase(_getting(dice), f"[{wrong}|{right}]", adjective, noun_, _sometimes(dice)), why)


def article_a_an(dice: Dice) -> Marked:
    """"A apple", "an car"."""
    an = dice.chance(0.6)
    while True:
        job = dice.chance(0.3)
        word = dice.word(nouns.JOBS) if job else noun(dice, count_table(dice))
        adjective = dice.maybe(nouns.ATTRIBUTES + " old expensive ugly easy interesting honest important orange useful empty Italian English American", 0.35)
        first = adjective or word
        if (article(first) == "an") == an:
            break
    right = "an" if an else "a"
    wrong = "a" if an else "an"
    first = first.split()[0]
    rest = f"{adjective} {word}".strip().removeprefix(first)
    who = subject(dice, "one")
    start = f"{who.text} {dice.word('is is was wants_to_be works_as')}" if job else (
        _getting(dice) if dice.chance(0.7) else dice.word("it_is this_is that_was there_is it_was"))
    return Marked(phrase(opener(dice), start, f"[{wrong} {first}|{right} {first}]", rest, _sometimes(dice)),
                  f'"{first}" begins with a {"vowel" if an else "consonant"} sound: {{}}.')


def missing_article(dice: Dice) -> Marked:
    """"I am student", "a new shoes"."""
    if dice.chance(0.75):
        who = subject(dice, "one") if dice.chance(0.7) else Subject("I", "I", "I")
        job = dice.word(nouns.JOBS + " student teacher doctor nurse engineer")
        first = job.split()[0]
        rest = job.removeprefix(first)
        return Marked(phrase(opener(dice), who.text, dice.pick((who.be, who.be, who.was)), f"[{first}|{article(first)} {first}]", rest,
                             dice.maybe("in_London in_a_hospital at_my_school too now", 0.2)), 'A job in the singular takes "a" or "an": {}.')
    word = plural(dice.word(dice.pick((nouns.CLOTHES, nouns.OBJECTS, nouns.FOODS))))
    adjective = dice.maybe(nouns.ATTRIBUTES, 0.5)
    first = adjective or word
    return Marked(phrase(_getting(dice), f"[{article(first)} {first}|{first}]", word if adjective else "", _sometimes(dice)),
                  'A plural noun takes no "a" or "an": {}.')


SHORT = """tall taller, short shorter, old older, young younger, big bigger, small smaller, nice nicer, rich richer, poor poorer, fast
faster, slow slower, cheap cheaper, hot hotter, cold colder, warm warmer, happy happier, easy easier, heavy heavier, funny funnier,
pretty prettier, lazy lazier, long longer, strong stronger, thin thinner, fat fatter, clean cleaner, dirty dirtier, hard harder, high
higher, kind kinder, late later, early earlier, new newer, dark darker, quiet quieter, busy busier, noisy noisier, ugly uglier, good
better, bad worse, far farther, clever cleverer"""
LONG = """beautiful expensive difficult interesting important intelligent dangerous comfortable famous popular modern useful boring
careful patient delicious serious tired generous handsome creative talented"""
_PERSON_ONLY = words_of("tall old young nice rich poor fast slow happy funny pretty lazy strong thin fat short kind clever good bad busy early late noisy")


def comparative(dice: Dice) -> Marked:
    """"More tall", "more better", "bigger that", "difficulter"."""
    pair = dice.pick(SHORT.split(","))
    base, better = pair.split()
    person = base in _PERSON_ONLY and dice.chance(0.7)
    who = subject(dice) if person else thing_subject(dice)
    rival = dice.word("me you him her his_brother my_sister her_friend us them your_father Tom the_others before" if person else
                      "that_one the_other_one yours mine the_old_one before my_car theirs this_one yesterday the_red_one")
    be, start = dice.pick((who.be, who.be, who.was)), dice.below(10)
    front = phrase(opener(dice), who.text, be, dice.maybe("much", 0.08))
    if start < 3:
        return Marked(f"{front} [more {base}|{better}] than {rival}", f'The comparative of "{base}" is "{{}}".')
    if start < 5:
        return Marked(f"{front} [more {better}|{better}] {dice.pick(('than ' + rival, 'than ' + rival, ''))}",
                      f'"{better}" is a comparative: it takes no "more".')
    if start < 6 and base not in ("good", "bad", "far"):
        return Marked(f"{front} [{base}|{better}] than {rival}", 'Before "than" use the comparative: {}.')
    if start < 7:
        word = dice.word(LONG)
        wrong = (word[:-1] + "er") if word.endswith("e") else word + "er"
        return Marked(f"{front} [{wrong}|more {word}] than {rival}", f'The comparative of "{word}" is "{{}}".')
    if start < 9:
        good = better if dice.chance(0.7) else f"more {dice.word(LONG)}"
        bad = dice.word("that then that as")
        return Marked(f"{front} {good} [{bad}|than] {rival}", 'After a comparative we use "than", not "' + bad + '".')
    wrong = {"good": "gooder", "bad": "badder", "far": "farer"}.get(base)
    return Marked(f"{front} [{wrong or 'more ' + base}|{better}] than {rival}", f'The comparative of "{base}" is "{{}}".')


def superlative(dice: Dice) -> Marked:
    """"The most tall girl", "the baddest film"."""
    base, better = dice.pick(SHORT.split(",")).split()
    best = {"good": "best", "bad": "worst", "far": "farthest"}.get(base) or better[:-1] + "st"
    who = subject(dice, "one") if base in _PERSON_ONLY and dice.chance(0.6) else None
    word = noun(dice, nouns.PERSONS) if who else noun(dice, dice.pick((nouns.OBJECTS, nouns.IDEAS)))
    front = f"{who.text} is" if who else dice.word("this_is it_is it_was that_is he_bought we_saw I_want she_has")
    where = dice.maybe("in_the_class in_the_world in_my_family here in_Spain of_all in_the_city in_the_town in_our_school", 0.7)
    bad = dice.pick((f"most {base}", f"more {base}", better, f"most {best}"))
    if base in ("good", "bad") and dice.chance(0.4):
        bad = {"good": "goodest", "bad": "baddest"}[base]
    return Marked(phrase(opener(dice), front, "the", f"[{bad}|{best}]", word, where), f'The superlative of "{base}" is "{{}}".')


OBJECT_PRONOUNS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}


SEEING = "love know like help see call visit hate understand remember miss need believe invite watch hear"


def object_pronoun(dice: Dice) -> Marked:
    """"I love she", "can you help I?", "he lives with they"."""
    wrong = dice.word("I he she we they he she they")
    who, right = subject(dice), OBJECT_PRONOUNS[wrong]
    while who.text.lower() == wrong.lower() or {who.text, wrong} == {"I", "we"}:
        who = subject(dice)
    base, start = dice.word(SEEING), dice.below(10)
    tail = dice.maybe("too a_lot very_much every_day now well today from_school", 0.3)
    if start < 6:
        why = "After a verb the pronoun takes the object form: {}."
        if start == 5:
            return Marked(phrase(dice.word("can could do will"), who.text, base, f"[{wrong}|{right}]") + "?", why)
        head = who.pick(verb(base).third, base) if dice.chance(0.6) else phrase(who.pick("doesn't", "don't"), base)
        return Marked(phrase(opener(dice), who.text, head, f"[{wrong}|{right}]", tail), why)
    before = dice.pick((who.pick("lives with", "live with"), f"{who.be} waiting for", f"{who.was} talking to", f"{who.be} looking at",
        f"{who.was} thinking about",
                        who.pick("goes without", "go without"), f"{who.be} sitting behind", who.pick("lives near", "live near"), f"{who.be} far from"))
    return Marked(phrase(opener(dice), who.text, before, f"[{wrong}|{right}]", tail), "After a preposition the pronoun takes the object form: {}.")


def subject_pronoun(dice: Dice) -> Marked:
    """"Him is my uncle", "Peter and me are cousins"."""
    right = dice.word("I he she we they I he she")
    wrong = OBJECT_PRONOUNS[right]
    third = right in ("he", "she")
    verb, rest = action(dice)
    start = dice.below(10)
    why = f'The subject of a verb is "{right}", not "{wrong}".'
    if start < 5:
        middle = phrase(verb.third if third else verb.base, rest)
        if dice.chance(0.5):
            be = {"I": "am", "he": "is", "she": "is"}.get(right, "are")
            middle = phrase(be, state(dice))
        return Marked(phrase(f"[{wrong}|{right}]", middle, dice.maybe(words.HABITS, 0.1)), why)
    other = one_person(dice)
    if start < 8:
        return Marked(phrase(other, f"and [{wrong}|{right}]", phrase("are", state(dice)) if dice.chance(0.5) else phrase(verb.base, rest)), why)
    who = dice.word("my_friends my_brother my_sister my_wife my_family Tom my_husband Anna my_friend my_parents")
    return Marked(phrase(f"[me and {who}|{who} and I]", phrase("are", state(dice)) if dice.chance(0.4) else phrase(verb.base, rest)),
                  'As subject we use "I", and "I" comes last: {}.')


def possessive(dice: Dice) -> Marked:
    """"He name is Tom", "she loves she dog"."""
    right = dice.word("my your his her our their")
    wrong = {"my": "I", "your": "you", "his": "he", "her": "she", "our": "we", "their": "they"}[right]
    if dice.chance(0.3):
        wrong = {"my": "me", "our": "us", "their": "them", "her": "hers", "his": "him", "your": "yours"}[right]
    word = dice.word(dice.pick((nouns.RELATIVES, nouns.OBJECTS, "name job birthday country house room address")))
    start = dice.below(10)
    why = 'Before a noun use the possessive: {}.'
    if start < 6:
        return Marked(phrase(f"[{wrong} {word}|{right} {word}]", "is",
            dice.word("new old nice here Tom Anna very_big at_home beautiful in_London big happy")), why)
    pronoun = {"my": "I", "your": "you", "his": "he", "her": "she", "our": "we", "their": "they"}[right]
    verb = dice.word("loves likes lost sold visited" if pronoun in ("he", "she") else "love like lost sold visited")
    return Marked(phrase(f"{pronoun} {verb} [{wrong} {word}|{right} {word}]", _sometimes(dice)), why)


RULES = {plural_after_number: 7, irregular_plural: 5, uncountable: 3, much_many: 4, this_these: 6, article_a_an: 5, missing_article: 4,
         comparative: 7, superlative: 3, object_pronoun: 4, subject_pronoun: 4, possessive: 2}
