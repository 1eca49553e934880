"""What is asked of a student: the exercises of a lab, from its hand-written ``exercises.toml``."""

import re
from dataclasses import dataclass
from pathlib import Path

from minigpt.language import say
from minigpt.notebook.written import state_of

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: JupyterLab brings the same module under its first name
    import tomli as tomllib

__all__ = ["Bilingual", "Exercise", "load_exercises", "load_given", "load_title", "state_of"]

FILE_NAME = "exercises.toml"
FIELDS = ("id", "function", "minutes", "needs", "title", "hints")
OPTIONAL_FIELDS = ("discuss", "stretch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bilingual:
    """One text, or one tuple of texts, in both languages."""

    en: str | tuple[str, ...]
    es: str | tuple[str, ...]

    @property
    def chosen(self):
        """The one in the user's language."""
        return say(en=self.en, es=self.es)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One graded exercise of a lab."""

    id: str                  # number of the lab, a point, number in the lab: "3.1"
    function: str            # function, class or "Class.method" to write; "" when no new code is needed
    minutes: int             # expected time for it
    needs: tuple[str, ...]   # ids of the exercises that must be written for this one to work
    titles: Bilingual
    all_hints: Bilingual     # in steps; the last one is the reference's idea in words
    discussion: Bilingual | None = None  # what else would have been right, to read after passing
    is_stretch: bool = False  # beyond the lab: checked when asked for, and not part of a grade

    @property
    def title(self) -> str:
        """The title in the user's language."""
        return self.titles.chosen

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints in the user's language, from a nudge to the idea."""
        return self.all_hints.chosen


def load_exercises(lab: Path) -> tuple[Exercise, ...]:
    """Read the exercises of a lab's folder. Raises ValueError naming the file, field and value of an error."""
    path, data = read_file(lab)
    rows = data.get("exercise")
    require(isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows),
            path, "exercise", rows,
            en="write [[exercise]] and its fields", es="escribe [[exercise]] y sus campos")
    exercises: list[Exercise] = []
    for place, row in enumerate(rows, 1):
        where = f"exercise {row.get('id', f'number {place}')}"
        exercises.append(read_exercise(path, where, row, [exercise.id for exercise in exercises]))
    return tuple(exercises)


def load_title(lab: Path) -> Bilingual:
    """Read a lab's title in both languages."""
    path, data = read_file(lab)
    return read_texts(path, "title", data.get("title"))


def load_given(lab: Path) -> tuple[str, ...]:
    """Read which modules of the given code a lab's exercises may use; a submission finds no others when it is graded."""
    path, data = read_file(lab)
    names = data.get("given", [])
    for name in names if isinstance(names, list) else [names]:
        require(isinstance(names, list) and isinstance(name, str) and re.fullmatch(r"minigpt(\.[a-z_0-9]+)+", name),
                path, "given", name,
                en='write a list of modules: ["minigpt.llm.model"]', es='escribe una lista de módulos: ["minigpt.llm.model"]')
    return tuple(names)


def read_file(lab: Path) -> tuple[Path, dict]:
    """Return the path and the contents of a lab's exercise file."""
    path = lab / FILE_NAME
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(say(en=f"{path} is missing; each lab needs one",
                             es=f"falta {path}; cada laboratorio necesita uno")) from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise ValueError(f"{path}: {error}") from error
    require_fields(path, "", data, ("title", "exercise"), optional=("given",))
    return path, data


def read_exercise(path: Path, where: str, row: dict, earlier: list[str]) -> Exercise:
    """Check one [[exercise]] and return it; `earlier` are the ids above it in the file."""
    require_fields(path, f"{where}, ", row, FIELDS, OPTIONAL_FIELDS)
    check_id(path, f"{where}, id", row["id"], earlier)
    require(is_function_name(row["function"]), path, f"{where}, function", row["function"],
            en='write a name, Class.method, or "" for none',
            es='escribe un nombre, Clase.método, o "" si no hay')
    require(type(row["minutes"]) is int and row["minutes"] > 0, path, f"{where}, minutes", row["minutes"],
            en="write a whole number of at least 1", es="escribe un número entero, al menos 1")
    check_needs(path, f"{where}, needs", row["needs"], earlier)
    return Exercise(
        id=row["id"], function=row["function"], minutes=row["minutes"], needs=tuple(row["needs"]),
        titles=read_texts(path, f"{where}, title", row["title"]),
        all_hints=read_lists(path, f"{where}, hints", row["hints"]),
        discussion=read_texts(path, f"{where}, discuss", row["discuss"]) if "discuss" in row else None,
        is_stretch=read_flag(path, f"{where}, stretch", row.get("stretch", False)))


