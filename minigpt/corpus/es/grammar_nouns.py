"""Spanish rules about nouns and what agrees with them: a function per rule, which draws one mistake."""

from minigpt.corpus import names
from minigpt.corpus.dice import Dice, words_of
from minigpt.corpus.error_example import Marked, phrase
from minigpt.corpus.es import words_nouns as nouns
from minigpt.corpus.es.conjugation import actions
from minigpt.corpus.es.phrases import (
    COUNTABLE,
    ESTAR,
    SER,
    Noun,
    Subject,
    a,
    action,
    article,
    be_state,
    inflect,
    noun,
    one_person,
    opener,
    subject,
    thing_be,
    thing_subject,
    this,
)

HAVING = """tengo tienes tiene tenemos tienen compré compró quiero quiere necesito necesitamos veo vimos busco perdí encontré
Ana_tiene mi_hermano_compró ella_quiere mis_padres_tienen vendió dibujé trajo llevo usamos pido"""


PEOPLE = frozenset(words_of(" ".join([*nouns.PERSONS.values(), *nouns.RELATIVES.values()])))


def _having(dice: Dice, word: Noun) -> str:
    """A subject and a transitive verb that agree; before a person one that takes no "a"."""
    if word.one in PEOPLE:
        return dice.word("tengo tenemos tiene tienen Ana_tiene mi_hermano_tiene tuve tuvimos tenía ella_tenía")
    if dice.chance(0.45):
        return dice.word(HAVING)
    who = subject(dice)
    verb = dice.pick([each for each in actions() if any(text.startswith(("@object", "@food", "@clothing")) for text in each.complements)])
    return phrase(who.text if dice.chance(0.7) else "", (verb.present if dice.chance(0.7) else verb.preterite)[who.person])


def _ending(dice: Dice) -> str:
    return dice.maybe("en_casa aquí en_la_tienda también para_Ana en_el_mercado en_la_calle allí", 0.25)


GENDER = {"f": "femenino", "m": "masculino"}


def _any_noun(dice: Dice) -> Noun:
    if dice.chance(0.2):
        gender = dice.pick("fm")
        return Noun(dice.word(nouns.UNEXPECTED[gender]), gender)
    if dice.chance(0.12):
        gender = dice.pick("fm")
        word = dice.word(nouns.MASS[gender])
        if word != "agua":
            return Noun(word, gender)
    return noun(dice, *COUNTABLE)


def article_gender(dice: Dice) -> Marked:
    """"El casa", "una problema", "los manos"."""
    word, many, definite = _any_noun(dice), dice.chance(0.3), dice.chance(0.65)
    other = "m" if word.gender == "f" else "f"
    head = article if definite else a
    form = word.form(many)
    adjective = inflect(dice.word(nouns.THING_ADJECTIVES), word.gender, many) if dice.chance(0.12) else ""
    marked = f"[{head(other, many)} {form}|{head(word.gender, many)} {form}] {adjective}"
    why = f'"{form}" es {GENDER[word.gender]}: se dice "{{}}".'
    if definite and dice.chance(0.6):
        be, end = thing_be(dice, Subject("", 5 if many else 2, word.gender, ""))
        return Marked(phrase(opener(dice), marked, be, end), why)
    if definite and word.gender == "f" and dice.chance(0.15):  # "en el" stays two words
        return Marked(phrase(dice.word("está_en estoy_en trabajo_en pienso_en"), marked), why)
    if dice.chance(0.15):
        return Marked(marked, why)
    return Marked(phrase(_having(dice, word), marked, _ending(dice)), why)


