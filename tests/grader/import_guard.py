"""In a worker, importing given code that a submission may not use raises an error that says so."""

PACKAGE = "minigpt"


class ImportGuard:
    """The first finder: it finds nothing, and refuses what is not in the worker's copy of the package.

    An ImportError, since `from package import name` swallows the ModuleNotFoundError of a name that is not a module.
    """

    def __init__(self, modules: list[str], given: list[str]):
        self._modules, self._given = frozenset(modules), given

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] != PACKAGE or name in self._modules:
            return None
        from minigpt.language import say

        allowed = ", ".join(self._given) or say(en="nothing", es="nada")
        raise ImportError(say(
            en=f"{name} is part of the given code that a submission may not use. From minigpt, this lab's exercises may use: "
               f"{allowed}",
            es=f"{name} es código dado que una entrega no puede usar. De minigpt, los ejercicios de este laboratorio "
            f"pueden usar: {allowed}",
        ), name=name)
