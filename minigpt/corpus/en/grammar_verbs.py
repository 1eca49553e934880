"""English rules about verbs: a function per rule, which draws one mistake."""

from minigpt.corpus import names
from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.en import words_nouns as nouns
from minigpt.corpus.en import words_verbs as words
from minigpt.corpus.en.phrases import (
    STATIVE,
    Subject,
    Verb,
    action,
    actions,
    article,
    complement,
    opener,
    plural,
    regular_past,
    state,
    subject,
    thing,
    thing_state,
    thing_subject,
    verb,
    verbs_of,
)
from minigpt.corpus.error_example import Marked, phrase

YOU = Subject("you", "many", '"you"')
NOBODY = Subject("nobody", "one", '"nobody"')  # only where nothing else is negative
HAVE = verbs_of("have had had: time, a_car, a_dog, any_money, brothers, children, fun, a_phone, to_go")[0]


def _clear_action(dice: Dice) -> tuple[Verb, str]:
    """A verb whose past differs from its base: "she put" may be right."""
    while True:
        each, rest = action(dice)
        if each.past != each.base:
            return each, rest


def _doing(dice: Dice) -> tuple[Subject, Verb, str]:
    """Subject, verb and complement: mostly people, now and then things."""
    if dice.chance(0.1):
        each = dice.pick(verbs_of(words.THING_VERBS))
        return thing_subject(dice), each, complement(dice, each)
    return subject(dice), *_clear_action(dice)


def agreement(dice: Dice) -> Marked:
    """"My sister live here", "they plays chess"."""
    who, each, rest = _doing(dice)
    who = NOBODY if dice.chance(0.02) else who
    tail = dice.maybe(words.HABITS, 0.3)
    often = dice.maybe(words.OFTEN, 0.1)
    bad, good = (each.base, each.third) if who.singular else (each.third, each.base)
    ending = "takes -s" if who.singular else "takes no -s"
    return Marked(phrase(opener(dice), who.text, often, f"[{bad}|{good}]", rest, tail),
                  f"With {who.kind} the present tense {ending}: {{}}.")


def be_present(dice: Dice) -> Marked:
    """"You is my friend", "are your mother at home?"."""
    person = dice.chance(0.65)
    who = subject(dice) if person else thing_subject(dice)
    wrong = dice.pick({"I": ("is", "are"), "one": ("are", "are", "am"), "many": ("is", "is", "am")}[who.person])
    end = phrase(state(dice) if person else thing_state(dice), dice.maybe("now today again", 0.1))
    if person and dice.chance(0.25):
        end = phrase(dice.maybe("always", 0.05), f"{dice.pick(actions()).gerund} {dice.maybe(words.NOW, 0.4)}".strip())
    elif person and dice.chance(0.15):
        end = "a " + dice.word("doctor good_friend nurse student teacher nice_person") if who.person != "many" else \
            dice.word("students good_friends brothers doctors teachers nice_people my_friends cousins neighbours")
    not_ = "not" if dice.chance(0.08) else ""
    if person and not not_ and dice.chance(0.015):
        who, wrong = NOBODY, "are"
    if dice.chance(0.12):
        return Marked(f"[{wrong}|{who.be}] {who.text} {end}?", f'With {who.kind} the right form of "be" is "{who.be}".')
    if dice.chance(0.08) and who is not NOBODY:
        return Marked(f"{dice.word('where where where how')} [{wrong}|{who.be}] {who.text}?", f'With {who.kind} the right form of "be" is "{who.be}".')
    return Marked(phrase(opener(dice), who.text, f"[{wrong}|{who.be}]", not_, end),
                  f'With {who.kind} the right form of "be" is "{who.be}".')


