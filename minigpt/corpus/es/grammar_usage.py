"""Spanish rules of usage: ser and estar, por and para, prepositions, accents, fixed phrases, spelling."""

from minigpt.corpus import names
from minigpt.corpus.dice import Dice
from minigpt.corpus.error_example import Marked, phrase
from minigpt.corpus.es import words_nouns as nouns
from minigpt.corpus.es import words_verbs as words
from minigpt.corpus.es.conjugation import verb
from minigpt.corpus.es.phrases import (
    ESTAR,
    SER,
    a,
    action,
    inflect,
    noun,
    one_person,
    opener,
    people,
    plural,
    shown,
    subject,
    thing_subject,
)
from minigpt.corpus.tables import lines

CITIES = "Madrid París Lima Barcelona Roma Bogotá Sevilla Londres Buenos_Aires Valencia Toledo Berlín"
CITY_PLACES = "lejos_de_aquí muy_lejos cerca_de_aquí en_otro_país en_el_mapa en_el_norte en_el_sur en_la_costa en_este_país bastante_cerca"
WITH_ESTAR = "de_acuerdo de_acuerdo_contigo de_vacaciones de_pie de_viaje listo_para_salir harto_de_todo bien muy_bien mal de_buen_humor"
PASSING = "cansado enfermo contento enfadado preocupado ocupado dormido sentado resfriado enamorado sorprendido asustado confundido"
LASTING = "inteligente simpático español mexicano trabajador honesto puntual argentino amable colombiano francés generoso"


def estar(dice: Dice) -> Marked:
    """"Soy cansado", "Madrid es en España", "soy de acuerdo"."""
    kind = dice.below(10)
    where = 'Para decir dónde se usa "estar": {}.'
    if kind < 2:
        return Marked(phrase(opener(dice), dice.word(CITIES), "[es|está]", dice.word(CITY_PLACES)), where)
    if kind < 4:
        who, _ = thing_subject(dice)
        return Marked(phrase(opener(dice), who.text, f"[{SER[who.person]}|{ESTAR[who.person]}]", dice.word(nouns.PLACES_THING)), where)
    who = subject(dice)
    text = shown(dice, who)
    marked = phrase(opener(dice), text, f"[{SER[who.person]}|{ESTAR[who.person]}]")
    if kind < 6:
        return Marked(phrase(marked, dice.word(nouns.PLACES_IN)), where)
    gender = who.gender or "m"
    if kind < 7:
        first, *rest = dice.word(WITH_ESTAR).split()
        first = inflect(first, gender, who.plural) if first in ("listo", "harto") else first
        return Marked(phrase(marked, first, *rest), 'Esta expresión se usa con "estar": {}.')
    return Marked(phrase(marked, dice.maybe("muy", 0.3), inflect(dice.word(PASSING), gender, who.plural), dice.maybe("hoy ahora", 0.1)),
        'Un estado que pasa se dice con "estar": {}.')


def ser(dice: Dice) -> Marked:
    """"Mi padre está médico", "estoy de Colombia"."""
    who, kind = subject(dice), dice.below(10)
    text = shown(dice, who)
    marked, gender = phrase(opener(dice), text, f"[{ESTAR[who.person]}|{SER[who.person]}]"), who.gender or "m"
    if kind < 4:
        return Marked(phrase(marked, dice.word(nouns.ORIGINS)), 'El origen se dice con "ser": {}.')
    if kind < 8:
        job = dice.word(nouns.JOBS[gender])
        return Marked(phrase(marked, plural(job) if who.plural else job), 'La profesión se dice con "ser": {}.')
    return Marked(phrase(marked, dice.maybe("muy", 0.2), inflect(dice.word(LASTING), gender, who.plural)), 'Cómo es alguien se dice con "ser": {}.')


def tener_hacer(dice: Dice) -> Marked:
    """"Soy 25 años", "estoy hambre", "es frío hoy"."""
    if dice.chance(0.25):
        weather = dice.word("frío calor sol viento buen_tiempo mal_tiempo mucho_frío mucho_calor")
        front, back = dice.pick((("hoy", ""), ("", "hoy"), ("en invierno", ""), ("aquí", ""), ("", "en verano"), ("hoy no", ""), ("en mi país", "")))
        return Marked(phrase(front, f"[{dice.word('es está es')}|hace]", weather, back), 'El tiempo que hace se dice con "hacer": {}.')
    who = subject(dice)
    text = shown(dice, who)
    have = verb("tener").present[who.person]
    if dice.chance(0.55):
        age = dice.word("20 25 18 30 12 40 7 diez veinte quince ocho treinta 16 65 doce cincuenta 33 dos")
        return Marked(phrase(opener(dice), text, f"[{dice.pick((SER, ESTAR))[who.person]}|{have}]", age, "años"), 'La edad se dice con "tener": {}.')
    what = dice.word("hambre sed sueño frío calor miedo prisa razón suerte mucha_hambre mucho_sueño mucho_miedo ganas_de_dormir")
    return Marked(phrase(opener(dice), text, f"[{dice.pick((ESTAR, ESTAR, SER))[who.person]}|{have}]", what),
        f'Con "{what.split()[-1]}" se usa el verbo "tener": {{}}.')


def por_para(dice: Dice) -> Marked:
    """"Gracias para todo", "este regalo es por ti"."""
    sentence = dice.pick(lines("es/por_para.txt")).replace("@", dice.pick((names.anybody(dice), names.anybody(dice), "mi hermana", "mi padre")))
    front = opener(dice) if dice.chance(0.5) else ""
    why = 'Una causa, un cambio o un lugar se dicen con "{}".' if "|por]" in sentence else 'Un fin o un destinatario se dicen con "{}".'
    return Marked(phrase(front, sentence), why)