def noun_number(dice: Dice) -> Marked:
    """"Los libro son nuevos", "dos hermano", "muchas silla", "mis zapato"."""
    word = _with_plural(dice, *COUNTABLE, nouns.RELATIVES)
    kind = dice.below(10)
    if kind < 4:
        head = dice.word(nouns.NUMBERS)
    elif kind < 7:
        head = dice.pick((article(word.gender, True), article(word.gender, True), this(word.gender, True), this(word.gender, True, "es"), "mis", "tus", "sus",
                          inflect("nuestro", word.gender, True)))
    else:
        head = dice.pick((inflect(dice.word("mucho poco alguno otro tanto demasiado"), word.gender, True), a(word.gender, True),
            {"f": "varias", "m": "varios"}[word.gender]))
    why, marked = f'Después de "{head}" el nombre va en plural: {{}}.', f"{head} [{word.one}|{word.many}]"
    if 4 <= kind < 7 and dice.chance(0.75):
        return Marked(phrase(opener(dice), marked, *thing_be(dice, Subject("", 5, word.gender, ""))), why)
    if dice.chance(0.25):
        return Marked(phrase(opener(dice), "tengo" if 4 <= kind < 7 else "hay", marked, dice.word(nouns.PLACES_THING)), why)
    adjective = inflect(dice.word(nouns.THING_ADJECTIVES), word.gender, True) if dice.chance(0.12) else ""
    return Marked(phrase(_having(dice, word), marked, adjective, _ending(dice)), why)


def _with_plural(dice: Dice, *tables: dict[str, str]) -> Noun:
    """A noun whose plural differs: not "paraguas"."""
    while True:
        word = noun(dice, *tables)
        if word.many != word.one:
            return word


def article_number(dice: Dice) -> Marked:
    """"La flores son bonitas", "el niños", "mi zapatos son negros", "esta casas"."""
    word, kind = _with_plural(dice, *COUNTABLE), dice.below(10)
    if kind < 5:
        one, many = article(word.gender), article(word.gender, True)
    elif kind < 7:
        one = dice.word("mi tu su")
        many = one + "s"
    elif kind < 9:
        which = dice.pick(("est", "es"))
        one, many = this(word.gender, False, which), this(word.gender, True, which)
    else:
        one, many = inflect("nuestro", word.gender, False), inflect("nuestro", word.gender, True)
    if dice.chance(0.2) and kind >= 5:  # the opposite: "mis casa es grande"
        be, end = thing_be(dice, Subject("", 2, word.gender, ""))
        return Marked(phrase(opener(dice), f"[{many} {word.one}|{one} {word.one}]", be, end), 'El verbo y el nombre van en singular: "{}".')
    marked, why = f"[{one} {word.many}|{many} {word.many}]", f'"{word.many}" es plural: se dice "{{}}".'
    if dice.chance(0.7):
        return Marked(phrase(opener(dice), marked, *thing_be(dice, Subject("", 5, word.gender, ""))), why)
    return Marked(phrase(_having(dice, word), marked, _ending(dice)), why)


def _agreeing_subject(dice: Dice) -> tuple[Subject, str, str]:
    """A subject whose gender shows, a form of "ser" or "estar" and the adjective's stem."""
    if dice.chance(0.5):
        who, _ = thing_subject(dice)
        if dice.chance(0.08):
            return who, SER[who.person], dice.word("mío tuyo suyo nuestro")
        if dice.chance(0.7):
            return who, SER[who.person], dice.word(nouns.THING_ADJECTIVES)
        return who, ESTAR[who.person], dice.word(nouns.THING_STATES)
    who = subject(dice)
    while not who.gender:
        who = subject(dice)
    if dice.chance(0.6):
        return who, ESTAR[who.person], dice.word(nouns.STATES.replace(" embarazada vivo", ""))
    return who, SER[who.person], dice.word(nouns.PEOPLE_ADJECTIVES)


def adjective_gender(dice: Dice) -> Marked:
    """"María está cansado", "la casa es blanco"."""
    while True:
        who, be, stem = _agreeing_subject(dice)
        right = inflect(stem, who.gender, who.plural)
        wrong = inflect(stem, "m" if who.gender == "f" else "f", who.plural)
        if right != wrong and " y yo" not in who.text:  # who "yo" is decides: unknown
            break
    return Marked(phrase(opener(dice), who.text, be, dice.maybe("muy tan demasiado muy", 0.3), f"[{wrong}|{right}]", dice.maybe("hoy ahora también", 0.08)),
                  f"El adjetivo concuerda en {GENDER[who.gender]} con el sujeto: {{}}.")


