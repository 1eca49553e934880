"""Spanish rules about verbs: a function per rule, which draws one mistake."""

from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.error_example import Marked, phrase
from minigpt.corpus.es import words_verbs as words
from minigpt.corpus.es.conjugation import Verb, actions, verb
from minigpt.corpus.es.phrases import (
    ERA,
    ESTABA,
    ESTAR,
    SER,
    UNACCENTED,
    Subject,
    action,
    be_state,
    complement,
    inflect,
    opener,
    shown,
    subject,
    thing_be,
    thing_subject,
)

OTHERS = {0: (2, 2, 5, 3, 1), 1: (2, 2, 5, 0), 2: (5, 5, 0, 3, 1), 3: (2, 5, 2, 0), 4: (5, 2), 5: (2, 2, 3, 0)}  # the persons that get confused


def wrong_person(dice: Dice, forms, person: int) -> str:
    """A form of another person."""
    while True:
        form = forms[dice.pick(OTHERS[person])]
        if form != forms[person]:
            return form


def _tense(dice: Dice, each: Verb) -> tuple[tuple[str, ...], str]:
    """Six forms of a verb and a fitting time: mostly the present."""
    start = dice.below(20)
    if start < 14:
        return each.present, dice.maybe(words.HABITS, 0.25)
    if start < 18:
        return each.preterite, dice.maybe(words.PAST_TIMES, 0.5)
    if start < 19:
        return each.future, dice.maybe(words.FUTURE, 0.3)
    return tuple(f"{have} {each.participle}" for have in verb("haber").present), ""


NOBODY = Subject("nadie", 2, "", "una persona o cosa")  # only where nothing else is negative


def verb_person(dice: Dice) -> Marked:
    """"Nosotros va al parque", "Juan y Ana vive en Madrid"."""
    who = subject(dice) if dice.chance(0.98) else NOBODY
    each, rest = action(dice)
    forms, tail = _tense(dice, each)
    why = f"Con {who.kind} la forma del verbo es: {{}}."
    bad = wrong_person(dice, forms, who.person)
    if forms is each.preterite and bad in each.present:  # "usted dormimos": of which tense?
        return verb_person(dice)
    marked = f"[{bad}|{forms[who.person]}]"
    if dice.chance(0.07):
        return Marked(phrase(dice.maybe("dónde cuándo por_qué", 0.2), marked, who.text, rest) + "?", why)
    often = "" if who is NOBODY else dice.maybe("siempre nunca ya no no también casi_nunca no", 0.15)
    return Marked(phrase(opener(dice), who.text, often, marked, rest, tail), why)


def be_person(dice: Dice) -> Marked:
    """"Mis amigos es simpáticos", "las ventanas está abiertas"."""
    if dice.chance(0.5):
        who = subject(dice)
        be, end = be_state(dice, who)
    else:
        who, _ = thing_subject(dice)
        be, end = thing_be(dice, who)
    forms = next(table for table in (SER, ESTAR, ERA, ESTABA) if be == table[who.person])
    bad = wrong_person(dice, forms, who.person) if dice.chance(0.4) else forms[2 if who.person != 2 else 5]
    if bad == be:
        bad = wrong_person(dice, forms, who.person)
    return Marked(phrase(opener(dice), who.text, f"[{bad}|{be}]", end), f"Con {who.kind} la forma del verbo es: {{}}.")


def thing_verb(dice: Dice) -> Marked:
    """"Las clases empieza a las nueve"."""
    who, _ = thing_subject(dice)
    name, _, rest = dice.word(words.THINGS_DO).partition(" ")
    forms = verb(name).present
    return Marked(phrase(opener(dice), who.text, dice.maybe("no siempre ya", 0.1), f"[{forms[2 if who.plural else 5]}|{forms[who.person]}]", rest),
                  f"Con {who.kind} la forma del verbo es: {{}}.")


def first_person(dice: Dice) -> Marked:
    """"Yo sabo", "yo teno", "yo conduzo"."""
    infinitive, bad = dice.word(words.WRONG_FIRST_PERSONS).split(":")
    each = verb(infinitive)
    return Marked(phrase(opener(dice), dice.maybe("yo", 0.6), dice.maybe("no siempre", 0.15), f"[{bad}|{each.present[0]}]", complement(dice, each),
        dice.maybe(words.HABITS, 0.15)),
                  f'La primera persona de "{infinitive}" es irregular: {{}}.')


def stem_change(dice: Dice) -> Marked:
    """"Ella pensa mucho", "yo podo venir"."""
    changing = [each for each in actions() if each.change or each.infinitive in ("querer", "jugar", "tener", "venir")]
    if dice.chance(0.2):
        each, rest = verb("poder"), dice.word("nadar venir_hoy dormir ayudar_a_Ana ir_al_cine salir")
    else:
        each = dice.pick(changing)
        rest = complement(dice, each)
    who = subject(dice)
    while who.person in (3, 4):
        who = subject(dice)
    bad = each.regular_present[who.person]
    if bad == each.present[who.person] or each.infinitive in ("tener", "venir") and who.person == 0:
        return stem_change(dice)
    text = shown(dice, who)
    return Marked(phrase(opener(dice), text, dice.maybe("no siempre", 0.15), f"[{bad}|{each.present[who.person]}]", rest, dice.maybe(words.HABITS, 0.15)),
                  f'En "{each.infinitive}" la vocal de la raíz cambia: {{}}.')


