"""argparse's own words in Spanish: it asks gettext, and no catalogue of Python's is installed with it."""

import argparse

from minigpt.language import language

SPANISH = {
    "usage: ": "uso: ",
    "options": "opciones",
    "positional arguments": "argumentos",
    "show this help message and exit": "muestra esta ayuda y termina",
    "argument %(argument_name)s: %(message)s": "argumento %(argument_name)s: %(message)s",
    "the following arguments are required: %s": "faltan estos argumentos: %s",
    "unrecognized arguments: %s": "argumentos desconocidos: %s",
    "expected one argument": "se esperaba un valor",
    "expected at least one argument": "se esperaba al menos un valor",
    "not allowed with argument %s": "no se admite junto a %s",
    "one of the arguments %s is required": "hace falta uno de estos argumentos: %s",
    "invalid choice: %(value)r (choose from %(choices)s)": "opción no válida: %(value)r (elige una de %(choices)s)",
    "invalid %(type)s value: %(value)r": "valor no válido (%(type)s): %(value)r",
    "ambiguous option: %(option)s could match %(matches)s": "opción ambigua: %(option)s puede ser %(matches)s",
}


def use_our_language() -> None:
    """Make every parser of this process write its headings and mistakes in the user's language."""
    english = getattr(argparse, "_in_english", None) or argparse._
    argparse._in_english = english
    argparse._ = (lambda text: SPANISH.get(text, text)) if language() == "es" else english