def be_past(dice: Dice) -> Marked:
    """"We was at the beach"."""
    person = dice.chance(0.7)
    who = subject(dice) if person else thing_subject(dice)
    wrong = "were" if who.was == "was" else "was"
    end, when = state(dice) if person else thing_state(dice), dice.maybe(words.PAST_TIMES, 0.7)
    if person and dice.chance(0.2):
        end = phrase(action(dice)[0].gerund, dice.maybe("home alone here", 0.3))
    why = f'With {who.kind} the past of "be" is "{who.was}".'
    if when and dice.chance(0.3):
        return Marked(phrase(when, who.text, f"[{wrong}|{who.was}]", end), why)
    if dice.chance(0.1):
        return Marked(f"[{wrong}|{who.was}] {who.text} {end} {when}?", why)
    return Marked(phrase(opener(dice), who.text, f"[{wrong}|{who.was}]", end, when), why)


OWNED = """a_lot_of_money brown_eyes long_hair no_time a_headache a_cold blue_eyes two_brothers a_good_job many_friends to_go_home
to_work_tomorrow to_study a_big_family a_problem lunch_at_one a_new_idea three_children a_meeting"""


def have_has(dice: Dice) -> Marked:
    """"Maria have a brother", "they has gone home"."""
    person, kind = dice.chance(0.85), dice.below(10)
    who = subject(dice) if person else thing_subject(dice)
    right, wrong = who.pick("has", "have"), who.pick("have", "has")
    if not person:
        what = dice.word("a_problem two_doors a_nice_colour no_windows a_name four_wheels a_hole many_parts a_new_roof three_pages")
    elif kind < 5:
        what = thing(dice)
    elif kind < 7:
        what = dice.word(OWNED)
    else:
        each, rest = action(dice)
        what = phrase(dice.maybe(words.PERFECT, 0.3), each.participle, rest)
    return Marked(phrase(opener(dice), who.text, f"[{wrong}|{right}]", what),
                  f'With {who.kind} the right form of "have" is "{right}".')


def do_does(dice: Dice) -> Marked:
    """"He don't like it", "do she sing?"."""
    who, each, rest = _doing(dice)
    tail = dice.maybe(words.HABITS, 0.15)
    if dice.chance(0.6):
        apostrophe = "’" if dice.chance(0.03) else "'"
        right, wrong = who.pick("doesn't", "don't"), who.pick("don't", "doesn't")
        if dice.chance(0.1):
            right, wrong = who.pick("does not", "do not"), who.pick("do not", "does not")
        right, wrong = right.replace("'", apostrophe), wrong.replace("'", apostrophe)
        if dice.chance(0.15):
            each, rest = HAVE, dice.pick(HAVE.complements)
        return Marked(phrase(opener(dice), who.text, f"[{wrong}|{right}] {each.base} {rest} {tail}"),
                      f'With {who.kind} the negative form is "{right}".')
    right, wrong = who.pick("does", "do"), who.pick("do", "does")
    question = dice.maybe("where when why how how_often what_time", 0.25)
    rest = "" if question and dice.chance(0.5) else rest
    return Marked(phrase(question, f"[{wrong}|{right}] {who.text} {each.base} {rest} {tail}?"),
                  f'With {who.kind} the question needs "{right}".')


def base_after_do(dice: Dice) -> Marked:
    """"I didn't went", "does he likes it?"."""
    who = subject(dice)
    each, rest = _clear_action(dice)
    past = dice.chance(0.5)
    if dice.chance(0.08):
        each, rest = HAVE, dice.pick(HAVE.complements)
    wrong = each.past if past and dice.chance(0.85) else each.third
    if dice.chance(0.4):
        word = "did" if past else who.pick("does", "do")
        sentence = f"{word} {who.text} [{wrong}|{each.base}] {rest} {dice.maybe(words.PAST_TIMES, 0.3) if past else ''}?"
    else:
        word = "didn't" if past else who.pick("doesn't", "don't")
        tail = dice.maybe(words.PAST_TIMES, 0.4) if past else dice.maybe(words.HABITS, 0.1)
        sentence = f"{opener(dice)} {who.text} {word} [{wrong}|{each.base}] {rest} {tail}"
    return Marked(sentence, f'After "{word}" use the base form of the verb: {{}}.')


