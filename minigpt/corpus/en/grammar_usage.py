"""English rules of usage: prepositions, fixed phrases of learners, adverbs, spelling."""

from minigpt.corpus.dice import Dice
from minigpt.corpus.en import words_nouns as nouns
from minigpt.corpus.en import words_usage as usage
from minigpt.corpus.en.phrases import SHORT_FORMS, action, opener, state, subject, thing_state, verb
from minigpt.corpus.error_example import Marked, phrase
from minigpt.corpus.tables import lines, misspelt


def preposition_of_time(dice: Dice) -> Marked:
    kind, right, wrongs, times = dice.pick(usage.TIMES)
    who, time = subject(dice), dice.word(times)
    if kind in ("a day", "a clock time", "a month or year") and dice.chance(0.4):
        event = dice.word(usage.EVENTS)
    else:
        each, rest = action(dice)
        event = phrase(who.text, each.past if dice.chance(0.3) else who.pick(each.third, each.base), rest)
    return Marked(phrase(opener(dice), event, f"[{dice.word(wrongs)}|{right}]", time), f'Before {kind} we use "{right}": {{}} {time}.')


def adjective_preposition(dice: Dice) -> Marked:
    """"Good in maths", "married with a doctor"."""
    adjective, wrong, right, ends = dice.pick(usage.ADJECTIVE_PREPOSITIONS)
    who = subject(dice)
    return Marked(phrase(opener(dice), who.text, who.be, dice.maybe("very not really", 0.2), f"{adjective} [{wrong}|{right}]", dice.word(ends)),
                  f'After "{adjective}" the preposition is "{right}".')


def verb_phrase(dice: Dice) -> Marked:
    """"Listen music", "depend of", "do a mistake", "explain me"."""
    bad, good, ends = dice.pick(usage.VERB_PHRASES)
    who = subject(dice)
    (bad_verb, _, bad_rest), (good_verb, _, good_rest) = bad.partition(" "), good.partition(" ")
    if dice.chance(0.4) and bad_verb == good_verb:
        bad_verb = good_verb = who.pick(verb(bad_verb).third, bad_verb)
        front = who.text
    else:
        front = phrase(who.text, dice.word("didn't can will must should could won't"))
    bad, good = f"{bad_verb} {bad_rest}".strip(), f"{good_verb} {good_rest}".strip()
    return Marked(phrase(opener(dice), front, f"[{bad}|{good}]", dice.word(ends) if ends else "", dice.maybe("every_day today again now", 0.15)),
                  'The usual phrase in English is "{}".')


def am_agree(dice: Dice) -> Marked:
    who = subject(dice)
    be = dice.pick((who.be, who.be, who.be, who.was))
    tail = dice.maybe("with_you with_him with_me with_my_father with_that with_this_idea with_Tom with_the_teacher completely", 0.6)
    why = '"Agree" is a verb and needs no "be": {}.'
    if dice.chance(0.25):
        dont = who.pick("doesn't agree", "don't agree") if be == who.be else "didn't agree"
        return Marked(phrase(who.text, f"[{be} not agree|{dont}]", tail), why)
    good = who.pick("agrees", "agree") if be == who.be else "agreed"
    if len(who.text) > 12:
        return Marked(phrase(opener(dice), who.text, f"[{be} agree|{good}]", tail), why)
    bad = f"{who.text} {be}"
    short = SHORT_FORMS.get(bad) if dice.chance(0.3) else None
    return Marked(phrase(opener(dice), f"[{short or bad} agree|{who.text} {good}]", tail), why)


def be_not_have(dice: Dice) -> Marked:
    """"I have 20 years", "he has hungry"."""
    who = subject(dice)
    have = who.pick("has", "have")
    if dice.chance(0.5):
        age = dice.word(usage.AGES)
        if dice.chance(0.3):
            return Marked(phrase(opener(dice), who.text, f"{who.be} [{age} years|{age} years old]"), 'To say an age we use "years old": {}.')
        bad = f"{have} {age} years" + (" old" if dice.chance(0.2) else "")
        return Marked(phrase(opener(dice), who.text, f"[{bad}|{who.be} {age} years old]"), 'An age takes "be", not "have": {}.')
    feeling = dice.word("hungry thirsty afraid sleepy cold hot right wrong tired scared angry happy")
    had, was = ("had", who.was) if dice.chance(0.2) else (have, who.be)
    return Marked(phrase(opener(dice), who.text, f"[{had} {feeling}|{was} {feeling}]", dice.maybe("now today again", 0.2)),
                  f'"{feeling}" is an adjective and takes "be": {{}}.')