def past_time(dice: Dice) -> Marked:
    """"Ayer voy al cine", "mañana fui al médico"."""
    who = subject(dice)
    text = shown(dice, who)
    each, rest = action(dice)
    if dice.chance(0.2):
        when = dice.word("mañana el_lunes_que_viene el_próximo_año la_semana_que_viene el_año_que_viene pasado_mañana")
        return Marked(phrase(when, text, f"[{each.preterite[who.person]}|{each.future[who.person]}]", rest), f'"{when}" pide el futuro: {{}}.')
    when = dice.word(words.PAST_TIMES)
    bad, good = each.present[who.person], each.preterite[who.person]
    if bad == good:
        return past_time(dice)
    why = f'"{when}" pide el pretérito: {{}}.'
    if dice.chance(0.65):
        return Marked(phrase(when + ("," if dice.chance(0.08) else ""), text, f"[{bad}|{good}]", rest), why)
    return Marked(phrase(text, f"[{bad}|{good}]", rest, when), why)


STRANGE = {"tener": "tuvió", "hacer": "hació", "saber": "supió", "poner": "pusió", "decir": "dijió", "traer": "trajió"}


def irregular_preterite(dice: Dice) -> Marked:
    """"Yo hací la cena", "andé", "trají", "durmió"."""
    who = subject(dice)
    each = dice.pick([each for each in actions() if each.regular_preterite[who.person] != each.preterite[who.person]])
    bad, good = each.regular_preterite[who.person], each.preterite[who.person]
    if bad.translate(UNACCENTED) == good.translate(UNACCENTED):
        return irregular_preterite(dice)  # "ví" or "leio": only the accent
    if who.person == 2 and each.infinitive in STRANGE and dice.chance(0.4):
        bad = STRANGE[each.infinitive]
    text = shown(dice, who)
    return Marked(phrase(dice.maybe(words.PAST_TIMES, 0.35), text, f"[{bad}|{good}]", complement(dice, each)),
        f'El pretérito de "{each.infinitive}" es irregular: {{}}.')


def extra_s(dice: Dice) -> Marked:
    """"Dijistes que sí"."""
    each, rest = action(dice)
    good = each.preterite[1]
    return Marked(phrase(opener(dice), dice.maybe("tú ayer no anoche", 0.4), f"[{good}s|{good}]", rest), 'El pretérito de "tú" no lleva -s final: {}.')


def participle(dice: Dice) -> Marked:
    """"He escribido", "está rompido", "he come"."""
    odd = [each for each in actions() if each.participle != each.regular_participle]
    who = subject(dice)
    have = verb("haber").present[who.person]
    text = shown(dice, who)
    often = dice.maybe("ya no nunca todavía_no", 0.25)
    if dice.chance(0.15):
        state = dice.word("roto:rompido abierto:abrido escrito:escribido hecho:hacido cubierto:cubrido muerto:morido puesto:ponido")
        good, bad = state.split(":")
        what, word = thing_subject(dice)
        good, bad = inflect(good, word.gender, what.plural), inflect(bad, word.gender, what.plural)
        return Marked(phrase(opener(dice), what.text, ESTAR[what.person], f"[{bad}|{good}]"), 'Este participio es irregular: "{}".')
    if dice.chance(0.6):
        each = dice.pick(odd)
        return Marked(phrase(opener(dice), text, often, have, f"[{each.regular_participle}|{each.participle}]", complement(dice, each)),
                      f'El participio de "{each.infinitive}" es irregular: {{}}.')
    each, rest = action(dice)
    bad = dice.pick((each.infinitive, each.present[who.person], each.gerund))
    return Marked(phrase(opener(dice), text, often, have, f"[{bad}|{each.participle}]", rest), f'Después de "{have}" va el participio: {{}}.')


def progressive(dice: Dice) -> Marked:
    """"Estoy come", "está dormiendo", "estamos trabajar", "están hablado"."""
    who = subject(dice)
    text = shown(dice, who)
    be = (ESTAR if dice.chance(0.85) else ESTABA)[who.person]
    if dice.chance(0.45):
        each = dice.pick([each for each in actions() if each.gerund != each.regular_gerund])
        bad = each.regular_gerund
        rest, why = complement(dice, each), f'El gerundio de "{each.infinitive}" es irregular: {{}}.'
    else:
        each, rest = action(dice)
        bad = dice.pick((each.infinitive, each.present[who.person], each.present[2]))
        why = f'Después de "{be}" va el gerundio: {{}}.'
    return Marked(phrase(opener(dice), text, be, f"[{bad}|{each.gerund}]", rest, dice.maybe(words.NOW, 0.25)), why)


NOUNS_TOO = """trabajo estudio ayuda limpia compra cena baile canto cocina dibujo lucha juego vende cuenta pinta busca deja limpio gana camino viaja"""
DEBER = "debo debes debe debemos debéis deben".split()