def past_time(dice: Dice) -> Marked:
    """"Yesterday I go to the cinema"."""
    who = subject(dice)
    each, rest = _clear_action(dice)
    when = dice.word(words.PAST_TIMES)
    bad = who.pick(each.third, each.base) if dice.chance(0.75) else each.base
    why = f'"{when}" asks for the past tense: {{}}.'
    if dice.chance(0.5):
        comma = "," if dice.chance(0.1) else ""
        return Marked(f"{when}{comma} {who.text} [{bad}|{each.past}] {rest}", why)
    return Marked(f"{who.text} [{bad}|{each.past}] {rest} {when}", why)


def irregular_past(dice: Dice) -> Marked:
    """"He goed", "I seen him"."""
    who = subject(dice)
    while True:
        each, rest = action(dice)
        if each.irregular:
            break
    bad = regular_past(each.base)
    if each.participle not in (each.past, each.base) and dice.chance(0.15):
        bad = each.participle  # "I seen him"
    return Marked(phrase(opener(dice), who.text, f"[{bad}|{each.past}]", rest, dice.maybe(words.PAST_TIMES, 0.5)),
                  f'The past of "{each.base}" is irregular: {{}}.')


def participle_after_have(dice: Dice) -> Marked:
    """"I have saw it", "she has wrote"."""
    who = subject(dice)
    while True:
        each, rest = _clear_action(dice)
        wrongs = [form for form in (each.base, each.past, each.past) if form != each.participle]
        if each.irregular and each.participle != each.past:
            wrongs.append(regular_past(each.base))
        if wrongs:
            break
    have = who.pick("has", "have")
    not_ = "n't" if dice.chance(0.15) else ""
    word = have + not_
    tail = dice.maybe("today twice many_times before this_week for_years since_Monday", 0.2)
    if dice.chance(0.15):
        sentence = f"{have} {who.text} {dice.maybe('ever', 0.5)} [{dice.pick(wrongs)}|{each.participle}] {rest}?"
        word = have
    else:
        sentence = f"{opener(dice)} {who.text} {word} {dice.maybe(words.PERFECT, 0.3)} [{dice.pick(wrongs)}|{each.participle}] {rest} {tail}"
    return Marked(sentence, f'After "{word}" use the past participle: {{}}.')


def base_after_modal(dice: Dice) -> Marked:
    """"She can to swim", "he must goes", "I will going"."""
    who, modal = subject(dice), dice.word(words.MODALS + " can't won't shouldn't couldn't")
    each, rest = action(dice)
    tail = dice.maybe(words.FUTURE, 0.2)
    start = dice.below(10)
    if start < 4:
        bad, good, why = f"{modal} to {each.base}", f"{modal} {each.base}", f'After "{modal}" there is no "to": {{}}.'
    else:
        bad, good = each.third if start < 7 else (each.gerund if start < 9 or each.past == each.base else each.past), each.base
        why = f'After "{modal}" use the base form of the verb: {{}}.'
    if start < 4:
        return Marked(phrase(opener(dice), who.text, f"[{bad}|{good}]", rest, tail), why)
    if dice.chance(0.2) and "'" not in modal:
        return Marked(f"{modal} {who.text} [{bad}|{good}] {rest} {tail}?", why)
    return Marked(phrase(opener(dice), who.text, modal, f"[{bad}|{good}]", rest, tail), why)



def progressive(dice: Dice) -> Marked:
    """"They are play chess", "she cooking", "I am go"."""
    who = subject(dice)
    each, rest = action(dice)
    while each.base in STATIVE:
        each, rest = action(dice)
    be = who.be if dice.chance(0.75) else who.was
    tail = dice.maybe(words.NOW, 0.35) if be == who.be else ""
    start = dice.below(10)
    if start < 6:
        bad = each.base
        middle = f"{be} [{bad}|{each.gerund}]"
        if dice.chance(0.15):
            return Marked(f"{be} {who.text} [{bad}|{each.gerund}] {rest} {tail}?", f'After "{be}" use the -ing form: {{}}.')
        return Marked(phrase(opener(dice), who.text, middle, rest, tail), f'After "{be}" use the -ing form: {{}}.')
    if start < 9:
        return Marked(phrase(who.text, f"[{each.gerund}|{who.be} {each.gerund}]", rest, dice.word(words.NOW) if dice.chance(0.5) else ""),
                      'The -ing form needs "be" before it: {}.')
    return Marked(phrase(who.text, f"{who.be} going to [{each.gerund}|{each.base}]", rest, dice.maybe(words.FUTURE, 0.4)),
                  'After "going to" use the base form: {}.')


