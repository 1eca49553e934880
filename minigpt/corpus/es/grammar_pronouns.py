"""Spanish rules about pronouns: reflexive verbs, and verbs like "gustar"."""

from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.error_example import Marked, phrase
from minigpt.corpus.es import words_nouns as nouns
from minigpt.corpus.es import words_verbs as words
from minigpt.corpus.es.conjugation import verb, verbs_of
from minigpt.corpus.es.grammar_verbs import wrong_person
from minigpt.corpus.es.phrases import Subject, article, noun, one_person, opener, people, subject, this

PRONOUNS = "me te se nos os se".split()
NEEDS_PRONOUN = "levantar acostar duchar sentar quedar divertir casar bañar llamar afeitar"


def reflexive(dice: Dice) -> Marked:
    """"Me levanta a las siete", "yo ducho", "nosotros se acostamos", "ellos se llama"."""
    each = dice.pick(verbs_of(words.REFLEXIVES))
    who = subject(dice)
    text = who.text if who.person > 1 or dice.chance(0.35) else ""
    present = each.infinitive in ("llamar", "casar") or dice.chance(0.85)
    rest, forms = dice.pick(each.complements), each.present if present else each.preterite
    if each.infinitive == "llamar":
        rest = dice.word("Ana_y_Luis Eva_y_Juan" if who.plural else "Ana Carlos Marta Luis Laura Pedro")
    pronoun, form = PRONOUNS[who.person], forms[who.person]
    front = phrase(opener(dice), text, dice.maybe("no siempre", 0.1))
    rest = phrase(rest, dice.maybe(words.HABITS, 0.1) if present and each.infinitive not in ("llamar", "casar") else "")
    kind = dice.below(10)
    if kind >= 8 and each.infinitive != "llamar":
        return _reflexive_infinitive(dice, who, each.infinitive, front, rest)
    if kind < 3 or not text:
        why = f"Con {who.kind}" if text else f'Con el pronombre "{pronoun}"'
        return Marked(phrase(front, pronoun, f"[{wrong_person(dice, forms, who.person)}|{form}]", rest), f"{why} la forma del verbo es: {{}}.")
    if kind < 6 or each.infinitive not in words_of(NEEDS_PRONOUN):
        wrong = dice.pick([other for other in ("se", "se", "me", "te", "nos") if other != pronoun])
        return Marked(phrase(front, f"[{wrong} {form}|{pronoun} {form}]", rest), f'Con {who.kind} el pronombre es "{pronoun}": {{}}.')
    return Marked(phrase(front, f"[{form}|{pronoun} {form}]", rest), f'El verbo "{each.infinitive}se" lleva pronombre: {{}}.')


def _reflexive_infinitive(dice: Dice, who: Subject, infinitive: str, front: str, rest: str) -> Marked:
    """"Quiero acostarse"."""
    pronoun, name = PRONOUNS[who.person], dice.pick(("querer", "poder", "ir"))
    head = verb(name).present[who.person] + (" a" if name == "ir" else "")
    end = "se" if pronoun != "se" else dice.pick(("me", "te", "nos"))
    return Marked(phrase(front, head, f"[{infinitive}{end}|{infinitive}{pronoun}]", rest), f'Con {who.kind} el pronombre es "{pronoun}": {{}}.')


DATIVES = "me te le nos os les".split()
LIKING = {"gustar": "gusta gustan", "encantar": "encanta encantan", "interesar": "interesa interesan", "molestar": "molesta molestan",
    "doler": "duele duelen"}
WHO_LIKES = {"gustar": "gusto gustas gusta gustamos gustáis gustan", "encantar": "encanto encantas encanta encantamos encantáis encantan"}
HURTING = ("la_cabeza la_espalda la_rodilla el_cuello la_garganta el_estómago la_mano",
    "los_pies las_piernas los_ojos los_dientes las_manos los_brazos las_rodillas")
LIKED = """el_fútbol el_café la_música el_chocolate la_playa bailar leer nadar cocinar ir_al_cine viajar el_cine el_mar la_pizza el_arte dormir
jugar_al_tenis la_paella"""


def _liked(dice: Dice, name: str, many: bool) -> str:
    """What a person likes, or what hurts."""
    if name == "doler":
        return dice.word(HURTING[many])
    if not many and dice.chance(0.35):
        return dice.word(LIKED)
    tables = (nouns.OBJECTS, nouns.FOODS, nouns.CLOTHES, nouns.IDEAS)
    word = noun(dice, nouns.ANIMALS, *tables) if many else noun(dice, *tables)
    head = dice.pick((article(word.gender, many), article(word.gender, many), this(word.gender, many), dice.pick(("mi", "tu", "su")) + ("s" if many else "")))
    return f"{head} {word.form(many)}"


def _to_whom(dice: Dice, person: int) -> str:
    """"A Ana", "a mí": often left out where the pronoun says it."""
    if person == 2 and dice.chance(0.7):
        return "a " + dice.pick((one_person(dice)[0], one_person(dice)[0], "él", "ella", "usted"))
    if person == 5 and dice.chance(0.7):
        return "a " + dice.pick((people(dice)[0], "ellos", "ustedes"))
    return {0: "a mí", 1: "a ti", 3: "a nosotros"}.get(person, "") if dice.chance(0.2) else ""


def gustar(dice: Dice) -> Marked:
    """"Me gusta los gatos", "a mi madre le gustan leer"."""
    name, person, many = dice.word("gustar gustar gustar encantar interesar molestar doler"), dice.below(6), dice.chance(0.5)
    good, bad = LIKING[name].split()[:: -1 if many else 1]
    front = phrase(opener(dice), _to_whom(dice, person).replace("a el ", "al "), dice.maybe("no", 0.12))
    return Marked(phrase(front, DATIVES[person], f"[{bad}|{good}]", dice.maybe("mucho", 0.15), _liked(dice, name, many)),
                  f'Lo que va detrás es {"plural" if many else "singular"}: {{}}.')


def gustar_pronoun(dice: Dice) -> Marked:
    """"Yo gusto el chocolate", "a Juan encanta el fútbol", "a mis padres le gusta"."""
    name, many = dice.word("gustar gustar encantar"), dice.chance(0.4)
    good, what = LIKING[name].split()[many], _liked(dice, name, many)
    if dice.chance(0.4):
        person = dice.pick((0, 1, 3))
        who = ("yo", "tú", "", "nosotros")[person]
        bad = dice.pick((f"{who} {WHO_LIKES[name].split()[person]}", f"{who} {DATIVES[person]} {good}"))
        return Marked(phrase(f"[{bad}|{DATIVES[person]} {good}]", what), "Con este verbo la persona va como pronombre: {}.")
    person = dice.pick((2, 5))
    to = ""
    while not to:
        to = _to_whom(dice, person)
    pronoun, to = DATIVES[person], to.replace("a el ", "al ")
    if dice.chance(0.5):
        return Marked(phrase(opener(dice), to, dice.maybe("no", 0.12), f"[{good}|{pronoun} {good}]", what), "Delante del verbo hace falta el pronombre: {}.")
    wrong = dice.pick(("me", "se", "les" if person == 2 else "le", "les" if person == 2 else "le"))
    return Marked(phrase(opener(dice), to, dice.maybe("no", 0.12), f"[{wrong} {good}|{pronoun} {good}]", what),
                  "Aquí el pronombre que corresponde es otro: {}.")


RULES = {reflexive: 7, gustar: 5, gustar_pronoun: 3}
