"""The Python versions on which the labs run; readable by every Python from 3.6 on."""

OLDEST, NEWEST = (3, 10), (3, 13)


def is_supported(version):
    """Return whether the labs run on a Python of this version."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


def unsupported_message(version, executable):
    """Return one line in each language: the language settings have not been read yet."""
    found = ".".join(str(part) for part in version[:3])
    way_out = "make setup PYTHON=python3.12  |  py -3.12 -m minigpt setup"
    return (
        f"The labs need Python 3.10, 3.11, 3.12 or 3.13; this is Python {found} "
        f"({executable}). Use a supported one: {way_out}\n"
        f"Los laboratorios necesitan Python 3.10, 3.11, 3.12 o 3.13; este es Python {found} "
        f"({executable}). Usa uno de esos: {way_out}"
    )