NOUNS_TOO = """help work love dance talk walk dream visit change drink fight plan paint shout rent order call smile study cook use"""  # "want work"


def infinitive(dice: Dice) -> Marked:
    """"She wants buy", "he decided going", "I need buy"."""
    who = subject(dice)
    base = dice.word(words.TO_VERBS)
    head = base
    if base != "would like":
        head = who.pick(verb(base).third, base) if dice.chance(0.7) else verb(base).past
    each, rest = action(dice)
    bad = each.base if each.base not in words_of(NOUNS_TOO) and dice.chance(0.65) else each.gerund
    return Marked(phrase(opener(dice), who.text, head, f"[{bad}|to {each.base}]", rest, dice.maybe(words.FUTURE, 0.1)),
                  f'After "{head}" the verb needs "to": {{}}.')


def gerund_after(dice: Dice) -> Marked:
    """"I enjoy to cook", "she is good at sing"."""
    who = subject(dice)
    each, rest = action(dice)
    why = "the verb takes the -ing form: {}."
    if dice.chance(0.6):
        base = dice.word(words.GERUND_VERBS)
        head = who.pick(verb(base).third, base) if dice.chance(0.75) else verb(base).past
        bad = f"to {each.base}" if dice.chance(0.7) else each.base
        return Marked(phrase(opener(dice), who.text, head, f"[{bad}|{each.gerund}]", rest, dice.maybe(words.HABITS, 0.15)), f'After "{head}" {why}')
    head = dice.word(words.GERUND_AFTER)
    bad = each.base if dice.chance(0.6) else f"to {each.base}"
    return Marked(phrase(who.text, who.be, head, f"[{bad}|{each.gerund}]", rest), f'After "{head.split()[-1]}" {why}')


MADE = "eat write take make sell give find steal break build send wash repair paint"


def passive(dice: Dice) -> Marked:
    """"The bread is make here"."""
    who, each = thing_subject(dice), verb(dice.word(MADE))
    if dice.chance(0.2):
        return _passive_person(dice)
    be = who.be if dice.chance(0.6) else who.was
    bad = each.base if dice.chance(0.5) or each.past == each.participle else each.past
    tail = dice.word("here by_my_uncle in_China by_hand by_a_famous_artist in_Italy by_Anna " + ("every_day today" if be == who.be else "yesterday last_week"))
    return Marked(f"{who.text} {be} [{bad}|{each.participle}] {tail}", "The passive needs the past participle: {}.")


def _passive_person(dice: Dice) -> Marked:
    """"He was bite by a dog"."""
    who, each = subject(dice), verb(dice.word("bite catch see find teach invite kiss call help follow"))
    be = dice.pick((who.be, who.was, who.was))
    bad = each.base if dice.chance(0.6) or each.past == each.participle else each.past
    return Marked(phrase(who.text, be, f"[{bad}|{each.participle}]",
                         dice.word("by_a_dog by_the_police by_Tom by_my_uncle by_a_woman by_everybody by_the_teacher")),
                  "The passive needs the past participle: {}.")


def missing_do(dice: Dice) -> Marked:
    """"You like coffee?", "Where you live?", "I not understand", "She no like fish"."""
    who, each, rest = _doing(dice)
    who, start = who if dice.chance(0.6) or who.kind == "one animal or thing" else YOU, dice.below(10)
    if start < 4:
        dont = who.pick("doesn't", "don't")
        bad = f"{dice.word('not no not')} {each.base if dice.chance(0.6) else who.pick(each.third, each.base)}"
        return Marked(phrase(opener(dice), who.text, f"[{bad}|{dont} {each.base}]", rest, dice.maybe(words.HABITS, 0.1)),
                      'The negative needs "do" or "does" with "not": {}.')
    if len(who.text) > 14 or start > 6 and dice.chance(0.4):
        who = YOU
    question = f"[{who.text} {who.pick(each.third, each.base)}|{who.pick('does', 'do')} {who.text} {each.base}]"
    why = 'A question needs "do" or "does": {}.'
    if start < 7:
        ask = dice.word("where when why how_often what_time how")
        return Marked(f"{ask} {question} {rest if ask == 'where' or dice.chance(0.5) else ''}?", why)
    return Marked(f"{question} {rest}??", why)  # without its question mark it would be right