def adjective_number(dice: Dice) -> Marked:
    """"Las casas son grande", "la casa es grandes", "las manos están frío"."""
    who, be, stem = _agreeing_subject(dice)
    right, wrong = inflect(stem, who.gender, who.plural), inflect(stem, who.gender, not who.plural)
    if who.plural and who.gender == "f" and dice.chance(0.3):
        wrong = inflect(stem, "m", False)
    return Marked(phrase(opener(dice), who.text, be, dice.maybe("muy tan muy", 0.3), f"[{wrong}|{right}]", dice.maybe("hoy ahora también", 0.08)),
                  f'El sujeto es {"plural" if who.plural else "singular"} y el adjetivo también: {{}}.')


def attribute(dice: Dice) -> Marked:
    """"Un coche roja", "unas flores bonitos", "zapatos negro"."""
    word, many, stem = noun(dice, *COUNTABLE), dice.chance(0.4), dice.word(nouns.THING_ADJECTIVES)
    right, other = inflect(stem, word.gender, many), inflect(stem, "m" if word.gender == "f" else "f", many)
    wrong = other if other != right and dice.chance(0.65) else inflect(stem, word.gender, not many)
    number = dice.pick(("dos", "tres", "mis", inflect("mucho", word.gender, True))) if many else dice.word("mi tu su")
    head = dice.pick((a(word.gender, many), article(word.gender, many), number))
    why = f'"{word.form(many)}" es {GENDER[word.gender]} {"plural" if many else "singular"}: se dice "{{}}".'
    if dice.chance(0.2):
        return Marked(phrase(article(word.gender, many), word.form(many), f"[{wrong}|{right}]", ESTAR[5 if many else 2], dice.word(nouns.PLACES_THING)), why)
    return Marked(phrase(_having(dice, word), head, word.form(many), f"[{wrong}|{right}]", _ending(dice)), why)


def _determiners(dice: Dice, gender: str, many: bool) -> tuple[str, str]:
    """A determiner for the other gender, and the right one."""
    other, kind = "m" if gender == "f" else "f", dice.below(10)
    if kind < 5:
        which = dice.pick(("est", "est", "es", "aquel"))
        return this(other, many, which), this(gender, many, which)
    if kind == 9:
        all_of = {"f": ("todos las", "todas las"), "m": ("todas los", "todos los")} if many else {"f": ("la mismo", "la misma"),
            "m": ("el misma", "el mismo")}
        return all_of[gender]
    stem = dice.pick(("nuestro", "vuestro", "nuestro", "otro", "mucho", "poco") if many else ("nuestro", "vuestro", "nuestro", "otro"))
    return inflect(stem, other, many), inflect(stem, gender, many)


def determiner_gender(dice: Dice) -> Marked:
    """"Esta libro", "nuestro casa", "pocas niños", "otro mesa"."""
    word, many = _any_noun(dice), dice.chance(0.45)
    bad, good = _determiners(dice, word.gender, many)
    form = word.form(many)
    marked, why = f"[{bad} {form}|{good} {form}]", f'"{form}" es {GENDER[word.gender]}: se dice "{{}}".'
    if dice.chance(0.5):
        return Marked(phrase(opener(dice), marked, *thing_be(dice, Subject("", 5 if many else 2, word.gender, ""))), why)
    return Marked(phrase(_having(dice, word), marked, _ending(dice)), why)


AMOUNTS = {"f": "hambre sed prisa suerte paciencia ropa fuerza gente agua fruta comida leche energía",
    "m": "sueño frío calor dinero tiempo trabajo miedo ruido café tráfico pan dolor"}
FELT = ("hambre", "sed", "prisa", "sueño", "frío", "calor", "miedo")


def mucho_noun(dice: Dice) -> Marked:
    """"Mucho hambre", "mucha dinero", "muy hambre"."""
    gender = dice.pick("fm")
    word = dice.word(AMOUNTS[gender])
    front = dice.word("tengo tenemos tienen Ana_tiene mi_hermano_tiene ella_tiene los_niños_tienen tienes no_tengo" if word in FELT else
                      "tengo tenemos tienen hay no_hay Ana_tiene mi_hermano_tiene hoy_hay necesito")
    if dice.chance(0.25):
        return Marked(phrase(opener(dice), front, f"[muy|{inflect('mucho', gender, False)}]", word), 'Antes de un nombre se dice "{}", y no "muy".')
    quantity = dice.word("mucho mucho poco demasiado tanto")
    wrong, right = inflect(quantity, "m" if gender == "f" else "f", False), inflect(quantity, gender, False)
    return Marked(phrase(opener(dice), front, f"[{wrong}|{right}]", word), f'"{word}" es {GENDER[gender]}: se dice "{{}}".')


