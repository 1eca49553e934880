"""An attribute that is not there is answered with those that are: what a loop may ask of a request or a server."""

from minigpt.language import say


def unknown_attribute(thing, name: str, kind: str, hidden: tuple[str, ...] = ()) -> AttributeError:
    """The error for an attribute that was not found, with the public ones of `thing`, but for the `hidden`."""
    if name.startswith("__"):  # Python itself tries such names, and wants a plain no
        return AttributeError(name)
    known = ", ".join(each for each in dir(thing) if not each.startswith("_") and each not in hidden)
    return AttributeError(say(en=f"{kind} has no attribute {name!r}; it has {known}",
                              es=f"{kind} no tiene el atributo {name!r}; tiene {known}"))


class KnownNames:
    """Lists an object's public attributes when an unknown one is asked for."""

    __slots__ = ()

    def __getattr__(self, name: str):
        raise unknown_attribute(self, name, type(self).__name__)
