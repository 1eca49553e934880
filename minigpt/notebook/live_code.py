"""The lab code that a notebook uses: loaded from its file, and loaded again when the file was saved."""

import linecache
from pathlib import Path

from minigpt import paths
from minigpt.language import say
from minigpt.schedulers import lab_file


class CodeError(ValueError):
    """A file of lab code that Python cannot read; it is shown as two lines, without a traceback."""

    def _render_traceback_(self) -> list[str]:  # asked for by IPython
        return str(self).splitlines()


def code_error(error: SyntaxError) -> CodeError:
    """Where the error is and what is wrong, then the line itself."""
    line = (error.text or "").strip() or say(en="(the line is empty)", es="(la línea está vacía)")
    return CodeError(f"{short_path(error.filename)}:{error.lineno}: {error.msg}\n    {line}")


def short_path(path) -> str:
    """A path as seen from the repository; elsewhere, all of it."""
    try:
        return Path(path).resolve().relative_to(paths.repository_root()).as_posix()
    except ValueError:
        return str(path)


class LiveModule:
    """A module whose names are always those of the file as it was last saved."""

    def __init__(self, path: Path):
        self._path = path
        self._text: bytes | None = None
        self._module = None

    def __getattr__(self, name: str):
        if name.startswith("_"):  # asked by Python and IPython for themselves, such as _repr_html_
            raise AttributeError(name)
        module = self._fresh()
        try:
            return getattr(module, name)
        except AttributeError:
            file = short_path(self._path)
            raise AttributeError(say(en=f"{file} defines no {name!r}", es=f"{file} no define {name!r}")) from None

    def __dir__(self) -> list[str]:
        return [name for name in vars(self._fresh()) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<{short_path(self._path)}>"

    def _fresh(self):
        # The text is compared, not the time: two saves within a tick of the file system's clock have the same time.
        text = self._path.read_bytes() if self._path.is_file() else None
        if self._module is None or text != self._text:
            linecache.checkcache(str(self._path))  # tracebacks show the new lines
            try:
                self._module, self._text = lab_file.load(self._path), text
            except SyntaxError as error:
                self._module = None
                raise code_error(error) from None
            except lab_file.LabFileError as error:
                self._module = None
                raise CodeError(str(error)) from None
        return self._module


def show_syntax_errors_in_two_lines(shell) -> None:
    """Let IPython show a syntax error in a lab's file without the frames that lead to it."""

    def handler(shell, kind, value, traceback, tb_offset=None):
        if _is_lab_code(value.filename):
            value = code_error(value)
            shell.showtraceback((CodeError, value, None))
        else:
            shell.showtraceback((kind, value, traceback), tb_offset=tb_offset)

    shell.set_custom_exc((SyntaxError,), handler)


def _is_lab_code(filename: str | None) -> bool:
    first = short_path(filename or "").split("/")[0]
    return first in ("labs", "solutions")