def muy_mucho(dice: Dice) -> Marked:
    if dice.chance(0.6):
        who = subject(dice)
        be, end = be_state(dice, who)
        while end.startswith(("en ", "de ", "muy", "tan", "aquí", "lejos", "cerca", "fuera")):
            be, end = be_state(dice, who)
        text = who.text if who.person != 0 or dice.chance(0.3) else ""
        return Marked(phrase(opener(dice), text, be, "[mucho|muy]", end), 'Antes de un adjetivo se dice "muy", y no "mucho".')
    who, verb = subject(dice), dice.word("trabajar estudiar comer dormir viajar leer hablar correr cantar llorar fumar")
    form = next(each for each in actions() if each.infinitive == verb).present[who.person]
    return Marked(phrase(opener(dice), who.text if dice.chance(0.7) else "", form, "[muy|mucho]", dice.maybe("en_casa hoy", 0.2)),
        'Con un verbo se dice "mucho", y no "muy".')


def stressed_a(dice: Dice) -> Marked:
    """"La agua está fría", "una águila"."""
    word = dice.word("agua agua agua águila aula hacha arma alma área")
    start, why = dice.below(10), f'Ante "{word}", con a tónica, se dice "el": {{}}.'
    if start < 7:
        end = dice.word("está_fría está_limpia está_muy_caliente es_buena está_sucia no_está_fría está_en_la_nevera es_necesaria" if word == "agua" else
                        "es_pequeña está_sucia es_muy_grande está_aquí es_peligrosa está_limpia es_nueva")
        return Marked(phrase(opener(dice), f"[la {word}|el {word}]", end), why)
    if word == "agua":
        return Marked(f"{dice.word('bebo quiero no_bebo necesito me_gusta')} [la agua|el agua] {dice.word('fría del_río con_hielo limpia')}", why)
    return Marked(f"{dice.word('hay veo tengo')} [una {word}|un {word}] {dice.word('grande aquí muy_vieja pequeña')}",
        f'Ante "{word}", con a tónica, se dice "un": {{}}.')


APOCOPE = {
    "bueno buen": "es_un fue_un tengo_un hay_un Luis_es_un busco_un", "malo mal": "es_un fue_un hoy_es_un era_un tuve_un",
    "primero primer": "es_el fue_el este_es_el era_mi es_su", "tercero tercer": "es_el fue_el vivo_en_el es_mi",
    "ninguno ningún": "no_tengo no_hay no_veo no_quiero no_conozco", "alguno algún": "quiero busco hay tienes",
    "grande gran": "es_un fue_un era_un hay_un", "uno un": "tengo es quiero hay compré veo necesito",
}


def apocope(dice: Dice) -> Marked:
    """"Un bueno amigo", "el primero día", "ninguno problema"."""
    word = noun(dice, nouns.OBJECTS, nouns.IDEAS, nouns.PERSONS)
    while word.gender != "m":
        word = noun(dice, nouns.OBJECTS, nouns.IDEAS, nouns.PERSONS)
    pair = dice.pick(tuple(APOCOPE))
    bad, good = pair.split()
    return Marked(phrase(dice.word(APOCOPE[pair]), f"[{bad} {word.one}|{good} {word.one}]"), f'Ante un nombre "{bad}" se acorta: {{}}.')


