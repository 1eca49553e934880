"""An unknown attribute of a request or a server: the error lists the known ones."""

from minigpt.language import say


def unknown_attribute(thing, name: str, kind: str, hidden: tuple[str, ...] = ()) -> AttributeError:
    """The error for an unknown attribute of `thing`; it lists the public ones except `hidden`."""
    if name.startswith("__"):  # Python itself looks up such names, and needs the plain error
        return AttributeError(name)
    known = ", ".join(each for each in dir(thing) if not each.startswith("_") and each not in hidden)
    return AttributeError(say(en=f"{kind} has no attribute {name!r}; it has {known}",
                              es=f"{kind} no tiene el atributo {name!r}; tiene {known}"))


class KnownNames:
    """Lists an object's public attributes when an unknown one is accessed."""

    __slots__ = ()

    def __getattr__(self, name: str):
        raise unknown_attribute(self, name, type(self).__name__)
