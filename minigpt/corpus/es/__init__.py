"""Spanish: the tutor's grammar and words."""

from minigpt.corpus.es import grammar_nouns, grammar_pronouns, grammar_spelling, grammar_usage, grammar_verbs

OK = "bien"
NOTHING_WRONG = "Aquí no hay ningún error: la frase es correcta."
UNKNOWN = "Solo conozco frases cortas."
RULES = grammar_verbs.RULES | grammar_pronouns.RULES | grammar_nouns.RULES | grammar_usage.RULES | grammar_spelling.RULES
LISTED = grammar_usage.LISTED | grammar_spelling.LISTED
JOINERS = ("y", "pero", "porque", "y también", "así que")
GREETINGS = ("bueno,", "sí,", "no,", "hola,", "oye,", "mira,", "por favor,", "perdona,", "pues", "vale,")
TAILS = ("con mis amigos", "con su madre", "en el parque", "en casa", "en Madrid", "en la ciudad", "cerca del río", "conmigo", "también",
         "en mi barrio", "en la oficina", "con Ana", "en este país", "en la playa")
# Words that cannot stand at the end, nor in such pairs.
DETERMINERS = ("el", "la", "los", "las", "un", "una", "mi", "tu", "su")
HINGES = (*DETERMINERS, "en", "a", "de", "con", "y", "muy", "es", "está", "del", "al", "por", "para", "este", "esta")