def double_negative(dice: Dice) -> Marked:
    who = subject(dice)
    if dice.chance(0.25):
        each, rest = action(dice)
        dont = who.pick("doesn't", "don't")
        return Marked(phrase(who.text, f"[never {dont} {each.base}|never {who.pick(each.third, each.base)}]", rest), '"Never" is negative already: {}.')
    bad, good, verbs = dice.pick(usage.NEGATIVES)
    base = dice.word(verbs)
    dont = dice.pick((who.pick("doesn't", "don't"), "didn't", "didn't" if base == "have" else "can't"))
    return Marked(phrase(opener(dice), who.text, dont, base, f"[{bad}|{good}]", dice.maybe("here today about_it now", 0.2)),
                  'Two negatives are one too many: use "{}".')


def adverb(dice: Dice) -> Marked:
    bad, good = dice.pick(usage.ADVERBS.split(", ")).split()
    who, degree = subject(dice), dice.maybe("very too so really very", 0.5)
    base, _, rest = dice.pick(usage.DONE_WELL.split(", ")).partition(" ")
    form = verb(base)
    front = dice.pick((who.pick(form.third, form.base), who.pick(form.third, form.base), f"can {base}", f"{who.be} {form.gerund}"))
    return Marked(phrase(opener(dice), who.text, front, rest, degree, f"[{bad}|{good}]", dice.maybe("today in_the_shower every_day", 0.1)),
                  'The verb needs an adverb, not an adjective: {}.')


def ing_or_ed(dice: Dice) -> Marked:
    stem = dice.word("bor excit interest surpris tir disappoint confus frighten amaz annoy shock relax")
    felt, causing = stem + "ed", stem + "ing"
    degree = dice.maybe("very so really", 0.4)
    if dice.chance(0.5):
        who = subject(dice)
        return Marked(phrase(who.text, who.be, degree, f"[{causing}|{felt}]", dice.word(usage.CAUSES)), "For a feeling use the -ed form: {}.")
    return Marked(phrase(dice.word(usage.FELT_THINGS), dice.word("is was"), degree, f"[{felt}|{causing}]"),
        "For what causes a feeling use the -ing form: {}.")


def since_for(dice: Dice) -> Marked:
    who = subject(dice)
    span = dice.chance(0.6)
    bad, good = ("since", "for") if span else ("for", "since")
    return Marked(phrase(opener(dice), who.text, who.pick("has", "have"), dice.word(usage.LASTING), f"[{bad}|{good}]",
        dice.word(usage.SPANS if span else usage.POINTS)),
                  f'With {"a length of time" if span else "a point in time"} we use "{good}".')


def confused_words(dice: Dice) -> Marked:
    """"Your very kind", "I could of won"."""
    sentence = dice.pick(lines("en/confused.txt")).replace("@state", state(dice)).replace("@thing_state", thing_state(dice))
    sentence = sentence.replace("@noun", dice.word(nouns.OBJECTS)).replace("@participle", action(dice)[0].participle)
    return Marked(sentence, 'These words sound alike; the right one is "{}".')


def spelling(dice: Dice) -> Marked:
    bad, good, sentences = dice.pick(misspelt("en/misspelt.txt"))
    sentence = dice.pick(sentences)
    if "@who" in sentence:
        who = subject(dice)
        sentence = sentence.replace("@who is", f"{who.text} {who.be}")
    return Marked(sentence.replace("@", f"[{bad}|{good}]"), 'The right spelling is "{}", letter by letter.')


def usual_phrase(dice: Dice) -> Marked:
    sentence = dice.pick(lines("en/usual.txt")).replace("@", dice.word("London Madrid Paris Spain Mexico Berlin Rome"))
    return Marked(sentence.replace("$", dice.word("music football coffee this_song dogs my_job chocolate English my_city")),
        'The usual phrase in English is "{}".')


RULES = {preposition_of_time: 5, adjective_preposition: 2.5, verb_phrase: 6.5, am_agree: 2, be_not_have: 3, double_negative: 3, adverb: 3, ing_or_ed: 1.5,
         since_for: 2, confused_words: 4, spelling: 4.5, usual_phrase: 5}
LISTED = frozenset({confused_words, spelling, usual_phrase})  # whole sentences from a list