PLACES = """parque cine mercado trabajo médico banco hospital supermercado colegio teatro gimnasio museo pueblo hotel aeropuerto centro
restaurante bar zoo dentista río campo"""


def contraction(dice: Dice) -> Marked:
    """"Voy a el cine", "vengo de el trabajo"."""
    who, to = subject(dice), dice.chance(0.5)
    text = shown(dice, who)
    bad, good = ("a el", "al") if to else ("de el", "del")
    each = verb(dice.word("ir ir volver llegar venir" if to else "venir salir volver"))
    why = f'"{bad.split()[0]}" y "el" se juntan en una palabra: {{}}.'
    if not to and dice.chance(0.5):
        word = noun(dice, nouns.PERSONS, nouns.ANIMALS, nouns.OBJECTS)
        if word.gender == "m":
            front = dice.word("la_casa la_puerta el_color el_nombre la_madre el_precio la_foto el_amigo")
            return Marked(phrase(opener(dice), front, "[de el|del]", word.one, dice.word("está_aquí me_gusta está_cerca")), why)
    form = (each.present if dice.chance(0.8) else each.preterite)[who.person]
    return Marked(phrase(opener(dice), text, form, f"[{bad}|{good}]", dice.word(PLACES), dice.maybe(words.HABITS, 0.2)), why)


SEEING = "ver buscar conocer esperar visitar ayudar invitar llamar escuchar cuidar"


def personal_a(dice: Dice) -> Marked:
    """"Veo María todos los días"."""
    who, other = subject(dice), people(dice)[0] if dice.chance(0.3) else one_person(dice)[0]
    text = shown(dice, who)
    each = verb(dice.word(SEEING))
    form = (each.present if dice.chance(0.75) else each.preterite)[who.person]
    if other.startswith("el ") or other == who.text:  # "al": another rule
        other = dice.pick(("mi", "tu", "su")) + " " + dice.word(nouns.RELATIVES["m"])
    first, *rest = other.split()
    return Marked(phrase(opener(dice), text, form, f"[{first}|a {first}]", *rest, dice.maybe("todos_los_días en_el_parque hoy mucho", 0.3)),
                  'Ante una persona hace falta la preposición "a": {}.')


def preposition(dice: Dice) -> Marked:
    sentence = dice.pick(lines("es/prepositions.txt")).replace("@day",
        dice.word("lunes martes miércoles jueves viernes sábado domingo")).replace("@name", names.anybody(dice))
    return Marked(phrase(opener(dice) if sentence[0] != "[" and dice.chance(0.5) else "", sentence), 'Lo que se usa en esta expresión es "{}".')


COMPARATIVES = (("más mejor", "mejor"), ("más bueno", "mejor"), ("más peor", "peor"), ("más malo", "peor"), ("más mayor", "mayor"), ("más menor", "menor"))


def comparative(dice: Dice) -> Marked:
    """"Más mejor", "más bueno que"."""
    who = subject(dice) if dice.chance(0.6) else thing_subject(dice)[0]
    bad, good = dice.pick(COMPARATIVES)
    bad = "más " + inflect(bad.split()[1], who.gender or "m", who.plural)
    good = plural(good) if who.plural else good
    rival = dice.pick((names.anybody(dice), "yo", "tú", "el otro", "antes", "la otra", "su hermano"))
    return Marked(phrase(opener(dice), who.text, SER[who.person], f"[{bad}|{good}]", f"que {rival}"), f'"{good}" ya es un comparativo: no lleva "más".')


HABER = (("habían", "había", ""), ("habían", "había", "antes"), ("hubieron", "hubo", "ayer"), ("hubieron", "hubo", ""), ("habrán", "habrá", "mañana"),
    ("habrán", "habrá", ""))
WHERE = "en_la_calle en_el_parque en_la_plaza aquí en_casa en_la_fiesta allí en_el_pueblo en_la_tienda en_la_escuela"


def haber(dice: Dice) -> Marked:
    """"Habían muchas personas", "hubieron problemas", "está un libro en la mesa"."""
    word = noun(dice, nouns.PERSONS, nouns.ANIMALS, nouns.OBJECTS, nouns.IDEAS)
    where = dice.word(WHERE)
    if dice.chance(0.25):
        many = dice.chance(0.4)
        head = dice.pick(("dos", "tres", inflect("mucho", word.gender, True))) if many else a(word.gender)
        bad = dice.word("están son" if many else "está es")
        return Marked(f"[{bad}|hay] {head} {word.form(many)} {where}", 'Para decir que algo existe se usa "{}".')
    many = dice.pick((inflect("mucho", word.gender, True), inflect("poco", word.gender, True), dice.word("dos tres cinco veinte"), a(word.gender, True)))
    bad, good, when = dice.pick(HABER)
    return Marked(phrase(when, dice.maybe("no", 0.08), f"[{bad}|{good}]", many, word.many, where), '"Haber" es impersonal y va en singular: {}.')


def fixed_phrase(dice: Dice) -> Marked:
    who = subject(dice)
    each, rest = action(dice)
    clause = phrase(who.text if who.person > 1 else "", each.present[who.person], rest)
    sentence = dice.pick(lines("es/usual.txt")).replace("@clause", clause).replace("@name", names.anybody(dice)).replace("@city",
        dice.word("Madrid Lima Sevilla"))
    return Marked(sentence, 'Lo correcto en esta expresión es "{}".')


RULES = {estar: 4, ser: 3, tener_hacer: 4, por_para: 5, contraction: 4, personal_a: 4, preposition: 6, comparative: 2, haber: 3, fixed_phrase: 8}
LISTED = frozenset({por_para, preposition, fixed_phrase})  # whole sentences from a list
