"""English rules about missing, superfluous and misplaced words."""

from minigpt.corpus import names
from minigpt.corpus.dice import Dice
from minigpt.corpus.en import words_nouns as nouns
from minigpt.corpus.en import words_verbs as words
from minigpt.corpus.en.phrases import (
    STATIVE,
    action,
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


def missing_it(dice: Dice) -> Marked:
    """"Is raining", "in my country is very cold"."""
    be = dice.word("is is is was")
    front = dice.maybe("I_think because today in_my_country in_winter yesterday" if be == "is" else "I_think yesterday because", 0.25)
    return Marked(phrase(front, f"[{be}|it {be}]", dice.word(words.IT_IS)), "An English sentence needs a subject: {}.")


MODAL_BE = "happy careful late tired here at_home angry very_angry sad ready a_teacher rich quiet famous dangerous a_problem difficult"


def missing_be(dice: Dice) -> Marked:
    """"She happy", "they very tired", "my name Tom", "she will happy"."""
    if dice.chance(0.3):
        who, modal = subject(dice), dice.word("will must can should might may")
        first, *rest = dice.word(MODAL_BE).split()
        return Marked(phrase(opener(dice), who.text, modal, f"[{first}|be {first}]", *rest), f'After "{modal}" the verb "be" is missing: {{}}.')
    if dice.chance(0.08):
        name = names.anybody(dice)
        return Marked(phrase(dice.word("my_name his_name her_name"), f"[{name}|is {name}]"), 'The verb "be" is missing: {}.')
    person = dice.chance(0.7)
    who = subject(dice) if person else thing_subject(dice)
    end = state(dice) if person else thing_state(dice)
    if person and dice.chance(0.15):
        end = dice.word("my_friends students good_friends" if who.person == "many" else "my_friend my_sister a_doctor a_good_student my_teacher")
    first, *rest = end.split()
    return Marked(phrase(who.text, f"[{first}|{who.be} {first}]", *rest), 'The verb "be" is missing: {}.')


def stative(dice: Dice) -> Marked:
    """"I am like pizza", "she is wants a dog", "he is works here"."""
    if dice.chance(0.7):
        who, each = subject(dice), verb(dice.pick(STATIVE))
        fixed = [text for text in each.complements if not text.startswith(("@", "to "))]
        rest, bad = dice.pick(fixed), each.base if dice.chance(0.6) else who.pick(each.third, each.base)
    else:
        who = subject(dice, "one")
        each, rest = action(dice)
        bad = each.third
    return Marked(phrase(opener(dice), who.text, f"[{who.be} {bad}|{who.pick(each.third, each.base)}]", rest), 'The simple present needs no "be": {}.')


def third_ending(dice: Dice) -> Marked:
    """"He watchs TV", "she studys", "it gos"."""
    while True:
        each, rest = action(dice)
        if each.third != each.base + "s":
            break
    who = subject(dice, "one")
    return Marked(phrase(opener(dice), who.text, f"[{each.base}s|{each.third}]", rest, dice.maybe(words.HABITS, 0.25)),
                  f'The -s form of "{each.base}" is spelt "{{}}".')


def possessive_s(dice: Dice) -> Marked:
    """"My brother car is new", "this is Tom house"."""
    who = phrase(dice.word("my your his her our the"), dice.word(nouns.RELATIVES)) if dice.chance(0.6) else names.anybody(dice)
    last = who.split()[-1]
    bad = last if dice.chance(0.7) or last[0].isupper() else plural(last)
    owned = phrase(who.removesuffix(last), f"[{bad}|{last}'s]", noun(dice, nouns.OBJECTS + " birthday name job house room"))
    sentence = dice.pick((phrase(owned, dice.word("is was"), thing_state(dice)),
                          phrase(dice.word("this_is that_is it_is I_like where_is I_have I_saw we_found"), owned),
                          phrase(one_person(dice), dice.word("likes wants has took broke lost"), owned)))
    return Marked(sentence, "The owner takes 's: \"{}\".")


def each_every(dice: Dice) -> Marked:
    """"Every students has a book", "one of my friend is here"."""
    word = noun(dice, dice.pick((nouns.PERSONS, nouns.OBJECTS, nouns.RELATIVES, nouns.IDEAS)))
    many = plural(word)
    if many == word or word == "person":
        word, many = "student", "students"
    end = phrase(dice.word("is was"), thing_state(dice))
    if dice.chance(0.5):
        head = dice.word("every each another")
        return Marked(phrase(head, f"[{many}|{word}]", end), f'After "{head}" the noun is singular: {{}}.')
    return Marked(phrase("one of", dice.word("my the his her our these their"), f"[{word}|{many}]", end), 'After "one of" the noun is plural: {}.')


def object_order(dice: Dice) -> Marked:
    """"I like very much pizza", "I yesterday saw him", "I want that you come", "my mother she is"."""
    start, who = dice.below(10), subject(dice)
    if start < 2:
        each, rest = action(dice)
        when = dice.word("yesterday last_night last_week last_year")
        return Marked(phrase(who.text, f"[{when} {each.past} {rest}|{each.past} {rest} {when}]"), "The time stands at the end or at the beginning: {}.")
    if start < 4:
        base, what = dice.word("like love enjoy hate miss"), dice.word(words.LIKED)
        return Marked(phrase(who.text, who.pick(verb(base).third, base), f"[very much {what}|{what} very much]"), "The object comes right after the verb: {}.")
    if start < 8:
        return _want_that(dice)
    who = dice.word("my_grandmother my_father my_brother Tom Anna my_sister my_cat the_boy my_uncle")
    she = {"my cat": "it"}.get(who) or ("she" if who in ("my grandmother", "Anna", "my sister") else "he")
    return Marked(phrase(f"{who} [{she} is|is]", state(dice)), "One subject is enough: leave out the pronoun.")


_SUBJECT_OF = {"you": "you", "me": "I", "him": "he", "her": "she", "them": "they", "us": "we"}


def _want_that(dice: Dice) -> Marked:
    person, base = dice.word("you me him her them us you"), "want" if dice.chance(0.8) else "need"
    pronoun, who = _SUBJECT_OF[person], subject(dice)
    while who.text in (pronoun, person):
        who = subject(dice)
    each, rest = action(dice)
    form = each.third if pronoun in ("he", "she") else each.base
    return Marked(phrase(who.text, who.pick(base + "s", base), f"[that {pronoun} {form}|{person} to {each.base}]", rest),
                  f'After "{base}" use a person and "to": {{}}.')


RULES = {missing_it: 3, missing_be: 3, stative: 2.5, third_ending: 2, possessive_s: 2.5, each_every: 2.5, object_order: 3.5}