Y_TO_E = (  # the first word, the second, sentences
    ("", "Inés Isabel Irene Ignacio Iván Irma Isaac",
        "@_son_hermanos @_viven_aquí @_están_en_casa @_son_amigos @_vienen_hoy @_trabajan_juntos @_son_novios hablé_con_@ vi_a_@ conozco_a_@ salgo_con_@"),
    ("francés español alemán química arte biología", "inglés italiano historia informática", "estudio_@ hablo_@ me_gusta_@ enseña_@"),
    ("verano primavera", "invierno", "llueve_en_@ trabajo_en_@ viajamos_en_@"), ("padres abuelos madres", "hijos hijas", "veo_@ hay_@ vinieron_@"),
    ("plazas museos castillos", "iglesias", "hay_@ veo_@ visitamos_@"),
        ("bonito nuevo difícil útil claro", "interesante importante inteligente increíble", "es_@ el_libro_es_@ el_curso_fue_@"),
)
O_TO_U = (
    ("siete seis nueve cinco", "ocho", "tengo_@_libros hay_@_personas vinieron_@_amigos son_@_euros faltan_@_días"),
        ("diez nueve doce", "once", "tengo_@_libros hay_@_personas son_@_euros"),
    ("", "Óscar Olga Olivia Octavio", "viene_@ lo_sabe_@ lo_hizo_@ llama_a_@"), ("plata cobre", "oro", "es_de_@ el_anillo_es_de_@"),
        ("minutos días", "horas", "tarda_@ faltan_@"),
    ("verano invierno", "otoño", "viajamos_en_@ será_en_@"), ("mujer niño", "hombre", "es_@ no_sé_si_es_@"),
)


def joining(dice: Dice) -> Marked:
    """"Pablo y Inés", "siete o ocho"."""
    y = dice.chance(0.5)
    ones, twos, sentences = dice.pick(Y_TO_E if y else O_TO_U)
    one, two = dice.word(ones) if ones else names.anybody(dice), dice.word(twos)
    bad, good = ("y", "e") if y else ("o", "u")
    why = f'Ante el sonido {"i" if y else "o"} la conjunción "{bad}" pasa a "{good}": {{}}.'
    return Marked(dice.word(sentences).replace("@", f"{one} [{bad} {two}|{good} {two}]"), why)


def possessive_number(dice: Dice) -> Marked:
    """"Sus abuela", "mi hermanos": with a verb, so that the number shows."""
    gender, many, which = dice.pick("fm"), dice.chance(0.5), dice.word("mi tu su mi")
    form = Noun(dice.word(nouns.RELATIVES[gender]), gender).form(many)
    bad, good = (which, which + "s") if many else (which + "s", which)
    marked = f"[{bad} {form}|{good} {form}]"
    why = f'"{form}" es plural: se dice "{{}}".' if many else 'El verbo y el nombre van en singular: "{}".'
    if many and dice.chance(0.2):
        return Marked(phrase(dice.word("vivo_con hablo_con quiero_a visito_a llamo_a salgo_con"), marked), why)
    person = 5 if many else 2
    each, rest = action(dice)
    end = phrase(each.present[person], rest) if dice.chance(0.6) else phrase(*be_state(dice, Subject("", person, gender, "")))
    return Marked(phrase(opener(dice), marked, end), why)


WOMEN_JOBS = """profesor profesora, médico médica, enfermero enfermera, abogado abogada, ingeniero ingeniera, arquitecto arquitecta, cocinero cocinera,
camarero camarera, actor actriz, escritor escritora, pintor pintora, secretario secretaria, director directora, maestro maestra, doctor doctora,
vendedor vendedora, jefe jefa, alumno alumna"""


def job_gender(dice: Dice) -> Marked:
    """"Mi madre es médico", "Ana es un buen profesor"."""
    bad, good = dice.pick(WOMEN_JOBS.replace("\n", " ").split(", ")).split()
    who, gender = one_person(dice)
    while gender != "f" or who.startswith("cada"):
        who, gender = one_person(dice)
    who = "ella" if dice.chance(0.15) else who
    if dice.chance(0.3):
        return Marked(phrase(opener(dice), who, dice.word("es era"), f"[una {bad}|una {good}]"), 'Se habla de una mujer, así que se dice "{}".')
    return Marked(phrase(opener(dice), who, dice.word("es es es era"), f"[{bad}|{good}]", dice.maybe("en_un_hospital en_Madrid también muy_conocida", 0.15)),
                  'Se habla de una mujer, así que se dice "{}".')


RULES = {job_gender: 2, article_gender: 8, noun_number: 8, article_number: 5, adjective_gender: 9, adjective_number: 5, attribute: 4, determiner_gender: 5,
    mucho_noun: 3, muy_mucho: 2,
         stressed_a: 2, apocope: 2, joining: 3, possessive_number: 3}