def infinitive(dice: Dice) -> Marked:
    """"Quiero compro", "puede viene", "voy comer", "tengo estudiar", "tengo que estudio"."""
    who = subject(dice)
    text = shown(dice, who)
    each, rest = action(dice)
    form = each.present[who.person if dice.chance(0.67) else 2]
    front, tail = phrase(opener(dice), text), dice.maybe(words.FUTURE, 0.25)
    kind = dice.below(10)
    if kind < 4:
        forms = dice.pick((*(verb(name).present for name in ("querer", "querer", "poder", "poder", "preferir", "necesitar", "saber")), DEBER))
        head = forms[who.person]
        form = each.gerund if form in words_of(NOUNS_TOO) else form
        return Marked(phrase(front, dice.maybe("no", 0.15), head, f"[{form}|{each.infinitive}]", rest, tail), f'Después de "{head}" va el infinitivo: {{}}.')
    head, link = (verb("ir").present[who.person], "a") if kind < 7 else (verb("tener").present[who.person], "que")
    if dice.chance(0.35):
        return Marked(phrase(front, head, link, f"[{form}|{each.infinitive}]", rest, tail), f'Después de "{head} {link}" va el infinitivo: {{}}.')
    if link == "a":
        return Marked(phrase(front, f"[{head} {each.infinitive}|{head} a {each.infinitive}]", rest, tail), 'Con "ir" y un infinitivo hace falta "a": {}.')
    wrong = dice.pick((f"{head} {each.infinitive}", f"{head} {each.infinitive}", f"{head} a {each.infinitive}", f"{head} de {each.infinitive}"))
    return Marked(phrase(front, f"[{wrong}|{head} que {each.infinitive}]", rest, tail), 'Una obligación se dice con "tener que": {}.')


def subjunctive(dice: Dice) -> Marked:
    """"Quiero que vienes", "ojalá viene", "cuando tengo dinero compraré"."""
    who = subject(dice)
    text = who.text if who.person > 1 or dice.chance(0.15) else ""
    each, rest = action(dice)
    if dice.chance(0.15):
        each, rest = (verb("ser"), "feliz") if dice.chance(0.4) and not who.plural else (verb("estar"), dice.word("bien en_casa aquí en_Madrid"))
    bad, good = each.present[who.person], each.subjunctive[who.person]
    if dice.chance(0.15):
        later, clause = dice.word(words.LATER), phrase("cuando", text, f"[{bad}|{good}]", rest)
        return Marked(phrase(later, clause) if dice.chance(0.5) else phrase(clause, later), 'Con "cuando" y futuro va el subjuntivo: {}.')
    head = dice.word(words.WISHES)
    if text and not head.startswith("ojalá") and dice.chance(0.12):
        bad = each.infinitive
    return Marked(phrase(head, text, dice.maybe("no", 0.1), f"[{bad}|{good}]", rest, dice.maybe(words.FUTURE, 0.2)),
                  f'Después de "{" ".join(head.split()[-2:])}" va el subjuntivo: {{}}.')


CONDITIONAL = (  # wrong, right, what follows
    ("tendría", "tuviera", "dinero tiempo un_coche más_suerte alas"), ("podría", "pudiera", "venir volar dormir"),
        ("sería", "fuera", "rico más_joven más_alto"),
    ("estaría", "estuviera", "en_casa aquí cerca"), ("viviría", "viviera", "en_España cerca"), ("haría", "hiciera", "sol deporte"),
    ("sabría", "supiera", "nadar la_verdad"), ("iría", "fuera", "a_París al_cine"),
)


def conditional(dice: Dice) -> Marked:
    """"Si tendría dinero, viajaría"."""
    bad, good, ends = dice.pick(CONDITIONAL)
    later = dice.word("viajaría compraría_una_casa sería_feliz te_ayudaría iría_contigo viviría_mejor lo_haría saldría_más")
    return Marked(phrase("si", dice.maybe("yo no Ana", 0.2), f"[{bad}|{good}]", dice.word(ends) + ("," if dice.chance(0.3) else ""), later),
                  'Después de "si" no va el condicional: {}.')


def after_preposition(dice: Dice) -> Marked:
    """"Para como", "sin comiendo", "antes de salgo"."""
    each, rest = action(dice)
    before = dice.word("para para sin antes_de después_de en_vez_de")
    head = dice.word({"para": "trabajo estudio voy_allí lo_hago necesito_dinero ven salgo uso_el_móvil",
        "sin": "salió entró se_fue pasó_el_día"}.get(before, "ceno trabajo llamé_a_Ana leo descansé"))
    bad = dice.pick((each.gerund, each.present[0], each.present[2]))
    return Marked(phrase(head, before, f"[{bad}|{each.infinitive}]", rest), f'Después de "{before}" va el infinitivo: {{}}.')


RULES = {verb_person: 12, be_person: 6, thing_verb: 2, first_person: 2, stem_change: 4, past_time: 6, irregular_preterite: 3, extra_s: 1,
    participle: 4, progressive: 5, infinitive: 5,
         subjunctive: 7, conditional: 1, after_preposition: 2.5}