def read_flag(path: Path, field: str, value) -> bool:
    """Check and return a yes or no."""
    require(isinstance(value, bool), path, field, value, en="write true, or leave it out", es="escribe true, o quítalo")
    return value


def check_id(path: Path, field: str, value, earlier: list[str]) -> None:
    """Check that an id begins with the lab's number and is unique."""
    number = path.parent.name[:2].lstrip("0")
    require(isinstance(value, str) and re.fullmatch(rf"{number}\.[1-9][0-9]?", value), path, field, value,
            en=f'write "{number}.1", "{number}.2", …', es=f'escribe "{number}.1", "{number}.2", …')
    require(value not in earlier, path, field, value,
            en="this id is taken: give each exercise its own", es="ese id ya está usado: da a cada ejercicio el suyo")


def check_needs(path: Path, field: str, value, earlier: list[str]) -> None:
    """Check that an exercise needs only exercises above it, so that needs are never circular."""
    known = ", ".join(earlier) or "-"
    is_list = isinstance(value, list)
    for need in value if is_list else [value]:
        require(is_list and need in earlier, path, field, need,
                en=f"write a list of ids that stand above it in the file: {known}",
                es=f"escribe una lista de ids que estén más arriba en el archivo: {known}")


def read_texts(path: Path, field: str, value) -> Bilingual:
    """Check and return a text in both languages."""
    check_both(path, field, value)
    for code, text in value.items():
        require(is_text(text), path, f"{field}.{code}", text, en="write a text", es="escribe un texto")
    return Bilingual(**value)


def read_lists(path: Path, field: str, value) -> Bilingual:
    """Check and return a list of texts in both languages, of the same length."""
    check_both(path, field, value)
    for code, texts in value.items():
        require(isinstance(texts, list) and texts and all(is_text(text) for text in texts),
                path, f"{field}.{code}", texts,
                en='write ["…", "…"], at least one', es='escribe ["…", "…"], al menos una')
    lengths = {code: len(texts) for code, texts in value.items()}
    require(lengths["en"] == lengths["es"], path, field, lengths,
            en="write the same number in each language", es="escribe el mismo número en cada idioma")
    return Bilingual(en=tuple(value["en"]), es=tuple(value["es"]))


def check_both(path: Path, field: str, value) -> None:
    """Refuse a value that is not given in exactly the two languages."""
    name = field.split()[-1]
    require(isinstance(value, dict), path, field, value,
            en=f"write {name}.en = … and {name}.es = …", es=f"escribe {name}.en = … y {name}.es = …")
    require_fields(path, f"{field}.", value, ("en", "es"))


def is_text(value) -> bool:
    return isinstance(value, str) and value.strip() != ""


def is_function_name(value) -> bool:
    return isinstance(value, str) and (value == "" or all(part.isidentifier() for part in value.split(".")))


def require_fields(
    path: Path, where: str, table: dict, names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> None:
    """Refuse a table that lacks a field or has an unknown one (a typo)."""
    known = ", ".join((*names, *optional))
    for name in names:
        require(name in table, path, where + name, None, en="write it", es="escríbelo")
    for name in table:
        require(name in (*names, *optional), path, where + name, table[name],
                en=f"unknown field; the fields are: {known}", es=f"campo desconocido; los campos son: {known}")


def require(is_right, path: Path, field: str, value, *, en: str, es: str) -> None:
    """Unless `is_right`, raise ValueError naming the place, the field, the value and the way out."""
    if not is_right:
        got = say(en="missing", es="falta") if value is None else repr(value)
        raise ValueError(f"{path}: {field}: {got}; {say(en=en, es=es)}")