def question_order(dice: Dice) -> Marked:
    """"What you are doing?", "Where he is?", "When you will come?"."""
    who = subject(dice)
    while len(who.text) > 12:
        who = subject(dice)
    start = dice.below(10)
    if start < 5:
        word, end = who.be, action(dice)[0].gerund if dice.chance(0.7) else ""
        ask = dice.word("what where why how when who") if end else dice.word("where how who")
    elif start < 7:
        word, end, ask = who.was, action(dice)[0].gerund, dice.word("what where why")
    else:
        each, rest = action(dice)
        word, end, ask = dice.word("can will should must"), phrase(each.base, rest), dice.word("when where why how")
    return Marked(phrase(ask, f"[{who.text} {word}|{word} {who.text}]", end) + "?",
                  'In a question the verb comes before the subject: {}.')


def there_is_are(dice: Dice) -> Marked:
    """"There is many people"."""
    table = dice.pick((nouns.OBJECTS, nouns.ANIMALS, nouns.FOODS, nouns.PERSONS, nouns.IDEAS))
    one = dice.chance(0.4)
    what = names.invented(dice) if dice.chance(0.03) else dice.word(table)
    adjective = dice.maybe(nouns.ATTRIBUTES, 0.15)
    if one:
        what = phrase(article(adjective or what), adjective, what) if dice.chance(0.8) else dice.word(
            "some_milk a_problem some_bread a_lot_of_water some_money no_time a_lot_of_traffic no_water")
    else:
        what = phrase(dice.word(nouns.NUMBERS + " many some a_lot_of some many no"), adjective, plural(what))
    place = dice.word(nouns.PLACES_THING + " " + nouns.PLACES_AT) if dice.chance(0.85) else ""
    past = dice.chance(0.25)
    right, wrong = (("was", "were") if past else ("is", "are"))[:: 1 if one else -1]
    if dice.chance(0.12):
        return Marked(f"[{wrong}|{right}] there {what} {place}?", f'The noun is {"singular" if one else "plural"}: use "there {right}".')
    return Marked(phrase(opener(dice), f"there [{wrong}|{right}]", what, place),
                  f'The noun is {"singular" if one else "plural"}: use "there {right}".')


def special_number(dice: Dice) -> Marked:
    """"The people is", "the news are", "the police is", "my hairs are"."""
    past = dice.chance(0.25)
    is_, are = ("was", "were") if past else ("is", "are")
    if dice.chance(0.5):
        who = dice.word("people the_people the_police these_people my_jeans her_trousers the_scissors his_glasses my_clothes those_people")
        end = dice.word("friendly here angry very_nice new in_the_street happy late expensive old blue different")
        return Marked(f"{who} [{is_}|{are}] {end}", f'"{who.split()[-1]}" is plural in English: use "{{}}".')
    who = dice.word("""the_news the_information the_furniture maths her_hair the_money my_luggage your_advice physics the_homework
    the_milk the_music the_traffic the_weather the_water""")
    end = dice.word("good bad difficult new very_old interesting terrible easy here wonderful cold")
    return Marked(f"{who} [{are}|{is_}] {end}", f'"{who.split()[-1]}" is singular in English: use "{{}}".')


RULES = {agreement: 11, be_present: 9, be_past: 5, have_has: 5, do_does: 6, base_after_do: 5, past_time: 6, irregular_past: 5,
         participle_after_have: 5, base_after_modal: 5, progressive: 6, infinitive: 4, gerund_after: 4, passive: 2.5, missing_do: 4,
         question_order: 2, there_is_are: 4, special_number: 2}
