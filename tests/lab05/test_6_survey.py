"""Exercise 5.6: the survey, checked against what papers and documentation say."""

from minigpt.studies.engine_survey import CHOICES, EVIDENCE
from tests.grader.check import check
from tests.grader.outcomes import Text, expect, t
from tests.lab05.facts import FACTS


def wrong_answers(student, question: str) -> list[str]:
    """Engines whose answer differs from that of the sources."""
    found = student.call("survey")
    hint = t("return a dict of dicts: {engine: {question: answer}} (section 5.7)",
             "devuelve un diccionario de diccionarios: {motor: {pregunta: respuesta}} (sección 5.7)")
    expect(isinstance(found, dict), expected="dict", got=type(found).__name__, hint=hint)
    rows = {engine: found.get(engine) for engine in FACTS}
    choices = CHOICES[question]
    missing = [engine for engine, row in rows.items() if not isinstance(row, dict) or row.get(question) not in choices]
    expect(not missing, expected=" / ".join(CHOICES[question]), got=f"{question}: {', '.join(missing)}", hint=t(
        "(engines without a valid answer): give each engine of the table one of the words in minigpt/studies/engine_survey.py "
        "(section 5.7)",
        "(motores sin una respuesta válida): da a cada motor de la tabla una de las palabras de "
        "minigpt/studies/engine_survey.py (sección 5.7)",
    ))
    return [engine for engine, row in rows.items() if row[question] != FACTS[engine][question]]


def expect_facts(student, question: str, why: Text) -> None:
    wrong = wrong_answers(student, question)
    sources = "; ".join(each.source for each in EVIDENCE if each.engine in wrong)
    expect(not wrong, expected=t(f"{question}: every answer as in the sources", f"{question}: todas las respuestas como en las "
                                                                                "fuentes"),
           got=t(f"differs for {', '.join(wrong)}", f"difiere en {', '.join(wrong)}"),
           hint=t(f"{why.en} Source: {sources} (section 5.7)", f"{why.es} Fuente: {sources} (sección "
                                                               "5.7)"))


@check("5.6", points=1, en="unit of scheduling", es="unidad de planificación")
def test_unit(student):
    expect_facts(student, "unit", t("can requests join or leave between two steps of the model?",
                                    "¿pueden entrar o salir peticiones entre dos pasos del modelo?"))


@check("5.6", points=1, en="memory reserved at admission", es="memoria reservada al admitir")
def test_memory(student):
    expect_facts(student, "memory", t(
        'how many tokens must there be room for before a request may start? "none" is only for an engine without a KV cache.',
        '¿para cuántos tokens tiene que haber sitio antes de que una petición pueda empezar? "none" es solo para un motor sin '
        "caché KV.",
    ))


@check("5.6", points=1, en="what happens when memory is full", es="qué ocurre cuando la memoria se llena")
def test_when_full(student):
    expect_facts(student, "when_full", t(
        "an engine that reserves everything a request may ever need never preempts; a preempted request continues later, an "
        "ended one never does.",
        "un motor que reserva todo lo que una petición pueda llegar a necesitar nunca desaloja; una petición desalojada sigue "
        "más tarde, una cortada no sigue nunca.",
    ))


@check("5.6", points=1, en="long prompts", es="prompts largos")
def test_long_prompts(student):
    expect_facts(student, "long_prompts", t("with no setting changed, does a long prompt take several steps?",
                                            "sin cambiar ningún ajuste, ¿ocupa un prompt largo varios pasos?"))
