"""The language of messages: English or Spanish."""

import locale
import os
import re
import sys

# Windows spells a locale "Spanish_Spain"; "Estonian_Estonia" begins with "es" too and is not Spanish.
SPANISH = re.compile(r"(es([_.@-]|$))|(spanish)", re.IGNORECASE)


def language():
    """Return "en" or "es": MINIGPT_LANG if it is set, else the system's language.

    Raises ValueError for a MINIGPT_LANG that is neither.
    """
    wanted = os.environ.get("MINIGPT_LANG", "").strip()
    if not wanted:
        return "es" if SPANISH.match(system_locale()) else "en"
    code = re.split(r"[_.@-]", wanted)[0].lower()  # es_ES.UTF-8 -> es
    if code not in ("en", "es"):
        # The language for this message is exactly what is unknown.
        raise ValueError(
            f"MINIGPT_LANG={wanted!r} is not a language of the labs; set it to en or es, or unset it / "
            f"MINIGPT_LANG={wanted!r} no es un idioma de los laboratorios; usa en o es, o quítala"
        )
    return code


def system_locale():
    """Return the name of the system's locale for messages, or ""."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):  # the first that is set decides, as in POSIX
        if os.environ.get(name):
            return os.environ[name]
    if sys.platform == "win32":
        return locale.getlocale()[0] or ""
    return ""


def say(*, en, es):
    """Return the text of the user's language."""
    return es if language() == "es" else en
