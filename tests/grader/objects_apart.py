"""Several objects of one class, used in turn: each does what it would do if it were the only one.

Whatever is in the class body, in a default argument or outside the class is shared by all of them.
"""

from collections.abc import Callable

from tests.grader.outcomes import CheckFailed, Text, t

SHARED = t(
    "({number} objects of {name}, used in turn): on its own, each of them does what it should. Whatever is in the class body, "
    "in a default argument such as `tables={{}}` or outside the class is shared by all objects: make every list, dict and "
    "number of an object in __init__, as self.…",
    "({number} objetos de {name}, usados por turnos): por sí solo, cada uno hace lo que debe. Lo que está en el cuerpo de la "
    "clase, en un argumento por defecto como `tables={{}}` o fuera de la clase es de todos los objetos a la vez: crea toda "
    "lista, dict y número de un objeto en __init__, como self.…",
)


def expect_apart(student, class_name: str, stories: list[tuple[list, list]], shown: tuple, expect_due: Callable, *, section: Text):
    """Fail the check unless objects that live at the same time do as each does alone.

    `stories` holds (arguments, calls) of each object; `expect_due(number, told)` fails the check unless that object was
    told what it is due. An object that is wrong on its own fails with its own message.
    """
    args, calls = ([story[part] for story in stories] for part in (0, 1))
    for number, told in enumerate(student.play_together(class_name, args, calls, shown)):
        try:
            expect_due(number, told)
        except CheckFailed as failure:
            expect_due(number, student.play(class_name, *stories[number], shown))
            failure.hint = SHARED.format(number=len(stories), name=class_name).followed_by(section)
            raise
